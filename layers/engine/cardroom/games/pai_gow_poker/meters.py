"""What the winners of a meter are paid, and what it stands at afterwards (§10.8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, Self, assert_never

from cardroom.banked.cover import Claim
from cardroom.documents import Reader
from cardroom.games.pai_gow_poker import shapes
from cardroom.money import MAX_MINOR, WHOLE_BPS

MOST_WINNERS: Final = 200
"""How many bets a meter may have to pay: the most wagers that a deal takes."""


class MeterWinners(StrEnum):
    """Whether a meter's winners are paid one by one, the first of them first, or share it."""

    FIRST = "first"
    SHARED = "shared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """How a meter is paid and filled.

    Each bet adds `increment_bps` of its stake; a win leaves at least `reseed_minor`, which the house makes up.
    """

    winners: MeterWinners
    increment_bps: int
    reseed_minor: int

    @classmethod
    def read(cls, read: Reader) -> Self:
        """A meter as a rule set's document has it; the reader notes what is wrong."""
        return cls(
            winners=read.one_of("winners", MeterWinners),
            increment_bps=read.integer("increment_bps", 0, WHOLE_BPS),
            reseed_minor=read.integer("reseed_minor", 1, MAX_MINOR),
        )

    def least_reseed(self, shares_bps: Iterable[int]) -> int:
        """The reseed value from which on every winner of such shares is paid something, however many there are."""
        least = -(-WHOLE_BPS // min(shares_bps))
        return least if self.winners is MeterWinners.FIRST else least * MOST_WINNERS


class MeterMoved(NamedTuple):
    """A meter through a round, in minor units: as the deal told it, and all that moved it.

    `added` is the part of the bets, `paid` what its winners got, `reseeded` what the house put in.
    """

    before: int
    added: int
    paid: int
    reseeded: int

    @property
    def after(self) -> int:
        """What the meter stands at when the round is settled."""
        return self.before + self.added - self.paid + self.reseeded

    def to_json(self, name: str) -> shapes.Meter:
        """The meter as a settlement tells it."""
        return {
            "name": name,
            "before": self.before,
            "added": self.added,
            "paid": self.paid,
            "reseeded": self.reseeded,
            "after": self.after,
        }


def pay_meters(
    meters: Mapping[str, Meter], told: Mapping[str, int], claims: list[Claim], shares_bps: Mapping[int, int]
) -> dict[str, MeterMoved]:
    """Put into the claims what the meters that the deal told pay them, and tell how each moved.

    `shares_bps` are by the place of the claim that won one.
    """
    moved = {}
    for kind, before in sorted(told.items()):
        winners = [place for place in shares_bps if claims[place].wager.kind == kind]
        stakes = [claim.wager.amount_minor for claim in claims if claim.wager.kind == kind]
        shares = [shares_bps[place] for place in winners]
        paid, moved[kind] = pay_meter(meters[kind], before, stakes=stakes, shares_bps=shares)
        for place, won in zip(winners, paid, strict=True):
            claims[place] = claims[place]._replace(pays_minor=won)
    return moved


def pay_meter(
    meter: Meter, before_minor: int, *, stakes: Sequence[int], shares_bps: Sequence[int]
) -> tuple[tuple[int, ...], MeterMoved]:
    """What each winner of such shares is paid, in action order, and how the meter moves; `stakes` are of all its bets.

    Of two winners of the whole of a meter the first has it, the second what the house puts in anew:

    >>> meter = Meter(winners=MeterWinners.FIRST, increment_bps=2_000, reseed_minor=1_000)
    >>> pay_meter(meter, 5_001, stakes=[100, 100], shares_bps=[10_000, 10_000])
    ((5041, 1000), MeterMoved(before=5001, added=40, paid=6041, reseeded=2000))

    Or they share it, and the odd cent goes to the first:

    >>> shared = Meter(winners=MeterWinners.SHARED, increment_bps=2_000, reseed_minor=1_000)
    >>> pay_meter(shared, 5_001, stakes=[100, 100], shares_bps=[10_000, 10_000])
    ((2521, 2520), MeterMoved(before=5001, added=40, paid=5041, reseeded=1000))
    """
    added = sum(stake * meter.increment_bps // WHOLE_BPS for stake in stakes)
    match meter.winners:
        case MeterWinners.FIRST:
            paid, reseeded = _one_by_one(before_minor + added, shares_bps, meter.reseed_minor)
        case MeterWinners.SHARED:
            paid, reseeded = _side_by_side(before_minor + added, shares_bps, meter.reseed_minor)
        case never:
            assert_never(never)
    return paid, MeterMoved(before_minor, added, sum(paid), reseeded)


def _one_by_one(standing: int, shares_bps: Sequence[int], reseed: int) -> tuple[tuple[int, ...], int]:
    """Each his share of what he finds: what the one before left, made up to the reseed value."""
    paid, reseeded = [], 0
    for share in shares_bps:
        won = standing * share // WHOLE_BPS
        put_in = max(0, reseed - (standing - won))
        paid.append(won)
        standing += put_in - won
        reseeded += put_in
    return tuple(paid), reseeded


def _side_by_side(standing: int, shares_bps: Sequence[int], reseed: int) -> tuple[tuple[int, ...], int]:
    """Each his share of the meter as it stands; where that is more than all of it together, cut in proportion."""
    asked = sum(shares_bps)
    paid = [standing * share // max(WHOLE_BPS, asked) for share in shares_bps]
    if asked >= WHOLE_BPS:
        odd = standing - sum(paid)  # fewer than there are winners
        paid = [won + (place < odd) for place, won in enumerate(paid)]
    put_in = max(0, reseed - (standing - sum(paid))) if paid else 0
    return tuple(paid), put_in
