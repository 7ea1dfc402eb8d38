"""How the functional tests run the command `cardroom`: as a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cardroom_desk import cli

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


class _Kept(BytesIO):
    name = "<stdin>"


class _Piped(TextIOWrapper):
    """What stands for a standard stream: bytes that are kept, and no terminal."""

    def __init__(self, held: bytes = b"") -> None:
        self.kept = _Kept(held)
        super().__init__(self.kept, encoding="utf-8", write_through=True)

    def text(self) -> str:
        return self.kept.getvalue().decode()


def in_process(*arguments: str | Path, stdin: str = "") -> Ran:
    """The command in this process, which is quicker; an exception that ends it in a traceback goes through."""
    streams = {"stdin": _Piped(stdin.encode()), "stdout": _Piped(), "stderr": _Piped()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["cardroom", *map(str, arguments)])
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        status = 0
        try:
            cli.main()
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 1
    return Ran(status, streams["stdout"].text(), streams["stderr"].text())


@contextmanager
def served(data: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`cardroom serve` on a data folder, on a free port: its URL, and the process, ended with the block if it runs."""
    command = [*COMMAND, "serve", "--port", "0", "--data", str(data)]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
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
