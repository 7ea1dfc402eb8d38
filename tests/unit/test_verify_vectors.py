"""The sample exports, which any other verifier can be held to as well: the file's name says the verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cardroom.adapters.key_files import read_roots
from cardroom.audit import verify_export

FOLDER = Path(__file__).parents[2] / "vectors/records"
VERDICTS: dict[str, Any] = json.loads((FOLDER / "verdicts.json").read_text())["files"]


def test_every_file_has_a_verdict() -> None:
    assert {path.name for path in FOLDER.glob("*.jsonl")} == set(VERDICTS)
    assert all((verdict is not None) == name.endswith("_fail.jsonl") for name, verdict in VERDICTS.items())


@pytest.mark.parametrize("name", VERDICTS)
def test_the_verdict(name: str) -> None:
    with (FOLDER / name).open("rb") as lines:
        report = verify_export(lines, read_roots(FOLDER / "root.pem"), audience="test")
    found = [{"code": finding.code, "record": finding.record} for finding in report.findings]
    assert found == ([VERDICTS[name]] if VERDICTS[name] else [])
    assert report.ok == (VERDICTS[name] is None)
