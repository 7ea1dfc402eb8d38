"""Who is asked to bank (pai gow poker §8.2, hi-hi-lo §3), and what an audit lists of it, over the steps of rounds."""

from __future__ import annotations

from typing import Any

import pytest

from cardroom.banked.opening import BankerTurnOver
from cardroom.banked.rotation import FirstBankerNotDrawn, OffersWrong
from cardroom.refusals import Refusal
from cardroom.services.catalogue import published
from cardroom.table import FieldNotUsed
from tests import kit
from tests.audit.play import BACCARAT, BICYCLE, CASINO, CONTRA_COSTA, FLORIDA, HI_HI_LO, Room
from tests.audit.test_tampering import audit

Json = dict[str, Any]


def opens(ruleset: str, banker: int, offers: str = "", *, last: Json | None = None, **more: Any) -> None:
    """Open a round of seats 2, 4 and 5; `offers` as "4 pass, 5 bank"; `last` is who banked the hand before."""
    said = [{"seat": int(one.split()[0]), "answer": one.split()[1]} for one in offers.split(", ") if one]
    bank = {"seat": banker, "bettor": f"b{banker}"} | ({"others_passed": True} if more.pop("passed", False) else {})
    request = {
        "table_id": "t1",
        "ruleset": ruleset,
        "currency": "USD",
        "source": "table",
        "seats": [{"seat": seat, "bettor": f"b{seat}"} for seat in (2, 4, 5)],
        "banker": bank,
        **({"offers": said} if said else {}),
        **more,
    }
    kit.Table(published().ruleset(ruleset), banker=last).call("opened", "r1", request)


def banked(bettor: str, seat: int, turns: int, game: str = "pai-gow-poker") -> Json:
    return {"bettor": bettor, "seat": seat, "game": game, "turns": turns}


@pytest.mark.parametrize(
    ("ruleset", "banker", "offers", "last"),
    [
        (BICYCLE, 2, "2 bank", None),  # a new game starts at seat 1, and goes on clockwise
        (BICYCLE, 5, "2 pass, 4 pass, 5 bank", None),
        (BICYCLE, 4, "4 bank", banked("b4", 4, 1)),  # his second hand
        (BICYCLE, 5, "4 pass, 5 bank", banked("b4", 4, 1)),  # who passes that option
        (BICYCLE, 5, "5 bank", banked("b4", 4, 2)),
        (BICYCLE, 2, "5 pass, 2 bank", banked("b4", 4, 2)),
        (BICYCLE, 5, "5 bank", banked("b5", 4, 1)),  # who moved seats is asked where he is now
        (BICYCLE, 4, "4 bank", banked("gone", 3, 1)),
        (BICYCLE, 2, "2 bank", banked("b5", 4, 2)),  # who has had his turns comes last also where he sits now
        (BICYCLE, 4, "2 pass, 4 bank", banked("b5", 4, 2)),
        (FLORIDA, 5, "5 bank", banked("b4", 4, 1)),  # the button moves every hand
        (CONTRA_COSTA, 4, "4 bank", None),  # anyone may be the first
        (CONTRA_COSTA, 2, "5 pass, 2 bank", None),
        (BACCARAT, 2, "5 pass, 2 bank", banked("b4", 4, 2, "california-baccarat")),
    ],
)
def test_8_2_offers_go_round_the_table(ruleset: str, banker: int, offers: str, last: Json | None) -> None:
    opens(ruleset, banker, offers, last=last)


def test_8_2_when_all_others_pass_a_new_turn_begins() -> None:
    opens(BICYCLE, 4, "5 pass, 2 pass, 4 bank", last=banked("b4", 4, 2), passed=True)
    with pytest.raises(BankerTurnOver):
        opens(BICYCLE, 4, "5 pass, 2 pass, 4 bank", last=banked("b4", 4, 2))


@pytest.mark.parametrize(
    ("ruleset", "banker", "offers", "last", "due"),
    [
        (BICYCLE, 4, "4 bank", None, "2 pass, 4 bank"),
        (BICYCLE, 4, "4 bank", banked("b4", 4, 1, "california-baccarat"), "2 pass, 4 bank"),  # of another game
        (BICYCLE, 2, "2 bank", banked("b4", 4, 2), "5 pass, 2 bank"),
        (BICYCLE, 2, "4 pass, 2 bank", banked("b4", 4, 1), "4 pass, 5 pass, 2 bank"),
        (BICYCLE, 5, "5 bank", banked("b4", 4, 1), "4 pass, 5 bank"),
        (BICYCLE, 5, "5 pass", banked("b4", 4, 2), "5 bank"),
        (BICYCLE, 5, "5 bank, 2 pass", banked("b4", 4, 2), "5 bank"),
        (BICYCLE, 2, "5 bank, 2 bank", banked("b4", 4, 2), "5 pass, 2 bank"),
        (CONTRA_COSTA, 4, "7 pass, 4 bank", None, "begun with a player's seat"),
    ],
)
def test_8_2_other_offers_are_refused(ruleset: str, banker: int, offers: str, last: Json | None, due: str) -> None:
    with pytest.raises(OffersWrong) as refused:
        opens(ruleset, banker, offers, last=last)
    assert refused.value.message == f"offers: must be {due}: the option to bank goes clockwise"


