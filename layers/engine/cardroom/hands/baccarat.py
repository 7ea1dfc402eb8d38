"""Baccarat hands: the sum of the cards less multiples of ten, a joker making nine (california-baccarat §2, §3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cardroom.cards import JOKER_UNIT, RANK_MASK, RANK_UNITS, Card

NATURAL: Final = 10
"""The value of a natural 9, two jokers: it is better than every other 9."""

NINE: Final = 9
_POINTS: Final = dict(zip(RANK_UNITS, (2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 0, 1), strict=True))  # deuce to ace


def value(cards: Sequence[Card]) -> int:
    """The value of two or three cards, 0 to 9, or NATURAL; bigger is better, equal is a tie.

    >>> from cardroom.cards import parse_cards
    >>> [value(parse_cards(hand)) for hand in ("10s 3h 8d", "10s Kh", "4s 6h", "Jk 5h", "Jk Jk2", "9s Kh")]
    [1, 0, 0, 9, 10, 9]
    """
    jokers = sum(card & JOKER_UNIT != 0 for card in cards)
    if jokers:
        return NATURAL if jokers == len(cards) == 2 else NINE
    return sum(_POINTS[card & RANK_MASK] for card in cards) % 10


def total(value: int) -> int:
    """What is called out for a value: a natural 9 is a 9."""
    return min(value, NINE)
