"""`cardroom audit`: one report, byte for byte, however the work was cut; and what it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import typer
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from cardroom import canonical
from cardroom.adapters.key_files import read_roots
from cardroom.audit.export import ExportHeader, export_lines
from cardroom.audit.replay import Replay
from cardroom.audit.results import merge, report_of
from cardroom.audit.span import audit_records
from cardroom.audit.verify import verify_export
from cardroom.services.catalogue import published
from cardroom.signing.signature import b64url
from cardroom_desk.exports import audit as exports_audit
from cardroom_desk.exports.audit import Asked, audit_tables, audited
from cardroom_desk.exports.verify import verified
from tests.audit.play import BACCARAT, BICYCLE, HI_HI_LO, PUSH_NINE, Json, MemoryRoot, Room, StepClock
from tests.functional.command import cardroom

VECTORS = Path(__file__).parents[2] / "vectors/records"
VERDICTS: dict[str, Any] = json.loads((VECTORS / "verdicts.json").read_text())["files"]
OPTIONS: dict[str, Any] = {"rulesets": published().hashes, "replay": Replay(published()), "shapes": published().shapes}


@pytest.fixture(scope="module")
def rooms() -> list[Room]:
    """Four tables of one operator, their records signed by one key; a shoe that stays open."""
    root, clock = MemoryRoot(), StepClock()
    made = []
    for number, ruleset in enumerate((BICYCLE, BACCARAT, HI_HI_LO, PUSH_NINE)):
        room = Room(ruleset, f"t{number}", seed=number)
        if made:
            room.signer = made[0].signer
        else:
            room.signer._root = root
        room.root, room.clock = root, clock
        for index in range(6):
            clock.time -= timedelta(minutes=1)  # at spans' ends too
            room.play(void=index == 4)
        if ruleset == BACCARAT:
            room.close_shoe()
            room.play()
        made.append(room)
    return made


@pytest.fixture(scope="module")
def export(rooms: list[Room], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tables in one file, the records of two of them turn by turn; root.pem beside it."""
    folder = tmp_path_factory.mktemp("export")
    mixed: list[str] = []
    for pair in zip(rooms[0].records, rooms[1].records, strict=False):
        mixed += pair
    used = min(len(rooms[0].records), len(rooms[1].records))
    mixed += [*rooms[0].records[used:], *rooms[1].records[used:], *rooms[2].records, *rooms[3].records]
    lines = export_lines(mixed, signer=rooms[0].signer, clock=rooms[0].clock, header=ExportHeader(operator="op"))
    (folder / "all.jsonl").write_text("".join(lines))
    key = rooms[0].root._key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (folder / "root.pem").write_bytes(key)
    return folder / "all.jsonl"


@pytest.fixture
def roots(export: Path) -> list[Json]:
    return list(read_roots(export.parent / "root.pem"))


def test_the_command_writes_json_on_a_pipe_and_a_page(export: Path, tmp_path: Path) -> None:
    html, out = tmp_path / "r.html", tmp_path / "r.json"
    ran = cardroom("audit", export, "--root", export.parent / "root.pem", "--html", html, "--json", out)
    assert ran.status == 0, ran.err
    assert ran.out.encode() == out.read_bytes()
    report = json.loads(ran.out)
    assert (report["verdict"], report["findings"], len(report["tables"])) == ("incomplete", [], 4)
    assert len(report["listed"]["voids"]) == 4
    assert [one["why"] for one in report["unproved"]] == ["shoe-open"]
    assert "of the rate of signature checks alone" in ran.err and "records a second" in ran.err
    assert report["held"] + report["unproved"][0]["records"] == report["records"]
    (said,) = re.findall(r"\n(\d+) records of 4 tables: (\d+) hold; \d+ wait for the seed of shoe", ran.err)
    assert said == (str(report["records"]), str(report["held"]))
    assert html.read_text().startswith("<!DOCTYPE html>") and "INCOMPLETE" in html.read_text()
    assert cardroom("audit", export, "--root", export.parent / "root.pem", "--complete").status == 1


