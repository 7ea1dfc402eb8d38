"""Every published rule set has its playthrough, word by word and byte by byte; and its hash, for ever."""

from __future__ import annotations

import json

import pytest

from cardroom import canonical
from cardroom.services.catalogue import published
from tools import golden

RULESETS = pytest.mark.parametrize("ruleset_id", published().ruleset_ids())


def name_of(ruleset_id: str) -> str:
    return ruleset_id.replace("/", "-")


def test_there_is_a_playthrough_of_each_and_no_other() -> None:
    expected = {f"{name_of(one)}{end}" for one in published().ruleset_ids() for end in (".txt", ".jsonl")}
    assert {path.name for path in golden.FOLDER.iterdir()} == expected, "run `python -m tools.golden`"


@RULESETS
def test_playthrough(ruleset_id: str) -> None:
    """A difference is meant, or a fault: if it is meant, `python -m tools.golden` writes the new one."""
    ruleset = published().ruleset(ruleset_id)
    payloads = golden.playthrough(ruleset)
    written = (golden.FOLDER / f"{name_of(ruleset_id)}.jsonl").read_bytes().splitlines()
    for payload, line in zip(payloads, written, strict=True):
        assert payload == canonical.loads_canonical(line)
    assert golden.told(ruleset, payloads) == (golden.FOLDER / f"{name_of(ruleset_id)}.txt").read_text("utf-8")


def test_no_published_rule_set_has_changed() -> None:
    """Records name a rule set by its hash: what is published stays, another version gets another name."""
    pinned = json.loads(golden.PINS.read_text("utf-8"))
    now = golden.pins()
    assert [one for one in pinned if now.get(one) != pinned[one]] == []
    assert now == pinned, "a new rule set: run `python -m tools.golden`"


def test_the_playthroughs_show_hands_in_their_order_and_misread_cards() -> None:
    """A round whose hands are locked, a dragon hand among them; a correction before a settlement, and one after."""
    lines = [line for path in golden.FOLDER.glob("*.jsonl") for line in path.read_bytes().splitlines()]
    payloads = [canonical.loads_canonical(line) for line in lines]
    assert {"set", "deal_corrected", "corrected"} <= {payload["kind"] for payload in payloads}
    assert any(payload["kind"] == "set" and "dragon" in payload["request"] for payload in payloads)
