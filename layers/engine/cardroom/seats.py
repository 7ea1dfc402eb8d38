"""Seats: places in a ring, the ways round it, who sits where, and who draws the highest card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from operator import itemgetter

from cardroom.cards import Card, format_cards
from cardroom.money import HOUSE
from cardroom.refusals import FieldFault, Refusal, at, refuse
from cardroom.shapes.handed import DrawnHighest, Seating


class SeatUnknown(Refusal):
    """A seat that the table does not have, or that nobody plays at."""


class SeatDuplicate(Refusal):
    """A seat that is named twice."""


class BettorReserved(Refusal):
    """A bettor under the house's name takes a seat or wagers."""


class FirstDrawNotOffered(Refusal):
    """A draw for first banker or first button where the rules have none."""


class Direction(StrEnum):
    """A way round the table; seats are numbered clockwise."""

    CLOCKWISE = "clockwise"
    COUNTER_CLOCKWISE = "counter_clockwise"


def walk(places: Sequence[int], start: int, direction: Direction) -> tuple[int, ...]:
    """All places in a direction, from `start` on; `places` are in clockwise order.

    >>> walk((1, 2, 3, 4), 3, Direction.CLOCKWISE), walk((1, 2, 3, 4), 3, Direction.COUNTER_CLOCKWISE)
    ((3, 4, 1, 2), (3, 2, 1, 4))
    """
    start_at = list(places).index(start)
    if direction is Direction.CLOCKWISE:
        return (*places[start_at:], *places[:start_at])
    return (*places[start_at::-1], *places[:start_at:-1])


def count_to(places: Sequence[int], start: int, number: int, direction: Direction) -> int:
    """The place that a number reaches, counting `start` as 1 and going round as often as needed.

    With seven places, the banker's is 1, 8 and 15:

    >>> [count_to((1, 2, 3, 4, 5, 6, 7), 4, dice, Direction.CLOCKWISE) for dice in (3, 8, 15, 18)]
    [6, 4, 4, 7]
    """
    ring = walk(places, start, direction)
    return ring[(number - 1) % len(ring)]


def walk_among(places: Sequence[int], start: int, direction: Direction, *, among: Iterable[int]) -> tuple[int, ...]:
    """Some of the places in a direction, from `start` on, which need not be among them.

    >>> walk_among((1, 2, 3, 4, 5), 4, Direction.CLOCKWISE, among={1, 3, 5})
    (5, 1, 3)
    """
    wanted = set(among)
    return tuple(seat for seat in walk(places, start, direction) if seat in wanted)


# Who sits where


def check_places(seats: Sequence[int], *, places: int, field: str) -> None:
    """Refuse seats that the table does not have, or that come twice."""
    known = f"must be 1 to {places}"
    refuse(SeatUnknown, [FieldFault(at(field, seat), known) for seat in seats if not 1 <= seat <= places])
    twice = [seat for seat, times in Counter(seats).items() if times > 1]
    refuse(SeatDuplicate, [FieldFault(at(field, seat), "must be named once") for seat in twice])


def check_seated(opening: Seating, *, places: int) -> None:
    """Refuse players at unknown seats, at one seat, or under the house's name."""
    seats = opening["seats"]
    check_places([item["seat"] for item in seats], places=places, field="seats")
    reserved = [item["seat"] for item in seats if item["bettor"] == HOUSE]
    message = "must not be the house's name"
    refuse(BettorReserved, [FieldFault(at("seats", seat, "bettor"), message) for seat in reserved])


def bettors_of(opening: Seating) -> dict[int, str]:
    """Who sits where, by seat in ascending order."""
    return {item["seat"]: item["bettor"] for item in sorted(opening["seats"], key=itemgetter("seat"))}


def seat_of(opening: Seating, bettor: str, at: int) -> int:
    """Where a bettor sits who is told to be at a seat: there if it is his, else at his own, else there as told.

    >>> seat_of({"seats": [{"seat": 2, "bettor": "ann"}, {"seat": 5, "bettor": "bob"}]}, "bob", at=3)
    5
    """
    own = [item["seat"] for item in opening["seats"] if item["bettor"] == bettor]
    return at if at in own or not own else min(own)


# The draw for first banker or first button


def check_draw(kind: str, *, offered: str, what: str) -> None:
    """Refuse a draw for anything but what the rules draw for; raises FirstDrawNotOffered."""
    if kind != offered:
        message = f"must be {offered}"
        raise FirstDrawNotOffered(f"{what} has no draw for {kind}: {message}", FieldFault("kind", message))


def draw_highest(seats: Sequence[int], cards: Sequence[Card], value: Callable[[Card], int]) -> DrawnHighest:
    """One card each face up from the lowest seat on, and who has the highest: `{cards: [{seat, cards}], seat}`.

    Tied seats get another card each; should the cards run out, the first of them clockwise has it.
    """
    left = list(cards)
    tied = sorted(seats)
    drawn: dict[int, list[Card]] = {seat: [] for seat in tied}
    while len(left) >= len(tied):
        for seat in tied:
            drawn[seat].append(left.pop(0))
        highest = max(value(drawn[seat][-1]) for seat in tied)
        tied = [seat for seat in tied if value(drawn[seat][-1]) == highest]
        if len(tied) == 1:
            break
    return {
        "cards": [{"seat": seat, "cards": format_cards(cards)} for seat, cards in drawn.items()],
        "seat": tied[0],
    }
