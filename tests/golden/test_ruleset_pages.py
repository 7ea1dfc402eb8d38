"""The pages that a floor manager reads are those that the rule sets' files make."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from cardroom.services.catalogue import published
from tools import ruleset_pages

FIELDS = {
    name
    for one in published().ruleset_ids()
    for name in published().ruleset(one).document
    if name not in ("side_bets",)
}


def test_pages_are_as_their_files_make_them() -> None:
    expected = ruleset_pages.pages()
    assert {path.name for path in ruleset_pages.FOLDER.iterdir()} == {path.name for path in expected}
    for path, text in expected.items():
        assert path.read_text("utf-8") == text, f"{path.name}: run `python -m tools.ruleset_pages`"


def test_words_are_for_fields_that_there_are() -> None:
    assert ruleset_pages.WORDS.keys() - FIELDS == set()


def test_a_field_without_words_stops_the_page() -> None:
    ruleset = published().ruleset("push-nine/redding-1995")
    with pytest.raises(KeyError, match="colour"):
        ruleset_pages.render(replace(ruleset, document={**ruleset.document, "colour": "green"}))


@pytest.mark.parametrize("ruleset_id", published().ruleset_ids())
def test_decisions_are_marked(ruleset_id: str) -> None:
    page = ruleset_pages.render(published().ruleset(ruleset_id))
    rules, _, decided = page.partition("## What the sheet decides")
    assert decided.count("**Decision**") >= 4
    assert "a decision" not in rules
    assert re.search(r"^\| .+ \| .+ \| .* \| \d", rules, re.MULTILINE)


def test_adding_a_game_names_files_that_are_there() -> None:
    text = (ruleset_pages.DOCS / "adding-a-game.md").read_text("utf-8")
    named = [
        name for name in re.findall(r"`([\w./-]+\.(?:py|md|toml|json))`", text) if "/" in name and "FAMILY" not in name
    ]
    assert len(named) >= 15
    assert [name for name in named if not (ruleset_pages.DOCS.parent / name).is_file()] == []


def test_adding_a_game_tells_how_long_files_are() -> None:
    """To a fifth or five lines: so much may change before somebody counts again."""
    text = (ruleset_pages.DOCS / "adding-a-game.md").read_text("utf-8")
    told = re.findall(r"^\| [^|]+ \| (`[^|]+`) \| (\d+) \|$", text, re.MULTILINE)
    assert len(told) >= 10
    for cell, lines in told:
        names = re.findall(r"`([^`]+)`", cell)
        there = sum(len((ruleset_pages.DOCS.parent / name).read_text("utf-8").splitlines()) for name in names)
        if not names[0].endswith(("catalogue.py", "moves.py")):  # of these a line or two are the game's
            assert abs(there - int(lines)) <= max(5, there // 5), f"{cell} has {there} lines, not {lines}"
