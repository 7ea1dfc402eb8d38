"""The commands about records, rules and operators: settle, export, verify, rulesets, operators, serve."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import urllib3

from cardroom.adapters import environment
from cardroom.adapters.key_files import KeyFileRoot
from cardroom.services.credentials import issue
from cardroom_desk.client import Client
from cardroom_desk.local import server
from cardroom_desk.playthrough.over_http import play_round
from cardroom_desk.playthrough.round_records import RoundRecords
from tests.functional.command import COMMAND, FLORIDA, cardroom


class Store(NamedTuple):
    data: Path
    round_: RoundRecords
    export: bytes

    @property
    def root(self) -> Path:
        return self.data / "root.pem"

    @property
    def table(self) -> str:
        table_id: str = self.round_.opened["table_id"]
        return table_id


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A data folder in which one round was played over HTTP, and the export of its table."""
    data = tmp_path_factory.mktemp("store")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CARDROOM_DATA", str(data))
        environment.forget()
        token = issue(environment.operators(), "ops", ("play", "read"), environment.entropy())
        with server.running({"CARDROOM_DATA": str(data)}) as url:
            client = Client(url, token)
            round_ = play_round(client, FLORIDA)
            client.close()
        environment.forget()
    ran = cardroom("export", "--table", round_.opened["table_id"], "--data", data)
    assert (ran.status, ran.err) == (0, "")
    yield Store(data, round_, ran.out.encode())


def verify(tmp_path: Path, export: bytes, *roots: Path) -> tuple[int, list[dict[str, Any]], str]:
    file = tmp_path / "export.jsonl"
    file.write_bytes(export)
    ran = cardroom("verify", file, *(part for root in roots for part in ("--root", root)))
    return ran.status, ran.lines, ran.err


class TestExportAndVerify:
    def test_export_of_a_table_verifies(self, store: Store, tmp_path: Path) -> None:
        header, *records, trailer = map(json.loads, store.export.splitlines())
        assert header == {"cardroom_export": 1, "operator": "ops", "table_id": store.table}
        assert [list(line) for line in records] == [["record"]] * 4
        assert list(trailer) == ["trailer"]
        assert verify(tmp_path, store.export, store.root) == (0, [], "4 records of 1 table: all hold.\n")

    @pytest.mark.parametrize("by_round", [True, False])
    def test_export_of_a_round_or_of_all_verifies(self, store: Store, tmp_path: Path, by_round: bool) -> None:
        chosen = ("--round", store.round_.opened["round_id"]) if by_round else ()
        ran = cardroom("export", *chosen, "--operator", "ops", "--data", store.data)
        assert verify(tmp_path, ran.out.encode(), store.root)[:2] == (0, [])

    @pytest.mark.parametrize("number", [2, 3, 4, 5])
    def test_a_flipped_character_is_found_once(self, store: Store, tmp_path: Path, number: int) -> None:
        lines = store.export.splitlines(keepends=True)
        middle = len(lines[number - 1]) // 2
        line = bytearray(lines[number - 1])
        line[middle] ^= 1
        lines[number - 1] = bytes(line)
        status, findings, summary = verify(tmp_path, b"".join(lines), store.root)
        assert status == 1
        assert [(found["line"], found["record"]) for found in findings] == [(number, number - 1)]
        assert summary.startswith("3 records of 1 table: 1 finding; 0 hold; 3 ")

    def test_a_dropped_tail_is_found(self, store: Store, tmp_path: Path) -> None:
        lines = store.export.splitlines(keepends=True)
        status, (finding,), _ = verify(tmp_path, b"".join([*lines[:4], lines[5]]), store.root)
        assert (status, finding["code"]) == (1, "record-missing")
        status, (finding,), _ = verify(tmp_path, b"".join(lines[:5]), store.root)
        assert (status, finding["code"]) == (1, "export-truncated")

    def test_nothing_is_no_pass(self, store: Store, tmp_path: Path) -> None:
        status, (finding,), summary = verify(tmp_path, b"", store.root)
        assert (status, finding["code"]) == (1, "export-empty")
        assert summary == "0 records of 0 tables: 1 finding.\n"

    def test_the_right_root_among_several_will_do_and_another_will_not(self, store: Store, tmp_path: Path) -> None:
        other = tmp_path / "other"
        KeyFileRoot(other).jwks()
        assert verify(tmp_path, store.export, other / "root.pem", store.root)[0] == 0
        status, findings, _ = verify(tmp_path, store.export, other / "root.pem")
        assert status == 1
        assert findings[0]["code"] == "certificate-foreign"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("--table", "nowhere"), "cardroom: operator ops has no table nowhere: there is TABLE.\n"),
            (("--round", "never"), "cardroom: operator ops has no round never.\n"),
            (
                ("--operator", "strangers", "--table", "t"),
                "cardroom: there is no operator strangers: there is ops here.\n",
            ),
        ],
    )
    def test_export_of_what_is_not_there(self, store: Store, arguments: tuple[str, ...], message: str) -> None:
        ran = cardroom("export", *arguments, "--data", store.data)
        assert (ran.status, ran.out, ran.err) == (1, "", message.replace("TABLE", store.table))

    def test_wrong_calls(self, store: Store, tmp_path: Path) -> None:
        ran = cardroom("export", "--data", tmp_path / "none")
        assert (ran.status, ran.out) == (1, "")
        assert ran.err.startswith(f"cardroom: there is no data folder {tmp_path / 'none'}")
        assert not (tmp_path / "none").exists()
        assert cardroom("verify", tmp_path / "none", "--root", store.root).status == 2
        (tmp_path / "no.pem").write_text("no key")
        (tmp_path / "export.jsonl").write_bytes(store.export)
        ran = cardroom("verify", tmp_path / "export.jsonl", "--root", tmp_path / "no.pem")
        assert (ran.status, ran.err) == (2, f"cardroom: {tmp_path / 'no.pem'} holds no PEM public key.\n")
        cardroom("operators", "add", "a", "--data", tmp_path)
        cardroom("operators", "add", "b", "--data", tmp_path)
        ran = cardroom("export", "--data", tmp_path)
        assert (ran.status, ran.err) == (2, "cardroom: name the --operator: there is a, b here.\n")


