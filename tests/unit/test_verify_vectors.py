"""The sample exports, which any other verifier can be held to as well: the file's name says the verdict."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cardroom.adapters.key_files import read_roots
from cardroom_desk.exports.audit import Asked
from cardroom_desk.exports.verify import verified
from tools.vectors_runner import run

FOLDER = Path(__file__).parents[2] / "vectors/records"
VERDICTS: dict[str, Any] = json.loads((FOLDER / "verdicts.json").read_text())["files"]


def test_every_file_has_a_verdict() -> None:
    assert {path.name for path in FOLDER.glob("*.jsonl")} == set(VERDICTS)
    assert all((verdict is not None) == name.endswith("_fail.jsonl") for name, verdict in VERDICTS.items())


@pytest.mark.parametrize("name", VERDICTS)
def test_the_verdict(name: str) -> None:
    with (FOLDER / name).open("rb") as lines:
        report = verified(lines, Asked(roots=read_roots(FOLDER / "root.pem")))
    found = [{"code": finding.code, "record": finding.record} for finding in report.findings]
    assert found == ([VERDICTS[name]] if VERDICTS[name] else [])
    assert report.ok == (VERDICTS[name] is None)


def test_another_verifier_is_held_to_them_by_the_runner(tmp_path: Path) -> None:
    """One that knows the form only: right about genuine files and two broken ones, wrong about the rest."""
    other = tmp_path / "verifier.py"
    other.write_text(
        "import json, sys\n"
        "lines = open(sys.argv[1]).readlines()\n"
        "code = 'export-empty' if not lines else None if 'trailer' in lines[-1] else 'export-truncated'\n"
        "print(json.dumps({'code': code, 'record': None}) if code else '')\n"
        "sys.exit(code is not None)\n"
    )
    wrong = {line.split(":")[0] for line in run([sys.executable, str(other)])}
    right = {"empty_fail.jsonl", "trailer_dropped_fail.jsonl"}
    assert wrong == {name for name in VERDICTS if name.endswith("_fail.jsonl")} - right
