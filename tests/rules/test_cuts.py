"""Who cuts: pai gow poker §1.7, hi-hi-lo §4, baccarat §1, poker showdown §7; through the steps of rounds."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from cardroom.rounds.life import CutMissing
from cardroom.services.catalogue import published
from cardroom.shuffle import Cut
from cardroom.table import FieldNotUsed
from tests.audit import play
from tests.audit.play import BACCARAT, BICYCLE, HI_HI_LO, Room
from tests.audit.test_tampering import audit, only

Json = dict[str, Any]

NONE = [one for one in published().ruleset_ids() if published().ruleset(one).rules.cut is Cut.NONE]
SEED = "ab" * 16


def opened(ruleset: str) -> Room:
    """A room with an open shuffled round of two players, b1 the banker where there is one."""
    room, more = Room(ruleset), {}
    if ruleset == BACCARAT:
        room.open_shoe()
        more = {"shoe_id": room.state["shoe"]["shoe_id"]}
    if ruleset == HI_HI_LO:
        more = {"drawn_by_hand": True}
    room.open((1, 2), banker={"seat": 1, "bettor": "b1"}, **more)
    return room


def bets(ruleset: str) -> Json:
    kinds = ("high_one", "high_two", "low") if ruleset == HI_HI_LO else ("main",)
    return {"wagers": [play.wager(2, 100, kind) for kind in kinds], "banker_wager": 900, "client_seed": SEED}


def test_who_cuts_by_each_rule_set() -> None:
    assert {one: published().ruleset(one).rules.cut.value for one in published().ruleset_ids() if one not in NONE} == {
        "california-baccarat/redding-1995": "players",
        "hi-hi-lo/redding-1995": "players",
        "pai-gow-poker/bicycle": "house",
        "pai-gow-poker/southern-california-wild": "house",
        "poker-showdown/washington": "house",
    }


@pytest.mark.parametrize(("ruleset", "last"), [(HI_HI_LO, 52), (BACCARAT, 423)])
def test_hi_hi_lo_4_and_baccarat_1_players_must_cut(ruleset: str, last: int) -> None:
    room = opened(ruleset)
    with pytest.raises(CutMissing, match=f"cut: must be given: a player cuts the deck, at 1 to {last}"):
        room.deal(**bets(ruleset))
    dealt = room.deal(**bets(ruleset), cut=last)
    assert "cut" not in dealt["body"]


def test_pai_gow_poker_1_7_the_house_cuts_where_none_is_told() -> None:
    room, told = opened(BICYCLE), opened(BICYCLE)
    drawn = room.deal(**bets(BICYCLE))["body"]
    cut = drawn["cut"]
    assert 1 <= cut <= 52
    assert told.deal(**bets(BICYCLE), cut=cut)["body"]["hands"] == drawn["hands"]  # as if it had been told
    room.settle(sets=[{"seat": seat, "how": "house_way"} for seat in (1, 2)])
    assert audit(room).ok


@pytest.mark.parametrize("change", [lambda body: body.update(cut=body["cut"] % 52 + 1), lambda body: body.pop("cut")])
def test_pai_gow_poker_1_7_another_cut_than_the_seed_gives_is_found(change: Any) -> None:
    room = opened(BICYCLE)
    room.deal(**bets(BICYCLE))
    room.settle(sets=[{"seat": seat, "how": "house_way"} for seat in (1, 2)])
    payloads = deepcopy(room.payloads)
    change(payloads[1]["body"])
    room.resign(payloads)
    found = only(room)
    assert (found.code, found.seq, found.field) == ("cut-changed", 2, "body.cut")


@pytest.mark.parametrize("ruleset", [one for one in NONE if "push-nine" not in one])
def test_pai_gow_poker_1_7_where_none_is_named_none_is_taken(ruleset: str) -> None:
    room = opened(ruleset)
    with pytest.raises(FieldNotUsed, match=f"cut: must be left out: the rules of {ruleset} have no cut"):
        room.deal(**bets(ruleset), cut=20)
