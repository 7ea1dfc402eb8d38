"""Many callers at once, on the ledgers that bear it: one record, and everyone hears the same."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cardroom.services.ports import Ports
from cardroom.services.recorded import Answer
from tests.services import OPERATOR, deal, lock, open_, ports_on, settle, settle_locked, void

if TYPE_CHECKING:
    from tests.contract.conftest import Store


@pytest.fixture
def ports(shared_store: Store, tmp_path: Path) -> Ports:
    return ports_on(shared_store.ledger, tmp_path)


@pytest.mark.parametrize("handed", [True, False], ids=["handed-back", "read"])
def test_twenty_callers_settle_one_round(ports: Ports, handed: bool) -> None:
    open_(ports)
    dealt = deal(ports).record
    barrier = threading.Barrier(20)

    def one(_: int) -> Answer:
        barrier.wait()
        return settle(ports, dealt if handed else None)

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(one, range(20)))
    assert len({answer.record for answer in answers}) == 1
    assert sum(not answer.replayed for answer in answers) == 1
    assert len(ports.ledger.records(OPERATOR, "t1", after=0, limit=100)) == 3


@pytest.mark.parametrize("handed", [True, False], ids=["handed-back", "read"])
def test_twenty_callers_lock_the_hands_of_one_round(ports: Ports, handed: bool) -> None:
    open_(ports)
    dealt = deal(ports).record
    barrier = threading.Barrier(20)

    def one(_: int) -> Answer:
        barrier.wait()
        return lock(ports, dealt if handed else None)

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(one, range(20)))
    assert len({answer.record for answer in answers}) == 1
    assert sum(not answer.replayed for answer in answers) == 1
    assert settle_locked(ports).payload["seq"] == 4


def test_sets_and_a_settlement_of_all_race_and_one_of_them_wins(ports: Ports) -> None:
    """Who settles all meets hands that are locked, or is met by a round that is settled."""
    open_(ports)
    deal(ports)
    barrier = threading.Barrier(2)

    def one(call: Callable[[Ports], Answer]) -> str:
        barrier.wait()
        try:
            return call(ports).payload["kind"]
        except Exception as refusal:
            return type(refusal).__name__

    with ThreadPoolExecutor(2) as pool:
        kinds = sorted(pool.map(one, [settle, lock]))
    assert kinds in (["HandLocked", "set"], ["RoundSettled", "settled"])
    assert len(ports.ledger.records(OPERATOR, "t1", after=0, limit=100)) == 3


def test_twenty_callers_open_twenty_rounds_of_one_table(ports: Ports) -> None:
    """One is opened, the others hear that it is live; none is lost."""
    barrier = threading.Barrier(20)

    def one(number: int) -> str:
        barrier.wait()
        try:
            return open_(ports, f"r{number}").payload["kind"]
        except Exception as refusal:
            return type(refusal).__name__

    with ThreadPoolExecutor(20) as pool:
        kinds = sorted(pool.map(one, range(20)))
    assert kinds == ["RoundLive"] * 19 + ["opened"]
    assert len(ports.ledger.records(OPERATOR, "t1", after=0, limit=100)) == 1


def test_settle_and_void_race_has_one_winner(ports: Ports) -> None:
    open_(ports)
    deal(ports)
    barrier = threading.Barrier(2)

    def one(call: Callable[[Ports], Answer]) -> str:
        barrier.wait()
        try:
            return call(ports).payload["kind"]
        except Exception as refusal:
            return type(refusal).__name__

    with ThreadPoolExecutor(2) as pool:
        kinds = sorted(pool.map(one, [settle, void]))
    assert kinds in (["RoundSettled", "settled"], ["RoundVoided", "voided"])
    assert len(ports.ledger.records(OPERATOR, "t1", after=0, limit=100)) == 3
