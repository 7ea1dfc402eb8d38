"""Verify an export offline: from its bytes and the public root keys alone to a list of findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cardroom import canonical
from cardroom.audit.certificate import RootVerifier
from cardroom.audit.chain import Finding, Place, Replayer, Table, shape_fault
from cardroom.audit.export import ExportHeader
from cardroom.audit.signature import EXPORT, MAX_CHARS, Json, RecordFault

MAX_LINE: Final = MAX_CHARS + 1_000
_UNKNOWN: Final = 10**12  # how many records a line may have held that cannot be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What was found of one table: its genuine records, first and last number, and the round that is still live."""

    table_id: str
    records: int
    first: int
    last: int
    sha256: str
    live: Json | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcome of an audit: what is wrong, and what was looked at."""

    findings: tuple[Finding, ...]
    records: int
    tables: tuple[Span, ...]

    @property
    def ok(self) -> bool:
        """Whether there is nothing wrong; nothing looked at is not all well."""
        return not self.findings and self.records > 0


def verify_export(
    lines: Iterable[bytes],
    roots: Sequence[Json],
    *,
    audience: str | None = None,
    rulesets: Mapping[str, str] | None = None,
    replay: Replayer | None = None,
) -> Report:
    """Check every line of an export; one fault is one finding.

    `roots` are the root's public keys as JWKs, `audience` the deployment (None: any), `rulesets` the known rule sets
    by id with their hash (None: not checked), `replay` plays the rounds again (None: they are not). Reads line by
    line, so the size of the file does not matter.
    """
    audit = _Audit(RootVerifier(roots, audience), rulesets, replay)
    for number, line in enumerate(lines, start=1):
        audit.take(number, line)
    return audit.report()


class _Audit:
    def __init__(self, verifier: RootVerifier, rulesets: Mapping[str, str] | None, replay: Replayer | None) -> None:
        self._verifier = verifier
        self._rulesets = rulesets
        self._replay = replay
        self._findings: list[Finding] = []
        self._tables: dict[str, Table] = {}
        self._header: ExportHeader | None = None
        self._signed_header: ExportHeader | None = None
        self._trailer: Json | None = None
        self._operator: str | None = None
        self._line = self._records = 0
        self._unread = 0  # records that could not be verified
        self._garbled = False  # whether the line before could not be read
        self._ended = False
        self._overrun = False

    def take(self, number: int, line: bytes) -> None:
        """Take the next line of the file."""
        self._line = number
        kind, value = _read(line)
        if self._ended:
            if not self._overrun:
                self._find("after-trailer", "nothing may follow the trailer")
            self._overrun = True
            return
        if number == 1 and self._take_header(kind, value):
            return
        if kind == "record":
            self._take_record(value)
        elif kind == "trailer":
            self._take_trailer(value)
        elif not self._garbled:  # lines that cannot be read in a row are one fault
            self._records += 1
            self._find("malformed", "the line is neither a record nor a trailer", record=self._records)
            self._unread += _UNKNOWN
        self._garbled = kind not in ("record", "trailer")

    def report(self) -> Report:
        """Close the file."""
        if not self._line:
            self._find("export-empty", "the file is empty")
        elif not self._ended and not self._garbled:
            self._find("export-truncated", "the file ends without its trailer")
        header = self._signed_header or self._header
        after = header.after if header is not None else None
        for table in self._tables.values():
            self._findings += table.close(after)
        if self._trailer is not None:
            self._findings += self._against_trailer(self._trailer)
        if not self._records and not self._findings:
            self._find("no-records", "the export holds no record")
        spans = (
            Span(table_id=name, records=t.records, first=t.first, last=t.seq, sha256=t.sha256 or "", live=t.live)
            for name, t in sorted(self._tables.items())
        )
        findings = sorted(self._findings, key=lambda finding: finding.line)
        return Report(
            findings=tuple(findings), records=sum(t.records for t in self._tables.values()), tables=tuple(spans)
        )

    def _find(self, code: str, message: str, **details: Any) -> None:
        self._findings.append(Finding(line=self._line, code=code, message=message, **details))

    def _take_header(self, kind: str, value: Any) -> bool:
        """Whether the first line has been dealt with."""
        if kind in ("record", "trailer"):
            self._find("header-missing", "the file does not begin with its header")
            return False
        try:
            self._header = ExportHeader.from_json(value)
        except ValueError as error:
            self._find("header-invalid", str(error))
            if kind == "garbled":
                self._garbled = True
                self._unread += _UNKNOWN
        return True

    def _take_record(self, jws: str) -> None:
        self._records += 1
        place = Place(line=self._line, record=self._records)
        try:
            payload = self._verifier.verify(jws)
        except RecordFault as fault:
            self._find(fault.code, str(fault), record=place.record)
            self._unread += 1
            return
        fault_text = shape_fault(payload)
        if fault_text is None and self._operator not in (None, payload["operator"]):
            self._find("operator-foreign", "a record of another operator", record=place.record, field="operator")
            self._unread += 1
            return
        if fault_text is not None:
            self._find("payload-invalid", fault_text, record=place.record)
            self._unread += 1
            return
        self._operator = payload["operator"]
        table = self._tables.get(payload["table_id"])
        if table is None:
            gaps = self._header is None or self._header.round_id is not None
            table = Table(gaps=gaps, rulesets=self._rulesets, replay=self._replay)
            self._tables[payload["table_id"]] = table
        finding = table.follow(payload, canonical.sha256_hex(jws.encode()), place, self._unread)
        if finding is not None:
            self._findings.append(finding)

    def _take_trailer(self, jws: str) -> None:
        self._ended = True
        try:
            trailer = self._verifier.verify(jws, EXPORT)
            self._signed_header = ExportHeader.from_json(trailer.get("header"))
        except RecordFault as fault:
            self._find("trailer-invalid", f"trailer: {fault} ({fault.code})")
            return
        except ValueError as error:
            self._find("trailer-invalid", f"trailer: {error}")
            return
        self._trailer = trailer
        if self._header not in (None, self._signed_header):
            expected, found = trailer["header"], self._header and self._header.to_json()
            message = "the header is not the signed one"
            self._findings.append(
                Finding(line=1, code="header-changed", message=message, expected=expected, found=found)
            )

    def _against_trailer(self, trailer: Json) -> Iterator[Finding]:
        """What the signed counts say: the last records must be there, and nothing besides."""
        if self._operator not in (None, trailer["header"]["operator"]):
            message = "the records are another operator's than the trailer says"
            yield Finding(
                line=self._line,
                code="operator-foreign",
                message=message,
                expected=trailer["header"]["operator"],
                found=self._operator,
            )
            return
        heads = {head["table_id"]: head for head in trailer["heads"]}
        found_any = bool(self._findings)
        for table_id in sorted(heads.keys() | self._tables.keys()):
            finding = self._against_head(table_id, heads.get(table_id), self._tables.get(table_id))
            if finding is not None:
                found_any = True
                yield finding
        if not found_any and trailer["records"] != self._records:
            message = f"{trailer['records']} records were exported, {self._records} are here"
            yield Finding(
                line=self._line,
                code="record-missing",
                message=message,
                field="records",
                expected=trailer["records"],
                found=self._records,
            )

    def _against_head(self, table_id: str, head: Json | None, table: Table | None) -> Finding | None:
        expected, found = head["seq"] if head else 0, table.seq if table else 0
        unread = self._unread - (table.unread if table else 0)
        details: Json = {"line": self._line, "table_id": table_id, "field": "seq", "expected": expected, "found": found}
        if found < expected and expected - found > unread:
            message = f"the last record exported of table {table_id} is {expected}, the last one here is {found}"
            return Finding(code="record-missing", message=message, seq=expected, **details)
        if found > expected:
            message = f"the trailer knows of table {table_id} up to record {expected}, here are more"
            return Finding(code="record-surplus", message=message, seq=found, **details)
        if head and table and found == expected and head["sha256"] != table.sha256:
            message = f"another genuine record {found} of table {table_id} than the exported one: its chain was forked"
            return Finding(code="chain-forked", message=message, seq=found, **details)
        return None


def _read(line: bytes) -> tuple[str, Any]:
    """What a line is: `record` or `trailer` with its JWS, `other` JSON, or `garbled`."""
    if len(line) > MAX_LINE:
        return "garbled", None
    try:
        value = canonical.loads(line)
    except canonical.NotJson:
        return "garbled", None
    if isinstance(value, dict) and len(value) == 1:
        ((name, jws),) = value.items()
        if name in ("record", "trailer") and isinstance(jws, str):
            return name, jws
    return "other", value
