"""Opening and antes of a game that is played for a pot: who plays, who has the button, what is put in before cards.

The counterpart of `cardroom.player_banked` for games without a banker. A request with faults of several kinds is
refused for the first kind in the order of the checks here, naming every fault of that kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from cardroom.money import HOUSE
from cardroom.player_banked import (
    BettorNotSeated,
    BettorReserved,
    CircleTaken,
    SeatDuplicate,
    SeatUnknown,
    WagerDuplicate,
    WagerKindNotOffered,
    refuse,
)
from cardroom.refusals import FieldFault, Refusal
from cardroom.table import check_fields

Json = dict[str, Any]

ANTE: Final = "ante"
_WAGER_FIELDS: Final = {"wager_id", "seat", "bettor", "circle", "kind", "amount"}


class PlayersTooFew(Refusal):
    """Fewer players than a hand needs."""


class BettorSeatedTwice(Refusal):
    """A bettor at two seats, where each player has one hand."""


class ButtonInvalid(Refusal):
    """A button that is missing, or not where the rules put it."""


class AnteInvalid(Refusal):
    """An ante that is missing, or that these rules do not take."""


def check_seats(opening: Json, *, places: int, least: int) -> None:
    """Refuse players that cannot play: at unknown seats, twice, too few."""
    seats = opening["seats"]
    check_places([item["seat"] for item in seats], places=places, field="seats")
    reserved = [item["seat"] for item in seats if item["bettor"] == HOUSE]
    refuse(BettorReserved, [FieldFault(f"seats[{seat}].bettor", "must not be the house's name") for seat in reserved])
    hands = Counter(item["bettor"] for item in seats)
    twice = [item for item in seats if hands[item["bettor"]] > 1]
    message = "must be another at each seat: one hand to a player"
    refuse(BettorSeatedTwice, [FieldFault(f"seats[{item['seat']}].bettor", message) for item in twice])
    check_players(seats, least=least, field="seats")


def check_places(seats: Sequence[int], *, places: int, field: str) -> None:
    """Refuse seats that the table does not have, or that come twice."""
    known = f"must be 1 to {places}"
    refuse(SeatUnknown, [FieldFault(f"{field}[{seat}]", known) for seat in seats if not 1 <= seat <= places])
    twice = [seat for seat, times in Counter(seats).items() if times > 1]
    refuse(SeatDuplicate, [FieldFault(f"{field}[{seat}]", "must be named once") for seat in twice])


def check_players(players: Collection[object], *, least: int, field: str) -> None:
    """Refuse a hand with too few players."""
    if len(players) < least:
        refuse(PlayersTooFew, [FieldFault(field, f"must be {least} or more players, not {len(players)}")])


def bettors_of(opening: Json) -> dict[int, str]:
    """Who sits where, by seat in ascending order."""
    return {item["seat"]: item["bettor"] for item in sorted(opening["seats"], key=lambda item: item["seat"])}


def stakes_of(
    wagering: Json, *, bettors: Mapping[int, str], kinds: Collection[str], what: str
) -> dict[str, dict[int, Json]]:
    """What players put in before the cards: by kind, then by seat; each may put in each kind once."""
    wagers = sorted(wagering["wagers"], key=lambda wager: wager["wager_id"])
    for wager in wagers:
        check_fields(wager, _WAGER_FIELDS, what=what, path=f"wagers[{wager['wager_id']}].")
    twice = [wager_id for wager_id, times in Counter(w["wager_id"] for w in wagers).items() if times > 1]
    refuse(WagerDuplicate, [FieldFault(f"wagers[{wager_id}]", "must come once") for wager_id in twice])
    kinds_now = ", ".join(kinds) or "none"
    strange = [FieldFault(_at(w, "kind"), f"must be one of: {kinds_now}") for w in wagers if w["kind"] not in kinds]
    refuse(WagerKindNotOffered, strange)
    seats = f"nobody plays at this seat: must be one of {', '.join(map(str, bettors))}"
    refuse(SeatUnknown, [FieldFault(_at(w, "seat"), seats) for w in wagers if w["seat"] not in bettors])
    refuse(
        BettorNotSeated,
        [
            FieldFault(_at(w, "bettor"), f"must be {bettors[w['seat']]}, who sits there, on circle 1")
            for w in wagers
            if w["bettor"] != bettors[w["seat"]] or w["circle"] != 1
        ],
    )
    stakes: dict[str, dict[int, Json]] = {kind: {} for kind in kinds}
    again = [w for w in wagers if stakes[w["kind"]].setdefault(w["seat"], w) is not w]
    refuse(CircleTaken, [FieldFault(_at(w, "seat"), f"must have one {w['kind']}, not two") for w in again])
    return stakes


def check_antes(antes: Mapping[int, Json], *, ante: int, seats: Collection[int], short: Collection[int] = ()) -> None:
    """Refuse antes that are missing or of another amount; seats in `short` may ante all that they have left."""
    missing = [FieldFault("wagers", f"must have the ante of seat {seat}") for seat in seats if seat not in antes]
    refuse(AnteInvalid, missing)
    refuse(
        AnteInvalid,
        [
            FieldFault(_at(wager, "amount"), f"must be the ante of {ante}, or all that the player has if that is less")
            for seat, wager in antes.items()
            if wager["amount"] != ante and not (seat in short and wager["amount"] < ante)
        ],
    )


def _at(wager: Json, field: str) -> str:
    return f"wagers[{wager['wager_id']}].{field}"
