"""Clocks that are wrong, step, or disagree: no call fails, no table is stuck, every record can be verified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cardroom.audit.export import ExportHeader, export_lines
from cardroom.audit.replay import Replay
from cardroom.audit.verify import verify_export
from cardroom.services.catalogue import published
from cardroom.services.play import close_shoe, open_shoe
from cardroom.services.ports import Ports
from cardroom.services.read_records import read_round
from cardroom.services.writing import RecordExpired
from cardroom.signing.certificate import EphemeralSigner
from tests.audit.play import signed_by_an_old_key
from tests.services import OPERATOR, deal, open_, ports_on, settle, void

if TYPE_CHECKING:
    from tests.contract.conftest import Store

Json = dict[str, Any]

BEGIN = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


class HandClock:
    """A clock that stands where it is set."""

    def __init__(self) -> None:
        self.time = BEGIN

    def now(self) -> str:
        return self.time.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def pause(self, attempt: int) -> None:
        """Nobody else is there."""

    def at(self, **offset: float) -> None:
        self.time = BEGIN + timedelta(**offset)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def ports(store: Store, tmp_path: Path, clock: HandClock) -> Ports:
    return ports_on(store.ledger, tmp_path, clock=clock)


def report(ports: Ports) -> Json:
    """The audit of what is stored; every record of it must hold."""
    records = ports.ledger.records(OPERATOR, "t1", after=0, limit=100)
    header = ExportHeader(operator=OPERATOR, table_id="t1")
    lines = [line.encode() for line in export_lines(records, signer=ports.signer, clock=ports.clock, header=header)]
    found = verify_export(lines, ports.signer.roots(), replay=Replay(published()), shapes=published().shapes)
    assert found.ok, found.findings
    assert found.records == len(records)
    return found.document


# What the clock says at the open, the deal and the settlement, and at a second round that is voided.
STEPS: dict[str, list[dict[str, float]]] = {
    "13 h fast, then right": [{"hours": 13}, {}, {"seconds": 1}, {"seconds": 2}, {"seconds": 3}],
    "2 days back": [{}, {"days": -2}, {"days": -2, "seconds": 1}, {"seconds": 2}, {"days": -2, "seconds": 3}],
    "400 days ahead, then right": [{"days": 400}, {"days": 400}, {}, {"seconds": 1}, {"seconds": 2}],
    "2 minutes back after the key": [{}, {"minutes": -2}, {"minutes": -1}, {}, {"minutes": -2}],
    "2 minutes on after the key": [{}, {"minutes": 2}, {}, {"minutes": 2}, {}],
    "a minute back, in the key's term": [{}, {"minutes": -1}, {}, {"minutes": -1}, {}],
    "at the end of the key's term": [{}, {"hours": 11, "minutes": 59}, {}, {"hours": 12}, {"hours": 12, "days": 1}],
}


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
@pytest.mark.parametrize("handed", [True, False], ids=["handed-back", "read"])
def test_a_clock_that_steps(ports: Ports, clock: HandClock, steps: list[dict[str, float]], handed: bool) -> None:
    clock.at(**steps[0])
    opened = open_(ports).record
    clock.at(**steps[1])
    dealt = deal(ports, opened if handed else None).record
    clock.at(**steps[2])
    settled = settle(ports, dealt if handed else None)
    clock.at(**steps[3])
    open_(ports, "r2")
    clock.at(**steps[4])
    void(ports, "r2")
    assert settle(ports).record == settled.record  # and a retry is answered whatever the time
    times = [(BEGIN + timedelta(**step)).isoformat(timespec="milliseconds").replace("+00:00", "Z") for step in steps]
    back = [
        {"seq": seq, "at": at, "before": before}
        for seq, (before, at) in enumerate(pairwise(times), start=2)
        if at < before
    ]
    listed = report(ports)["listed"]["clock_back"]
    assert [{name: one[name] for name in ("seq", "at", "before")} for one in listed] == back
    for one in listed:
        late = datetime.fromisoformat(one["before"]) - datetime.fromisoformat(one["at"])
        assert one["back_ms"] == late / timedelta(milliseconds=1)


@pytest.mark.parametrize("ahead", [0, 1], ids=["the first is ahead", "the second is ahead"])
def test_two_hosts_ten_minutes_apart_at_one_table(store: Store, tmp_path: Path, ahead: int) -> None:
    clocks = [HandClock(), HandClock()]
    clocks[ahead].at(minutes=10)
    hosts = [ports_on(store.ledger, tmp_path, clock=clock) for clock in clocks]
    dealt = deal(hosts[1], open_(hosts[0]).record).record
    settle(hosts[0], dealt)
    open_(hosts[1], "r2")
    void(hosts[0], "r2")
    listed = report(hosts[0])["listed"]["clock_back"]
    assert [one["back_ms"] for one in listed] == [600_000] * 2
    assert [one["seq"] for one in listed] == ([2, 4] if ahead == 0 else [3, 5])


def signed_outside_its_term(ports: Ports, answer: Callable[[Ports], Any]) -> None:
    """What an earlier version of the service stored: a record that no certificate covers."""
    inner = ports.signer
    assert isinstance(inner, EphemeralSigner)
    inner.sign({"at": ports.clock.now()})

    class Signer:
        def sign(self, payload: Json) -> str:
            return signed_by_an_old_key(inner, {**payload, "at": "2026-12-29T12:00:00.000Z"})

        def roots(self) -> Any:
            return inner.roots()

    answer(replace(ports, signer=Signer()))


def test_a_round_whose_record_no_certificate_covers_can_be_voided_only(ports: Ports) -> None:
    signed_outside_its_term(ports, open_)
    with pytest.raises(RecordExpired, match=r"opened record of round r1 cannot be verified .*: void it"):
        deal(ports)
    assert read_round(ports, operator=OPERATOR, round_id="r1", may_play=True)["state"] == "opened"
    voided = void(ports)
    assert voided.payload["body"]["was"] == "opened"
    assert void(ports).record == voided.record
    open_(ports, "r2")


def test_a_shoe_whose_record_no_certificate_covers_can_be_closed(ports: Ports) -> None:
    shoe = {"table_id": "t1", "ruleset": "california-baccarat/redding-1995"}
    signed_outside_its_term(ports, lambda earlier: open_shoe(earlier, shoe, operator=OPERATOR, shoe_id="s1"))
    closed = close_shoe(ports, {"table_id": "t1"}, operator=OPERATOR, shoe_id="s1")
    assert closed.payload["table_after"]["shoe"] is None
    assert close_shoe(ports, {"table_id": "t1"}, operator=OPERATOR, shoe_id="s1").record == closed.record


def test_a_record_that_is_not_genuine_is_not_voided_away(ports: Ports) -> None:
    """The signature and the certificate's must hold all the same."""
    answer = open_(ports)
    forged = answer.record[:-2] + ("AA" if not answer.record.endswith("AA") else "BB")

    class Forged:
        def __getattr__(self, name: str) -> Any:
            return getattr(ports.ledger, name)

        def record(self, operator: str, table_id: str, seq: int) -> str:
            return forged

    broken = replace(ports, ledger=Forged())
    with pytest.raises(Exception, match="record 1 of table t1 is not genuine"):
        void(broken)
    assert len(ports.ledger.records(OPERATOR, "t1", after=0, limit=9)) == 1
