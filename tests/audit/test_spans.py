"""One report, byte for byte, however the work is cut: what spans tell each other, and what only all can tell."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from cardroom import canonical
from cardroom.adapters import environment
from cardroom.adapters.folder import FolderArchive
from cardroom.adapters.key_files import read_roots
from cardroom.audit.export import ExportHeader, export_lines
from cardroom.audit.finding import Place
from cardroom.audit.once import Once, merged
from cardroom.rounds.record import record_sha256
from cardroom.services import audit_tables
from cardroom.services.audit_tables import Auditor, report_bytes
from cardroom.services.catalogue import published
from cardroom.services.ports import Head, Operator
from cardroom.signing.signature import split
from cardroom_desk.exports.audit import Asked, audited
from tests.audit.play import BACCARAT, BICYCLE, HI_HI_LO, Json, Room, StepClock
from tests.audit.situations import ODD, SITUATIONS
from tests.audit.vectors import FAILS

Forge = Callable[[list[Room]], None]
VECTORS = Path(__file__).parents[2] / "vectors/records"
VERDICTS = json.loads((VECTORS / "verdicts.json").read_text())["files"]


class Book:
    """A store of chains as they are, whatever is wrong with them."""

    def __init__(self, rooms: Sequence[Room]) -> None:
        self._rooms = {room.table_id: room for room in rooms}
        self.until = rooms[0].clock.now()

    def now(self) -> str:
        return self.until

    def list(self) -> list[Operator]:
        return [Operator(operator="op", scopes=frozenset(), secrets=())]

    def tables(self, operator: str) -> list[str]:
        assert operator == "op"
        return sorted(self._rooms)

    def head(self, operator: str, table_id: str) -> Head:
        last = self._rooms[table_id].payloads[-1]
        jws = self._rooms[table_id].records[-1]
        return Head(seq=last["seq"], sha256=record_sha256(jws), at=last["at"], table_after=last["table_after"])

    def records(self, operator: str, table_id: str, *, after: int, limit: int) -> list[str]:
        room = self._rooms[table_id]
        there = zip(room.records, room.payloads, strict=True)
        return [jws for jws, payload in there if payload["seq"] > after][:limit]


def tables() -> list[Room]:
    """Three tables whose records one key signs: rounds, voids, a tombstone, draws, a shoe that stays open."""
    rooms = [Room(ruleset, f"t{number}", seed=number) for number, ruleset in enumerate((BICYCLE, HI_HI_LO, BACCARAT))]
    for room in rooms:
        room.root, room.clock, room.signer = rooms[0].root, rooms[0].clock, rooms[0].signer
    for index in range(12):
        for room in rooms:
            room.play(void=index == 5)
    rooms[0].tombstone("t0-never")
    rooms[2].close_shoe()
    rooms[2].play()
    for room in rooms:
        room.payloads = canonical.loads(canonical.dumps(room.payloads))
    return rooms


def reports(rooms: list[Room], folder: Path) -> dict[str, Json]:
    """The reports on the export as a file, and on the store whole, in about 7 and in about 100 spans."""
    book = Book(rooms)
    lines = export_lines(
        [jws for room in rooms for jws in room.records],
        signer=rooms[0].signer,
        clock=book,
        header=ExportHeader(operator="op"),
    )
    folder.mkdir(exist_ok=True)
    (folder / "export.jsonl").write_text("".join(lines))
    found = {"file": audited([folder / "export.jsonl"], Asked(roots=rooms[0].root.jwks()), processes=1)[0]}
    records = sum(len(room.records) for room in rooms)
    for name, size in (("whole", records), ("7", records // 7 + 1), ("100", 1)):
        found[name] = by_steps(rooms, folder / name, size)
    return found


def by_steps(
    rooms: list[Room], folder: Path, size: int, *, roots: Sequence[Json] | None = None, audience: str = "test"
) -> Json:
    """The report by the steps of the state machine."""
    book, archive, known = Book(rooms), FolderArchive(folder), published()
    planned = audit_tables.plan_audit(archive, book, book, book, audit="a", span_records=size)  # type: ignore[arg-type]
    auditor = Auditor(
        catalogue=known,
        archive=archive,
        ledger=book,  # type: ignore[arg-type]
        roots=roots or rooms[0].root.jwks(),
        audience=audience,
    )
    spans = canonical.loads(archive.get(planned["plan"]))
    for span in reversed(spans):
        audit_tables.audit_planned(auditor, span)
    report: Json = json.loads(archive.get(audit_tables.summarise_audit(archive, audit="a")["report"]))
    return report


def the_same(rooms: list[Room], folder: Path) -> Json:
    found = reports(rooms, folder)
    assert {report_bytes(report) for report in found.values()} == {report_bytes(found["file"])}
    return found["file"]


def test_honest_tables(tmp_path: Path) -> None:
    rooms = tables()
    report = the_same(rooms, tmp_path)
    assert (report["verdict"], report["findings"]) == ("incomplete", [])
    (waits,) = report["unproved"]
    assert (waits["why"], waits["records"]) == ("shoe-open", 4)
    assert report["held"] + waits["records"] == report["records"] == sum(len(room.records) for room in rooms)
    assert len(report["listed"]["voids"]) == 3 and len(report["listed"]["voids_before_deal"]) == 1


def used_again(rooms: list[Room]) -> None:
    """A finished round is opened again, long after."""
    rooms[0].made = 0
    rooms[0].play()


def at_two_tables(rooms: list[Room]) -> None:
    """A round that was played at one table is voided as unknown at another."""
    rooms[1].tombstone(rooms[0].payloads[0]["round_id"])


def seed_again(rooms: list[Room]) -> None:
    """Another round is opened under a commitment whose seed is revealed by now."""
    room, first = rooms[0], rooms[0].payloads[0]["body"]
    request = {**room.payloads[0]["request"]}
    seed, salt = room.secrets.seeds[room.payloads[0]["round_id"]], first["salt"]
    room.secrets.seeds["again"], room.secrets.salt = seed, salt
    room.call("opened", "again", request, at=room.clock.now())


@pytest.mark.parametrize(
    ("forge", "code", "seqs"),
    [
        (used_again, "round-reused", [38]),
        (at_two_tables, "round-reused", [37]),
        (seed_again, "commitment-reused", [38]),
    ],
)
def test_what_only_all_spans_can_tell(forge: Forge, code: str, seqs: list[int], tmp_path: Path) -> None:
    rooms = tables()
    forge(rooms)
    report = the_same(rooms, tmp_path)
    assert [(found["code"], found["seq"]) for found in report["findings"]] == [(code, seq) for seq in seqs]


def table_false(payload: Json) -> None:
    payload["table_after"]["hand_no"] += 1


def live_false(payload: Json) -> None:
    payload["table_after"]["live"] = {"round_id": "other", "state": "opened"}


def deal_false(payload: Json) -> None:
    if payload["kind"] == "dealt":
        payload["body"]["hands"][0]["cards"].reverse()


def seed_false(payload: Json) -> None:
    if "seed" in payload["body"]:
        payload["body"]["seed"] = "00" * 32


@pytest.mark.parametrize("change", [table_false, live_false, deal_false, seed_false])
@pytest.mark.parametrize("seq", [2, 7, 12])
def test_a_fault_by_the_genuine_key(change: Callable[[Json], None], seq: int, tmp_path: Path) -> None:
    """Whatever a record leaves, at whatever place spans are cut."""
    for number in (0, 2):
        rooms = tables()
        rooms[number].forge(seq, change)
        the_same(rooms, tmp_path / str(number))


@pytest.mark.parametrize("seq", [1, 7, 12])
def test_a_record_that_is_gone_or_cannot_be_read(seq: int, tmp_path: Path) -> None:
    rooms = tables()
    del rooms[0].records[seq - 1], rooms[0].payloads[seq - 1]
    found = the_same(rooms, tmp_path / "gone")
    assert {one["code"] for one in found["findings"]} == {"record-missing"}
    rooms = tables()
    rooms[0].records[seq - 1] = rooms[0].records[seq - 1][:-9] + "A" * 9
    found_by = {name: report for name, report in reports(rooms, tmp_path / "spoilt").items() if name != "file"}
    assert len({report_bytes(report) for report in found_by.values()}) == 1  # a file names it by its line
    (one,) = found_by["whole"]["findings"]
    assert (one["table_id"], one["seq"]) == ("t0", seq)


def test_what_cannot_be_read_at_one_table_excuses_nothing_at_another(tmp_path: Path) -> None:
    rooms = tables()
    rooms[0].records[4] = rooms[0].records[4][:-9] + "A" * 9
    del rooms[1].records[4], rooms[1].payloads[4]
    found = by_steps(rooms, tmp_path, 7)["findings"]
    assert [(one["code"], one["table_id"]) for one in found][1:] == [("record-missing", "t1")]


def test_the_functions_of_the_state_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in ("plan_audit", "audit_span", "summarise_audit"):
        monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "functions" / name))
        sys.modules.pop(name, None)
    rooms = tables()
    used_again(rooms)
    book = Book(rooms)
    monkeypatch.setenv("CARDROOM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("CARDROOM_DEPLOYMENT", "test")
    environment.forget()
    import audit_span
    import plan_audit
    import summarise_audit

    for module, name in ((plan_audit, "ledger"), (plan_audit, "operators"), (plan_audit, "clock")):
        monkeypatch.setattr(module, name, lambda: book)
    auditor = Auditor(
        catalogue=published(),
        archive=environment.reports(),
        ledger=book,  # type: ignore[arg-type]
        roots=rooms[0].root.jwks(),
        audience="test",
    )
    monkeypatch.setattr(audit_span, "auditor", lambda: auditor)
    planned = plan_audit.handler({"audit": "a", "asked": {"span_records": 7}}, None)
    for span in canonical.loads(environment.reports().get(planned["plan"])):
        audit_span.handler(span, None)
    summed = summarise_audit.handler({"audit": "a"}, None)
    assert environment.reports().get(summed["report"]) == report_bytes(the_same(rooms, tmp_path / "other"))  # type: ignore[arg-type]
    environment.forget()


def test_runs_are_merged_in_order() -> None:
    one, other = Once(), Once()
    kinds = published().kinds
    for number, payload in enumerate(payload for room in tables() for payload in room.payloads):
        (one if number % 2 else other).note(payload, kinds[payload["kind"]], Place(position=1))
    lines = list(merged([*one.runs(), *other.runs()]))
    assert lines == sorted(lines) and len(lines) == len(set(lines)) > 70


class Stored:
    """A table as a sample export has it, put into a store."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self.records = [json.loads(line)["record"] for line in lines if line.startswith(b'{"record"')]
        self.payloads = [json.loads(split(record).payload) for record in self.records]
        self.table_id = "t1"
        self.clock = StepClock()
        self.clock.time += timedelta(days=60 if "shoe_opened" in {one["kind"] for one in self.payloads} else 0)


