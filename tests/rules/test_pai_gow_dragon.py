"""Pai gow sheet §8.3, §8.4, §9: dragon hands, and banks shared with the house."""

from __future__ import annotations

from typing import Any

import pytest

from cardroom.banked.bets import BankerWagerNotWanted, StakesTooLarge, WagerOutsideLimits
from cardroom.banked.cover import WagersExceedBanker
from cardroom.banked.settlement import share_of
from cardroom.games.pai_gow_poker import deal, dragon, sets
from cardroom.games.pai_gow_poker.game import GAME
from cardroom.money import MAX_MINOR
from cardroom.refusals import Refusal
from cardroom.table import FieldNotUsed, WagerDuplicate
from tests.rules.pai_gow_round import (
    BI,
    CASINO,
    CC,
    CO_BANKED,
    FL,
    NEW_TABLE,
    by_wager,
    net_of,
    opening,
    physical,
    rules,
    wager,
)

Json = dict[str, Any]


def dragon_bet(amount: int = 100, *, seat: int = 5, bettor: str = "b1", wager_id: str = "d") -> Json:
    return {"wager_id": wager_id, "seat": seat, "bettor": bettor, "amount": amount}


def played(asked: Any, *, ruleset: str = CASINO, **changes: Any) -> tuple[Json, Json]:
    """Seats 1, 2 and 4 play, 4 banks; the action at 6, counter-clockwise, so that 5 is the first vacant seat but 6."""
    given: Json = {
        "hands": {1: "P1", 2: "L1", 6: "L2"},
        "wagers": [wager("w1", 1, 100), wager("w2", 2, 60), wager("w6", 6, 10)],
        "banker": 4,
        "action_seat": 6,
        "banker_wager": 1_000,
        "vacant": {5: "W2", 3: "W1"},
        "dragon": asked,
    }
    return physical(rules(ruleset), **given | changes)


# §9


def test_9_a_vacant_seats_pile_is_played_in_its_seats_order_by_the_house_way() -> None:
    dealt, settled = played(dragon_bet())
    assert dealt["action_order"] == [6, 2, 1]
    assert [result["wager_id"] for result in settled["results"]] == ["w6", "d", "w2", "w1"]
    shown = next(chosen for chosen in settled["sets"] if chosen["seat"] == 5)
    assert (shown["how"], shown["front"], shown["foul"]) == ("house_way", ["Ah", "Jd"], False)
    assert by_wager(settled)["d"] == {
        "wager_id": "d",
        "seat": 5,
        "bettor": "b1",
        "circle": 1,
        "kind": "dragon",
        "amount": 100,
        "result": "win",
        "paid": 100,
        "collected": 0,
        "returned": 100,
        "commission": 5,
        "reason": "both_higher",
        "rule": "pai-gow-poker §5.2",
        "front": "higher",
        "back": "higher",
    }
    assert net_of(settled) == {"bettor:b1": 95, "bettor:b2": -60, "bettor:b4": -30, "bettor:b6": -10, "house": 5}


def test_9_it_may_lose_too_and_against_the_house() -> None:
    _, settled = played(dragon_bet(), vacant={5: "W1", 3: "W2"}, banker="house", banker_wager=None)
    assert by_wager(settled)["d"]["result"] == "win"
    _, settled = played(dragon_bet(60), hands={1: "W1", 2: "W2", 6: "P1"}, vacant={5: "L1"})
    assert (by_wager(settled)["d"]["collected"], net_of(settled)["bettor:b1"]) == (60, 95 - 60)


def test_9_without_one_nothing_changes() -> None:
    _, settled = played(None)
    assert [result["wager_id"] for result in settled["results"]] == ["w6", "w2", "w1"]
    assert [chosen["seat"] for chosen in settled["sets"]] == [1, 2, 4, 6]


def test_9_the_first_vacant_seat_goes_by_the_order_of_action() -> None:
    _, settled = played(dragon_bet(seat=3), action_seat=4)
    assert [result["wager_id"] for result in settled["results"]] == ["d", "w2", "w1", "w6"]


def test_9_full_coverage_counts_it() -> None:
    _, settled = played(dragon_bet(), banker_wager=270)
    assert by_wager(settled)["d"]["paid"] == 100
    message = "the main wagers are 270 together, more than the banker's wager of 269"
    with pytest.raises(WagersExceedBanker, match=message):
        played(dragon_bet(), banker_wager=269)


