"""The ledger and the operators in one SQLite file: the embedded default of the local service.

WAL with `synchronous=FULL`: a commit returns after its log is on disk, so no acknowledged record is lost by
`kill -9`. Several processes may share the file, because SQLite alone has it open: a process that closes any descriptor
of a file loses all its POSIX locks on it, and with SQLite's locks gone, the next process that closes the file deletes
the log under whoever still writes (docs/adr/0018-one-file-one-opener.md).
"""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from cardroom.services.ports import (
    PAGE_BYTES,
    Entry,
    Head,
    HeadMoved,
    LedgerDamaged,
    Operator,
    OperatorMoved,
    RoundState,
    StateMoved,
    StoreUnavailable,
)

BUSY_SECONDS: Final = 5.0
"""How long a writer waits for another process's transaction: those take milliseconds, and a caller of the service
must hear of one that does not end while he still listens (a function has 15 s, for more than this one write)."""

_MAX_SEQ: Final = 2**63 - 1  # beyond it SQLite has no integer

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

_UNAVAILABLE: Final = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PROTOCOL,  # busy, too: a reader that lost the race for the log's index for seconds
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
    }
)
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

_making = threading.Lock()


class _File:
    """One connection to the file, shared by the threads of this process behind a lock.

    SQLite has one writer at a time whatever we do; a connection for each thread would only add files to close.
    """

    def __init__(self, path: Path | str) -> None:
        self._lock = threading.Lock()
        _make(path)
        with _refusing():
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
        with self._lock, _refusing():
            yield self._connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The connection inside one transaction that holds the write lock from its start."""
        with self._lock, _refusing():
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file; nothing may be asked of it after."""
        with self._lock:
            self._connection.close()


class SqliteLedger:
    """A ledger in a SQLite file, made if it is not there; safe among threads and processes."""

    def __init__(self, path: Path | str) -> None:
        self._file = _File(path)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def head(self, operator: str, table_id: str) -> Head | None:
        """Where the table's chain stands, None if it has no record."""
        with self._file.reading() as connection:
            return _head(connection, operator, table_id)

    def round_state(self, operator: str, round_id: str) -> RoundState | None:
        """How far the round has come, None if it is unknown to this operator."""
        with self._file.reading() as connection:
            return _round_state(connection, operator, round_id)

    def record(self, operator: str, table_id: str, seq: int) -> str:
        """The compact JWS of one record; raises KeyError if there is none."""
        with self._file.reading() as connection:
            jws = _record(connection, operator, table_id, seq)
        if jws is None:
            raise KeyError((operator, table_id, seq))
        return jws

    def records(self, operator: str, table_id: str, *, after: int, limit: int) -> Sequence[str]:
        """Up to `limit` records with a number above `after`, in order; fewer if they come near PAGE_BYTES."""
        page: list[str] = []
        size = 0
        if after >= _MAX_SEQ:
            return page
        with self._file.reading() as connection:
            rows = connection.execute(
                "SELECT jws FROM records WHERE operator = ? AND table_id = ? AND seq > ? ORDER BY seq LIMIT ?",
                (operator, table_id, after, limit),
            )
            for (jws,) in rows:
                size += len(jws)
                if page and size > PAGE_BYTES:
                    break
                page.append(jws)
        return page

    def tables(self, operator: str) -> Sequence[str]:
        """The operator's tables, in order of id."""
        with self._file.reading() as connection:
            rows = connection.execute("SELECT table_id FROM heads WHERE operator = ? ORDER BY table_id", (operator,))
            return [table_id for (table_id,) in rows]

    def append(self, entry: Entry) -> None:
        """Write the record, move the head and the round's state in one transaction.

        Raises StateMoved (judged first), HeadMoved, StoreUnavailable; nothing is written then.
        """
        with self._file.writing() as connection:
            stored = _record(connection, entry.operator, entry.table_id, entry.head.seq)
            if stored == entry.jws:
                return
            state = _round_state(connection, entry.operator, entry.round_id)
            if state != entry.expected_state:
                raise StateMoved(state)
            head = _head(connection, entry.operator, entry.table_id)
            if (head.sha256 if head else None) != entry.expected_head:
                raise HeadMoved(entry.table_id)
            if stored is not None:
                raise LedgerDamaged(f"table {entry.table_id} holds a record {entry.head.seq} beyond its head")
            _write(connection, entry)

    def has_records(self) -> bool:
        """Whether there is any record at all."""
        with self._file.reading() as connection:
            return connection.execute("SELECT 1 FROM records").fetchone() is not None

    def knows_epoch(self, epoch: str) -> bool:
        """Whether the master secret of an epoch was made already."""
        with self._file.reading() as connection:
            return connection.execute("SELECT 1 FROM epochs WHERE epoch = ?", (epoch,)).fetchone() is not None

    def keep_epoch(self, epoch: str) -> None:
        """Keep that the master secret of an epoch was made; once is enough. Raises StoreUnavailable."""
        with self._file.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO epochs VALUES (?)", (epoch,))


