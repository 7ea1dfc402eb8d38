"""How the functional tests run the command `cardroom`: as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

FLORIDA = "fortune-pai-gow/florida-2017"
COMMAND = (sys.executable, "-m", "cardroom_desk.cli")


class Ran(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


def cardroom(*arguments: str | Path, stdin: str | bytes = "", **environment: str) -> Ran:
    ran = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())
