"""House ways, rule sheets pai-gow-poker §4 and house-ways, against published hands and against all 21 splits."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from cardroom.cards import Card, deck, deck_index, format_cards, parse_cards
from cardroom.documents import RulesetInvalid
from cardroom.games.pai_gow_poker.house_way import (
    HouseWay,
    HouseWayInvalid,
    HouseWayUnknown,
    is_foul,
    set_hand,
)
from cardroom.hands import Category, Joker, Wheel, ranking
from cardroom.services.catalogue import Catalogue, published
from tests.slow_hands import Hand, Split, florida, set_slowly, trump_plaza

BUG = ranking(Joker.BUG, Wheel.SECOND)
JOKER = deck(1)[-1]
COMPLETE = (Category.STRAIGHT, Category.FLUSH, Category.STRAIGHT_FLUSH)


def card_rank(card: Card) -> int:
    return deck_index(card) % 13


def front_of(cards: str, way: str = "florida-fortune", joker: Joker = Joker.BUG) -> str:
    return " ".join(
        format_cards(set_hand(parse_cards(cards), published().house_way(way), ranking(joker, Wheel.SECOND)).front)
    )


@pytest.mark.parametrize(
    ("cards", "front", "behind", "rule"),
    [
        ("5s 5h 3c 3d Qh 9s 2c", "Qh 9s", Category.TWO_PAIR, "pai-gow-poker §4.4"),
        ("8s 8h 8c 8d Qh 9s 2c", "Qh 9s", Category.FOUR_OF_A_KIND, "pai-gow-poker §4.8"),
        ("As Jk Qs Qh Qd 7s 2s", "Qd Qh", Category.FLUSH, "pai-gow-poker §4.9"),
        ("Ac Ad As Jk Ks Jc Tc", "Ac Ad", Category.STRAIGHT, "pai-gow-poker §4.9"),
        ("As Ah Jk Ks 9s 5s 2s", "Ah As", Category.FLUSH, "pai-gow-poker §4.9"),
        ("As Ah Jk Ks 9s 5s 2d", "Ah Ks", Category.ONE_PAIR, "pai-gow-poker §4.6"),
        ("4d 5s Ah 2d Ad Qh Jk", "Ad Qh", Category.STRAIGHT, "pai-gow-poker §4.6"),
        ("As Kd Jh 9s 7c 4d 2c", "Kd Jh", Category.HIGH_CARD, "pai-gow-poker §4.2"),
        ("2s 2d Ah Ks 7c 5d 3c", "Ah Ks", Category.ONE_PAIR, "pai-gow-poker §4.3"),
        ("Ks Kd 3h 3s Ac 5d 2c", "3h 3s", Category.ONE_PAIR, "pai-gow-poker §4.4"),
        ("9s 9d 3h 3s Kc 5d 2c", "3h 3s", Category.ONE_PAIR, "pai-gow-poker §4.4"),
        ("9s 9d 3h 3s Jk 5d 2c", "Jk 5d", Category.TWO_PAIR, "pai-gow-poker §4.4"),
        ("6s 6d 3h 3s Qc Td 2c", "3h 3s", Category.ONE_PAIR, "pai-gow-poker §4.4"),
        ("Ks Kd 9h 9s 4c 4d 2c", "Kd Ks", Category.TWO_PAIR, "pai-gow-poker §4.5"),
        ("As Ad Jk 9s Jc 4d 2c", "Ad Jc", Category.ONE_PAIR, "pai-gow-poker §4.6"),
        ("Ks Kd Kh 9s Jc 4d 2c", "Jc 9s", Category.THREE_OF_A_KIND, "pai-gow-poker §4.6"),
        ("Ks Kd Kh 9s 9c 9d 2c", "Kd Kh", Category.THREE_OF_A_KIND, "pai-gow-poker §4.6"),
        ("Ks Kd Kh 9s 9c Jd Jc", "Jc Jd", Category.FULL_HOUSE, "pai-gow-poker §4.7"),
        ("As Ad Ac Ah 9c 9d 2c", "9c 9d", Category.FOUR_OF_A_KIND, "pai-gow-poker §4.8"),
        ("As Ad Ac Ah Jk Kd Kc", "Ac Ad", Category.FULL_HOUSE, "pai-gow-poker §4.8"),
        ("Js Jd Jc Jh 4c 3d 2c", "Jc Jd", Category.ONE_PAIR, "pai-gow-poker §4.8"),
        ("5s 5d 5c 5h 4c 3d 2c", "4c 3d", Category.FOUR_OF_A_KIND, "pai-gow-poker §4.8"),
        ("Ks Kd 9h 8s 7c 6d 5c", "Kd Ks", Category.STRAIGHT, "pai-gow-poker §4.9"),
    ],
)
def test_4_florida_fortune(cards: str, front: str, behind: Category, rule: str) -> None:
    setting = set_hand(parse_cards(cards), published().house_way("florida-fortune"), BUG)
    assert " ".join(format_cards(setting.front)) == front
    assert BUG.category(BUG.five(setting.back)) is behind
    assert setting.rule == rule


@pytest.mark.parametrize(
    ("cards", "front"),
    [
        ("5s 5h 3c 3d Kh 9s 2c", "K9"),
        ("5s 5h 3c 3d Qh 9s 2c", "33"),
        ("9s 9h 3c 3d Kh 8s 2c", "K8"),
        ("Js Jh 4c 4d Ah 9s 2c", "A9"),
        ("Js Jh 4c 4d Kh 9s 2c", "44"),
        ("9s 9h Tc Td Jh Qs Kc", "99"),
        ("7s 7h 7c 4d 5h 6s 8c", "77"),
        ("Ts Th Tc 2d 2h As Kc", "AK"),
        ("8s 8h 8c 8d Kh 9s 2c", "K9"),
        ("As 9h 8h 7h 6d 5h 2h", "A6"),
        ("Ks Kh 5c 6d 7h 8s 9c", "KK"),
        ("5s 5h 6c 7d 8h 9s Kc", "K5"),
    ],
)
def test_house_ways_twelve_hands_of_trump_plaza(cards: str, front: str) -> None:
    assert "".join(card[0] for card in front_of(cards, "trump-plaza").split()) == front


@pytest.mark.parametrize(
    ("cards", "front"),
    [("Ts Th Tc 2d 2h As Kc", "2d 2h"), ("8s 8h 8c 8d Kh 9s 2c", "8c 8d"), ("Js Jh Jc Jd Ah 9s 2c", "Jc Jd")],
)
def test_house_ways_claridge_where_it_differs_from_trump_plaza(cards: str, front: str) -> None:
    assert front_of(cards, "claridge") == front
    assert front_of(cards, "trump-plaza") != front


@pytest.mark.parametrize(
    ("way", "cards", "front"),
    [
        ("ballys", "9s 9h 9c 9d Ah Ks 2c", "Ah Ks"),
        ("ballys", "Ts Th Tc Td Kh 9s 2c", "Tc Td"),
        ("ballys", "As Ah Ac Ad Kh Ks 2c", "Kh Ks"),
        ("ballys", "As Ah Ac Ad 5h 5s 2c", "Ac Ad"),
        ("ballys", "As Jk Kc Qd Jh Ts 3c", "Kc Qd"),  # not the straight: two aces behind
        ("ballys", "As Jk 5c 4d 3h Ts 8c", "Ts 8c"),  # ace and joker are in A-2-3-4-5
        ("ballys", "As Ac Kc Qd Jh Ts 3c", "Ac 3c"),  # two natural aces: the straight
        ("foxwoods", "Ts Th 5c 5d Ah 9s 2c", "Ah 9s"),
        ("foxwoods", "Js Jh 5c 5d Ah 9s 2c", "5c 5d"),
        ("foxwoods", "7s 7h 7c 7d Kh 9s 2c", "Kh 9s"),
        ("foxwoods", "Ks Kh 9s 8s 4s 3s Ad", "Ad Kh"),  # the flush leaves ace and king
        ("foxwoods", "Ts Th 9s 8s 4s Ks Ad", "Ad Ks"),  # ace and king betters the ace and ten of the flush
        ("golden-nugget", "7s 7h 3c 3d Kh 9s 2c", "3c 3d"),
        ("golden-nugget", "7s 7h 3c 3d Ah 9s 2c", "Ah 9s"),
        ("golden-nugget", "6s 6h 3c 3d Kh 9s 2c", "Kh 9s"),
        ("golden-nugget", "Js Jh 6c 6d Ah 9s 2c", "6c 6d"),
        ("golden-nugget", "Js Jh 5c 5d Ah 9s 2c", "Ah 9s"),
        ("golden-nugget", "Js Jh Jc Jd 9h 9s 2c", "Jc Jd"),
        ("golden-nugget", "Js Jh Jc Jd Th Ts 2c", "Th Ts"),
        ("golden-nugget", "9s 8s 7s 6s 5s 4d Ts", "Ts 4d"),
        ("golden-nugget", "9s 8s 7s 6s 5s Ts Js", "Js Ts"),  # the lower straight flush, as the front becomes a jack
        ("golden-nugget", "9s 8s 7s 6s 5s Td 2s", "Td 2s"),
        ("flamingo", "6s 6h 3c 3d Qh 9s 2c", "Qh 9s"),
        ("flamingo", "Ts Th 3c 3d Kh 9s 2c", "3c 3d"),
        ("flamingo", "Ts Th 3c 3d Ah 9s 2c", "Ah 9s"),
        ("flamingo", "Ks Kh 5c 5d Ah 9s 2c", "Ah 9s"),
        ("flamingo", "Ks Kh 6c 6d Ah 9s 2c", "6c 6d"),
        ("flamingo", "9s 9h 9c 9d Ah Ts 2c", "9c 9d"),
        ("flamingo", "9s 9h 9c 9d Ah Js 2c", "Ah Js"),
        ("flamingo", "9s 8s 7h 6s 5d 3s 2s", "7h 5d"),  # the flush, though the straight leaves 3-2
        ("flamingo", "Qs 8s 7h 6s 5d 4s 2s", "7h 5d"),  # the flush, though the straight leaves the queen
        ("flamingo", "Ks 8s 7h 6s 5d 4s 2s", "Ks 2s"),  # the straight, as it leaves the king
        ("ballys", "Ac Jh Tc Qs Jk 8d 6h", "Ac 6h"),  # not Q-J: the straight with the best front is Q-J-T-9-8
        ("ballys", "Ac Jh Tc Qs Jk 5d 3h", "Qs Jh"),  # the only straight is ace-high
        ("golden-nugget", "9s 8s 7s 6s 5s 5d Tc", "5d 5s"),  # a low pair is K+: not the straight flush and T-5
        ("golden-nugget", "9s 8s 7s 6s 5s 3d Tc", "Tc 3d"),
        ("flamingo", "Ts 8s 7s 6s 5s 5d 9d", "5d 5s"),  # a low pair is K+: not the flush and 9-5
        ("flamingo", "Ts 8s 7s 6s 5s 4d 9d", "9d 4d"),
    ],
)
def test_house_ways_of_other_houses(way: str, cards: str, front: str) -> None:
    assert front_of(cards, way) == front


def patterned(chance: random.Random, joker: bool) -> list[Card]:
    """Seven cards; two times of three from few ranks or few suits, so that rare patterns come up."""
    pool = list(deck(0))
    kind = chance.randrange(3)
    if kind == 1:
        ranks = chance.sample(range(13), chance.choice((2, 3, 4, 5)))
        pool = [card for place, card in enumerate(pool) if place % 13 in {*ranks, 12}]
    elif kind == 2:
        low = chance.randrange(9)
        pool = [card for place, card in enumerate(pool) if place % 13 in (*range(low, low + 5), 12) or place < 13]
    return chance.sample(pool, 7 - joker) + list(deck(1)[52:]) * joker


@pytest.mark.parametrize("wheel", Wheel)
@pytest.mark.parametrize(("joker", "hands"), [(False, 400), (True, 80)])
@pytest.mark.parametrize(("name", "way"), [("florida-fortune", florida), ("trump-plaza", trump_plaza)])
def test_4_agrees_with_the_sentences_over_all_splits(
    name: str, way: Callable[[Hand], list[Split]], joker: bool, hands: int, wheel: Wheel
) -> None:
    chance = random.Random(f"{name} {joker} {wheel}")
    for _ in range(hands):
        cards = patterned(chance, joker)
        setting = set_hand(cards, published().house_way(name), ranking(Joker.BUG, wheel))
        wanted = set_slowly(format_cards(cards), way, wheel)
        assert (set(format_cards(setting.front)), set(format_cards(setting.back))) == wanted, format_cards(cards)


@pytest.mark.parametrize("joker", Joker)
@pytest.mark.parametrize("name", sorted(published().house_ways))
def test_4_10_never_foul_never_a_card_lost_whatever_the_order_of_the_cards(name: str, joker: Joker) -> None:
    chance = random.Random(f"{name} {joker}")
    way, rules = published().house_way(name), ranking(joker, Wheel.LOWEST)
    for number in range(4_000):
        cards = patterned(chance, number % 2 == 1)
        setting = set_hand(cards, way, rules)
        assert sorted(setting.front + setting.back) == sorted(cards)
        assert not is_foul(setting.front, setting.back, rules), format_cards(cards)
        chance.shuffle(cards)
        assert set_hand(cards, way, rules) == setting


@pytest.mark.parametrize("joker", Joker)
@pytest.mark.parametrize("name", sorted(published().house_ways))
def test_2_4_several_jokers_are_set_too(name: str, joker: Joker) -> None:
    chance = random.Random(f"{name} {joker} jokers")
    way, rules = published().house_way(name), ranking(joker, Wheel.SECOND)
    for _ in range(600):
        cards = chance.sample(deck(7)[30:], 7)
        setting = set_hand(cards, way, rules)
        assert sorted(setting.front + setting.back) == sorted(cards)
        assert not is_foul(setting.front, setting.back, rules), format_cards(cards)


@pytest.mark.parametrize("name", sorted(published().house_ways))
def test_4_10_cites_itself_just_where_the_fronts_of_the_rule_foul(name: str) -> None:
    chance = random.Random(f"{name} cited")
    way, rules = published().house_way(name), ranking(Joker.WILD, Wheel.LOWEST)
    cited = set()
    for _ in range(6_000):
        cards = patterned(chance, joker=True)
        setting = set_hand(cards, way, rules)
        cited.add(setting.rule)
        ranks = sorted((12 if card == JOKER else card_rank(card) for card in cards), reverse=True)
        singles = [rank for rank in ranks if ranks.count(rank) == 1]
        if len(singles) != 5 or rules.category(rules.five(setting.back)) in COMPLETE:
            continue  # of one pair it is simplest: the two highest singles in front, unless that fouls
        wanted = [card for card in cards if (12 if card == JOKER else card_rank(card)) in singles[:2]]
        fouls = is_foul(wanted, [card for card in cards if card not in wanted], rules)
        assert (setting.rule == "pai-gow-poker §4.10") == fouls, format_cards(cards)
        assert fouls or set(setting.front) == set(wanted), format_cards(cards)
    assert "pai-gow-poker §4.10" in cited


def test_4_10_is_the_rule_of_the_front_that_it_gives() -> None:
    way, rules = published().house_way("florida-fortune"), ranking(Joker.WILD, Wheel.LOWEST)
    setting = set_hand(parse_cards("7d Kc 5s 6d 7h Jk Tc"), way, rules)
    assert (format_cards(setting.front), setting.rule) == (["Jk", "6d"], "pai-gow-poker §4.10")
    legal = set_hand(parse_cards("Ks Kd Jk Qc 9h 5d 3c"), way, rules)
    assert (format_cards(legal.front), legal.rule) == (["Jk", "Qc"], "pai-gow-poker §4.3")


@pytest.mark.parametrize("name", sorted(published().house_ways))
def test_4_11_a_wild_joker_is_not_wasted_in_front(name: str) -> None:
    way, rules = published().house_way(name), ranking(Joker.WILD, Wheel.LOWEST)
    setting = set_hand(parse_cards("Jk 7d 4s 5d 7h 6h 8h"), way, rules)
    assert (format_cards(setting.front), rules.category(rules.five(setting.back))) == (["7d", "7h"], Category.STRAIGHT)
    chance = random.Random(f"{name} wasted")
    for _ in range(1_500):
        cards = patterned(chance, joker=True)
        setting = set_hand(cards, way, rules)
        if JOKER not in setting.front:
            continue
        values = rules.two(setting.front), rules.five(setting.back)
        for front in combinations(set(cards) - {JOKER}, 2):
            back = [card for card in cards if card not in front]
            assert (rules.two(front), rules.five(back)) != values, format_cards(cards)


def test_4_11_ties_leave_the_joker_behind_then_take_the_earliest_in_the_deck() -> None:
    assert front_of("As Ad Jk 9s Qc 4d 2c") == "Ad Qc"
    assert front_of("Ks Kh Kc 9s 9h 9c 2d") == "Kc Kh"


@pytest.mark.parametrize(
    ("cards", "front", "why"),
    [
        ("8s 8d Jk Kc Qh 5d 3c", "Jk 5d", "king and joker would be a pair of kings before eights"),
        ("Ks Kd Jk Qc 9h 5d 3c", "Jk Qc", "joker and queen in front are a pair of queens"),
        ("Jk Kd Qs 9c 7h 5d 2c", "Kd Qs", "the joker is the highest card, so it stays behind"),
        ("As Ad Jk 9s Qc 4d 2c", "Ad Qc", "of the three aces the joker stays behind, where it pairs the other"),
    ],
)
def test_4_12_a_wild_joker_is_an_ace_in_the_pattern_and_wild_where_it_lies(cards: str, front: str, why: str) -> None:
    assert front_of(cards, joker=Joker.WILD) == front, why


def test_the_shipped_house_ways_say_where_they_come_from() -> None:
    assert {"florida-fortune", "trump-plaza"} <= set(published().house_ways)
    for name in sorted(published().house_ways):
        way = published().house_way(name)
        assert (way.name, way.version) == (name, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"name": "golden-nugget"},
            r"house way ballys: name must be ballys, as its file is named, not 'golden",
        ),
        ({"source": "Bally's"}, r'house way ballys: source must end with the sheet .* "…; rule sheet house-ways", not'),
    ],
)
def test_a_shipped_house_way_that_was_copied_carelessly_is_refused(change: dict[str, Any], message: str) -> None:
    shipped = published()
    copied = Catalogue(
        games=shipped.games,
        documents=shipped.documents,
        house_ways={"ballys": lambda: {**shipped.house_ways["ballys"](), **change}},
    )
    with pytest.raises(RulesetInvalid, match=message):
        copied.house_way("ballys")


def test_an_unknown_house_way_is_refused_by_name() -> None:
    with pytest.raises(HouseWayUnknown, match=r"there is no house way 'palms'; the house ways are .*florida-fortune"):
        published().house_way("palms")


def broken(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    document = published().house_ways["florida-fortune"]()
    change(document)
    return document


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(colour="red"), "the house way: unknown field colour; the fields are name, rules, source"),
        (lambda d: d.update(version="1"), "version of house way florida-fortune is '1'; it is a whole number"),
        (lambda d: d.update(version=True), "version of house way florida-fortune is True; it is a whole number"),
        (lambda d: d.update(name=""), "a house way has a name and a source"),
        (lambda d: d.update(rules=[]), "are a table of lists"),
        (lambda d: d["rules"].update(six_pairs=[]), "unknown field six_pairs"),
        (lambda d: d["rules"].pop("one_pair"), "florida-fortune, one_pair: there are no rules"),
        (lambda d: d["rules"]["one_pair"].pop(), "one_pair: the last rule has conditions"),
        (lambda d: d["rules"]["one_pair"].append(7), "one_pair, rule 3 is 7; it is a table"),
        (lambda d: d["rules"]["one_pair"][1].update(third="A"), "rule 2: unknown field third"),
        (lambda d: d["rules"]["one_pair"][1].pop("rule"), "rule 2 has no rule"),
        (lambda d: d["rules"]["one_pair"][1].update(front="pair of second"), "here it can be singles, pair of first"),
        (lambda d: d["rules"]["one_pair"][1].update(complete="any front"), "has front and complete; it has either"),
        (lambda d: d["rules"]["one_pair"][1].pop("front"), "has no play; it has either front or complete"),
        (
            lambda d: d["rules"]["one_pair"][0].update(complete="yes"),
            "complete is 'yes'; here it can be any front,",
        ),
        (lambda d: d["rules"]["one_pair"][0].update(behind="pair"), "behind is 'pair'; here it can be straight, flush"),
        (lambda d: d["rules"]["one_pair"][0].update(over="a lower front"), "over does not go with complete"),
        (lambda d: d["rules"]["one_pair"][1].update(over="all"), "over is 'all'; here it can be a lower front, an"),
        (lambda d: d["rules"]["one_pair"][1].update(over="a lower front"), "one_pair: the last rule has conditions"),
        (lambda d: d["rules"]["one_pair"][1].update(behind="flush"), "behind does not go with front"),
        (lambda d: d["rules"]["one_pair"][1].update(least="K"), 'least goes with complete = "any front"'),
        (lambda d: d["rules"]["one_pair"][0].update(second="A"), "this pattern has no second"),
        (lambda d: d["rules"]["two_pairs"][0].update(first="J-9"), "'J-9' is no rank and no span of ranks"),
        (lambda d: d["rules"]["two_pairs"][0].update(single=14), "14 is no rank and no span of ranks"),
    ],
)
def test_a_house_way_with_a_fault_is_refused(change: Callable[[dict[str, Any]], object], message: str) -> None:
    with pytest.raises(HouseWayInvalid, match=message):
        HouseWay.from_dict(broken(change))


def test_a_house_way_that_is_no_table_is_refused() -> None:
    with pytest.raises(HouseWayInvalid, match="the house way is 'florida-fortune'; it is a table"):
        HouseWay.from_dict("florida-fortune")  # type: ignore[arg-type]
