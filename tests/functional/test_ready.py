"""Whether the service can work now: `GET /v1/ready` asks the store and the root key, `GET /v1/health` asks nothing."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardroom.adapters import environment
from cardroom.adapters.key_files import KeyFileRoot
from cardroom_desk.local.api import Context, load_handler
from cardroom_desk.local.template import read_api
from tests.functional.caller import Caller
from tests.functional.conftest import token

ROOT = Path(__file__).parents[2]


def test_ready(reader: Caller, caller: Caller) -> None:
    for _ in range(2):
        assert (reader.get("/v1/ready").status, reader.get("/v1/ready").json) == (200, {"status": "ready"})
    caller.open()
    assert caller.get("/v1/ready").status == 200


def test_ready_needs_the_scope_read(caller: Caller) -> None:
    assert caller._replace(token="").get("/v1/ready").refusal() == (401, "token-invalid")
    assert caller._replace(token=token("dealer", "play")).get("/v1/ready").refusal() == (403, "scope-missing")


def missing(key: Path) -> None:
    key.unlink()


def of_all(key: Path) -> None:
    key.chmod(0o644)


def garbage(key: Path) -> None:
    key.write_text("no key")


def another(key: Path) -> None:
    KeyFileRoot(key.parent / "other").jwks()
    key.write_bytes((key.parent / "other" / key.name).read_bytes())


def keys(data: Path) -> list[str]:
    return sorted(path.name for path in data.iterdir() if path.suffix in (".key", ".pem"))


@pytest.mark.parametrize("begun", [True, False], ids=["in use", "not used yet"])
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (missing, "root-key.pem"),
        (of_all, "may be read by others than its owner"),
        (garbage, "is no PEM private key"),
        (another, "is another key than"),
    ],
)
def test_not_ready_without_the_root_key(
    caller: Caller, data: Path, fault: Callable[[Path], None], told: str, begun: bool
) -> None:
    """Although a key that was read once goes on to sign."""
    caller.open()
    key = data / "root-key.pem"
    kept = key.read_bytes()
    if not begun:
        environment.forget()
    fault(key)
    there = keys(data)
    answer = caller.get("/v1/ready")
    assert answer.refusal() == (503, "keys-unavailable")
    assert told in answer.json["detail"]
    assert caller.get("/v1/health").status == 200
    assert keys(data) == there  # no key is made for the asking
    key.touch(mode=0o600)
    key.chmod(0o600)
    key.write_bytes(kept)
    assert caller.get("/v1/ready").status == 200


def called(resource: str) -> tuple[int, Any]:
    """What the function answers by itself, where the gateway keeps what the authorizer said."""
    function = load_handler(read_api().functions["ReadRecords"])
    event = json.loads((ROOT / f"events/read_records/{resource}.json").read_text("utf-8"))
    answer = function(event, Context(function_name="ReadRecords", aws_request_id="r", invoked_function_arn="arn"))
    return answer["statusCode"], json.loads(answer["body"])


def test_not_ready_without_the_store(caller: Caller, data: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert called("ready") == (200, {"status": "ready"})
    environment.forget()
    ledger = data / "ledger.sqlite"
    kept = ledger.read_bytes()
    ledger.write_bytes(b"no database" * 1_000)
    status, problem = called("ready")
    assert (status, problem["code"], problem["retry"]) == (503, "store-unavailable", True)
    assert "file is not a database" in problem["detail"]
    with caplog.at_level(logging.CRITICAL, "cardroom_desk.local.api"):
        assert caller.get("/v1/ready").refusal() == (503, "store-unavailable")  # of the gateway: no token can be known
    assert called("health")[0] == caller.get("/v1/health").status == 200
    environment.forget()
    ledger.write_bytes(kept)
    assert caller.get("/v1/ready").status == 200


def test_health_asks_nothing(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    environment.forget()
    monkeypatch.delenv("CARDROOM_DATA")
    answer = caller._replace(token="").get("/v1/health")
    assert (answer.status, answer.json["status"]) == (200, "ok")
    assert set(environment._made) == {"engine"}  # which is read of the package itself
