"""docs/architecture.md walks values through the house: the calls that it names are those of a real round, in order."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest
from werkzeug.test import Client

from cardroom import canonical
from cardroom.adapters import environment
from cardroom.services.credentials import issue
from cardroom.services.ports import Ledger
from cardroom.signing.signature import split
from cardroom_desk.exports.audit import Asked
from cardroom_desk.exports.verify import verified
from cardroom_desk.exports.write import exported
from cardroom_desk.local.api import LocalApi
from cardroom_desk.local.template import read_api
from tests.functional.caller import Caller

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/architecture.md").read_text("utf-8")
FUNCTIONS = {path.stem for path in (ROOT / "functions").glob("*/*.py")}
OPERATOR = "house-of-cards"

IS_FILE = re.compile(r"\.(py|md|yaml|toml)$")
NOT_THERE = {
    "shapes.py",
    "layers/engine/cardroom/rulesets/FAMILY/VERSION.toml",
}  # a game's, and one that is yet to come

WALKS = {
    section.splitlines()[0]: re.findall(r"^\d+\. `([\w.]+)`", section, re.MULTILINE)
    for section in re.split(r"^### ", TEXT.partition("\n## What to touch")[0], flags=re.MULTILINE)[1:]
}
SAID = {*re.findall(r"`([\w./-]+)`", TEXT)}
NAMES = sorted(name for name in SAID if re.fullmatch(r"[a-z_]+(\.\w+)+", name) and not IS_FILE.search(name))
LINKS = {f"docs/{name}" for name in re.findall(r"\]\(([\w./-]+)\)", TEXT)}
PATHS = sorted(LINKS | {name for name in SAID if "/" in name or IS_FILE.search(name)} - NOT_THERE)
ROOMS = [
    room
    for cell in re.findall(r"^\| (`.*?`) \|", TEXT.partition("## Three values")[0], re.MULTILINE)
    for room in re.findall(r"`(\w+)`", cell)
]


def in_full(name: str) -> str:
    """A name as Python knows it: what does not say where it is from is cardroom's, or a function's of its own name."""
    first = name.split(".", maxsplit=1)[0]
    return name if first == "cardroom_desk" or first in FUNCTIONS else f"cardroom.{name}"


def found(name: str) -> Any:
    """The function, class or module of a name."""
    parts = in_full(name).split(".")
    for end in range(len(parts), 0, -1):
        try:
            module: ModuleType = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        return reduce(getattr, parts[end:], module)
    raise ModuleNotFoundError(name)


@dataclass
class Tampered:
    """A ledger in which a table's last record says something else, signed with the genuine key."""

    ledger: Ledger

    def head(self, operator: str, table_id: str) -> Any:
        return self.ledger.head(operator, table_id)

    def tables(self, operator: str) -> Any:
        return self.ledger.tables(operator)

    def records(self, operator: str, table_id: str, *, after: int, limit: int) -> list[str]:
        records = list(self.ledger.records(operator, table_id, after=after, limit=limit))
        if records:
            payload = canonical.loads(split(records[-1]).payload)
            payload["body"]["results"][0]["paid"] += 1
            records[-1] = environment.signer().sign(payload)
        return records


def round_and_audit(caller: Caller) -> None:
    """One round over the local API, its records handed back, then exported by a forger and verified."""
    dealt = caller.deal(opened=caller.open().record)
    assert caller.settle(dealt=dealt.record).status == 200
    tampered: Any = Tampered(environment.ledger())
    lines = [line.encode() for line in exported(tampered, OPERATOR, table_id="t1", round_id=None)]
    (finding,) = verified(lines, Asked(roots=environment.signer().roots())).findings
    assert (finding.code, finding.line) == ("payout-wrong", 4)


