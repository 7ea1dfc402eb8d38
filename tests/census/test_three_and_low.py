"""Whole spaces of the three-card and the low ranking, counted."""

import json
from collections import Counter
from itertools import combinations
from math import comb
from pathlib import Path

from cardroom.cards import deck, parse_cards
from cardroom.hands.low import low, qualifies
from cardroom.hands.ranking import CATEGORIES, CATEGORY_SHIFT, Category
from cardroom.hands.three import ThreeCategory, points, three, three_category


def test_census_of_three_cards_is_that_of_push_nine_section_3() -> None:
    hands = Counter(three(hand) for hand in combinations(deck(0), 3))
    by_category = Counter[ThreeCategory]()
    for value, times in hands.items():
        by_category[three_category(value)] += times

    assert sum(hands.values()) == 22_100
    assert by_category == {
        ThreeCategory.THREE_OF_A_KIND: 52,
        ThreeCategory.STRAIGHT: 768,
        ThreeCategory.THREE_FACES: 144,
        ThreeCategory.POINTS: 21_136,
    }
    assert [hands[value] for value in range(10)] == [2096, 2080, 2096, 2208, 2096, 2144, 2096, 2144, 2096, 2080]


def test_thirteen_trips_twelve_straights_one_three_faces_ten_points() -> None:
    values = {three(hand) for hand in combinations(deck(0), 3)}

    assert Counter(map(three_category, values)) == {
        ThreeCategory.THREE_OF_A_KIND: 13,
        ThreeCategory.STRAIGHT: 12,
        ThreeCategory.THREE_FACES: 1,
        ThreeCategory.POINTS: 10,
    }


def test_all_kinds_of_three_cards_are_those_of_the_vectors() -> None:
    file = Path(__file__).parents[2] / "vectors/hands/three_card.json"
    cases = json.loads(file.read_text())["cases"]
    deals = Counter(three(hand) for hand in combinations(deck(0), 3))
    order = {value: place for place, value in enumerate(sorted(deals), 1)}

    values = [three(parse_cards(case["cards"])) for case in cases]
    found = [(three_category(value), order[value], deals[value]) for value in values]
    assert found == [(case["category"], case["order"], case["deals"]) for case in cases]
    assert {case["order"] for case in cases} == set(range(1, 37))


def test_points_are_the_value_of_a_hand_of_points() -> None:
    hands = [hand for hand in combinations(deck(0), 3) if three_category(three(hand)) is ThreeCategory.POINTS]

    assert all(three(hand) == points(hand) for hand in hands)


def test_census_of_low_ranks() -> None:
    """All multisets of five ranks, with as many deals as each has: they add up to C(52, 5)."""
    ways: Counter[Category] = Counter()
    eights = 0
    suits = parse_cards("2c 2d 2h 2s")
    ranks = [deck(0)[place] for place in range(13)]
    for counts in _multisets(13, 5):
        cards = [card for card, times in zip(ranks, counts, strict=True) for _ in range(times)]
        deals = 1
        for times in counts:
            deals *= comb(len(suits), times)
        value = low(cards)
        ways[CATEGORIES[-value >> CATEGORY_SHIFT]] += deals
        eights += deals * qualifies(value, 8)

    assert sum(ways.values()) == comb(52, 5)
    assert ways == {
        Category.HIGH_CARD: 1_317_888,  # straights and flushes among them
        Category.ONE_PAIR: 1_098_240,
        Category.TWO_PAIR: 123_552,
        Category.THREE_OF_A_KIND: 54_912,
        Category.FULL_HOUSE: 3_744,
        Category.FOUR_OF_A_KIND: 624,
    }
    assert eights == comb(8, 5) * 4**5


def _multisets(kinds: int, size: int) -> list[tuple[int, ...]]:
    """All ways to have `size` things of some kinds, at most four of each."""
    if kinds == 1:
        return [(size,)] if size <= 4 else []
    return [(first, *rest) for first in range(min(4, size) + 1) for rest in _multisets(kinds - 1, size - first)]
