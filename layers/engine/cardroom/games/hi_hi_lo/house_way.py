"""The house way `hi-hi-lo-even`: the arrangement that wins most over the three hands (hi-hi-lo §11).

No house way is published. This one takes, of the 60 arrangements of six cards, the one with the largest sum over the
three hands of P(win) - P(lose) against one random opponent hand of each kind from the 47 cards that the player does
not see, ties going as §8 says for the side that he is on. Everything is counted, nothing sampled, and the sum is kept
as an integer: the three probabilities have 47, 1,081 and 16,215 equally likely hands, and 16,215 is a multiple of the
other two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import accumulate, combinations, combinations_with_replacement
from typing import Final, NamedTuple

from cardroom.cards import Card, deck_index, is_joker
from cardroom.hands.hi_hi_lo import ACE, joker_for_low, low, low_of_ranks, one, two, two_of_ranks

_Way = tuple[int, tuple[int, int], tuple[int, int, int]]

RULE: Final = "hi-hi-lo §11"
HAND_SIZE: Final = 6

# Opponents' hands by value, worst first. A class is the ranks (0 for a deuce, 12 for an ace) that make it.
_TWO_CLASSES: Final = sorted(
    combinations_with_replacement(range(13), 2), key=lambda ranks: two_of_ranks(ranks[0] + 2, ranks[1] + 2)
)
_ONE_PLACE: Final = {rank + 2: rank for rank in range(13)}
_TWO_PLACE: Final = {two_of_ranks(a + 2, b + 2): place for place, (a, b) in enumerate(_TWO_CLASSES)}
_LOW_VALUES: Final = sorted(low_of_ranks(ranks) for ranks in combinations_with_replacement(range(1, 14), 3))
_LOW_PLACE: Final = {value: place for place, value in enumerate(_LOW_VALUES)}


def _at(rank: int) -> int:
    """Where a rank for low, 1 to 13, stands among the counts of ranks."""
    return (rank - 2) % 13


_LOW_TRIPS: Final = [(_LOW_PLACE[low_of_ranks((r, r, r))], _at(r)) for r in range(1, 14)]
_LOW_PAIRS: Final = [
    (_LOW_PLACE[low_of_ranks((r, r, s))], _at(r), _at(s)) for r in range(1, 14) for s in range(1, 14) if r != s
]
_LOW_SINGLES: Final = [(_LOW_PLACE[low_of_ranks(ranks)], *map(_at, ranks)) for ranks in combinations(range(1, 14), 3)]
_LOW_JOKERS: Final = [
    (_LOW_PLACE[low_of_ranks((r, s, joker_for_low(r, s)))], _at(r), _at(s))
    for r, s in combinations_with_replacement(range(1, 14), 2)
]

# 16,215 = C(47, 3) hands of three; each hand of two counts 15 times as much, each card alone 345 times.
_OF_ONE, _OF_TWO, _OF_LOW = 345, 15, 1


class Role(StrEnum):
    """Which side of the bet a hand is on: ties go differently (§8)."""

    PLAYER = "player"
    BANKER = "banker"


class Arrangement(NamedTuple):
    """Six cards in three hands; the high hands stand from the highest card down, the low one from the lowest up."""

    one: tuple[Card]
    two: tuple[Card, Card]
    low: tuple[Card, Card, Card]


class _Odds(NamedTuple):
    """Wins less losses of each hand by its value, in 16,215ths."""

    one: Mapping[int, int]
    two: Mapping[int, int]
    low: Mapping[int, int]


def arrange(one_card: Sequence[Card], two_cards: Sequence[Card], low_cards: Sequence[Card]) -> Arrangement:
    """An arrangement with the cards of each hand in their standing order."""
    (first,) = one_card
    high, other = sorted(two_cards, key=lambda card: (-one(card), deck_index(card)))
    lowest, middle, highest = sorted(low_cards, key=lambda card: (one(card) % ACE, deck_index(card)))
    return Arrangement((first,), (high, other), (lowest, middle, highest))


def ways() -> Iterator[_Way]:
    """The 60 ways to make three hands of six cards, as the cards' places.

    >>> len(set(ways()))
    60
    """
    for alone in range(HAND_SIZE):
        others = [place for place in range(HAND_SIZE) if place != alone]
        for pair in combinations(others, 2):
            first, second, third = (place for place in others if place not in pair)
            yield alone, pair, (first, second, third)


_WAYS: Final = tuple(ways())


def set_hand(cards: Sequence[Card], role: Role) -> Arrangement:
    """Six cards as the house way sets them for a player or the banker, whatever their order (§11).

    >>> from cardroom.cards import format_cards, parse_cards
    >>> [" ".join(format_cards(hand)) for hand in set_hand(parse_cards("Ks Ac 2d 3h 9s 9d"), Role.PLAYER)]
    ['Ks', '9d 9s', 'Ac 2d 3h']
    """
    hand = sorted(cards, key=deck_index)
    of_one = [one(card) for card in hand]
    of_two = {pair: two((hand[pair[0]], hand[pair[1]])) for pair in combinations(range(HAND_SIZE), 2)}
    of_low = {three: low([hand[place] for place in three]) for three in combinations(range(HAND_SIZE), 3)}
    odds = _odds(hand, role, of_two.values(), of_low.values())
    ones = [odds.one[value] for value in of_one]
    twos = {pair: odds.two[value] for pair, value in of_two.items()}
    lows = {three: odds.low[value] for three, value in of_low.items()}
    totals = [ones[alone] + twos[pair] + lows[three] for alone, pair, three in _WAYS]
    most = max(totals)

    def preferred(way: _Way) -> tuple[int, ...]:
        """Of equal ones the joker farthest behind, then the cards earliest in the deck; `hand` is in deck order."""
        alone, pair, three = way
        joker = next((behind for behind, part in enumerate(((alone,), pair, three)) if any(map(jokers, part))), 0)
        return of_low[three], of_two[pair], joker, -alone, -pair[0], -pair[1]

    def jokers(place: int) -> bool:
        return is_joker(hand[place])

    alone, pair, three = max((way for way, total in zip(_WAYS, totals, strict=True) if total == most), key=preferred)
    return arrange([hand[alone]], [hand[place] for place in pair], [hand[place] for place in three])


def _odds(hand: Sequence[Card], role: Role, twos: Iterable[int], lows: Iterable[int]) -> _Odds:
    """How some values stand against the 47 cards that are not in this hand."""
    natural, jokers = [4] * 13, 1
    for card in hand:
        if is_joker(card):
            jokers = 0
        else:
            natural[one(card) - 2] -= 1
    high = [*natural[:12], natural[12] + jokers]
    to_player = 1 if role is Role.PLAYER else -1  # a tie that the player wins; the banker's own view is the mirror
    ones = _margins(high, 0, _OF_ONE, _ONE_PLACE)
    ones[ACE] -= to_player * _OF_ONE * high[_ONE_PLACE[ACE]]  # a tie of aces the banker wins
    pairs = [high[a] * (high[a] - 1) // 2 if a == b else high[a] * high[b] for a, b in _TWO_CLASSES]
    return _Odds(
        ones,
        _margins(pairs, to_player, _OF_TWO, {value: _TWO_PLACE[value] for value in twos}),
        _margins(_low_counts(natural, jokers), to_player, _OF_LOW, {value: _LOW_PLACE[value] for value in lows}),
    )


def _low_counts(natural: Sequence[int], jokers: int) -> list[int]:
    """How many hands of three have each low value, worst first."""
    counts = [0] * len(_LOW_VALUES)
    pairs = [n * (n - 1) // 2 for n in natural]
    for place, r in _LOW_TRIPS:
        counts[place] = pairs[r] * (natural[r] - 2) // 3
    for place, r, s in _LOW_PAIRS:
        counts[place] = pairs[r] * natural[s]
    for place, r, s, t in _LOW_SINGLES:
        counts[place] = natural[r] * natural[s] * natural[t]
    if jokers:
        for place, r, s in _LOW_JOKERS:
            counts[place] += pairs[r] if r == s else natural[r] * natural[s]
    return counts


def _margins(counts: Sequence[int], tie: int, weight: int, places: Mapping[int, int]) -> dict[int, int]:
    """For values with their places among the counts, worst first: hands beaten less those that beat it, weighted."""
    upto = [*accumulate(counts)]
    every = upto[-1]
    return {value: weight * (2 * upto[place] - every + (tie - 1) * counts[place]) for value, place in places.items()}
