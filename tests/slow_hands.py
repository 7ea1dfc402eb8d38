"""A second way to rank and to set hands, for tests: texts, substitution of every joker, all 21 splits, no tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations

from cardroom.cards import RANKS
from cardroom.hands import Category

ORDER = list(Category)
Value = tuple[int, list[int]]
COMPLETE = (Category.STRAIGHT, Category.FLUSH, Category.STRAIGHT_FLUSH)


def natural(cards: list[str], wheel: str) -> tuple[int, list[int]]:
    """Category and deciding ranks of five natural cards (a rank may come five times, for the jokers)."""
    ranks = sorted((RANKS.index(card[0]) + 2 for card in cards), reverse=True)
    groups = sorted({(ranks.count(rank), rank) for rank in ranks}, reverse=True)
    shape = [count for count, _ in groups]
    order = [rank for count, rank in groups for _ in range(count)]
    suited = len({card[1] for card in cards}) == 1
    straight = len(groups) == 5 and ranks[0] - ranks[4] == 4
    if ranks == [14, 5, 4, 3, 2]:
        straight, order = True, ranks if wheel == "second" else [5, 4, 3, 2, 1]
    if shape == [5]:
        return ORDER.index(Category.FIVE_ACES if ranks[0] == 14 else Category.FIVE_OF_A_KIND), order
    if straight and suited:
        return ORDER.index(Category.STRAIGHT_FLUSH), order
    for wanted, category in (
        ([4, 1], Category.FOUR_OF_A_KIND),
        ([3, 2], Category.FULL_HOUSE),
    ):
        if shape == wanted:
            return ORDER.index(category), order
    if suited and len(groups) == 5:
        return ORDER.index(Category.FLUSH), order
    if straight:
        return ORDER.index(Category.STRAIGHT), order
    by_shape = {(3, 1, 1): Category.THREE_OF_A_KIND, (2, 2, 1): Category.TWO_PAIR, (2, 1, 1, 1): Category.ONE_PAIR}
    return ORDER.index(by_shape.get(tuple(shape), Category.HIGH_CARD)), order


def by_substitution(cards: list[str], joker: str, wheel: str) -> tuple[int, list[int]]:
    """The best value over everything each joker may stand for."""
    jokers = [card for card in cards if card.startswith("Jk")]
    others = [card for card in cards if not card.startswith("Jk")]
    if not jokers:
        return natural(cards, wheel)
    found = []
    for stands_for in substitutes(len(jokers)):
        value = natural(others + stands_for, wheel)
        category = ORDER[value[0]]
        if category in (Category.FLUSH, Category.STRAIGHT_FLUSH) and len({c[0] for c in others + stands_for}) < 5:
            continue
        completes = category in (Category.STRAIGHT, Category.FLUSH, Category.STRAIGHT_FLUSH)
        if joker == "wild" or completes or all(card[0] == "A" for card in stands_for):
            found.append(value)
    return max(found)


def substitutes(jokers: int) -> list[list[str]]:
    single = [[rank + suit] for rank in RANKS for suit in "cdhs"]
    return single if jokers == 1 else [one + more for one in single for more in substitutes(jokers - 1)]


# --- setting ------------------------------------------------------------------------------------------------------


def rank(card: str) -> str:
    return "A" if card.startswith("Jk") else card[0]


def deck_place(card: str) -> int:
    return 52 if card == "Jk" else "cdhs".index(card[1]) * 13 + RANKS.index(card[0])


@cache
def _five(cards: tuple[str, ...], wheel: str) -> Value:
    return by_substitution(list(cards), "bug", wheel)


class Split:
    """Two cards in front and five behind, joker a bug."""

    def __init__(self, front: tuple[str, ...], hand: list[str], wheel: str) -> None:
        self.front = front
        self.back = tuple(card for card in hand if card not in front)
        ranks = sorted((RANKS.index(rank(card)) + 2 for card in front), reverse=True)
        self.front_value = (int(ranks[0] == ranks[1]), ranks)
        self.back_value = _five(self.back, wheel)
        self.category = ORDER[self.back_value[0]]

    @property
    def legal(self) -> bool:
        lead = (self.back_value[0], self.back_value[1][:2])
        return lead >= self.front_value

    def in_front(self, wanted: str) -> bool:
        return sorted(map(rank, self.front)) == sorted(wanted)

    def preference(self) -> tuple[object, ...]:
        return (
            self.front_value,
            self.back_value,
            "Jk" not in self.front,
            [-place for place in sorted(map(deck_place, self.front))],
        )


def set_slowly(hand: list[str], way: Callable[[Hand], list[Split]], wheel: str) -> tuple[set[str], set[str]]:
    """Front and back as a house way, written out as sentences, sets seven cards."""
    best = max((split for split in way(Hand(hand, wheel)) if split.legal), key=Split.preference)
    return set(best.front), set(best.back)


class Hand:
    """Seven cards, all their splits, and their pattern: ranks by how many there are, high to low."""

    def __init__(self, cards: list[str], wheel: str) -> None:
        self.splits = [Split(front, cards, wheel) for front in combinations(cards, 2)]
        ranks = [rank(card) for card in cards]
        by_count = {count: [r for r in reversed(RANKS) if ranks.count(r) == count] for count in range(1, 6)}
        self.singles, self.pairs, self.threes, self.fours = (by_count[count] for count in range(1, 5))
        self.five_aces = bool(by_count[5])
        self.complete = [split for split in self.splits if split.category in COMPLETE]

    def has_single(self, lowest: str) -> bool:
        return bool(self.singles) and RANKS.index(self.singles[0]) >= RANKS.index(lowest)

    def with_front(self, wanted: str) -> list[Split]:
        return [split for split in self.splits if split.in_front(wanted)]

    def top_singles(self) -> list[Split]:
        return self.with_front(self.singles[0] + self.singles[1])

    def complete_with_pair(self) -> list[Split]:
        return [split for split in self.complete if split.front_value[0]]


def common(hand: Hand) -> list[Split] | None:
    """What all house ways here have in common; None: the house way's own rule decides."""
    if not (hand.pairs or hand.threes or hand.fours or hand.five_aces):
        return hand.complete or hand.with_front(hand.singles[1] + hand.singles[2])
    if len(hand.pairs) == 1 and not (hand.threes or hand.fours or hand.five_aces):
        return hand.complete or hand.top_singles()
    if len(hand.pairs) == 3:
        return hand.with_front(hand.pairs[0] * 2)
    if hand.threes and not hand.fours:
        if hand.complete_with_pair():
            return hand.complete_with_pair()
        if len(hand.threes) == 2:
            return hand.with_front(hand.threes[0] * 2)
        if not hand.pairs:
            return hand.with_front("A" + hand.singles[0]) if hand.threes == ["A"] else hand.top_singles()
        if len(hand.pairs) == 2:
            return hand.with_front(hand.pairs[0] * 2)
    if hand.fours:
        if hand.complete:
            return [split for split in hand.complete if split.in_front("AA")]
        if hand.pairs or hand.threes:
            return hand.with_front((hand.pairs or hand.threes)[0] * 2)
    return None


