"""All 154,143,080 hands of seven counted by bonus line, and why it is enough to rank one hand of each kind (§10.9)."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from math import comb
from pathlib import Path

import pytest

from cardroom.cards import SUIT_SHIFT, Card, deck, deck_index
from cardroom.hands import BonusTable, Wheel
from cardroom.hands.bonus import ThreeCardTable
from cardroom.services.catalogue import published
from cardroom_desk.commands import odds

COUNTS = json.loads((Path(__file__).parents[2] / "vectors" / "hands" / "counts_53.json").read_text())
ALL = comb(53, 7)
DECK = deck(1)


# Pay tables as the sheet prints them: the counting is held to them, not to a rule set's file.
FORTUNE = [
    ("seven_card_straight_flush", 5000), ("royal_match", 2000), ("seven_card_straight_flush_joker", 1000),
    ("five_aces", 400), ("royal_flush", 150), ("straight_flush", 50), ("four_of_a_kind", 25), ("full_house", 5),
    ("flush", 4), ("three_of_a_kind", 3), ("straight", 2),
]  # fmt: skip
EMPERORS = [
    ("seven_card_straight_flush", 5000), ("seven_card_straight_flush_joker", 1000), ("five_aces", 500),
    ("royal_flush", 150), ("straight_flush", 50), ("four_of_a_kind", 25), ("full_house", 5), ("flush", 4),
    ("three_of_a_kind", 3), ("straight", 2), ("nine_high", 40), ("ten_high", 5), ("jack_high", 2),
]  # fmt: skip
MANIA = [
    ("five_aces", 500), ("royal_flush", 250), ("straight_flush", 50), ("four_of_a_kind", 25), ("full_house", 5),
    ("flush", 4), ("three_of_a_kind", 3), ("straight", 2),
]  # fmt: skip
MANIA_THREE = [
    ("straight_flush", 40), ("three_of_a_kind", 30), ("straight_flush_joker", 5), ("straight", 4), ("flush", 3),
    ("pair", 1),
]  # fmt: skip


def edge(counts: Counter[str | None], pays: Sequence[tuple[str, int]]) -> float:
    """What the house keeps, in percent to four places."""
    return round(100 * (counts[None] - sum(odds * counts[line] for line, odds in pays)) / counts.total(), 4)


@pytest.mark.parametrize(
    ("ruleset_id", "bet", "lines"),
    [
        ("fortune-pai-gow/florida-2017", "fortune", FORTUNE),
        ("emperors-challenge/standard", "emperors_challenge", EMPERORS),
        ("pai-gow-mania/standard", "mania_seven", MANIA),
        ("pai-gow-mania/standard", "mania_three", MANIA_THREE),
    ],
)
def test_published_pay_tables_are_those_counted_here(ruleset_id: str, bet: str, lines: list[tuple[str, int]]) -> None:
    assert list(published().ruleset(ruleset_id).rules.side_bets[bet].pay_table.lines) == lines


def test_a_share_of_a_meter_is_told_apart_from_odds() -> None:
    counted = odds.Odds(
        ruleset_id="a/b", bet="c", cards=7, hands=100, paying=(("x", 0, 1), ("y", 5, 9)), meter_bps={"x": 10_000}
    )
    told = odds.in_json(counted)
    assert told["lines"] == [{"line": "x", "meter_bps": 10_000, "hands": 1}, {"line": "y", "pays": 5, "hands": 9}]
    assert (told["losing"], told["edge"]["numerator"]) == (90, 90 - 45)


def test_fortune_over_all_hands() -> None:
    counts = odds.tally(BonusTable.of(FORTUNE, Wheel.LOWEST))
    assert counts.total() == ALL == 154_143_080
    assert {line: counts[line] for line, _ in FORTUNE} == COUNTS["fortune"]
    assert [counts[line] for line, _ in FORTUNE] == [
        32, 72, 196, 1_128, 26_020, 184_644, 307_472, 4_188_528, 6_172_088, 7_672_500, 11_034_204
    ]  # fmt: skip
    assert counts[None] == 124_556_196
    assert counts[None] - sum(pays * counts[line] for line, pays in FORTUNE) == 12_066_096
    assert edge(counts, FORTUNE) == 7.8279


def test_emperors_challenge_over_all_hands() -> None:
    counts = odds.tally(BonusTable.of(EMPERORS, Wheel.SECOND))
    assert counts.total() == ALL
    assert [counts[line] for line in ("nine_high", "ten_high", "jack_high")] == [31_080, 248_640, 963_480]
    assert counts[None] == 124_556_196 - 31_080 - 248_640 - 963_480
    assert edge(counts, EMPERORS) == 4.1714


def test_pai_gow_mania_over_all_hands() -> None:
    counts = odds.tally(BonusTable.of(MANIA, Wheel.SECOND))
    assert counts.total() == ALL
    assert edge(counts, MANIA) == 6.3667


def test_pai_gow_mania_over_all_hands_of_three() -> None:
    counts = odds.tally(ThreeCardTable.of(MANIA_THREE))
    assert counts.total() == comb(53, 3) == 23_426
    assert [counts[line] for line, _ in MANIA_THREE] == [48, 58, 100, 1_020, 1_308, 3_912]
    assert round(edge(counts, MANIA_THREE), 3) == 3.859


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
    by_suit = sum(cards) >> SUIT_SHIFT
    return max(by_suit & 15, by_suit >> 4 & 15, by_suit >> 8 & 15, by_suit >> 12 & 15)


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
    rank = BonusTable.of(FORTUNE, Wheel.SECOND).rank
    chance = random.Random(2)
    for hand in hands_with_a_flush(3_000):
        assert rank(resuited(hand, chance.sample(range(4), 4))) == rank(hand)


def test_without_five_of_a_suit_suits_make_no_difference() -> None:
    rank = BonusTable.of(FORTUNE, Wheel.SECOND).rank
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
    rank = BonusTable.of(FORTUNE, Wheel.SECOND).rank
    chance = random.Random(4)
    deals = 40_000
    dealt = Counter(rank(chance.sample(DECK, 7)).line for _ in range(deals))
    for line in ("full_house", "flush", "three_of_a_kind", "straight"):
        share = COUNTS["fortune"][line] / ALL
        assert abs(dealt[line] / deals - share) < 5 * (share * (1 - share) / deals) ** 0.5