class SqliteOperators:
    """The operators and their credentials, in the same file as the ledger."""

    def __init__(self, path: Path | str) -> None:
        self._file = _File(path)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def get(self, operator: str) -> Operator | None:
        """One operator, None if unknown."""
        with self._file.reading() as connection:
            return _operator(connection, operator)

    def put(self, operator: Operator, *, replaces: Operator | None) -> None:
        """Add the operator, or put its credentials in the place of those; raises OperatorMoved."""
        with self._file.writing() as connection:
            if _operator(connection, operator.operator) != replaces:
                raise OperatorMoved(operator.operator)
            connection.execute(
                "INSERT OR REPLACE INTO operators VALUES (?, ?, ?)",
                (operator.operator, json.dumps(sorted(operator.scopes)), json.dumps(operator.secrets)),
            )

    def list(self) -> Sequence[Operator]:
        """All operators, in order of id."""
        with self._file.reading() as connection:
            rows = connection.execute("SELECT operator, scopes, secrets FROM operators ORDER BY operator")
            return [_operator_from(row) for row in rows]


@contextmanager
def _refusing() -> Iterator[None]:
    """Turns a file that is busy, full or out of reach into the refusal of the port, and names one that is damaged."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte is the primary code; not all errors have one
        if code in _UNAVAILABLE:
            raise StoreUnavailable(f"the ledger file cannot be used now: {error}; send the request again") from error
        if code in _DAMAGED:
            raise LedgerDamaged(f"the ledger file cannot be read: {error}") from error
        raise


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
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def _format(connection: sqlite3.Connection, path: Path | str) -> int:
    """The format of a file that is a ledger, 0 if it is empty. Raises LedgerDamaged."""
    # In this order: a ledger is made with its format in one transaction, so what has tables has a format after.
    empty = connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if found not in (1, _FORMAT) and not (empty and found == 0):
        raise LedgerDamaged(f"{path} is of format {found}; this version reads ledgers of format {_FORMAT}, and of 1")
    return found


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


def _head(connection: sqlite3.Connection, operator: str, table_id: str) -> Head | None:
    row = connection.execute(
        "SELECT seq, sha256, at, table_after FROM heads WHERE operator = ? AND table_id = ?", (operator, table_id)
    ).fetchone()
    return row and Head(seq=row[0], sha256=row[1], at=row[2], table_after=json.loads(row[3]))


def _round_state(connection: sqlite3.Connection, operator: str, round_id: str) -> RoundState | None:
    row = connection.execute(
        "SELECT table_id, state, seqs FROM rounds WHERE operator = ? AND round_id = ?", (operator, round_id)
    ).fetchone()
    return row and RoundState(table_id=row[0], state=row[1], seqs=json.loads(row[2]))


def _record(connection: sqlite3.Connection, operator: str, table_id: str, seq: int) -> str | None:
    if not 0 < seq <= _MAX_SEQ:
        return None
    row: tuple[str] | None = connection.execute(
        "SELECT jws FROM records WHERE operator = ? AND table_id = ? AND seq = ?", (operator, table_id, seq)
    ).fetchone()
    return row and row[0]


def _write(connection: sqlite3.Connection, entry: Entry) -> None:
    head, state = entry.head, entry.new_state
    connection.execute("INSERT INTO records VALUES (?, ?, ?, ?)", (entry.operator, entry.table_id, head.seq, entry.jws))
    connection.execute(
        "INSERT OR REPLACE INTO heads VALUES (?, ?, ?, ?, ?, ?)",
        (entry.operator, entry.table_id, head.seq, head.sha256, head.at, json.dumps(head.table_after)),
    )
    connection.execute(
        "INSERT OR REPLACE INTO rounds VALUES (?, ?, ?, ?, ?)",
        (entry.operator, entry.round_id, state.table_id, state.state, json.dumps(dict(state.seqs))),
    )


def _operator(connection: sqlite3.Connection, operator: str) -> Operator | None:
    row = connection.execute(
        "SELECT operator, scopes, secrets FROM operators WHERE operator = ?", (operator,)
    ).fetchone()
    return row and _operator_from(row)


def _operator_from(row: tuple[Any, ...]) -> Operator:
    return Operator(
        operator=row[0],
        scopes=frozenset(json.loads(row[1])),
        secrets=tuple((salt, digest) for salt, digest in json.loads(row[2])),
    )