def test_9_a_coverage_that_runs_out_leaves_it_without_action_and_earns_nothing() -> None:
    on = rules(CASINO, coverage="action", free_collection="next_hand")
    _, settled = physical(
        on,
        hands={1: "W1", 6: "L2"},
        wagers=[wager("w1", 1, 100), wager("w6", 6, 20)],
        banker=4,
        action_seat=6,
        banker_wager=20,
        vacant={5: "W2"},
        dragon=dragon_bet(),
    )
    results = by_wager(settled)
    assert (results["d"]["result"], results["d"]["returned"]) == ("no_action", 100)
    assert "free_collection" not in results["d"]
    assert results["w1"]["free_collection"] is True


LIMITS = {"limits": {"minimum": 10, "maximum": 500}}


@pytest.mark.parametrize(
    ("asked", "changes", "refusal", "field", "message"),
    [
        (
            dragon_bet(101),
            {},
            dragon.DragonAmountInvalid,
            "dragon.amount",
            "must be 1 to 100, b1's own main wager, not",
        ),
        (dragon_bet(9), LIMITS, dragon.DragonAmountInvalid, "dragon.amount", "must be 10 to 100, b1's own main wager"),
        ([dragon_bet(), dragon_bet()], {}, dragon.DragonTwice, "dragon", "must be one: 2 were asked for"),
        (dragon_bet(seat=3), {}, dragon.DragonSeatInvalid, "dragon.seat", "must be 5, the first vacant seat in action"),
        (dragon_bet(seat=2), {}, dragon.DragonSeatInvalid, "dragon.seat", "must be 5, the first vacant seat in action"),
        (dragon_bet(seat=7), {}, dragon.DragonSeatInvalid, "dragon.seat", "must be 5, the first vacant seat in action"),
        (
            dragon_bet(),
            {"hands": {1: "P1", 2: "L1", 3: "W1", 5: "W2", 6: "L2"}, "vacant": {}},
            dragon.DragonSeatInvalid,
            "dragon.seat",
            "no seat is vacant, not 5",
        ),
        (dragon_bet(bettor="b9"), {}, dragon.DragonBettorInvalid, "dragon.bettor", "b9 has no main wager on circle 1"),
        (dragon_bet(bettor="b4"), {}, dragon.DragonBettorInvalid, "dragon.bettor", "b4 has no main wager on circle 1"),
        (
            dragon_bet(10, bettor="x"),
            {"wagers": [wager("w1", 1), wager("w2", 2), wager("w6", 6), wager("x1", 6, circle=2, bettor="x")]},
            dragon.DragonBettorInvalid,
            "dragon.bettor",
            "x has no main wager on circle 1",
        ),
        (
            dragon_bet(),
            {"vacant": {3: "W1"}},
            dragon.DragonCardsMissing,
            "dragon.seat",
            "nobody told the cards of seat 5",
        ),
        (dragon_bet(wager_id="w2"), {}, WagerDuplicate, "dragon.wager_id", "must not be a wager of the deal: w2 is"),
        (
            dragon_bet(),
            {"sets": {5: "Ah Jd"}},
            sets.HouseWayRequired,
            "sets[5].how",
            f"must be house_way: {CASINO} lets nobody set this hand otherwise",
        ),
    ],
)
def test_9_each_misuse_is_refused_by_its_name(
    asked: Any, changes: Json, refusal: type[Refusal], field: str, message: str
) -> None:
    with pytest.raises(refusal) as refused:
        played(asked, **changes)
    assert [fault.field for fault in refused.value.faults] == [field]
    assert message in refused.value.faults[0].message


@pytest.mark.parametrize("ruleset", [BI, FL, CC])
def test_9_card_rooms_have_none(ruleset: str) -> None:
    on = rules(ruleset, banker_minimum_minor=0)
    seats: Json = {"hands": {1: "P1"}, "wagers": [wager("w1", 1)], "banker": 4, "action_seat": 1}
    with pytest.raises(dragon.DragonNotOffered, match=f"dragon: must be left out: {ruleset} has no dragon hand"):
        physical(on, **seats, dragon=dragon_bet())


def test_9_it_may_not_make_more_than_an_amount_can_say() -> None:
    huge = MAX_MINOR // 2
    with pytest.raises(StakesTooLarge, match=f"must be at most {MAX_MINOR}"):
        played(
            dragon_bet(huge, bettor="b1"),
            wagers=[wager("w1", 1, huge), wager("w6", 6, 10)],
            hands={1: "P1", 6: "L2"},
            banker="house",
            banker_wager=None,
        )


