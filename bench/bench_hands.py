"""Ranking five cards, setting seven, finding a bonus line."""

from __future__ import annotations

import random
from collections.abc import Iterator

import peers
import treys
from measure import Row, calling, measure, over

from cardroom.cards import Card, deck, format_card
from cardroom.games.pai_gow_poker.house_way import HouseWay, set_hand
from cardroom.hands import BonusTable, Joker, Line, Wheel, ranking
from cardroom.services.catalogue import published

HANDS = 400
PEER_HANDS = 60
RULES = ranking(Joker.BUG, Wheel.SECOND)
ODDS = (5000, 2000, 1000, 400, 150, 50, 25, 5, 4, 3, 2)
LINES = tuple(Line)[: len(ODDS)]


def run() -> Iterator[Row]:
    yield from _five()
    yield from _setting()
    yield from _beside_peers()
    yield from _bonus()
    yield from _tables()


def _five() -> Iterator[Row]:
    fives = hands(5, joker=False)
    for_treys = [[treys.Card.new(format_card(card)) for card in hand] for hand in fives]
    took = measure(
        {
            "treys": over(treys.Evaluator()._five, for_treys),
            "five": over(RULES.five, fives),
            "treys, no joker": over(treys.Evaluator()._five, for_treys),
            "five, joker": over(RULES.five, hands(5, joker=True)),
        },
        rounds=75,
    )
    yield took.row("rank five cards", "five", "treys", most_ratio=1.2)
    yield took.row("rank five cards with joker", "five, joker", "treys, no joker", most_ratio=1.2)


def _setting() -> Iterator[Row]:
    inputs = {"": hands(7, joker=False), " with joker": hands(7, joker=True)}
    ways = {name: published().house_way(name) for name in ("florida-fortune", "trump-plaza")}
    subjects = {
        f"set seven{joker}, {name}": over(_setter(way), sevens)
        for name, way in ways.items()
        for joker, sevens in inputs.items()
    }
    took = measure(subjects, rounds=40)
    for name in subjects:
        yield took.row(name, name, most_us=10)


def _beside_peers() -> Iterator[Row]:
    sevens = [hand for pair in zip(hands(7, joker=False), hands(7, joker=True), strict=True) for hand in pair]
    ours = over(_setter(published().house_way("trump-plaza")), sevens)
    with peers.setting_hands(sevens[:PEER_HANDS]) as found:
        took = measure({"ours": ours, **found}, rounds=15)
    for peer, ratio in (("pokersolver", 1 / 8), ("pygow-poker", 1 / 10)):
        if peer in found:
            yield took.row(f"set seven, half with joker, beside {peer}", "ours", peer, most_ratio=ratio)


def _bonus() -> Iterator[Row]:
    table = BonusTable.of(list(zip(LINES, ODDS, strict=True)), Wheel.SECOND)
    took = measure(
        {name: over(table.rank, hands(7, joker=bool(name))) for name in ("", " with joker")},
        rounds=40,
    )
    for name in ("", " with joker"):
        yield took.row(f"bonus line of seven{name}", name)


def _tables() -> Iterator[Row]:
    took = measure(
        {joker: calling(lambda joker=joker: ranking.__wrapped__(joker, Wheel.SECOND), 1) for joker in Joker},
        rounds=15,
    )
    for joker in Joker:
        yield took.row(f"build the tables of a ranking, {joker}", joker, most_us=10_000)


def _setter(way: HouseWay):
    return lambda hand: set_hand(hand, way, RULES)


def hands(size: int, *, joker: bool) -> list[tuple[Card, ...]]:
    """Random hands, the same in every run."""
    chance = random.Random(7)
    cards = deck(0)
    return [(*chance.sample(cards, size - joker), *deck(1)[52 : 52 + joker]) for _ in range(HANDS)]
