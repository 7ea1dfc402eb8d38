"""The whole space of five cards and of two: 53 cards with the joker a bug, categories counted (pai-gow-poker §2.1)."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from math import comb
from pathlib import Path

import pytest

from cardroom.cards import FLUSH_BIAS, FLUSH_MASK, RANK_MASK, deck
from cardroom.hands import CATEGORIES, ROYAL_FLUSH, Category, Joker, Wheel, ranking
from cardroom.hands.ranking import CATEGORY_SHIFT

COUNTS = json.loads((Path(__file__).parents[2] / "vectors" / "hands" / "counts_53.json").read_text())


@pytest.mark.parametrize("wheel", Wheel)
def test_all_2_869_685_five_card_hands_by_category(wheel: Wheel) -> None:
    rules = ranking(Joker.BUG, wheel)
    # The sum of five cards is a key; counting equal ranks and flushes first leaves few look-ups. Two suits make a
    # difference to no hand but in the counters, so the sums are grouped, not the hands.
    values: Counter[int] = Counter()
    cards = deck(1)
    for place, first in enumerate(cards):
        start = first + FLUSH_BIAS
        keys = Counter(
            total & RANK_MASK if not total & FLUSH_MASK else -(total & RANK_MASK)
            for total in map(start.__add__, map(sum, combinations(cards[place + 1 :], 4)))
        )
        for key, hands in keys.items():
            values[rules.plain[key] if key > 0 else rules.flush[-key]] += hands
    assert values.total() == comb(53, 5) == 2_869_685
    categories: Counter[str] = Counter()
    for value, hands in values.items():
        categories[CATEGORIES[value >> CATEGORY_SHIFT]] += hands
    assert categories == COUNTS["five_card"]
    assert values[ROYAL_FLUSH] == COUNTS["royal_flush"]
    # Natural poker has 7,462 different hands; the joker adds five aces alone.
    assert len(values) == 7_463


def test_all_1_378_two_card_hands_by_category() -> None:
    rules = ranking(Joker.BUG, Wheel.SECOND)
    values = Counter(rules.two(pair) for pair in combinations(deck(1), 2))
    assert values.total() == 1_378
    assert len(values) == 91
    categories = Counter(rules.category(value) for value in values.elements())
    assert categories == {Category.ONE_PAIR: 12 * 6 + 10, Category.HIGH_CARD: 1_378 - 82}
