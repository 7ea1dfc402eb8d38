"""Five-card and two-card rankings, with the joker as bug or wild and the wheel second or lowest.

The value of a hand is a number whose hexadecimal digits can be read: the category, then the ranks in the order in
which they decide (14 for an ace). A pair of kings with A-9-5 is `0x1DDE95`, king-queen in front is `0x0DC000`. So
two values of the same number of cards compare as the hands do, and a front outranks a back just if its value is
greater (pai-gow-poker §3.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Final

from cardroom.cards import ACE_UNIT, FLUSH_BIAS, FLUSH_MASK, JOKER_UNIT, RANK_MASK, RANK_UNITS, Card

CATEGORY_SHIFT: Final = 20


class Joker(StrEnum):
    """What a joker stands for (pai-gow-poker §2.4)."""

    BUG = "bug"  # an ace, or the card that completes a straight, flush or straight flush
    WILD = "wild"  # any card


class Wheel(StrEnum):
    """Where A-2-3-4-5 ranks among the straights (pai-gow-poker §2.3)."""

    SECOND = "second"  # between A-K-Q-J-T and K-Q-J-T-9
    LOWEST = "lowest"


class Category(StrEnum):
    """The kinds of hands, low to high (pai-gow-poker §2.1); a royal flush is a straight flush."""

    HIGH_CARD = "high_card"
    ONE_PAIR = "one_pair"
    TWO_PAIR = "two_pair"
    THREE_OF_A_KIND = "three_of_a_kind"
    STRAIGHT = "straight"
    FLUSH = "flush"
    FULL_HOUSE = "full_house"
    FOUR_OF_A_KIND = "four_of_a_kind"
    STRAIGHT_FLUSH = "straight_flush"
    FIVE_OF_A_KIND = "five_of_a_kind"
    FIVE_ACES = "five_aces"


CATEGORIES: Final = tuple(Category)
CATEGORY_NUMBER: Final = {category: number for number, category in enumerate(CATEGORIES)}


def _base(category: Category) -> int:
    return CATEGORY_NUMBER[category] << CATEGORY_SHIFT


ROYAL_FLUSH: Final = _base(Category.STRAIGHT_FLUSH) + 0xEDCBA


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """How hands rank under one joker rule and one wheel rule; get it from `ranking`.

    `plain`, `flush` and `pair` are for loops that cannot afford a call: the first two map the `RANK_MASK` part of the
    sum of five cards to its value, `flush` where the sum and `FLUSH_BIAS` have a bit of `FLUSH_MASK`; `pair` does the
    same for two cards.
    """

    joker: Joker
    wheel: Wheel
    plain: Mapping[int, int] = field(repr=False)
    flush: Mapping[int, int] = field(repr=False)
    pair: Mapping[int, int] = field(repr=False)

    def five(self, cards: Sequence[Card]) -> int:
        """The value of five cards; bigger is better, equal is a tie.

        >>> from cardroom.cards import parse_cards
        >>> hex(ranking(Joker.BUG, Wheel.SECOND).five(parse_cards("Jk Kd Ks 9c 5h")))  # the joker is an ace
        '0x1dde95'
        """
        a, b, c, d, e = cards
        total = a + b + c + d + e + FLUSH_BIAS
        return self.flush[total & RANK_MASK] if total & FLUSH_MASK else self.plain[total & RANK_MASK]

    def two(self, cards: Sequence[Card]) -> int:
        """The value of two cards: a pair beats no pair, then the high card, then the other (pai-gow-poker §2.2)."""
        a, b = cards
        return self.pair[a + b & RANK_MASK]

    def best(self, cards: Sequence[Card]) -> int:
        """The value of the best five of five, six or seven cards."""
        return max(self.fives(cards))

    def best_five(self, cards: Sequence[Card]) -> tuple[Card, ...]:
        """The best five of five to seven cards, in the order given; of equals those that come first."""
        return max(combinations(cards, 5), key=self.five)

    def fives(self, cards: Sequence[Card]) -> list[int]:
        """The values of all choices of five among five, six or seven cards."""
        total = sum(cards) + FLUSH_BIAS
        plain = self.plain
        if total & FLUSH_MASK:
            flush = self.flush
            return [
                flush[rest & RANK_MASK] if (rest := total - a - b) & FLUSH_MASK else plain[rest & RANK_MASK]
                for a, b in _left_out(cards)
            ]
        # No five of a suit among all of them, so none among any five: only the ranks matter.
        key = total & RANK_MASK
        ranks = [card & RANK_MASK for card in cards]
        return _plain_fives(plain, key, ranks) if len(ranks) == 7 else [plain[key - a - b] for a, b in _left_out(ranks)]

    def category(self, value: int) -> Category:
        """The category of a value, of five cards or of two."""
        return CATEGORIES[value >> CATEGORY_SHIFT]


def _plain_fives(plain: Mapping[int, int], key: int, ranks: Sequence[int]) -> list[int]:
    """The values of the 21 fives of seven cards whose suits don't matter; written out, it takes half the time."""
    a, b, c, d, e, f, g = ranks
    no_a, no_b, no_c, no_d, no_e, no_f = key - a, key - b, key - c, key - d, key - e, key - f
    return [
        *(plain[no_a - b], plain[no_a - c], plain[no_a - d], plain[no_a - e], plain[no_a - f], plain[no_a - g]),
        *(plain[no_b - c], plain[no_b - d], plain[no_b - e], plain[no_b - f], plain[no_b - g]),
        *(plain[no_c - d], plain[no_c - e], plain[no_c - f], plain[no_c - g]),
        *(plain[no_d - e], plain[no_d - f], plain[no_d - g], plain[no_e - f], plain[no_e - g], plain[no_f - g]),
    ]


