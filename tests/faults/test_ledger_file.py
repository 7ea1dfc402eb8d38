"""The ledger's file among several openers: its locks stay, readers pass writers, and format 1 becomes format 2."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Final

import pytest

from cardroom.adapters import sqlite_file
from cardroom.adapters.key_files import KeyFileMaster
from cardroom.adapters.sqlite import SqliteLedger, SqliteOperators
from cardroom.services.play import hold_draw, open_shoe
from cardroom.services.ports import Ledger, Ports, StoreUnavailable
from tests.contract.support import entry
from tests.services import OPERATOR, open_, ports_on, void

FORMAT_1: Final = """
CREATE TABLE records (
    operator TEXT NOT NULL, table_id TEXT NOT NULL, seq INTEGER NOT NULL, jws TEXT NOT NULL,
    PRIMARY KEY (operator, table_id, seq)
);
CREATE TABLE heads (
    operator TEXT NOT NULL, table_id TEXT NOT NULL,
    seq INTEGER NOT NULL, sha256 TEXT NOT NULL, at TEXT NOT NULL, table_after TEXT NOT NULL,
    PRIMARY KEY (operator, table_id)
);
CREATE TABLE rounds (
    operator TEXT NOT NULL, round_id TEXT NOT NULL, table_id TEXT NOT NULL, state TEXT NOT NULL, seqs TEXT NOT NULL,
    PRIMARY KEY (operator, round_id)
);
CREATE TABLE operators (operator TEXT NOT NULL PRIMARY KEY, scopes TEXT NOT NULL, secrets TEXT NOT NULL);
CREATE TRIGGER records_never_change BEFORE UPDATE ON records
    BEGIN SELECT RAISE(ABORT, 'records are never changed'); END;
CREATE TRIGGER records_never_go BEFORE DELETE ON records
    BEGIN SELECT RAISE(ABORT, 'records are never deleted'); END;
PRAGMA user_version = 1;
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


@pytest.fixture
def rival(path: Path) -> Iterator[Callable[[], sqlite3.Connection]]:
    """Opens the file and holds its write lock."""
    opened: list[sqlite3.Connection] = []

    def hold() -> sqlite3.Connection:
        opened.append(sqlite3.connect(path, isolation_level=None))
        opened[-1].execute("BEGIN IMMEDIATE")
        return opened[-1]

    yield hold
    for connection in opened:
        connection.close()


# -- locks


def locks_on(path: Path) -> set[tuple[str, ...]]:
    """This process's POSIX locks on a file, as the kernel has them: kind, access, first byte, last byte."""
    status = path.stat()
    inode = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    found = (line.split() for line in Path("/proc/locks").read_text().splitlines())
    return {
        (parts[1], parts[3], parts[6], parts[7])
        for parts in found
        if parts[1] == "POSIX" and parts[4:6] == [str(os.getpid()), inode]
    }


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the kernel does not tell of its locks")
def test_no_other_opener_in_this_process_takes_the_locks_away(path: Path) -> None:
    ledger = SqliteLedger(path)
    ledger.append(entry())
    files = [path, path.with_name("ledger.sqlite-shm")]
    held = [locks_on(file) for file in files]
    assert all(held)
    for kind in (SqliteLedger, SqliteOperators):
        another = kind(path)
        assert [locks_on(file) for file in files] == held
        another.close()
        assert [locks_on(file) for file in files] == held
    ledger.close()
    assert locks_on(path) == set()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_the_file_is_its_owners_from_the_start(path: Path, umask: int) -> None:
    old = os.umask(umask)
    try:
        sqlite_file._make(path)
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o077 == 0


def test_eight_first_openers_agree(path: Path) -> None:
    start = Barrier(8)

    def opened(number: int) -> SqliteLedger:
        start.wait()
        return SqliteLedger(path)

    with ThreadPoolExecutor(8) as pool:
        ledgers = list(pool.map(opened, range(8)))
    ledgers[0].append(entry())
    for ledger in ledgers:
        assert ledger.record(entry().operator, "table-1", 1) == entry().jws
        ledger.close()


# -- readers and writers


