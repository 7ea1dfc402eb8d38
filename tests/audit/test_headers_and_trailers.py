"""Whatever the first and the last line of an export say, genuinely signed or not: found or without consequence."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cardroom import canonical
from cardroom.audit.verify import verify_export
from cardroom.services.catalogue import published
from cardroom.signing.signature import EXPORT, split
from cardroom_desk.exports.audit import Asked, audited
from tests.audit.play import BICYCLE, Json, Room

ODD: list[Any] = [None, True, False, 0, 1, -1, 2**53 - 1, "", "t1", "x" * 70, [], ["t1"], {}, {"x": 1}, "é"]


@pytest.fixture(scope="module")
def room() -> Room:
    made = Room(BICYCLE)
    made.play()
    made.play()
    return made


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(item, (*path, key))
    return found


def changed(value: Json, random: Random) -> Json:
    """One member changed, left out, or one more."""
    made: Json = json.loads(json.dumps(value))
    path = random.choice(places(made))
    parent: Any = made
    for key in path[:-1]:
        parent = parent[key]
    how = random.randrange(3)
    if how == 0:
        del parent[path[-1]]
    elif how == 1 and isinstance(parent, dict):
        parent[random.choice(["more", "round_id", "after", "table_id"])] = random.choice(ODD)
    else:
        parent[path[-1]] = random.choice(ODD)
    return made


def trailer_of(room: Room) -> Json:
    payload: Json = canonical.loads(split(json.loads(room.export()[-1])["trailer"]).payload)
    return payload


def test_no_first_line_ends_an_audit_or_hides_a_record(room: Room) -> None:
    random, lines = Random("headers"), room.export()
    for _ in range(150):
        header = changed(json.loads(lines[0]), random)
        if canonical.same(header, json.loads(lines[0])):
            continue
        report = verify_export([canonical.dumps(header) + b"\n", *lines[1:4], *lines[5:]], room.root.jwks())
        assert {"record-missing", "chain-broken"} & {found.code for found in report.findings}, header
        assert {"header-changed", "header-invalid", "header-missing"} & {found.code for found in report.findings}


def test_true_is_no_version_of_a_header(room: Room) -> None:
    lines = room.export()
    header = {**json.loads(lines[0]), "cardroom_export": True}
    (found,) = verify_export([canonical.dumps(header) + b"\n", *lines[1:]], room.root.jwks()).findings
    assert (found.code, found.message) == ("header-invalid", "not the header of an export of version 1")


def test_no_signed_trailer_ends_an_audit_or_goes_unnoticed(room: Room, tmp_path: Path) -> None:
    random, lines, genuine = Random("trailers"), room.export(), trailer_of(room)
    known, noticed = published(), 0
    for number in range(200):
        trailer = changed(genuine, random)
        if not isinstance(trailer.get("at"), str) or canonical.same(trailer, genuine):
            continue  # the signer reads the time
        try:
            signed = room.signer.sign(trailer, EXPORT)
        except ValueError:
            continue
        export = [*lines[:-1], canonical.dumps({"trailer": signed}) + b"\n"]
        report = verify_export(export, room.root.jwks(), rulesets=known.hashes, shapes=known.shapes)
        assert not report.ok, trailer
        noticed += 1
        if number % 10 == 0:
            path = tmp_path / "export.jsonl"
            path.write_bytes(b"".join(export))
            found, _ = audited([path], Asked(roots=room.root.jwks()), processes=1)
            assert [one["code"] for one in found["findings"]] == [one.code for one in report.findings]
    assert noticed > 120
