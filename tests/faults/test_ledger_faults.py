"""Every call to a store fails before it, after it, or loses its reply: no record is lost and none written twice."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError, EndpointConnectionError, ReadTimeoutError
from botocore.stub import ANY, Stubber

from cardroom.adapters import sqlite_file
from cardroom.adapters.dynamodb import ATTEMPTS, CONFIG, DynamoLedger, DynamoOperators, make_client
from cardroom.adapters.sqlite import SqliteLedger, SqliteOperators
from cardroom.services.ports import (
    Entry,
    HeadMoved,
    Ledger,
    LedgerDamaged,
    Operator,
    OperatorMoved,
    StateMoved,
    StoreUnavailable,
)
from tests.contract.support import OPERATOR, aws_environment, create_table, entry, moto_client, whole_round

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ROOT = Path(__file__).parents[2]
TIRED = f"the store did not answer {ATTEMPTS} attempts, or is busy; send the request again"

Fault = Callable[[Callable[[], Any]], Any]  # takes a call and does with it what it wants


# ------------------------------------------------------------------ faults of a network and of DynamoDB


def client_error(code: str, status: int = 400, **more: Any) -> ClientError:
    response = {"Error": {"Code": code, "Message": code}, "ResponseMetadata": {"HTTPStatusCode": status}, **more}
    return ClientError(response, "TransactWriteItems")  # type: ignore[arg-type]


def before(error: Exception) -> Fault:
    """The call is never carried out."""

    def fault(call: Callable[[], Any]) -> Any:
        raise error

    return fault


def after(error: Exception) -> Fault:
    """The call is carried out and its reply lost."""

    def fault(call: Callable[[], Any]) -> Any:
        call()
        raise error

    return fault


def is_carried_out(fault: Fault) -> bool:
    return fault.__qualname__.startswith("after")


def through(call: Callable[[], Any]) -> Any:
    return call()


def cancelled(*codes: str) -> Exception:
    reasons = [{"Code": code} for code in codes]
    return client_error("TransactionCanceledException", CancellationReasons=reasons)


TIMEOUT = ReadTimeoutError(endpoint_url="http://store")
PASSING = {
    "no connection": before(EndpointConnectionError(endpoint_url="http://store")),
    "no connection in time": before(ConnectTimeoutError(endpoint_url="http://store")),
    "no answer in time, not carried out": before(TIMEOUT),
    "no answer in time, carried out": after(TIMEOUT),
    "500, not carried out": before(client_error("InternalServerError", 500)),
    "500, carried out": after(client_error("InternalServerError", 500)),
    "503 of a proxy, carried out": after(client_error("503", 503)),
    "throttled": before(client_error("ThrottlingException")),
    "throughput exceeded": before(client_error("ProvisionedThroughputExceededException")),
    "still in progress": after(client_error("TransactionInProgressException")),
}
CANCELLED = {
    "conflict on the record": before(cancelled("TransactionConflict", "None", "None")),
    "conflict on the head": before(cancelled("None", "TransactionConflict", "None")),
    "conflict on the state": before(cancelled("None", "None", "TransactionConflict")),
    "throttled within": before(cancelled("ThrottlingError", "None", "None")),
    "throughput exceeded within": before(cancelled("None", "ProvisionedThroughputExceeded", "None")),
}


class Faulty:
    """A client whose next calls meet the given faults, and then none; counts all of them."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.faults: list[Fault] = []
        self.calls: list[str] = []
        self.arguments: list[dict[str, Any]] = []
        self.tokens: list[str] = []

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def call(**arguments: Any) -> Any:
            self.calls.append(name)
            self.arguments.append(arguments)
            self.tokens += [arguments["ClientRequestToken"]] if "ClientRequestToken" in arguments else []
            fault = self.faults.pop(0) if self.faults else through
            return fault(lambda: method(**arguments))

        return call


class Dynamo:
    """A ledger on moto behind a faulty client; `plain` looks at the same table without faults."""

    def __init__(self, client: DynamoDBClient) -> None:
        name = create_table(client)
        self.client = Faulty(client)
        self.slept: list[float] = []
        self.ledger = DynamoLedger(self.client, name, sleep=self.slept.append)  # type: ignore[arg-type]
        self.operators = DynamoOperators(self.client, name, sleep=self.slept.append)  # type: ignore[arg-type]
        self.plain = DynamoLedger(client, name)
        self.plain_operators = DynamoOperators(client, name)


