"""The sample days of a log and exports held against them: contradictory leaves, a leaf astray, a header that hides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.functional.command import cardroom

FOLDER = Path(__file__).parents[2] / "vectors/leaves"
CASES = json.loads((FOLDER / "verdicts.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['checkpoints'][1]}-{case['export']}")
def test_the_verdict(case: dict[str, object]) -> None:
    checkpoints = [part for name in case["checkpoints"] for part in ("--checkpoint", FOLDER / name)]  # type: ignore[attr-defined]
    ran = cardroom(
        "checkpoint", "verify", *checkpoints, "--export", FOLDER / str(case["export"]), "--key", FOLDER / "key.txt"
    )
    found = [line["code"] for line in ran.lines]
    assert (ran.status, found) == ((0, []) if case["code"] is None else (1, [case["code"]])), ran.err
