"""The demo: one round over HTTP, told, exported and verified, with nothing left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from cardroom.adapters import environment
from cardroom.services.catalogue import published
from cardroom.services.credentials import issue
from cardroom_desk.local import server
from tests.functional.command import COMMAND, cardroom


class Service(NamedTuple):
    url: str
    token: str


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    data = str(tmp_path_factory.mktemp("service"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CARDROOM_DATA", data)
        environment.forget()
        token = issue(environment.operators(), "ops", ("play", "read"), environment.entropy())
        with server.running({"CARDROOM_DATA": data}) as url:
            yield Service(url, token)
        environment.forget()


def told(out: str) -> list[list[str]]:
    """The rows of the table of results: seat, bettor, bet, amount, …"""
    results = out.partition("Results, in action order:")[2].partition("Coverage")[0]
    return [line.split() for line in results.splitlines() if re.match(r" +\d ", line)]


def test_demo_plays_tells_and_verifies_a_round(tmp_path: Path) -> None:
    """Seven seats of the Fortune game, with a back-line wager and bonuses."""
    ran = cardroom("demo", TMPDIR=str(tmp_path))
    assert (ran.status, ran.err) == (0, "")
    out = ran.out
    assert "\x1b" not in out
    assert out.endswith("4 records of 1 table: all hold.\nverified\n")
    assert list(tmp_path.iterdir()) == []
    order = re.search(r"settled in the order of seats (.+)\.", out)
    banker = re.search(r" (\w+) \(seat (\d)\) banks\.", out)
    assert order is not None and banker is not None
    assert sorted([*order[1].split(", "), banker[2]]) == ["1", "2", "3", "4", "5", "6", "7"]
    rows = told(out)
    assert list(dict.fromkeys(row[0] for row in rows)) == order[1].split(", ")
    kinds = [row[2] for row in rows]
    assert kinds.count("fortune") >= 1 and kinds.count("main") == out.count(" main ") // 2 >= 7
    assert out.count("(back-line)") >= 1
    assert "house way, as it advised, pai-gow-poker §4" in out
    assert f"{banker[1]} (banker)" in out
    wagered = re.search(r"The banker wagers ([\d,]+\.\d\d)\.", out)
    assert wagered is not None and f"of the banker's {wagered[1]} used" in out
    assert re.search(r"The table posts [\d,]+\.\d\d as the most that its bonuses are paid together\.", out)
    assert "All accounts together: 0.00." in out
    assert "It is the one that the commitment was made for." in out


SAID = {
    "california-baccarat": (" of 424 cards is opened on the commitment ", "The shoe is closed after "),
    "hi-hi-lo": ("Draw for first banker: seat 1 ", " high one ", " low "),
    "push-nine": ("Draw for first button: seat 1 ", "Betting: ", "Results, by seat:"),
    "poker-showdown": ("Burned: ", "The main pot of "),
}
"""What a dealer of the game looks for, by family; of the others, the hands as they were set."""


@pytest.mark.parametrize("ruleset_id", published().ruleset_ids())
def test_demo_of_every_rule_set(ruleset_id: str, service: Service) -> None:
    ran = cardroom("demo", "--ruleset", ruleset_id, "--url", service.url, "--token", service.token)
    assert (ran.status, ran.err) == (0, "")
    assert f"{published().ruleset(ruleset_id).document['title']} ({ruleset_id})\n" in ran.out
    for words in SAID.get(
        ruleset_id.split("/", maxsplit=1)[0], ("Hands are settled in the order of seats ", "Hands, as set:")
    ):
        assert words in ran.out
    assert "All accounts together: 0.00." in ran.out
    assert "It is the one that the commitment was made for." in ran.out
    assert ran.out.endswith(" records of 1 table: all hold.\nverified\n")


def test_demo_at_a_given_service_says_what_it_could_not_check(service: Service) -> None:
    for _ in range(2):  # a table of its own each time
        ran = cardroom("demo", "--url", service.url, "--token", service.token)
        assert (ran.status, ran.err) == (0, "")
        assert f"Playing over HTTP at {service.url}" in ran.out
        assert "Not checked: a signed trailer" in ran.out
        assert ran.out.endswith("4 records of 1 table: all hold.\nverified\n")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--ruleset", "no/such"), 2, "no rule set 'no/such': must be one of "),
        (("--url", "http://127.0.0.1:1"), 2, "--url and --token go together."),
        (("--url", "http://127.0.0.1:1", "--token", "x"), 1, "no answer from http://127.0.0.1:1/v1/rulesets/"),
    ],
)
def test_demo_says_why_it_cannot(arguments: tuple[str, ...], status: int, message: str) -> None:
    ran = cardroom("demo", *arguments)
    assert ran.status == status
    assert ran.err.startswith(f"cardroom: {message}")


def test_demo_with_a_wrong_token(service: Service) -> None:
    ran = cardroom("demo", "--url", service.url, "--token", "ops." + "A" * 43)
    assert ran.status == 1
    assert "was refused with " in ran.err
    assert "verified" not in ran.out


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_demo_leaves_nothing_behind(tmp_path: Path, number: signal.Signals, status: int) -> None:
    with subprocess.Popen(
        [*COMMAND, "demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)}
    ) as process:
        deadline = time.monotonic() + 20
        while not any(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (status, b"")
    assert b"verified" not in out
    assert list(tmp_path.iterdir()) == []
