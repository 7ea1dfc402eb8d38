"""The example that recomputes a deck: it imports nothing of ours, and tells a true round from a false one."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardroom import canonical
from cardroom.signing.signature import b64url, unb64url
from tests.functional.caller import Caller

SCRIPT = Path(__file__).parents[2] / "examples/recompute_deck.py"
Json = dict[str, Any]


def recompute(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script apart from everything that is installed."""
    command = [sys.executable, "-I", "-S", str(SCRIPT), str(path), "r1", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def played(tmp_path: Path) -> Callable[[Caller], Path]:
    def write(caller: Caller) -> Path:
        path = tmp_path / "export.jsonl"
        records = caller.get("/v1/tables/t1/records").json["records"]
        lines = [{"cardroom_export": 1}, *({"record": record} for record in records), {"trailer": "unread here"}]
        path.write_text("".join(canonical.dumps(line).decode() + "\n" for line in lines))
        return path

    return write


def change(path: Path, number: int, edit: Callable[[Json], object]) -> None:
    """Change what a record says; the script leaves signatures to others."""
    lines = path.read_text().splitlines()
    head, payload, signature = json.loads(lines[number])["record"].split(".")
    said = json.loads(unb64url(payload))
    edit(said)
    lines[number] = canonical.dumps({"record": f"{head}.{b64url(canonical.dumps(said))}.{signature}"}).decode()
    path.write_text("\n".join(lines) + "\n")


def test_the_script_has_sixty_lines_and_imports_the_standard_library_alone() -> None:
    source = SCRIPT.read_text()
    assert len(source.splitlines()) <= 60
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in imports if isinstance(node, ast.ImportFrom)}
    assert names <= sys.stdlib_module_names


@pytest.mark.parametrize("changes", [{}, {"cut": None}, {"client_seed": None}, {"dice": [6, 6, 5], "pile": 3}])
def test_a_settled_round_matches(caller: Caller, played: Callable[[Caller], Path], changes: Json) -> None:
    caller.open(client_seed="none" if "client_seed" in changes else None)
    dealt = caller.deal(**changes).payload
    settled = caller.settle().payload
    done = recompute(played(caller))
    assert (done.returncode, done.stderr) == (0, "")
    deck, verdict = done.stdout.splitlines()
    assert verdict == "match"
    cards = deck.split()
    assert len(set(cards)) == 53
    piles = {hand["pile"]: hand["cards"] for hand in dealt["body"]["hands"] + settled["body"]["hands"]}
    assert [card for card in zip(*(piles[pile] for pile in range(1, 8)), strict=True) for card in card] == cards[:49]


def test_a_voided_deal_matches(caller: Caller, played: Callable[[Caller], Path]) -> None:
    caller.open()
    caller.deal()
    caller.void()
    assert recompute(played(caller)).stdout.endswith("\nmatch\n")


def test_a_number_and_more_jokers(caller: Caller, played: Callable[[Caller], Path]) -> None:
    """Contra Costa: the seat by number among the seated, the jokers by the open request."""
    seats = [{"seat": seat, "bettor": bettor} for seat, bettor in enumerate(("ann", "bob", "cyd"), start=1)]
    opened = caller.open(ruleset="double-hand-poker/contra-costa-1991", seats=seats, jokers=3, fees=None)
    assert opened.status == 201, opened.text
    wagers = [{"wager_id": "w", "seat": 2, "bettor": "bob", "circle": 1, "placed": 1, "kind": "main", "amount": 5_000}]
    dealt = caller.deal(wagers=wagers, cut=None)
    assert dealt.payload["body"]["action"]["by"] == "number"
    caller.settle(sets=[{"seat": seat, "how": "house_way"} for seat in (1, 2)])
    done = recompute(played(caller))
    assert done.stdout.endswith("\nmatch\n"), done
    assert len(done.stdout.split()) == 56


@pytest.mark.parametrize(
    ("number", "edit"),
    [
        (1, lambda said: said["body"].update(commitment="00" * 32)),
        (1, lambda said: said["request"].update(currency="EUR")),
        (2, lambda said: said["request"].update(cut=12)),
        (2, lambda said: said["body"].update(cut=said["request"].pop("cut") + 1)),
        (2, lambda said: said["request"].update(client_seed="5eee" * 8)),
        (2, lambda said: said["body"]["action"].update(dice=[1, 1, 1])),
        (2, lambda said: said["body"]["hands"][1]["cards"].reverse()),
        (3, lambda said: said["body"]["hands"][4]["cards"].reverse()),
        (3, lambda said: said["body"].update(seed="00" * 32)),
    ],
)
def test_a_changed_round_does_not_match(
    caller: Caller, played: Callable[[Caller], Path], number: int, edit: Callable[[Json], object]
) -> None:
    caller.open()
    caller.deal()
    caller.settle()
    path = played(caller)
    change(path, number, edit)
    done = recompute(path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "MISMATCH\n")
