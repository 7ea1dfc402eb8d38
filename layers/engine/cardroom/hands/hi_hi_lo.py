"""The three hands of hi-hi-lo: one card high, two cards high, three cards low (hi-hi-lo §1, §6).

Values can be read: one card is its rank, 2 to 14. Two cards are hexadecimal digits, a pair before all others: A-K is
`0x0ED`, a pair of deuces `0x122`. Three cards low are the negative of such a number, the ace a 1: A-2-3 is `-0x0321`,
a pair of fives with an ace `-0x1551`, three kings `-0x2DDD`. Bigger is better, equal is a tie.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement
from typing import Final

from cardroom.cards import ACE_UNIT, JOKER_UNIT, RANK_MASK, RANK_UNITS, Card

ACE: Final = 14
_RANKS: Final = {unit: rank for rank, unit in enumerate(RANK_UNITS, 2)} | {JOKER_UNIT: ACE}
_LOW_UNITS: Final = {1: ACE_UNIT} | {rank: RANK_UNITS[rank - 2] for rank in range(2, 14)}


def one(card: Card) -> int:
    """The value of one card for high; the joker is an ace.

    >>> from cardroom.cards import parse_card
    >>> one(parse_card("Jk")) == one(parse_card("As")) > one(parse_card("Kd"))
    True
    """
    return _RANKS[card & RANK_MASK]


def two(cards: Sequence[Card]) -> int:
    """The value of two cards for high: a pair, then the high card, then the other; the joker is an ace.

    >>> from cardroom.cards import parse_cards
    >>> [hex(two(parse_cards(hand))) for hand in ("Ah Jk", "2c 2d", "Jk Kd")]
    ['0x1ee', '0x122', '0xed']
    """
    first, second = cards
    return two_of_ranks(one(first), one(second))


def two_of_ranks(first: int, second: int) -> int:
    """The value of two cards of these ranks, 2 to 14."""
    if first < second:
        first, second = second, first
    return (first == second) << 8 | first << 4 | second


def low(cards: Sequence[Card]) -> int:
    """The value of three cards for low: no pair, a pair, three of a kind; straights and flushes do not count.

    The joker is the lowest rank that the other two lack. Of two pairs the lower one is better, then the third card.

    >>> from cardroom.cards import parse_cards
    >>> [hex(low(parse_cards(hand))) for hand in ("As 2d Jk", "Jk 3d 2h", "5s 5d Jk", "Ks Kd Kh")]
    ['-0x321', '-0x321', '-0x1551', '-0x2ddd']
    """
    first, second, third = cards
    return _lows()[first + second + third & RANK_MASK]


def low_of_ranks(ranks: Sequence[int]) -> int:
    """The value for low of three cards of these ranks, 1 (the ace) to 13."""
    lowest, middle, highest = sorted(ranks)
    if lowest == highest:
        return -(0x2000 | lowest * 0x111)
    if middle in (lowest, highest):
        return -(0x1000 | middle * 0x110 | (highest if middle == lowest else lowest))
    return -(highest << 8 | middle << 4 | lowest)


def joker_for_low(first: int, second: int) -> int:
    """What the joker is beside two cards of these ranks in a low hand: the lowest rank that they lack."""
    return next(rank for rank in (1, 2, 3) if rank not in (first, second))


@cache
def _lows() -> Mapping[int, int]:
    """The value for low of every three ranks, and of every two with the joker, by the sum of their rank fields."""
    return dict(_keyed_lows())


def _keyed_lows() -> Iterator[tuple[int, int]]:
    for ranks in combinations_with_replacement(_LOW_UNITS, 3):
        yield sum(_LOW_UNITS[rank] for rank in ranks), low_of_ranks(ranks)
    for first, second in combinations_with_replacement(_LOW_UNITS, 2):
        key = _LOW_UNITS[first] + _LOW_UNITS[second] + JOKER_UNIT
        yield key, low_of_ranks((first, second, joker_for_low(first, second)))
