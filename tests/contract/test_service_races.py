"""Many callers at once, on the ledgers that bear it: one record, and everyone hears the same."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cardroom.services.recording import Answer, House
from tests.services import OPERATOR, deal, house_on, open_, settle, void

if TYPE_CHECKING:
    from tests.contract.conftest import Store


@pytest.fixture
def house(shared_store: Store, tmp_path: Path) -> House:
    return house_on(shared_store.ledger, tmp_path)


@pytest.mark.parametrize("handed", [True, False], ids=["handed-back", "read"])
def test_twenty_callers_settle_one_round(house: House, handed: bool) -> None:
    open_(house)
    dealt = deal(house).record
    barrier = threading.Barrier(20)

    def one(_: int) -> Answer:
        barrier.wait()
        return settle(house, dealt if handed else None)

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(one, range(20)))
    assert len({answer.record for answer in answers}) == 1
    assert sum(not answer.replayed for answer in answers) == 1
    assert len(house.ledger.records(OPERATOR, "t1", after=0, limit=100)) == 3


def test_twenty_callers_open_twenty_rounds_of_one_table(house: House) -> None:
    """One is opened, the others hear that it is live; none is lost."""
    barrier = threading.Barrier(20)

    def one(number: int) -> str:
        barrier.wait()
        try:
            return open_(house, f"r{number}").payload["kind"]
        except Exception as refusal:
            return type(refusal).__name__

    with ThreadPoolExecutor(20) as pool:
        kinds = sorted(pool.map(one, range(20)))
    assert kinds == ["RoundLive"] * 19 + ["opened"]
    assert len(house.ledger.records(OPERATOR, "t1", after=0, limit=100)) == 1


def test_settle_and_void_race_has_one_winner(house: House) -> None:
    open_(house)
    deal(house)
    barrier = threading.Barrier(2)

    def one(call: Callable[[House], Answer]) -> str:
        barrier.wait()
        try:
            return call(house).payload["kind"]
        except Exception as refusal:
            return type(refusal).__name__

    with ThreadPoolExecutor(2) as pool:
        kinds = sorted(pool.map(one, [settle, void]))
    assert kinds in (["RoundSettled", "settled"], ["RoundVoided", "voided"])
    assert len(house.ledger.records(OPERATOR, "t1", after=0, limit=100)) == 3
