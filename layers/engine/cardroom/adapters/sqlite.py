"""The ledger and the operators in one SQLite file: the embedded default of the local service."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from cardroom.adapters.sqlite_file import LedgerFile
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
)

_MAX_SEQ: Final = 2**63 - 1  # beyond it SQLite has no integer


class SqliteLedger:
    """A ledger in a SQLite file, made if it is not there; safe among threads and processes."""

    def __init__(self, path: Path | str) -> None:
        self._file = LedgerFile(path)

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
            if entry.own is not None and _round_state(connection, entry.operator, entry.own[0]) is not None:
                raise StateMoved(state)
            head = _head(connection, entry.operator, entry.table_id)
            if (head.sha256 if head else None) != entry.expected_head:
                raise HeadMoved(entry.table_id)
            if stored is not None:
                raise LedgerDamaged(f"table {entry.table_id} holds a record {entry.head.seq} beyond its head")
            _write(connection, entry)

    def check_writable(self) -> None:
        """See that the file can be written, without a wait for another writer. Raises StoreUnavailable."""
        self._file.check_writable()

    def check_whole(self) -> None:
        """Read all of the file to see that it is whole. Raises LedgerDamaged."""
        self._file.check_whole()

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
        self._file = LedgerFile(path)

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
    head = entry.head
    connection.execute("INSERT INTO records VALUES (?, ?, ?, ?)", (entry.operator, entry.table_id, head.seq, entry.jws))
    connection.execute(
        "INSERT OR REPLACE INTO heads VALUES (?, ?, ?, ?, ?, ?)",
        (entry.operator, entry.table_id, head.seq, head.sha256, head.at, json.dumps(head.table_after)),
    )
    for round_id, state in [(entry.round_id, entry.new_state), *([] if entry.own is None else [entry.own])]:
        connection.execute(
            "INSERT OR REPLACE INTO rounds VALUES (?, ?, ?, ?, ?)",
            (entry.operator, round_id, state.table_id, state.state, json.dumps(dict(state.seqs))),
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
