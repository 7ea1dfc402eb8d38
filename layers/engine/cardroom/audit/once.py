"""What may come once in all that is audited, however that is cut: round ids of an operator, and commitments.

Each is noted as a line that begins with its digest. Lines are kept as sorted runs outside memory (files of a laptop,
an archive's), and all runs are merged as streams: what comes twice stands side by side.
"""

from __future__ import annotations

import hashlib
import heapq
import math
from collections.abc import Callable, Iterable, Iterator
from io import SEEK_END, BytesIO
from itertools import groupby
from typing import IO, Final, NamedTuple

from cardroom import canonical
from cardroom.audit.checks import is_tombstone
from cardroom.audit.finding import Finding, Place
from cardroom.rounds.corrections import correction_round_id
from cardroom.rounds.steps import Kind
from cardroom.shapes.parts import GameJson
from cardroom.shapes.records import Record

_RUN: Final = 20_000  # lines that are sorted in memory
_BLOCK: Final = 1 << 16  # bytes that are read of a run at a time
_DIGEST: Final = 32  # characters at the head of a line: 128 bits of SHA-256

_WHAT: Final = {
    "round": ("round-reused", "round_id", "the id is that of record {seq} of table {table_id}"),
    "correction": (
        "correction-astray",
        "request.corrects",
        "record {seq} of table {table_id} corrects the same",
    ),
    "commitment": (
        "commitment-reused",
        "body.commitment",
        "two deals of one seed: the commitment is that of record {seq} of table {table_id}",
    ),
}


_Place = tuple[str, str, str, int, str, int, int]  # what, operator, table, seq, round, line, record


class Run(NamedTuple):
    """Sorted lines, from `start` to before `end`, which `read(start, size)` gives piece by piece, nothing past them."""

    read: Callable[[int, int], bytes]
    start: int = 0
    end: float = math.inf


class Once:
    """Notes what the records of one or more tables use up; `file` takes the sorted runs."""

    def __init__(self, file: IO[bytes] | None = None) -> None:
        self._file = BytesIO() if file is None else file
        self._lines: list[bytes] = []
        self._runs: list[Run] = []

    def note(self, payload: Record, kind: Kind, place: Place) -> None:
        """Note what a verified record begins: its id, and the seed that it commits to."""
        if isinstance(own := payload["request"].get("correction_id"), str):
            self._add("round", f"{payload['operator']}\n{correction_round_id(own)}", payload, place)
        if kind.follows != (None,) and not is_tombstone(payload):
            return
        self._add("round", f"{payload['operator']}\n{payload['round_id']}", payload, place)
        commitment = payload["body"].get("commitment")
        if isinstance(commitment, str):
            self._add("commitment", commitment, payload, place)

    def note_basis(self, basis: GameJson, payload: Record, place: Place, *, used: bool) -> None:
        """Note what a record leaves to be corrected, or (`used`) what a correction says that it was made from."""
        self._add("correction" if used else "settlement", canonical.dumps(basis).decode(), payload, place, of="basis")

    def _add(self, what: str, value: str, payload: Record, place: Place, *, of: str | None = None) -> None:
        digest = hashlib.sha256(f"{of or what}\n{value}".encode()).hexdigest()[:_DIGEST]
        named = f"{payload['operator']} {payload['table_id']} {payload['seq']} {payload['round_id']}"
        self._lines.append(f"{digest} {what} {named} {place.line or 0} {place.record or 0}".encode())
        if len(self._lines) >= _RUN:
            self._write()

    def runs(self) -> list[Run]:
        """All that was noted."""
        if self._lines:
            self._write()
        return self._runs

    def _write(self) -> None:
        content, start = as_run(sorted(self._lines)), self._file.seek(0, SEEK_END)
        self._file.write(content)
        self._runs.append(Run(self._read, start, start + len(content)))
        self._lines.clear()

    def _read(self, start: int, size: int) -> bytes:
        self._file.seek(start)
        return self._file.read(size)


def as_run(lines: Iterable[bytes]) -> bytes:
    """Sorted lines as they are kept."""
    return b"".join(line + b"\n" for line in lines)


def merged(runs: Iterable[Run]) -> Iterator[bytes]:
    """The lines of all runs in order, read in blocks: memory grows with the number of runs alone."""
    return heapq.merge(*map(_lines_of, runs))


def used_twice(runs: Iterable[Run]) -> list[Finding]:
    """A finding for each record that uses up what another one does; of each group the first by table goes free.

    And for each correction that is made from what no record left so.
    """
    found: dict[tuple[str, str, int], Finding] = {}
    for _, lines in groupby(merged(runs), key=lambda line: line[:_DIGEST]):
        places = sorted(map(_place_of, lines))
        left = [place for place in places if place[0] == "settlement"]
        first, *others = [place for place in places if place[0] != "settlement"] or left
        what, _, table_id, seq, *_ = first
        if what == "settlement":
            continue
        if what == "correction" and not left:
            found.update(_astray([first, *others]))
            continue
        code, field, message = _WHAT[what]
        for _, operator, table, number, round_id, line, record in others:
            one = Finding(
                code=code,
                message=message.format(table_id=table_id, seq=seq),
                line=line or None,
                record=record or None,
                operator=operator,
                table_id=table,
                seq=number,
                round_id=round_id,
                field=field,
            )
            place = operator, table, number
            if place not in found or what == "round":  # whose seed is the same as well: one fault
                found[place] = one
    return list(found.values())


def _astray(places: Iterable[_Place]) -> Iterator[tuple[tuple[str, str, int], Finding]]:
    """A finding for each correction that is made from what no record left."""
    for _, operator, table_id, seq, round_id, line, record in places:
        message = "it repeats a deal or a settlement of its round otherwise than the records have them"
        named = {"operator": operator, "table_id": table_id, "seq": seq, "round_id": round_id}
        yield (
            (operator, table_id, seq),
            Finding(
                code="correction-astray",
                message=message,
                line=line or None,
                record=record or None,
                field="body.basis",
                **named,  # type: ignore[arg-type]
            ),
        )


def _place_of(line: bytes) -> _Place:
    what, operator, table_id, seq, round_id, number, record = line.decode().split()[1:]
    return what, operator, table_id, int(seq), round_id, int(number), int(record)


def _lines_of(run: Run) -> Iterator[bytes]:
    start, left = run.start, b""
    while start < run.end and (block := run.read(start, int(min(_BLOCK, run.end - start)))):
        start += len(block)
        *lines, left = (left + block).split(b"\n")
        yield from lines
