"""A table: places in a ring, the ways round it, wagers on hands, and what becomes of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

from cardroom.refusals import FieldFault, Refusal

VOID_REASONS: Final = ("wrong_number_of_cards", "exposed_card", "seat_out_of_turn", "equipment", "other")
"""Why a round may be voided, where a game has no list of its own (pai-gow-poker §11)."""


class FirstDrawNotOffered(Refusal):
    """A draw for first banker or first button where the rules have none."""


class FieldNotUsed(Refusal):
    """A request with a field that means nothing to the game it is for."""


class Direction(StrEnum):
    """A way round the table; seats are numbered clockwise."""

    CLOCKWISE = "clockwise"
    COUNTER_CLOCKWISE = "counter_clockwise"


class Verdict(StrEnum):
    """How one of a player's hands compares with the banker's."""

    HIGHER = "higher"
    COPY = "copy"
    LOWER = "lower"


_HIGHER, _COPY, _LOWER = Verdict  # in CPython 3.11 reading a member from its class calls a function


class Outcome(StrEnum):
    """What became of a wager."""

    WIN = "win"
    LOSE = "lose"
    PUSH = "push"
    NO_ACTION = "no_action"  # a main wager that was reached with no cover left
    RETURNED = "returned"  # a side bet that was reached with no cover left, or after its cap


class Wager(NamedTuple):
    """A bet on one hand by one bettor.

    `circle` 1 is the seated player's, 2 and up are back-line; `placed` is its place in time on the hand (None where it
    was not told); `kind` is `main` or the name of a side bet; the amount is in minor units.
    """

    wager_id: str
    seat: int
    bettor: str
    circle: int
    placed: int | None
    kind: str
    amount_minor: int


def compare(value: int, banker_value: int) -> Verdict:
    """The verdict on a hand's value against the banker's.

    >>> compare(7, 7)
    <Verdict.COPY: 'copy'>
    """
    if value > banker_value:
        return _HIGHER
    return _COPY if value == banker_value else _LOWER


def walk(places: Sequence[int], start: int, direction: Direction) -> tuple[int, ...]:
    """All places in a direction, from `start` on; `places` are in clockwise order.

    >>> walk((1, 2, 3, 4), 3, Direction.CLOCKWISE), walk((1, 2, 3, 4), 3, Direction.COUNTER_CLOCKWISE)
    ((3, 4, 1, 2), (3, 2, 1, 4))
    """
    at = list(places).index(start)
    if direction is Direction.CLOCKWISE:
        return (*places[at:], *places[:at])
    return (*places[at::-1], *places[:at:-1])


def count_to(places: Sequence[int], start: int, number: int, direction: Direction) -> int:
    """The place that a number reaches, counting `start` as 1 and going round as often as needed.

    With seven places, the banker's is 1, 8 and 15:

    >>> [count_to((1, 2, 3, 4, 5, 6, 7), 4, dice, Direction.CLOCKWISE) for dice in (3, 8, 15, 18)]
    [6, 4, 4, 7]
    """
    ring = walk(places, start, direction)
    return ring[(number - 1) % len(ring)]


def check_fields(request: Mapping[str, Any], used: Collection[str], *, what: str, path: str = "") -> None:
    """Refuse the fields of a request that `what` (a rule set, a kind of set) has no use for; raises FieldNotUsed.

    >>> check_fields({"seats": [], "ante": 100}, {"seats"}, what="hi-hi-lo/redding-1995")
    Traceback (most recent call last):
    cardroom.table.FieldNotUsed: ante: must be left out: hi-hi-lo/redding-1995 has no use for it
    """
    message = f"must be left out: {what} has no use for it"
    faults = [FieldFault(f"{path}{name}", message) for name in sorted(request) if name not in used]
    if faults:
        raise FieldNotUsed(f"{faults[0].field}: {message}", *faults)
