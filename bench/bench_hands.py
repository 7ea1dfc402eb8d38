"""How long it takes to rank five cards, to set seven, and to find a bonus line; treys beside it in the same run."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import treys

from cardroom.cards import Card, deck, format_card
from cardroom.games.pai_gow_poker.house_way import load_house_way, set_hand
from cardroom.hands import BonusTable, Joker, Line, Wheel, ranking

HANDS = 400
ROUNDS = 75


class Row(NamedTuple):
    """One line of the report: microseconds a hand, and where there is one the peer's in the same run, and the aim."""

    name: str
    microseconds: float
    beside: float | None
    ratio: float | None
    target: str


def run() -> list[Row]:
    """Medians over several rounds of processor time, every subject measured once in each round."""
    rules = ranking(Joker.BUG, Wheel.SECOND)
    florida, plaza = load_house_way("florida-fortune"), load_house_way("trump-plaza")
    odds = list(zip(Line, (5000, 2000, 1000, 400, 150, 50, 25, 5, 4, 3, 2), strict=True))
    table = BonusTable.of(odds, Wheel.SECOND)
    evaluate = treys.Evaluator()._five
    fives, jokers_fives = hands(5, joker=False), hands(5, joker=True)
    sevens, joker_sevens = hands(7, joker=False), hands(7, joker=True)
    for_treys = [[treys.Card.new(format_card(card)) for card in hand] for hand in fives]
    subjects: dict[str, tuple[Callable[[Any], object], Sequence[Any]]] = {
        "treys": (evaluate, for_treys),
        "five": (rules.five, fives),
        "five, joker": (rules.five, jokers_fives),
        "set": (lambda hand: set_hand(hand, florida, rules), sevens),
        "set, joker": (lambda hand: set_hand(hand, florida, rules), joker_sevens),
        "plaza": (lambda hand: set_hand(hand, plaza, rules), sevens),
        "plaza, joker": (lambda hand: set_hand(hand, plaza, rules), joker_sevens),
        "bonus": (table.rank, sevens),
        "bonus, joker": (table.rank, joker_sevens),
    }
    took = medians(subjects)
    peer = took["treys"]
    return [
        Row("rank five cards", took["five"], peer, took["five"] / peer, "1.2 x treys"),
        Row("rank five cards, joker", took["five, joker"], peer, took["five, joker"] / peer, "1.2 x treys without"),
        Row("set seven, florida-fortune", took["set"], peer, took["set"] / peer, "10 us"),
        Row("set seven with joker, florida-fortune", took["set, joker"], peer, took["set, joker"] / peer, "10 us"),
        Row("set seven, trump-plaza", took["plaza"], peer, took["plaza"] / peer, "10 us"),
        Row("set seven with joker, trump-plaza", took["plaza, joker"], peer, took["plaza, joker"] / peer, "10 us"),
        Row("bonus line of seven", took["bonus"], peer, took["bonus"] / peer, "8 us"),
        Row("bonus line of seven with joker", took["bonus, joker"], peer, took["bonus, joker"] / peer, "8 us"),
        Row("build a ranking's tables, bug", built(Joker.BUG), None, None, "10,000 us"),
        Row("build a ranking's tables, wild", built(Joker.WILD), None, None, "10,000 us"),
    ]


def hands(size: int, *, joker: bool) -> list[tuple[Card, ...]]:
    """Random hands, the same in every run."""
    chance = random.Random(7)
    cards = deck(0)
    return [(*chance.sample(cards, size - joker), *deck(1)[52 : 52 + joker]) for _ in range(HANDS)]


def medians(subjects: dict[str, tuple[Callable[[Any], object], Sequence[Any]]]) -> dict[str, float]:
    """Microseconds a hand for each subject."""
    took: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(ROUNDS):
        for name, (subject, inputs) in subjects.items():
            start = time.process_time()
            for hand in inputs:
                subject(hand)
            took[name].append((time.process_time() - start) / len(inputs) * 1e6)
    return {name: statistics.median(times) for name, times in took.items()}


def built(joker: Joker) -> float:
    """Microseconds to build the tables anew."""
    times = []
    for _ in range(15):
        start = time.process_time()
        ranking.__wrapped__(joker, Wheel.SECOND)
        times.append((time.process_time() - start) * 1e6)
    return statistics.median(times)


if __name__ == "__main__":
    for row in run():
        ratio = "" if row.ratio is None else f"{row.ratio:6.2f} x treys ({row.beside:.2f} us)"
        print(f"{row.name:40} {row.microseconds:10.2f} us  aim {row.target:20} {ratio}")
