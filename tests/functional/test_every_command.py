"""Every subcommand over every rule set and every bet: an answer, or one plain line; never a traceback."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import pytest
import typer

from cardroom.adapters import environment
from cardroom.adapters.key_files import public_pem
from cardroom.cards import format_cards
from cardroom.game import Ruleset
from cardroom.services.catalogue import published
from cardroom.services.consult import NOT_PREVIEWED
from cardroom.signing.signature import key_of
from cardroom_desk.cli import app
from cardroom_desk.commands import odds
from cardroom_desk.players import Habits
from cardroom_desk.playthrough.simulation import SimulatedClock, play, simulated_table
from tests.audit.play import Room
from tests.functional.command import Ran, in_process

Json = dict[str, Any]

KNOWN: Final = published()
RULESETS: Final = KNOWN.ruleset_ids()
HANDS: Final = {"california-baccarat": 2, "hi-hi-lo": 6}  # cards of a hand to set; of another game seven
NO_HOUSE_WAY: Final = ("push-nine", "poker-showdown")


def side_bets(ruleset: Ruleset) -> tuple[str, ...]:
    return tuple(getattr(ruleset.rules, "side_bets", ()))


def every_bet() -> list[str]:
    """The names of all bets that some rule set has, side bets or not, and of one that none has."""
    names = {"ante", "no-such-bet"}
    for ruleset_id in RULESETS:
        ruleset = KNOWN.ruleset(ruleset_id)
        bank = getattr(ruleset.rules, "bank", None)
        names |= {*side_bets(ruleset), *(() if bank is None else (*bank.kinds, *bank.side_kinds))}
    return sorted(names)


class Asked(NamedTuple):
    """A call of the command: its arguments after the subcommand's name, its input, and the status it ends with."""

    arguments: tuple[str | Path, ...]
    status: int
    stdin: str = ""


class Given(NamedTuple):
    """A rule set, and where things are: an empty folder, and an export of its rounds with the root key."""

    ruleset: Ruleset
    folder: Path
    export: Path
    root: Path

    @property
    def game(self) -> str:
        return str(self.ruleset.document["game"])

    @property
    def hand(self) -> str:
        cards = self.ruleset.game.deck(self.ruleset.rules, {"seats": [], "banker": "house", "deck": "deck_of_52"})
        return " ".join(format_cards(cards[: HANDS.get(self.game, 7)]))


class Unsigned:
    """What stands for a signer: a record is its payload."""

    def sign(self, payload: Json) -> str:
        return json.dumps(payload)


def rank(at: Given) -> Iterator[Asked]:
    yield Asked((), 0, "As Kd\n5s 5h 3c 3d Qh 9s 2c")
    yield Asked((), 1, "As")


def set_(at: Given) -> Iterator[Asked]:
    named = ("--ruleset", at.ruleset.id)
    sets = at.game not in NO_HOUSE_WAY
    for role in ("player", "banker"):
        yield Asked((*named, "--role", role), 0 if sets else 2, at.hand)
        yield Asked((*named, "--role", role), 1 if sets else 2, "As\n")
    for house_way in (*KNOWN.house_ways, "no-such-way"):
        other = at.game == "pai-gow-poker" and house_way != "no-such-way"
        yield Asked((*named, "--house-way", house_way), 0 if other else 2, at.hand)


def bonus(at: Given) -> Iterator[Asked]:
    for bet in every_bet():
        has = bet in side_bets(at.ruleset)
        yield Asked(("--bet", bet, "--ruleset", at.ruleset.id), 0 if has else 2, at.hand)
        yield Asked(("--bet", bet, "--ruleset", at.ruleset.id), 1 if has else 2, "As Ks")


def count(at: Given) -> Iterator[Asked]:
    for bet in (*every_bet(), at.ruleset.id.partition("/")[0]):
        has = bet in (*side_bets(at.ruleset), at.ruleset.id.partition("/")[0]) and side_bets(at.ruleset)
        yield Asked((bet, "--ruleset", at.ruleset.id, "--processes", "1"), 0 if has else 2)


def dealt_by_hand(ruleset: Ruleset) -> Json:
    """All that was told of a round at a physical table, as a preview is asked for it."""
    table = simulated_table("t1", signer=Unsigned(), clock=SimulatedClock(), seed="by hand")
    told: Json = {}
    habits = Habits(physical=1, void=0, mishap=0)
    for record in play(table, ruleset, random=Random("by hand"), count=1, habits=habits):
        payload = json.loads(record)
        if payload["kind"] in ("opened", "dealt", "set", "settled"):
            more = payload["request"]
            parts = {name: told.get(name, []) + more[name] for name in ("hands", "sets", "misplayed") if name in more}
            told |= more | parts
    return {name: value for name, value in told.items() if name not in NOT_PREVIEWED}


def preview(at: Given) -> Iterator[Asked]:
    request: Json = {"ruleset": at.ruleset.id}
    yield Asked(("-",), 0, json.dumps(dealt_by_hand(at.ruleset)))
    yield Asked(("-",), 1, json.dumps(request))
    yield Asked(("-",), 1, json.dumps({**request, "seats": [], "wagers": [], "hands": [], "sets": []}))
    seats = [{"seat": seat, "bettor": f"b{seat}"} for seat in (1, 2)]
    for bet in every_bet():
        bets = [{"wager_id": "w", "seat": 2, "bettor": "b2", "circle": 1, "kind": bet, "amount": 100}]
        told = {"seats": seats, "banker": {"seat": 1, "bettor": "b1"}, "banker_wager": 5_000_000, "wagers": bets}
        yield Asked(("-",), 1, json.dumps({**request, **told, "dice": [1, 1, 1], "hands": [], "sets": []}))


