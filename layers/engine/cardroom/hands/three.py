"""Three-card hands of push nine: three of a kind, straight, three face cards, points (push-nine §2, §3).

The value of a hand is a number of three hexadecimal digits: the category, then what decides within it: the rank of the
three of a kind, the highest card of the straight (the ace is 14 in Q-K-A and nothing in A-2-3), nothing for three
faces, the points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import combinations_with_replacement
from typing import Final

from cardroom.cards import RANK_MASK, RANK_UNITS, Card

_CATEGORY_SHIFT: Final = 8
_ACE: Final = 14
_FACES: Final = (11, 12, 13)


class ThreeCategory(StrEnum):
    """The kinds of three-card hands, low to high (push-nine §2)."""

    POINTS = "points"
    THREE_FACES = "three_faces"
    STRAIGHT = "straight"
    THREE_OF_A_KIND = "three_of_a_kind"


_CATEGORIES: Final = tuple(ThreeCategory)
_NUMBER: Final = {category: number for number, category in enumerate(_CATEGORIES)}


def three(cards: Sequence[Card]) -> int:
    """The value of three cards without joker; bigger is better, equal is a tie (push-nine §3).

    >>> from cardroom.cards import parse_cards
    >>> hex(three(parse_cards("9s Th Kd")))  # nine points: tens and faces count ten, which drops out
    '0x9'
    >>> three(parse_cards("Jh Qh Kd")) > three(parse_cards("Kc Kd Qh"))  # a straight, not three faces
    True
    >>> three(parse_cards("Kc Kd Qh")) == three(parse_cards("Qs Jh Jd"))  # three faces all tie
    True
    """
    first, second, third = cards
    return _values()[first + second + third & RANK_MASK]


def three_category(value: int) -> ThreeCategory:
    """The category of a value."""
    return _CATEGORIES[value >> _CATEGORY_SHIFT]


def points(cards: Sequence[Card]) -> int:
    """The points of three cards, 0 to 9: aces one, 2 to 9 as marked, the others nothing; the tens are dropped.

    >>> from cardroom.cards import parse_cards
    >>> points(parse_cards("As 9h 8d"))
    8
    """
    return _points([_rank(card) for card in cards])


def _rank(card: Card) -> int:
    return RANK_UNITS.index(card & RANK_MASK) + 2


def _points(ranks: Sequence[int]) -> int:
    return sum(1 if rank == _ACE else rank if rank < 10 else 0 for rank in ranks) % 10


@cache
def _values() -> Mapping[int, int]:
    """The value of every three ranks, by the sum of their cards' rank fields."""
    ranks = range(2, _ACE + 1)
    return {
        sum(RANK_UNITS[rank - 2] for rank in hand): _value(hand) for hand in combinations_with_replacement(ranks, 3)
    }


def _value(ranks: tuple[int, ...]) -> int:
    low, middle, high = ranks  # ascending, the ace last
    if low == high:
        return _NUMBER[ThreeCategory.THREE_OF_A_KIND] << _CATEGORY_SHIFT | high
    if (low + 1, middle + 1) == (middle, high):
        return _NUMBER[ThreeCategory.STRAIGHT] << _CATEGORY_SHIFT | high
    if ranks == (2, 3, _ACE):
        return _NUMBER[ThreeCategory.STRAIGHT] << _CATEGORY_SHIFT | middle
    if set(ranks) <= set(_FACES):
        return _NUMBER[ThreeCategory.THREE_FACES] << _CATEGORY_SHIFT
    return _points(ranks)