@pytest.fixture(scope="module")
def moto_dynamodb() -> Iterator[DynamoDBClient]:
    with moto_client() as client:
        yield client


@pytest.fixture
def dynamo(moto_dynamodb: DynamoDBClient) -> Dynamo:
    return Dynamo(moto_dynamodb)


def everything(ledger: Ledger) -> list[str]:
    return list(ledger.records(OPERATOR, "table-1", after=0, limit=1_000))


def holds_exactly(ledger: Ledger, entries: list[Entry]) -> None:
    assert everything(ledger) == [each.jws for each in entries]
    assert ledger.head(OPERATOR, "table-1") == (entries[-1].head if entries else None)
    for each in {each.round_id: each for each in entries}.values():
        assert ledger.round_state(OPERATOR, each.round_id) == each.new_state


# ------------------------------------------------------------------ DynamoDB: appending


def test_an_append_is_one_call(dynamo: Dynamo) -> None:
    for each in whole_round():
        dynamo.client.calls.clear()
        dynamo.ledger.append(each)
        assert dynamo.client.calls == ["transact_write_items"]
    assert dynamo.slept == []


def test_a_lost_race_is_told_from_the_same_one_call(dynamo: Dynamo) -> None:
    opened, dealt, _ = whole_round()
    for each in (opened, dealt):
        dynamo.ledger.append(each)
    dynamo.client.calls.clear()
    with pytest.raises(StateMoved):
        dynamo.ledger.append(entry("dealt", after=opened, state=opened.new_state, text="other"))
    with pytest.raises(HeadMoved):
        dynamo.ledger.append(entry(after=opened, round_id="round-2"))
    assert dynamo.client.calls == ["transact_write_items"] * 2


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
@pytest.mark.parametrize("times", [1, ATTEMPTS - 1])
def test_a_passing_fault_is_outlived(dynamo: Dynamo, fault: Fault, times: int) -> None:
    entries = whole_round()
    for each in entries:
        dynamo.client.calls.clear()
        dynamo.client.faults = [fault] * times
        dynamo.ledger.append(each)
        # An attempt that was carried out is found by the one after it; no record needs to be read for that.
        assert dynamo.client.calls == ["transact_write_items"] * (2 if is_carried_out(fault) else times + 1)
        dynamo.client.faults.clear()
    holds_exactly(dynamo.plain, entries)
    assert len(set(dynamo.client.tokens)) == len(dynamo.client.tokens)


@pytest.mark.parametrize("fault", CANCELLED.values(), ids=CANCELLED)
def test_after_a_conflict_head_and_state_are_read_and_the_write_repeated(dynamo: Dynamo, fault: Fault) -> None:
    entries = whole_round()
    for each in entries:
        dynamo.client.calls.clear()
        dynamo.client.faults = [fault, through, through] * (ATTEMPTS - 1)
        dynamo.ledger.append(each)
        again = ["transact_write_items", "get_item", "get_item"] * (ATTEMPTS - 1)
        assert dynamo.client.calls == [*again, "transact_write_items"]
    holds_exactly(dynamo.plain, entries)


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_a_fault_that_stays_is_told_and_nothing_is_half_written(dynamo: Dynamo, fault: Fault) -> None:
    opened, dealt, _ = whole_round()
    dynamo.ledger.append(opened)
    dynamo.client.calls.clear()
    dynamo.client.faults = [fault] * ATTEMPTS
    if is_carried_out(fault):
        dynamo.client.faults = [fault, *[before(TIMEOUT)] * (ATTEMPTS - 1)]
    with pytest.raises(StoreUnavailable) as caught:
        dynamo.ledger.append(dealt)
    assert caught.value.message == TIRED
    assert dynamo.client.calls == ["transact_write_items"] * ATTEMPTS
    holds_exactly(dynamo.plain, [opened, dealt] if is_carried_out(fault) else [opened])
    dynamo.ledger.append(dealt)  # the same bytes again, later
    holds_exactly(dynamo.plain, [opened, dealt])


def test_waits_grow_and_differ_and_stay_short(dynamo: Dynamo) -> None:
    for _ in range(20):
        dynamo.client.faults = [before(TIMEOUT)] * ATTEMPTS
        with pytest.raises(StoreUnavailable):
            dynamo.ledger.append(entry())
    assert len(dynamo.slept) == 20 * (ATTEMPTS - 1)
    assert len(set(dynamo.slept)) > 50
    assert max(dynamo.slept[0 :: ATTEMPTS - 1]) <= 0.1
    assert 0.1 < max(dynamo.slept) <= 0.8


