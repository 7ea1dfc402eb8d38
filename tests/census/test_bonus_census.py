"""All 154,143,080 hands of seven counted by bonus line, and why it is enough to rank one hand of each kind (§10.9)."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from math import comb
from pathlib import Path

import pytest

from cardroom.cards import Card, deck, deck_index
from cardroom.hands import BonusTable
from cardroom.services import catalog
from cardroom_desk import odds

COUNTS = json.loads((Path(__file__).parents[2] / "vectors" / "hands" / "counts_53.json").read_text())
FLORIDA = "fortune-pai-gow/florida-2017"
ALL = comb(53, 7)
DECK = deck(1)


def table(ruleset_id: str, bet: str) -> BonusTable:
    found: BonusTable = catalog.ruleset(ruleset_id).rules.side_bets[bet].table
    return found


def test_fortune_over_all_hands() -> None:
    counted = odds.count(FLORIDA, "fortune", processes=1)
    assert counted.hands == ALL == 154_143_080
    assert {line: hands for line, _, hands in counted.paying} == COUNTS["fortune"]
    assert [hands for _, _, hands in counted.paying] == [
        32, 72, 196, 1_128, 26_020, 184_644, 307_472, 4_188_528, 6_172_088, 7_672_500, 11_034_204
    ]  # fmt: skip
    assert counted.losing == 124_556_196
    assert counted.edge == 12_066_096
    assert round(100 * counted.edge / counted.hands, 4) == 7.8279


@pytest.fixture(scope="module")
def kinds() -> list[odds.Kind]:
    return list(odds.kinds())


def test_every_hand_is_of_one_kind(kinds: list[odds.Kind]) -> None:
    """The kinds of hands without joker and with it add up, each hand of a kind has seven cards, no kind comes twice."""
    with_joker: Counter[bool] = Counter()
    for cards, hands in kinds:
        assert len(set(cards)) == 7
        with_joker[DECK[52] in cards] += hands
    assert with_joker == {False: comb(52, 7), True: comb(52, 6)}
    assert len({frozenset(kind.cards) for kind in kinds}) == len(kinds)


def test_kinds_of_random_hands_come_as_often_as_counted(kinds: list[odds.Kind]) -> None:
    """Deal by chance, and take the share of each class of suits: what the counting of suits says it is."""
    chance = random.Random(7)
    deals = 40_000
    dealt = Counter(longest_suit(chance.sample(DECK, 7)) for _ in range(deals))
    counted: Counter[int] = Counter()
    for cards, hands in kinds:
        counted[max(longest_suit(cards), 4)] += hands
    for longest in (5, 6):
        share = counted[longest] / ALL
        assert abs(dealt[longest] / deals - share) < 5 * (share * (1 - share) / deals) ** 0.5
    assert counted[7] == 4 * (comb(13, 7) + comb(13, 6))


def longest_suit(cards: Sequence[Card]) -> int:
    """The cards of the suit that has most; the joker counts for each."""
    places = [deck_index(card) for card in cards]
    return max(Counter(place // 13 for place in places if place < 52).values()) + (52 in places)


def resuited(cards: Sequence[Card], suits: Sequence[int]) -> list[Card]:
    """The same cards, clubs to spades turned into these suits."""
    places = [deck_index(card) for card in cards]
    return [DECK[place if place == 52 else 13 * suits[place // 13] + place % 13] for place in places]


def hands_with_a_flush(count: int) -> list[list[Card]]:
    chance = random.Random(1)
    hands = []
    while len(hands) < count:
        suited = chance.sample(DECK[:13], chance.choice((4, 5, 6, 7)))
        rest = [card for card in DECK if card not in suited]
        hand = [*suited, *chance.sample(rest, 7 - len(suited))]
        if longest_suit(hand) >= 5:
            hands.append(hand)
    return hands


def test_another_order_of_suits_makes_no_difference() -> None:
    rank = table(FLORIDA, "fortune").rank
    chance = random.Random(2)
    for hand in hands_with_a_flush(3_000):
        assert rank(resuited(hand, chance.sample(range(4), 4))) == rank(hand)


def test_without_five_of_a_suit_suits_make_no_difference() -> None:
    rank = table(FLORIDA, "fortune").rank
    chance = random.Random(3)
    compared = 0
    for _ in range(6_000):
        hand = chance.sample(DECK, 7)
        ranks = [None if card == DECK[52] else deck_index(card) % 13 for card in hand]
        other = [DECK[52] if r is None else DECK[13 * chance.randrange(4) + r] for r in ranks]
        if len(set(other)) == 7 and max(longest_suit(hand), longest_suit(other)) < 5:
            assert rank(other) == rank(hand)
            compared += 1
    assert compared > 3_000


def test_random_hands_have_lines_as_often_as_counted() -> None:
    """Without any kinds: 40,000 hands, each ranked by itself."""
    rank = table(FLORIDA, "fortune").rank
    chance = random.Random(4)
    deals = 40_000
    dealt = Counter(rank(chance.sample(DECK, 7)).line for _ in range(deals))
    for line in ("full_house", "flush", "three_of_a_kind", "straight"):
        share = COUNTS["fortune"][line] / ALL
        assert abs(dealt[line] / deals - share) < 5 * (share * (1 - share) / deals) ** 0.5
