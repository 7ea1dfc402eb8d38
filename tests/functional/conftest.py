"""The whole API in one process: requests in, answers out, over SQLite in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.test import Client

from cardroom.adapters import environment
from cardroom.services.credentials import issue
from cardroom_desk.local.api import LocalApi
from cardroom_desk.local.template import read_api
from tests.functional.caller import Caller


@pytest.fixture(scope="session")
def api() -> LocalApi:
    return LocalApi(read_api())


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
def caller(api: LocalApi, data: Path) -> Caller:
    """An operator that may play and read."""
    return Caller(Client(api), token("house-of-cards", "play", "read"))


@pytest.fixture
def other(api: LocalApi, data: Path) -> Caller:
    """Another operator of the same stage."""
    return Caller(Client(api), token("another-house", "play", "read"))


@pytest.fixture
def reader(api: LocalApi, data: Path) -> Caller:
    """An operator that may only read."""
    return Caller(Client(api), token("read-only", "read"))
