"""How the hands of a settlement are set: which seats are, and in which of the ways that a game has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from cardroom.money import HOUSE
from cardroom.refusals import FieldFault, Refusal, at, listed, refuse, refuse_at
from cardroom.shapes.handed import HandToSet, Wagered, WagerT
from cardroom.shapes.parts import GameJson
from cardroom.table import check_fields

_Set = TypeVar("_Set", bound=HandToSet)


class SeatSetTwice(Refusal):
    """A seat whose hand is set twice."""


class SeatWithoutWager(Refusal):
    """A set for a seat that neither has a wager nor banks."""


class SeatNotSet(Refusal):
    """A hand that plays is not set."""


class CardNotDealt(Refusal):
    """A hand set with a card that was not dealt to the seat, or with one twice."""


class SetNotOffered(Refusal):
    """A way to set a hand that the game does not have."""


class HandLocked(Refusal):
    """A set for a hand that is locked already."""


class DragonLate(Refusal):
    """A dragon hand taken once the other hands were shown."""


def bettors_hands(wagering: Wagered[WagerT]) -> list[int]:
    """The seats with a bettor's wager, whose hands a deal shows; the house sees its own no sooner than others."""
    return sorted({wager["seat"] for wager in wagering["wagers"] if wager["bettor"] != HOUSE})


def joined(locked: GameJson, settling: GameJson) -> Any:
    """The request of a settlement as if it had brought all: what was locked before, and what comes now.

    Raises HandLocked, DragonLate.
    """
    seats = {one["seat"] for one in locked["sets"]}
    again = sorted(one["seat"] for one in settling["sets"] if one["seat"] in seats)
    refuse(HandLocked, [FieldFault(at("sets", seat), "must be left out: this hand is locked") for seat in again])
    if "dragon" in settling:
        refuse_at(DragonLate, "dragon", "must come with the sets: the other hands are shown")
    sets = sorted([*locked["sets"], *settling["sets"]], key=lambda one: one["seat"])
    before = {name: value for name, value in locked.items() if name != "hands"}
    return {**before, **settling, "sets": sets}


def chosen_sets(
    asked: Sequence[_Set],
    *,
    needed: Collection[int],
    also: Collection[int] = (),
    offered: Mapping[str, Collection[str]],
    banker: int | None = None,
) -> dict[int, _Set]:
    """The sets that are asked for, by seat; `offered` are the ways to set a hand with the fields that each has.

    `banker` is the banker's seat where the players' hands are locked, and his comes later.

    Raises SeatSetTwice, SeatWithoutWager, SeatNotSet, SetNotOffered, FieldNotUsed.
    """
    twice = [seat for seat, times in Counter(s["seat"] for s in asked).items() if times > 1]
    refuse(SeatSetTwice, [FieldFault(at("sets", seat), "must come once") for seat in twice])
    chosen = {s["seat"]: s for s in sorted(asked, key=lambda s: s["seat"])}
    idle = "no hand plays at this seat: it has no wager and does not bank"
    strangers = chosen.keys() - set(needed) - set(also)
    late = "must be left out: the banker's hand is set with the settlement"
    refuse(
        SeatWithoutWager,
        [FieldFault(at("sets", seat), late if seat == banker else idle) for seat in sorted(strangers)],
    )
    unset = sorted(set(needed) - chosen.keys())
    refuse(SeatNotSet, [FieldFault(at("sets", seat), "must be given: this hand plays") for seat in unset])
    ways = f"must be one of {listed(offered)}"
    strange = [seat for seat, s in chosen.items() if s["how"] not in offered]
    refuse(SetNotOffered, [FieldFault(at("sets", seat, "how"), ways) for seat in strange])
    for seat, asked_set in chosen.items():
        fields = {"seat", "how", *offered[asked_set["how"]]}
        check_fields(asked_set, fields, what=f"a set of how {asked_set['how']}", path=f"{at('sets', seat)}.")
    return chosen
