"""What the tests of ledgers share: entries as the services would make them, a table, surroundings without AWS."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from cardroom.adapters.dynamodb import make_client
from cardroom.services.ports import Entry, Head, RoundState

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

OPERATOR = "lucky-lady"

_numbers = itertools.count(1)


def entry(
    kind: str = "opened",
    *,
    after: Entry | None = None,
    round_id: str = "round-1",
    table_id: str = "table-1",
    operator: str = OPERATOR,
    state: RoundState | None = None,
    text: str = "",
    table_after: dict[str, Any] | None = None,
) -> Entry:
    """The next entry of a table: `after` is the table's last one, `state` the round's state before it.

    `text` makes two entries of the same step differ, as two signatures do.
    """
    seq = after.head.seq + 1 if after else 1
    jws = f"{operator}.{table_id}.{round_id}.{kind}.{seq}.{text}"
    return Entry(
        operator=operator,
        table_id=table_id,
        round_id=round_id,
        jws=jws,
        head=Head(
            seq=seq,
            sha256=hashlib.sha256(jws.encode()).hexdigest(),
            at=f"2026-11-29T21:53:{seq % 60:02d}.000Z",
            table_after=table_after if table_after is not None else {"hand_no": seq, "banker": None},
        ),
        expected_head=after.head.sha256 if after else None,
        expected_state=state,
        new_state=RoundState(table_id=table_id, state=kind, seqs={**(state.seqs if state else {}), kind: seq}),
    )


def whole_round(*, after: Entry | None = None, round_id: str = "round-1", **names: Any) -> list[Entry]:
    """The three entries of a round."""
    opened = entry("opened", after=after, round_id=round_id, **names)
    dealt = entry("dealt", after=opened, round_id=round_id, state=opened.new_state, **names)
    settled = entry("settled", after=dealt, round_id=round_id, state=dealt.new_state, **names)
    return [opened, dealt, settled]


@contextmanager
def aws_environment() -> Iterator[None]:
    """Credentials that open nothing, in the place of the user's."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_CONFIG_FILE": "/dev/null",
            "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        }.items():
            patch.setenv(name, value)
        patch.delenv("AWS_PROFILE", raising=False)
        yield


@contextmanager
def moto_client() -> Iterator[DynamoDBClient]:
    """A client of DynamoDB in this process; made once a module, it takes longer than what a test does with it."""
    from moto import mock_aws

    with aws_environment(), mock_aws():
        client = make_client()
        yield client
        client.close()


def create_table(client: DynamoDBClient) -> str:
    name = f"cardroom-{next(_numbers)}"
    client.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    return name
