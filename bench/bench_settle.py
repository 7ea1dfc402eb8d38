"""Settling a seven-seat round: the engine alone, with bonuses and back-line wagers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from measure import Row, measure, over

from cardroom.cards import deck
from cardroom.games.pai_gow_poker.house_way import set_hand
from cardroom.games.pai_gow_poker.rules import PaiGowRules
from cardroom.games.pai_gow_poker.settle import SetHand, settle_hands
from cardroom.services.catalogue import published
from cardroom.table import Wager

ROUNDS = 50


def run() -> Iterator[Row]:
    rules = published().ruleset("fortune-pai-gow/florida-2017").rules
    took = measure({"settle": over(lambda round_: settle_hands(rules, **round_), rounds(rules))}, rounds=40)
    yield took.row("settle seven seats, bonuses, back-line", "settle", most_us=150)


def rounds(rules: PaiGowRules) -> list[dict[str, Any]]:
    """Random rounds of six hands against a seventh, each hand with a back-line wager and two bonuses."""
    shuffled = random.Random(7)
    made = []
    for _ in range(ROUNDS):
        cards = shuffled.sample(deck(1), 49)
        hands = []
        for pile in range(7):
            setting = set_hand(cards[pile::7], rules.house_way, rules.ranking)
            hands.append(SetHand(setting.front, setting.back))
        made.append(
            {
                "banker": hands[0],
                "banker_account": "bettor:banker",
                "banker_wager_minor": 3_000_000,
                "hands": [(hand, _wagers(seat)) for seat, hand in enumerate(hands[1:], start=2)],
            }
        )
    return made


def _wagers(seat: int) -> list[Wager]:
    main = [Wager(f"m{seat}{c}", seat, f"b{seat}{c}", c, None, "main", 10_000) for c in (1, 2)]
    return [*main, *(w._replace(wager_id=f"f{seat}{w.circle}", kind="fortune", amount_minor=500) for w in main)]
