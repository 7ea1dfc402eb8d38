"""How far the banker's wager reaches: what is paid, collected and returned, claim by claim in their order.

A game says what each wager's cards are worth (a `Claim`). Sections are those of the pai gow poker sheet, whose §6
holds for all banked games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from cardroom.money import MAX_MINOR
from cardroom.refusals import FieldFault, Refusal
from cardroom.table import Outcome, Wager


class WagersExceedBanker(Refusal):
    """The wagers together are more than the banker's wager, where it must cover them in full."""


class Coverage(StrEnum):
    """How far the banker's wager reaches (§6.2)."""

    ACTION = "action"
    NET = "net"
    ONE_SIDED = "one_sided"
    FULL = "full"


class Claim(NamedTuple):
    """What a wager's cards make of it, before the banker's wager is looked at.

    `outcome` is WIN, LOSE or PUSH; `pays_minor` is what a win would pay besides the stake. A side bet (`side`) that is
    banked by the house (`by_house`) uses none of the banker's wager. `caps` name the caps its payment falls under.
    """

    wager: Wager
    outcome: Outcome
    pays_minor: int
    side: bool = False
    by_house: bool = False
    caps: tuple[str, ...] = ()


class Move(NamedTuple):
    """What became of a claim, in minor units; what is collected and what is returned make up the stake.

    `cut` names what kept it from being settled whole: `cover`, or a cap.
    """

    outcome: Outcome
    paid_minor: int
    collected_minor: int
    returned_minor: int
    cut: str | None


class Banked(NamedTuple):
    """All moves in the order of their claims, and where the banker stands.

    `used_minor` is the part of the banker's wager that was used: all money moved (action, full), the distance of
    the banker's net from zero (net), the larger of paid and collected (one_sided). `net_minor` is what the
    banker gained (above zero) or lost, `main_net_minor` the part of it from main wagers.
    """

    moves: tuple[Move, ...]
    used_minor: int
    net_minor: int
    main_net_minor: int


COVER: Final = "cover"
# In CPython 3.11 reading a member of an enumeration calls a function; these are read for every wager.
_WIN, _LOSE, _PUSH = Outcome.WIN, Outcome.LOSE, Outcome.PUSH
_UNLIMITED: Final = MAX_MINOR * MAX_MINOR
_Rooms = Callable[[int, int, int], tuple[int, int]]


def _action_rooms(wager: int, paid: int, collected: int) -> tuple[int, int]:
    left = wager - paid - collected
    return left, left


def _net_rooms(wager: int, paid: int, collected: int) -> tuple[int, int]:
    net = collected - paid
    if abs(net) >= wager:  # the round has ended: later wagers are returned even if they would bring the net back
        return 0, 0
    return wager + net, wager - net


def _one_sided_rooms(wager: int, paid: int, collected: int) -> tuple[int, int]:
    return wager - paid, wager - collected


def _unlimited_rooms(_wager: int, _paid: int, _collected: int) -> tuple[int, int]:
    return _UNLIMITED, _UNLIMITED


_ROOMS: Final[Mapping[Coverage, _Rooms]] = {
    Coverage.ACTION: _action_rooms,
    Coverage.NET: _net_rooms,
    Coverage.ONE_SIDED: _one_sided_rooms,
    Coverage.FULL: _unlimited_rooms,  # the deal was refused unless the banker's wager reaches
}


class _Purse:
    """What a wager of the banker's has paid and collected so far."""

    __slots__ = ("collected", "paid", "rooms", "wager")

    def __init__(self, wager: int, rooms: _Rooms) -> None:
        self.wager = wager
        self.rooms = rooms
        self.paid = 0
        self.collected = 0

    def move(self, claim: Claim, most: int) -> Move:
        """Settle a claim as far as the purse reaches, paying at most `most`."""
        to_pay, to_collect = self.rooms(self.wager, self.paid, self.collected)
        stake = claim.wager.amount_minor
        outcome = claim.outcome
        if outcome is _WIN:
            if to_pay > 0:
                paid = min(claim.pays_minor, most, to_pay)
                self.paid += paid
                return Move(_WIN, paid, 0, stake, COVER if paid == to_pay < claim.pays_minor else None)
        elif outcome is _LOSE:
            if to_collect > 0:
                collected = min(stake, to_collect)
                self.collected += collected
                return Move(_LOSE, 0, collected, stake - collected, COVER if collected < stake else None)
        elif to_pay > 0 or to_collect > 0:
            return Move(_PUSH, 0, 0, stake, None)
        return Move(Outcome.RETURNED if claim.side else Outcome.NO_ACTION, 0, 0, stake, COVER)