def test_the_report_is_the_same_however_it_is_cut(export: Path, rooms: list[Room], roots: list[Json]) -> None:
    one, _ = audited([export], Asked(roots=roots), processes=1)
    two, _ = audited([export], Asked(roots=roots), processes=2)
    with export.open("rb") as lines:
        streamed = verify_export(lines, roots, **OPTIONS).document
    spans = [piece for room in rooms for size in (5,) for piece in cut(room, size, roots)]
    spans.reverse()
    halves = [merge(spans[:3]), merge(spans[3:])]
    first = canonical.dumps(one)
    assert {"t0": 16, "t2": 16}.items() <= {
        back["table_id"]: back["seq"] for back in one["listed"]["clock_back"]
    }.items()
    assert first == canonical.dumps(two) == canonical.dumps(streamed) == canonical.dumps(report_of(merge(halves)))


def cut(room: Room, size: int, roots: list[Json]) -> Iterator[Json]:
    """A table in spans, each with the records that it needs from before."""
    for after in range(0, len(room.records), size):
        begin = after
        while begin and any(room.payloads[begin - 1]["table_after"][name] is not None for name in ("live", "shoe")):
            begin -= 1
        begin = max(0, begin - 1)
        numbered = list(enumerate(room.records, start=1))
        yield audit_records(
            numbered[after : after + size],
            roots,
            operator="op",
            table_id=room.table_id,
            contexts=[numbered[begin:after]],
            last=len(numbered) if after + size >= len(numbered) else None,
            **OPTIONS,
        )


def test_a_fault_is_told_by_the_span_that_can_tell(rooms: list[Room], roots: list[Json]) -> None:
    """The card changes in the second record, the seed is revealed in the third, which is in the next span."""
    room = rooms[0]
    kept = room.records, room.payloads
    room.records, room.payloads = list(room.records), canonical.loads(canonical.dumps(room.payloads))
    room.forge(2, lambda payload: payload["body"]["hands"][0]["cards"].reverse())
    spans = list(cut(room, 2, roots))
    room.records, room.payloads = kept
    assert [len(span["findings"]) for span in spans[:3]] == [0, 1, 0]
    (found,) = report_of(merge(spans))["findings"]
    assert (found["code"], found["seq"]) == ("card-wrong", 2)


@pytest.mark.parametrize("name", VERDICTS)
def test_the_same_verdicts_as_verify(name: str) -> None:
    roots = read_roots(VECTORS / "root.pem")
    report, _ = audited([VECTORS / name], Asked(roots=roots), processes=1)
    with (VECTORS / name).open("rb") as lines:
        assert report == verified(lines, Asked(roots=roots)).document
    assert [one["code"] for one in report["findings"]] == ([VERDICTS[name]["code"]] if VERDICTS[name] else [])


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("trailer_dropped_fail", "export-truncated"),
        ("empty_fail", "export-empty"),
        ("concatenated_fail", "after-trailer"),
        ("doubled_fail", "record-doubled"),
        ("no_records_fail", "no-records"),
    ],
)
def test_what_is_no_whole_export_is_refused_by_name(name: str, code: str) -> None:
    ran = cardroom("audit", VECTORS / f"{name}.jsonl", "--root", VECTORS / "root.pem")
    assert ran.status == 1
    assert [found["code"] for found in json.loads(ran.out)["findings"]] == [code]
    assert ": 1 finding" in ran.err


