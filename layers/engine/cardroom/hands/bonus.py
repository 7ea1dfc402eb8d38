"""Bonus lines of seven cards: what a hand makes however it was set, joker as bug (pai-gow-poker §10.1, §10.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from itertools import combinations
from typing import Final, NamedTuple

from cardroom.cards import FLUSH_BIAS, FLUSH_MASK, JOKER_SHIFT, JOKER_UNIT, RANK_MASK, RANK_UNITS, SUIT_UNITS, Card
from cardroom.hands.ranking import (
    CATEGORY_NUMBER,
    CATEGORY_SHIFT,
    ROYAL_FLUSH,
    Category,
    Joker,
    Ranking,
    Wheel,
    ranking,
)
from cardroom.refusals import Refusal

_LINE_SHIFT: Final = CATEGORY_SHIFT + 4
_SUITED_KINGS_AND_QUEENS: Final = tuple(
    (Card(RANK_UNITS[11] + suit), Card(RANK_UNITS[10] + suit)) for suit in SUIT_UNITS
)


class BonusTableInvalid(Refusal):
    """A pay table with an unknown line, a line twice, or odds that are no positive whole number."""


class Line(StrEnum):
    """The lines a bonus pay table can name, high to low as in the Fortune bonus (pai-gow-poker §10.2)."""

    SEVEN_CARD_STRAIGHT_FLUSH = "seven_card_straight_flush"  # without joker
    ROYAL_MATCH = "royal_match"  # a royal flush with a suited king and queen besides
    SEVEN_CARD_STRAIGHT_FLUSH_JOKER = "seven_card_straight_flush_joker"
    FIVE_ACES = "five_aces"
    ROYAL_FLUSH = "royal_flush"
    STRAIGHT_FLUSH = "straight_flush"
    FOUR_OF_A_KIND = "four_of_a_kind"
    FULL_HOUSE = "full_house"
    FLUSH = "flush"
    THREE_OF_A_KIND = "three_of_a_kind"
    STRAIGHT = "straight"


class BonusRank(NamedTuple):
    """What seven cards are as a bonus hand: the line (None: none), what it pays to one (-1: it loses), and a value.

    Values of one table compare as the hands do: by line, then by the cards of the line; a hand without a line ranks
    below all that have one, by its best five cards.
    """

    line: Line | None
    pays: int
    value: int


class _Hand(NamedTuple):
    """Seven cards, the sum of them with the flush bias, and the values of their 21 fives."""

    cards: Sequence[Card]
    total: int
    fives: list[int]
    ranking: Ranking


_Recogniser = Callable[[_Hand], int | None]  # the value within a line, None for a hand without it
_Entry = tuple[Line, int, int, _Recogniser]  # with what it pays and where its values begin


@dataclass(frozen=True, slots=True, kw_only=True)
class BonusTable:
    """An ordered pay table: the order of its lines is their rank, the highest that a hand makes counts."""

    lines: tuple[tuple[Line, int], ...]
    wheel: Wheel
    _by_category: tuple[tuple[tuple[Line, int, int, _Recogniser], ...], ...] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        """Note, for each category of the best five cards, which lines the hand can make, high to low."""
        names = [line for line, _ in self.lines]
        if len(set(names)) < len(names):
            raise BonusTableInvalid(f"the line {next(n for n in names if names.count(n) > 1)} comes more than once")
        ranked = [
            (line, pays, (len(names) - place) << _LINE_SHIFT, _RECOGNISERS[line])
            for place, (line, pays) in enumerate(self.lines)
        ]
        by_category = tuple(
            tuple(entry for entry in ranked if _lowest_best(entry[0]) <= number)
            for number in range(len(CATEGORY_NUMBER))
        )
        object.__setattr__(self, "_by_category", by_category)

    @classmethod
    def of(cls, lines: Iterable[tuple[str, int]], wheel: Wheel) -> BonusTable:
        """A pay table from names of lines with their odds to one, high to low. Raises BonusTableInvalid."""
        read = []
        for name, pays in lines:
            if name not in _RECOGNISERS:
                raise BonusTableInvalid(f"{name!r} is not a line; the lines are {', '.join(Line)}")
            if type(pays) is not int or pays < 1:
                raise BonusTableInvalid(f"the line {name} pays {pays!r}; odds are a whole number of at least 1")
            read.append((Line(name), pays))
        return cls(lines=tuple(read), wheel=wheel)

    def rank(self, cards: Sequence[Card]) -> BonusRank:
        """The highest line that seven cards make, and how they compare.

        >>> from cardroom.cards import parse_cards
        >>> table = BonusTable.of([("three_of_a_kind", 3), ("straight", 2)], Wheel.SECOND)
        >>> table.rank(parse_cards("9s 9h 9d 8c 7d 6h 5s"))[:2]  # three nines and a straight: the higher line counts
        (<Line.THREE_OF_A_KIND: 'three_of_a_kind'>, 3)
        """
        rules = ranking(Joker.BUG, self.wheel)
        fives = rules.fives(cards)
        best = max(fives)
        lines = self._by_category[best >> CATEGORY_SHIFT]
        if lines:
            hand = _Hand(cards, sum(cards) + FLUSH_BIAS, fives, rules)
            for line, pays, base, recognise in lines:
                value = recognise(hand)
                if value is not None:
                    return BonusRank(line, pays, base + value)
        return BonusRank(None, -1, best)


def _seven_card_straight_flush(hand: _Hand) -> int | None:
    """The rank of the highest of seven suited cards in sequence without joker; A-2-…-7 is the lowest."""
    return None if hand.total & 7 << JOKER_SHIFT else _seven_in_sequence(hand)


def _seven_card_straight_flush_joker(hand: _Hand) -> int | None:
    """The same, with a joker among them."""
    return _seven_in_sequence(hand) if hand.total & 7 << JOKER_SHIFT else None


def _seven_in_sequence(hand: _Hand) -> int | None:
    # The biased counter of a suit is 8, 9 or 10 for five, six or seven cards: only seven set its second bit too.
    if (hand.total & FLUSH_MASK) >> 2 & hand.total:
        return _sevens().get(hand.total & RANK_MASK)
    return None


@cache
def _sevens() -> dict[int, int]:
    """The keys of seven ranks in sequence, with up to seven of them jokers, and the highest rank."""
    runs = [(rank + 2, RANK_UNITS[rank - 6 : rank + 1]) for rank in range(6, 13)]
    values: dict[int, int] = {}
    for high, run in [(7, (*RANK_UNITS[:6], RANK_UNITS[12])), *runs]:
        for jokers in range(8):
            values |= {sum(kept) + jokers * JOKER_UNIT: high for kept in combinations(run, 7 - jokers)}
    return values


def _royal_match(hand: _Hand) -> int | None:
    """A royal flush in five cards whose other two are a suited king and queen, no joker; all such hands are equal."""
    if ROYAL_FLUSH not in hand.fives:
        return None
    for king, queen in _SUITED_KINGS_AND_QUEENS:
        if king in hand.cards and queen in hand.cards:
            rest = [card for card in hand.cards if card not in (king, queen)]
            if hand.ranking.five(rest) == ROYAL_FLUSH:
                return 0
    return None


def _royal_flush(hand: _Hand) -> int | None:
    return ROYAL_FLUSH if ROYAL_FLUSH in hand.fives else None


def _of(category: Category) -> _Recogniser:
    """The recogniser of a line that is a category: the best five cards of just that category."""
    number = CATEGORY_NUMBER[category]

    def best_of_category(hand: _Hand) -> int | None:
        return max([value for value in hand.fives if value >> CATEGORY_SHIFT == number], default=None)

    return best_of_category


_WITHIN_STRAIGHT_FLUSHES: Final[dict[Line, _Recogniser]] = {
    Line.SEVEN_CARD_STRAIGHT_FLUSH: _seven_card_straight_flush,
    Line.ROYAL_MATCH: _royal_match,
    Line.SEVEN_CARD_STRAIGHT_FLUSH_JOKER: _seven_card_straight_flush_joker,
    Line.ROYAL_FLUSH: _royal_flush,
}
_RECOGNISERS: Final[dict[Line, _Recogniser]] = {
    line: _WITHIN_STRAIGHT_FLUSHES.get(line) or _of(Category(line)) for line in Line
}


def _lowest_best(line: Line) -> int:
    """The lowest category that the best five cards of a hand with this line can have."""
    return CATEGORY_NUMBER[Category.STRAIGHT_FLUSH if line in _WITHIN_STRAIGHT_FLUSHES else Category(line)]
