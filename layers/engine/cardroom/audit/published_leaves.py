"""An export held against the leaves of the log that were published: a history that was rewritten contradicts them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cardroom import canonical
from cardroom.audit.export import ExportHeader
from cardroom.audit.finding import Finding
from cardroom.rounds.record import record_sha256
from cardroom.shapes.audits import LeafOpening
from cardroom.signing.signature import Malformed, split


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How an export stands to the published leaves: what contradicts them, and up to where each table agrees."""

    findings: tuple[Finding, ...]
    leaves: int
    tables: Mapping[str, int]

    @property
    def ok(self) -> bool:
        """Whether nothing contradicts; that no leaf was met is no agreement."""
        return not self.findings and self.leaves > 0


def against_leaves(lines: Iterable[bytes], leaves: Sequence[LeafOpening]) -> Agreement:
    """Hold an export's records against leaves that are proven to be in the log.

    Looks at hashes and links only: whether the records are genuine and right is for `verify_export` to say. A table's
    first contradiction is its one finding.
    """
    held = _Held(leaves)
    for number, line in enumerate(lines, start=1):
        held.take(number, line)
    return held.agreement()


@dataclass(slots=True)
class _Table:
    """A table's chain in the export so far."""

    seq: int = 0
    sha256: str | None = None
    found: Finding | None = None
    agreed: int = 0


_Place = tuple[str, str, int]  # operator, table, number


@dataclass(slots=True)
class _Held:
    published: Sequence[LeafOpening]
    tables: dict[str, _Table] = field(default_factory=dict)
    _wanted: dict[_Place, LeafOpening] = field(default_factory=dict)
    _line: int = 0
    _records: int = 0
    _met: int = 0
    _skipped: int = 0  # records up to this number are left out on purpose
    _gaps: bool = False
    _one_table: bool = False
    _operator: str | None = None

    def __post_init__(self) -> None:
        for opening in self.published:
            place = (opening["operator"], opening["table_id"], opening["seq"])
            self._wanted.setdefault(place, opening)  # an idle table's head is published again each day

    def take(self, number: int, line: bytes) -> None:
        """Take the next line of the export."""
        self._line = number
        try:
            value = canonical.loads(line)
            if "record" not in value:
                if number == 1:
                    header = ExportHeader.from_json(value)
                    self._operator, self._skipped = header.operator, header.after
                    self._one_table, self._gaps = header.table_id is not None, header.round_id is not None
                return
            payload = canonical.loads(split(value["record"]).payload)
            place = (payload["operator"], payload["table_id"], payload["seq"])
            prev = payload["prev"]
            sha256 = record_sha256(value["record"])
        except (ValueError, KeyError, TypeError, AttributeError, Malformed):
            return  # a line that cannot be read breaks the chain, which is told at the next record
        if self._operator is None:  # the header is gone or cannot be read
            self._operator = place[0]
        self._records += 1
        table = self.tables.setdefault(place[1], _Table())
        self._compare(table, place, prev, sha256)

    def _compare(self, table: _Table, place: _Place, prev: Any, sha256: str) -> None:
        opening, seq = self._wanted.pop(place, None), place[2]
        linked = table.seq + 1 == seq and prev == table.sha256
        begins = table.seq == 0 and seq == self._skipped + 1
        if table.found is None and not (linked or begins or self._gaps):
            message = f"record {seq} of table {place[1]} does not continue the one before it"
            self._find(table, place, "chain-broken", message, field="prev", expected=table.sha256, found=prev)
        if opening is not None and table.found is None:
            if opening["sha256"] == sha256:
                self._met += 1
                table.agreed = seq
            else:
                message = (
                    f"another record {seq} of table {place[1]} than the one published on {opening['day']}: "
                    "its history was rewritten"
                )
                details = {"field": "sha256", "expected": opening["sha256"], "found": sha256}
                self._find(table, place, "chain-forked", message, **details)
        table.seq, table.sha256 = seq, sha256

    def _find(self, table: _Table, place: _Place, code: str, message: str, **details: Any) -> None:
        where: dict[str, Any] = {"line": self._line, "record": self._records, "table_id": place[1], "seq": place[2]}
        table.found = Finding(code=code, message=message, **where, **details)

    def agreement(self) -> Agreement:
        """Close the file: a published record that never came is missing."""
        for place, opening in sorted(self._wanted.items()):
            operator, table_id, seq = place
            if operator != self._operator or self._gaps or seq <= self._skipped:
                continue
            if table_id not in self.tables and self._one_table:
                continue
            table = self.tables.setdefault(table_id, _Table())
            if table.found is None:
                message = f"record {seq} of table {table_id} was published on {opening['day']} and is not here"
                self._find(table, place, "record-missing", message, field="seq", expected=seq, found=table.seq)
        findings = [table.found for table in self.tables.values() if table.found]
        return Agreement(
            findings=tuple(sorted(findings, key=lambda finding: finding.line or 0)),
            leaves=self._met,
            tables={name: table.agreed for name, table in sorted(self.tables.items())},
        )
