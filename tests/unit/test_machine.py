"""What a machine lacks is told once at the end of a run, or ends it where it is required."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.machine import PROGRAMS

ROOT = Path(__file__).parents[2]
BROWSER = "tests/browser/test_report.py"


def run(folder: Path, required: str) -> tuple[int, list[str]]:
    """Two tests, of which one needs a browser, on two workers, where the PATH is one folder."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "2", BROWSER, "-k", "would_be_seen or square"],
        env=os.environ | {"PATH": str(folder), "CARDROOM_REQUIRED": required},
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    return done.returncode, [*done.stdout.splitlines(), *done.stderr.splitlines()]


def test_a_missing_browser_is_told_once(tmp_path: Path) -> None:
    status, lines = run(tmp_path, "")
    assert status == 0
    assert [line for line in lines if "browser;" in line] == [
        "not run: 1 test that needs a browser; to run: apt-get install chromium (Debian), or put chromium or"
        " chromium-headless-shell or google-chrome or google-chrome-stable or chromium-browser on the PATH"
    ]
    assert lines[-1].startswith("1 passed, 1 skipped in ")


@pytest.mark.parametrize(
    ("required", "message"),
    [
        ("chromium", "CARDROOM_REQUIRED asks for chromium, which is not here: apt-get install chromium (Debian), or"),
        ("all", "CARDROOM_REQUIRED asks for chromium, which is not here: apt-get install chromium (Debian), or"),
        ("faketime,chromium", "CARDROOM_REQUIRED asks for chromium, which is not here: apt-get install chromium"),
        ("browser", "CARDROOM_REQUIRED names browser: it can name chromium, curl, faketime, or all"),
    ],
)
def test_what_is_required_and_missing_is_named(tmp_path: Path, required: str, message: str) -> None:
    status, lines = run(tmp_path, required)
    assert status == pytest.ExitCode.USAGE_ERROR
    assert any(message in line for line in lines), lines


def test_a_browser_is_found_by_any_of_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert PROGRAMS["chromium"].find() is None
    for name in reversed(PROGRAMS["chromium"].names):  # the likelier one goes before
        (tmp_path / name).touch(0o755)
        assert PROGRAMS["chromium"].find() == str(tmp_path / name)
