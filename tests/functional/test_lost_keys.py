"""A data folder whose keys are gone: the service says so by name, writes nothing, and goes on when they are back."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardroom.adapters import environment
from tests.functional.caller import Answer, Caller
from tests.functional.command import cardroom


def everything(data: Path) -> tuple[list[str], list[str]]:
    """All records of the table, and the key files."""
    environment.forget()
    records = list(environment.ledger().records("house-of-cards", "t1", after=0, limit=100))
    environment.forget()
    return records, sorted(path.name for path in data.iterdir() if path.suffix in (".key", ".pem"))


def refused(answer: Answer, file: Path) -> None:
    assert answer.refusal() == (503, "keys-unavailable")
    assert answer.json["retry"] is True
    assert answer.json["detail"].startswith(f"{file} is missing, and records need it: put the file back from a copy")


def test_without_the_master_of_its_epoch_a_round_waits(caller: Caller, data: Path) -> None:
    opened, dealt = caller.open().record, caller.deal().record
    master = data / "master-1.key"
    secret = master.read_bytes()
    master.unlink()
    before = everything(data)
    assert before == ([opened, dealt], ["root-key.pem", "root.pem"])
    refused(caller.settle(), master)
    refused(caller.settle(dealt=dealt), master)
    refused(caller.open(round_id="r2", table_id="t2"), master)
    assert caller.get("/v1/rounds/r1").json["state"] == "dealt"
    assert everything(data) == before
    master.touch(mode=0o600)
    master.write_bytes(secret)
    assert caller.settle().status == 200


def test_a_new_epoch_goes_on_without_the_master_that_is_lost(
    caller: Caller, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller.open()
    (data / "master-1.key").unlink()
    monkeypatch.setenv("CARDROOM_EPOCH", "2")
    environment.forget()
    assert caller.open(round_id="r2", table_id="t2").payload["body"]["epoch"] == "2"
    assert caller.deal("r2").status == 200
    refused(caller.deal(), data / "master-1.key")
    assert everything(data)[1] == ["master-2.key", "root-key.pem", "root.pem"]


def test_without_the_root_nothing_is_answered(caller: Caller, data: Path) -> None:
    opened = caller.open().record
    root = data / "root-key.pem"
    secret = root.read_bytes()
    root.unlink()
    before = everything(data)
    assert before == ([opened], ["master-1.key", "root.pem"])
    for answer in (caller.deal(), caller.open(round_id="r2", table_id="t2"), caller.get("/v1/rounds/r1")):
        refused(answer, root)
    ran = cardroom("export", "--operator", "house-of-cards", "--data", data)
    assert (ran.status, len(ran.lines)) == (1, 2)  # header and record: without its trailer it is no export
    assert ran.err == f"cardroom: {root} is missing, and records need it: put the file back from a copy\n"
    assert everything(data) == before
    root.touch(mode=0o600)
    root.write_bytes(secret)
    assert caller.deal().status == 200
