"""Every ledger that the contract suite runs over: SQLite, DynamoDB in moto, DynamoDB in ministack over HTTP."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from cardroom.adapters.dynamodb import DynamoLedger, DynamoOperators, make_client
from cardroom.adapters.sqlite import SqliteLedger, SqliteOperators
from cardroom.services.ports import Ledger, Operators
from mypy_boto3_dynamodb import DynamoDBClient

from tools import ministack

_numbers = itertools.count(1)


class Store(NamedTuple):
    ledger: Ledger
    operators: Operators
    again: Callable[[], Ledger]  # the same store, opened once more


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "ministack: needs the emulator of AWS over HTTP, started when first needed")


@pytest.fixture(scope="session")
def ministack_client() -> Iterator[DynamoDBClient]:
    with ministack.running() as endpoint, aws_environment():
        client = make_client(endpoint)
        yield client
        client.close()


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


def dynamo_store(client: DynamoDBClient) -> Store:
    name = create_table(client)
    return Store(DynamoLedger(client, name), DynamoOperators(client, name), lambda: DynamoLedger(client, name))


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[Store]:
    path = tmp_path / "ledger.sqlite"
    ledgers = [SqliteLedger(path)]
    operators = SqliteOperators(path)

    def again() -> SqliteLedger:
        ledgers.append(SqliteLedger(path))
        return ledgers[-1]

    yield Store(ledgers[0], operators, again)
    for ledger in ledgers:
        ledger.close()
    operators.close()


@pytest.fixture
def moto_store() -> Iterator[Store]:
    from moto import mock_aws  # noqa: PLC0415 - it takes a second to import, and only these need it

    with aws_environment(), mock_aws():
        yield dynamo_store(make_client())


@pytest.fixture
def ministack_store(ministack_client: DynamoDBClient) -> Store:
    return dynamo_store(ministack_client)


_MINISTACK = pytest.param("ministack", marks=[pytest.mark.ministack, pytest.mark.xdist_group("ministack")])


@pytest.fixture(params=["sqlite", "moto", _MINISTACK])
def store(request: pytest.FixtureRequest) -> Store:
    """One of the stores."""
    found: Store = request.getfixturevalue(f"{request.param}_store")
    return found


@pytest.fixture(params=["sqlite", _MINISTACK])
def shared_store(request: pytest.FixtureRequest) -> Store:
    """One of the stores that bear many callers at once; moto does not."""
    found: Store = request.getfixturevalue(f"{request.param}_store")
    return found
