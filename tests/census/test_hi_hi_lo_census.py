"""All hands of hi-hi-lo counted, its 60 arrangements, and its house way against counting every opponent."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from cardroom.cards import Card, deck, format_card, format_cards, parse_cards
from cardroom.games.hi_hi_lo.house_way import Arrangement, Role, arrange, set_hand, ways
from cardroom.hands.hi_hi_lo import low, one, two

DECK = deck(1)
RANKS = "23456789TJQKA"


# A second, simple ranking: bigger is better.


def simple_one(cards: Sequence[Card]) -> int:
    name = format_card(cards[0])
    return RANKS.index("A" if name == "Jk" else name[0])


def simple_two(cards: Sequence[Card]) -> tuple[int, ...]:
    high, other = sorted((simple_one([card]) for card in cards), reverse=True)
    return high == other, high, other


def simple_low(cards: Sequence[Card]) -> tuple[int, ...]:
    """Fewer of a rank first, then the ranks in the order in which they decide, the lower the better."""
    low_ranks = "A23456789TJQK"
    names = [format_card(card) for card in cards]
    ranks = [low_ranks.index(name[0]) for name in names if name != "Jk"]
    if len(ranks) == 2:
        ranks.append(min(set(range(13)) - set(ranks)))
    deciding = sorted(((times, rank) for rank, times in Counter(ranks).items()), reverse=True)
    return -deciding[0][0], *(-rank for _, rank in deciding)


def order_by(value: Callable[[Sequence[Card]], Any], hands: Sequence[Sequence[Card]]) -> list[list[Sequence[Card]]]:
    """Hands in classes of equal value, worst first."""
    classes: dict[Any, list[Sequence[Card]]] = {}
    for hand in hands:
        classes.setdefault(value(hand), []).append(hand)
    return [classes[key] for key in sorted(classes)]


def test_one_card_classes() -> None:
    counts = Counter(one(card) for card in DECK)
    assert counts == {**dict.fromkeys(range(2, 14), 4), 14: 5}


def test_two_card_classes() -> None:
    hands = list(combinations(DECK, 2))
    classes = order_by(two, hands)
    assert len(hands) == 1_378 and len(classes) == 91
    pairs = [hand for hand in hands if simple_two(hand)[0]]
    assert len(pairs) == 82  # 13 of 6, and the joker with four aces
    assert [len(some) for some in classes[-13:]] == [6] * 12 + [10]
    assert classes == order_by(simple_two, hands)


def test_low_classes() -> None:
    hands = list(combinations(DECK, 3))
    classes = order_by(low, hands)
    assert len(hands) == 23_426 and len(classes) == 455
    by_kind = Counter(-simple_low(hand)[0] for hand in hands)
    assert by_kind == {1: 19_552, 2: 3_822, 3: 52}
    assert classes == order_by(simple_low, hands)
    assert {"".join(sorted(name[0] for name in format_cards(hand))) for hand in classes[-1]} == {
        "23A",
        "2AJ",
        "3AJ",
        "23J",
    }


def test_there_are_sixty_arrangements() -> None:
    seen = {(alone, pair, three) for alone, pair, three in ways()}
    assert len(seen) == 60 == 6 * 10
    assert all(sorted((alone, *pair, *three)) == [0, 1, 2, 3, 4, 5] for alone, pair, three in seen)


def chances(hand: Sequence[Card], role: Role) -> tuple[Callable[..., Fraction], ...]:
    """P(win) - P(lose) for each kind of hand, by counting every opponent of the 47 unseen cards."""
    unseen = [card for card in DECK if card not in hand]
    assert len(unseen) == 47

    def against(
        value: Callable[[Sequence[Card]], tuple[object, ...]], size: int, lone: bool
    ) -> Callable[..., Fraction]:
        others = Counter(value(cards) for cards in combinations(unseen, size))

        def margin(cards: Sequence[Card]) -> Fraction:
            mine, total = value(cards), 0
            for theirs, times in others.items():
                if mine != theirs:
                    total += times if mine > theirs else -times
                elif not lone:
                    total += times if role is Role.PLAYER else -times
                elif mine == (12,):
                    total -= times if role is Role.PLAYER else -times
            return Fraction(total, sum(others.values()))

        return margin

    return (
        against(lambda cards: (simple_one(cards),), 1, True),
        against(simple_two, 2, False),
        against(simple_low, 3, False),
    )


HANDS = (
    "As Ad Ah Ac Jk Ks",
    "As Ad Ks Kd 2c 3c",
    "Jk 2c 3d 4h 5s 6c",
    "6s 9h Jk 6h Jc 4s",
    "2c 2d 2h 2s 3c 3d",
    "Jk As 2d 3h Kc Qd",
)


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("text", HANDS)
def test_house_way_is_the_best_of_all_arrangements(text: str, role: Role) -> None:
    check_against_counting(parse_cards(text), role)


@pytest.mark.parametrize("seed", range(4))
def test_house_way_is_the_best_of_all_arrangements_of_random_hands(seed: int) -> None:
    chance = random.Random(seed)
    check_against_counting(chance.sample(DECK, 6), list(Role)[seed % 2])


def check_against_counting(hand: Sequence[Card], role: Role) -> None:
    of_one, of_two, of_low = chances(hand, role)
    chosen = set_hand(hand, role)
    scores = {}
    for alone, pair, three in ways():
        way = arrange([hand[alone]], [hand[p] for p in pair], [hand[p] for p in three])
        scores[way] = of_one(way.one) + of_two(way.two) + of_low(way.low), simple_low(way.low), simple_two(way.two)
    assert len(scores) == 60
    best = max(scores.values())
    tied = [way for way, score in scores.items() if score == best]
    assert chosen in tied
    assert chosen == min(tied, key=card_order)


def card_order(way: Arrangement) -> tuple[object, ...]:
    """The joker as far behind as can be, then the earliest cards of the deck in front."""
    places = [[DECK.index(card) for card in part] for part in way]
    joker = next((-behind for behind, part in enumerate(places) if 52 in part), 0)
    return joker, places[0], sorted(places[1])


@pytest.mark.parametrize("role", list(Role))
def test_house_way_does_not_depend_on_the_order_of_cards(role: Role) -> None:
    chance = random.Random(1)
    for _ in range(50):
        hand = chance.sample(DECK, 6)
        expected = set_hand(hand, role)
        assert sorted(card for part in expected for card in part) == sorted(hand)
        chance.shuffle(hand)
        assert set_hand(hand, role) == expected