def test_it_goes_on_where_it_was_interrupted(
    export: Path, roots: list[Json], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(exports_audit, "_TASK", 1)
    state, worked = tmp_path / "state", list[int]()
    whole, _ = audited([export], Asked(roots=roots), processes=1)

    def stops(task: exports_audit.Task) -> exports_audit.Done:
        if len(worked) == 2:
            raise KeyboardInterrupt
        worked.append(task.number)
        return audit_tables(task)

    monkeypatch.setattr(exports_audit, "audit_tables", stops)
    with pytest.raises(KeyboardInterrupt):
        audited([export], Asked(roots=roots), processes=1, resume=state)
    with state.open("a") as file:
        file.write('{"number": 0, "table_id": "t')  # the last line was cut off
    assert len(worked) == 2

    def goes_on(task: exports_audit.Task) -> exports_audit.Done:
        worked.append(task.number)
        return audit_tables(task)

    monkeypatch.setattr(exports_audit, "audit_tables", goes_on)
    again, _ = audited([export], Asked(roots=roots), processes=1, resume=state)
    assert capsys.readouterr().err == "going on: 2 parts are done.\n"
    assert canonical.dumps(again) == canonical.dumps(whole)
    assert sorted(worked) == [0, 1, 2, 3]  # none of them twice


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(lambda asked: replace(asked, overdue=timedelta(0)), id="overdue"),
        pytest.param(lambda asked: replace(asked, audience="elsewhere"), id="deployment"),
        pytest.param(lambda asked: replace(asked, roots=[*asked.roots, *MemoryRoot().jwks()]), id="roots"),
    ],
)
def test_an_audit_that_asks_for_something_else_does_not_go_on(
    export: Path,
    roots: list[Json],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    other: Callable[[Asked], Asked],
) -> None:
    state, asked = tmp_path / "state", Asked(roots=roots)
    audited([export], asked, processes=1, resume=state)
    with pytest.raises(typer.Exit):
        audited([export], other(asked), processes=1, resume=state)
    assert "is not the state of an audit of these files" in capsys.readouterr().err


def test_another_engine_does_not_go_on(
    export: Path, roots: list[Json], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state"
    audited([export], Asked(roots=roots), processes=1, resume=state)
    monkeypatch.setattr(exports_audit, "engine_here", lambda: {"version": "9.9.9", "sha256": "0" * 64})
    with pytest.raises(typer.Exit):
        audited([export], Asked(roots=roots), processes=1, resume=state)
    assert "is not the state of an audit of these files" in capsys.readouterr().err


def test_the_state_of_an_audit_of_another_file_is_refused(
    export: Path, roots: list[Json], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other, state = tmp_path / "other.jsonl", tmp_path / "state"
    other.write_bytes(export.read_bytes())
    audited([other], Asked(roots=roots), processes=1, resume=state)
    with pytest.raises(typer.Exit):
        audited([export], Asked(roots=roots), processes=1, resume=state)
    assert "is not the state of an audit of these files" in capsys.readouterr().err


def test_a_table_in_two_files_is_refused(export: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_bytes(export.read_bytes())
    ran = cardroom("audit", export, other, "--root", export.parent / "root.pem")
    assert ran.status == 2
    assert "table t0 is in" in ran.err and "audit them one by one" in ran.err


def test_an_export_of_many_tables(tmp_path: Path) -> None:
    """More than any list of a record has items; small tables are audited together."""
    like = Room(BICYCLE)
    records = []
    for number in range(1_200):
        room = Room(BICYCLE, f"t{number}")
        room.root, room.clock, room.signer = like.root, like.clock, like.signer
        room.tombstone(f"r{number}")
        records += room.records
    lines = export_lines(records, signer=like.signer, clock=like.clock, header=ExportHeader(operator="op"))
    (tmp_path / "many.jsonl").write_text("".join(lines))
    report, done = audited([tmp_path / "many.jsonl"], Asked(roots=like.root.jwks()), processes=1)
    assert (report["verdict"], report["held"], len(report["tables"]), len(done)) == ("pass", 1_200, 1_200, 1)


def test_junk_names_of_tables_are_no_more_than_junk(tmp_path: Path) -> None:
    lines = (VECTORS / "pai_gow.jsonl").read_bytes().splitlines(keepends=True)
    payloads = (b64url(canonical.dumps({"table_id": f"junk{number}", "v": 2})) for number in range(3_000))
    junk = [canonical.dumps({"record": f"e30.{payload}.AAAA"}) + b"\n" for payload in payloads]
    path = tmp_path / "junk.jsonl"
    path.write_bytes(b"".join([*lines[:-1], *junk, lines[-1]]))
    report, done = audited([path], Asked(roots=read_roots(VECTORS / "root.pem")), processes=1)
    assert (len(report["findings"]), report["held"], len(report["tables"])) == (3_000, 6, 1)
    assert len(done) == 2  # and not one for each name
