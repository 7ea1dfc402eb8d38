"""What the demo's players do: one script for each rule set that has a demo, and how it is played over the API."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from cardroom.cards import format_cards, parse_cards
from cardroom.hands import Joker, Wheel, ranking
from cardroom_desk.client import Client

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Who sits where, what they wager, and which seats set their own hands; the cards are whatever is dealt.

    `table` are the open request's fields, `wagering` the deal request's; both as the API takes them.
    """

    table: Json
    wagering: Json
    own_sets: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A round that was played: the payload of each of its records, and the rule set it was played by.

    `advised` gives the rule by which the house way set a hand, for the seats whose players asked for it.
    """

    ruleset: Json
    opened: Json
    dealt: Json
    settled: Json
    advised: Mapping[int, str]


def _main(seat: int, bettor: str, amount: int, circle: int = 1) -> Json:
    return _wager(seat, bettor, amount, circle, "main")


def _wager(seat: int, bettor: str, amount: int, circle: int, kind: str) -> Json:
    return {
        "wager_id": f"{bettor}-{kind}",
        "seat": seat,
        "bettor": bettor,
        "circle": circle,
        "kind": kind,
        "amount": amount,
    }


_FLORIDA: Final = Script(
    table={
        "currency": "USD",
        "seats": [
            {"seat": seat, "bettor": bettor}
            for seat, bettor in enumerate(("ann", "bob", "cyd", "dan", "eve", "fay", "gus"), start=1)
        ],
        "banker": {"seat": 4, "bettor": "dan"},
        "limits": {"minimum": 2_500, "maximum": 1_000_000},
        "fees": {"banker": [{"low": 0, "fee": 1_500}]},
        "source": "shuffle",
    },
    wagering={
        "wagers": [
            _main(1, "ann", 500_000),
            _wager(1, "ann", 2_500, 1, "fortune"),
            _main(2, "bob", 1_000_000),
            _wager(2, "bob", 10_000, 1, "fortune"),
            _main(2, "hal", 400_000, circle=2),
            _wager(2, "hal", 5_000, 2, "fortune"),
            _main(3, "cyd", 800_000),
            _main(5, "eve", 1_000_000),
            _wager(5, "eve", 2_500, 1, "fortune"),
            _main(6, "fay", 600_000),
            _main(7, "gus", 400_000),
            _wager(7, "gus", 500, 1, "fortune"),
        ],
        "banker_wager": 3_000_000,
        "cut": 20,
    },
    own_sets=(2, 5),
)

SCRIPTS: Final[Mapping[str, Script]] = {"fortune-pai-gow/florida-2017": _FLORIDA}


def play(client: Client, script: Script, ruleset_id: str) -> Played:
    """Play a script's round: open, deal, house way, settlement, each record handed back to the next call.

    Raises what the client raises.
    """
    ruleset = client.get(f"/v1/rulesets/{ruleset_id}")
    unique = secrets.token_hex(4)  # another table each time: a round can be played once, and bankers take turns
    round_id = f"demo-{unique}-1"
    opened = client.post(
        "/v1/rounds", {"round_id": round_id, "table_id": f"demo-{unique}", "ruleset": ruleset_id, **script.table}
    )
    # The players' part of the shuffle is drawn once the commitment is on the table, so neither side can steer it.
    dealing = {**script.wagering, "client_seed": secrets.token_hex(16), "opened": opened["record"]}
    dealt = client.post(f"/v1/rounds/{round_id}/deal", dealing)
    hands = {hand["seat"]: hand["cards"] for hand in dealt["payload"]["body"]["hands"]}
    advised = [seat for seat in dealt["payload"]["body"]["action_order"] if seat not in script.own_sets]
    advice = client.post(
        "/v1/house-way", {"ruleset": ruleset_id, "role": "player", "hands": [hands[seat] for seat in advised]}
    )
    settings = dict(zip(advised, advice["settings"], strict=True))
    fronts = {seat: setting["front"] for seat, setting in settings.items()}
    fronts |= {seat: own_front(hands[seat], ruleset["document"]) for seat in script.own_sets}
    settled = client.post(
        f"/v1/rounds/{round_id}/settlement", {"sets": _sets(script, fronts), "dealt": dealt["record"]}
    )
    return Played(
        ruleset=ruleset,
        opened=opened["payload"],
        dealt=dealt["payload"],
        settled=settled["payload"],
        advised={seat: setting["rule"] for seat, setting in settings.items()},
    )


def _sets(script: Script, fronts: Mapping[int, Sequence[str]]) -> list[Json]:
    """The settlement's sets: the players' fronts, and the banker's hand left to the house."""
    sets: list[Json] = [{"seat": seat, "how": "front", "front": front} for seat, front in fronts.items()]
    banker = script.table["banker"]
    return sets if banker == "house" else [*sets, {"seat": banker["seat"], "how": "house_way"}]


def own_front(texts: Sequence[str], rules: Json) -> list[str]:
    """What the demo's bold players do: the highest front that the five cards behind still outrank.

    >>> own_front(["As", "Ah", "Ks", "Kd", "9c", "5h", "2d"], {"joker": "bug", "wheel": "second"})
    ['Ks', 'Kd']
    """
    hands = ranking(Joker(rules["joker"]), Wheel(rules["wheel"]))
    cards = parse_cards(texts)
    splits = [(front, [card for card in cards if card not in front]) for front in combinations(cards, 2)]
    legal = [(front, back) for front, back in splits if hands.two(front) <= hands.five(back)]
    front, _ = max(legal, key=lambda split: (hands.two(split[0]), hands.five(split[1])))
    return format_cards(front)