def settle_claims(
    claims: Sequence[Claim],
    *,
    coverage: Coverage,
    banker_wager_minor: int | None,
    caps: Mapping[str, int] | None = None,
) -> Banked:
    """Pay and collect claims in their order, as far as the banker's wager reaches (§6.2 to §6.5, §10.4).

    `banker_wager_minor` None is the house, without limit. `caps` gives the most that may be paid under each cap
    that claims name; once one is reached, later claims under it are returned, win or lose.

    The banker wagers 100, loses 50 to the action hand and wins 50 from the next; then nothing more can be paid:

    >>> def claim(name, outcome, amount):
    ...     return Claim(Wager(name, 1, name, 1, None, "main", amount), outcome, amount)
    >>> hands = [claim("ann", Outcome.WIN, 50), claim("bob", Outcome.LOSE, 50), claim("cyd", Outcome.WIN, 30)]
    >>> [move.outcome.value for move in settle_claims(hands, coverage=Coverage.ACTION, banker_wager_minor=100).moves]
    ['win', 'lose', 'no_action']
    """
    house = _Purse(0, _unlimited_rooms)
    if banker_wager_minor is None:
        main = side = _Purse(0, _unlimited_rooms)
    elif coverage is Coverage.FULL:
        # Main wagers are covered whatever happens, so a side bet has only what they leave of the banker's wager.
        reserved = sum(claim.wager.amount_minor for claim in claims if not claim.side)
        main, side = _Purse(0, _unlimited_rooms), _Purse(banker_wager_minor - reserved, _action_rooms)
    else:
        main = side = _Purse(banker_wager_minor, _ROOMS[coverage])
    room = dict(caps or {})
    main_net = 0
    moves = []
    for claim in claims:
        purse = house if claim.by_house else side if claim.side else main
        move = _move_under_caps(claim, purse, room) if claim.caps else purse.move(claim, _UNLIMITED)
        if not claim.side:
            main_net += move.collected_minor - move.paid_minor
        moves.append(move)
    purses = {id(main): main, id(side): side}.values()
    paid, collected = sum(purse.paid for purse in purses), sum(purse.collected for purse in purses)
    return Banked(tuple(moves), _used(coverage, banker_wager_minor, paid, collected), collected - paid, main_net)


def _move_under_caps(claim: Claim, purse: _Purse, room: dict[str, int]) -> Move:
    tightest = claim.caps[0]
    for cap in claim.caps[1:]:
        if room[cap] < room[tightest]:
            tightest = cap
    most = room[tightest]
    if most <= 0:
        return Move(Outcome.RETURNED, 0, 0, claim.wager.amount_minor, tightest)
    move = purse.move(claim, most)
    if move.paid_minor:
        for cap in claim.caps:
            room[cap] -= move.paid_minor
        if move.cut is None and move.paid_minor < claim.pays_minor:
            move = move._replace(cut=tightest)
    return move


def _used(coverage: Coverage, wager: int | None, paid: int, collected: int) -> int:
    if wager is not None and coverage is Coverage.NET:
        return abs(collected - paid)
    if wager is not None and coverage is Coverage.ONE_SIDED:
        return max(paid, collected)
    return paid + collected


def check_full_cover(wagers: Iterable[Wager], banker_wager_minor: int) -> None:
    """Refuse main wagers that together exceed the banker's wager; raises WagersExceedBanker (§6.2 `full`)."""
    total = sum(wager.amount_minor for wager in wagers)
    if total > banker_wager_minor:
        raise WagersExceedBanker(
            f"the main wagers are {total} together, more than the banker's wager of {banker_wager_minor}; "
            "under full coverage it must reach for all of them",
            FieldFault("banker_wager", f"must be at least {total}"),
        )
