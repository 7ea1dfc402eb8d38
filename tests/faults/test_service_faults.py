"""Every store call of every writing service fails before, or lands and loses its reply: nothing is lost or doubled."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cardroom.adapters.clock import SystemClock
from cardroom.adapters.key_files import KeyFileMaster, KeyFileRoot
from cardroom.adapters.sqlite import SqliteLedger
from cardroom.audit import EphemeralSigner, RootVerifier
from cardroom.services.play import deal_round, open_round, settle_round, void_round
from cardroom.services.ports import Entry, Ledger, StoreUnavailable
from cardroom.services.recording import Answer, House, RoundChanged, RoundVoided
from tests.functional.caller import dealing, opening, settling

OPERATOR = "op"


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


def house_on(ledger: Ledger, folder: Path) -> House:
    root, clock = KeyFileRoot(folder), SystemClock()
    return House(
        ledger=ledger,
        signer=EphemeralSigner(root=root, clock=clock, audience="test"),
        verifier=RootVerifier(root.jwks(), audience="test"),
        master=KeyFileMaster(folder, epoch="1"),
        clock=clock,
        entropy=bytes,
    )


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


def open_(house: House, round_id: str = "r1") -> Answer:
    request = {key: value for key, value in opening().items() if key != "round_id"}
    return open_round(house, request, operator=OPERATOR, round_id=round_id)


def deal(house: House, opened: str | None = None) -> Answer:
    request = dealing()
    request["wagers"].sort(key=lambda wager: wager["wager_id"])
    return deal_round(house, request, operator=OPERATOR, round_id="r1", opened=opened)


def settle(house: House, dealt: str | None = None) -> Answer:
    return settle_round(house, settling(), operator=OPERATOR, round_id="r1", dealt=dealt)


def void(house: House, round_id: str = "r1") -> Answer:
    return void_round(house, {"table_id": "t1", "reason": "other"}, operator=OPERATOR, round_id=round_id)


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


@pytest.mark.parametrize("handed", [True, False], ids=["handed-back", "read"])
def test_twenty_callers_settle_one_round(house: House, ledger: SqliteLedger, handed: bool) -> None:
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
    assert len(ledger.records(OPERATOR, "t1", after=0, limit=100)) == 3


def test_twenty_callers_open_twenty_rounds_of_one_table(house: House, ledger: SqliteLedger) -> None:
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
    assert len(ledger.records(OPERATOR, "t1", after=0, limit=100)) == 1


def test_settle_and_void_race_has_one_winner(house: House, ledger: SqliteLedger) -> None:
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
    assert len(ledger.records(OPERATOR, "t1", after=0, limit=100)) == 3


def test_another_request_for_a_done_operation_changes_nothing(house: House, ledger: SqliteLedger) -> None:
    open_(house)
    with pytest.raises(RoundChanged, match="it differs in reason"):
        void(house)
        void_round(house, {"table_id": "t1", "reason": "equipment"}, operator=OPERATOR, round_id="r1")
    with pytest.raises(RoundVoided, match="round r1 was voided"):
        deal(house)
    assert len(ledger.records(OPERATOR, "t1", after=0, limit=100)) == 2