def _left_out(cards: Sequence[int]) -> Iterable[tuple[int, int]]:
    """What to leave out of five to seven cards so that five stay, in twos filled up with nothing."""
    if len(cards) == 7:
        return combinations(cards, 2)
    return [(card, 0) for card in cards] if len(cards) == 6 else ((0, 0),)


@cache
def ranking(joker: Joker, wheel: Wheel) -> Ranking:
    """The ranking for a joker rule and a wheel rule, built at first use.

    >>> from cardroom.cards import parse_cards
    >>> hand = parse_cards("Jk 5s 4d 3h 2c")  # pai-gow-poker §2.5
    >>> [hex(ranking(Joker.BUG, wheel).five(hand)) for wheel in Wheel]
    ['0x4e5432', '0x465432']
    """
    distinct = _distinct_ranks()
    plain = distinct | _equal_ranks()
    flush = {key: _base(Category.FLUSH) + digits for key, digits in distinct.items()}
    for jokers in range(1, 6):
        _add_joker_to_flushes(flush, jokers)
        _add_joker(plain, jokers, joker)
    straights = _straights(wheel)
    _add_straights(plain, straights, _base(Category.STRAIGHT))
    _add_straights(flush, straights, _base(Category.STRAIGHT_FLUSH))
    for key, value in flush.items():  # several jokers beside suited cards can be more than a flush
        if plain[key] > value:
            flush[key] = plain[key]
    return Ranking(joker=joker, wheel=wheel, plain=plain, flush=flush, pair=_two_cards(joker))


def _digits(*ranks: int) -> int:
    """Ranks (0 for a deuce, 12 for an ace) as hexadecimal digits, the first one deciding."""
    value = 0
    for rank in ranks:
        value = value << 4 | rank + 2
    return value << 4 * (5 - len(ranks))


def _distinct_ranks() -> dict[int, int]:
    """The keys of five different ranks, and their digits."""
    unit = (0, 0, *RANK_UNITS)  # by the rank as a digit, 2 to 14
    return {
        unit[a] + unit[b] + unit[c] + unit[d] + unit[e]: a << 16 | b << 12 | c << 8 | d << 4 | e
        for a, b, c, d, e in combinations(range(14, 1, -1), 5)
    }