def test_8_2_others_passed_tells_that_each_of_them_was_asked() -> None:
    with pytest.raises(OffersWrong, match="must be 2 pass, 5 pass, 4 bank"):
        opens(BICYCLE, 4, "2 pass, 4 bank", passed=True)


def test_8_2_where_no_way_is_named_no_offers_are_taken() -> None:
    with pytest.raises(FieldNotUsed, match="offers: must be left out: pai-gow-poker/casino does not say how"):
        opens(CASINO, 4, "4 bank")


@pytest.mark.parametrize(
    ("more", "refusal", "message"),
    [
        ({}, FirstBankerNotDrawn, "draw_id: must name the draw for the table's first banker; or drawn_by_hand be true"),
        ({"drawn_by_hand": True}, None, ""),
        ({"drawn_by_hand": True, "last": banked("b4", 4, 1, "hi-hi-lo")}, FieldNotUsed, "no draw is due"),
        ({"last": banked("b4", 4, 1, "hi-hi-lo")}, None, ""),
        ({"last": banked("b4", 4, 1)}, FirstBankerNotDrawn, "draw_id: must name the draw"),  # of another game
    ],
)
def test_hi_hi_lo_3_the_first_banker_is_drawn_for(more: Json, refusal: type[Refusal] | None, message: str) -> None:
    if refusal is None:
        opens(HI_HI_LO, 4, **more)
        return
    with pytest.raises(refusal, match=message):
        opens(HI_HI_LO, 4, **more)


def test_hi_hi_lo_3_who_won_the_draw_has_the_option() -> None:
    """He passes, the next one takes it: the offers begin with him."""
    room = Room(HI_HI_LO)
    won = room.draw("first_banker", (2, 4, 5), client_seed="ab" * 16)["body"]["seat"]
    following = {2: 4, 4: 5, 5: 2}[won]
    asked = [{"seat": won, "answer": "pass"}, {"seat": following, "answer": "bank"}]
    bank = {"seat": following, "bettor": f"b{following}"}
    draw_id = room.state["draw"]["draw_id"]
    with pytest.raises(OffersWrong, match=f"must be {won} pass, {following} bank"):
        room.open((2, 4, 5), banker=bank, draw_id=draw_id, offers=asked[1:])
    room.open((2, 4, 5), banker=bank, draw_id=draw_id, offers=asked)


def test_a_draw_and_a_draw_by_hand_are_two_words_for_one_thing() -> None:
    room = Room(HI_HI_LO)
    won = room.draw("first_banker", (2, 4, 5), client_seed="ab" * 16)["body"]["seat"]
    bank = {"seat": won, "bettor": f"b{won}"}
    with pytest.raises(FieldNotUsed, match="drawn_by_hand: must be left out: draw_id names the draw"):
        room.open((2, 4, 5), banker=bank, draw_id=room.state["draw"]["draw_id"], drawn_by_hand=True)


# What an audit lists


def play(room: Room, banker: int, **more: Any) -> None:
    """Settle a hand of seats 1, 2 and 3."""
    passed = {"others_passed": True} if more.pop("passed", False) else {}
    room.open((1, 2, 3), banker={"seat": banker, "bettor": f"b{banker}", **passed}, **more)
    other = banker % 3 + 1
    wager = {"wager_id": "w", "seat": other, "bettor": f"b{other}", "circle": 1, "kind": "main", "amount": 100}
    room.deal(wagers=[wager], banker_wager=100, client_seed="ab" * 16)
    room.settle(sets=[{"seat": seat, "how": "house_way"} for seat in sorted((banker, other))])


def banking(room: Room) -> list[Json]:
    report = audit(room)
    assert report.ok, report.findings
    listed: list[Json] = report.document["listed"]["banking"]
    return listed


def seen(**counts: Any) -> Json:
    none = {"bettor": None, "not_offered": 0, "out_of_turn": 0, "drawn_by_hand": 0}
    return {"operator": "op", "table_id": "t1", **none, **counts}


def test_the_audit_lists_nothing_where_the_bank_goes_round() -> None:
    room = Room(BICYCLE)
    for banker in (1, 1, 2, 2, 3):
        play(room, banker)
    play(room, 2, offers=[{"seat": 3, "answer": "pass"}, {"seat": 1, "answer": "pass"}, {"seat": 2, "answer": "bank"}])
    assert banking(room) == []


def test_the_audit_lists_banks_out_of_turn_and_those_that_were_not_offered() -> None:
    room = Room(BICYCLE)
    play(room, 2)  # seat 1 was first
    play(room, 2)
    play(room, 2, passed=True)  # who was asked?
    play(room, 1)  # seat 2 has one more
    assert banking(room) == [seen(hands=4, not_offered=1, out_of_turn=2)]


def test_the_audit_lists_a_table_where_one_bettor_banked_throughout() -> None:
    room = Room(BICYCLE)
    for _ in range(2):
        play(room, 1)
    assert banking(room) == [seen(hands=2, bettor="b1")]


def test_the_audit_lists_a_first_banker_whom_the_floor_drew() -> None:
    room = Room(HI_HI_LO)
    for _ in range(8):
        room.play()
    (one,) = banking(room)
    assert one["drawn_by_hand"] == 1
