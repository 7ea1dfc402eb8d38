"""Opening and antes of a game that is played for a pot: who plays, what each puts in before the cards.

A request with faults of several kinds is refused for the first kind in the order of the checks here, naming every fault
of that kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from cardroom.refusals import FieldFault, Refusal, at, listed, refuse, refuse_at
from cardroom.seats import SeatUnknown, bettors_of, check_seated
from cardroom.shapes import parts
from cardroom.shapes.handed import Seating
from cardroom.shapes.potted import PottedWagering
from cardroom.table import (
    BettorNotSeated,
    CircleTaken,
    Wager,
    WagerKindNotOffered,
    by_id,
    check_fields,
    check_wager_ids,
    members_of,
)

ANTE: Final = "ante"
_WAGER_FIELDS: Final = members_of(parts.Wager)


class PlayersTooFew(Refusal):
    """Fewer players than a hand needs."""


class BettorSeatedTwice(Refusal):
    """A bettor at two seats, where each player has one hand."""


class ButtonInvalid(Refusal):
    """A button that is missing, or not where the rules put it."""


class AnteInvalid(Refusal):
    """An ante that is missing, or that these rules do not take."""


def check_players(opening: Seating, *, places: int, least: int) -> None:
    """Refuse players that cannot play: at unknown seats, twice, too few."""
    check_seated(opening, places=places)
    seats = opening["seats"]
    hands = Counter(item["bettor"] for item in seats)
    message = "must be another at each seat: one hand to a player"
    twice = [item["seat"] for item in seats if hands[item["bettor"]] > 1]
    refuse(BettorSeatedTwice, [FieldFault(at("seats", seat, "bettor"), message) for seat in twice])
    check_enough(seats, least=least, field="seats")


def check_enough(players: Collection[object], *, least: int, field: str) -> None:
    """Refuse a hand with too few players."""
    if len(players) < least:
        refuse_at(PlayersTooFew, field, f"must be {least} or more players, not {len(players)}")


class Stakes(NamedTuple):
    """Who sits where, by seat in ascending order, and what each put in before the cards, in order of the wagers' ids.

    Read once from the requests of a round's opening and its deal; once they are checked, a seat has one stake at most.
    """

    bettors: Mapping[int, str]
    wagers: tuple[Wager, ...]

    @classmethod
    def read(cls, opening: Seating, wagering: PottedWagering) -> Stakes:
        """The stakes of a round."""
        wagers = [
            Wager(w["wager_id"], w["seat"], w["bettor"], w["circle"], None, w["kind"], w["amount"])
            for w in by_id(wagering)
        ]
        return cls(bettors=bettors_of(opening), wagers=tuple(wagers))

    @property
    def by_seat(self) -> dict[int, Wager]:
        """The stake of each seat that has one, in order of their ids."""
        return {wager.seat: wager for wager in self.wagers}


def check_stakes(stakes: Stakes, wagering: PottedWagering, *, kinds: Collection[str], what: str) -> None:
    """Refuse stakes that nobody can put in: each player may put in each kind once, at his seat."""
    wagers, bettors = stakes.wagers, stakes.bettors
    with_more = [asked for asked in wagering.get("wagers", []) if not asked.keys() <= _WAGER_FIELDS]
    for asked in sorted(with_more, key=lambda asked: asked["wager_id"]):
        check_fields(asked, _WAGER_FIELDS, what=what, path=f"{at('wagers', asked['wager_id'])}.")
    check_wager_ids(wagers)
    offered = f"must be one of: {listed(kinds) or 'none'}"
    refuse(WagerKindNotOffered, [FieldFault(w.at("kind"), offered) for w in wagers if w.kind not in kinds])
    seats = f"nobody plays at this seat: must be one of {listed(bettors)}"
    refuse(SeatUnknown, [FieldFault(w.at("seat"), seats) for w in wagers if w.seat not in bettors])
    refuse(
        BettorNotSeated,
        [
            FieldFault(w.at("bettor"), f"must be {bettors[w.seat]}, who sits there, on circle 1")
            for w in wagers
            if w.bettor != bettors[w.seat] or w.circle != 1
        ],
    )
    first: dict[tuple[str, int], Wager] = {}
    again = [w for w in wagers if first.setdefault((w.kind, w.seat), w) is not w]
    refuse(CircleTaken, [FieldFault(w.at("seat"), f"must have one {w.kind}, not two") for w in again])


def check_antes(antes: Mapping[int, Wager], *, ante: int, seats: Collection[int], short: Collection[int] = ()) -> None:
    """Refuse antes that are missing or of another amount; seats in `short` may ante all that they have left."""
    missing = [FieldFault("wagers", f"must have the ante of seat {seat}") for seat in seats if seat not in antes]
    refuse(AnteInvalid, missing)
    message = f"must be the ante of {ante}, or all that the player has if that is less"
    refuse(
        AnteInvalid,
        [
            FieldFault(wager.at("amount"), message)
            for seat, wager in antes.items()
            if wager.amount_minor != ante and not (seat in short and wager.amount_minor < ante)
        ],
    )
