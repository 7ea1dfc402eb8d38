"""The ledger and the operators in one DynamoDB table; one module, since they share its layout and its calls.

| pk | sk | item |
|---|---|---|
| `T#operator#table` | `R#` + 12 digits | one record: `jws` |
| `T#operator#table` | `HEAD` | `seq`, `sha256`, `at`, `table_after` (JSON) |
| `R#operator#round` | `STATE` | `table_id`, `state`, `seqs` |
| `O#operator` | `T#table` | put with the table's first record, so that the tables can be listed |
| `O#operator` | `CREDENTIALS` | `credentials` (JSON) |
| `OPERATORS` | operator | `credentials` again, so that the operators can be listed |

Three operations are used: GetItem and Query (strongly consistent), TransactWriteItems with puts only (which IAM
grants as `dynamodb:PutItem`). A record is put under the condition that it is not there, so none is ever replaced.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionError, HTTPClientError
from botocore.parsers import ResponseParserError

from cardroom.adapters.clock import jitter_seconds
from cardroom.services.ports import (
    PAGE_BYTES,
    Entry,
    Head,
    HeadMoved,
    LedgerDamaged,
    Operator,
    OperatorMoved,
    RoundState,
    StateMoved,
    StoreUnavailable,
)

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ATTEMPTS: Final = 4
"""Times that one call is sent before the store counts as unavailable; with the timeouts below, 12 s at the worst."""

CONFIG: Final = Config(
    connect_timeout=1,
    read_timeout=2,
    # One attempt: botocore would repeat a write with its old token and hide from us that an answer was lost. The loop
    # below repeats instead, and finds out from the stored record what became of the lost attempt.
    retries={"mode": "standard", "total_max_attempts": 1},
    tcp_keepalive=True,
    max_pool_connections=32,
    parameter_validation=False,  # the parameters are made here and held by the contract tests
)

_LONGEST_SLEEP: Final = 0.8  # seconds
_SHORTEST_SLEEP: Final = 0.05
_MAX_SEQ: Final = 10**12 - 1  # twelve digits

_BUSY_CODES: Final = frozenset(
    {
        "InternalServerError",
        "ProvisionedThroughputExceeded",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestTimeout",
        "RequestTimeoutException",
        "ServiceUnavailable",
        "ThrottlingError",
        "ThrottlingException",
        "TransactionConflict",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)

_Item = dict[str, Any]  # an item as the wire has it: {"seq": {"N": "1"}, …}


def make_client(endpoint_url: str | None = None) -> DynamoDBClient:
    """A client with our timeouts, for AWS or for another endpoint (ministack); safe to share among threads."""
    return boto3.client("dynamodb", endpoint_url=endpoint_url or None, config=CONFIG)


class DynamoLedger:
    """A ledger in a DynamoDB table; safe to share among threads.

    `sleep` waits the given seconds between two attempts.
    """

    def __init__(self, client: DynamoDBClient, table_name: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._store = _Store(client, table_name, sleep)

    def head(self, operator: str, table_id: str) -> Head | None:
        """Where the table's chain stands, None if it has no record."""
        item = self._store.get(_table_pk(operator, table_id), "HEAD")
        return _head_from(item) if item else None

    def round_state(self, operator: str, round_id: str) -> RoundState | None:
        """How far the round has come, None if it is unknown to this operator."""
        return _state_from(self._store.get(_round_pk(operator, round_id), "STATE"))

    def record(self, operator: str, table_id: str, seq: int) -> str:
        """The compact JWS of one record; raises KeyError if there is none."""
        item = self._store.get(_table_pk(operator, table_id), _record_sk(seq)) if 0 < seq <= _MAX_SEQ else None
        if item is None:
            raise KeyError((operator, table_id, seq))
        jws: str = item["jws"]["S"]
        return jws

    def records(self, operator: str, table_id: str, *, after: int, limit: int) -> Sequence[str]:
        """Up to `limit` records with a number above `after`, in order; fewer if they come near PAGE_BYTES."""
        page: list[str] = []
        size = 0
        if after >= _MAX_SEQ or limit < 1:
            return page
        first, last = _record_sk(max(after, 0) + 1), _record_sk(_MAX_SEQ)
        for item in self._store.query(_table_pk(operator, table_id), first, last, limit=limit):
            jws = item["jws"]["S"]
            size += len(jws)
            if page and size > PAGE_BYTES:
                break
            page.append(jws)
        return page

    def tables(self, operator: str) -> Sequence[str]:
        """The operator's tables, in order of id."""
        items = self._store.query(f"O#{operator}", "T#", "T#~")  # `~` sorts after every character of an id
        return [item["sk"]["S"].removeprefix("T#") for item in items]

    def append(self, entry: Entry) -> None:
        """Write the record, move the head and the round's state in one transaction: one call where nothing goes wrong.

        Raises StateMoved (judged first), HeadMoved, StoreUnavailable, LedgerDamaged; nothing is
        written then, except that after StoreUnavailable the last attempt may still have landed.
        """
        puts = self._puts(entry)
        for _ in self._store.attempts():
            reasons = self._store.write(puts)
            if reasons is None:
                continue  # no answer: the next attempt finds our record if this one landed
            if all(reason["Code"] == "None" for reason in reasons) or self._judge(entry, reasons):
                return

    def _puts(self, entry: Entry) -> list[_Item]:
        """A transaction's puts in the order in which `_judge` reads their reasons; then its own id, and a new table."""
        table, sk = _table_pk(entry.operator, entry.table_id), _record_sk(entry.head.seq)
        puts = [
            self._store.put({**_key(table, sk), "jws": {"S": entry.jws}}, {}),
            self._store.put(
                {**_key(table, "HEAD"), **_head_item(entry.head)},
                {"sha256": {"S": entry.expected_head}} if entry.expected_head is not None else {},
            ),
            self._store.put(
                {**_key(_round_pk(entry.operator, entry.round_id), "STATE"), **_state_item(entry.new_state)},
                _state_item(entry.expected_state) if entry.expected_state is not None else {},
            ),
        ]
        if entry.own is not None:
            own_id, own = entry.own
            puts.append(self._store.put({**_key(_round_pk(entry.operator, own_id), "STATE"), **_state_item(own)}, {}))
        if entry.head.seq == 1:
            puts.append(self._store.put(_key(f"O#{entry.operator}", f"T#{entry.table_id}"), {}))
        return puts

    def _judge(self, entry: Entry, reasons: Sequence[_Item]) -> bool:
        """Whether a cancelled transaction's record is stored all the same; False means: try again.

        Raises what the port promises. All conditions are judged by DynamoDB at one moment, so their reasons agree.
        """
        record, head, state = (reason["Code"] for reason in reasons[:3])
        if record == _FAILED and reasons[0]["Item"]["jws"]["S"] == entry.jws:
            return True  # an earlier attempt of ours, whose answer was lost
        if state == _FAILED:
            raise StateMoved(_state_from(reasons[2].get("Item")))
        if entry.own is not None and reasons[3]["Code"] == _FAILED:
            raise StateMoved(entry.expected_state)
        if any(reason["Code"] in _BUSY_CODES for reason in reasons):
            return self._judge_by_reading(entry)
        if head == _FAILED:
            raise HeadMoved(entry.table_id)
        raise LedgerDamaged(f"table {entry.table_id}: record {entry.head.seq} or its listing lies beyond its head")

    def _judge_by_reading(self, entry: Entry) -> bool:
        """What the reasons did not tell: another transaction was on the same items, so what holds now is read.

        The head is read first and the state judged first: a rival on the same round moves both at once, so a moved
        head shows here only together with the moved state.
        """
        head = self.head(entry.operator, entry.table_id)
        state = self.round_state(entry.operator, entry.round_id)
        written = head is not None and head.seq >= entry.head.seq
        if written and self.record(entry.operator, entry.table_id, entry.head.seq) == entry.jws:
            return True
        taken = entry.own is not None and self.round_state(entry.operator, entry.own[0]) is not None
        if state != entry.expected_state or taken:
            raise StateMoved(state)
        if (head.sha256 if head else None) != entry.expected_head:
            raise HeadMoved(entry.table_id)
        return False


