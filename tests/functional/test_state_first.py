"""What is wrong with the state of a round is told before what is wrong with the request, whatever is handed back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cardroom.adapters.sqlite import SqliteLedger
from cardroom.refusals import Refusal
from cardroom.services.play import settle_round
from cardroom.services.ports import Ports
from cardroom.services.writing import RecordStale, RoundUnknown
from tests.functional.caller import Caller
from tests.services import OPERATOR, deal, open_, ports_on

BACCARAT = "california-baccarat/redding-1995"

# Calls with a fault of their own, and the slug of it while the state allows the call.
DEALS: dict[str, dict[str, Any]] = {
    "cut-invalid": {"cut": 53},
    "banker-wager-missing": {"banker_wager": None},
    "hands-not-wanted": {"hands": [{"seat": 1, "cards": ["As"]}]},
}
SETTLEMENTS: dict[str, dict[str, Any]] = {
    "seat-not-set": {"sets": []},
    "seat-without-wager": {"sets": [{"seat": seat, "how": "house_way"} for seat in (1, 2, 3, 4)]},
}


@pytest.mark.parametrize("handed", [True, False], ids=["handed-back", "read"])
@pytest.mark.parametrize("slug", DEALS)
def test_a_deal_that_is_refused(caller: Caller, slug: str, handed: bool) -> None:
    opened = caller.open().record
    faulty = {**DEALS[slug], "opened": opened if handed else None}
    assert caller.deal(**faulty).refusal() == (422, slug)
    caller.void()
    assert caller.deal(**faulty).refusal() == (409, "round-voided")


@pytest.mark.parametrize("handed", [True, False], ids=["handed-back", "read"])
def test_a_deal_that_is_refused_after_another_was_made(caller: Caller, handed: bool) -> None:
    opened = caller.open().record
    faulty = {"cut": 53, "opened": opened if handed else None}
    assert caller.deal().status == 200
    assert caller.deal(**faulty).refusal() == (422, "round-changed")
    assert caller.settle().status == 200
    assert caller.deal(**faulty).refusal() == (422, "round-changed")


@pytest.mark.parametrize("handed", [True, False], ids=["handed-back", "read"])
@pytest.mark.parametrize("slug", SETTLEMENTS)
def test_a_settlement_that_is_refused(caller: Caller, slug: str, handed: bool) -> None:
    caller.open()
    dealt = caller.deal().record
    faulty = {**SETTLEMENTS[slug], "dealt": dealt if handed else None}
    assert caller.settle(**faulty).refusal() == (422, slug)
    caller.void()
    assert caller.settle(**faulty).refusal() == (409, "round-voided")


OPENS: dict[str, dict[str, Any]] = {
    "ruleset-unknown": {"ruleset": "pai-gow-poker/none"},
    "seat-unknown": {"seats": [{"seat": 9, "bettor": "ann"}]},
    "banker-not-seated": {"banker": {"seat": 2, "bettor": "ann"}},
}


@pytest.mark.parametrize("slug", OPENS)
def test_an_open_that_is_refused(caller: Caller, slug: str) -> None:
    """A round that was voided before it was opened is voided for a faulty open as for a right one."""
    assert caller.open(**OPENS[slug]).refusal()[1] == slug
    caller.void()
    assert caller.open().refusal() == (409, "round-voided")
    assert caller.open(**OPENS[slug]).refusal() == (409, "round-voided")
    assert caller.open(**OPENS[slug], table_id="t2").refusal() == (422, "table-differs")
    caller.open(round_id="r2")
    assert caller.open().refusal() == (409, "round-voided")  # rather than that r2 is live
    assert caller.open(round_id="r3").refusal() == (409, "round-live")


def test_a_shoe_and_a_draw_that_are_refused(caller: Caller) -> None:
    """What was carried out before is told first there, too; nothing else can come before a shoe's open or a draw."""
    shoe = {"shoe_id": "s1", "table_id": "t1", "ruleset": BACCARAT}
    draw = {"draw_id": "d1", "ruleset": "push-nine/redding-1995", "kind": "first_button", "seats": [1, 2]} | {
        "client_seed": "none"
    }
    for path, body in (("/v1/tables/t1/draws", draw), ("/v1/shoes", shoe)):
        faulty = body | {"ruleset": "no/such"}
        assert caller.post(path, faulty).refusal() == (404, "ruleset-unknown")
        assert caller.post(path, body).status == 201
        assert caller.post(path, faulty).refusal() == (422, "round-changed")
    assert caller.post("/v1/shoes/s2/close", {"table_id": "t1"}).refusal() == (422, "shoe-unknown")
    assert caller.post("/v1/shoes/s1/close", {"table_id": "t2"}).refusal() == (422, "table-differs")
    assert caller.post("/v1/shoes/s1/close", {"table_id": "t1"}).status == 200
    assert caller.post("/v1/shoes/s1/close", {"table_id": "t2"}).refusal() == (422, "round-changed")
    assert caller.post("/v1/shoes", shoe | {"ruleset": "no/such"}).refusal() == (422, "round-changed")


def test_a_record_of_a_ledger_that_was_put_back_is_told_before_the_request(tmp_path: Path) -> None:
    ledgers = [SqliteLedger(tmp_path / f"{name}.sqlite") for name in ("lost", "back")]
    lost = ports_on(ledgers[0], tmp_path)
    back = replace(lost, ledger=ledgers[1])
    open_(lost)
    dealt = deal(lost).record
    refused(back, dealt, RoundUnknown)
    open_(back)
    deal(back)
    refused(back, dealt, RecordStale)
    assert len(back.ledger.records(OPERATOR, "t1", after=0, limit=9)) == 2
    for ledger in ledgers:
        ledger.close()


def refused(ports: Ports, dealt: str, kind: type[Refusal]) -> None:
    """A settlement without any hand set, on a record that this ledger does not hold."""
    with pytest.raises(kind):
        settle_round(ports, {"sets": []}, operator=OPERATOR, round_id="r1", dealt=dealt)
