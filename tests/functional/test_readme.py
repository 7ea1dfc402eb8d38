"""The README's walk-through works as written, token included, and survives kill -9."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def walk_through() -> str:
    text = (ROOT / "README.md").read_text("utf-8")
    found = re.search(r"<!-- walk-through.*?-->\n```sh\n(.*?)```", text, re.DOTALL)
    assert found
    return found[1]


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`cardroom serve` in a folder, on a free port; ended with the block if it still runs."""
    command = [Path(sys.executable).with_name("cardroom"), "serve", "--port", "0"]
    service = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert service.stdout
    try:
        line = service.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found, line
        yield found[0], service
    finally:
        service.terminate()
        service.wait(10)
        service.stdout.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which `.venv/bin/cardroom` is ours."""
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    return tmp_path


def run(script: str, folder: Path, url: str) -> subprocess.CompletedProcess[str]:
    shell = shutil.which("bash")
    assert shell
    return subprocess.run(
        [shell, "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "URL": url},
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )


def test_the_walk_through_works_as_written(folder: Path) -> None:
    with served(folder) as (url, _):
        done = run(walk_through(), folder, url)
    assert done.returncode == 0, done.stdout + done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"payload"')]
    assert [answer["payload"]["kind"] for answer in answers] == ["opened", "dealt", "settled"]


def test_acknowledged_records_survive_kill_9(folder: Path) -> None:
    with served(folder) as (url, service):
        assert run(walk_through(), folder, url).returncode == 0
        service.send_signal(signal.SIGKILL)
        service.wait(10)
    again = """
    .venv/bin/cardroom export --operator demo-house --table t1 > again.jsonl
    .venv/bin/cardroom verify again.jsonl --root data/root.pem
    grep -c '"record"' again.jsonl
    """
    with served(folder) as (url, _):
        done = run(again, folder, url)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "3"
