"""Holds a verifier of exports to the sample exports, whatever it is written in.

    tools/vectors_runner.py COMMAND...      (without: cardroom verify)

runs `COMMAND... FILE --root ROOT.pem` for each file of vectors/records. The verifier writes JSON Lines to its
standard output, a line `{"code": ..., "record": ...}` for each finding, more fields as it likes; its exit status is 0
only if there is none.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

RECORDS = Path(__file__).parents[1] / "vectors/records"
SECONDS = 60


def run(command: Sequence[str]) -> list[str]:
    """What is wrong with a verifier's answers, a line for each file."""
    wrong = []
    verdicts: dict[str, Any] = json.loads((RECORDS / "verdicts.json").read_text())["files"]
    for name, expected in verdicts.items():
        answer = subprocess.run(  # noqa: S603 - the caller's own command
            [*command, str(RECORDS / name), "--root", str(RECORDS / "root.pem")],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        found = [_finding(line) for line in answer.stdout.splitlines() if line.strip()]
        if found != ([expected] if expected else []):
            wrong.append(f"{name}: expected {expected}, found {found}")
        elif (answer.returncode == 0) != (expected is None):
            wrong.append(f"{name}: exit status {answer.returncode}")
    return wrong


def _finding(line: str) -> dict[str, Any]:
    found = json.loads(line)
    return {"code": found["code"], "record": found.get("record")}


def main() -> None:
    """Run the verifier on every folder; exit with 1 if one of its answers is wrong."""
    command = sys.argv[1:] or [str(Path(sys.executable).with_name("cardroom")), "verify"]
    wrong = run(command)
    sys.stdout.write("".join(line + "\n" for line in wrong) or "all files as expected\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
