"""The export of records: a file of JSON Lines that ends with a signed count, so that a lost tail is noticed.

{"cardroom_export":1,"operator":"op","table_id":"t1"}     what it is an export of
{"record":"<JWS>"}                                        one line a record
{"trailer":"<JWS>"}                                       signed: that first line, how many records, each table's last
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final, Protocol

from cardroom import canonical
from cardroom.audit.finding import Finding
from cardroom.rounds.record import record_sha256
from cardroom.shapes import records as shapes
from cardroom.shapes.check import checker
from cardroom.shapes.forms import form_of
from cardroom.signing.certificate import RootVerifier
from cardroom.signing.signature import EXPORT, MAX_CHARS, RecordFault, split

VERSION: Final = 1
MAX_LINE: Final = MAX_CHARS + 1_000
"""How many bytes a line has at most: those of the longest record, and what stands around it."""


class ExportSigner(Protocol):
    """Signs records and trailers."""

    def sign(self, payload: shapes.ExportTrailer, typ: str) -> str:
        """The compact JWS of a payload."""


class Clock(Protocol):
    """The time of the wall."""

    def now(self) -> str:
        """Now, in UTC: `2026-11-29T21:53:29.123Z`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportHeader:
    """What an export holds: all of an operator's records, or those of one table, or of one round.

    `after` is the number of the last record that is left out at the start (0: none is). The records of a single round
    may have gaps in their numbers.
    """

    operator: str
    table_id: str | None = None
    round_id: str | None = None
    after: int = 0

    def to_json(self) -> shapes.ExportHeader:
        """The header as it stands in the file, without what is not set."""
        header: shapes.ExportHeader = {"cardroom_export": VERSION, "operator": self.operator}
        if self.table_id:
            header["table_id"] = self.table_id
        if self.round_id:
            header["round_id"] = self.round_id
        if self.after:
            header["after"] = self.after
        return header

    @classmethod
    def from_json(cls, value: object) -> ExportHeader:
        """The header of a file. Raises ValueError."""
        if not isinstance(value, dict) or not canonical.same(value.get("cardroom_export"), VERSION):
            raise ValueError(f"not the header of an export of version {VERSION}")
        if (wrong := checker(form_of(shapes.ExportHeader))(value)) is not None:
            raise ValueError(str(wrong))
        return cls(**{name: item for name, item in value.items() if name != "cardroom_export"})


def export_lines(records: Iterable[str], *, signer: ExportSigner, clock: Clock, header: ExportHeader) -> Iterator[str]:
    """The lines of an export, line ends included. The records of each table come in order of their numbers."""
    yield _line(header.to_json())
    count, heads = 0, dict[str, tuple[int, str]]()
    for jws in records:
        yield _line({"record": jws})
        payload: shapes.Record = canonical.loads(split(jws).payload)
        heads[payload["table_id"]] = (payload["seq"], record_sha256(jws))
        count += 1
    trailer: shapes.ExportTrailer = {
        "v": 1,
        "at": clock.now(),
        "header": header.to_json(),
        "records": count,
        "heads": [
            {"table_id": table_id, "seq": seq, "sha256": sha256} for table_id, (seq, sha256) in sorted(heads.items())
        ],
    }
    yield _line({"trailer": signer.sign(trailer, EXPORT)})


def signed_trailer(verifier: RootVerifier, jws: str) -> tuple[shapes.ExportTrailer, ExportHeader]:
    """A trailer that a root vouches for, and the header that it signs. Raises ValueError."""
    try:
        trailer: shapes.ExportTrailer = verifier.verify(jws, EXPORT)
    except RecordFault as fault:
        raise ValueError(f"{fault} ({fault.code})") from None
    if (wrong := checker(form_of(shapes.ExportTrailer))(trailer)) is not None:
        raise ValueError(wrong)
    if len({head["table_id"] for head in trailer["heads"]}) != len(trailer["heads"]):
        raise ValueError("heads: a table comes twice")
    return trailer, ExportHeader.from_json(trailer["header"])


def header_changed(signed: ExportHeader, found: ExportHeader | None) -> Finding:
    """The finding that a file's first line is not the header that its trailer signs."""
    return Finding(
        code="header-changed",
        message="the header is not the signed one",
        line=1,
        expected=signed.to_json(),
        found=found and found.to_json(),
    )


def lines_of(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, each with its offset; one that is too long to be any comes cut after `MAX_LINE` + 1 bytes.

    What is cut off is passed over piece by piece and never held.
    """
    offset = 0
    while line := file.readline(MAX_LINE + 1):
        yield offset, line
        offset += len(line)
        while not line.endswith(b"\n") and (line := file.readline(MAX_LINE)):
            offset += len(line)


def _line(value: object) -> str:
    return canonical.dumps(value).decode() + "\n"
