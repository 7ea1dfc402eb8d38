"""Reading back what was recorded: one round, or a table's chain page by page."""

from __future__ import annotations

from typing import Final, TypedDict

from cardroom.refusals import Refusal
from cardroom.services.ports import Ports
from cardroom.services.recorded import read
from cardroom.services.writing import RoundUnknown
from cardroom.shapes.records import Record

_SHOWING: Final = ("dealt", "set")  # the states of a live round whose last records show cards


class TableUnknown(Refusal):
    """The operator has no table of that id."""


class RecordRead(TypedDict):
    """A record as it is signed, and what it says."""

    record: str
    payload: Record


class RoundRead(TypedDict):
    """A round, and its records in order."""

    round_id: str
    table_id: str
    state: str
    records: list[RecordRead]


class RecordsPage(TypedDict):
    """Records of a table in order; `next` is the `after` of the next page, null at the end."""

    table_id: str
    records: list[str]
    next: int | None


def read_round(ports: Ports, *, operator: str, round_id: str, may_play: bool) -> RoundRead:
    """A round's records, decoded beside their signed form.

    A reader who may not play sees no record of a live round from its deal on: they show cards. Raises RoundUnknown.
    """
    state = ports.ledger.round_state(operator, round_id)
    if state is None:
        raise RoundUnknown(f"no round {round_id}")
    hides = not may_play and state.state in _SHOWING
    last = state.seqs["dealt"] - 1 if hides else max(state.seqs.values())
    kinds = sorted((kind for kind, seq in state.seqs.items() if seq <= last), key=state.seqs.__getitem__)
    found = [read(ports, operator=operator, state=state, kind=kind) for kind in kinds]
    return {
        "round_id": round_id,
        "table_id": state.table_id,
        "state": state.state,
        "records": [{"record": previous.record, "payload": previous.payload} for previous in found],
    }


def list_records(ports: Ports, *, operator: str, table_id: str, after: int, limit: int, may_play: bool) -> RecordsPage:
    """A page of a table's records in order; `next` is the `after` of the next page, null at the end.

    A reader who may not play sees the chain up to the deal of a live round. Raises TableUnknown.
    """
    head = ports.ledger.head(operator, table_id)
    if head is None:
        raise TableUnknown(f"no table {table_id}")
    last = head.seq
    live = head.table_after["live"]
    if not may_play and live is not None and live["state"] in _SHOWING:
        state = ports.ledger.round_state(operator, live["round_id"])
        # A round settled between the two reads hides one page too much; the next read shows it.
        last = min(last, state.seqs["dealt"] - 1) if state is not None else last
    records = ports.ledger.records(operator, table_id, after=after, limit=max(0, min(limit, last - after)))
    reached = after + len(records)
    return {"table_id": table_id, "records": list(records), "next": reached if records and reached < last else None}