@pytest.mark.parametrize("fault", [after(TIMEOUT), before(TIMEOUT)], ids=["carried out", "not carried out"])
def test_a_lost_reply_and_a_rival_meanwhile(dynamo: Dynamo, fault: Fault) -> None:
    opened, dealt, settled = whole_round()
    dynamo.ledger.append(opened)
    rival = entry("dealt", after=opened, state=opened.new_state, text="rival")

    def rival_comes(call: Callable[[], Any]) -> Any:
        try:
            dynamo.plain.append(rival)
        except StateMoved:
            dynamo.plain.append(settled)  # ours stands, and the round has gone on since
        return call()

    dynamo.client.faults = [fault, rival_comes]
    if is_carried_out(fault):
        dynamo.ledger.append(dealt)
        holds_exactly(dynamo.plain, [opened, dealt, settled])
    else:
        with pytest.raises(StateMoved) as caught:
            dynamo.ledger.append(dealt)
        assert caught.value.state == rival.new_state
        holds_exactly(dynamo.plain, [opened, rival])


# ------------------------------------------------------------------ DynamoDB: conflicts


def test_after_a_conflict_a_moved_state_is_read_and_told(dynamo: Dynamo) -> None:
    opened, dealt, _ = whole_round()
    rival = entry("voided", after=opened, state=opened.new_state)
    dynamo.ledger.append(opened)
    dynamo.plain.append(rival)
    dynamo.client.calls.clear()
    dynamo.client.faults = [before(cancelled("None", "ConditionalCheckFailed", "TransactionConflict"))]
    with pytest.raises(StateMoved) as caught:
        dynamo.ledger.append(dealt)
    assert caught.value.state == rival.new_state
    assert dynamo.client.calls == ["transact_write_items", "get_item", "get_item", "get_item"]
    holds_exactly(dynamo.plain, [opened, rival])


def test_after_a_conflict_a_moved_head_is_read_and_told(dynamo: Dynamo) -> None:
    opened, dealt, _ = whole_round()
    rival = entry(after=opened, round_id="round-2")
    dynamo.ledger.append(opened)
    dynamo.plain.append(rival)
    dynamo.client.faults = [before(cancelled("None", "TransactionConflict", "None"))]
    with pytest.raises(HeadMoved):
        dynamo.ledger.append(dealt)
    holds_exactly(dynamo.plain, [opened, rival])


def test_a_state_that_failed_beside_a_conflict_needs_no_reading(dynamo: Dynamo) -> None:
    opened = entry()
    stored = {"table_id": {"S": "table-1"}, "state": {"S": "voided"}, "seqs": {"M": {"voided": {"N": "7"}}}}
    error = cancelled("TransactionConflict", "ConditionalCheckFailed", "ConditionalCheckFailed")
    error.response["CancellationReasons"][2]["Item"] = stored  # type: ignore[attr-defined]
    dynamo.client.faults = [before(error)]
    with pytest.raises(StateMoved) as caught:
        dynamo.ledger.append(opened)
    assert caught.value.state is not None
    assert caught.value.state.state == "voided"
    assert caught.value.state.seqs == {"voided": 7}
    assert dynamo.client.calls == ["transact_write_items"]


def test_after_a_conflict_with_our_own_lost_attempt_the_record_is_found(dynamo: Dynamo) -> None:
    opened, dealt, _ = whole_round()
    dynamo.ledger.append(opened)
    conflict = before(cancelled("TransactionConflict", "TransactionConflict", "TransactionConflict"))
    dynamo.client.faults = [after(TIMEOUT), conflict]
    dynamo.ledger.append(dealt)
    holds_exactly(dynamo.plain, [opened, dealt])


def test_conflicts_without_end_are_told(dynamo: Dynamo) -> None:
    conflict = before(cancelled("None", "TransactionConflict", "None"))
    dynamo.client.faults = [conflict, through, through] * ATTEMPTS
    with pytest.raises(StoreUnavailable) as caught:
        dynamo.ledger.append(entry())
    assert caught.value.message == TIRED
    holds_exactly(dynamo.plain, [])


