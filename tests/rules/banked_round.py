"""Rounds for the tests of player-banked games: rule sets with changes, openings, wagers, and one round played."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from cardroom.cards import Card
from cardroom.documents import fixed_sums
from cardroom.game import Game
from cardroom.rounds.steps import NEW_TABLE
from cardroom.shuffle import Luck
from tests import kit

Json = dict[str, Any]

CHANCE = Luck(server_seed=bytes(32), terms_sha256=bytes(32), client_seed=None)


def document(ruleset: str, **changes: Any) -> Json:
    """A published rule set's document, with other values for some fields; sums are in USD."""
    toml = tomllib.loads((files("cardroom") / "rulesets" / f"{ruleset}.toml").read_text("utf-8"))
    return in_usd({**toml, **changes})


def in_usd(whole: Json) -> Json:
    """The document with a currency where it fixes sums, and none where it does not."""
    return {name: value for name, value in whole.items() if name != "currency"} | (
        {"currency": "USD"} if fixed_sums(whole) else {}
    )


def luck(number: int) -> Luck:
    return Luck(server_seed=number.to_bytes(32, "big"), terms_sha256=bytes(32), client_seed=None)


def table(**changes: Any) -> Json:
    return {**NEW_TABLE, **changes}


def opening(*seated: int, banker: int, source: str = "table", **more: Any) -> Json:
    return {
        "table_id": "t1",
        "ruleset": "family/version",
        "currency": "USD",
        "seats": [{"seat": seat, "bettor": f"b{seat}"} for seat in seated],
        "banker": {"seat": banker, "bettor": f"b{banker}"},
        "source": source,
        **more,
    }


def wager(seat: int, amount: int, kind: str = "main", *, circle: int = 1, bettor: str = "", **more: Any) -> Json:
    name = bettor or (f"b{seat}" if circle == 1 else f"x{seat}{circle}")
    wager_id = f"{kind}-{seat}-{circle}"
    return {
        "wager_id": wager_id,
        "seat": seat,
        "bettor": name,
        "circle": circle,
        "kind": kind,
        "amount": amount,
        **more,
    }


def hands(cards: Mapping[int, str]) -> list[Json]:
    return [{"seat": seat, "cards": text.split()} for seat, text in sorted(cards.items())]


def play(
    game: Game,
    rules: Any,
    opened: Json,
    wagering: Json,
    request: Json,
    *,
    before: Json | None = None,
    chance: Luck | None = None,
    shoe: Sequence[Card] | None = None,
) -> tuple[Json, Json]:
    """The bodies of a round's deal and settlement."""
    at = table() if before is None else before
    game.check_open(rules, opened, at)
    dealt = kit.deal(game, rules, opened, wagering, at, chance, shoe=shoe)
    return dealt, kit.settle(game, rules, opened, wagering, dealt, request, shoe=shoe)


def results(settled: Json) -> dict[str, Json]:
    return {result["wager_id"]: result for result in settled["results"]}
