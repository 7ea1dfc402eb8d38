"""Whole exports replayed on all cores, some tables in each process, and reported on."""

from __future__ import annotations

import binascii
import json
import os
import re
import shutil
import tempfile
import time
from array import array
from base64 import urlsafe_b64decode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final, TextIO

from cardroom.adapters.engine import engine_here
from cardroom.adapters.folder import FolderArchive
from cardroom.audit.export import lines_of
from cardroom.audit.finding import Place
from cardroom.audit.once import Once, Run, used_twice
from cardroom.audit.replay import Replay
from cardroom.audit.results import foreign_engines, merge, nothing_found, report_of
from cardroom.audit.span import OVERDUE, RecordsAudit
from cardroom.audit.verify import ExportFile
from cardroom.services.catalogue import published
from cardroom.shapes.audits import AuditReport, SpanResult
from cardroom.shapes.records import PublicKey
from cardroom.signing.certificate import RootVerifier
from cardroom.signing.signature import RecordFault
from cardroom_desk.cores import each_on_cores
from cardroom_desk.terminal import Json, fail, note, usage

SAMPLED: Final = 40
"""How many records of each task have their signature timed alone."""

_TASK: Final = 2_000
"""Small tables are audited together, up to so many records."""

_TAIL: Final = 240  # characters of a payload that surely hold its table_id, which stands last but one
_TABLE: Final = re.compile(rb'"table_id":"([^"\\]+)","v":[0-9]+\}\Z')


@dataclass(slots=True, kw_only=True)
class Cut:
    """An export cut by table: where each table's records stand. `runs` are (offset, line, record, count) in a row."""

    path: Path
    file: ExportFile
    runs: dict[str, array[int]] = field(default_factory=lambda: defaultdict(lambda: array("Q")))
    operator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How exports are to be audited: by which roots, of which deployment (None: any), by which engines (none: any)."""

    roots: Sequence[PublicKey]
    audience: str | None = None
    engines: Sequence[str] = ()
    overdue: timedelta = OVERDUE


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Some tables of one export, for one process; `once` is the file for what may come once in all of them."""

    file: int  # its number
    number: int
    path: Path
    runs: array[int]
    asked: Asked
    operator: str | None
    gaps: bool
    after: int | None
    until: str | None
    once: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a process found in a task, and how long it took: all, and signatures alone of a sample."""

    file: int
    number: int
    result: SpanResult
    runs: Sequence[tuple[int, int]]
    records: int
    seconds: float
    sampled: int
    sample_seconds: float


def audited(
    files: Sequence[Path], asked: Asked, *, processes: int | None = None, resume: Path | None = None
) -> tuple[AuditReport, list[Done]]:
    """The report on some exports, and how the work went."""
    cuts = [cut(path, asked) for path in files]
    _refuse_twice(cuts)
    with _folder(resume) as folder:
        tasks = [task for number, one in enumerate(cuts) for task in _tasks(number, one, asked, folder)]
        before, state = _resumed(resume, _state_head(files, asked), folder)
        with closing(state) if state is not None else nullcontext():
            known = {(one.file, one.number) for one in before}
            left = [task for task in tasks if (task.file, task.number) not in known]
            done, results = list[Done](), {number: nothing_found() for number, _ in enumerate(cuts)}
            for one in chain(before, _audited(left, processes, state)):
                results[one.file] = merge([results[one.file], one.result])  # as they come: all of them are too many
                done.append(replace(one, result=nothing_found()))
        return _report(cuts, results, done, asked, folder), done


def _audited(tasks: Sequence[Task], processes: int | None, state: TextIO | None) -> Iterator[Done]:
    """What comes of each task, noted down in the state."""
    for one in each_on_cores(audit_tables, tasks, processes=processes, doing="parts audited") if tasks else ():
        if state is not None:
            state.write(json.dumps(_to_json(one)) + "\n")
            state.flush()
        yield one


def _report(
    cuts: Sequence[Cut], results: Mapping[int, SpanResult], done: Sequence[Done], asked: Asked, folder: Path
) -> AuditReport:
    closed = []
    for number, whole in enumerate(cuts):
        result = whole.file.close([results[number]])
        if len(cuts) > 1:
            result["findings"] = [{"file": whole.path.name, **found} for found in result["findings"]]
        closed.append(result)
    merged = merge(closed)
    kept = FolderArchive(folder)
    runs = [Run(partial(kept.part, _once_name(one.file, one.number)), *places) for one in done for places in one.runs]
    return report_of(merged, more=[*used_twice(runs), *foreign_engines(merged, asked.engines)])


def _once_name(file: int, number: int) -> str:
    """The name of the file for what may come once in a task."""
    return f"{file}-{number}"


@contextmanager
def _folder(resume: Path | None) -> Iterator[Path]:
    """Where tasks leave what may come once: beside the state of an audit that may be gone on with, or for a while."""
    if resume is None:
        with tempfile.TemporaryDirectory(prefix="cardroom-audit-") as name:
            yield Path(name)
    else:
        folder = resume.with_name(f"{resume.name}.once")
        folder.mkdir(exist_ok=True)
        yield folder


def forget(resume: Path) -> None:
    """Remove what was kept to go on from."""
    resume.unlink(missing_ok=True)
    shutil.rmtree(resume.with_name(f"{resume.name}.once"), ignore_errors=True)


# Cutting a file by table


def cut(path: Path, asked: Asked) -> Cut:
    """Read an export once: what kind each line is, and to which table its record says that it belongs.

    Nothing is verified yet but the first record, which tells the operator: one that says something else than what is
    signed fails where it is audited.
    """
    verifier = RootVerifier(asked.roots, asked.audience)
    made = Cut(path=path, file=ExportFile(verifier))
    last = ""
    with path.open("rb") as file:
        for number, (offset, line) in enumerate(lines_of(file), start=1):
            taken = made.file.take(number, line)
            if taken is None:
                last = ""
                continue
            jws, place = taken
            if made.operator is None:
                made.operator = _operator(verifier, jws)
            claimed = _claimed_table(jws)
            if claimed == last:
                made.runs[claimed][-1] += 1
            else:
                made.runs[claimed].extend((offset, number, place.record or 0, 1))
            last = claimed
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


def _operator(verifier: RootVerifier, jws: str) -> str | None:
    """Whose record it is, if it is genuine and of the shape of one."""
    try:
        payload = verifier.verify(jws)
    except RecordFault:
        return None
    return payload["operator"] if published().shapes.fault(payload) is None else None


def _tasks(file: int, one: Cut, asked: Asked, folder: Path) -> Iterator[Task]:
    largest_first = sorted(one.runs.values(), key=lambda runs: (-_count(runs), runs[0]))
    for number, runs in enumerate(_together(largest_first)):
        yield Task(
            file=file,
            number=number,
            path=one.path,
            runs=runs,
            asked=asked,
            operator=one.operator,
            gaps=one.file.gaps,
            after=one.file.after,
            until=one.file.until,
            once=folder / _once_name(file, number),
        )


def _together(tables: Iterable[array[int]]) -> Iterator[array[int]]:
    """The runs of large tables by themselves, those of small ones together."""
    some = array("Q")
    for runs in tables:
        some += runs
        if _count(some) >= _TASK:
            yield some
            some = array("Q")
    if some:
        yield some


def _count(runs: array[int]) -> int:
    return sum(runs[3::4])


def _record(line: bytes) -> str:
    if line.startswith(b'{"record":"') and line.endswith(b'"}\n'):
        return line[11:-3].decode("latin-1")
    return str(json.loads(line)["record"])


def _refuse_twice(cuts: Sequence[Cut]) -> None:
    """A table's records stand in one file: across files nobody looks at the chain. Operators name tables alike."""
    seen: dict[tuple[str | None, str], Path] = {}
    for one in cuts:
        for table_id in one.runs:
            other = seen.setdefault((one.operator, table_id), one.path)
            if other is not one.path and table_id != "?":
                usage(f"table {table_id} is in {other} and in {one.path}: audit them one by one.")


