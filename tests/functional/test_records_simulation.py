"""Simulated records: an export that verifies and replays, the same from one seed whatever the processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cardroom import canonical
from cardroom.services.catalogue import published
from cardroom.signing.signature import split
from cardroom_desk.playthrough.simulation import write_records
from tests.functional.command import cardroom


def payloads(export: Path) -> list[dict[str, Any]]:
    """What the records say, without the hashes that are taken over signatures."""
    found = []
    for line in export.read_text().splitlines()[1:-1]:
        payload = canonical.loads(split(json.loads(line)["record"]).payload)
        del payload["prev"]
        for name in ("opened", "dealt", "set"):
            if name in payload["body"]:
                del payload["body"][name]["sha256"]
        found.append(payload)
    return found


def test_simulated_records_are_an_export_without_a_finding(tmp_path: Path) -> None:
    out = tmp_path / "evening.jsonl"
    tables = len(published().ruleset_ids())
    ran = cardroom("simulate", "--records", out, "--rounds", 3 * tables + 1, "--tables", tables, "--processes", 2)
    assert (ran.status, ran.err) == (0, "")
    said = ran.lines[0]
    assert (said["rounds"], said["tables"]) == (3 * tables + 1, tables)
    assert sorted(said["by_ruleset"].values()) == [3] * (tables - 1) + [4]
    verified = cardroom("verify", out, "--root", tmp_path / "root.pem")
    assert (verified.status, verified.out) == (0, "")
    assert verified.err == f"{said['records']} records of {tables} tables: all hold.\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["evening.jsonl", "root.pem"]
    ended = [payload for payload in payloads(out) if payload["kind"] in ("settled", "voided")]
    assert len(ended) == 3 * tables + 1


def test_the_seed_decides_what_the_records_say(tmp_path: Path) -> None:
    for name, seed, processes in (("one", 5, 1), ("two", 5, 2), ("three", 6, 2)):
        write_records(tmp_path / name, 12, 3, seed, processes)
    one, two, three = (payloads(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two
    assert one != three