def demo(at: Given) -> Iterator[Asked]:
    yield Asked(("--ruleset", at.ruleset.id), 0)
    yield Asked(("--ruleset", at.ruleset.id, "--url", "http://127.0.0.1:9", "--token", "t"), 1)
    yield Asked(("--ruleset", at.ruleset.id, "--url", "http://127.0.0.1:9"), 2)


def simulate(at: Given) -> Iterator[Asked]:
    yield Asked(("--rounds", "20", "--processes", "1"), 0)
    yield Asked(("--house-way", at.ruleset.id), 2)


def export(at: Given) -> Iterator[Asked]:
    yield Asked(("--data", at.folder / "none"), 1)
    yield Asked(("--data", at.folder, "--operator", "stranger"), 1)


def verify(at: Given) -> Iterator[Asked]:
    yield Asked((at.export, "--root", at.root), 0)
    yield Asked((at.export, "--root", at.export), 2)


def rulesets(at: Given) -> Iterator[Asked]:
    yield Asked(("--show", at.ruleset.id), 0)
    yield Asked((), 0)
    yield Asked(("--show", "no/such"), 2)


def serve(at: Given) -> Iterator[Asked]:
    yield Asked(("--data", at.export), 1)


def operators_add(at: Given) -> Iterator[Asked]:
    yield Asked(("house", "--data", at.folder), 0)
    yield Asked(("house", "--data", at.folder), 1)


def operators_rotate(at: Given) -> Iterator[Asked]:
    yield Asked(("house", "--data", at.folder), 0)
    yield Asked(("stranger", "--data", at.folder), 1)


def at_the_store(at: Given) -> Iterator[Asked]:
    yield Asked(("--data", at.folder), 0)
    yield Asked(("--data", at.folder / "none"), 1)


def checkpoint_verify(at: Given) -> Iterator[Asked]:
    yield Asked(("--checkpoint", at.export, "--export", at.export, "--key", "no key"), 2)


ASKED: Final[dict[str, Callable[[Given], Iterator[Asked]]]] = {
    "rank": rank,
    "set": set_,
    "bonus": bonus,
    "odds": count,
    "settle": preview,
    "demo": demo,
    "simulate": simulate,
    "verify": verify,
    "audit": verify,
    "rulesets": rulesets,
    "serve": serve,
    "operators add": operators_add,
    "operators rotate": operators_rotate,
    "operators list": at_the_store,
    "export": export,
    "checkpoint publish": at_the_store,
    "checkpoint key": at_the_store,
    "checkpoint verify": checkpoint_verify,
}
"""What is asked of each subcommand for each rule set; those that make a store come before those that look at it."""


def commands(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The subcommands of a command by their names, those of groups too."""
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, inner in command.commands.items():
        yield from commands(inner, f"{path} {name}".strip())


def is_told_plainly(ran: Ran) -> bool:
    """An answer, or one line that says what is wrong."""
    said = ran.err.splitlines() or ran.out.splitlines()
    return "Traceback" not in ran.out + ran.err and (ran.status == 0 or len(said) == 1)


@pytest.fixture
def given(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Given]:
    """A rule set, a folder of its own, and an export of two rounds by it."""
    for name in ("CARDROOM_DATA", "CARDROOM_AWS_ENDPOINT"):
        monkeypatch.setenv(name, os.environ.get(name, ""))  # which the commands change
    # Of all hands a few are counted: what they pay is another test's matter.
    monkeypatch.setattr(odds, "PARTS", 2_000)
    monkeypatch.setattr(odds, "each_on_cores", lambda work, tasks, **_: [work(tasks[7])])
    environment.forget()
    room = Room(request.param)
    if room.ruleset.document.get("first_banker") == "draw" or room.ruleset.document["game"] == "hi-hi-lo":
        room.draw("first_banker", (2, 5, 8))
    room.play()
    room.play()
    if room.state["shoe"] is not None:
        room.close_shoe()
    export, root = tmp_path / "export.jsonl", tmp_path / "root.pem"
    export.write_bytes(b"".join(room.export()))
    root.write_bytes(public_pem(key_of(room.root.jwks()[0])))
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    yield Given(room.ruleset, folder, export, root)
    environment.forget()


def test_every_subcommand_is_asked_here() -> None:
    found = dict(commands(typer.main.get_command(app)))
    assert found.keys() == ASKED.keys()


@pytest.mark.parametrize("given", RULESETS, indirect=True)
def test_every_subcommand_answers_for_every_rule_set_and_bet(given: Given) -> None:
    for name, command in commands(typer.main.get_command(app)):
        options = {option for parameter in command.params for option in parameter.opts}
        asked = list(ASKED[name](given))
        if "--ruleset" in options:
            assert all(given.ruleset.id in one.arguments for one in asked), f"{name} is not asked about the rule set"
    for name, asks in ASKED.items():
        for one in asks(given):
            ran = in_process(*name.split(), *one.arguments, stdin=one.stdin)
            told = f"{name} {' '.join(map(str, one.arguments))} < {one.stdin!r}: {ran}"
            assert ran.status == one.status, told
            assert is_told_plainly(ran), told
