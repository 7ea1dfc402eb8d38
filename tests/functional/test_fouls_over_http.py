"""Every fact about fouls by the public path: a player sets the front, the settlement says whether that is foul."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cardroom.cards import deck, format_cards
from tests.functional.caller import Caller, wager

FACTS = json.loads((Path(__file__).parents[2] / "vectors" / "hands" / "foul.json").read_text("utf-8"))["cases"]


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: f"{fact['front']} before {fact['back']}")
def test_foul(caller: Caller, fact: dict[str, Any]) -> None:
    front, back = fact["front"].split(), fact["back"].split()
    banker = [card for card in format_cards(deck(0)) if card not in front + back][:7]
    request = {
        "ruleset": "pai-gow-poker/bicycle",
        "seats": [{"seat": 1, "bettor": "ann"}, {"seat": 2, "bettor": "bob"}],
        "banker": {"seat": 1, "bettor": "ann"},
        "wagers": [wager("bob", 2)],
        "banker_wager": 5_000,
        "dice": [1, 1, 1],
        "hands": [{"seat": 1, "cards": banker}, {"seat": 2, "cards": front + back}],
        "sets": [{"seat": 1, "how": "house_way"}, {"seat": 2, "how": "front", "front": front}],
    }
    answer = caller.post("/v1/settlements/preview", request)
    assert answer.status == 200, answer.text
    settled = answer.json["settled"]
    assert [chosen["foul"] for chosen in settled["sets"]] == [False, fact["foul"]]
    if fact["foul"]:
        assert (settled["results"][0]["result"], settled["results"][0]["reason"]) == ("lose", "foul")
