"""A master secret that is lost, replaced or of another epoch: nothing is dealt against a broken commitment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cardroom.audit.export import ExportHeader, export_lines
from cardroom.audit.replay import Replay
from cardroom.audit.verify import verify_export
from cardroom.services.catalogue import published
from cardroom.services.play import close_shoe, deal_round, hold_draw, open_round, open_shoe, settle_round, void_round
from cardroom.services.ports import Ports
from cardroom.signing.certificate import KeysUnavailable
from tests.rules.banked_round import opening, wager
from tests.services import OPERATOR, deal, open_, ports_on, settle, void

if TYPE_CHECKING:
    from tests.contract.conftest import Store

Json = dict[str, Any]

BACCARAT = "california-baccarat/redding-1995"
SEATED = (1, 2, 3)
SHOE_TABLE = {"table_id": "t1", "ruleset": BACCARAT}


class Masters:
    """The master secrets by epoch; one that is not here is lost, or out of reach for now."""

    def __init__(self, secrets: dict[str, bytes], *, epoch: str = "1", lost: bool = True) -> None:
        self.epoch, self._secrets, self._lost = epoch, secrets, lost

    def secret(self, epoch: str) -> bytes:
        if epoch not in self._secrets:
            raise KeysUnavailable(f"no master of epoch {epoch}", lost=self._lost)
        return self._secrets[epoch]


GOOD = Masters({"1": bytes(32)})
GONE: dict[str, Callable[[], Masters]] = {
    "lost": lambda: Masters({}),
    "replaced": lambda: Masters({"1": b"\1" * 32}),
    "of another epoch": lambda: Masters({"2": b"\2" * 32}, epoch="2"),
}


@pytest.fixture
def ports(store: Store, tmp_path: Path) -> Ports:
    return ports_on(store.ledger, tmp_path, master=GOOD)


@pytest.fixture(params=GONE.values(), ids=GONE)
def gone(request: pytest.FixtureRequest, store: Store, tmp_path: Path) -> Ports:
    """The same service without the master that it had."""
    return ports_on(store.ledger, tmp_path, master=request.param())


def stored(ports: Ports) -> list[str]:
    return list(ports.ledger.records(OPERATOR, "t1", after=0, limit=100))


def codes(ports: Ports) -> list[tuple[str, int | None]]:
    header = ExportHeader(operator=OPERATOR, table_id="t1")
    lines = export_lines(stored(ports), signer=ports.signer, clock=ports.clock, header=header)
    report = verify_export(
        (one.encode() for one in lines), ports.signer.roots(), replay=Replay(published()), shapes=published().shapes
    )
    return [(found.code, found.seq) for found in report.findings]


@pytest.mark.parametrize("handed", [True, False], ids=["handed-back", "read"])
def test_nothing_is_dealt_without_the_seed(ports: Ports, gone: Ports, handed: bool) -> None:
    opened = open_(ports).record
    with pytest.raises(KeysUnavailable, match=r"master .*of epoch 1"):
        deal(gone, opened if handed else None)
    assert stored(ports) == [opened]
    voided = void(gone)
    body = {name: value for name, value in voided.payload["body"].items() if name != "opened"}
    assert body == {"was": "opened", "returned": [], "postings": [], "seed": None}
    assert codes(ports) == [("seed-lost", 2)]
    assert open_(ports, "r2").payload["seq"] == 3  # the table goes on


@pytest.mark.parametrize("handed", [True, False], ids=["handed-back", "read"])
def test_nothing_is_settled_without_the_seed(ports: Ports, gone: Ports, handed: bool) -> None:
    open_(ports)
    dealt = deal(ports).record
    with pytest.raises(KeysUnavailable, match=r"master .*of epoch 1"):
        settle(gone, dealt if handed else None)
    assert len(stored(ports)) == 2
    body = void(gone).payload["body"]
    assert body["seed"] is None
    assert sum(item["amount"] for item in body["returned"]) == 14_000
    assert codes(ports) == [("seed-lost", 3)]


def test_a_master_that_comes_back_goes_on_where_it_was(ports: Ports, gone: Ports) -> None:
    open_(ports)
    with pytest.raises(KeysUnavailable):
        deal(gone)
    deal(ports)
    with pytest.raises(KeysUnavailable):
        settle(gone)
    settle(ports)
    assert codes(ports) == []


def test_keys_out_of_reach_for_now_give_up_no_proof(ports: Ports, store: Store, tmp_path: Path) -> None:
    away = ports_on(store.ledger, tmp_path, master=Masters({}, lost=False))
    open_(ports)
    with pytest.raises(KeysUnavailable):
        void(away)
    assert len(stored(ports)) == 1
    assert void(ports).payload["body"]["seed"] is not None


def test_a_new_epoch_beside_the_old_one_changes_nothing(ports: Ports, store: Store, tmp_path: Path) -> None:
    both = ports_on(store.ledger, tmp_path, master=Masters({"1": bytes(32), "2": b"\2" * 32}, epoch="2"))
    open_(ports)
    deal(both)
    settle(both)
    assert open_(both, "r2").payload["body"]["epoch"] == "2"
    void(both, "r2")
    assert codes(both) == []


def shoe_round(ports: Ports, number: int, *, settle_it: bool = True) -> None:
    name = f"r{number}"
    request = opening(*SEATED, banker=1, source="shuffle", shoe_id="s1") | {"ruleset": BACCARAT}
    open_round(ports, request, operator=OPERATOR, round_id=name)
    first = {"client_seed": "ab" * 16} | ({"cut": 30} if number == 0 else {})
    asked = {"wagers": [wager(seat, 50) for seat in SEATED if seat != 1], "banker_wager": 200, **first}
    deal_round(ports, asked, operator=OPERATOR, round_id=name)
    if settle_it:
        sets = {"sets": [{"seat": seat, "how": "house_way"} for seat in SEATED]}
        settle_round(ports, sets, operator=OPERATOR, round_id=name)


def test_a_shoe_whose_seed_is_lost_deals_nothing_more_and_can_be_closed(ports: Ports, gone: Ports) -> None:
    open_shoe(ports, SHOE_TABLE, operator=OPERATOR, shoe_id="s1")
    shoe_round(ports, 0)
    shoe_round(ports, 1, settle_it=False)
    before = len(stored(ports))
    with pytest.raises(KeysUnavailable, match=r"master .*of epoch 1"):
        sets = {"sets": [{"seat": seat, "how": "house_way"} for seat in SEATED]}
        settle_round(gone, sets, operator=OPERATOR, round_id="r1")
    assert len(stored(ports)) == before
    voiding = {"table_id": "t1", "reason": "banker_wrong_number_of_cards"}
    void_round(gone, voiding, operator=OPERATOR, round_id="r1")
    closed = close_shoe(gone, {"table_id": "t1"}, operator=OPERATOR, shoe_id="s1")
    assert closed.payload["body"]["seed"] is None
    assert closed.payload["table_after"]["shoe"] is None
    assert close_shoe(ports, {"table_id": "t1"}, operator=OPERATOR, shoe_id="s1").record == closed.record
    assert codes(ports) == [("seed-lost", before + 1), ("seed-lost", before + 2)]


def test_no_draw_is_held_without_a_master(store: Store, tmp_path: Path) -> None:
    gone = ports_on(store.ledger, tmp_path, master=Masters({}))
    request = {"ruleset": "hi-hi-lo/redding-1995", "kind": "first_banker", "seats": [2, 5], "table_id": "t1"}
    with pytest.raises(KeysUnavailable, match="no master of epoch 1"):
        hold_draw(gone, request, operator=OPERATOR, draw_id="d1")
    with pytest.raises(KeysUnavailable, match="no master of epoch 1"):
        open_(gone)
    assert stored(gone) == []


def test_a_root_that_was_replaced_is_named(ports: Ports, store: Store, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = ports_on(store.ledger, tmp_path / "other", master=GOOD)
    opened = open_(ports)
    for call in (deal, void):
        with pytest.raises(KeysUnavailable, match="record 1 of table t1 is signed under a root key that this service"):
            call(other)
    assert stored(ports) == [opened.record]
    void(ports)
