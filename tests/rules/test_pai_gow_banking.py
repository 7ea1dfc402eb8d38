"""Pai gow sheet §6 to §8.2: order, the banker's wager, fees, free collections, turns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cardroom.banked.cover import Claim, Coverage, WagersExceedBanker, check_full_cover, settle_claims
from cardroom.banked.opening import BankerTurnOver
from cardroom.fees import FeesInvalid, fee_bands, fee_for
from cardroom.games.pai_gow_poker.game import GAME
from cardroom.seats import Direction, walk_among
from cardroom.table import Outcome, Wager
from tests.rules.pai_gow_round import BI, CASINO, CC, FL, NEW_TABLE, by_wager, net_of, opening, physical, rules, wager

_FILE = json.loads((Path(__file__).parents[2] / "vectors/settlement/coverage.json").read_text("utf-8"))


def claims_of(wagers: list[list[Any]]) -> list[Claim]:
    return [
        Claim(Wager(name, seat, name, 1, None, "main", amount), Outcome(outcome), amount)
        for seat, (name, amount, outcome) in enumerate(wagers, start=1)
    ]


@pytest.mark.parametrize("case", _FILE["cases"], ids=lambda case: f"{case['coverage']}: {case['name']}")
def test_6_2_coverage_vectors(case: dict[str, Any]) -> None:
    claims = claims_of(case["wagers"])
    if "refused" in case:
        with pytest.raises(WagersExceedBanker) as refused:
            check_full_cover([claim.wager for claim in claims], case["banker"])
        assert refused.value.message == case["refused"]
        assert refused.value.faults == (("banker_wager", f"must be at least {sum(w[1] for w in case['wagers'])}"),)
        return
    banked = settle_claims(claims, coverage=Coverage(case["coverage"]), banker_wager_minor=case["banker"])
    assert [[m.outcome, m.paid_minor, m.collected_minor, m.returned_minor] for m in banked.moves] == case["expect"]
    assert (banked.net_minor, banked.used_minor) == (case["net"], case["used"])


A_WINS_B_C_LOSE = {1: "W1", 2: "L1", 3: "L2"}


@pytest.mark.parametrize(
    ("ruleset", "changes", "net"),
    [(BI, {}, -20_00), (CC, {}, 60_00), (BI, {"coverage": "one_sided"}, 40_00)],
)
def test_6_2_first_example_with_cards(ruleset: str, changes: dict[str, Any], net: int) -> None:
    wagers = [wager(f"w{seat}", seat, 60_00) for seat in (1, 2, 3)]
    on = rules(ruleset, **changes)
    _, settled = physical(on, hands=A_WINS_B_C_LOSE, wagers=wagers, banker=4, action_seat=1, banker_wager=100_00)
    assert [result["wager_id"] for result in settled["results"]] == ["w1", "w2", "w3"]
    assert settled["banker"]["net"] == net_of(settled)["bettor:b4"] == net


def test_6_2_first_example_is_refused_where_the_banker_must_cover_all() -> None:
    wagers = [wager(f"w{seat}", seat, 60_00) for seat in (1, 2, 3)]
    with pytest.raises(WagersExceedBanker, match="are 18000 together, more than the banker's wager of 10000"):
        physical(rules(CASINO), hands=A_WINS_B_C_LOSE, wagers=wagers, banker=4, action_seat=1, banker_wager=100_00)


def test_6_2_the_house_banks_without_a_limit() -> None:
    _, settled = physical(
        rules(CASINO),
        hands={1: "W1", 2: "W2"},
        wagers=[wager("w1", 1, 10**9), wager("w2", 2, 10**9)],
        banker="house",
        action_seat=1,
        banker_wager=None,
    )
    assert [result["paid"] for result in settled["results"]] == [10**9, 10**9]
    assert settled["banker"] == {
        "seat": 7,
        "coverage": "full",
        "used": 2 * 10**9,
        "net": -2 * 10**9,
        "commission": 0,
    }


def test_6_1_hands_go_from_the_action_seat_in_the_settling_direction() -> None:
    places = (1, 2, 3, 4, 5, 6, 7)
    assert walk_among(places, 6, Direction.CLOCKWISE, among=[1, 2, 6]) == (6, 1, 2)
    assert walk_among(places, 6, Direction.COUNTER_CLOCKWISE, among=[1, 2, 6]) == (6, 2, 1)
    assert walk_among(places, 4, Direction.COUNTER_CLOCKWISE, among=[6, 5]) == (6, 5)


@pytest.mark.parametrize(("ruleset", "order"), [(BI, [5, 1, 3]), (CC, [5, 1, 3]), (CASINO, [3, 1, 5])])
def test_6_1_banker_and_wagerless_seats_are_skipped(ruleset: str, order: list[int]) -> None:
    wagers = [wager(f"w{seat}", seat, 20) for seat in (1, 3, 5)]
    hands = {1: "W1", 2: "W2", 3: "W3", 5: "L1"}
    dealt, _ = physical(rules(ruleset), hands=hands, wagers=wagers, banker=4, action_seat=4)
    assert dealt["action_order"] == order


def test_6_1_the_settling_direction_is_a_field_of_its_own() -> None:
    wagers = [wager(f"w{seat}", seat, 20) for seat in (1, 2, 3)]
    on = rules(BI, settle_direction="counter_clockwise")
    dealt, _ = physical(on, hands={1: "W1", 2: "W2", 3: "W3"}, wagers=wagers, banker=4, action_seat=1)
    assert dealt["action_order"] == [1, 3, 2]
    assert [hand["pile"] for hand in dealt["hands"]] == [1, 2, 3, 4]


def test_6_1_on_one_hand_by_circle() -> None:
    wagers = [wager("w9", 1, 60), wager("w1", 1, 60, circle=3, bettor="x"), wager("w5", 1, 60, circle=2, bettor="y")]
    _, settled = physical(rules(BI, say="seated"), hands={1: "W1"}, wagers=wagers, banker=4, action_seat=1)
    assert [(r["wager_id"], r["paid"]) for r in settled["results"]] == [("w9", 60), ("w5", 40), ("w1", 0)]


def test_6_1_on_one_hand_in_the_order_placed() -> None:
    wagers = [wager("w1", 1, 60, placed=3), wager("w2", 1, 60, circle=9, bettor="x", placed=1)]
    wagers.append(wager("w3", 1, 60, circle=2, bettor="y", placed=2))
    _, settled = physical(rules(CC), hands={1: "W1"}, wagers=wagers, banker=4, action_seat=1)
    assert [(r["wager_id"], r["paid"]) for r in settled["results"]] == [("w2", 60), ("w3", 40), ("w1", 0)]


def test_6_4_no_action_earns_a_free_collection_at_the_bicycle_only() -> None:
    wagers = [wager("w1", 1, 100), wager("w2", 2, 50)]
    for ruleset, earned in ((BI, True), (CC, False)):
        on = rules(ruleset)
        _, settled = physical(on, hands={1: "W1", 2: "P1"}, wagers=wagers, banker=4, action_seat=1)
        late = by_wager(settled)["w2"]
        assert (late["result"], late["returned"], late["reason"]) == ("no_action", 50, "no_action")
        assert late["rule"] == "pai-gow-poker §6.4"
        assert late.get("free_collection", False) is earned
        after = GAME.after_settle(on, opening(banker=4), settled, "r1", NEW_TABLE)
        held = [{"round_id": "r1", "wager_id": "w2", "bettor": "b2", "game": "pai-gow-poker", "hand_no": 1}]
        assert after["free_collections"] == (held if earned else [])


FEES = {"wager": [{"low": 0, "high": 100, "fee": 5}, {"low": 100, "fee": 9}], "banker": [{"low": 0, "fee": 7}]}


def test_7_1_every_main_wager_and_the_banker_pay_by_their_own_schedule() -> None:
    wagers = [wager("w1", 1, 99), wager("w2", 1, 100, circle=2, bettor="x")]
    dealt, _ = physical(rules(BI), hands={1: "W1"}, wagers=wagers, banker=4, action_seat=1, fees=FEES)
    assert dealt["fees"] == [
        {"wager_id": "w1", "bettor": "b1", "amount": 5},
        {"wager_id": "w2", "bettor": "x", "amount": 9},
        {"banker": True, "bettor": "b4", "amount": 7},
    ]
    assert dealt["postings"] == [
        {"from": "bettor:b1", "to": "house", "amount": 5, "why": "fee", "wager_id": "w1"},
        {"from": "bettor:x", "to": "house", "amount": 9, "why": "fee", "wager_id": "w2"},
        {"from": "bettor:b4", "to": "house", "amount": 7, "why": "fee"},
    ]


def test_7_1_in_florida_the_designated_player_alone_pays() -> None:
    fees = {"banker": [{"low": 0, "fee": 500}]}
    wagers = [wager("w1", 1, 99), {**wager("s1", 1, 10), "kind": "fortune"}]
    dealt, _ = physical(
        rules(FL), hands={1: "W1"}, wagers=wagers, banker=4, action_seat=1, banker_wager=3_000_000, fees=fees
    )
    assert dealt["fees"] == [{"banker": True, "bettor": "b4", "amount": 500}]


def test_7_1_the_house_pays_itself_no_fee() -> None:
    on = rules(CASINO, fees_from=["wager"])
    wagers = [wager("w1", 1, 10), wager("h", 7, 10, bettor="house")]
    dealt, _ = physical(
        on,
        hands={1: "W1", 7: "L1"},
        wagers=wagers,
        banker=4,
        action_seat=1,
        sets={7: "house_way"},
        fees={"wager": [{"low": 0, "fee": 3}]},
    )
    assert dealt["fees"] == [{"wager_id": "w1", "bettor": "b1", "amount": 3}]


def test_7_1_bands_are_half_open_and_an_amount_between_them_has_no_fee() -> None:
    bands = fee_bands([{"low": 10, "high": 20, "fee": 1}, {"low": 30, "fee": 2}], "fees.wager")
    assert [fee_for(amount, bands) for amount in (9, 10, 19, 20, 29, 30, 10**9)] == [None, 1, 1, None, None, 2, 2]


@pytest.mark.parametrize(
    ("bands", "field", "message"),
    [
        ([], "fees.wager", "must have at least one band"),
        ([{"low": 5, "high": 5, "fee": 1}], "fees.wager[0].high", "must be above low, 5"),
        (
            [{"low": 0, "high": 10, "fee": 1}, {"low": 9, "fee": 1}],
            "fees.wager[1].low",
            "must not lie in the band before, which goes up to 10",
        ),
        (
            [{"low": 0, "fee": 1}, {"low": 9, "fee": 1}],
            "fees.wager[1].low",
            "must not lie in the band before, which goes without end",
        ),
        ([{"low": 0, "high": 10, "fee": -1}], "fees.wager[0]", "must not have an amount below zero"),
    ],
)
def test_7_1_malformed_schedules_are_refused(bands: list[dict[str, int]], field: str, message: str) -> None:
    with pytest.raises(FeesInvalid, match="must be bands low <= amount < high, ascending") as refused:
        GAME.check_open(rules(BI), opening(fees={"wager": bands}), NEW_TABLE)
    assert refused.value.faults == ((field, message),)


HELD = {
    **NEW_TABLE,
    "hand_no": 1,
    "free_collections": [{"round_id": "r0", "wager_id": "w7", "bettor": "b1", "game": "pai-gow-poker", "hand_no": 1}],
}
B4_BANKS = {"bettor": "b4", "seat": 4, "game": "pai-gow-poker"}
COLLECTION = {"round_id": "r0", "wager_id": "w7"}


def test_6_4_a_free_collection_pays_one_fee_of_any_band() -> None:
    wagers = [wager("w1", 1, 5_000, free_collection=COLLECTION), wager("w2", 2, 50)]
    dealt, _ = physical(
        rules(BI), hands={1: "W1", 2: "L1"}, wagers=wagers, banker=4, action_seat=1, fees=FEES, table=HELD
    )
    assert dealt["fees"][0] == {"wager_id": "w1", "bettor": "b1", "amount": 9, "free_collection": COLLECTION}
    assert [(p["from"], p["amount"]) for p in dealt["postings"]] == [("bettor:b2", 5), ("bettor:b4", 7)]


def test_6_4_free_collections_lapse_with_the_next_settled_round() -> None:
    _, settled = physical(rules(BI), hands={1: "W1"}, wagers=[wager("w1", 1, 9)], banker=4, action_seat=1, table=HELD)
    after = GAME.after_settle(rules(BI), opening(banker=4), settled, "r1", HELD)
    assert after["free_collections"] == []


@pytest.mark.parametrize(("ruleset", "most"), [(BI, 2), (FL, 1), (CC, 1)])
def test_8_2_a_banker_passes_on_after_his_turns(ruleset: str, most: int) -> None:
    on, table = rules(ruleset), NEW_TABLE
    opened = opening(banker=4)
    for turn in range(1, most + 1):
        GAME.check_open(on, opened, table)
        table = {**table, **GAME.after_settle(on, opened, {"results": []}, "r", table)}
        assert table["banker"] == {**B4_BANKS, "turns": turn}
    with pytest.raises(BankerTurnOver, match=f"b4 has banked {most} of at most {most} in a row; another must bank"):
        GAME.check_open(on, opened, table)
    GAME.check_open(on, opening(banker=5), table)
    passed = {**opened, "banker": {**opened["banker"], "others_passed": True}}
    GAME.check_open(on, passed, table)
    after = GAME.after_settle(on, passed, {"results": []}, "r", table)
    assert after["banker"] == {**B4_BANKS, "turns": 1}


def test_8_2_a_turn_still_owed_begins_anew_when_all_others_passed() -> None:
    on, opened = rules(BI), opening(banker=4)
    table = {**NEW_TABLE, "banker": {**B4_BANKS, "turns": 1}}
    passed = {**opened, "banker": {**opened["banker"], "others_passed": True}}
    GAME.check_open(on, passed, table)
    table |= GAME.after_settle(on, passed, {"results": []}, "r", table)
    assert table["banker"] == {**B4_BANKS, "turns": 1}
    GAME.check_open(on, opened, table)
    table |= GAME.after_settle(on, opened, {"results": []}, "r", table)
    with pytest.raises(BankerTurnOver, match="b4 has banked 2 of at most 2 in a row"):
        GAME.check_open(on, opened, table)


def test_8_2_the_casino_sets_no_limit_to_turns_and_its_own_bank_breaks_them() -> None:
    on, table = rules(CASINO), {**NEW_TABLE, "banker": {**B4_BANKS, "turns": 50}}
    GAME.check_open(on, opening(banker=4, seated=range(1, 7)), table)
    after = GAME.after_settle(on, opening(banker="house"), {"results": []}, "r", table)
    assert after["banker"] is None