class DynamoOperators:
    """The operators and their credentials in the ledger's table; `authorize` needs one GetItem."""

    def __init__(self, client: DynamoDBClient, table_name: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._store = _Store(client, table_name, sleep)

    def get(self, operator: str) -> Operator | None:
        """One operator, None if unknown."""
        item = self._store.get(f"O#{operator}", "CREDENTIALS")
        return _operator_from(operator, item) if item else None

    def put(self, operator: Operator, *, replaces: Operator | None) -> None:
        """Add the operator, or put its credentials in the place of those; raises OperatorMoved."""
        new = _credentials_item(operator)
        condition = _credentials_item(replaces) if replaces is not None else {}
        puts = [
            self._store.put({**_key(f"O#{operator.operator}", "CREDENTIALS"), **new}, condition),
            self._store.put({**_key("OPERATORS", operator.operator), **new}, condition),
        ]
        for _ in self._store.attempts():
            reasons = self._store.write(puts)
            codes = [reason["Code"] for reason in reasons or ()]
            if _FAILED in codes:
                if self.get(operator.operator) == operator:
                    return  # an earlier attempt of ours, whose answer was lost
                raise OperatorMoved(operator.operator)
            if reasons is not None and not _BUSY_CODES.intersection(codes):
                return

    def list(self) -> Sequence[Operator]:
        """All operators, in order of id."""
        return [_operator_from(item["sk"]["S"], item) for item in self._store.query("OPERATORS", "0", "~")]


_FAILED: Final = "ConditionalCheckFailed"


class _Store:
    """The calls we make, each repeated with jitter while the store is busy or does not answer."""

    def __init__(self, client: DynamoDBClient, table_name: str, sleep: Callable[[float], None]) -> None:
        self._client = client
        self._table_name = table_name
        self._sleep = sleep

    def attempts(self) -> Iterator[int]:
        """Numbers attempts and waits before each but the first; raises StoreUnavailable when they are used up."""
        for number in range(ATTEMPTS):
            if number:
                self._sleep(jitter_seconds(number, first=_SHORTEST_SLEEP, longest=_LONGEST_SLEEP))
            yield number
        raise StoreUnavailable(f"the store did not answer {ATTEMPTS} attempts, or is busy; send the request again")

    def get(self, pk: str, sk: str) -> _Item | None:
        """One item, None if it is not there."""
        answer: _Item = self._read(
            lambda: self._client.get_item(TableName=self._table_name, Key=_key(pk, sk), ConsistentRead=True)
        )
        return answer.get("Item")

    def query(self, pk: str, first: str, last: str, *, limit: int | None = None) -> Iterator[_Item]:
        """The items from `first` to `last`, in order, at most `limit`; fetched page by page as they are used."""
        request: _Item = {
            "TableName": self._table_name,
            "KeyConditionExpression": "pk = :pk AND sk BETWEEN :first AND :last",
            "ExpressionAttributeValues": {":pk": {"S": pk}, ":first": {"S": first}, ":last": {"S": last}},
            "ConsistentRead": True,
        }
        while True:
            if limit is not None:
                request["Limit"] = limit
            answer = self._read(lambda: self._client.query(**request))
            yield from answer["Items"]
            if limit is not None:
                limit -= len(answer["Items"])
            if "LastEvaluatedKey" not in answer or limit == 0:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def put(self, item: _Item, expected: Mapping[str, Any]) -> _Item:
        """A put for a transaction, only where the item is as `expected`, or is not there if that is empty."""
        put: _Item = {"TableName": self._table_name, "Item": item, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        if not expected:
            return {"Put": {**put, "ConditionExpression": "attribute_not_exists(pk)"}}
        names = {f"#{name}": name for name in expected}
        put["ConditionExpression"] = " AND ".join(f"#{name} = :{name}" for name in expected)
        put["ExpressionAttributeNames"] = names
        put["ExpressionAttributeValues"] = {f":{name}": value for name, value in expected.items()}
        return {"Put": put}

    def write(self, puts: Sequence[_Item]) -> Sequence[_Item] | None:
        """One attempt at a transaction: a reason for each put (code `None` for all: written), None without answer.

        Each attempt has a token of its own: what became of an attempt whose answer was lost is told by the stored
        record, for good, and not by a token that DynamoDB forgets after ten minutes.
        """
        try:
            self._client.transact_write_items(TransactItems=cast(Any, puts), ClientRequestToken=str(uuid.uuid4()))
        except ClientError as error:
            if error.response["Error"]["Code"] == "TransactionCanceledException":
                return _reasons(error)
            if not _is_passing(error):
                raise
            return None
        except (HTTPClientError, ConnectionError, ResponseParserError):
            return None
        return [{"Code": "None"}] * len(puts)

    def _read(self, call: Callable[[], Any]) -> Any:
        for _ in self.attempts():
            try:
                return call()
            except ClientError as error:
                if not _is_passing(error):
                    raise
            except (HTTPClientError, ConnectionError, ResponseParserError):
                pass
        raise AssertionError("attempts() ends by raising")


def _is_passing(error: ClientError) -> bool:
    """Whether a later attempt may succeed."""
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return error.response["Error"]["Code"] in _BUSY_CODES or status >= 500


def _reasons(error: ClientError) -> Sequence[_Item]:
    """The reasons of a cancelled transaction; one that is neither a condition nor passing is a fault of ours."""
    reasons: Sequence[_Item] = error.response.get("CancellationReasons", [])  # type: ignore[assignment]
    known = {"None", _FAILED, *_BUSY_CODES}
    if not reasons or any(reason["Code"] not in known for reason in reasons):
        raise error
    return reasons


def _key(pk: str, sk: str) -> _Item:
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def _table_pk(operator: str, table_id: str) -> str:
    return f"T#{operator}#{table_id}"


def _round_pk(operator: str, round_id: str) -> str:
    return f"R#{operator}#{round_id}"


def _record_sk(seq: int) -> str:
    return f"R#{seq:012d}"


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _head_item(head: Head) -> _Item:
    return {
        "seq": {"N": str(head.seq)},
        "sha256": {"S": head.sha256},
        "at": {"S": head.at},
        "table_after": {"S": _compact(head.table_after)},
    }


def _head_from(item: _Item) -> Head:
    return Head(
        seq=int(item["seq"]["N"]),
        sha256=item["sha256"]["S"],
        at=item["at"]["S"],
        table_after=json.loads(item["table_after"]["S"]),
    )


def _state_item(state: RoundState) -> _Item:
    return {
        "table_id": {"S": state.table_id},
        "state": {"S": state.state},
        "seqs": {"M": {kind: {"N": str(seq)} for kind, seq in state.seqs.items()}},
    }


def _state_from(item: _Item | None) -> RoundState | None:
    if not item:
        return None
    return RoundState(
        table_id=item["table_id"]["S"],
        state=item["state"]["S"],
        seqs={kind: int(seq["N"]) for kind, seq in item["seqs"]["M"].items()},
    )


def _credentials_item(operator: Operator) -> _Item:
    text = _compact({"scopes": sorted(operator.scopes), "secrets": [list(secret) for secret in operator.secrets]})
    return {"credentials": {"S": text}}


def _operator_from(operator: str, item: _Item) -> Operator:
    credentials = json.loads(item["credentials"]["S"])
    return Operator(
        operator=operator,
        scopes=frozenset(credentials["scopes"]),
        secrets=tuple((salt, digest) for salt, digest in credentials["secrets"]),
    )
