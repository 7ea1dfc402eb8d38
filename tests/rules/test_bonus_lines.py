"""The lines of the Fortune bonus, rule sheet pai-gow-poker §10.2 and §10.3: which line, and how hands compare."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import pytest

from cardroom.cards import Card, deck, format_cards, parse_cards
from cardroom.hands import BonusTable, BonusTableInvalid, Line, ThreeCardTable, Wheel
from tests.slow_hands import ORDER, by_substitution

FORTUNE = [
    ("seven_card_straight_flush", 5000),
    ("royal_match", 2000),
    ("seven_card_straight_flush_joker", 1000),
    ("five_aces", 400),
    ("royal_flush", 150),
    ("straight_flush", 50),
    ("four_of_a_kind", 25),
    ("full_house", 5),
    ("flush", 4),
    ("three_of_a_kind", 3),
    ("straight", 2),
]
TABLE = BonusTable.of(FORTUNE, Wheel.SECOND)
COUNTS = json.loads((Path(__file__).parents[2] / "vectors" / "hands" / "counts_53.json").read_text())["fortune"]


@pytest.mark.parametrize(
    ("cards", "line"),
    [
        ("As Ks Qs Js Ts 9s 8s", "seven_card_straight_flush"),
        ("As 2s 3s 4s 5s 6s 7s", "seven_card_straight_flush"),
        ("As Ks Qs Js Ts Kd Qd", "royal_match"),
        ("Jk Ks Qs Js Ts Kd Qd", "royal_match"),
        ("As Ks Jk Js Ts Kd Qd", "royal_match"),
        ("As Jk Qs Js Ts Kd Qd", "royal_match"),
        ("As Ks Qs Js Ts Kd Jk", "royal_flush"),
        ("As Ks Qs Js Ts Kd Qh", "royal_flush"),
        ("As Ks Qs Js Ts 9s Jk", "seven_card_straight_flush_joker"),
        ("Jk 2s 3s 4s 5s 6s 7s", "seven_card_straight_flush_joker"),
        ("As Jk 3s 4s 5s 6s 7s", "seven_card_straight_flush_joker"),
        ("As Ac Ad Ah Jk Kd Qd", "five_aces"),
        ("9s 8s 7s 6s 5s 4s 2d", "straight_flush"),
        ("9s 8s 7s 6s 5s 3s 2s", "straight_flush"),
        ("9s 8s Jk 6s 5s 9c 9d", "straight_flush"),
        ("9s 9c 9d 9h Jk 8s 7s", "four_of_a_kind"),
        ("As Ac Ad Jk Ks Kd Kh", "four_of_a_kind"),
        ("9s 9c 9d 8h 8c 8s 2d", "full_house"),
        ("As 9c 9d 9h Jk 4s 2d", "full_house"),
        ("As Qs 9s 4s Jk 4c 4d", "full_house"),
        ("As Qs 9s 4s Jk 4c 3d", "flush"),
        ("9s 9c 9d 8h 7c 6s 5d", "three_of_a_kind"),
        ("As Ac Jk Kh Qc Js 5d", "three_of_a_kind"),
        ("9s 8h 7c 6s 5d 5c Kd", "straight"),
        ("Jk 5s 4d 3h 2c Kc Kd", "straight"),
        ("As Ac Ks Kc Qd Qh 2c", None),
        ("As Kc 9s 8c 6d 4h 2c", None),
    ],
)
def test_10_2_the_line_of_seven_cards(cards: str, line: str | None) -> None:
    hand = parse_cards(cards)
    for turn in range(7):
        rank = TABLE.rank(hand[turn:] + hand[:turn])
        assert rank.line == line
        assert rank.pays == (dict(FORTUNE)[line] if line else -1)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("As Ks Qs Js Ts 9s 8s", "Kd Qd Jd Td 9d 8d 7d"),
        ("8s 7s 6s 5s 4s 3s 2s", "As 2s 3s 4s 5s 6s 7s"),
        ("Jk 2s 3s 4s 5s 6s 7s", "As Jk 3s 4s 5s 6s 7s"),  # the joker is the eight
        ("7s 6s 5s 4s 3s 2s As", "Kd Qd Jd Td Jk 8d 7d"),
        ("As Ks Qs Js Ts Kd Qd", "As Ks Qs Js 9s Ts Jk"),  # the royal match above the joker's seven
        ("2s 2c 2d 8h 7c 6s 5d", "As Kc Qd Jh Tc 2s 3d"),  # three deuces above a straight to the ace
        ("9s 9c 9d 8h 7c 6s 5d", "9s 9c 9d 8h 6c 2s 4d"),
        ("As Kc Qd Jh Tc 2s 3d", "Ac 2d 3h 4s 5c 9d Th"),
        ("9s 8h 7c 6s 5d 2c 2d", "As Ac Ks Kc Qd Qh 2c"),  # the lowest line above the best hand without one
        ("As Ac Ks Kc Qd Jh 2c", "As Ac Ks Kc Jd Th 2c"),
    ],
)
def test_10_3_inside_a_line_the_cards_decide(better: str, worse: str) -> None:
    assert TABLE.rank(parse_cards(better)).value > TABLE.rank(parse_cards(worse)).value


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("As Ks Qs Js Ts Kd Qd", "Jk Kc Qc Jc Tc Kh Qh"),
        ("As Ks Qs Js Ts 2d 3d", "Ah Kh Jk Jh Th Kc 9d"),
        ("9s 9c 9d 8h 8c 3s 2d", "9s 9c 9d 8h 8s 7s 6d"),
        ("As Ac Ks Kc Qd Jh 2c", "Ad Ah Kd Kh Qs Tc 9d"),
    ],
)
def test_10_3_then_it_is_equal(a: str, b: str) -> None:
    assert TABLE.rank(parse_cards(a)).value == TABLE.rank(parse_cards(b)).value


def test_10_2_the_order_of_the_pay_table_is_the_rank_order() -> None:
    poker_order = BonusTable.of([("straight", 3), ("three_of_a_kind", 2)], Wheel.SECOND)
    assert poker_order.rank(parse_cards("9s 9c 9d 8h 7c 6s 5d")).line is Line.STRAIGHT
    assert TABLE.rank(parse_cards("9s 9c 9d 8h 7c 6s 5d")).line is Line.THREE_OF_A_KIND
    assert poker_order.rank(parse_cards("As Ks Qs Js Ts 2c 3d")).line is None


def test_2_3_the_wheel_ranks_in_a_line_as_the_rule_set_says() -> None:
    wheel, king = parse_cards("Ac 2d 3h 4s 5c 9d Th"), parse_cards("Kc Qd Jh Ts 9c 2d 3h")
    assert TABLE.rank(wheel).value > TABLE.rank(king).value
    lowest = BonusTable.of(FORTUNE, Wheel.LOWEST)
    assert lowest.rank(wheel).value < lowest.rank(king).value


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([("two_pair", 1)], "'two_pair' is not a line; the lines are seven_card_straight_flush, royal_match, "),
        ([("flush", 4), ("flush", 3)], "the line flush comes more than once"),
        ([("flush", -1)], "the line flush pays -1; odds are a whole number, 0 for a push"),
        ([("flush", True)], "the line flush pays True; odds are"),
        ([("flush", "4")], "the line flush pays '4'; odds are"),
    ],
)
def test_a_pay_table_with_a_fault_is_refused(lines: list[tuple[str, int]], message: str) -> None:
    with pytest.raises(BonusTableInvalid, match=message):
        BonusTable.of(lines, Wheel.SECOND)


def test_10_1_a_line_may_push() -> None:
    table = BonusTable.of([("straight", 2), ("three_of_a_kind", 0)], Wheel.SECOND)
    assert table.rank(parse_cards("9s 9c 9d 2h 4c Ks Qd"))[:2] == (Line.THREE_OF_A_KIND, 0)


LOW = BonusTable.of([("straight", 2), ("nine_high", 40), ("ten_high", 5), ("jack_high", 2)], Wheel.SECOND)


@pytest.mark.parametrize(
    ("cards", "line"),
    [
        ("9s 8c 7d 6h 4c 3s 2d", "nine_high"),
        ("Ts 8c 7d 6h 4c 3s 2d", "ten_high"),
        ("Js Tc 9d 8h 5c 3s 2d", "jack_high"),
        ("Js 9s 8s 5s 4s 3c 2d", None),  # a flush
        ("9s 8c 7d 6h 5c 3s 2d", "straight"),
        ("9s 9c 7d 6h 4c 3s 2d", None),  # a pair
        ("Qs Tc 9d 8h 5c 3s 2d", None),
        ("Jk Kc Td 9h 6c 5s 2d", None),  # the joker is an ace
    ],
)
def test_10_6_low_hands(cards: str, line: str | None) -> None:
    rank = LOW.rank(parse_cards(cards))
    assert (rank.line, rank.pays) == (line, {**dict(LOW.lines), None: -1}[rank.line])


# --- the first three cards (§10.7) --------------------------------------------------------------------------------

THREE = [
    ("straight_flush", 40),
    ("three_of_a_kind", 30),
    ("straight_flush_joker", 5),
    ("straight", 4),
    ("flush", 3),
    ("pair", 1),
]


@pytest.mark.parametrize(
    ("cards", "line"),
    [
        ("Ks Qs As", "straight_flush"),
        ("As 3s 2s", "straight_flush"),
        ("Ks Qs Jk", "straight_flush_joker"),
        ("Ks As Jk", "straight_flush_joker"),
        ("2s As Jk", "straight_flush_joker"),
        ("9s 9c 9d", "three_of_a_kind"),
        ("As Ac Jk", "three_of_a_kind"),
        ("9s 9c Jk", "pair"),
        ("As 9c Jk", "pair"),
        ("9s 7c Jk", "straight"),
        ("9s 6c Jk", None),
        ("9s 6s Jk", "flush"),
        ("As Kc 2d", None),
        ("9s 9c 2d", "pair"),
    ],
)
def test_10_7_the_line_of_three_cards(cards: str, line: str | None) -> None:
    assert ThreeCardTable.of(THREE).rank(parse_cards(cards)).line == line


def test_10_9_census_of_the_three_cards() -> None:
    table = ThreeCardTable.of(THREE)
    found = Counter(table.rank(three).line for three in combinations(deck(1), 3))
    assert [found[line] for line, _ in table.lines] == [48, 58, 100, 1_020, 1_308, 3_912]
    lost = -sum(count * {**dict(table.lines), None: -1}[line] for line, count in found.items())
    assert f"{lost / found.total():.3%}" == "3.859%"


# --- the second model: lines by definition, from texts ------------------------------------------------------------


def slow_line(cards: list[str]) -> str | None:
    """The Fortune line of seven cards, from the definitions in the order of the pay table."""
    values = {five: by_substitution(list(five), "bug", "second") for five in combinations(cards, 5)}
    found = {ORDER[category].value for category, _ in values.values()}
    royal = [five for five, value in values.items() if value == (ORDER.index("straight_flush"), [14, 13, 12, 11, 10])]
    for five in royal:
        besides = [card for card in cards if card not in five]
        if {card[0] for card in besides} == {"K", "Q"} and besides[0][1] == besides[1][1]:
            return "royal_match"
    if "five_aces" in found or not royal:
        order = [line for line, _ in FORTUNE if line in {*found}]
        return order[0] if order else None
    return "royal_flush"


def test_10_2_random_hands_agree_with_the_definitions() -> None:
    chance = random.Random(102)
    for number in range(240):
        pool = list(deck(0)) if number % 2 else [c for place, c in enumerate(deck(0)) if place % 13 > 8]
        joker = number % 8 == 0
        cards = chance.sample(pool, 7 - joker) + list(deck(1)[52:]) * joker
        if TABLE.rank(cards).line in (Line.SEVEN_CARD_STRAIGHT_FLUSH, Line.SEVEN_CARD_STRAIGHT_FLUSH_JOKER):
            continue
        assert TABLE.rank(cards).line == slow_line(format_cards(cards)), format_cards(cards)


# --- census of the rare lines: every hand that can have one (§10.9) -----------------------------------------------


def hands_around(cores: Iterable[tuple[Card, ...]]) -> set[frozenset[Card]]:
    """All seven-card hands of the 53-card deck that hold one of these cores."""
    cards = deck(1)
    return {
        frozenset((*core, *more))
        for core in cores
        for more in combinations([card for card in cards if card not in core], 7 - len(core))
    }


def with_joker(core: tuple[Card, ...]) -> list[tuple[Card, ...]]:
    """A core, and the same with the joker in the place of each of its cards."""
    joker = deck(1)[52]
    return [core, *((*core[:place], joker, *core[place + 1 :]) for place in range(len(core)))]


def test_10_9_census_of_the_lines_from_the_royal_flush_up() -> None:
    suits = [deck(0)[start : start + 13] for start in (0, 13, 26, 39)]
    cores = [core for suit in suits for core in with_joker(suit[8:])]
    for suit in suits:
        around = (suit[12], *suit)
        cores += [core for low in range(8) for core in with_joker(around[low : low + 7])]
    cores.append((*(suit[12] for suit in suits), deck(1)[52]))
    found = Counter(TABLE.rank(list(hand)).line for hand in hands_around(cores))
    for line, _ in FORTUNE[:5]:
        assert found[Line(line)] == COUNTS[line], line
