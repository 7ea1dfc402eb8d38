"""What is wrong, and where: findings on records, and suspicions that only the end of a chain can settle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from cardroom.shapes.audits import FindingJson
from cardroom.shapes.records import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault: where it is, what kind it is, what should be there and what is.

    `line` counts the file's lines and `record` its records, both from 1 (None where records come from no file);
    `operator`, `table_id`, `seq` and `round_id` are what the record says of itself, where it can be believed.
    """

    code: str
    message: str
    line: int | None = None
    record: int | None = None
    operator: str | None = None
    table_id: str | None = None
    seq: int | None = None
    round_id: str | None = None
    field: str | None = None
    expected: Any = None
    found: Any = None


def finding_of(told: FindingJson) -> Finding:
    """A finding from its JSON."""
    return Finding(
        code=told["code"],
        message=told["message"],
        line=told.get("line"),
        record=told.get("record"),
        operator=told.get("operator"),
        table_id=told.get("table_id"),
        seq=told.get("seq"),
        round_id=told.get("round_id"),
        field=told.get("field"),
        expected=told.get("expected"),
        found=told.get("found"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a record stands: its `position` among all (its line, in a file), and its line and number in a file.

    `table_id` is the table in whose store it stands, where it comes from no file.
    """

    position: int
    line: int | None = None
    record: int | None = None
    table_id: str | None = None

    def finding(self, payload: Record, code: str, message: str, **details: Any) -> Finding:
        """A finding on the record that stands here."""
        return Finding(
            line=self.line,
            record=self.record,
            code=code,
            message=message,
            operator=payload.get("operator"),
            table_id=payload.get("table_id"),
            seq=payload.get("seq"),
            round_id=payload.get("round_id"),
            **details,
        )


class Suspicion(NamedTuple):
    """Records that were passed over between two positions: `gone` unless so many there could not be verified."""

    after: int
    before: int
    missing: int
    gone: Finding
    late: Finding | None
