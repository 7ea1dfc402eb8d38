"""A new kind of record, a note of the floor, as one more entry of a catalogue: nothing else in the house changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypedDict

import pytest

from cardroom import canonical
from cardroom.adapters.sqlite import SqliteLedger
from cardroom.audit.export import ExportHeader, export_lines
from cardroom.audit.finding import Finding
from cardroom.audit.replay import Replay
from cardroom.audit.verify import verify_export
from cardroom.rounds.record import record_sha256
from cardroom.rounds.steps import Before, Call, Kind, Secrets
from cardroom.services.catalogue import published
from cardroom.services.ports import Ports
from cardroom.services.recorded import Answer, RoundChanged
from cardroom.services.writing import Asked, write
from cardroom.shapes.bounds import Length, Pattern
from cardroom.shapes.records import Payload
from cardroom.shapes.values import ID, Id
from cardroom.signing.signature import split
from tests.services import OPERATOR, deal, open_, ports_on, settle, void

Json = dict[str, Any]


# The kind, as a module of cardroom/rounds would hold it


NoteText = Annotated[str, Length(1, 200)]
NoteRoundId = Annotated[str, Pattern(f"note:{ID.text}", "`note:` and the note's id")]


class NoteRequest(TypedDict):
    """What is noted, and who says it."""

    table_id: Id
    text: NoteText
    said_by: Id


class NoteBody(TypedDict):
    """The note, and the round that was live when it was made."""

    text: NoteText
    said_by: Id
    during: Id | None


class Noted(Payload):
    """The floor noted something down."""

    kind: Literal["noted"]
    round_id: NoteRoundId
    ruleset: None
    request: NoteRequest
    body: NoteBody


def _noted(call: Call, before: Before, secrets: Secrets) -> Json:
    request, live = call.request, before.table["live"]
    return {"text": request["text"], "said_by": request["said_by"], "during": live and live["round_id"]}


def _leaves_the_table(call: Call, before: Before, body: Json) -> Json:
    return before.table


NOTED: Final = Kind(shapes=(Noted,), follows=(None,), body=_noted, leaves=_leaves_the_table, while_live=True)

CATALOGUE: Final = published().with_more(kinds={"noted": NOTED})


# What is done with it


def note(ports: Ports, note_id: str, text: str, *, table_id: str = "t1") -> Answer:
    request = {"table_id": table_id, "text": text, "said_by": "floor-3"}
    return write(ports, Asked(kind="noted", operator=OPERATOR, round_id=f"note:{note_id}", request=request))


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[Ports]:
    with closing(SqliteLedger(tmp_path / "ledger.sqlite")) as ledger:
        yield replace(ports_on(ledger, tmp_path), catalogue=CATALOGUE)


def written(ports: Ports) -> list[str]:
    return list(ports.ledger.records(OPERATOR, "t1", after=0, limit=100))


def audit(ports: Ports, records: list[str]) -> list[Finding]:
    header = ExportHeader(operator=OPERATOR, table_id="t1")
    lines = export_lines(records, signer=ports.signer, clock=ports.clock, header=header)  # type: ignore[arg-type]
    known = ports.catalogue
    report = verify_export(
        (line.encode() for line in lines),
        ports.signer.roots(),
        rulesets=known.hashes,
        replay=Replay(known),
        shapes=known.shapes,
    )
    return list(report.findings)


def test_notes_stand_between_the_records_of_a_live_round(ports: Ports) -> None:
    note(ports, "n1", "shift begins")  # the table's first record
    opened = open_(ports)
    first = note(ports, "n2", "seat 3 asks for new cards")
    deal(ports, opened.record)  # handed back, though it is not the head any more
    second = note(ports, "n3", "seat 3 is content")
    settled = settle(ports)
    last = note(ports, "n4", "shift ends")

    assert first.payload["body"] == {"text": "seat 3 asks for new cards", "said_by": "floor-3", "during": "r1"}
    assert first.payload["table_after"] == opened.payload["table_after"]
    assert second.payload["table_after"]["live"] == {"round_id": "r1", "state": "dealt"}
    assert last.payload["body"]["during"] is None
    assert last.payload["table_after"] == settled.payload["table_after"]
    kinds = [canonical.loads(split(record).payload)["kind"] for record in written(ports)]
    assert kinds == ["noted", "opened", "noted", "dealt", "noted", "settled", "noted"]
    assert audit(ports, written(ports)) == []


def test_a_round_is_voided_over_a_note(ports: Ports) -> None:
    open_(ports)
    deal(ports)
    note(ports, "n1", "fire alarm")
    void(ports)
    open_(ports, "r2")
    assert audit(ports, written(ports)) == []


def test_a_note_is_written_once_for_ever(ports: Ports) -> None:
    open_(ports)
    first = note(ports, "n1", "chips counted")
    deal(ports)
    again = note(ports, "n1", "chips counted")
    assert again.replayed and again.record == first.record
    with pytest.raises(RoundChanged, match="differs in text"):
        note(ports, "n1", "chips not counted")
    assert len(written(ports)) == 3 and audit(ports, written(ports)) == []


def forged(ports: Ports, change: Callable[[Json], object]) -> list[str]:
    """The table's records, its note changed, and signed anew from there on with the genuine key."""
    records: list[str] = []
    changed = False
    for record in written(ports):
        payload = canonical.loads(split(record).payload)
        if changed:
            payload["prev"] = record_sha256(records[-1])
        if payload["kind"] == "noted":
            change(payload)
            changed = True
        records.append(ports.signer.sign(payload) if changed else record)
    return records


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        # of its shape, and not what the step gives
        (lambda noted: noted["body"].update(text="seat 3 is content"), "replay-differs", "body.text"),
        (lambda noted: noted["body"].update(said_by="floor-4"), "replay-differs", "body.said_by"),
        (lambda noted: noted["body"].update(during=None), "replay-differs", "body.during"),
        (lambda noted: noted["table_after"].update(hand_no=9), "table-after-wrong", "table_after.hand_no"),
        (lambda noted: noted["table_after"].update(live=None), "table-after-wrong", "table_after.live"),
        (lambda noted: noted["request"].update(text="seat 3 is content"), "replay-differs", "body.text"),
        # of another shape
        (lambda noted: noted["body"].update(text="x" * 201), "malformed", "body.text"),
        (lambda noted: noted["body"].update(seen_by="floor-4"), "malformed", "body.seen_by"),
        (lambda noted: noted["request"].pop("said_by"), "malformed", "request.said_by"),
        (lambda noted: noted.update(round_id="n1"), "malformed", "round_id"),
    ],
)
def test_a_forged_note_is_found(change: Callable[[Json], object], code: str, field: str, ports: Ports) -> None:
    open_(ports)
    deal(ports)
    note(ports, "n1", "seat 3 asks for new cards")
    settle(ports)
    open_(ports, "r2")
    (found,) = audit(ports, forged(ports, change))
    assert (found.code, found.field) == (code, field)


def test_whoever_has_not_the_kind_says_so(ports: Ports) -> None:
    open_(ports)
    note(ports, "n1", "seat 3 asks for new cards")
    plain = replace(ports, catalogue=published())
    with pytest.raises(KeyError):
        note(plain, "n2", "more")
    (found,) = audit(plain, written(ports))
    assert (found.code, found.found) == ("kind-unknown", "noted")
