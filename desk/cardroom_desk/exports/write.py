"""Exports written from a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from cardroom.adapters import environment
from cardroom.audit.export import ExportHeader, export_lines
from cardroom.services.chains import numbered
from cardroom.services.ports import Ledger, LedgerDamaged
from cardroom_desk.terminal import fail

TABLES_NAMED: Final = 20


def exported(ledger: Ledger, operator: str, *, table_id: str | None, round_id: str | None) -> Iterator[str]:
    """The lines of an export from this process's store; ends the command if there is no such table or round."""
    if round_id is not None:
        state = ledger.round_state(operator, round_id)
        if state is None or table_id not in (None, state.table_id):
            fail(f"operator {operator} has no round {round_id}{f' at table {table_id}' if table_id else ''}.")
        records: Iterable[str] = [ledger.record(operator, state.table_id, seq) for seq in sorted(state.seqs.values())]
        header = ExportHeader(operator=operator, table_id=state.table_id, round_id=round_id)
    else:
        tables = ledger.tables(operator)
        if table_id is not None:
            if table_id not in tables:
                fail(f"operator {operator} has no table {table_id}: there is {_some(tables)}.")
            tables = [table_id]
        records = (record for one in tables for record in _chain(ledger, operator, one))
        header = ExportHeader(operator=operator, table_id=table_id)
    return export_lines(records, signer=environment.signer(), clock=environment.clock(), header=header)


def _some(tables: Sequence[str]) -> str:
    """The first tables by name, and how many more there are."""
    more = len(tables) - TABLES_NAMED
    return ", ".join(tables[:TABLES_NAMED]) + (f" and {more} more" if more > 0 else "")


def _chain(ledger: Ledger, operator: str, table_id: str) -> Iterator[str]:
    """All records of a table, at least up to where its head is now. Raises LedgerDamaged where the last ones lack."""
    head = ledger.head(operator, table_id)
    number = 0
    for number, jws in numbered(ledger, operator, table_id):  # noqa: B007 - the last one counts
        yield jws
    if head is not None and number < head.seq:
        raise LedgerDamaged(f"the head of table {table_id} is record {head.seq}, the last one there is {number}")
