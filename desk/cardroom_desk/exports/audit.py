"""Whole exports replayed on all cores, table by table, and reported on."""

from __future__ import annotations

import binascii
import json
import os
import re
import time
from array import array
from base64 import urlsafe_b64decode
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TextIO

from cardroom.audit.finding import Place
from cardroom.audit.replay import Replay
from cardroom.audit.span import RecordsAudit, merge, report_of
from cardroom.audit.verify import ExportFile
from cardroom.services.catalogue import published
from cardroom.shapes.audits import AuditReport, SpanResult
from cardroom.shapes.records import PublicKey
from cardroom.signing.certificate import RootVerifier
from cardroom.signing.signature import RecordFault
from cardroom_desk.cores import each_on_cores
from cardroom_desk.terminal import Json, fail, note, usage

SAMPLED: Final = 40
"""How many records of each table have their signature timed alone."""

_TAIL: Final = 240  # characters of a payload that surely hold its table_id, which stands last but one
_TABLE: Final = re.compile(rb'"table_id":"([^"\\]+)","v":1\}\Z')


@dataclass(slots=True, kw_only=True)
class Cut:
    """An export cut by table: where each table's records stand. `runs` are (offset, line, record, count) in a row."""

    path: Path
    file: ExportFile
    runs: dict[str, array[int]] = field(default_factory=lambda: defaultdict(lambda: array("Q")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One table of one export, for one process."""

    number: int  # of the file
    path: str
    table_id: str
    runs: array[int]
    roots: Sequence[PublicKey]
    operator: str | None
    gaps: bool
    after: int | None
    until: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a process found in a table, and how long it took: all, and signatures alone of a sample."""

    number: int
    table_id: str
    result: SpanResult
    records: int
    seconds: float
    sampled: int
    sample_seconds: float


def audited(
    files: Sequence[Path], roots: Sequence[PublicKey], *, processes: int | None = None, resume: Path | None = None
) -> tuple[AuditReport, list[Done]]:
    """The report on some exports, and how the work went."""
    cuts = [cut(path, roots) for path in files]
    _refuse_twice(cuts, roots)
    tasks = [task for number, one in enumerate(cuts) for task in _tasks(number, one, roots)]
    before, state = _resumed(resume, files)
    with closing(state) if state is not None else nullcontext():
        done = list(before)
        known = {(one.number, one.table_id) for one in before}
        left = [task for task in tasks if (task.number, task.table_id) not in known]
        if left:
            for one in each_on_cores(audit_table, left, processes=processes, doing="tables audited"):
                done.append(one)
                if state is not None:
                    state.write(json.dumps(_to_json(one)) + "\n")
                    state.flush()
    closed = []
    for number, whole in enumerate(cuts):
        result = whole.file.close([each.result for each in done if each.number == number])
        if len(cuts) > 1:
            result["findings"] = [{"file": whole.path.name, **found} for found in result["findings"]]
        closed.append(result)
    return report_of(merge(closed)), done


# Cutting a file by table


def cut(path: Path, roots: Sequence[PublicKey]) -> Cut:
    """Read an export once: what kind each line is, and to which table its record says that it belongs.

    Nothing is verified yet: a record that says something else than what is signed fails where it is audited.
    """
    made = Cut(path=path, file=ExportFile(RootVerifier(roots)))
    offset, last = 0, ""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            taken = made.file.take(number, line)
            if taken is None:
                last = ""
            else:
                jws, place = taken
                claimed = _claimed_table(jws)
                if claimed == last:
                    made.runs[claimed][-1] += 1
                else:
                    made.runs[claimed].extend((offset, number, place.record or 0, 1))
                last = claimed
            offset += len(line)
    return made


def _claimed_table(jws: str) -> str:
    """The table that a record names, `?` if that cannot be read."""
    payload = jws.split(".", 2)[1] if jws.count(".") == 2 else ""
    start = max(0, (len(payload) - _TAIL) // 4 * 4)
    tail = payload[start:]
    try:
        found = _TABLE.search(urlsafe_b64decode(tail + "=" * (-len(tail) % 4)))
    except (binascii.Error, ValueError):
        return "?"
    return found[1].decode("utf-8", "replace") if found is not None else "?"


def _tasks(number: int, one: Cut, roots: Sequence[PublicKey]) -> Iterator[Task]:
    operator = _operator(one, roots)
    largest_first = sorted(one.runs.items(), key=lambda item: (-sum(item[1][3::4]), item[0]))
    for table_id, runs in largest_first:
        yield Task(
            number=number,
            path=str(one.path),
            table_id=table_id,
            runs=runs,
            roots=roots,
            operator=operator,
            gaps=one.file.gaps,
            after=one.file.after,
            until=one.file.until,
        )


def _operator(one: Cut, roots: Sequence[PublicKey]) -> str | None:
    """Whose records these are: what the first genuine one says."""
    verifier = RootVerifier(roots)
    with one.path.open("rb") as file:
        for offset, line in sorted((runs[0], runs[1]) for runs in one.runs.values()):
            file.seek(offset)
            jws = _record(file.readline())
            try:
                return str(verifier.verify(jws)["operator"])
            except (RecordFault, KeyError):
                del line
    return None


def _record(line: bytes) -> str:
    if line.startswith(b'{"record":"') and line.endswith(b'"}\n'):
        return line[11:-3].decode("latin-1")
    return str(json.loads(line)["record"])


def _refuse_twice(cuts: Sequence[Cut], roots: Sequence[PublicKey]) -> None:
    """A table's records stand in one file: across files nobody looks at the chain. Operators name tables alike."""
    seen: dict[tuple[str | None, str], Path] = {}
    for one in cuts:
        operator = _operator(one, roots)
        for table_id in one.runs:
            other = seen.setdefault((operator, table_id), one.path)
            if other is not one.path and table_id != "?":
                usage(f"table {table_id} is in {other} and in {one.path}: audit them one by one.")


# One table


def audit_table(task: Task) -> Done:
    """Audit one table of an export, in a process of its own."""
    verifier = RootVerifier(task.roots)
    spans = RecordsAudit(
        verifier,
        rulesets=published().hashes,
        replay=Replay(published()),
        shapes=published().shapes,
        gaps=task.gaps,
        operator=task.operator,
    )
    sample: list[str] = []
    started, records = time.process_time(), 0
    with Path(task.path).open("rb") as file:
        for offset, line, record, count in zip(*(task.runs[index::4] for index in range(4)), strict=True):
            file.seek(offset)
            for index in range(count):
                jws = _record(file.readline())
                spans.take(jws, Place(position=line + index, line=line + index, record=record + index))
                if len(sample) < SAMPLED:
                    sample.append(jws)
            records += count
    result = spans.result(after=task.after, until=task.until)
    seconds = time.process_time() - started
    return Done(
        number=task.number,
        table_id=task.table_id,
        result=result,
        records=records,
        seconds=seconds,
        sampled=len(sample),
        sample_seconds=_signatures_alone(verifier, sample),
    )


def _signatures_alone(verifier: RootVerifier, sample: Sequence[str]) -> float:
    """Processor time for nothing but the signatures of some records, in seconds."""
    started = time.process_time()
    for jws in sample:
        try:
            verifier.check_signature(jws)
        except RecordFault:
            continue
    return time.process_time() - started


# Going on after an interruption


def _resumed(path: Path | None, files: Sequence[Path]) -> tuple[list[Done], TextIO | None]:
    """What was done before, and the file to note down what is done now."""
    if path is None:
        return [], None
    head = {"audit_state": 1, "files": [[one.name, one.stat().st_size, one.stat().st_mtime_ns] for one in files]}
    before: list[Done] = []
    if path.exists() and path.stat().st_size:
        whole = [line for line in path.read_text("utf-8").splitlines(keepends=True) if line.endswith("\n")]
        try:
            found = [json.loads(line) for line in whole]
        except ValueError:
            found = [None]
        if not found or found[0] != head:
            fail(f"{path} is not the state of an audit of these files: name another, or remove it.")
        before = [Done(**one) for one in found[1:]]
        note(f"going on: {len(before)} tables are done.")
    state = path.open("w", encoding="utf-8")
    state.write("".join(json.dumps(one) + "\n" for one in (head, *map(_to_json, before))))
    state.flush()
    os.fsync(state.fileno())
    return before, state


def _to_json(one: Done) -> Json:
    return {name: getattr(one, name) for name in Done.__dataclass_fields__}
