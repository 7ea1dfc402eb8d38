"""Verify an export offline: from its bytes and the public root keys alone to a list of findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import IO, Any, Final

from cardroom import canonical
from cardroom.audit.export import MAX_LINE, ExportHeader, header_changed, signed_trailer
from cardroom.audit.finding import Finding, Place, finding_of
from cardroom.audit.once import Once, used_twice
from cardroom.audit.replayer import Replayer
from cardroom.audit.results import END, between, merge, report_of, resolved
from cardroom.audit.span import OVERDUE, RecordsAudit
from cardroom.shapes import records
from cardroom.shapes.audits import AuditReport, SpanResult, TableListed, TableOfSpan
from cardroom.shapes.parts import LiveRound
from cardroom.shapes.whole import RecordShapes
from cardroom.signing.certificate import RootVerifier


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedTable:
    """What was found of one table: its genuine records, first and last number, and the round that is still live."""

    table_id: str
    records: int
    first: int
    last: int
    sha256: str | None
    live: LiveRound | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcome of an audit: what is wrong, and what was looked at; `document` is all of it as JSON."""

    findings: tuple[Finding, ...]
    records: int
    tables: tuple[AuditedTable, ...]
    document: AuditReport

    @property
    def ok(self) -> bool:
        """Whether there is nothing wrong; nothing looked at is not all well."""
        return self.document["verdict"] != "fail"

    @property
    def complete(self) -> bool:
        """Whether all was proved besides."""
        return self.document["verdict"] == "pass"


def verify_export(
    lines: Iterable[bytes],
    roots: Sequence[records.PublicKey],
    *,
    audience: str | None = None,
    rulesets: Mapping[str, str] | None = None,
    replay: Replayer | None = None,
    shapes: RecordShapes | None = None,
    overdue: timedelta = OVERDUE,
    spool: IO[bytes] | None = None,
) -> Report:
    """Check every line of an export; one fault is one finding.

    `roots` are the root's public keys as JWKs, `audience` the deployment (None: any), `rulesets` the known rule sets
    by id with their hash (None: not checked), `replay` plays the rounds again (None: they are not), `shapes` are what
    records may hold (None: only the outer form is looked at), `overdue` how long a round or a shoe may be open.
    `spool` is an empty file for what grows with the number of records (None: it stays in memory).
    """
    verifier, once = RootVerifier(roots, audience), Once(spool)
    file, audit = ExportFile(verifier), None
    for number, line in enumerate(lines, start=1):
        taken = file.take(number, line)
        if taken is None:
            continue
        if audit is None:
            audit = RecordsAudit(verifier, rulesets=rulesets, replay=replay, shapes=shapes, gaps=file.gaps, once=once)
        audit.take(*taken)
    results = []
    if audit is not None:
        results = [audit.result(after=file.after, until=file.until, gaps=file.gaps, overdue=overdue)]
    return report(resolved(file.close(results), more=used_twice(once.runs())))


