"""Some rounds of every game against the second models; `python -m tests.models` plays as many as one likes."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.models.__main__ import GAMES, played

MODELS = Path(__file__).parent
DRIVERS = {"__main__.py", "drive.py", "test_models.py"}  # which play by the package, and hold it against the models

# What a run must have met to say something of it.
MET = {
    "california-baccarat": {
        "a correction",
        "a free collection used",
        "misplayed",
        "no_action",
        "wrong_number_of_cards",
    },
    "hi-hi-lo": {"a correction", "ace_tie_to_banker", "tie", "tie_to_player"},
    "pai-gow-poker": {"a correction", "a free collection used", "envy", "foul", "line_pays_from_meter", "no_action"},
    "poker-showdown": {"dead_hand_ante_returned", "others_folded", "tied_high"},
    "push-nine": {"absent", "others_folded", "tied"},
}


@pytest.mark.parametrize("game", GAMES)
def test_random_rounds_are_settled_as_the_second_model_settles_them(game: str) -> None:
    """Moving players, a second game at many tables, courtesies that wait and wrong counts included."""
    rounds, met, difference = played((game, 500, 20_261_201))
    assert difference == ""
    assert rounds[game] >= 500
    assert {what for of, what in met if of == game} >= MET[game] | {"a void"}


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.py")), ids=lambda path: path.name)
def test_a_second_model_imports_nothing_that_it_is_held_against(path: Path) -> None:
    """The standard library, and one another."""
    imported: Counter[str] = Counter()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported.update(one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported[node.module or "."] += 1
    own = {f"tests.models.{one.stem}" for one in MODELS.glob("*.py") if one.name not in DRIVERS}
    others = {name for name in imported if name.split(".")[0] not in sys.stdlib_module_names and name not in own}
    assert bool(others) == (path.name in DRIVERS), others