@pytest.mark.parametrize(
    "error",
    [
        client_error("AccessDeniedException"),
        client_error("ResourceNotFoundException"),
        client_error("ValidationException"),
        cancelled("None", "None", "ValidationError"),
        client_error("TransactionCanceledException"),
    ],
    ids=["access denied", "no such table", "invalid", "invalid within", "no reasons"],
)
def test_a_fault_of_ours_is_not_tried_again(dynamo: Dynamo, error: ClientError) -> None:
    dynamo.client.faults = [before(error)]
    with pytest.raises(ClientError) as caught:
        dynamo.ledger.append(entry())
    assert caught.value is error
    assert dynamo.client.calls == ["transact_write_items"]


# ------------------------------------------------------------------ DynamoDB: on the wire


@pytest.fixture
def stubbed() -> Iterator[tuple[Any, Stubber]]:
    with aws_environment():
        client = boto3.client("dynamodb")  # unlike ours it holds our parameters against DynamoDB's own model
        with Stubber(client) as stubber:
            yield client, stubber
        stubber.assert_no_pending_responses()
        client.close()


def test_a_conflict_as_dynamodb_words_it(stubbed: tuple[Any, Stubber]) -> None:
    client, stubber = stubbed
    reasons = [{"Code": "None"}, {"Code": "TransactionConflict", "Message": "in progress"}, {"Code": "None"}]
    stubber.add_client_error(
        "transact_write_items",
        "TransactionCanceledException",
        http_status_code=400,
        modeled_fields={"CancellationReasons": reasons},
        expected_params={"TransactItems": ANY, "ClientRequestToken": ANY},
    )
    opened, dealt, _ = whole_round()
    state = {"table_id": {"S": "table-1"}, "state": {"S": "opened"}, "seqs": {"M": {"opened": {"N": "1"}}}}
    head = {"seq": {"N": "1"}, "sha256": {"S": opened.head.sha256}, "at": {"S": "x"}, "table_after": {"S": "{}"}}
    for sk, item in (("HEAD", head), ("STATE", state)):
        pk = f"T#{OPERATOR}#table-1" if sk == "HEAD" else f"R#{OPERATOR}#round-1"
        stubber.add_response(
            "get_item",
            {"Item": item},
            {"TableName": "ledger", "Key": {"pk": {"S": pk}, "sk": {"S": sk}}, "ConsistentRead": True},
        )
    stubber.add_response(
        "transact_write_items",
        {},
        {
            "ClientRequestToken": ANY,
            "TransactItems": [
                put(
                    {"pk": f"T#{OPERATOR}#table-1", "sk": "R#000000000002"},
                    {"jws": {"S": dealt.jws}},
                    "attribute_not_exists(pk)",
                ),
                put(
                    {"pk": f"T#{OPERATOR}#table-1", "sk": "HEAD"},
                    {
                        "seq": {"N": "2"},
                        "sha256": {"S": dealt.head.sha256},
                        "at": {"S": dealt.head.at},
                        "table_after": {"S": '{"banker":null,"hand_no":2}'},
                    },
                    "#sha256 = :sha256",
                    {"sha256": {"S": opened.head.sha256}},
                ),
                put(
                    {"pk": f"R#{OPERATOR}#round-1", "sk": "STATE"},
                    {
                        "table_id": {"S": "table-1"},
                        "state": {"S": "dealt"},
                        "seqs": {"M": {"opened": {"N": "1"}, "dealt": {"N": "2"}}},
                    },
                    "#table_id = :table_id AND #state = :state AND #seqs = :seqs",
                    state,
                ),
            ],
        },
    )
    DynamoLedger(client, "ledger", sleep=lambda _: None).append(dealt)