def _equal_ranks() -> dict[int, int]:
    """The values of five cards with equal ranks, without joker; five equal ones too, for the jokers to make."""
    unit = RANK_UNITS
    high_to_low = range(12, -1, -1)
    pair, two_pair = _base(Category.ONE_PAIR), _base(Category.TWO_PAIR)
    trips, full, quads = map(_base, (Category.THREE_OF_A_KIND, Category.FULL_HOUSE, Category.FOUR_OF_A_KIND))
    threes = [(a, b, c, unit[a] + unit[b] + unit[c], _digits(a, b, c) >> 8) for a, b, c in combinations(high_to_low, 3)]
    twos = [(a, b, unit[a] + unit[b], _digits(a, b) >> 12) for a, b in combinations(high_to_low, 2)]
    values: dict[int, int] = {}
    for rank in high_to_low:
        one = unit[rank]
        head = pair + _digits(rank, rank)
        values |= {2 * one + key: head + digits for a, b, c, key, digits in threes if rank not in (a, b, c)}
        head = trips + _digits(rank, rank, rank)
        values |= {3 * one + key: head + digits for a, b, key, digits in twos if rank not in (a, b)}
        for other in high_to_low:
            if other == rank:
                continue
            values[3 * one + 2 * unit[other]] = full + _digits(rank, rank, rank, other, other)
            values[4 * one + unit[other]] = quads + _digits(rank, rank, rank, rank, other)
            if other < rank:
                head = two_pair + _digits(rank, rank, other, other)
                both = 2 * one + 2 * unit[other]
                values |= {both + unit[last]: head + last + 2 for last in high_to_low if last not in (rank, other)}
        values[5 * one] = _base(Category.FIVE_OF_A_KIND) + _digits(*[rank] * 5)
    values[5 * ACE_UNIT] = _base(Category.FIVE_ACES) + 0xEEEEE
    return values


def _straights(wheel: Wheel) -> list[tuple[int, int]]:
    """The keys of the ten straights and their digits, the ace low or high in the wheel (§2.3)."""
    runs = [range(top, top - 5, -1) for top in range(12, 3, -1)]
    straights = [(sum(RANK_UNITS[rank] for rank in run), _digits(*run)) for run in runs]
    wheel_digits = _digits(12, 3, 2, 1, 0) if wheel is Wheel.SECOND else 0x54321
    return [*straights, (sum(RANK_UNITS[:4]) + ACE_UNIT, wheel_digits)]


def _add_straights(values: dict[int, int], straights: list[tuple[int, int]], base: int) -> None:
    """The straights, and what is left of them where jokers fill the gaps, if nothing better comes of it."""
    for straight, digits in straights:
        ranks = [unit for unit in RANK_UNITS if straight & unit]
        for jokers in range(6):
            for lacked in combinations(ranks, jokers):
                key = straight - sum(lacked) + jokers * JOKER_UNIT
                values[key] = max(values[key], base + digits)


def _add_joker_to_flushes(flush: dict[int, int], jokers: int) -> None:
    """One more joker beside suited cards: it takes the highest rank that they lack (§2.4)."""
    for cards in map(sum, combinations(RANK_UNITS, 5 - jokers)):
        fewer = cards + (jokers - 1) * JOKER_UNIT
        lacked = next(unit for unit in reversed(RANK_UNITS) if not cards & unit)
        flush[fewer + JOKER_UNIT] = flush[fewer + lacked]


def _add_joker(plain: dict[int, int], jokers: int, joker: Joker) -> None:
    """One more joker beside cards of mixed suits, straights apart: an ace, or what the others pair best with (§2.4)."""
    bug = joker is Joker.BUG
    for cards in combinations_with_replacement(RANK_UNITS, 5 - jokers):
        fewer = sum(cards) + (jokers - 1) * JOKER_UNIT
        # A wild joker makes most of a rank that is there already.
        plain[fewer + JOKER_UNIT] = (
            plain[fewer + ACE_UNIT] if bug or not cards else max([plain[fewer + unit] for unit in cards])
        )


def _two_cards(joker: Joker) -> dict[int, int]:
    """The values of two cards: a bug is an ace, a wild joker pairs the other card (§2.4)."""
    pair = _base(Category.ONE_PAIR)
    values: dict[int, int] = {}
    for low, high in combinations_with_replacement(range(13), 2):
        values[RANK_UNITS[low] + RANK_UNITS[high]] = _digits(high, low) + (pair if low == high else 0)
    for rank in range(13):
        like = RANK_UNITS[rank] + (ACE_UNIT if joker is Joker.BUG else RANK_UNITS[rank])
        values[RANK_UNITS[rank] + JOKER_UNIT] = values[like]
    values[2 * JOKER_UNIT] = values[2 * ACE_UNIT]
    return values
