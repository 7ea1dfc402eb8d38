"""A record of another shape is one finding, whoever signed it: nothing else of it is judged, the rest is audited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cardroom import canonical
from cardroom.audit.replay import Replay
from cardroom.audit.span import audit_records
from cardroom.audit.verify import Report, verify_export
from cardroom.services.catalogue import published
from cardroom.signing.signature import EXPORT, split
from tests.audit.play import BACCARAT, BICYCLE, HI_HI_LO, PUSH_NINE, SHOWDOWN, Json, Room

OPTIONS: dict[str, Any] = {
    "rulesets": published().hashes,
    "replay": Replay(published()),
    "shapes": published().shapes,
}


def audited(room: Room) -> Report:
    return verify_export(room.export(), room.root.jwks(), **OPTIONS)


def room_of(ruleset: str, *, rounds: int = 2) -> Room:
    room = Room(ruleset)
    for _ in range(rounds):
        room.play()
    room.payloads = canonical.loads(canonical.dumps(room.payloads))  # a change in one is none in what repeats it
    return room


def deep(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"more": value}
    return value


@pytest.mark.parametrize(
    ("seq", "change", "field"),
    [
        (2, lambda one: one["body"]["hands"][0]["cards"].__setitem__(0, 5), "body.hands[0].cards[0]"),
        (2, lambda one: one["body"]["hands"][0]["cards"].__setitem__(0, "é"), "body.hands[0].cards[0]"),
        (1, lambda one: one["request"].update(currency=["USD"]), "request.currency"),
        (1, lambda one: one["table_after"].update(live=deep(300)), "table_after.live.more"),
        (1, lambda one: one["body"].update(deep=deep(300)), "body.deep"),
        (2, lambda one: one.update(ruleset=None), "ruleset"),
        (2, lambda one: one["request"]["wagers"][0].update(tip=1), "request.wagers[0].tip"),
        (2, lambda one: one["request"].update(client_seed="00" * 8), "request.client_seed"),
        (2, lambda one: one["body"]["postings"][0].update(amount=True), "body.postings[0].amount"),
        (2, lambda one: one["body"].pop("postings"), "body.postings"),
        (3, lambda one: one["body"]["results"][0].update(commission=False), "body.results[0].commission"),
        (3, lambda one: one["body"]["sets"][0].update(foul=0), "body.sets[0].foul"),
        (3, lambda one: one["table_after"]["banker"].update(turns=True), "table_after.banker.turns"),
        (3, lambda one: one["body"].update(seed=None), "body.seed"),
        (6, lambda one: one.update(kind="noted", request=[]), "request"),
        (6, lambda one: one.update(kind="noted", colour="red"), "colour"),
        (3, lambda one: one["body"].update(banker=None), "body.banker"),
    ],
)
def test_a_record_of_another_shape(seq: int, change: Callable[[Json], None], field: str) -> None:
    room = room_of(BICYCLE).forge(seq, change)
    report = audited(room)
    (found,) = report.findings
    assert (found.code, found.record, found.field) == ("malformed", seq, field)
    assert report.records == len(room.records) - 1


@pytest.mark.parametrize("ruleset", [BACCARAT, HI_HI_LO, PUSH_NINE, SHOWDOWN])
def test_of_every_game(ruleset: str) -> None:
    room = room_of(ruleset, rounds=1)
    for payload in list(room.payloads):
        room = room_of(ruleset, rounds=1).forge(payload["seq"], lambda one: one["body"].update(more=1))
        assert [(found.code, found.record, found.field) for found in audited(room).findings if found.record] == [
            ("malformed", payload["seq"], "body.more")
        ]


def test_the_rest_is_audited() -> None:
    room = room_of(BICYCLE)
    room.forge(2, lambda one: one["body"].update(more=1))
    room.forge(6, lambda one: one["body"]["results"][0].update(paid=one["body"]["results"][0]["paid"] + 1))
    assert [(found.code, found.record) for found in audited(room).findings] == [("malformed", 2), ("payout-wrong", 6)]


def test_it_is_told_by_the_span_that_it_is_in_alone() -> None:
    room = room_of(BICYCLE).forge(2, lambda one: one["body"].update(more=1))
    numbered, asked = list(enumerate(room.records, start=1)), {"operator": "op", "table_id": "t1", **OPTIONS}
    first = audit_records(numbered[:2], room.root.jwks(), **asked)
    second = audit_records(numbered[2:], room.root.jwks(), contexts=[numbered[:2]], last=len(numbered), **asked)
    assert [found["code"] for found in first["findings"]] == ["malformed"]
    assert second["findings"] == []


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.pop("heads"),
        lambda one: one.pop("records"),
        lambda one: one.update(more=1),
        lambda one: one.update(heads=[{"table_id": "t1", "seq": True, "sha256": "ab" * 32}]),
    ],
)
def test_a_trailer_of_another_shape(change: Callable[[Json], None]) -> None:
    room = room_of(BICYCLE, rounds=1)
    *lines, last = room.export()
    trailer = canonical.loads(split(canonical.loads(last)["trailer"]).payload)
    change(trailer)
    lines.append(canonical.dumps({"trailer": room.signer.sign(trailer, EXPORT)}) + b"\n")
    (found,) = verify_export(lines, room.root.jwks(), **OPTIONS).findings
    assert (found.code, found.line) == ("trailer-invalid", len(lines))


@pytest.mark.parametrize(
    ("seq", "change", "field"),
    [
        (2, lambda one: one["request"]["wagers"].reverse(), "request.wagers"),
        (1, lambda one: one["request"]["seats"].reverse(), "request.seats"),
        (3, lambda one: one["request"]["sets"].reverse(), "request.sets"),
        (1, lambda one: one["request"]["banker"].update(others_passed=False), "request.banker.others_passed"),
    ],
)
def test_a_record_that_no_service_writes(seq: int, change: Callable[[Json], None], field: str) -> None:
    """Lists are in the order of the normal form, and what is meant without it is left out: one request, one record."""
    report = audited(room_of(BICYCLE).forge(seq, change))
    assert [(one.code, one.field) for one in report.findings if one.record == seq] == [("malformed", field)]


def test_a_request_of_another_table() -> None:
    room = room_of(BICYCLE)
    room.open((1, 2), banker={"seat": 1, "bettor": "b1", "others_passed": True})
    room.void()
    room.payloads = canonical.loads(canonical.dumps(room.payloads))
    room.forge(8, lambda one: one["request"].update(table_id="t2"))
    (found,) = audited(room).findings
    assert (found.code, found.seq, found.found) == ("table-differs", 8, "t2")


def test_the_rule_set_of_a_request_that_nothing_came_of() -> None:
    """Also where whoever repeats it repeats the change."""
    room = room_of(BICYCLE)
    room.open((1, 2), banker={"seat": 1, "bettor": "b1", "others_passed": True})
    room.void()
    payloads = canonical.loads(canonical.dumps(room.payloads))
    for request in (payloads[6]["request"], payloads[7]["body"]["opened"]["terms"]["request"]):
        request["ruleset"] = "pai-gow-poker/casino"
    room.resign(payloads, 7)
    (found,) = audited(room).findings
    assert (found.code, found.seq, found.found) == ("ruleset-differs", 7, "pai-gow-poker/casino")


def test_a_shuffle_that_commits_to_nothing() -> None:
    room = room_of(BICYCLE, rounds=1).forge(1, lambda one: one.update(body={}))
    assert [found.code for found in audited(room).findings][:1] == ["commitment-missing"]
