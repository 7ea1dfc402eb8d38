"""The local service under a clock that steps (faketime): no call is 500, no table is stuck, every record verifies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import urllib3

from tests.functional.caller import dealing, opening, settling
from tests.functional.command import COMMAND, cardroom

pytestmark = pytest.mark.needs("faketime")

POOL = urllib3.PoolManager(timeout=30, retries=False)

# Where the clock stands, beside the right time, at each of the calls of `evening`.
STEPS = {
    "13 h fast, then right": ["+13h", "+13h", "+0", "+0", "+0", "+0"],
    "2 days back": ["+0", "-2d", "-2d", "+0", "-2d", "+0"],
    "400 days ahead, then right": ["+400d", "+0", "+0", "+400d", "+0", "+0"],
    "2 minutes around the key": ["+0", "-2m", "+2m", "-2m", "+2m", "-2m"],
}


@contextmanager
def serving(folder: Path, clock: Path) -> Iterator[str]:
    """A service whose clock stands where the file says; its URL."""
    told = subprocess.run(["faketime", "-m", "-f", "+0", "env"], capture_output=True, text=True, check=True).stdout
    preload = next(line for line in told.splitlines() if line.startswith("LD_PRELOAD="))
    faked = {
        "LD_PRELOAD": preload.partition("=")[2], "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }  # fmt: skip
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0", "--data", folder],
        env={**os.environ, **faked},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        yield said.split(" at ")[1].split(";")[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def post(url: str, token: str, path: str, body: Any) -> dict[str, Any]:
    # waitress takes a step forward for idle time and closes a kept connection, which may be under the next request.
    headers = {"Authorization": f"Bearer {token}", "Connection": "close"}
    answer = POOL.request("POST", url + path, json=body, headers=headers)
    assert answer.status in (200, 201), (path, answer.status, answer.data)
    told: dict[str, Any] = json.loads(answer.data)
    return told


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
def test_an_evening_with_a_clock_that_steps(tmp_path: Path, steps: list[str]) -> None:
    folder, clock = tmp_path / "data", tmp_path / "clock"
    token = cardroom("operators", "add", "op", "--data", folder).out.strip()
    times = iter(steps)
    before = time.time()

    def call(path: str, body: Any) -> str:
        clock.write_text(next(times))
        record: str = post(url, token, path, body)["record"]
        return record

    clock.write_text(steps[0])
    with serving(folder, clock) as url:
        records = [call("/v1/rounds", opening())]
        records.append(call("/v1/rounds/r1/deal", dealing() | {"opened": records[0]}))
        records.append(call("/v1/rounds/r1/settlement", settling()))
        records.append(call("/v1/rounds", opening(round_id="r2")))
        records.append(call("/v1/rounds/r2/deal", dealing()))
        records.append(call("/v1/rounds/r2/void", {"table_id": "t1", "reason": "exposed_card"}))
    exported = cardroom("export", "--operator", "op", "--data", folder)
    assert [json.loads(line)["record"] for line in exported.out.splitlines()[1:-1]] == records
    file, root = tmp_path / "export.jsonl", folder / "root.pem"
    file.write_text(exported.out)
    verified = cardroom("verify", file, "--root", root)
    assert (verified.status, verified.err) == (0, "6 records of 1 table: all hold.\n"), verified.out
    audited = cardroom("audit", file, "--root", root, "--json", tmp_path / "report.json")
    assert audited.status == 0, audited.err
    listed = json.loads((tmp_path / "report.json").read_text())["listed"]["clock_back"]
    seconds = [_seconds(step) for step in steps]
    behind = [seq for seq in range(2, 7) if seconds[seq - 1] < seconds[seq - 2]]
    assert [one["seq"] for one in listed] == behind and behind
    elapsed_ms = (time.time() - before) * 1000
    for one in listed:
        stepped_ms = (seconds[one["seq"] - 2] - seconds[one["seq"] - 1]) * 1000
        assert stepped_ms - elapsed_ms <= one["back_ms"] <= stepped_ms


def _seconds(step: str) -> int:
    unit = {"d": 86_400, "h": 3_600, "m": 60}.get(step[-1])
    return int(step) if unit is None else int(step[:-1]) * unit
