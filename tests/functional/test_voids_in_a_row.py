"""Rounds that are opened and voided, again and again: no fault, and seen."""

from __future__ import annotations

import json
from pathlib import Path

from cardroom.adapters import environment
from cardroom_desk.exports.write import exported
from tests.functional.caller import Caller
from tests.functional.command import cardroom


def test_thirty_opens_and_voids_are_listed_with_their_number(caller: Caller, data: Path, tmp_path: Path) -> None:
    caller.open(round_id="r0")
    caller.deal("r0")
    caller.settle("r0")
    for number in range(1, 31):
        caller.open(round_id=f"r{number}", banker={"seat": 2, "bettor": "bob"})
        assert caller.void(f"r{number}", reason="other").status == 200
    path, html = tmp_path / "export.jsonl", tmp_path / "report.html"
    path.write_text("".join(exported(environment.ledger(), "house-of-cards", table_id="t1", round_id=None)))
    ran = cardroom("audit", path, "--root", data / "root.pem", "--html", html)
    assert ran.status == 0, ran.err
    report = json.loads(ran.out)
    voids = report["listed"]["voids_before_deal"]
    assert [(one["round_id"], one["banker"], one["reason"]) for one in voids] == [
        (f"r{number}", "bob", "other") for number in range(1, 31)
    ]
    said = "30 rounds voided before the deal, 30 of them in a row at table t1."
    assert said in ran.err.splitlines() and report["verdict"] == "pass"
    assert "Rounds voided before the deal (30)" in html.read_text()
