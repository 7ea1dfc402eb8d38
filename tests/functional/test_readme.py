"""The README's walk-through works as written, token included, and what it acknowledges survives kill -9."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cardroom_desk.client import Client, Unreachable
from tests.functional.caller import round_calls
from tests.functional.command import served

ROOT = Path(__file__).parents[2]


def walk_through() -> str:
    text = (ROOT / "README.md").read_text("utf-8")
    found = re.search(r"<!-- walk-through.*?-->\n```sh\n(.*?)```", text, re.DOTALL)
    assert found
    return found[1]


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


@pytest.mark.needs("curl")
def test_the_walk_through_works_as_written(folder: Path) -> None:
    with served(folder / "data") as (url, _):
        done = run(walk_through(), folder, url)
    assert done.returncode == 0, done.stdout + done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"payload"')]
    assert [answer["payload"]["kind"] for answer in answers] == ["opened", "dealt", "settled"]
    (folder / "examples").symlink_to(ROOT / "examples")
    shown = [line for line in claims() if "t1.jsonl" in line]
    assert [line.split()[1] for line in shown] == ["examples/recompute_deck.py", "audit"]
    for line in shown:
        done = run(line, folder, url)
        assert done.returncode == 0, line + done.stdout + done.stderr
    assert done.stderr.endswith("3 records of 1 table: all hold.\n")


def claims() -> list[str]:
    """The commands that the README's claims about deck, proof, order and loss are followed by."""
    text = (ROOT / "README.md").read_text("utf-8")
    blocks = re.findall(r"<!-- claims: (\w+) -->\n```sh\n(.*?)```", text, re.DOTALL)
    assert [name for name, _ in blocks] == ["deck", "proof", "order", "loss"]
    return [line for _, block in blocks for line in block.splitlines()]


def test_the_other_commands_of_the_claims_are_there() -> None:
    """Those that are tests run with all tests; the fuzz runs here for a little."""
    tests = [line.split() for line in claims() if "pytest" in line]
    assert len(tests) == 4
    for _, quiet, *paths in tests:
        assert quiet == "-q" and all((ROOT / path).is_file() for path in paths)
    (fuzz,) = (line for line in claims() if "fuzz" in line)
    done = run(fuzz.replace("20000", "200").replace(".venv/bin/python", sys.executable), ROOT, "")
    assert done.returncode == 0 and "0 wrong" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("seconds", [0.2, 0.45, 0.7])
def test_acknowledged_records_survive_kill_9(folder: Path, seconds: float) -> None:
    """A table plays round after round until the service is killed; whatever it acknowledged is in the export after."""
    acknowledged: list[str] = []
    command = ".venv/bin/cardroom"
    with served(folder / "data") as (url, service):
        token = run(f"{command} operators add demo-house", folder, url).stdout.strip()
        client = Client(url, token)
        timer = threading.Timer(seconds, service.send_signal, [signal.SIGKILL])
        with pytest.raises(Unreachable):
            for number in itertools.count(1):
                for path, body in round_calls(f"r{number}"):
                    acknowledged.append(client.post(path, body)["record"])
                    if len(acknowledged) == 1:
                        timer.start()
        service.wait(10)
    assert acknowledged
    with served(folder / "data") as (url, _):
        done = run(
            f"{command} export --operator demo-house > e && {command} verify e --root data/root.pem", folder, url
        )
        assert done.returncode == 0, done.stdout + done.stderr
        exported = [json.loads(line).get("record") for line in (folder / "e").read_text().splitlines()]
        kept = [record for record in exported if record]
        assert kept[: len(acknowledged)] == acknowledged
        assert len(kept) <= len(acknowledged) + 1  # one may have landed and its answer been lost
        assert Client(url, token).get("/v1/rounds/r1")["state"]
