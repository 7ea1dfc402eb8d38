"""Baccarat hands of a wrong number of cards by the public path, and voids of rounds that nobody opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cardroom.adapters import environment
from cardroom.audit.replay import Replay
from cardroom.audit.verify import verify_export
from cardroom.services.catalogue import published
from cardroom_desk.exports.write import exported
from tests.functional.caller import Answer, Caller, wager

BACCARAT = "california-baccarat/redding-1995"
ALONE = {"client_seed": None, "cut": None}  # what a physical table has not


def hands(**cards: str) -> dict[str, Any]:
    told = [{"seat": int(seat[1:]), "cards": text.split()} for seat, text in cards.items()]
    return {"hands": told, "dice": [1, 1, 1], "wagers": [wager("bob", 2), wager("cyd", 3)], **ALONE}


def open_(caller: Caller, round_id: str) -> Answer:
    """Ann, who sits at seat 1, banks from seat 5."""
    seats = [{"seat": seat, "bettor": name} for seat, name in enumerate(("ann", "bob", "cyd"), 1)]
    banker = {"seat": 5, "bettor": "ann"}
    return caller.open(round_id=round_id, ruleset=BACCARAT, source="table", banker=banker, seats=seats)


def test_a_hand_of_a_wrong_number_loses_and_two_are_a_misdeal(caller: Caller, data: Path) -> None:
    assert open_(caller, "r1").status == 201
    two = caller.deal("r1", **hands(s2="9s", s3="9s Kh Kd", s5="7s Ks"))
    assert (two.status, two.json["code"]) == (422, "misdealt")
    assert [error["field"] for error in two.json["errors"]] == ["hands[2].cards", "hands[3].cards"]
    dealt = caller.deal("r1", **hands(s2="9s", s3="3s Kd", s5="7s Ks"))
    assert dealt.status == 200, dealt.text
    sets = [{"seat": 3, "how": "house_way"}]
    settled = caller.settle("r1", sets=sets, drawn_cards=[{"seat": 3, "card": "5h"}])
    assert settled.status == 200, settled.text
    assert [(one["bettor"], one["result"], one["reason"]) for one in settled.payload["body"]["results"]] == [
        ("bob", "lose", "wrong_number_of_cards"),
        ("cyd", "win", "higher"),
    ]
    assert open_(caller, "r2").status == 201
    assert caller.deal("r2", **hands(s2="9s Kh", s3="3s Kd", s5="7s Ks")).status == 200
    drawn = [{"seat": 3, "card": "5h"}, {"seat": 3, "card": "2d"}]
    both = [{"seat": seat, "how": "house_way"} for seat in (2, 3)]
    late = caller.settle("r2", sets=both, drawn_cards=drawn, misplayed=[{"seat": 3, "how": "wrong_number"}])
    assert late.status == 200, late.text
    assert late.payload["body"]["sets"][1]["cards"] == ["3s", "Kd", "5h", "2d"]
    assert caller.void("r9", reason="players_wrong_number_of_cards").status == 200
    lines = [line.encode() for line in exported(environment.ledger(), "house-of-cards", table_id="t1", round_id=None)]
    known = published()
    report = verify_export(
        lines, environment.signer().roots(), rulesets=known.hashes, replay=Replay(known), shapes=known.shapes
    )
    assert report.ok and report.complete, report.findings


@pytest.mark.parametrize("reason", published().ruleset(BACCARAT).game.void_reasons)
def test_a_round_that_nobody_opened_is_voided_for_a_reason_of_its_game(caller: Caller, reason: str) -> None:
    voided = caller.void("never-opened", reason=reason)
    assert voided.status == 200, voided.text
    refused = caller.void("nor-this-one", reason="nonsense")
    assert (refused.status, refused.json["code"]) == (422, "void-reason-unknown")
