"""Low hands, and the best five of any number of cards, for high and for low (poker-showdown §2, §6).

Straights and flushes do not count for low and the ace is the lowest card, so A-2-3-4-5 is best. The value of a low
hand is the negative of a number whose hexadecimal digits can be read as those of `cardroom.hands.ranking`: the
category, then the ranks in the order in which they decide (1 for an ace). 8-6-4-3-A is `-0x086431`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, islice
from typing import Final, NamedTuple

from cardroom.cards import JOKER_UNIT, RANK_MASK, RANK_UNITS, Card
from cardroom.hands.ranking import CATEGORY_NUMBER, Category

_ACE: Final = 1
_UNITS: Final = {rank: RANK_UNITS[(rank - 2) % 13] for rank in range(1, 14)}  # the ace first
_PATTERNS: Final = {
    (1, 1, 1, 1, 1): Category.HIGH_CARD,
    (2, 1, 1, 1): Category.ONE_PAIR,
    (2, 2, 1): Category.TWO_PAIR,
    (3, 1, 1): Category.THREE_OF_A_KIND,
    (3, 2): Category.FULL_HOUSE,
    (4, 1): Category.FOUR_OF_A_KIND,
}
_NAMES: Final = "_A23456789TJQK"


class Best(NamedTuple):
    """The best five of some cards, in the order given, and their value."""

    value: int
    cards: tuple[Card, ...]


def low(cards: Sequence[Card]) -> int:
    """The value of five cards for low; bigger is better, equal is a tie (§2).

    A joker is the lowest rank that the hand lacks, several are each a different one:

    >>> from cardroom.cards import parse_cards
    >>> low_name(low(parse_cards("8s 6d 3h Ac Jk"))), low_name(low(parse_cards("8s 6d 3h Jk Jk2")))
    ('8-6-3-2-A', '8-6-3-2-A')
    """
    first, second, third, fourth, fifth = cards
    return _values()[first + second + third + fourth + fifth & RANK_MASK]


def low_name(value: int) -> str:
    """The ranks of a low value, in the order in which they decide."""
    return "-".join(_NAMES[-value >> 4 * place & 0xF] for place in range(4, -1, -1))


def qualifies(value: int, highest: int) -> bool:
    """Whether a low value has no pair and no card above `highest`: 8 is eight-or-better (§6).

    >>> from cardroom.cards import parse_cards
    >>> [qualifies(low(parse_cards(hand)), 8) for hand in ("8s 7d 6h 5c 4s", "9s 4d 3h 2c As", "3s 3d 2h 4c As")]
    [True, False, False]
    """
    return -value < highest + 1 << 16


def best_five(cards: Sequence[Card], value: Callable[[Sequence[Card]], int]) -> Best:
    """The best five of five or more cards, and their value; of equal ones those that come first (§6).

    >>> from cardroom.cards import format_cards, parse_cards
    >>> " ".join(format_cards(best_five(parse_cards("Ks 8d 7h 3c 2s Ad Kd"), low).cards))
    '8d 7h 3c 2s Ad'
    """
    best = max(combinations(cards, 5), key=value)
    return Best(value(best), best)


@cache
def _values() -> Mapping[int, int]:
    """The value of every five ranks, and of every fewer with jokers, by the sum of their cards' rank fields."""
    values = {}
    for jokers in range(6):
        for ranks in combinations_with_replacement(range(_ACE, 14), 5 - jokers):
            counts = Counter(ranks)
            if all(times <= 4 for times in counts.values()):
                key = sum(_UNITS[rank] for rank in ranks) + jokers * JOKER_UNIT
                values[key] = -_code([*ranks, *_lacking(counts, jokers)])
    return values


def _lacking(ranks: Iterable[int], jokers: int) -> Iterator[int]:
    """What the jokers are: the lowest ranks that the hand lacks."""
    held = set(ranks)
    return islice((rank for rank in range(_ACE, 14) if rank not in held), jokers)


def _code(ranks: Iterable[int]) -> int:
    """The readable number of five ranks: those that come oftest decide first, then the highest."""
    counts = Counter(ranks)
    deciding = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    code = CATEGORY_NUMBER[_PATTERNS[tuple(counts[rank] for rank in deciding)]]
    for rank in deciding:
        for _ in range(counts[rank]):
            code = code << 4 | rank
    return code