@pytest.mark.parametrize("name", [*FAILS, *SITUATIONS, *ODD, "reused_id", "reused_seed", "void_terms", "open_shoe"])
def test_the_functions_find_what_verify_finds(name: str, tmp_path: Path) -> None:
    """A sample export by the code of the Lambdas: cut between any two records, and whole."""
    stored = Stored((VECTORS / f"{name}_fail.jsonl").read_bytes().splitlines(keepends=True))
    roots, expected = read_roots(VECTORS / "root.pem"), VERDICTS[f"{name}_fail.jsonl"]
    for size in (1, 1_000):
        report = by_steps([stored], tmp_path / str(size), size, roots=roots, audience="vectors")  # type: ignore[list-item]
        assert [(found["code"], found["seq"]) for found in report["findings"]] == [
            (expected["code"], expected["record"])
        ]


def test_the_functions_add_up_large_stakes_exactly(tmp_path: Path) -> None:
    stored = Stored((VECTORS / "large_stakes.jsonl").read_bytes().splitlines(keepends=True))
    roots = read_roots(VECTORS / "root.pem")
    report = by_steps([stored], tmp_path, 4, roots=roots, audience="vectors")  # type: ignore[list-item]
    assert (report["verdict"], report["held"]) == ("pass", len(stored.records))
    staked = sum(result["amount"] for payload in stored.payloads for result in payload["body"].get("results", ()))
    assert report["totals"]["tables"][0]["staked"] == staked > 2**53
