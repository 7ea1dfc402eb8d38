"""Bonus lines of seven cards, and of the first three dealt: what they make however a hand was set (pai-gow-poker §10).

The joker is a bug in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Final, NamedTuple

from cardroom.cards import (
    ALL_SUITS,
    FLUSH_BIAS,
    FLUSH_MASK,
    JOKER_SHIFT,
    JOKER_UNIT,
    RANK_MASK,
    RANK_UNITS,
    SUIT_UNITS,
    Card,
)
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
    """A pay table with an unknown line, a line twice, or odds that are no whole number."""


class Line(StrEnum):
    """The lines that a pay table of seven cards can name: those of the Fortune bonus, high to low, and low hands.

    Low hands have no pair, straight or flush, and their highest card is the one named (pai-gow-poker §10.2, §10.6).
    """

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
    NINE_HIGH = "nine_high"
    TEN_HIGH = "ten_high"
    JACK_HIGH = "jack_high"


class ThreeLine(StrEnum):
    """The lines that a pay table of the first three cards can name (pai-gow-poker §10.7)."""

    STRAIGHT_FLUSH = "straight_flush"  # without joker
    STRAIGHT_FLUSH_JOKER = "straight_flush_joker"
    THREE_OF_A_KIND = "three_of_a_kind"
    STRAIGHT = "straight"
    FLUSH = "flush"
    PAIR = "pair"


class BonusRank(NamedTuple):
    """What cards are as a bonus hand: the line (None: none), what it pays to one, and a value.

    A line that pays 0 is a push, no line loses (-1). Values of one table compare as the hands do: by line, then by the
    cards of the line; a hand without a line ranks below all that have one, by its best five cards.
    """

    line: Line | ThreeLine | None
    pays: int
    value: int


class _Hand(NamedTuple):
    """Seven cards, the sum of them with the flush bias, the values of their 21 fives, and the highest of these."""

    cards: Sequence[Card]
    total: int
    fives: list[int]
    best: int
    ranking: Ranking


_Recogniser = Callable[[_Hand], int | None]  # the value within a line, None for a hand without it
_Entry = tuple[Line, int, int, _Recogniser]  # with what it pays and where its values begin


def check_lines(lines: Iterable[tuple[str, int]], known: Iterable[str]) -> list[tuple[str, int]]:
    """The lines of a pay table, refused unless each is known, comes once and has odds; raises BonusTableInvalid."""
    read: list[tuple[str, int]] = []
    known = list(known)
    for name, pays in lines:
        if name not in known:
            raise BonusTableInvalid(f"{name!r} is not a line; the lines are {', '.join(known)}")
        if type(pays) is not int or pays < 0:
            raise BonusTableInvalid(f"the line {name} pays {pays!r}; odds are a whole number, 0 for a push")
        if name in dict(read):
            raise BonusTableInvalid(f"the line {name} comes more than once")
        read.append((name, pays))
    return read


@dataclass(frozen=True, slots=True, kw_only=True)
class BonusTable:
    """An ordered pay table: the order of its lines is their rank, the highest that a hand makes counts."""

    lines: tuple[tuple[Line, int], ...]
    wheel: Wheel
    _by_category: tuple[tuple[_Entry, ...], ...] = field(init=False, repr=False, compare=False)
    _ranking: Ranking = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Note, for each category of the best five cards, which lines the hand can make, high to low."""
        ranked = [
            (line, pays, (len(self.lines) - place) << _LINE_SHIFT, _RECOGNISERS[line])
            for place, (line, pays) in enumerate(self.lines)
        ]
        by_category = tuple(
            tuple(entry for entry in ranked if number in _possible_with(entry[0]))
            for number in range(len(CATEGORY_NUMBER))
        )
        object.__setattr__(self, "_by_category", by_category)
        object.__setattr__(self, "_ranking", ranking(Joker.BUG, self.wheel))

    @classmethod
    def of(cls, lines: Iterable[tuple[str, int]], wheel: Wheel) -> BonusTable:
        """A pay table from names of lines with their odds to one, high to low. Raises BonusTableInvalid."""
        return cls(lines=tuple((Line(name), pays) for name, pays in check_lines(lines, Line)), wheel=wheel)

    def rank(self, cards: Sequence[Card]) -> BonusRank:
        """The highest line that seven cards make, and how they compare.

        >>> from cardroom.cards import parse_cards
        >>> table = BonusTable.of([("three_of_a_kind", 3), ("straight", 2)], Wheel.SECOND)
        >>> table.rank(parse_cards("9s 9h 9d 8c 7d 6h 5s"))[:2]  # three nines and a straight: the higher line counts
        (<Line.THREE_OF_A_KIND: 'three_of_a_kind'>, 3)
        """
        fives = self._ranking.fives(cards)
        best = max(fives)
        lines = self._by_category[best >> CATEGORY_SHIFT]
        if lines:
            hand = _Hand(cards, sum(cards) + FLUSH_BIAS, fives, best, self._ranking)
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
        if hand.best >> CATEGORY_SHIFT == number:
            return hand.best
        return max([value for value in hand.fives if value >> CATEGORY_SHIFT == number], default=None)

    return best_of_category