def preview(**changes: Any) -> dict[str, Any]:
    request = {
        "ruleset": "pai-gow-poker/bicycle",
        "seats": [{"seat": 1, "bettor": "ann"}, {"seat": 2, "bettor": "bob"}],
        "banker": {"seat": 1, "bettor": "ann"},
        "wagers": [{"wager_id": "w1", "seat": 2, "bettor": "bob", "circle": 1, "kind": "main", "amount": 6_000}],
        "banker_wager": 10_000,
        "dice": [1, 1, 1],
        "hands": [
            {"seat": 1, "cards": ["2c", "3d", "4h", "5s", "7c", "8d", "9h"]},
            {"seat": 2, "cards": ["As", "Ah", "Kd", "Kc", "9s", "5d", "2h"]},
        ],
        "sets": [{"seat": 1, "how": "house_way"}, {"seat": 2, "how": "front", "front": ["Kd", "Kc"]}],
    }
    return request | changes


class TestSettle:
    def test_a_preview_from_a_file_and_from_standard_input(self, tmp_path: Path) -> None:
        file = tmp_path / "preview.json"
        file.write_text(json.dumps(preview()))
        ran = cardroom("settle", file)
        assert (ran.status, ran.err) == (0, "")
        (answer,) = ran.lines
        assert [(r["wager_id"], r["result"], r["paid"]) for r in answer["settled"]["results"]] == [("w1", "win", 6_000)]
        assert cardroom("settle", "-", stdin=json.dumps(preview())).out == ran.out

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("{", "json-invalid"),
            ('{"ruleset": "a/b", "ruleset": "a/b"}', "json-invalid"),
            (json.dumps(preview(banker_wager=1.5)), "json-invalid"),
            (json.dumps(preview(currency="\ufffd")), "json-invalid"),
            (json.dumps(preview(banker_wager=True)), "request-invalid"),
            (json.dumps(preview(ruleset="no/such")), "ruleset-unknown"),
            (json.dumps(preview(sets=[{"seat": 1, "how": "house_way"}])), "seat-not-set"),
        ],
    )
    def test_a_refusal_is_the_problem_that_the_service_would_answer(self, text: str, code: str) -> None:
        ran = cardroom("settle", "-", stdin=text)
        (problem,) = ran.lines
        assert (ran.status, ran.err) == (1, "")
        assert (problem["code"], problem["type"]) == (code, f"/docs#{code}")

    def test_no_file_is_a_wrong_call(self, tmp_path: Path) -> None:
        assert cardroom("settle", tmp_path / "none.json").status == 2


