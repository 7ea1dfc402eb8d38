"""The local service and the commands beside it on one data folder: what was acknowledged stays, whoever comes."""

from __future__ import annotations

import itertools
import json
import random
import re
import secrets
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from waitress.trigger import trigger

from cardroom.adapters import environment
from cardroom.adapters.sqlite import SqliteLedger
from cardroom.adapters.sqlite_file import BUSY_SECONDS
from cardroom_desk.client import Client, Refused, Unreachable
from cardroom_desk.local import server
from tests.functional.caller import Json, round_calls
from tests.functional.command import Ran, cardroom, served

ROOT = Path(__file__).parents[2]
ONE_LINE = re.compile(r"cardroom: [^\n]+\n")


def add_operator(data: Path, operator: str = "op") -> str:
    ran = cardroom("operators", "add", operator, "--data", data)
    assert (ran.status, ran.err) == (0, "")
    return ran.out.strip()


def exported(data: Path) -> list[str]:
    """The records of an export, which is as long as its trailer says."""
    ran = cardroom("export", "--operator", "op", "--data", data)
    assert (ran.status, ran.err) == (0, "")
    return [line["record"] for line in ran.lines if "record" in line]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_exports_beside_the_service_lose_no_record(tmp_path: Path, number: signal.Signals) -> None:
    token = add_operator(tmp_path)
    acknowledged: list[str] = []
    with served(tmp_path) as (url, service):
        client = Client(url, token)
        for round_id in ("r1", "r2", "r3"):
            acknowledged += [client.post(path, body)["record"] for path, body in round_calls(round_id)]
            assert exported(tmp_path) == acknowledged
        client.close()
        service.send_signal(number)
        service.wait(10)
    left = sorted(path.name for path in tmp_path.glob("ledger.sqlite*"))
    assert left == ["ledger.sqlite"] or number == signal.SIGKILL  # stopped in order, it is one file again
    assert exported(tmp_path) == acknowledged
    assert len(acknowledged) == 9


def status(url: str, token: str) -> int | None:
    """What a reading call is answered with, None for success."""
    client = Client(url, token)
    try:
        client.get("/v1/rounds/r1")
    except Refused as refused:
        code: int = refused.problem["status"]
        return code
    finally:
        client.close()
    return None


def test_a_token_that_another_process_revokes_ends_at_once(tmp_path: Path) -> None:
    token = add_operator(tmp_path)
    with served(tmp_path) as (url, _):
        client = Client(url, token)
        client.post(*next(round_calls("r1")))
        client.close()
        for _ in range(3):
            ran = cardroom("operators", "rotate", "op", "--revoke-old", "--data", tmp_path)
            assert ran.status == 0
            old, token = token, ran.out.strip()
            assert (status(url, old), status(url, token)) == (401, None)


def one_line(ran: Ran, told: str) -> None:
    assert (ran.status, ran.out) == (1, "")
    assert ONE_LINE.fullmatch(ran.err), ran.err
    assert told in ran.err


def test_one_service_a_folder(tmp_path: Path) -> None:
    told = f"another service works on the data folder {tmp_path}: stop it first, or serve another --data"
    with served(tmp_path) as (_, service):
        one_line(cardroom("serve", "--port", "0", "--data", tmp_path), told)
        with (
            pytest.raises(server.FolderServed, match=re.escape(told)),
            server.running({"CARDROOM_DATA": str(tmp_path)}),
        ):
            pass
        assert cardroom("operators", "list", "--data", tmp_path).status == 0
        service.kill()
        service.wait(10)
    with served(tmp_path):
        pass


def test_a_service_ends_though_its_loop_was_woken_already(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pull = trigger._physical_pull

    def late(self: trigger) -> None:
        pull(self)  # as for an answer just before
        time.sleep(0.2)
        pull(self)

    with server.running({"CARDROOM_DATA": str(tmp_path)}):
        monkeypatch.setattr(trigger, "_physical_pull", late)


def test_one_service_a_folder_in_one_process_too(tmp_path: Path, data: Path) -> None:
    with server.running({"CARDROOM_DATA": str(data)}):
        ledger = environment.ledger()
        with pytest.raises(server.FolderServed), server.running({"CARDROOM_DATA": str(data)}):
            pass
        assert environment.ledger() is ledger  # nor was it closed under the one that runs
        assert list(ledger.tables("op")) == []
        one_line(cardroom("serve", "--port", "0", "--data", data), "another service works on")  # it is held still
    with server.running({"CARDROOM_DATA": str(data)}):
        pass


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("export",), ("operators", "list")])
def test_a_ledger_of_another_format_is_refused_by_name(tmp_path: Path, command: tuple[str, ...]) -> None:
    with sqlite3.connect(tmp_path / "ledger.sqlite") as connection:
        connection.execute("PRAGMA user_version = 3")
    connection.close()
    one_line(cardroom(*command, "--data", tmp_path), "ledger.sqlite is of format 3; this version reads ledgers of")


