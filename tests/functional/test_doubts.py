"""What a doubter tried: retries in another order, rounds too large to settle, rule sets without a canonical form."""

from __future__ import annotations

from typing import Any

import pytest

from cardroom.rounds.record import differences
from cardroom.signing.signature import MAX_CHARS
from cardroom.wire.problems import GATEWAY_ONLY, MOST_ERRORS
from tests.functional.caller import Caller, Json

PUSH_NINE = "push-nine/redding-1995"
BACCARAT = "california-baccarat/redding-1995"
CONTRA_COSTA = "double-hand-poker/contra-costa-1991"
MOST_WAGERS = 200


def test_order_and_null_are_differences() -> None:
    one, two = {"seat": 1, "action": "bet"}, {"seat": 2, "action": "call"}
    assert list(differences([one, two], [two, one], "betting")) == [("betting", [1, 2], [2, 1])]
    assert list(differences({"pot": None}, {})) == [("pot", None, None)]
    assert list(differences([one], [one, two], "betting")) == [("betting[2]", None, two)]


def test_betting_in_another_order_is_another_request(caller: Caller) -> None:
    seats = (1, 2, 3)
    opened = caller.post(
        "/v1/rounds",
        {
            "round_id": "r1",
            "table_id": "t1",
            "ruleset": PUSH_NINE,
            "currency": "USD",
            "source": "table",
            "seats": [{"seat": seat, "bettor": f"b{seat}"} for seat in seats],
            "button": 1,
            "ante": 1_000,
        },
    )
    assert opened.status == 201, opened.text
    cards = {1: ["9s", "Ks", "Qs"], 2: ["9h", "Kh", "Qh"], 3: ["2c", "3c", "4c"]}
    dealt = caller.post(
        "/v1/rounds/r1/deal",
        {
            "wagers": [_wager(seat, f"b{seat}", circle=1, kind="ante", amount=1_000) for seat in seats],
            "stacks": [{"seat": seat, "amount": 100_000} for seat in seats],
            "hands": [{"seat": seat, "cards": hand} for seat, hand in cards.items()],
        },
    )
    assert dealt.status == 200, dealt.text
    betting = [{"seat": seat, "action": "check"} for seat in seats]
    assert caller.post("/v1/rounds/r1/settlement", {"betting": betting}).status == 200
    again = caller.post("/v1/rounds/r1/settlement", {"betting": betting[::-1]})
    assert again.refusal() == (422, "round-changed")
    assert again.fields() == ["betting"]


