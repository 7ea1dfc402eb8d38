"""Pai gow sheet §3, §5, §8.4, §10.3, §10.4: sets and fouls, comparison, commission, the Fortune bonus."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from cardroom.banked.sets import CardNotDealt, SeatNotSet, SeatSetTwice, SeatWithoutWager
from cardroom.cards import parse_cards
from cardroom.games.pai_gow_poker.game import GAME
from cardroom.games.pai_gow_poker.rules import Copies
from cardroom.games.pai_gow_poker.sets import HouseWayRequired
from cardroom.games.pai_gow_poker.settle import SetHand, judge, settle_hands
from cardroom.refusals import Refusal
from cardroom.table import FieldNotUsed, Outcome, Verdict, Wager
from tests import kit
from tests.rules.pai_gow_round import (
    BANKER,
    BI,
    CASINO,
    CC,
    FL,
    HANDS,
    NEW_TABLE,
    RULESETS,
    by_wager,
    document,
    fortune,
    net_of,
    opening,
    physical,
    rules,
    wager,
)

Json = dict[str, Any]


def one_hand(ruleset: str, front: str, *, hand: str = HANDS["W1"], **more: Any) -> tuple[Json, Json]:
    """One wager of 100 on seat 1 against seat 4: the set of seat 1 and the result."""
    banker_wager = 3_000_000 if ruleset == FL else 100
    _, settled = physical(
        rules(ruleset),
        hands={1: hand},
        wagers=[wager("w1", 1, 100)],
        banker=4,
        action_seat=1,
        banker_wager=banker_wager,
        sets={1: front},
        **more,
    )
    return next(chosen for chosen in settled["sets"] if chosen["seat"] == 1), by_wager(settled)["w1"]


# §3


@pytest.mark.parametrize("ruleset", RULESETS)
def test_3_1_a_legal_front_stands(ruleset: str) -> None:
    chosen, result = one_hand(ruleset, "Jc As")
    assert chosen == {
        "seat": 1,
        "how": "front",
        "front": ["As", "Jc"],
        "back": ["9s", "9h", "7h", "5d", "3c"],
        "front_category": "high_card",
        "back_category": "one_pair",
        "rule": "pai-gow-poker §3.1",
        "foul": False,
    }
    assert (result["result"], result["front"], result["back"], result["reason"], result["rule"]) == (
        "win",
        "higher",
        "higher",
        "both_higher",
        "pai-gow-poker §5.2",
    )


@pytest.mark.parametrize("front", ["9s 9h", "As", "As Jc 9s", ""])
@pytest.mark.parametrize("ruleset", [BI, FL, CC])
def test_3_2_a_foul_loses_where_it_forfeits(ruleset: str, front: str) -> None:
    chosen, result = one_hand(ruleset, front)
    assert (chosen["foul"], chosen["rule"], chosen["front"]) == (True, "pai-gow-poker §3.2", front.split())
    assert (result["result"], result["collected"], result["reason"]) == ("lose", 100, "foul")
    assert result["rule"] == "pai-gow-poker §3.2"
    assert "front" not in result


@pytest.mark.parametrize("front", ["9s 9h", "As", "As Jc 9s", ""])
def test_3_2_a_foul_is_set_again_by_the_house_way_in_the_casino(front: str) -> None:
    chosen, result = one_hand(CASINO, front)
    assert (chosen["how"], chosen["foul"], chosen["front"]) == ("front", True, ["As", "Jc"])
    assert result["result"] == "win"


@pytest.mark.parametrize("ruleset", [BI, CC, CASINO])
def test_3_2_the_bankers_own_foul_is_set_again_whatever_the_rules(ruleset: str) -> None:
    _, settled = physical(
        rules(ruleset), hands={1: "W1"}, wagers=[wager("w1", 1, 9)], banker=4, action_seat=1, sets={4: "8s 8h"}
    )
    banker = next(chosen for chosen in settled["sets"] if chosen["seat"] == 4)
    assert (banker["foul"], banker["front"], banker["back"]) == (True, ["Ks", "Qd"], ["8h", "8s", "6c", "4d", "2h"])


def test_3_2_a_foul_is_forfeited_as_far_as_the_cover_goes_and_leaves_the_bonus_alone() -> None:
    _, settled = physical(
        rules(FL, banker_minimum_minor=0),
        hands={1: "9s 9h 9c 5d 3c 2c Jh"},
        wagers=[wager("w1", 1, 100), fortune("s1", 1, 10)],
        banker=4,
        action_seat=1,
        banker_wager=110,
    )
    results = by_wager(settled)
    assert (results["w1"]["result"], results["w1"]["collected"]) == ("lose", 100)
    assert (results["s1"]["result"], results["s1"]["line"], results["s1"]["paid"]) == ("win", "three_of_a_kind", 10)


@pytest.mark.parametrize(
    ("sets", "refusal", "fields", "message"),
    [
        ([(1, "As Jc"), (4, "Ks Qd"), (1, "As Jc")], SeatSetTwice, ["sets[1]"], "must come once"),
        (
            [(1, "As Jc"), (4, "Ks Qd"), (2, "Ah Jd")],
            SeatWithoutWager,
            ["sets[2]"],
            "no hand plays at this seat",
        ),
        ([(9, "As Jc")], SeatWithoutWager, ["sets[9]"], "no hand plays at this seat"),
        ([], SeatNotSet, ["sets[1]", "sets[4]"], "must be given: this hand plays"),
        ([(1, "As Jc")], SeatNotSet, ["sets[4]"], "must be given: this hand plays"),
        ([(1, "As Kh"), (4, "Ks Qd")], CardNotDealt, ["sets[1].front"], "Kh was not dealt to seat 1"),
        (
            [(1, "Ks As"), (4, "Ks As")],
            CardNotDealt,
            ["sets[1].front", "sets[4].front"],
            "Ks was not dealt to seat",
        ),
        ([(1, "As As"), (4, "Ks Qd")], CardNotDealt, ["sets[1].front"], "As must come once"),
    ],
)
def test_3_2_sets_are_refused(
    sets: list[tuple[int, str]], refusal: type[Refusal], fields: list[str], message: str
) -> None:
    opened = opening(banker=4, seated=[1, 2, 4], source="table")
    wagering = {
        "wagers": [wager("w1", 1)],
        "banker_wager": 100,
        "dice": [1, 1, 1],
        "hands": [{"seat": seat, "cards": cards.split()} for seat, cards in ((1, HANDS["W1"]), (4, BANKER))],
    }
    dealt = kit.deal(GAME, rules(BI), opened, wagering, {"free_collections": [], "banker": None}, None)
    request = {"sets": [{"seat": seat, "how": "front", "front": front.split()} for seat, front in sets]}
    with pytest.raises(refusal) as refused:
        kit.settle(GAME, rules(BI), opened, wagering, dealt, request)
    assert [fault.field for fault in refused.value.faults] == fields
    assert message in refused.value.message


@pytest.mark.parametrize(
    ("ruleset", "banker", "hands", "wagers", "seat"),
    [
        (FL, 4, {1: "W1"}, [wager("w1", 1)], 4),
        (CASINO, "house", {1: "W1"}, [wager("w1", 1)], 7),
        (CASINO, 4, {7: "W1"}, [wager("h", 7, bettor="house")], 7),
    ],
)
def test_8_4_some_hands_are_set_by_the_house_way_only(
    ruleset: str, banker: Any, hands: dict[int, str], wagers: list[Json], seat: int
) -> None:
    on = rules(ruleset)
    where = 7 if banker == "house" else banker
    opened = opening(banker=banker, seated=range(1, 7), source="table")
    cards = {seat: HANDS[name] for seat, name in hands.items()} | {where: BANKER}
    wagering = {
        "wagers": wagers,
        "dice": [1, 1, 1],
        "hands": [{"seat": seat, "cards": hand.split()} for seat, hand in cards.items()],
    }
    if banker != "house":
        wagering["banker_wager"] = 3_000_000
    dealt = kit.deal(GAME, on, opened, wagering, {"free_collections": [], "banker": None}, None)
    fronts = [{"seat": seat, "how": "front", "front": hand.split()[:2]} for seat, hand in cards.items()]
    with pytest.raises(HouseWayRequired) as refused:
        kit.settle(GAME, on, opened, wagering, dealt, {"sets": fronts})
    message = f"must be house_way: {ruleset} lets nobody set this hand otherwise"
    assert refused.value.faults == ((f"sets[{seat}].how", message),)


def test_8_4_a_banking_player_sets_freely_in_the_casino() -> None:
    _, settled = physical(
        rules(CASINO), hands={1: "W1"}, wagers=[wager("w1", 1)], banker=4, action_seat=1, sets={4: "Qd 6c"}
    )
    assert next(chosen for chosen in settled["sets"] if chosen["seat"] == 4)["front"] == ["Qd", "6c"]


# §5


@pytest.mark.parametrize(("front", "back"), list(product(Verdict, Verdict)))
def test_5_2_outcomes_with_copies_to_the_banker(front: Verdict, back: Verdict) -> None:
    higher = (front, back).count(Verdict.HIGHER)
    judgement = judge(front, back, Copies.BANKER)
    assert judgement.outcome is {2: Outcome.WIN, 1: Outcome.PUSH, 0: Outcome.LOSE}[higher]
    assert (judgement.front, judgement.back, judgement.rule) == (front, back, "pai-gow-poker §5.2")


def test_5_1_copies_may_be_the_players_by_a_field() -> None:
    assert judge(Verdict.COPY, Verdict.COPY, Copies.PLAYER).outcome is Outcome.WIN
    assert judge(Verdict.COPY, Verdict.LOWER, Copies.PLAYER).outcome is Outcome.PUSH


@pytest.mark.parametrize(
    ("hand", "outcome", "reason"),
    [
        ("Kc Qs 8c 8d 6d 4s 2s", Outcome.LOSE, "both_copy"),
        ("Kc Qs 9c 9d 6d 4s 2s", Outcome.PUSH, "front_copy_back_higher"),
        ("Kc Qs 7c 7d 6d 4s 2s", Outcome.LOSE, "front_copy_back_lower"),
        ("Ac Qs 8c 8d 6d 4s 2s", Outcome.PUSH, "front_higher_back_copy"),
        ("Kc Js 8c 8d 6d 4s 2s", Outcome.LOSE, "front_lower_back_copy"),
        ("Ac Qs 7c 7d 6d 4s 2s", Outcome.PUSH, "front_higher_back_lower"),
        ("Kc Js 9c 9d 6d 4s 2s", Outcome.PUSH, "front_lower_back_higher"),
        ("Kc Js 7c 7d 6d 4s 2s", Outcome.LOSE, "both_lower"),
        ("Ac Qs 9c 9d 6d 4s 2s", Outcome.WIN, "both_higher"),
    ],
)
def test_5_2_with_cards(hand: str, outcome: Outcome, reason: str) -> None:
    settled = settle_hands(
        rules(BI),
        banker=laid(BANKER),
        banker_account="bettor:bank",
        banker_wager_minor=100,
        hands=[(laid(hand), [Wager("w1", 1, "ann", 1, None, "main", 10)])],
    )
    assert (settled.banked.moves[0].outcome, settled.judgements[0].reason) == (outcome, reason)


def laid(hand: str) -> SetHand:
    cards = parse_cards(hand)
    return SetHand(cards[:2], cards[2:])


def test_5_3_the_casino_takes_5_percent_of_each_win_and_of_the_bankers_net() -> None:
    wagers = [wager("w1", 1, 90), wager("w2", 2, 500), wager("w3", 3, 31)]
    _, settled = physical(
        rules(CASINO),
        hands={1: "W1", 2: "L1", 3: "P1"},
        wagers=wagers,
        banker=4,
        action_seat=1,
        banker_wager=1_000,
    )
    assert {name: result["commission"] for name, result in by_wager(settled).items()} == {"w1": 5, "w2": 0, "w3": 0}
    assert (settled["banker"]["net"], settled["banker"]["commission"]) == (410, 21)
    assert net_of(settled) == {"bettor:b1": 85, "bettor:b2": -500, "bettor:b4": 389, "house": 26}


@pytest.mark.parametrize("ruleset", [BI, FL, CC])
def test_5_3_card_rooms_take_no_commission(ruleset: str) -> None:
    _, result = one_hand(ruleset, "As Jc")
    assert (result["paid"], result["commission"]) == (100, 0)


def test_5_3_the_house_bank_pays_no_commission_and_side_bets_neither() -> None:
    wagers = [wager("w1", 1, 100), fortune("s1", 1, 100), wager("w2", 2, 100)]
    _, settled = physical(
        rules(CASINO),
        hands={1: "As Kd 9s 9h 9c 5d 3c", 2: "L1"},
        wagers=wagers,
        banker="house",
        action_seat=1,
        banker_wager=None,
    )
    assert net_of(settled) == {"bettor:b1": 395, "bettor:b2": -100, "house": -295}
    assert settled["banker"]["net"] == 0


@pytest.mark.parametrize(
    ("hand", "bonus", "net"), [("Ts 6d Ad 7c 5s 2d 2c", 100, 200), ("7s 7h 7c 5d 3c Js Tc", 50, -50)]
)
def test_5_3_a_banking_player_pays_commission_on_his_main_wagers_alone(hand: str, bonus: int, net: int) -> None:
    settled = fortunes(
        {1: hand},
        [wager("w1", 1, 100), fortune("s1", 1, bonus)],
        commission={"rate_bps": 500, "increment_minor": 1, "rounding": "half_up"},
    )
    assert (settled["banker"]["net"], settled["banker"]["commission"]) == (net, 5)


# §10.3, §10.4

TRIPS_9 = "Kc Js 9s 9h 9c 5d 3c"
TRIPS_4 = "Qc Jd 4s 4h 4c 5h 3d"
FLUSH = "As Jc Kh Qh 7h 5h 3h"
NO_LINE = "Ts 6d Ad 7c 5s 2d 2c"
BANK_TRIPS_8 = "Kd Qd 8s 8h 8d 6c 2h"


def fortunes(
    hands: dict[int, str],
    wagers: list[Json],
    *,
    banker_hand: str = BANKER,
    banker_wager: int = 10**6,
    maximum_payout: int | None = None,
    **changes: Any,
) -> Json:
    """A Florida round against seat 4, the action at seat 1; `maximum_payout` as posted at the table."""
    posted = {} if maximum_payout is None else {"maximum_payout": maximum_payout}
    _, settled = physical(
        rules(FL, banker_minimum_minor=0, **changes),
        hands=hands,
        wagers=wagers,
        banker=4,
        banker_hand=banker_hand,
        action_seat=1,
        banker_wager=banker_wager,
        **posted,
    )
    return settled


def bonus_of(**changes: Any) -> Json:
    return {"fortune": {**document(FL)["side_bets"]["fortune"], **changes}}


@pytest.mark.parametrize(
    ("hand", "banker_hand", "outcome", "paid", "line", "reason"),
    [
        (TRIPS_9, BANKER, "win", 30, "three_of_a_kind", "line_beats_banker"),
        (TRIPS_9, BANK_TRIPS_8, "win", 30, "three_of_a_kind", "line_beats_banker"),
        (TRIPS_4, BANK_TRIPS_8, "lose", 0, "three_of_a_kind", "line_not_above_banker"),
        (FLUSH, BANK_TRIPS_8, "win", 40, "flush", "line_beats_banker"),
        ("As Jc Kc Qh 7h 5d 3s", BANKER, "lose", 0, None, "no_line"),
    ],
)
def test_10_3_a_bonus_must_beat_the_designated_player(
    hand: str, banker_hand: str, outcome: str, paid: int, line: str | None, reason: str
) -> None:
    settled = fortunes({1: hand}, [wager("w1", 1, 100), fortune("s1", 1, 10)], banker_hand=banker_hand)
    result = by_wager(settled)["s1"]
    assert (result["result"], result["paid"], result["line"], result["reason"]) == (outcome, paid, line, reason)
    assert result["rule"] == "pai-gow-poker §10.3"
    assert result["collected"] == (10 if outcome == "lose" else 0)


def test_10_3_an_equal_bonus_hand_is_collected() -> None:
    flush, same = "2c 3d Ah Kh 9h 7h 5h", "2d 3c As Ks 9s 7s 5s"
    settled = fortunes({1: flush}, [wager("w1", 1, 100), fortune("s1", 1, 10)], banker_hand=same)
    assert (by_wager(settled)["s1"]["collected"], by_wager(settled)["s1"]["reason"]) == (10, "line_not_above_banker")


def test_10_3_in_the_casino_the_bonus_plays_the_table_and_the_house_pays_whoever_banks() -> None:
    _, settled = physical(
        rules(CASINO),
        hands={1: TRIPS_4, 2: NO_LINE},
        wagers=[wager("w1", 1, 100), fortune("s1", 1, 10), wager("w2", 2, 50), fortune("s2", 2, 10)],
        banker=5,
        banker_hand=BANK_TRIPS_8,
        action_seat=1,
        banker_wager=150,
    )
    assert by_wager(settled)["s1"]["reason"] == "line_pays"
    bonuses = [posting for posting in settled["postings"] if posting["why"].startswith("bonus")]
    assert bonuses == [
        {"from": "house", "to": "bettor:b1", "amount": 30, "why": "bonus", "wager_id": "s1"},
        {"from": "bettor:b2", "to": "house", "amount": 10, "why": "bonus_loss", "wager_id": "s2"},
    ]
    assert settled["banker"]["used"] == 150


def test_10_4_main_wagers_of_a_hand_first_then_its_bonuses() -> None:
    wagers = [
        fortune("a1", 1, 10),
        fortune("a2", 1, 10, circle=2, bettor="x"),
        wager("z1", 1, 100),
        wager("z2", 1, 100, circle=2, bettor="x"),
        fortune("b1", 2, 10),
        wager("y1", 2, 100),
    ]
    settled = fortunes({1: TRIPS_9, 2: NO_LINE}, wagers)
    assert [result["wager_id"] for result in settled["results"]] == ["z1", "z2", "a1", "a2", "y1", "b1"]


def test_10_4_a_bonus_is_paid_from_what_is_left_and_uses_it() -> None:
    wagers = [wager("w1", 1, 75), fortune("s1", 1, 10), wager("w2", 2, 100), fortune("s2", 2, 10)]
    settled = fortunes({1: "Ac Kd 9s 9h 9c 5d 3c", 2: "L1"}, wagers, banker_wager=100)
    results = by_wager(settled)
    assert (results["w1"]["paid"], results["s1"]["paid"], results["s1"]["returned"]) == (75, 25, 10)
    assert (results["s1"]["reason"], results["s1"]["rule"]) == (
        "line_beats_banker_up_to_cover",
        "pai-gow-poker §10.4",
    )
    assert (results["w2"]["result"], results["s2"]["result"]) == ("no_action", "returned")
    assert (results["s2"]["reason"], results["s2"]["returned"]) == ("cover_used_up", 10)
    assert (settled["banker"]["net"], settled["banker"]["used"]) == (-100, 100)


def test_10_4_a_lost_bonus_is_collected_from_what_is_left() -> None:
    settled = fortunes({1: "L1"}, [wager("w1", 1, 95), fortune("s1", 1, 10)], banker_wager=100)
    result = by_wager(settled)["s1"]
    assert (result["collected"], result["returned"], result["reason"]) == (5, 5, "no_line_up_to_cover")


def test_10_4_no_spot_is_paid_above_its_cap() -> None:
    wagers = [
        wager("w1", 1, 100),
        wager("w2", 1, 100, circle=2, bettor="x"),
        wager("w3", 1, 100, circle=3, bettor="y"),
        fortune("s1", 1, 10),
        fortune("s2", 1, 10, circle=2, bettor="x"),
        fortune("s3", 1, 10, circle=3, bettor="y"),
        wager("w4", 2, 100),
        fortune("s4", 2, 10),
    ]
    settled = fortunes({1: TRIPS_9, 2: FLUSH}, wagers, side_bets=bonus_of(cap_per_spot_minor=50))
    results = by_wager(settled)
    assert [results[name]["paid"] for name in ("s1", "s2", "s3", "s4")] == [30, 20, 0, 40]
    assert results["s2"]["reason"] == "line_beats_banker_up_to_spot_cap"
    assert (results["s3"]["result"], results["s3"]["reason"]) == ("returned", "spot_cap_used_up")


def test_10_4_after_the_tables_maximum_payout_bonuses_are_returned_win_or_lose() -> None:
    wagers = [make(f"{name}{seat}", seat, 10) for seat in (1, 2, 3) for name, make in (("w", wager), ("s", fortune))]
    settled = fortunes({1: TRIPS_9, 2: NO_LINE, 3: FLUSH}, wagers, maximum_payout=30)
    results = by_wager(settled)
    assert [results[name]["result"] for name in ("s1", "s2", "s3")] == ["win", "returned", "returned"]
    assert (results["s2"]["reason"], results["s2"]["rule"]) == ("maximum_payout_used_up", "pai-gow-poker §10.4")
    assert results["s2"]["line"] is None


def test_10_4_the_tables_maximum_payout_is_for_all_bonuses_of_the_round_in_action_order() -> None:
    wagers = [
        wager("w1", 1, 10),
        fortune("s1", 1, 10),
        wager("w2", 1, 10, circle=2, bettor="x"),
        fortune("s2", 1, 10, circle=2, bettor="x"),
        wager("w3", 2, 10),
        fortune("s3", 2, 10),
    ]
    hands = {1: TRIPS_9, 2: FLUSH}
    none = by_wager(fortunes(hands, wagers))
    for posted, paid in ((69, [30, 30, 9]), (59, [30, 29, 0]), (29, [29, 0, 0]), (1_000, [30, 30, 40])):
        results = by_wager(fortunes(hands, wagers, maximum_payout=posted))
        assert [results[name]["paid"] for name in ("s1", "s2", "s3")] == paid
        assert [results[name] for name in ("w1", "w2", "w3")] == [none[name] for name in ("w1", "w2", "w3")]
    assert none["w3"]["paid"] == 10
    cut = by_wager(fortunes(hands, wagers, maximum_payout=59))
    assert (cut["s2"]["reason"], cut["s2"]["returned"]) == ("line_beats_banker_up_to_maximum_payout", 10)
    assert (cut["s3"]["result"], cut["s3"]["returned"]) == ("returned", 10)


def test_10_4_what_is_collected_uses_up_no_maximum_payout() -> None:
    wagers = [make(f"{name}{seat}", seat, 10) for seat in (1, 3) for name, make in (("w", wager), ("s", fortune))]
    results = by_wager(fortunes({1: NO_LINE, 3: FLUSH}, wagers, maximum_payout=40))
    assert (results["s1"]["collected"], results["s3"]["paid"], results["s3"]["reason"]) == (10, 40, "line_beats_banker")


def test_10_4_a_maximum_payout_is_told_only_where_the_rule_set_has_it_posted() -> None:
    with pytest.raises(FieldNotUsed, match=f"maximum_payout: must be left out: {CASINO} has no use for it"):
        GAME.check_open(rules(CASINO), opening(banker="house", maximum_payout=5), NEW_TABLE)
    GAME.check_open(rules(FL), opening(banker=7, maximum_payout=5), NEW_TABLE)


def test_10_4_under_net_a_bonus_can_end_the_round() -> None:
    wagers = [wager("w1", 1, 75), fortune("s1", 1, 10), wager("w2", 2, 100)]
    settled = fortunes({1: "Ac Kd 9s 9h 9c 5d 3c", 2: "L1"}, wagers, banker_wager=100, coverage="net")
    results = by_wager(settled)
    assert (results["s1"]["paid"], results["w2"]["result"], settled["banker"]["net"]) == (25, "no_action", -100)


def test_10_4_under_full_a_bonus_leaves_the_main_wagers_their_cover() -> None:
    wagers = [wager("w1", 1, 75), fortune("s1", 1, 10), wager("w2", 2, 20)]
    settled = fortunes(
        {1: "Ac Kd 9s 9h 9c 5d 3c", 2: "Ad Tc Ts Th 7s 5h 3h"}, wagers, banker_wager=100, coverage="full"
    )
    results = by_wager(settled)
    assert [results[name]["paid"] for name in ("w1", "s1", "w2")] == [75, 5, 20]
    assert settled["banker"]["net"] == -100


def test_set_hands_by_the_house_way_names_the_rule() -> None:
    assert GAME.set_hands(rules(FL), [["5s", "5h", "3c", "3d", "Qh", "9s", "2c"]], "player") == [
        {
            "front": ["Qh", "9s"],
            "back": ["5h", "5s", "3c", "3d", "2c"],
            "front_category": "high_card",
            "back_category": "two_pair",
            "rule": "pai-gow-poker §4.4",
        }
    ]
