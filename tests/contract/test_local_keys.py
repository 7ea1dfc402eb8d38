"""The keys of a data folder and the ledger beside them: what records need is kept, missed by name, never made anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardroom.adapters import sqlite_file
from cardroom.adapters.key_files import KeyFileMaster, KeyFileRoot
from cardroom.adapters.sqlite import SqliteLedger
from cardroom.services.ports import StoreUnavailable
from cardroom.signing.certificate import KeysUnavailable
from tests.contract.support import entry


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    opened = SqliteLedger(tmp_path / "ledger.sqlite")
    yield opened
    opened.close()


def master(ledger: SqliteLedger, folder: Path, epoch: str = "1") -> KeyFileMaster:
    return KeyFileMaster(folder, epoch=epoch, ledger=ledger)


def key_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("ledger.sqlite"))


def test_an_epoch_is_kept_when_its_master_is_made(tmp_path: Path, ledger: SqliteLedger) -> None:
    secret = master(ledger, tmp_path).secret("1")
    assert ledger.knows_epoch("1") and not ledger.knows_epoch("2")
    assert master(ledger, tmp_path, "2").secret("1") == secret
    assert not ledger.knows_epoch("2")  # which nothing has asked for
    assert master(ledger, tmp_path, "2").secret("2") != secret
    assert ledger.knows_epoch("2")


def test_no_secret_is_used_before_its_epoch_is_kept(
    tmp_path: Path, ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.05)
    hurried = SqliteLedger(tmp_path / "ledger.sqlite")
    rival = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None)
    rival.execute("BEGIN IMMEDIATE")
    keys = master(hurried, tmp_path)
    for _ in range(2):  # what was read but not kept is not remembered either
        with pytest.raises(StoreUnavailable):
            keys.secret("1")
    made = (tmp_path / "master-1.key").read_bytes()
    rival.execute("ROLLBACK")
    assert keys.secret("1") == made
    assert ledger.knows_epoch("1")
    rival.close()
    hurried.close()


def test_a_master_that_is_there_is_taken_into_the_ledger(tmp_path: Path, ledger: SqliteLedger) -> None:
    """So it is after a crash between the two, and in a folder that was made before there were epochs."""
    made = KeyFileMaster(tmp_path).secret("1")
    assert not ledger.knows_epoch("1")
    assert master(ledger, tmp_path, "2").secret("1") == made
    assert ledger.knows_epoch("1")


@pytest.mark.parametrize("current", ["1", "2"])
def test_a_master_that_the_ledger_knows_is_never_made_anew(tmp_path: Path, ledger: SqliteLedger, current: str) -> None:
    ledger.keep_epoch("1")
    with pytest.raises(
        KeysUnavailable, match=r"master-1\.key is missing, and records need it: put .* CARDROOM_EPOCH"
    ) as e:
        master(ledger, tmp_path, current).secret("1")
    assert e.value.lost
    assert key_files(tmp_path) == []
    (tmp_path / "master-1.key").touch(mode=0o600)
    (tmp_path / "master-1.key").write_bytes(b"s" * 32)
    assert master(ledger, tmp_path, current).secret("1") == b"s" * 32


def test_a_root_that_records_need_is_never_made_anew(tmp_path: Path, ledger: SqliteLedger) -> None:
    made = KeyFileRoot(tmp_path, ledger=ledger).jwks()
    ledger.append(entry())
    assert KeyFileRoot(tmp_path, ledger=ledger).jwks() == made
    kept = (tmp_path / "root-key.pem").rename(tmp_path / "kept.pem")
    for left in (["kept.pem", "root.pem"], ["kept.pem"]):
        with pytest.raises(KeysUnavailable, match=r"root-key\.pem is missing, and records need it: put the file") as e:
            KeyFileRoot(tmp_path, ledger=ledger).jwks()
        assert e.value.lost
        assert key_files(tmp_path) == left
        (tmp_path / "root.pem").unlink(missing_ok=True)
    kept.rename(tmp_path / "root-key.pem")
    assert KeyFileRoot(tmp_path, ledger=ledger).jwks() == made
