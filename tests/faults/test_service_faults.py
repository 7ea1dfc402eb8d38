"""Every store call of every writing service fails before, or lands and loses its reply: nothing is lost or doubled."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from cardroom.adapters.sqlite import SqliteLedger
from cardroom.services.play import void_round
from cardroom.services.ports import Entry, Ledger, StoreUnavailable
from cardroom.services.recording import Answer, House, RoundChanged, RoundVoided
from tests.services import OPERATOR, deal, house_on, open_, settle, void


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
def house(ledger: SqliteLedger, tmp_path: Path) -> House:
    return house_on(ledger, tmp_path)


def with_ledger(house: House, ledger: Ledger) -> House:
    return House(
        ledger=ledger,
        signer=house.signer,
        verifier=house.verifier,
        master=house.master,
        clock=house.clock,
        entropy=house.entropy,
    )


CALLS: dict[str, Callable[[House], Answer]] = {
    "open": open_,
    "deal": deal,
    "settle": settle,
    "void": void,
    "tombstone": lambda house: void(house, "late"),
}
BEFORE: dict[str, Sequence[Callable[[House], Answer]]] = {
    "open": (),
    "deal": (open_,),
    "settle": (open_, deal),
    "void": (open_, deal),
    "tombstone": (),
}


@pytest.mark.parametrize("after", [False, True], ids=["before", "reply-lost"])
@pytest.mark.parametrize("call", CALLS)
def test_each_store_call_fails_once(house: House, ledger: SqliteLedger, call: str, after: bool) -> None:
    for step in BEFORE[call]:
        step(house)
    length = len(ledger.records(OPERATOR, "t1", after=0, limit=100))
    for at in itertools.count(1):
        failing = Failing(ledger, at=at, after=after)
        try:
            first = CALLS[call](with_ledger(house, failing))
        except StoreUnavailable:
            assert failing.failed
        else:
            assert not failing.failed or first.replayed
        again = CALLS[call](house)
        records = ledger.records(OPERATOR, "t1", after=0, limit=100)
        assert len(records) == length + 1
        assert records[-1] == again.record
        if not failing.failed:
            assert at > 1
            return


def test_another_request_for_a_done_operation_changes_nothing(house: House, ledger: SqliteLedger) -> None:
    open_(house)
    with pytest.raises(RoundChanged, match="it differs in reason"):
        void(house)
        void_round(house, {"table_id": "t1", "reason": "equipment"}, operator=OPERATOR, round_id="r1")
    with pytest.raises(RoundVoided, match="round r1 was voided"):
        deal(house)
    assert len(ledger.records(OPERATOR, "t1", after=0, limit=100)) == 2