@pytest.mark.parametrize("ruleset", [BACCARAT, CONTRA_COSTA])
@pytest.mark.parametrize("banker_wager", [4 * 10**15, 10**13])  # all have action, or hardly any
def test_what_can_be_dealt_can_be_settled(caller: Caller, ruleset: str, banker_wager: int) -> None:
    """A record that no ledger holds must show before the cards do, else a void is all that is left."""
    seats = [{"seat": seat, "bettor": _long("seated", seat)} for seat in range(1, 8)]
    shoe: Json = {}
    fees: Json | None = None
    if ruleset == BACCARAT:
        shoe = {"shoe_id": _long("shoe", 1)}
        fees = {"wager": [{"low": 0, "fee": 10**9}], "banker": [{"low": 0, "fee": 100}]}
        opened = caller.post("/v1/shoes", {**shoe, "table_id": _long("table", 1), "ruleset": ruleset})
        assert opened.status == 201, opened.text
    wagers = [
        _wager(2 + n % 6, _long("seated", 2 + n % 6) if n < 6 else _long("behind", n), circle=1 + n // 6, amount=10**13)
        for n in range(MOST_WAGERS)
    ]
    for turn in range(3):
        round_id = _long("round", turn)
        opened = caller.open(
            round_id=round_id,
            table_id=_long("table", 1),
            ruleset=ruleset,
            seats=seats,
            banker={**seats[0], "others_passed": True},
            limits=None,
            fees=fees,
            **shoe,
        )
        assert opened.status == 201, opened.text
        free = {held["wager_id"]: held["round_id"] for held in opened.payload["table_after"]["free_collections"]}
        for wager in wagers:
            wager.pop("free_collection", None)
            if wager["wager_id"] in free:
                wager["free_collection"] = {"round_id": free[wager["wager_id"]], "wager_id": wager["wager_id"]}
        cut = 11 if ruleset == BACCARAT and turn == 0 else None  # of the shoe
        dealt = caller.deal(round_id, wagers=wagers, banker_wager=banker_wager, cut=cut)
        assert dealt.status == 200, dealt.text
        settled = caller.settle(
            round_id, dealt=dealt.record, sets=[{"seat": seat, "how": "house_way"} for seat in range(1, 8)]
        )
        assert settled.status == 200, settled.text
        assert max(len(dealt.record), len(settled.record)) < MAX_CHARS


def test_more_wagers_than_a_record_holds_are_refused(caller: Caller) -> None:
    caller.open()
    wagers = [_wager(2, "bob", circle=1 + n, amount=1_000) for n in range(MOST_WAGERS + 1)]
    refused = caller.deal(wagers=wagers)
    assert refused.refusal() == (422, "request-invalid")
    assert refused.fields() == ["wagers"]


@pytest.mark.parametrize("field", ["é", "deep"])
def test_a_rule_set_that_has_no_canonical_form_is_refused(caller: Caller, field: str) -> None:
    deep: Any = 1
    for _ in range(900):
        deep = [deep]
    document = {"game": "pai-gow-poker", field: deep}
    seats = [{"seat": 1, "bettor": "ann"}]
    refused = caller.post(
        "/v1/settlements/preview",
        {"ruleset": document, "seats": seats, "wagers": [], "hands": [{"seat": 1, "cards": []}]},
    )
    assert refused.refusal() == (422, "ruleset-invalid")


@pytest.mark.parametrize(
    ("banker", "fields"),
    [
        ({"seat": "x", "bettor": "ann"}, ["banker.seat"]),
        ({"seat": 1}, ["banker.bettor"]),
        ({"seat": 1, "bettor": "ann", "z": 1}, ["banker.z"]),
        ("me", ["banker", "banker"]),  # neither a banker nor the house
    ],
)
def test_faults_are_named_as_the_caller_wrote_them(caller: Caller, banker: Any, fields: list[str]) -> None:
    refused = caller.open(banker=banker)
    assert refused.refusal() == (422, "request-invalid")
    assert refused.fields() == fields


def test_a_problem_stays_small_whatever_was_sent(caller: Caller) -> None:
    """All faults of this body together are more than Lambda can answer, and took a 502."""
    body = {"ruleset": CONTRA_COSTA, "role": "player", "hands": [["Zz"] * 60] * 1_000}
    refused = caller.post("/v1/house-way", body)
    assert refused.refusal() == (422, "card-invalid")
    assert len(refused.fields()) == MOST_ERRORS


def _long(name: str, number: int) -> str:
    """An id as long as ids may be."""
    return f"{name}{number}".ljust(64, "x")


def _wager(seat: int, bettor: str, *, circle: int, kind: str = "main", amount: int) -> Json:
    placed = {"placed": circle} if kind == "main" else {}
    named = {"wager_id": _long(f"w{seat}c", circle), "seat": seat, "bettor": bettor}
    return {**named, "circle": circle, **placed, "kind": kind, "amount": amount}


def test_the_type_of_a_problem_leads_to_its_entry(caller: Caller) -> None:
    refused = caller.get("/v1/rounds/none")
    page, _, slug = refused.json["type"].partition("#")
    assert (refused.status, slug) == (404, "round-unknown")
    found = caller.get(page)
    assert found.status == 200
    assert all(f'<tr id="{name}">' in found.text for name in (slug, *GATEWAY_ONLY))