def put(key: dict[str, str], item: dict[str, Any], condition: str, expected: dict[str, Any] | None = None) -> Any:
    found: dict[str, Any] = {
        "TableName": "ledger",
        "Item": {**{name: {"S": value} for name, value in key.items()}, **item},
        "ConditionExpression": condition,
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    if expected:
        found["ExpressionAttributeNames"] = {f"#{name}": name for name in expected}
        found["ExpressionAttributeValues"] = {f":{name}": value for name, value in expected.items()}
    return {"Put": found}


def test_the_client_gives_up_soon_and_repeats_nothing_by_itself() -> None:
    with aws_environment():
        client = make_client("http://127.0.0.1:9")
        config = client.meta.config
        assert (config.connect_timeout, config.read_timeout) == (1, 2)  # type: ignore[attr-defined]
        assert config.retries["total_max_attempts"] == 1  # type: ignore[attr-defined]
        assert ATTEMPTS * (CONFIG.connect_timeout + CONFIG.read_timeout) + 2 <= 15  # type: ignore[attr-defined]
        with pytest.raises(StoreUnavailable) as caught:
            DynamoLedger(client, "ledger", sleep=lambda _: None).append(entry())
        assert caught.value.message == TIRED
        client.close()


# ------------------------------------------------------------------ DynamoDB: reading, and operators

READS: dict[str, Callable[[Ledger], object]] = {
    "head": lambda ledger: ledger.head(OPERATOR, "table-1"),
    "round_state": lambda ledger: ledger.round_state(OPERATOR, "round-1"),
    "record": lambda ledger: ledger.record(OPERATOR, "table-1", 2),
    "records": lambda ledger: list(ledger.records(OPERATOR, "table-1", after=0, limit=9)),
    "tables": lambda ledger: list(ledger.tables(OPERATOR)),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_read_outlives_passing_faults_and_gives_up_in_the_end(
    dynamo: Dynamo, read: Callable[[Ledger], object]
) -> None:
    for each in whole_round():
        dynamo.ledger.append(each)
    wanted = read(dynamo.plain)
    for fault in PASSING.values():
        dynamo.client.faults = [fault] * (ATTEMPTS - 1)
        assert read(dynamo.ledger) == wanted
        dynamo.client.faults = [fault] * ATTEMPTS
        with pytest.raises(StoreUnavailable) as caught:
            read(dynamo.ledger)
        assert caught.value.message == TIRED
    denied = client_error("AccessDeniedException")
    dynamo.client.faults = [before(denied)]
    with pytest.raises(ClientError, match="AccessDenied"):
        read(dynamo.ledger)


def test_every_read_is_strongly_consistent(dynamo: Dynamo) -> None:
    for each in whole_round():
        dynamo.ledger.append(each)
    dynamo.client.calls.clear()
    dynamo.client.arguments.clear()
    for read in READS.values():
        read(dynamo.ledger)
    dynamo.operators.get("ada")
    list(dynamo.operators.list())
    assert set(dynamo.client.calls) == {"get_item", "query"}
    assert [arguments["ConsistentRead"] for arguments in dynamo.client.arguments] == [True] * 7


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_credentials_outlive_passing_faults(dynamo: Dynamo, fault: Fault) -> None:
    ada = Operator(operator="ada", scopes=frozenset({"read"}), secrets=(("00", "aa"),))
    rotated = replace(ada, secrets=(("11", "bb"), *ada.secrets))
    for new, old in ((ada, None), (rotated, ada)):
        dynamo.client.faults = [fault]
        dynamo.operators.put(new, replaces=old)
    assert list(dynamo.plain_operators.list()) == [rotated]
    dynamo.client.faults = [before(TIMEOUT)] * ATTEMPTS
    with pytest.raises(StoreUnavailable):
        dynamo.operators.put(ada, replaces=rotated)
    dynamo.client.faults = [before(cancelled("TransactionConflict", "None"))]
    with pytest.raises(OperatorMoved):
        dynamo.operators.put(ada, replaces=ada)


# ------------------------------------------------------------------ SQLite


class FaultyConnection:
    """A connection whose n-th statement fails, before or after it is carried out."""

    def __init__(self, connection: sqlite3.Connection, number: int, *, carried_out: bool) -> None:
        self._connection = connection
        self._left = number
        self._carried_out = carried_out

    def execute(self, statement: str, *arguments: Any) -> Any:
        self._left -= 1
        if self._left == 0 and not self._carried_out:
            raise disk_error()
        answer = self._connection.execute(statement, *arguments)
        if self._left == 0:
            raise disk_error()
        return answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def disk_error() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
    return error


@pytest.mark.parametrize("carried_out", [False, True], ids=["before", "after"])
def test_whichever_statement_fails_nothing_is_half_written(tmp_path: Path, carried_out: bool) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    onlooker = SqliteLedger(tmp_path / "ledger.sqlite")
    file = ledger._file
    connection = file._connection
    entries: list[Entry] = []
    for number in range(1, 9):  # BEGIN, three SELECT, three INSERT, COMMIT
        following = entry(after=entries[-1] if entries else None, round_id=f"round-{number}")
        file._connection = FaultyConnection(connection, number, carried_out=carried_out)  # type: ignore[assignment]
        with pytest.raises(StoreUnavailable) as caught:
            ledger.append(following)
        assert caught.value.message == ("the ledger file cannot be used now: disk I/O error; send the request again")
        committed = number == 8 and carried_out
        holds_exactly(onlooker, [*entries, following] if committed else entries)
        file._connection = connection
        ledger.append(following)
        entries.append(following)
        holds_exactly(onlooker, entries)
    file._connection = FaultyConnection(connection, 9, carried_out=carried_out)  # type: ignore[assignment]
    ledger.append(entry(after=entries[-1], round_id="round-9"))  # there is no ninth statement
    file._connection = connection
    ledger.close()
    onlooker.close()


def test_a_file_that_stays_locked_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.05)
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    rival = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None)
    rival.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable) as caught:
        ledger.append(entry())
    assert caught.value.message == "the ledger file cannot be used now: database is locked; send the request again"
    assert everything(ledger) == []  # readers are not kept out
    rival.execute("ROLLBACK")
    ledger.append(entry())
    assert everything(ledger) == [entry().jws]
    rival.close()
    ledger.close()


