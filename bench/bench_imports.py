"""What a function's cold start imports and makes, beside its third-party packages and its clients alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from measure import Row, Subject, measure

ROOT = Path(__file__).resolve().parents[1]
FUNCTIONS = ("shuffle_and_deal", "settle_round")
CLIENTS = ("dynamodb", "kms")

OURS = """
import {function}
from cardroom.adapters import environment, kms
environment.ledger(), kms.kms_client(None)
"""
# `boto3` stands for its clients' own modules too: it imports them as it makes a client.
FLOOR = """
import importlib, boto3
for name in {modules}:
    importlib.import_module(name)
for name in {clients}:
    boto3.client(name)
"""
TIMED = """
import time
start = time.process_time()
{script}
print((time.process_time() - start) * 1e6)
"""
NAMES = """
import json, sys
{script}
packages = [name for name in sys.modules if "site-packages" in (getattr(sys.modules[name], "__file__", None) or "")]
print(json.dumps(packages))
"""


def run() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as bytecode:  # written by the first round, as a deployment brings it along
        for function in FUNCTIONS:
            yield from _cold_start(_Python(function, bytecode))


def _cold_start(python: _Python) -> Iterator[Row]:
    loaded = json.loads(python.run(NAMES.format(script=f"import {python.function}")))
    modules = [name for name in loaded if not name.startswith(("__editable__", "_distutils_hack"))]
    took = measure(
        {
            "packages and clients": python.timed(FLOOR.format(modules=modules, clients=CLIENTS)),
            "ours": python.timed(OURS.format(function=python.function)),
        },
        rounds=9,
    )
    yield took.row(f"cold start of {python.function}", "ours", "packages and clients", most_ratio=1.25)


class _Python:
    """New processes that find a function as Lambda does, the engine as its layer gives it."""

    def __init__(self, function: str, bytecode: str) -> None:
        self.function = function
        self._surroundings = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(ROOT / "functions" / function), str(ROOT / "layers" / "engine"))),
            "PYTHONPYCACHEPREFIX": bytecode,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_ACCESS_KEY_ID": "bench",
            "AWS_SECRET_ACCESS_KEY": "bench",
            "CARDROOM_TABLE": "bench",
        }
        for name in ("CARDROOM_DATA", "PYTHONDONTWRITEBYTECODE"):
            self._surroundings.pop(name, None)

    def run(self, script: str) -> str:
        """What a process writes."""
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, env=self._surroundings, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout

    def timed(self, script: str) -> Subject:
        """A subject: one process, its time from the first import on."""
        return lambda: float(self.run(TIMED.format(script=script)))
