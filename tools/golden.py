"""Writes vectors/golden and vectors/rulesets.json: a playthrough of each published rule set, and all their hashes.

Run `python -m tools.golden` after publishing a rule set, or after a change that records or what is told of them are
meant to show; tests compare. A rule set that rounds were played by never changes: another version is published.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any, Final

from rich.console import Console

from cardroom import canonical
from cardroom.game import Ruleset
from cardroom.services.catalogue import published
from cardroom.shapes.records import Record
from cardroom_desk.players import Habits
from cardroom_desk.playthrough.narration import narrate
from cardroom_desk.playthrough.round_records import rounds_in
from cardroom_desk.playthrough.simulation import SimulatedClock, play, simulated_table

Json = dict[str, Any]

VECTORS: Final = Path(__file__).parent.parent / "vectors"
FOLDER: Final = VECTORS / "golden"
PINS: Final = VECTORS / "rulesets.json"
ROUNDS: Final = 3
HABITS: Final = Habits(void=0.05, mishap=0.1, physical=0.4, misread=0.5)
WIDTH: Final = 140


class StandIn:
    """What stands for a signed record: the hash of its payload, so that nothing in a playthrough is random."""

    def sign(self, payload: Record) -> str:
        """The SHA-256 of the payload."""
        return canonical.sha256_hex(canonical.dumps(payload))


def playthrough(ruleset: Ruleset) -> list[Record]:
    """The payloads of a few rounds, always the same ones."""
    records = simulated_table("t1", signer=StandIn(), clock=SimulatedClock(), seed=f"golden/{ruleset.id}")
    records.engine = {"version": "0.0.0", "sha256": "60" * 32}  # so that a change of the code changes no page
    random = Random(f"golden/{ruleset.id}")  # noqa: S311
    payloads = []
    for _ in play(records, ruleset, random=random, count=ROUNDS, habits=HABITS):
        if records.last is not None:
            payloads.append(records.last)
    return payloads


def told(ruleset: Ruleset, payloads: Sequence[Record]) -> str:
    """The rounds as people read them."""
    out = StringIO()
    console = Console(file=out, width=WIDTH, color_system=None, highlight=False)
    published = {**ruleset.reference, "document": ruleset.document}
    for number, round_ in enumerate(rounds_in(payloads, published), start=1):
        if number > 1:
            console.print()
        console.rule(f"{number}")
        for part in narrate(round_):
            console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def files() -> dict[Path, str]:
    """What is to be written, by file."""
    written = {PINS: json.dumps(pins(), indent=2) + "\n"}
    for ruleset_id in published().ruleset_ids():
        ruleset = published().ruleset(ruleset_id)
        payloads, name = playthrough(ruleset), ruleset_id.replace("/", "-")
        written[FOLDER / f"{name}.txt"] = told(ruleset, payloads)
        lines = (canonical.dumps(payload).decode() + "\n" for payload in payloads)
        written[FOLDER / f"{name}.jsonl"] = "".join(lines)
    return written


def pins() -> dict[str, str]:
    """The hash of each published rule set."""
    return {ruleset_id: published().ruleset(ruleset_id).sha256 for ruleset_id in published().ruleset_ids()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path, text in files().items():
        path.write_text(text, "utf-8")