def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    first = entry()
    ledger.append(first)
    pages = ledger._file._connection.execute("PRAGMA page_count").fetchone()[0]
    ledger._file._connection.execute(f"PRAGMA max_page_count = {pages}")
    large = replace(entry(after=first, round_id="round-2"), jws="x" * 100_000)
    with pytest.raises(StoreUnavailable, match="database or disk is full"):
        ledger.append(large)
    holds_exactly(ledger, [first])
    ledger._file._connection.execute("PRAGMA max_page_count = 1000000")
    ledger.append(large)
    holds_exactly(ledger, [first, large])
    ledger.close()


def test_the_file_itself_guards_its_records_and_is_for_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ledger = SqliteLedger(path)
    ledger.append(entry())
    stranger = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="records are never changed"):
        stranger.execute("UPDATE records SET jws = 'forged'")
    with pytest.raises(sqlite3.IntegrityError, match="records are never deleted"):
        stranger.execute("DELETE FROM records")
    stranger.close()
    assert everything(ledger) == [entry().jws]
    modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert modes == {"ledger.sqlite": 0o600, "ledger.sqlite-wal": 0o600, "ledger.sqlite-shm": 0o600}
    ledger.close()


def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    """A kill of the process cannot show it, only one of the machine could."""
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    connection = ledger._file._connection
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    ledger.close()


def test_a_file_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 3")
    connection.close()
    before = path.read_bytes()
    for kind in (SqliteLedger, SqliteOperators):
        with pytest.raises(LedgerDamaged, match="is of format 3; this version reads ledgers of format 2, and of 1"):
            kind(path)
    assert path.read_bytes() == before


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(LedgerDamaged, match="is of format 0; this version"):
        SqliteLedger(path)
    assert path.read_bytes() == before
    path.write_bytes(b"no database, but long enough that SQLite looks for its header in it" * 20)
    with pytest.raises(LedgerDamaged, match=r"ledger\.sqlite cannot be read: file is not a database"):
        SqliteLedger(path)


_APPENDER = """
import sys
from cardroom.adapters.sqlite import SqliteLedger
from tests.contract.support import entry

ledger, previous, n = SqliteLedger(sys.argv[1]), None, 0
while True:
    n += 1
    mine = entry(after=previous, round_id=f"round-{sys.argv[2]}-{n}", table_id="table-" + sys.argv[2])
    ledger.append(mine)
    previous = mine
    print(mine.head.seq, mine.jws, flush=True)
"""


def test_no_acknowledged_record_is_lost_by_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    chance = random.Random(9)
    for run in range(5):
        appender = subprocess.Popen(
            [sys.executable, "-c", _APPENDER, path, str(run)], stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        assert appender.stdout is not None
        acknowledged = [appender.stdout.readline()]
        time.sleep(chance.uniform(0, 0.15))
        os.kill(appender.pid, signal.SIGKILL)
        acknowledged += appender.stdout.readlines()
        appender.stdout.close()
        appender.wait()
        if not acknowledged[-1].endswith("\n"):
            acknowledged.pop()  # the kill cut the line
        ledger = SqliteLedger(path)
        for line in acknowledged:
            seq, jws = line.split()
            assert ledger.record(OPERATOR, f"table-{run}", int(seq)) == jws
        head = ledger.head(OPERATOR, f"table-{run}")
        assert head is not None
        stored = ledger.records(OPERATOR, f"table-{run}", after=0, limit=100_000)
        assert len(acknowledged) <= len(stored) == head.seq <= len(acknowledged) + 1
        ledger.close()
    check = sqlite3.connect(path)
    assert check.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    check.close()