class ExportFile:
    """An export as a file: its header, its trailer, and lines in between, whose records others look at."""

    def __init__(self, verifier: RootVerifier) -> None:
        self.records = 0
        self.findings: list[Finding] = []
        self._verifier = verifier
        self._header: ExportHeader | None = None
        self._signed_header: ExportHeader | None = None
        self._trailer: records.ExportTrailer | None = None
        self._line = 0
        self._unread_lines: list[int] = []
        self._garbled = False  # whether the line before could not be read
        self._ended = False
        self._overrun = False

    @property
    def header(self) -> ExportHeader | None:
        """What the file says that it holds: what the trailer signs, once that was read; None if nothing says."""
        return self._signed_header or self._header

    @property
    def gaps(self) -> bool:
        """Whether numbers may be passed over, as the header says."""
        return self.header is None or self.header.round_id is not None

    @property
    def after(self) -> int | None:
        """The number before the first record, None if no header says."""
        return self.header.after if self.header is not None else None

    @property
    def until(self) -> str | None:
        """When the export was made, None without a genuine trailer."""
        return self._trailer["at"] if self._trailer is not None else None

    def take(self, number: int, line: bytes) -> tuple[str, Place] | None:
        """Take the next line of the file; the record that stands there, if one does."""
        self._line = number
        kind, value = _read(line)
        if self._ended:
            if not self._overrun:
                self._find("after-trailer", "nothing may follow the trailer")
            self._overrun = True
            return None
        if number == 1 and self._take_header(kind, value):
            return None
        was_garbled, self._garbled = self._garbled, kind not in ("record", "trailer")
        if kind == "record":
            self.records += 1
            return value, Place(position=number, line=number, record=self.records)
        if kind == "trailer":
            self._take_trailer(value)
        elif not was_garbled:  # lines that cannot be read in a row are one fault
            self.records += 1
            self._find("malformed", "the line is neither a record nor a trailer", record=self.records)
            self._unread_lines.append(number)
        return None

    def close(self, results: Iterable[SpanResult]) -> SpanResult:
        """Close the file: what was found in its records (`RecordsAudit.result`), and of the file as a whole."""
        if not self._line:
            self._find("export-empty", "the file is empty")
        elif not self._ended and not self._garbled:
            self._find("export-truncated", "the file ends without its trailer")
        merged = merge(results)
        self.findings += self._against_header(merged["tables"])
        if self._trailer is not None:
            ends = {head["table_id"]: head["seq"] for head in self._trailer["heads"]}
            cut_off = {
                table["table_id"] for table in merged["tables"] if table["last"] < ends.get(table["table_id"], 0)
            }
            merged["suspicions"] = [
                one for one in merged["suspicions"] if one["before"] != END or one["table_id"] not in cut_off
            ]
            so_far = resolved(merged, garbled=self._unread_lines, more=self.findings)
            self.findings += self._against_trailer(self._trailer, merged, bool(so_far["findings"]))
        if not self.records and not self.findings:
            self._find("no-records", "the export holds no record")
        return resolved(merged, garbled=self._unread_lines, more=self.findings)

    def _against_header(self, tables: Sequence[TableOfSpan]) -> Iterator[Finding]:
        """What the header says of the records: nobody but they can bear that out."""
        header = self.header
        if header is None:
            return
        surplus = set[str]()  # of which the trailer knows nothing: it is said so
        if self._trailer is not None:
            surplus = {table["table_id"] for table in tables} - {head["table_id"] for head in self._trailer["heads"]}
        for table in tables:
            if table["table_id"] in surplus:
                continue
            told: tuple[tuple[str, object, object, bool], ...] = (
                ("table_id", header.table_id, table["table_id"], header.table_id in (None, table["table_id"])),
                ("round_id", header.round_id, table["round_id"], header.round_id in (None, table["round_id"])),
                ("after", header.after, table["first"] - 1, header.after < table["first"]),
            )
            for field, expected, found, agrees in told:
                if not agrees:
                    message = f"the header says {field} {expected}, the records of table {table['table_id']} do not"
                    yield Finding(
                        line=1,
                        code="header-contradicted",
                        message=message,
                        table_id=table["table_id"],
                        field=field,
                        expected=expected,
                        found=found,
                    )

    def _find(self, code: str, message: str, **details: Any) -> None:
        self.findings.append(Finding(line=self._line, code=code, message=message, **details))

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
                self._unread_lines.append(1)
        return True

    def _take_trailer(self, jws: str) -> None:
        self._ended = True
        try:
            self._trailer, self._signed_header = signed_trailer(self._verifier, jws)
        except ValueError as error:
            self._find("trailer-invalid", f"trailer: {error}")
            return
        if self._header not in (None, self._signed_header):
            self.findings.append(header_changed(self._signed_header, self._header))

    def _against_trailer(
        self, trailer: records.ExportTrailer, merged: SpanResult, found_any: bool
    ) -> Iterator[Finding]:
        """What the signed counts say: the last records must be there, and nothing besides."""
        tables = {table["table_id"]: table for table in merged["tables"]}
        operator = next((table["operator"] for table in tables.values()), None)
        if operator not in (None, trailer["header"]["operator"]):
            message = "the records are another operator's than the trailer says"
            yield Finding(
                line=self._line,
                code="operator-foreign",
                message=message,
                expected=trailer["header"]["operator"],
                found=operator,
            )
            return
        heads = {head["table_id"]: head for head in trailer["heads"]}
        for table_id in sorted(heads.keys() | tables.keys()):
            finding = self._against_head(table_id, heads.get(table_id), tables.get(table_id), merged["unread"])
            if finding is not None:
                found_any = True
                yield finding
        if not found_any and trailer["records"] != self.records:
            message = f"{trailer['records']} records were exported, {self.records} are here"
            yield Finding(
                line=self._line,
                code="record-missing",
                message=message,
                field="records",
                expected=trailer["records"],
                found=self.records,
            )

    def _against_head(
        self, table_id: str, head: records.TableHead | None, table: TableOfSpan | None, unread: Sequence[int]
    ) -> Finding | None:
        expected, found = head["seq"] if head else 0, table["last"] if table else 0
        place = table["position"] if table else 0, self._line
        details: dict[str, Any] = {
            "line": self._line,
            "table_id": table_id,
            "field": "seq",
            "expected": expected,
            "found": found,
        }
        if found < expected:
            if expected - found <= between(unread, *place) or between(self._unread_lines, *place):
                return None  # it stands on a line that could not be read
            message = f"the last record exported of table {table_id} is {expected}, the last one here is {found}"
            return Finding(code="record-missing", message=message, seq=expected, **details)
        if found > expected:
            message = f"the trailer knows of table {table_id} up to record {expected}, here are more"
            return Finding(code="record-surplus", message=message, seq=found, **details)
        if head and table and head["sha256"] != table["sha256"]:
            message = f"another genuine record {found} of table {table_id} than the exported one: its chain was forked"
            return Finding(code="chain-forked", message=message, seq=found, **details)
        return None


def report(closed: SpanResult) -> Report:
    """The report on a file that was closed, its findings by their lines."""
    document = report_of(closed)
    return Report(
        findings=tuple(sorted(map(finding_of, closed["findings"]), key=lambda one: one.line or 0)),
        records=document["records"],
        tables=tuple(_audited(table) for table in document["tables"]),
        document=document,
    )


def _audited(table: TableListed) -> AuditedTable:
    return AuditedTable(
        table_id=table["table_id"],
        records=table["records"],
        first=table["first"],
        last=table["last"],
        sha256=table["sha256"],
        live=table["live"],
    )


def _read(line: bytes) -> tuple[str, Any]:
    """What a line is: `record` or `trailer` with its JWS, `other` JSON, or `garbled`."""
    if len(line) > MAX_LINE:
        return "garbled", None
    inner = line[11:-3]
    if line.startswith(b'{"record":"') and line.endswith(b'"}\n') and inner.translate(None, _COMPACT) == b"":
        return "record", inner.decode("ascii")
    try:
        value = canonical.loads(line)
    except canonical.NotJson:
        return "garbled", None
    if isinstance(value, dict) and len(value) == 1:
        ((name, jws),) = value.items()
        if name in ("record", "trailer") and isinstance(jws, str):
            return name, jws
    return "other", value


_COMPACT: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