# §8.3, §8.4


def shared(*, share: int | None = None, hands: dict[int, str] | None = None, **more: Any) -> Json:
    """Seat 4 banks with the house: he wins 500 and 31 and pays 90."""
    wagers = [wager("w1", 1, 90), wager("w2", 2, 500), wager("w3", 3, 31)]
    _, settled = physical(
        rules(CO_BANKED),
        hands=hands or {1: "W1", 2: "L1", 3: "L2"},
        wagers=wagers,
        banker=4,
        action_seat=1,
        banker_wager=1_000,
        share=share,
        **more,
    )
    return settled


@pytest.mark.parametrize(
    ("share", "banker", "charge"), [(None, 220, 11), (5_000, 220, 11), (2_500, 110, 6), (3_333, 146, 7), (1, 0, 0)]
)
def test_8_4_the_banks_net_is_shared_rounded_toward_zero(share: int | None, banker: int, charge: int) -> None:
    settled = shared(share=share)
    assert settled["banker"]["net"] == 441
    assert settled["banker"]["co_bank"] == {"share_bps": share or 5_000, "banker": banker, "house": 441 - banker}
    assert settled["banker"]["commission"] == charge
    assert net_of(settled)["bettor:b4"] == banker - charge
    assert net_of(settled)["house"] == 441 - banker + charge + 5  # 5 of b1's win of 90
    part = {"from": "bettor:b4", "to": "house", "amount": 441 - banker, "why": "co_bank"}
    assert part in settled["postings"]
    assert sum(net_of(settled).values()) == 0


def test_8_4_of_a_loss_the_house_bears_its_part_and_there_is_no_commission() -> None:
    settled = shared(hands={1: "W1", 2: "W2", 3: "L2"})
    assert settled["banker"]["co_bank"] == {"share_bps": 5_000, "banker": -279, "house": -280}
    assert settled["banker"]["commission"] == 0
    assert {"from": "house", "to": "bettor:b4", "amount": 280, "why": "co_bank"} in settled["postings"]
    assert net_of(settled)["bettor:b4"] == -279


def test_8_4_a_share_is_rounded_toward_zero_on_both_sides() -> None:
    assert [share_of(net, 5_000) for net in (3, 1, 0, -1, -3)] == [1, 0, 0, 0, -1]


def test_8_4_a_co_banked_hand_set_by_hand_is_refused() -> None:
    with pytest.raises(sets.CoBankedByHand) as refused:
        shared(sets={4: "Ks Qd"})
    assert refused.value.faults[0].field == "sets[4].how"
    assert "must be house_way: he who banks with the house sets his hand by it" in refused.value.message


@pytest.mark.parametrize("share", [0, 10_000])
def test_8_3_a_share_of_nothing_or_of_all_is_refused(share: int) -> None:
    with pytest.raises(deal.CoBankShareInvalid, match=f"banker.co_bank_bps: must be 1 to 9999, not {share}"):
        shared(share=share)


@pytest.mark.parametrize("ruleset", [BI, CASINO])
def test_8_3_a_share_where_banks_are_not_shared_is_refused(ruleset: str) -> None:
    opened = opening(banker=4, seated=range(1, 7))
    opened["banker"]["co_bank_bps"] = 5_000
    with pytest.raises(FieldNotUsed, match=r"banker.co_bank_bps: must be left out"):
        GAME.check_open(rules(ruleset), opened, NEW_TABLE)


def test_8_3_the_house_may_still_bank_alone() -> None:
    on = rules(CO_BANKED)
    seats: Json = {"hands": {1: "W1"}, "wagers": [wager("w1", 1, 100)], "banker": "house", "action_seat": 1}
    _, settled = physical(on, **seats, banker_wager=None)
    assert "co_bank" not in settled["banker"]
    assert net_of(settled) == {"bettor:b1": 95, "house": -95}
    with pytest.raises(BankerWagerNotWanted, match="banker_wager: must be left out: the house banks without a limit"):
        physical(on, **seats, banker_wager=100)


def test_8_0_the_limits_are_those_of_main_wagers_on_shared_banks_too() -> None:
    with pytest.raises(WagerOutsideLimits, match=r"wagers\[w3\].amount: must be 50 to 500, not 31"):
        shared(limits={"minimum": 50, "maximum": 500})
