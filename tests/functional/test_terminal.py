"""What commands show on a terminal: text out of a file is shown as it is, whoever chose it, and steers nothing."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from copy import deepcopy
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from cardroom import canonical
from cardroom.signing.signature import b64url, split
from tests.audit.play import BICYCLE, Room
from tests.functional.command import COMMAND, cardroom

LEAVES = Path(__file__).parents[2] / "vectors/leaves"


def on_a_terminal(*arguments: str | Path) -> tuple[int, str]:
    """The status of a command that runs on a terminal, and all that it shows."""
    master, slave = pty.openpty()
    command = [*COMMAND, *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": "240", "TERM": "xterm"}
    ran = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    shown = b""
    try:
        while piece := os.read(master, 1 << 16):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(master)
    return ran.wait(60), shown.decode()


@pytest.mark.parametrize("command", ["verify", "audit"])
def test_a_signed_text_that_looks_like_markup(tmp_path: Path, command: str) -> None:
    room = Room(BICYCLE)
    room.play()
    payloads = deepcopy(room.payloads)
    payloads[1]["body"]["hands"][0]["cards"][0] = "[/b]:bug:"
    room.resign(payloads)
    export, root = tmp_path / "export.jsonl", tmp_path / "root.pem"
    export.write_bytes(b"".join(room.export()))
    key = room.root._key.public_key()
    root.write_bytes(key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    status, shown = on_a_terminal(command, export, "--root", root)
    assert status == 1
    assert "[/b]:bug:" in shown
    assert "Traceback" not in shown


def test_a_table_whose_name_steers_a_terminal(tmp_path: Path) -> None:
    """Who has no key to sign with may still choose the names that an auditor is shown."""
    header, *records, _ = (LEAVES / "export.jsonl").read_bytes().splitlines(keepends=True)
    parts = json.loads(records[1])["record"].split(".")
    payload = {**json.loads(split(".".join(parts)).payload), "table_id": "[/b]\x1b[2J"}
    encoded = canonical.dumps(payload)
    forged = canonical.dumps({"record": ".".join((parts[0], b64url(encoded), parts[2]))}) + b"\n"
    export = tmp_path / "export.jsonl"
    export.write_bytes(b"".join([header, *records, forged]))
    days = (part for name in ("day_1.json", "day_2.json") for part in ("--checkpoint", LEAVES / name))
    asked = ("checkpoint", "verify", *days, "--export", export, "--key", LEAVES / "key.txt")
    status, shown = on_a_terminal(*asked)
    assert status == 1
    assert r"[/b]\x1b[2J" in shown
    assert "\x1b[2J" not in shown
    assert r"[/b]\x1b[2J" in cardroom(*asked).err
