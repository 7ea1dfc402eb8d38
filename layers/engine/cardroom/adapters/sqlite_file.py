"""The SQLite file of a data folder: how it is made, opened, shared, locked, looked at, and what its errors mean.

WAL with `synchronous=FULL`: a commit returns after its log is on disk, so no acknowledged record is lost by
`kill -9`. Several processes may share the file, because SQLite alone has it open: a process that closes any descriptor
of a file loses all its POSIX locks on it, and with SQLite's locks gone, the next process that closes the file deletes
the log under whoever still writes.
"""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from cardroom.services.ports import LedgerDamaged, StoreUnavailable

BUSY_SECONDS: Final = 5.0
"""How long a writer waits for another process's transaction: those take milliseconds, and a caller of the service
must hear of one that does not end while he still listens (a function has 15 s, for more than this one write)."""

_FORMAT: Final = 2

# The epochs whose master secret was made, written before it is first used: it is never made a second time.
_EPOCHS: Final = "CREATE TABLE epochs (epoch TEXT NOT NULL PRIMARY KEY)"

# Records are guarded by the file itself, whoever opens it.
_SCHEMA: Final = f"""
{_EPOCHS};
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
"""

_TABLES: Final = frozenset({"epochs", "records", "heads", "rounds", "operators"})

_BUSY: Final = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PROTOCOL,  # busy, too: a reader that lost the race for the log's index for seconds
    }
)
_UNAVAILABLE: Final = frozenset({*_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR})
_FORBIDDEN: Final = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM})
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_UNDECODED: Final = "Could not decode to UTF-8"  # Python's own words for a text that is none, without a code

_making = threading.Lock()


class LedgerFile:
    """One connection to the file, shared by the threads of this process behind a lock.

    SQLite has one writer at a time whatever we do; a connection for each thread would only add files to close.
    """

    def __init__(self, path: Path | str) -> None:
        self._lock = threading.Lock()
        self._path = path
        with _refusing(path):
            _make(path)
            self._connection = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=32
            )
        try:
            self._set_up(path)
        except BaseException:
            self._connection.close()
            raise

    def _set_up(self, path: Path | str) -> None:
        """Makes the file one of this format; one that is so already is only read, so that no writer is waited for."""
        with self.reading() as connection:
            connection.execute("PRAGMA synchronous = FULL")
            found = _format(connection, path)
            if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                _into_wal(connection)
        if found == _FORMAT:
            return
        with self.writing() as connection:
            found = _format(connection, path)  # anew: another process may have been faster
            if found == _FORMAT:
                return
            if found == 1:
                _to_format_2(connection)
            else:
                for statement in _statements(_SCHEMA):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {_FORMAT}")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one statement."""
        with self._lock, _refusing(self._path):
            yield self._connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The connection inside one transaction that holds the write lock from its start."""
        with self._lock, _refusing(self._path):
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def check_writable(self) -> None:
        """See that the file can be written, which whoever writes it now has seen: no writer is waited for."""
        with self._lock, _refusing(self._path):
            self._connection.execute("PRAGMA busy_timeout = 0")
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                try:  # which takes a lock in the log's index alone; only what is written tells of the file
                    self._connection.execute(f"PRAGMA user_version = {_FORMAT}")
                finally:
                    self._connection.execute("ROLLBACK")
            except sqlite3.OperationalError as error:
                if _code(error) not in _BUSY:
                    raise
            finally:
                self._connection.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")

    def check_whole(self) -> None:
        """Read all of the file to see that it is whole."""
        with self.reading() as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise LedgerDamaged(f"the ledger file {self._path} cannot be read: {' '.join(found.split())}")

    def close(self) -> None:
        """Close the file; nothing may be asked of it after."""
        with self._lock:
            self._connection.close()


@contextmanager
def _refusing(path: Path | str) -> Iterator[None]:
    """Turns a file that is busy, full or out of reach into the refusal of the port, and names one that is damaged."""
    try:
        yield
    except OSError as error:  # of making it
        raise StoreUnavailable(f"the ledger file {path} cannot be used: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise LedgerDamaged(f"the ledger file {path} holds what no ledger writes: {error}") from error
    except sqlite3.DatabaseError as error:
        code = _code(error)
        if code in _UNAVAILABLE:
            raise StoreUnavailable(f"the ledger file cannot be used now: {error}; send the request again") from error
        if code in _FORBIDDEN:
            message = f"the ledger file {path} cannot be used: {error}; this service must read and write it"
            raise StoreUnavailable(f"{message}, and its folder") from error
        if code in _DAMAGED or str(error).startswith(_UNDECODED):
            raise LedgerDamaged(f"the ledger file {path} cannot be read: {error}") from error
        raise


def _code(error: sqlite3.Error) -> int:
    """The primary code of an error, its low byte; 0 for one without a code."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _make(path: Path | str) -> None:
    """Makes an empty file that nobody else on the machine can read, if none is there; SQLite's own inherit its mode.

    No thread can have it open meanwhile: each comes by here first, and one that finds it there opens nothing here.
    """
    with _making:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            return


def _into_wal(connection: sqlite3.Connection) -> None:
    """Switches to WAL; two processes doing so at once are not kept waiting by SQLite itself, so we do."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def _format(connection: sqlite3.Connection, path: Path | str) -> int:
    """The format of a file that is a ledger, 0 if it is empty. Raises LedgerDamaged."""
    # In this order: a ledger is made with its format in one transaction, so what has tables has a format after, and
    # what has a format has its tables after.
    tables = _tables(connection)
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if found not in (1, _FORMAT) and (tables or found):
        raise LedgerDamaged(f"{path} is of format {found}; this version reads ledgers of format {_FORMAT}, and of 1")
    if found == _FORMAT and (missing := _TABLES - _tables(connection)):
        raise LedgerDamaged(f"{path} is no ledger: it has no table {', '.join(sorted(missing))}")
    return found


def _tables(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}


def _to_format_2(connection: sqlite3.Connection) -> None:
    """Adds the epochs, as the records name them."""
    connection.execute(_EPOCHS)
    named = {_epoch_of(jws) for (jws,) in connection.execute("SELECT jws FROM records")} - {None}
    connection.executemany("INSERT INTO epochs VALUES (?)", [(epoch,) for epoch in named])


def _epoch_of(jws: str) -> str | None:
    """The epoch that a record names. One that cannot be read names none: it is the audit that tells of it."""
    try:
        payload = jws.split(".")[1]
        epoch = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["body"]["epoch"]
    except (ValueError, LookupError, TypeError):
        return None
    return epoch if isinstance(epoch, str) else None


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one; `executescript` would commit the open transaction first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
