"""Every store call of every writing service fails before, or lands and loses its reply: nothing is lost or doubled."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cardroom.adapters.sqlite import SqliteLedger
from cardroom.services.play import void_round
from cardroom.services.ports import Entry, Ledger, Ports, StoreUnavailable
from cardroom.services.recorded import Answer, RoundChanged
from cardroom.services.writing import RoundVoided
from tests.services import (
    OPERATOR,
    correct_physical,
    correct_settled,
    deal,
    lock,
    open_,
    physical,
    ports_on,
    settle,
    settle_locked,
    settle_physical,
    void,
)


class Failing:
    """A ledger whose n-th call fails: before it is made, or after it landed, its reply lost."""

    def __init__(self, inner: Ledger, *, at: int, after: bool) -> None:
        self._inner = inner
        self._left = at
        self._after = after
        self.failed = False

    def _call(self, call: Callable[[], Any]) -> Any:
        self._left -= 1
        if self._left != 0:
            return call()
        self.failed = True
        if self._after:
            call()
        raise StoreUnavailable("the store did not answer")

    def head(self, operator: str, table_id: str) -> Any:
        return self._call(lambda: self._inner.head(operator, table_id))

    def round_state(self, operator: str, round_id: str) -> Any:
        return self._call(lambda: self._inner.round_state(operator, round_id))

    def record(self, operator: str, table_id: str, seq: int) -> Any:
        return self._call(lambda: self._inner.record(operator, table_id, seq))

    def records(self, operator: str, table_id: str, *, after: int, limit: int) -> Any:
        return self._call(lambda: self._inner.records(operator, table_id, after=after, limit=limit))

    def tables(self, operator: str) -> Any:
        return self._call(lambda: self._inner.tables(operator))

    def append(self, entry: Entry) -> Any:
        return self._call(lambda: self._inner.append(entry))


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    kept = SqliteLedger(tmp_path / "ledger.sqlite")
    yield kept
    kept.close()


@pytest.fixture
def ports(ledger: SqliteLedger, tmp_path: Path) -> Ports:
    return ports_on(ledger, tmp_path)


def with_ledger(ports: Ports, ledger: Ledger) -> Ports:
    return replace(ports, ledger=ledger)


CALLS: dict[str, Callable[[Ports], Answer]] = {
    "open": open_,
    "deal": deal,
    "settle": settle,
    "sets": lock,
    "settle after sets": settle_locked,
    "correct the deal": correct_physical,
    "correct the settlement": correct_settled,
    "void": void,
    "tombstone": lambda ports: void(ports, "late"),
}
BEFORE: dict[str, Sequence[Callable[[Ports], Answer]]] = {
    "open": (),
    "deal": (open_,),
    "settle": (open_, deal),
    "sets": (open_, deal),
    "settle after sets": (open_, deal, lock),
    "correct the deal": (physical,),
    "correct the settlement": (physical, settle_physical),
    "void": (open_, deal),
    "tombstone": (),
}


@pytest.mark.parametrize("after", [False, True], ids=["before", "reply-lost"])
@pytest.mark.parametrize("call", CALLS)
def test_each_store_call_fails_once(ports: Ports, ledger: SqliteLedger, call: str, after: bool) -> None:
    for step in BEFORE[call]:
        step(ports)
    length = len(ledger.records(OPERATOR, "t1", after=0, limit=100))
    for at in itertools.count(1):
        failing = Failing(ledger, at=at, after=after)
        try:
            first = CALLS[call](with_ledger(ports, failing))
        except StoreUnavailable:
            assert failing.failed
        else:
            assert not failing.failed or first.replayed
        again = CALLS[call](ports)
        records = ledger.records(OPERATOR, "t1", after=0, limit=100)
        assert len(records) == length + 1
        assert records[-1] == again.record
        if not failing.failed:
            assert at > 1
            return


def test_another_request_for_a_done_operation_changes_nothing(ports: Ports, ledger: SqliteLedger) -> None:
    open_(ports)
    with pytest.raises(RoundChanged, match="it differs in reason"):
        void(ports)
        void_round(ports, {"table_id": "t1", "reason": "equipment"}, operator=OPERATOR, round_id="r1")
    with pytest.raises(RoundVoided, match="round r1 was voided"):
        deal(ports)
    assert len(ledger.records(OPERATOR, "t1", after=0, limit=100)) == 2