def traced(what: Callable[[], None]) -> list[str]:
    """The functions that are called, by module and name, one after the other."""
    calls: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls.append(f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        what()
    finally:
        sys.setprofile(before)
    return calls


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """All calls of a round and its audit, on a folder of its own."""
    with pytest.MonkeyPatch.context() as patch:
        environment.forget()
        patch.setenv("CARDROOM_DATA", str(tmp_path_factory.mktemp("house")))
        patch.setenv("POWERTOOLS_LOG_LEVEL", "CRITICAL")
        token = issue(environment.operators(), OPERATOR, ("play", "read"), environment.entropy())
        caller = Caller(Client(LocalApi(read_api())), token)
        yield traced(lambda: round_and_audit(caller))
        environment.forget()


def first_missing(walk: list[str], calls: list[str]) -> str | None:
    """The first step of a walk that is not called after those before it, None if all are."""
    rest = iter(calls)
    return next((name for name in walk if in_full(name) not in rest), None)


@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_is_what_happens(walk: str, calls: list[str]) -> None:
    assert len(WALKS[walk]) >= 10
    assert first_missing(WALKS[walk], calls) is None


@pytest.mark.parametrize("walk", WALKS)
def test_steps_in_another_order_are_seen(walk: str, calls: list[str]) -> None:
    """The first step is moved behind the last, and another is one that nobody calls."""
    assert first_missing([*WALKS[walk], WALKS[walk][0]], calls) == WALKS[walk][0]
    assert first_missing([WALKS[walk][0], "rounds.steps.stepp", *WALKS[walk][1:]], calls) == "rounds.steps.stepp"


def test_there_are_three_walks() -> None:
    assert [walk.split(",")[0] for walk in WALKS] == ["A wager", "A card", "A line of an export"]


@pytest.mark.usefixtures("calls")  # which loads the functions
@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_there(name: str) -> None:
    assert found(name) is not None


@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_there(path: str) -> None:
    assert (ROOT / path).exists()


def test_every_room_has_its_line() -> None:
    """The rooms are those of the package; the data and what is at its root for Python's sake apart."""
    folder = ROOT / "layers/engine/cardroom"
    there = {path.stem for path in folder.iterdir() if path.suffix in ("", ".py")}
    assert {*ROOMS} == there - {"__init__", "__pycache__", "rulesets", "py"}
    assert len(ROOMS) == len({*ROOMS})


def test_rooms_stand_in_the_order_in_which_imports_point() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = [one["layers"] for one in contracts if one["name"] == "Imports point inward"]
    level = {room: number for number, line in enumerate(reversed(layers)) for room in re.findall(r"\w+", line)}
    assert [level[room] for room in ROOMS] == sorted(level[room] for room in ROOMS)


def test_the_page_can_be_read_at_once() -> None:
    assert len(TEXT.splitlines()) <= 150


def test_adding_a_record_names_files_that_are_there_and_no_more_than_eight() -> None:
    text = (ROOT / "docs/adding-a-record.md").read_text("utf-8")
    named = {name for name in re.findall(r"`([\w./-]+)`", text) if "/" in name or IS_FILE.search(name)}
    assert len(named) >= 10
    assert [name for name in sorted(named) if "KIND" not in name and not (ROOT / name).exists()] == []
    rows = text.partition("## What a shipped one touches")[2].partition("\n\nMade from them")[0].count("\n| ") - 1
    assert 1 <= rows <= 8


def test_every_kind_of_tests_has_its_line() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    told = re.findall(r"^\| `(tests/\w+)` \|", text, re.MULTILINE)
    assert sorted(told) == sorted({str(path.parent.relative_to(ROOT)) for path in (ROOT / "tests").glob("*/test_*.py")})
    named = {name for name in re.findall(r"`([\w./-]+)`", text) if name.startswith(("tests/", "docs/", "vectors/"))}
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_each_decision_has_a_number_of_its_own() -> None:
    records = sorted((ROOT / "docs/adr").glob("*.md"))
    headings = [int(path.read_text("utf-8").removeprefix("# ").partition(".")[0]) for path in records]
    assert headings == [int(path.name[:4]) for path in records] == [*range(1, len(records) + 1)]
    there = {f"ADR {number}" for number in headings}
    assert {one for path in (ROOT / "docs").rglob("*.md") for one in re.findall(r"ADR \d+", path.read_text())} <= there
