"""How fast a seven-seat round is settled: the engine alone, with bonuses and back-line wagers."""

from __future__ import annotations

import random
import timeit

from cardroom.cards import deck
from cardroom.games.pai_gow_poker.house_way import set_hand
from cardroom.games.pai_gow_poker.rules import PaiGowRules
from cardroom.games.pai_gow_poker.settle import SetHand, settle_hands
from cardroom.services import catalog
from cardroom.table import Wager

TARGET_MICROSECONDS = 150
_ROUNDS = 200


def _wagers(seat: int) -> list[Wager]:
    main = [Wager(f"m{seat}{c}", seat, f"b{seat}{c}", c, None, "main", 10_000) for c in (1, 2)]
    return [*main, *(w._replace(wager_id=f"f{seat}{w.circle}", kind="fortune", amount_minor=500) for w in main)]


def rounds(rules: PaiGowRules) -> list[dict[str, object]]:
    """Random rounds of six hands against a seventh, each hand with a back-line wager and two bonuses."""
    shuffled = random.Random(7)
    made = []
    for _ in range(_ROUNDS):
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


def run() -> list[tuple[str, float, str, float | None, str]]:
    """Rows of name, microseconds, what it stands beside, ratio to that, target."""
    rules = catalog.ruleset("fortune-pai-gow/florida-2017").rules
    made = rounds(rules)

    def settle_all() -> None:
        for round_ in made:
            settle_hands(rules, **round_)  # type: ignore[arg-type]

    settle_all()
    best = min(timeit.repeat(settle_all, number=1, repeat=20)) / _ROUNDS * 1e6
    return [("settle seven seats, bonuses, back-line", best, "", None, f"<= {TARGET_MICROSECONDS} µs")]


if __name__ == "__main__":
    for row in run():
        print(*row)
