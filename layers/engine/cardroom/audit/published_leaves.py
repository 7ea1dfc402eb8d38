"""An export held against the leaves of the log that were published: a history that was rewritten contradicts them.

What the export's header says of itself excuses nothing: only where its trailer is genuine, which repeats the header,
is it known what was left out on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cardroom import canonical
from cardroom.audit.export import ExportHeader, header_changed, signed_trailer
from cardroom.audit.finding import Finding
from cardroom.rounds.record import record_sha256
from cardroom.shapes.audits import LeafOpening
from cardroom.shapes.records import ExportTrailer
from cardroom.signing.certificate import RootVerifier
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


def against_leaves(
    lines: Iterable[bytes], leaves: Sequence[LeafOpening], verifier: RootVerifier | None = None
) -> Agreement:
    """Hold an export's records against leaves that are proven to be in the log.

    Looks at hashes and links only: whether the records are genuine and right is for `verify_export` to say. A table's
    first contradiction is its one finding. With a `verifier` the trailer is held against the roots, and the header that
    it signs may leave records out.
    """
    held = _Held(leaves, verifier)
    for number, line in enumerate(lines, start=1):
        held.take(number, line)
    return held.agreement()


_Place = tuple[str, str, int]  # operator, table, number


class _Here(NamedTuple):
    """A record of the export."""

    operator: str
    table_id: str
    seq: int
    prev: Any
    sha256: str


@dataclass(slots=True)
class _Table:
    """A table's chain in the export so far, and what is first wrong: how it begins, a link, or a published record."""

    seq: int = 0
    sha256: str | None = None
    begins: Finding | None = None
    broken: Finding | None = None
    contradicted: Finding | None = None
    agreed: list[int] = field(default_factory=list)

    def found(self, header: ExportHeader | None) -> Finding | None:
        """The first contradiction, where a signed header allows for gaps and a later beginning."""
        if header is not None and header.round_id is not None:
            return self.contradicted
        begins = self.begins
        if begins is not None and header is not None and begins.seq == header.after + 1:
            begins = None
        some = [one for one in (begins, self.broken, self.contradicted) if one is not None]
        return min(some, key=lambda one: one.line or 0, default=None)


