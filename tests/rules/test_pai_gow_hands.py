"""Ranks of hands, rule sheet pai-gow-poker §2, against facts and against a second evaluator by substitution."""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from cardroom.cards import RANKS, Card, deck, format_cards, parse_cards
from cardroom.games.pai_gow_poker.house_way import is_foul
from cardroom.hands import Category, Joker, Wheel, ranking
from tests.slow_hands import by_substitution, natural

VECTORS = Path(__file__).parents[2] / "vectors" / "hands"


def facts(name: str) -> list[Any]:
    return json.loads((VECTORS / name).read_text())["cases"]


def value_of(cards: str, joker: str, wheel: str) -> int:
    rules = ranking(Joker(joker), Wheel(wheel))
    hand = parse_cards(cards)
    return rules.two(hand) if len(hand) == 2 else rules.five(hand)


def digits(value: tuple[int, list[int]]) -> int:
    number = value[0]
    for rank in value[1]:
        number = number << 4 | rank
    return number


@pytest.mark.parametrize("wheel", Wheel)
@pytest.mark.parametrize("joker", Joker)
@pytest.mark.parametrize(("jokers", "hands"), [(0, 1500), (1, 300), (2, 6)])
def test_2_4_random_hands_rank_as_by_substitution(joker: Joker, wheel: Wheel, jokers: int, hands: int) -> None:
    chance = random.Random(f"{joker} {wheel} {jokers}")
    rules = ranking(joker, wheel)
    for number in range(hands):
        cards = [*deck(2)[52 : 52 + jokers], *near_hand(chance, 5 - jokers, number)]
        texts = format_cards(cards)
        assert rules.five(cards) == digits(by_substitution(texts, joker, wheel)), texts


def near_hand(chance: random.Random, size: int, number: int) -> list[Card]:
    """Random cards, every other time of one suit or of neighbouring ranks, so that rare hands come up."""
    cards = deck(0)
    if number % 3 == 1:
        cards = cards[:13]
    elif number % 3 == 2:
        low = chance.randrange(9)
        cards = tuple(card for place, card in enumerate(cards) if place % 13 in range(low, low + 5) or place % 13 == 12)
    return chance.sample(cards, size)


@pytest.mark.parametrize("joker", Joker)
def test_2_4_one_joker_in_every_suited_hand(joker: Joker) -> None:
    """All 715 suited fours with a joker, by substitution of the rank."""
    rules = ranking(joker, Wheel.SECOND)
    for ranks in combinations(RANKS, 4):
        hand = ["Jk", *(rank + "h" for rank in ranks)]
        best = max(digits(natural([rank + "h", *hand[1:]], "second")) for rank in RANKS if rank not in ranks)
        assert rules.five(parse_cards(hand)) == best, hand


@pytest.mark.parametrize(
    ("cards", "category"),
    [
        ("Jk Jk2 Ac Ad Ah", Category.FIVE_ACES),
        ("Jk Jk2 Jk3 Jk4 Jk5", Category.FIVE_ACES),
        ("Jk Jk2 Jk3 Jk4 Ks", Category.STRAIGHT_FLUSH),
        ("Jk Jk2 Kc Kd Kh", Category.FULL_HOUSE),
        ("Jk Jk2 9c 6d 5h", Category.STRAIGHT),
        ("Jk Jk2 Jk3 9c 2d", Category.THREE_OF_A_KIND),
    ],
)
def test_2_4_several_jokers_each_stand_for_their_own_card(cards: str, category: Category) -> None:
    rules = ranking(Joker.BUG, Wheel.SECOND)
    assert rules.category(rules.five(parse_cards(cards))) is category


def test_2_4_jokers_in_a_flush_take_the_highest_ranks_it_lacks_each_a_different_one() -> None:
    assert value_of("Jk Jk2 As 9s 4s", "bug", "second") == value_of("As Ks Qs 9s 4s", "bug", "second")
    assert value_of("Jk Jk2 As 9s 4s", "wild", "second") == value_of("As Ks Qs 9s 4s", "wild", "second")


