"""The whole API in one process: requests in, answers out, over SQLite in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.test import Client

from cardroom.adapters import environment
from cardroom.services.credentials import issue
from cardroom_desk.local.api import Front
from cardroom_desk.local.template import read_gateway
from tests.functional.caller import Caller


@pytest.fixture(scope="session")
def front() -> Front:
    return Front(read_gateway())


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    environment.forget()
    monkeypatch.setenv("CARDROOM_DATA", str(tmp_path))
    monkeypatch.setenv("POWERTOOLS_LOG_LEVEL", "CRITICAL")
    yield tmp_path
    environment.forget()


def token(operator: str, *scopes: str) -> str:
    return issue(environment.operators(), operator, scopes, environment.entropy())


@pytest.fixture
def caller(front: Front, data: Path) -> Caller:
    """An operator that may play and read."""
    return Caller(Client(front), token("house-of-cards", "play", "read"))


@pytest.fixture
def other(front: Front, data: Path) -> Caller:
    """Another operator of the same stage."""
    return Caller(Client(front), token("another-house", "play", "read"))


@pytest.fixture
def reader(front: Front, data: Path) -> Caller:
    """An operator that may only read."""
    return Caller(Client(front), token("read-only", "read"))