def test_opening_and_reading_wait_for_no_writer(
    path: Path, rival: Callable[[], sqlite3.Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = SqliteLedger(path)
    first.append(entry())
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.0)
    for last in (False, True):
        holder = rival()
        ledger, operators = SqliteLedger(path), SqliteOperators(path)
        assert ledger.record(entry().operator, "table-1", 1) == entry().jws
        assert list(operators.list()) == []
        assert ledger.has_records() and not ledger.knows_epoch("1")
        with pytest.raises(StoreUnavailable, match="database is locked; send the request again"):
            ledger.keep_epoch("1")
        holder.execute("ROLLBACK")
        ledger.close()
        operators.close()
        if not last:  # then once more on a file that nobody else has open, without a log
            first.close()
            holder.close()


def test_a_first_opener_behind_a_writer_is_told(
    path: Path, rival: Callable[[], sqlite3.Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.05)
    holder = rival()
    with pytest.raises(StoreUnavailable, match="database is locked"):
        SqliteLedger(path)
    holder.execute("ROLLBACK")
    SqliteLedger(path).close()


# -- formats


def played(path: Path) -> SqliteLedger:
    """A ledger with a round of epoch one, a shoe of epoch two, a draw of epoch three and a physical round."""
    ledger = SqliteLedger(path)
    ports = ports_on(ledger, path.parent)
    open_(ports)
    void(ports)

    def later(epoch: str) -> Ports:
        return replace(ports, master=KeyFileMaster(path.parent, epoch=epoch))

    shoe = {"table_id": "t2", "ruleset": "california-baccarat/redding-1995"}
    open_shoe(later("two"), shoe, operator=OPERATOR, shoe_id="s1")
    draw = {"ruleset": "hi-hi-lo/redding-1995", "kind": "first_banker", "seats": [2, 5, 8], "table_id": "t3"} | {
        "client_seed": "none"
    }
    hold_draw(later("3"), draw, operator=OPERATOR, draw_id="d1")
    return ledger


def all_records(ledger: Ledger) -> list[str]:
    tables = ledger.tables(OPERATOR)
    return [record for table in tables for record in ledger.records(OPERATOR, table, after=0, limit=100)]


@pytest.fixture
def old(path: Path) -> list[str]:
    """A ledger of format 1 at `path`; its records."""
    ledger = played(path.with_name("new.sqlite"))
    records = all_records(ledger)
    ledger.close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(FORMAT_1)
    connection.execute("ATTACH ? AS new", (str(path.with_name("new.sqlite")),))
    for table in ("records", "heads", "rounds", "operators"):
        connection.execute(f"INSERT INTO {table} SELECT * FROM new.{table}")
    connection.execute("INSERT INTO records VALUES ('other', 'garbled', 1, 'what nobody can read')")
    connection.close()
    return records


def formed(path: Path) -> tuple[int, list[str]]:
    """A file's format, and its epochs if it has them."""
    connection = sqlite3.connect(path)
    (number,) = connection.execute("PRAGMA user_version").fetchone()
    there = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'epochs'").fetchone()
    epochs = connection.execute("SELECT epoch FROM epochs ORDER BY epoch").fetchall() if there else []
    connection.close()
    return number, [epoch for (epoch,) in epochs]


def test_format_1_is_taken_to_format_2_with_the_epochs_of_its_records(path: Path, old: list[str]) -> None:
    assert formed(path) == (1, [])
    ledger = SqliteLedger(path)
    assert len(old) == 4 and all_records(ledger) == old
    assert ledger.record("other", "garbled", 1) == "what nobody can read"
    assert [epoch for epoch in ("1", "two", "3", "4") if ledger.knows_epoch(epoch)] == ["1", "two", "3"]
    ledger.close()
    assert formed(path) == (2, ["1", "3", "two"])
    with pytest.raises(sqlite3.IntegrityError, match="records are never deleted"), sqlite3.connect(path) as stranger:
        stranger.execute("DELETE FROM records")
    stranger.close()


def test_two_that_take_it_at_once_do_it_once(path: Path, old: list[str]) -> None:
    start = Barrier(4)

    def opened(number: int) -> SqliteLedger:
        start.wait()
        return SqliteLedger(path)

    with ThreadPoolExecutor(4) as pool:
        ledgers = list(pool.map(opened, range(4)))
    for ledger in ledgers:
        assert all_records(ledger) == old and ledger.knows_epoch("two")
        ledger.close()
    assert formed(path) == (2, ["1", "3", "two"])


def test_a_file_that_was_not_taken_whole_is_as_it_was(
    path: Path, old: list[str], rival: Callable[[], sqlite3.Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sqlite_file, "_epoch_of", lambda jws: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            SqliteLedger(path)
    assert formed(path) == (1, [])
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.05)
    holder = rival()
    with pytest.raises(StoreUnavailable):
        SqliteLedger(path)
    holder.execute("ROLLBACK")
    assert formed(path) == (1, [])
    SqliteLedger(path).close()
    assert formed(path) == (2, ["1", "3", "two"])