@dataclass(slots=True)
class _Held:
    published: Sequence[LeafOpening]
    verifier: RootVerifier | None
    tables: dict[str, _Table] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    _wanted: dict[_Place, LeafOpening] = field(default_factory=dict)
    _line: int = 0
    _records: int = 0
    _operator: str | None = None
    _claimed: ExportHeader | None = None
    _trailer: ExportTrailer | None = None
    _signed: ExportHeader | None = None

    def __post_init__(self) -> None:
        last: dict[tuple[str, str], LeafOpening] = {}
        for opening in sorted(self.published, key=lambda one: one["day"]):
            place = (opening["operator"], opening["table_id"], opening["seq"])
            other = self._wanted.setdefault(place, opening)  # an idle table's head is published again each day
            before = last.setdefault(place[:2], opening)
            if other["sha256"] != opening["sha256"] or opening["seq"] < before["seq"]:
                self.findings.append(_contradiction(before, opening))
            last[place[:2]] = opening

    def take(self, number: int, line: bytes) -> None:
        """Take the next line of the export."""
        self._line = number
        try:
            value = canonical.loads(line)
            if "trailer" in value:
                self._take_trailer(value["trailer"])
                return
            if "record" not in value:
                self._claimed = ExportHeader.from_json(value) if number == 1 else self._claimed
                return
            here = _here(value["record"])
        except (ValueError, KeyError, TypeError, AttributeError, Malformed):
            return  # a line that cannot be read breaks the chain, which is told at the next record
        self._records += 1
        if self._operator is None:
            self._operator = here.operator
        if here.operator != self._operator:
            details = {"table_id": here.table_id, "seq": here.seq, "expected": self._operator, "found": here.operator}
            self.findings.append(self._finding("operator-foreign", "a record of another operator", **details))
            return
        self._compare(self.tables.setdefault(here.table_id, _Table()), here)

    def _take_trailer(self, jws: str) -> None:
        if self.verifier is None:
            return
        try:
            if self._trailer is not None:
                raise ValueError("another one came before")
            self._trailer, self._signed = signed_trailer(self.verifier, jws)
        except ValueError as error:
            self.findings.append(self._finding("trailer-invalid", f"trailer: {error}"))

    def _vouched(self) -> ExportHeader | None:
        """The header that the trailer signs, if it is the trailer of these very records; None if nobody vouches."""
        trailer = self._trailer
        if trailer is None:
            return None
        heads = {head["table_id"]: (head["seq"], head["sha256"]) for head in trailer["heads"]}
        here = {name: (table.seq, table.sha256) for name, table in self.tables.items()}
        whose = (trailer["header"]["operator"], trailer["records"])
        if heads == here and whose == (self._operator, self._records):
            return self._signed
        self.findings.append(
            self._finding("trailer-invalid", "trailer: its operator, count or heads are not those of the records here")
        )
        return None

    def _compare(self, table: _Table, here: _Here) -> None:
        opening = self._wanted.pop(here[:3], None)
        if not (table.seq + 1 == here.seq and here.prev == table.sha256):
            message = f"record {here.seq} of table {here.table_id} does not continue the one before it"
            details = {"field": "prev", "expected": table.sha256, "found": here.prev}
            finding = self._finding("chain-broken", message, table_id=here.table_id, seq=here.seq, **details)
            if table.sha256 is None:
                table.begins = finding
            else:
                table.broken = table.broken or finding
        if opening is not None and opening["sha256"] == here.sha256:
            table.agreed.append(here.seq)
        elif opening is not None and table.contradicted is None:
            message = (
                f"another record {here.seq} of table {here.table_id} than the one published on {opening['day']}: "
                "its history was rewritten"
            )
            details = {"field": "sha256", "expected": opening["sha256"], "found": here.sha256}
            table.contradicted = self._finding("chain-forked", message, table_id=here.table_id, seq=here.seq, **details)
        table.seq, table.sha256 = here.seq, here.sha256

    def _finding(self, code: str, message: str, **details: Any) -> Finding:
        return Finding(code=code, message=message, line=self._line, record=self._records or None, **details)

    def agreement(self) -> Agreement:
        """Close the file: a published record that never came is missing."""
        header = self._vouched()
        if header is not None and self._claimed != header:
            self.findings.append(header_changed(header, self._claimed))
        wrong = {name: one for name, table in self.tables.items() if (one := table.found(header)) is not None}
        for finding in self._missing(header):
            wrong.setdefault(str(finding.table_id), finding)
        agreed = {
            name: [seq for seq in table.agreed if name not in wrong or seq < (wrong[name].seq or 0)]
            for name, table in sorted(self.tables.items())
        }
        findings = [*self.findings, *wrong.values()]
        return Agreement(
            findings=tuple(sorted(findings, key=lambda finding: finding.line or 0)),
            leaves=sum(map(len, agreed.values())),
            tables={name: max(seqs, default=0) for name, seqs in agreed.items()},
        )

    def _missing(self, header: ExportHeader | None) -> Iterator[Finding]:
        """Published records of the export's operator that are not here, and that no signed header leaves out."""
        for (operator, table_id, seq), opening in sorted(self._wanted.items()):
            if operator != self._operator or (header is not None and self._leaves_out(header, table_id, seq)):
                continue
            message = f"record {seq} of table {table_id} was published on {opening['day']} and is not here"
            if header is None and self._claimed is not None and self._leaves_out(self._claimed, table_id, seq):
                message += ": the header says that it is left out, which nobody vouches for without a root key"
            last = self.tables[table_id].seq if table_id in self.tables else 0
            yield self._finding(
                "record-missing", message, table_id=table_id, seq=seq, field="seq", expected=seq, found=last
            )

    def _leaves_out(self, header: ExportHeader, table_id: str, seq: int) -> bool:
        """Whether an export with this header need not have a record."""
        if header.round_id is not None or seq <= header.after:
            return True
        return header.table_id not in (None, table_id)


def _here(jws: str) -> _Here:
    """A record by what it says. Raises what odd JSON raises."""
    payload = canonical.loads(split(jws).payload)
    here = _Here(payload["operator"], payload["table_id"], payload["seq"], payload["prev"], record_sha256(jws))
    if not (isinstance(here.operator, str) and isinstance(here.table_id, str) and type(here.seq) is int):
        raise ValueError("operator, table or number")
    return here


def _contradiction(before: LeafOpening, after: LeafOpening) -> Finding:
    """Two leaves of one table that no chain has."""
    return Finding(
        code="leaf-contradicted",
        message=(
            f"the leaf of {after['day']} says that table {after['table_id']} stood at record {after['seq']}, "
            f"that of {before['day']} at record {before['seq']}: no chain has both"
        ),
        operator=after["operator"],
        table_id=after["table_id"],
        seq=after["seq"],
        field="sha256" if after["seq"] == before["seq"] else "seq",
        expected=before["sha256"] if after["seq"] == before["seq"] else before["seq"],
        found=after["sha256"] if after["seq"] == before["seq"] else after["seq"],
    )