# One task


def audit_tables(task: Task) -> Done:
    """Audit some tables of an export, in a process of its own."""
    verifier = RootVerifier(task.asked.roots, task.asked.audience)
    sample: list[str] = []
    started, records = time.process_time(), 0
    with task.path.open("rb") as file, task.once.open("w+b") as kept:
        audit = RecordsAudit(
            verifier,
            rulesets=published().hashes,
            replay=Replay(published()),
            shapes=published().shapes,
            gaps=task.gaps,
            operator=task.operator,
            once=(once := Once(kept)),
        )
        for offset, line, record, count in zip(*(task.runs[index::4] for index in range(4)), strict=True):
            file.seek(offset)
            for index in range(count):
                jws = _record(file.readline())
                audit.take(jws, Place(position=line + index, line=line + index, record=record + index))
                if len(sample) < SAMPLED:
                    sample.append(jws)
            records += count
        result = audit.result(after=task.after, until=task.until, overdue=task.asked.overdue)
        runs = [(run.start, int(run.end)) for run in once.runs()]
    return Done(
        file=task.file,
        number=task.number,
        result=result,
        runs=runs,
        records=records,
        seconds=time.process_time() - started,
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


def _state_head(files: Sequence[Path], asked: Asked) -> Json:
    """Whatever the result of a part hangs on: parts of two audits that differ in it do not make one report.

    The engines asked for are not in it, as they are looked at when all parts are there.
    """
    return {
        "audit_state": 3,
        "files": [[one.name, one.stat().st_size, one.stat().st_mtime_ns] for one in files],
        "roots": sorted([key["x"], key["y"]] for key in asked.roots),
        "audience": asked.audience,
        "overdue_seconds": asked.overdue.total_seconds(),
        "engine": engine_here()["sha256"],
    }


def _resumed(path: Path | None, head: Json, folder: Path) -> tuple[list[Done], TextIO | None]:
    """What was done before, and the file to note down what is done now."""
    if path is None:
        return [], None
    before: list[Done] = []
    if path.exists() and path.stat().st_size:
        whole = [line for line in path.read_text("utf-8").splitlines(keepends=True) if line.endswith("\n")]
        try:
            found = [json.loads(line) for line in whole]
        except ValueError:
            found = [None]
        if not found or found[0] != head:
            fail(
                f"{path} is not the state of an audit of these files by the same --root, --deployment, --overdue and "
                "engine: name another, or remove it."
            )
        before = [
            one for one in (Done(**one) for one in found[1:]) if (folder / _once_name(one.file, one.number)).exists()
        ]
        note(f"going on: {len(before)} parts are done.")
    state = path.open("w", encoding="utf-8")
    state.write("".join(json.dumps(one) + "\n" for one in (head, *map(_to_json, before))))
    state.flush()
    os.fsync(state.fileno())
    return before, state


def _to_json(one: Done) -> Json:
    return {name: getattr(one, name) for name in Done.__dataclass_fields__}