def test_2_4_a_wild_joker_makes_five_of_a_kind_between_straight_flush_and_five_aces() -> None:
    five_kings, royal, five_aces = "Jk Kc Kd Kh Ks", "As Ks Qs Js Ts", "Jk Ac Ad Ah As"
    values = [value_of(cards, "wild", "second") for cards in (royal, five_kings, five_aces)]
    assert values == sorted(set(values))
    assert ranking(Joker.WILD, Wheel.SECOND).category(values[1]) is Category.FIVE_OF_A_KIND


@pytest.mark.parametrize(
    ("cards", "bug", "wild"), [("Jk 7c", "As 7c", "7d 7c"), ("Jk Ac", "As Ac", "As Ac"), ("Jk Jk2", "As Ac", "As Ac")]
)
def test_2_4_joker_in_two_cards(cards: str, bug: str, wild: str) -> None:
    assert value_of(cards, "bug", "second") == value_of(bug, "bug", "second")
    assert value_of(cards, "wild", "second") == value_of(wild, "wild", "second")


def test_2_5_joker_beside_5_4_3_2_makes_the_better_straight() -> None:
    assert value_of("Jk 5s 4d 3h 2c", "bug", "second") == value_of("Ac 5s 4d 3h 2c", "bug", "second")
    assert value_of("Jk 5s 4d 3h 2c", "bug", "lowest") == value_of("6c 5s 4d 3h 2c", "bug", "lowest")


@pytest.mark.parametrize("wheel", Wheel)
def test_five_card_facts_agree_in_category_and_order(wheel: Wheel) -> None:
    rules = ranking(Joker.BUG, wheel)
    seen = []
    for fact in facts("five_card.json"):
        value = rules.five(parse_cards(fact["cards"]))
        assert rules.category(value) == fact["category"], fact
        seen.append((fact[wheel], value))
    dense = {value: place for place, value in enumerate(sorted({value for _, value in seen}))}
    wanted = {order: place for place, order in enumerate(sorted({order for order, _ in seen}))}
    assert [dense[value] for _, value in seen] == [wanted[order] for order, _ in seen]
    assert len(seen) > 700


def test_bug_joker_facts_agree() -> None:
    for fact in facts("bug_joker.json"):
        for wheel in fact["wheels"]:
            rules = ranking(Joker.BUG, Wheel(wheel))
            value = value_of(fact["cards"], "bug", wheel)
            assert rules.category(value) == fact["category"], fact
            if "joker_as" in fact:
                likes = [fact["cards"].replace("Jk", fact["joker_as"] + suit) for suit in "cdhs"]
                assert value in [
                    value_of(like, "bug", wheel) for like in likes if len(set(like.split())) == len(like.split())
                ]


def test_compare_facts_agree() -> None:
    for fact in facts("compare.json"):
        for wheel in fact["wheels"]:
            a, b = (value_of(fact[side], "bug", wheel) for side in "ab")
            assert {"<": a < b, "=": a == b, ">": a > b}[fact["relation"]], fact


def test_2_2_two_card_facts_agree_in_category_order_and_number_of_deals() -> None:
    rules = ranking(Joker.BUG, Wheel.SECOND)
    deals = [rules.two(pair) for pair in combinations(deck(1), 2)]
    values = []
    for fact in facts("two_card.json"):
        values.append(rules.two(parse_cards(fact["cards"])))
        assert rules.category(values[-1]) == fact["category"], fact
        assert deals.count(values[-1]) == fact["deals"], fact
    assert values == sorted(set(deals))
    assert len(deals) == 1378


def test_3_1_foul_facts_agree() -> None:
    rules = ranking(Joker.BUG, Wheel.SECOND)
    for fact in facts("foul.json"):
        assert is_foul(parse_cards(fact["front"]), parse_cards(fact["back"]), rules) is fact["foul"], fact


@pytest.mark.parametrize(
    ("front", "back", "foul"),
    [
        ("Ac Kc", "As Ks 9s 5d 3d", False),
        ("8c 8d", "8h 8s 4c 3d 2d", False),
        ("Ac Kc", "As Qs 9s 5d 3d", True),
        ("Ac Kc Qc", "As Ks 9s 5d", True),
        ("Ac", "As Ks 9s 5d 3d 2d", True),
    ],
)
def test_3_1_and_3_2_what_is_foul(front: str, back: str, foul: bool) -> None:
    assert is_foul(parse_cards(front), parse_cards(back), ranking(Joker.BUG, Wheel.SECOND)) is foul
