"""The two examples of pai-gow-poker §6.2 as previews over HTTP, under each of the four coverages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.caller import Caller, wager

Json = dict[str, Any]

BANKER = "Kc Kd Qs Jh 7d 4c 3h"  # kings behind, Q-J in front
WINS = "Ac Ad 5s 5h 9d 8c 2h"  # aces behind, fives in front
LOSES = ("Ts 9h 7c 6d 4s 3c 2d", "Td 9c 7h 6s 4d 3s 2c")
ALSO_WINS = "Ah As 6h 6c Tc 9s 2s"
DICE = {"pai-gow-poker/bicycle": [3, 3, 3], "double-hand-poker/contra-costa-1991": [2, 2, 2], "inline": [3, 3, 3]}


def preview(ruleset: str | Json, amounts: tuple[int, int, int], hands: tuple[str, str, str]) -> Json:
    """Ann banks 100.00 from seat 1; a, b and c follow in action order."""
    names = ("a", "b", "c")
    seats = range(2, 5)
    cards = dict(zip((1, *seats), (BANKER, *hands), strict=True))
    wagers = [wager(n, seat, amount) for n, seat, amount in zip(names, seats, amounts, strict=True)]
    for placed in wagers:
        placed["placed"] = 1
    return {
        "ruleset": ruleset,
        "seats": [{"seat": seat, "bettor": name} for seat, name in enumerate(("ann", *names), start=1)],
        "banker": {"seat": 1, "bettor": "ann"},
        "wagers": wagers,
        "banker_wager": 10_000,
        "dice": DICE.get(ruleset if isinstance(ruleset, str) else "inline", [3, 3, 3]),
        "hands": [{"seat": seat, "cards": hand.split()} for seat, hand in cards.items()],
        "sets": [{"seat": seat, "how": "house_way"} for seat in cards],
    }


FIRST = ((6_000, 6_000, 6_000), (WINS, *LOSES))
SECOND = ((10_000, 5_000, 8_000), (WINS, LOSES[0], ALSO_WINS))


def inline(caller: Caller, base: str, **changes: Any) -> Json:
    document: Json = caller.get(f"/v1/rulesets/{base}").json["document"]
    return document | changes


def settled(caller: Caller, request: Json) -> Json:
    answer = caller.post("/v1/settlements/preview", request)
    assert answer.status == 200, answer.text
    body: Json = answer.json["settled"]
    return body


@pytest.mark.parametrize(
    ("ruleset", "example", "net", "returned"),
    [
        ("pai-gow-poker/bicycle", FIRST, -2_000, (6_000, 2_000, 6_000)),
        ("double-hand-poker/contra-costa-1991", FIRST, 6_000, (6_000, 0, 0)),
        ("one_sided", FIRST, 4_000, (6_000, 0, 2_000)),
        ("pai-gow-poker/bicycle", SECOND, -10_000, (10_000, 5_000, 8_000)),
        ("double-hand-poker/contra-costa-1991", SECOND, -10_000, (10_000, 5_000, 8_000)),
        ("one_sided", SECOND, -5_000, (10_000, 0, 8_000)),
    ],
)
def test_6_2_what_the_banker_wins(
    caller: Caller, ruleset: str, example: Any, net: int, returned: tuple[int, ...]
) -> None:
    named: str | Json = ruleset
    if ruleset == "one_sided":
        named = inline(caller, "pai-gow-poker/bicycle", coverage="one_sided")
    body = settled(caller, preview(named, *example))
    assert body["banker"]["net"] == net
    assert tuple(result["returned"] for result in body["results"]) == returned
    by_account = {item["account"]: item["amount"] for item in body["net"]}
    assert by_account["bettor:ann"] == net
    assert sum(by_account.values()) == 0


@pytest.mark.parametrize(("example", "total"), [(FIRST, 18_000), (SECOND, 23_000)])
def test_6_2_full_refuses_the_deal(caller: Caller, example: Any, total: int) -> None:
    answer = caller.post("/v1/settlements/preview", preview("pai-gow-poker/casino", *example))
    assert answer.refusal() == (422, "wagers-exceed-banker")
    assert f"the main wagers are {total} together" in answer.json["detail"]
    assert answer.fields() == ["banker_wager"]


def test_preview_stores_nothing(caller: Caller) -> None:
    settled(caller, preview("pai-gow-poker/bicycle", *FIRST))
    assert caller.get("/v1/tables/preview/records").refusal() == (404, "table-unknown")


def test_inline_rule_set_with_an_unknown_field(caller: Caller) -> None:
    named = inline(caller, "pai-gow-poker/bicycle", coverge="net")
    answer = caller.post("/v1/settlements/preview", preview(named, *FIRST))
    assert answer.refusal() == (422, "ruleset-invalid")
    assert "coverge" in answer.json["detail"]


def test_inline_rule_set_of_no_game(caller: Caller) -> None:
    answer = caller.post("/v1/settlements/preview", preview({"game": "snap"}, *FIRST))
    assert answer.refusal() == (422, "game-unknown")
