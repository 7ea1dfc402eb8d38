"""Pots: what players put in for one another to win, side pots, uncalled bets, and sharing among tied hands.

Used by every game without a banker. A game says which hands are best; this module says what there is to win and by
whom. Sections are those of the push nine sheet and of the poker showdown sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, cast

from cardroom.money import MAX_MINOR
from cardroom.refusals import Refusal, refuse_at
from cardroom.seats import Direction, walk_among
from cardroom.shapes.parts import DealtOn

_PREVIEW: Final = "preview"


class PotTooLarge(Refusal):
    """The money in the pots is more than an amount can say."""


class Pot(NamedTuple):
    """Money that some seats can win, in minor units; `eligible` seats are in ascending order."""

    amount_minor: int
    eligible: tuple[int, ...]


class Pots(NamedTuple):
    """The main pot, then the side pots, and what goes back to the seats that put it in, in minor units."""

    pots: tuple[Pot, ...]
    returned: Mapping[int, int]


def make_pots(
    put_in: Mapping[int, int], *, out: Sequence[int] = (), taken_back: Mapping[int, int] | None = None
) -> Pots:
    """The pots that contributions make, in minor units by seat (push-nine §6).

    Seats `out` have left, in this order: their money stays. A pot that all have left is of the last one left in it,
    who has won it. Only what a seat put in beyond all others is uncalled and goes back. `taken_back` is the part of a
    seat's money, counted from its first unit, that was returned to it beforehand: a dead hand's ante
    (poker-showdown §8).

    Ann (1) is all-in for 20, Bob (2) for 50, Cyd (3) has bet 80, of which nobody called the last 30:

    >>> main, side = make_pots({1: 20, 2: 50, 3: 80}).pots
    >>> main, side
    (Pot(amount_minor=60, eligible=(1, 2, 3)), Pot(amount_minor=60, eligible=(2, 3)))
    >>> make_pots({1: 20, 2: 50, 3: 80}).returned
    {3: 30}

    When Bob has folded, the side pot is Cyd's, who then folds for the main pot:

    >>> make_pots({1: 20, 2: 50, 3: 80}, out=(2, 3)).pots
    (Pot(amount_minor=60, eligible=(1,)), Pot(amount_minor=60, eligible=(3,)))
    """
    back = taken_back or {}
    called = sorted(put_in.values())[-2] if len(put_in) > 1 else 0
    pots: dict[tuple[int, ...], int] = {}
    below = 0
    for level in sorted({min(whole, called) for whole in put_in.values()} - {0}):
        amount = sum(max(0, min(whole, level) - max(below, back.get(seat, 0))) for seat, whole in put_in.items())
        eligible = still_in(sorted(seat for seat, whole in put_in.items() if whole >= level), out)
        pots[eligible] = pots.get(eligible, 0) + amount
        below = level
    returned = {seat: whole - max(called, back.get(seat, 0)) for seat, whole in sorted(put_in.items())}
    return Pots(
        tuple(Pot(amount, eligible) for eligible, amount in pots.items() if amount),
        {seat: amount for seat, amount in returned.items() if amount > 0},
    )


def still_in(seats: Sequence[int], out: Sequence[int]) -> tuple[int, ...]:
    """Those of a pot's seats that are still in, or the last one that was; `out` are in the order of their leaving."""
    left = tuple(seat for seat in seats if seat not in out)
    return left or (max(seats, key=out.index),)


def share(amount_minor: int, winners: Sequence[int], *, unit_minor: int = 1) -> dict[int, int]:
    """An amount among tied winners, the odd units one at a time to them in their order (poker-showdown §5).

    `unit_minor` is the smallest chip; what is less than one of an amount goes to the first.

    >>> share(100, (4, 6, 1))
    {4: 34, 6: 33, 1: 33}
    >>> share(1_050, (4, 6, 1), unit_minor=100)
    {4: 450, 6: 300, 1: 300}
    """
    units, change = divmod(amount_minor, unit_minor)
    each, odd = divmod(units, len(winners))
    shares = {seat: (each + (place < odd)) * unit_minor for place, seat in enumerate(winners)}
    shares[winners[0]] += change
    return shares


def halves(amount_minor: int, *, unit_minor: int = 1) -> tuple[int, int]:
    """The high half and the low half of an amount, the odd unit in the high one (poker-showdown §5).

    >>> halves(101)
    (51, 50)
    """
    low = amount_minor // unit_minor // 2 * unit_minor
    return amount_minor - low, low


def best_of(seats: Iterable[int], value: Callable[[int], int]) -> tuple[int, ...]:
    """The seats with the greatest value, in the order given; several are tied.

    >>> best_of((1, 2, 3), {1: 9, 2: 4, 3: 9}.__getitem__)
    (1, 3)
    """
    values = {seat: value(seat) for seat in seats}
    best = max(values.values())
    return tuple(seat for seat, worth in values.items() if worth == best)


def from_button(seats: Collection[int], button: int, *, places: int) -> tuple[int, ...]:
    """Seats clockwise from the button on; the button itself need not be among them.

    >>> from_button({1, 3, 5}, 4, places=9)
    (5, 1, 3)
    """
    return walk_among(range(1, places + 1), button, Direction.CLOCKWISE, among=seats)


def left_of_button(seats: Collection[int], button: int, *, places: int) -> tuple[int, ...]:
    """Seats clockwise beginning left of the button, which comes last.

    >>> left_of_button({1, 3, 5}, 3, places=9)
    (5, 1, 3)
    """
    return from_button(seats, button % places + 1, places=places)


def pot_account(dealt_body: Mapping[str, object]) -> str:
    """The account of the pots that are made in a round; a preview is no round."""
    opened = cast("DealtOn[object] | None", dealt_body.get("opened"))  # every dealt record has it, no preview
    return f"pot:{_PREVIEW if opened is None else opened['terms']['round_id']}"


def check_total(amounts: Iterable[int], field: str) -> None:
    """Refuse pots that no amount can say; raises PotTooLarge."""
    total = sum(amounts)
    if total > MAX_MINOR:
        refuse_at(PotTooLarge, field, f"come to {total} together: must be at most {MAX_MINOR}")
