"""The data folder is looked at first: what is wrong with it is one line, before a service says that it serves."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cardroom_desk.client import Client
from tests.functional.caller import round_calls
from tests.functional.command import COMMAND, Ran, cardroom, served

# Root may read and write whatever the modes of files say, but for these capabilities (CAP_DAC_OVERRIDE and
# CAP_DAC_READ_SEARCH), which it can give up (PR_CAPBSET_DROP); for anybody else the calls fail and change nothing.
MODES_BIND = """
import ctypes, os, sys
for capability in (1, 2):
    ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
COMMANDS = [("serve", "--port", "0"), ("operators", "list"), ("export",)]
NEW_FOLDER = [("serve", "--port", "0"), ("operators", "add", "new")]


def bound(*command: str | Path) -> Ran:
    """Runs a program that modes of files bind, whoever runs the tests."""
    line = [sys.executable, "-c", MODES_BIND, *map(str, command)]
    ran = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def one_line(data: Path, command: tuple[str, ...], told: str) -> None:
    ran = bound(*COMMAND, *command, "--data", data)
    assert (ran.status, ran.out) == (1, ""), ran
    assert re.fullmatch(r"cardroom: [^\n]+\n", ran.err), ran.err
    assert told in ran.err


def test_modes_bind(tmp_path: Path) -> None:
    (tmp_path / "mine").touch(mode=0o000)
    assert bound(shutil.which("cat") or "", tmp_path / "mine").err.endswith("Permission denied\n")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an operator, and a round of his."""
    data = tmp_path_factory.mktemp("played")
    token = cardroom("operators", "add", "op", "--data", data).out.strip()
    with served(data) as (url, _):
        client = Client(url, token)
        client.post(*next(round_calls("r1")))
        client.close()
    return data


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "data"))


def locked(data: Path) -> None:
    data.chmod(0o500)


def closed(data: Path) -> None:
    data.chmod(0o000)


def read_only(data: Path) -> None:
    (data / "ledger.sqlite").chmod(0o400)


def not_ours(data: Path) -> None:
    (data / "ledger.sqlite").chmod(0o000)


def no_database(data: Path) -> None:
    (data / "ledger.sqlite").write_bytes(b"no database at all" * 100)


def damaged(data: Path) -> None:
    """All pages but the first, which tells what tables there are."""
    whole = (data / "ledger.sqlite").read_bytes()
    (data / "ledger.sqlite").write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))


def truncated(data: Path) -> None:
    os.truncate(data / "ledger.sqlite", 3 * 4096)


def another_database(data: Path) -> None:
    (data / "ledger.sqlite").unlink()
    with sqlite3.connect(data / "ledger.sqlite") as connection:
        connection.executescript("CREATE TABLE songs (title TEXT); PRAGMA user_version = 2;")
    connection.close()


def a_folder_for_a_ledger(data: Path) -> None:
    (data / "ledger.sqlite").unlink()
    (data / "ledger.sqlite").mkdir()


def a_file(data: Path) -> None:
    shutil.rmtree(data)
    data.write_text("not a folder")


def root_key_of_all(data: Path) -> None:
    (data / "root-key.pem").chmod(0o644)


def master_of_a_group(data: Path) -> None:
    (data / "master-1.key").chmod(0o640)


def earlier_master_of_all(data: Path) -> None:
    (data / "master-0.key").write_bytes(b"m" * 32)
    (data / "master-0.key").chmod(0o604)


FAULTS: dict[Callable[[Path], None], str] = {
    locked: "cannot be used: ",
    closed: "cannot be used: ",
    read_only: "ledger.sqlite cannot be used: attempt to write a readonly database",
    not_ours: "ledger.sqlite cannot be used: unable to open database file",
    no_database: "ledger.sqlite cannot be read: file is not a database",
    damaged: "ledger.sqlite cannot be read: ",
    truncated: "ledger.sqlite cannot be read: database disk image is malformed",
    another_database: "ledger.sqlite is no ledger: it has no table epochs, heads, operators, records, rounds",
    a_folder_for_a_ledger: "ledger.sqlite cannot be used: unable to open database file",
    a_file: "data cannot be used: it is no folder",
    root_key_of_all: "root-key.pem may be read by others than its owner: chmod 600 ",
    master_of_a_group: "master-1.key may be read by others than its owner: chmod 600 ",
    earlier_master_of_all: "master-0.key may be read by others than its owner: chmod 600 ",
}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_folder_that_cannot_be_worked_on(
    folder: Path, fault: Callable[[Path], None], command: tuple[str, ...]
) -> None:
    fault(folder)
    try:
        one_line(folder, command, FAULTS[fault])
    finally:
        folder.chmod(0o700)


@pytest.mark.parametrize("command", NEW_FOLDER, ids=" ".join)
def test_a_folder_that_cannot_be_made(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    one_line(tmp_path / "locked" / "data", command, "locked/data cannot be used: Permission denied")
    (tmp_path / "file").touch()
    one_line(tmp_path / "file" / "data", command, "file/data cannot be used: Not a directory")


# What only the service needs: the keys themselves, and all of the ledger.


def no_root(data: Path) -> None:
    (data / "root-key.pem").unlink()


def another_root(data: Path) -> None:
    (data / "root-key.pem").write_text("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")


def no_master(data: Path) -> None:
    (data / "master-1.key").unlink()


def short_master(data: Path) -> None:
    (data / "master-1.key").write_bytes(b"short")


def a_page_that_nobody_asks_for(data: Path) -> None:
    """The index of rounds: who is known and what is exported is as it was."""
    with sqlite3.connect(data / "ledger.sqlite") as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_rounds_1'"
        ((page,),) = connection.execute(query).fetchall()
    connection.close()
    with (data / "ledger.sqlite").open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xa5" * 4096)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (no_root, "root-key.pem is missing, and records need it: put the file back from a copy"),
        (another_root, "root-key.pem is no PEM private key without password"),
        (
            no_master,
            "master-1.key is missing, and records need it: put the file back from a copy, or set CARDROOM_EPOCH",
        ),
        (short_master, "master-1.key has 5 bytes, a master secret has 32"),
        (a_page_that_nobody_asks_for, "ledger.sqlite cannot be read: "),
    ],
)
def test_a_folder_that_cannot_be_served(folder: Path, fault: Callable[[Path], None], told: str) -> None:
    fault(folder)
    before = sorted(path.name for path in folder.iterdir())
    one_line(folder, ("serve", "--port", "0"), told)
    assert sorted({path.name for path in folder.iterdir()} - {"serve.lock"}) == [
        name for name in before if name != "serve.lock"
    ]
    assert cardroom("operators", "list", "--data", folder).status == 0


def test_a_service_that_could_not_begin_leaves_the_folder_to_the_next(folder: Path) -> None:
    (folder / "root-key.pem").chmod(0o644)
    one_line(folder, ("serve", "--port", "0"), "chmod 600")
    (folder / "root-key.pem").chmod(0o600)
    with served(folder) as (url, _):
        one_line(folder, ("serve", "--port", "0"), "another service works on the data folder")
        assert url


def test_a_port_that_is_taken_is_no_fault_of_the_folder(folder: Path) -> None:
    with served(folder) as (url, _):
        port = url.rpartition(":")[2]
        other = folder.with_name("other")
        one_line(other, ("serve", "--port", port), f"cannot serve on 127.0.0.1, port {port}: ")


def test_an_export_of_nothing_says_what_is_there(folder: Path) -> None:
    for arguments, told in (
        (("--operator", "typo"), "there is no operator typo: there is op here."),
        (("--operator", "typo", "--table", "t1"), "there is no operator typo: there is op here."),
        (("--table", "t9"), "operator op has no table t9: there is t1."),
    ):
        one_line(folder, ("export", *arguments), f"cardroom: {told}\n")
    assert cardroom("operators", "add", "new", "--data", folder).status == 0
    one_line(folder, ("export", "--operator", "typo"), "cardroom: there is no operator typo: there is new, op here.\n")
    for arguments in ((), ("--table", "t1")):
        one_line(folder, ("export", "--operator", "new", *arguments), "cardroom: operator new has no records yet.\n")