def _low(high: int) -> _Recogniser:
    """The recogniser of a hand without pair, straight or flush whose highest card is of this rank."""

    def low_hand(hand: _Hand) -> int | None:
        return hand.best if hand.best >> CATEGORY_SHIFT - 4 == high else None

    return low_hand


_WITHIN_STRAIGHT_FLUSHES: Final[dict[Line, _Recogniser]] = {
    Line.SEVEN_CARD_STRAIGHT_FLUSH: _seven_card_straight_flush,
    Line.ROYAL_MATCH: _royal_match,
    Line.SEVEN_CARD_STRAIGHT_FLUSH_JOKER: _seven_card_straight_flush_joker,
    Line.ROYAL_FLUSH: _royal_flush,
}
_LOW_HANDS: Final = {Line.NINE_HIGH: _low(9), Line.TEN_HIGH: _low(10), Line.JACK_HIGH: _low(11)}
_RECOGNISERS: Final[dict[Line, _Recogniser]] = {
    line: _WITHIN_STRAIGHT_FLUSHES.get(line) or _LOW_HANDS.get(line) or _of(Category(line)) for line in Line
}


def _possible_with(line: Line) -> range:
    """The categories, by number, that the best five cards of a hand with this line can have."""
    if line in _LOW_HANDS:
        return range(1)
    lowest = CATEGORY_NUMBER[Category.STRAIGHT_FLUSH if line in _WITHIN_STRAIGHT_FLUSHES else Category(line)]
    return range(lowest, len(CATEGORY_NUMBER))


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreeCardTable:
    """An ordered pay table of the first three cards dealt (pai-gow-poker §10.7); hands of a line are equal."""

    lines: tuple[tuple[ThreeLine, int], ...]

    @classmethod
    def of(cls, lines: Iterable[tuple[str, int]]) -> ThreeCardTable:
        """A pay table from names of lines with their odds to one, high to low. Raises BonusTableInvalid."""
        return cls(lines=tuple((ThreeLine(name), pays) for name, pays in check_lines(lines, ThreeLine)))

    def rank(self, cards: Sequence[Card]) -> BonusRank:
        """The highest line that three cards make.

        >>> from cardroom.cards import parse_cards
        >>> table = ThreeCardTable.of([("straight", 4), ("flush", 3), ("pair", 1)])
        >>> table.rank(parse_cards("As Jk Kd"))[:2]  # the joker is a queen
        (<ThreeLine.STRAIGHT: 'straight'>, 4)
        """
        made = _lines_of_three(cards)
        for place, (line, pays) in enumerate(self.lines):
            if line in made:
                return BonusRank(line, pays, len(self.lines) - place)
        return BonusRank(None, -1, 0)


def _lines_of_three(cards: Sequence[Card]) -> set[ThreeLine]:
    total = sum(cards)
    key = total & RANK_MASK
    made = set(_ranks_of_three().get(key, ()))
    if (total + 5 * ALL_SUITS) & FLUSH_MASK:  # three of a suit are eight with this bias
        made.add(ThreeLine.FLUSH)
        if ThreeLine.STRAIGHT in made:
            made.add(ThreeLine.STRAIGHT_FLUSH_JOKER if key >> JOKER_SHIFT else ThreeLine.STRAIGHT_FLUSH)
    return made


@cache
def _ranks_of_three() -> dict[int, set[ThreeLine]]:
    """What the ranks of three cards make, by their key, with any number of jokers; a joker is an ace or fills a gap."""
    made: dict[int, set[ThreeLine]] = {}
    runs = [RANK_UNITS[low : low + 3] for low in range(11)] + [(*RANK_UNITS[:2], RANK_UNITS[12])]
    for run in runs:
        for jokers in range(4):
            for kept in combinations(run, 3 - jokers):
                made.setdefault(sum(kept) + jokers * JOKER_UNIT, set()).add(ThreeLine.STRAIGHT)
    units = [*RANK_UNITS, JOKER_UNIT]
    for three in combinations_with_replacement(units, 3):
        ranks = [RANK_UNITS[12] if unit == JOKER_UNIT else unit for unit in three]
        equal = max(ranks.count(rank) for rank in ranks)
        if equal > 1:
            made.setdefault(sum(three), set()).add(ThreeLine.THREE_OF_A_KIND if equal == 3 else ThreeLine.PAIR)
    return made