class TestRulesets:
    def test_list_and_show(self) -> None:
        listed = {line["id"]: line["sha256"] for line in cardroom("rulesets").lines}
        assert listed.keys() >= {
            "double-hand-poker/contra-costa-1991",
            FLORIDA,
            "pai-gow-poker/bicycle",
            "pai-gow-poker/casino",
        }
        (shown,) = cardroom("rulesets", "--show", FLORIDA).lines
        assert shown["sha256"] == listed[FLORIDA]
        assert shown["document"]["house_way"]["name"] == "florida-fortune"

    def test_unknown(self) -> None:
        ran = cardroom("rulesets", "--show", "no/such")
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.startswith("cardroom: no rule set 'no/such': must be one of ")


class TestOperators:
    def test_add_rotate_list(self, tmp_path: Path) -> None:
        data = ("--data", tmp_path / "new")
        added = cardroom("operators", "add", "club", "--scopes", "read", *data)
        assert (added.status, added.err) == (0, "")
        assert re.fullmatch(r"club\.[A-Za-z0-9_-]{43}\n", added.out)
        rotated = cardroom("operators", "rotate", "club", *data)
        assert re.fullmatch(r"club\.[A-Za-z0-9_-]{43}\n", rotated.out)
        assert rotated.out != added.out
        assert cardroom("operators", "list", *data).lines == [{"operator": "club", "scopes": ["read"], "tokens": 2}]
        cardroom("operators", "rotate", "club", "--revoke-old", *data)
        assert cardroom("operators", "list", *data).lines == [{"operator": "club", "scopes": ["read"], "tokens": 1}]

    def test_refusals(self, tmp_path: Path) -> None:
        data = ("--data", tmp_path)
        cardroom("operators", "add", "club", *data)
        for arguments, message in (
            (("add", "club"), "operator club is there already: rotate its token instead"),
            (("add", "x y"), "'x y' cannot be an operator's id: up to 64 letters, digits, _ and -"),
            (("add", "x", "--scopes", "all"), "no scope all: there are play, read, audit"),
            (("rotate", "x"), "there is no operator x: add it first"),
        ):
            ran = cardroom("operators", *arguments, *data)
            assert (ran.status, ran.out) == (1, "")
            assert ran.err.startswith(f"cardroom: {message}")
        both = cardroom("operators", "list", *data, "--aws-endpoint", "http://127.0.0.1:1")
        assert (both.status, both.err) == (2, "cardroom: --data and --aws-endpoint exclude each other.\n")
        lost = cardroom("operators", "list", "--aws-endpoint", "http://127.0.0.1:1", CARDROOM_TABLE="", AWS_REGION="x")
        assert lost.status == 1
        assert re.fullmatch(r"cardroom: [^\n]+\n", lost.err)


class TestServe:
    def test_serves_until_stopped(self, tmp_path: Path) -> None:
        arguments = [*COMMAND, "serve", "--port", "0", "--data", str(tmp_path)]
        with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            said = process.stderr.readline()
            match = re.fullmatch(r"cardroom serves at (http://127\.0\.0\.1:\d+); stop it with Ctrl-C\.\n", said)
            assert match, said
            with urllib3.PoolManager() as pool:
                assert pool.request("GET", match[1] + "/v1/health").json()["status"] == "ok"
            taken = cardroom("serve", "--port", match[1].rpartition(":")[2], "--data", tmp_path / "other")
            assert taken.status == 1
            assert taken.err.startswith("cardroom: cannot serve on 127.0.0.1, port ")
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=10) == 0