def test_readers_answer_behind_a_writer_and_a_write_is_told_to_come_again(tmp_path: Path) -> None:
    token = add_operator(tmp_path)
    with served(tmp_path) as (url, _):
        client = Client(url, token)
        first = client.post(*next(round_calls("r1")))["record"]
        client.close()
    writer = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with served(tmp_path) as (url, _):
        client, began = Client(url, token), time.monotonic()
        assert client.get("/v1/rounds/r1")["records"][0]["record"] == first
        assert time.monotonic() - began < BUSY_SECONDS
        assert exported(tmp_path) == [first]
        assert cardroom("operators", "list", "--data", tmp_path).status == 0
        call, began = next(round_calls("r2", "t2")), time.monotonic()
        with pytest.raises(Refused) as refused:
            client.post(*call)
        assert BUSY_SECONDS * 0.9 < time.monotonic() - began < BUSY_SECONDS + 2
        problem = refused.value.problem
        assert (problem["code"], problem["status"], problem["retry"]) == ("store-unavailable", 503, True)
        writer.execute("ROLLBACK")
        writer.close()
        second = client.post(*call)["record"]
        client.close()
    assert exported(tmp_path) == [first, second]


# -- kill -9 under load, while another process opens and closes the ledger all the time

ONLOOKER = """
import json, os, sys, threading, time
from cardroom.adapters import environment
from cardroom.services.credentials import issue, rotate
from cardroom_desk.exports.write import exported
from tests.functional.test_local_service import status
from cardroom_desk.client import Unreachable

url, turns, checked, seen = None, 0, 0, set()

def listen():
    global url
    for line in sys.stdin:
        url = line.strip()
    url = ""

token = issue(environment.operators(), "spare", ["read"], os.urandom)
threading.Thread(target=listen, daemon=True).start()
while url != "":
    environment.forget()
    old, token = token, rotate(environment.operators(), "spare", os.urandom, revoke_old=True)
    try:
        if url:
            answers = status(url, old), status(url, token)
            assert answers == (401, 404), answers  # 404: the round is none of its own
            checked += 1
    except Unreachable:
        pass  # killed
    records = [json.loads(line) for line in exported(environment.ledger(), "op", table_id=None, round_id=None)]
    now = [line["record"] for line in records if "record" in line]
    assert len(now) == len(set(now)) and seen <= set(now), (len(now), len(seen))
    seen = set(now)
    turns += 1
    time.sleep(0.05)
environment.forget()
print(json.dumps({"turns": turns, "checked": checked}))
"""


class Player:
    """Plays round after round at a table of its own; a call that was not answered is sent again at the next service."""

    def __init__(self, table_id: str) -> None:
        rounds = (round_calls(f"{table_id}-{number}", table_id) for number in itertools.count(1))
        self._calls = itertools.chain.from_iterable(rounds)
        self._next = next(self._calls)
        self.table_id = table_id
        self.acknowledged: list[str] = []
        self.fault: Exception | None = None

    def play(self, url: str, token: str) -> None:
        client = Client(url, token)
        try:
            while True:
                self.acknowledged.append(client.post(*self._next)["record"])
                self._next = next(self._calls)
        except Unreachable:
            pass
        except Exception as error:
            self.fault = error
        finally:
            client.close()


def test_twenty_kills_under_load_lose_and_double_nothing(tmp_path: Path) -> None:
    seed = secrets.randbelow(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    token = add_operator(tmp_path)
    players = [Player(f"table-{number}") for number in range(3)]
    onlooker = subprocess.Popen(
        [sys.executable, "-c", ONLOOKER], cwd=ROOT, env={"CARDROOM_DATA": str(tmp_path)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert onlooker.stdin
    for _ in range(20):
        with served(tmp_path) as (url, service):
            onlooker.stdin.write(url + "\n")
            onlooker.stdin.flush()
            threads = [threading.Thread(target=player.play, args=(url, token)) for player in players]
            for thread in threads:
                thread.start()
            time.sleep(chance.uniform(0.02, 0.5))
            service.kill()
            for thread in threads:
                thread.join(35)
        assert [player.fault for player in players] == [None] * 3
    told, _ = onlooker.communicate(timeout=60)
    assert onlooker.returncode == 0
    looked: Json = json.loads(told)
    print(looked, [len(player.acknowledged) for player in players])
    assert looked["turns"] >= 20 and looked["checked"] >= 5, looked
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    for player in players:
        kept = list(ledger.records("op", player.table_id, after=0, limit=100_000))
        assert kept[: len(player.acknowledged)] == player.acknowledged
        assert len(kept) <= len(player.acknowledged) + 1  # the last one may have landed and its answer been lost
    ledger.close()
    assert sum(len(player.acknowledged) for player in players) >= 100
    file = tmp_path / "export.jsonl"
    file.write_text(cardroom("export", "--operator", "op", "--data", tmp_path).out)
    verified = cardroom("verify", file, "--root", tmp_path / "root.pem")
    assert verified.status == 0, verified.out + verified.err
