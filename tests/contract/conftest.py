"""Every ledger that the contract suite runs over: SQLite, DynamoDB in moto, DynamoDB in ministack over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from cardroom.adapters.dynamodb import DynamoLedger, DynamoOperators, make_client
from cardroom.adapters.sqlite import SqliteLedger, SqliteOperators
from cardroom.services.ports import Ledger, Operators
from tests.contract.support import aws_environment, create_table, moto_client
from tools import ministack


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


@pytest.fixture(scope="module")
def moto_dynamodb() -> Iterator[DynamoDBClient]:
    with moto_client() as client:
        yield client


@pytest.fixture
def moto_store(moto_dynamodb: DynamoDBClient) -> Store:
    return dynamo_store(moto_dynamodb)


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