def florida(hand: Hand) -> list[Split]:
    """The sentences of pai-gow-poker §4."""
    shared = common(hand)
    if shared is not None:
        return shared
    if hand.five_aces:
        return hand.with_front("AA")
    if hand.fours:
        four = hand.fours[0]
        keep = four in "2345" or (four in "678" and hand.has_single("Q")) or (four in "9TJ" and hand.has_single("K"))
        return hand.top_singles() if keep else hand.with_front(four * 2)
    if hand.threes:
        return hand.with_front(hand.pairs[0] * 2)
    higher, lower = hand.pairs
    stops = {"J": "A", "T": "A", "9": "A", "8": "K", "7": "K", "6": "K", "5": "Q", "4": "Q", "3": "Q"}
    if higher in stops and hand.has_single(stops[higher]):
        return hand.top_singles()
    return hand.with_front(lower * 2)


def trump_plaza(hand: Hand) -> list[Split]:
    """The sentences of house-ways, column trump-plaza."""
    shared = common(hand)
    if shared is not None:
        return shared
    if hand.five_aces:
        return hand.with_front("KK") if hand.pairs == ["K"] else hand.with_front("AA")
    if hand.fours:
        four = hand.fours[0]
        keep = four in "23456" or (four in "789T" and hand.has_single("K")) or (four in "JQK" and hand.has_single("A"))
        return hand.top_singles() if keep else hand.with_front(four * 2)
    if hand.threes:
        if hand.pairs == ["2"] and hand.singles[:2] == ["A", "K"]:
            return hand.top_singles()
        return hand.with_front(hand.pairs[0] * 2)
    # low + low and low + medium stop at a king; low + high and medium + medium at an ace
    higher, lower = (0 if r in "23456" else 1 if r in "789T" else 2 if r in "JQK" else 9 for r in hand.pairs)
    stop = {0: "K", 1: "K", 2: "A"}.get(higher + lower)
    if stop and hand.has_single(stop):
        return hand.top_singles()
    return hand.with_front(hand.pairs[1] * 2)
