"""Other programs that set seven cards, run beside ours by processes of their own that tell their processor time.

`make bench` installs them apart from all else; one that cannot be had is left out, and its row says so by its absence.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import which

from measure import Subject

from cardroom.cards import Card, format_cards

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NODE_MODULES = ROOT / "build" / "bench" / "node_modules"
PYTHON = ROOT / ".venv-bench" / "bin" / "python"


@contextmanager
def setting_hands(hands: Sequence[Sequence[Card]]) -> Iterator[dict[str, Subject]]:
    """What sets these hands, by the peer's name; the processes end with the block."""
    commands: dict[str, list[str]] = {}
    if (node := which("node")) and (NODE_MODULES / "pokersolver").is_dir():
        commands["pokersolver"] = [node, str(HERE / "pokersolver.js")]
    if PYTHON.exists():
        commands["pygow-poker"] = [str(PYTHON), str(HERE / "pygow.py")]
    for peer in {"pokersolver", "pygow-poker"} - commands.keys():
        print(f"{peer} is not there: nothing stands beside", file=sys.stderr)
    asked = json.dumps([format_cards(hand) for hand in hands])
    with ExitStack() as stack:
        yield {peer: stack.enter_context(_peer(command, asked)) for peer, command in commands.items()}


@contextmanager
def _peer(command: list[str], asked: str) -> Iterator[Subject]:
    environment = {**os.environ, "NODE_PATH": str(NODE_MODULES)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=environment
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        told, told_back = process.stdin, process.stdout

        def run() -> float:
            told.write("\n")
            return float(told_back.readline())

        told.write(asked + "\n")
        yield run
        told.close()
