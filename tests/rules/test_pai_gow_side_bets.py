"""Pai gow sheet §10.5 to §10.8: envy, Emperor's Challenge, Pai Gow Mania, meters; §2.4: the wild joker's rule set."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cardroom.banked.bets import StakesTooLarge
from cardroom.cards import deck, format_cards, parse_cards
from cardroom.documents import RulesetInvalid
from cardroom.games.pai_gow_poker import deal
from cardroom.games.pai_gow_poker.game import GAME
from cardroom.games.pai_gow_poker.rules import BonusCards, pay_table
from cardroom.games.pai_gow_poker.side_bets import Bonuses, SetHand
from cardroom.hands import Joker, Wheel
from cardroom.table import FieldNotUsed
from tests.rules.pai_gow_round import (
    BI,
    CASINO,
    EMPEROR,
    MANIA,
    PROGRESSIVE,
    WILD,
    by_wager,
    document,
    net_of,
    physical,
    rules,
    wager,
)

Json = dict[str, Any]

QUADS = "Ac Kc 9s 9h 9d 9c 2c"
LOW = "7d 5c 3d 2d Jc Td 8h"  # no pair, jack high


def bet(wager_id: str, seat: int, kind: str, amount: int = 100, **more: Any) -> Json:
    return wager(wager_id, seat, amount, kind=kind, **more)


def round_of(ruleset: str, hands: dict[int, str], side: list[Json], **more: Any) -> Json:
    """A round against the house's bank, the action at seat 1, then 6, 5, …; a main wager on each hand.

    The banker's cards are some that are left.
    """
    used = " ".join([*hands.values(), *more.get("vacant", {}).values()])
    left = [card for card in format_cards(deck(0)) if card not in used]
    given: Json = {"banker": "house", "banker_wager": None, "banker_hand": " ".join(left[::4][:7])}
    on = rules(ruleset, **more.pop("changes", {}))
    mains = [wager(f"m{seat}", seat, 50) for seat in hands if seat <= 6]
    sets = dict.fromkeys(hands, "house_way")
    _, settled = physical(on, hands=hands, wagers=[*mains, *side], action_seat=1, sets=sets, **given | more)
    assert sum(net_of(settled).values()) == 0
    return settled


# §10.5


def envies(settled: Json) -> dict[str, list[tuple[int, str, int]]]:
    return {
        result["wager_id"]: [(envy["seat"], envy["line"], envy["paid"]) for envy in result["envy"]]
        for result in settled["results"]
        if "envy" in result
    }


def test_10_5_the_house_pays_other_players_bets_for_a_hand() -> None:
    side = [bet("f1", 1, "fortune", 500), bet("f2", 2, "fortune", 500), bet("f3", 3, "fortune", 499)]
    settled = round_of(PROGRESSIVE, {1: QUADS, 2: LOW, 3: "Ad Js 7s 6s 5h 3h 3c"}, side)
    assert envies(settled) == {"f2": [(1, "four_of_a_kind", 500)]}
    result = by_wager(settled)["f2"]
    assert (result["result"], result["collected"], result["envy"][0]["rule"]) == ("lose", 500, "pai-gow-poker §10.5")
    assert {"from": "house", "to": "bettor:b2", "amount": 500, "why": "envy", "wager_id": "f2"} in settled["postings"]
    main = [result for result in settled["results"] if result["kind"] == "main"]
    assert settled["banker"]["net"] == sum(result["collected"] - result["paid"] for result in main)


def test_10_5_several_hands_pay_several_times_and_need_no_bet_of_their_own() -> None:
    hands = {1: QUADS, 2: LOW, 3: "Ts Th Tc 7h 7c 6d Jk", 4: "Ks Qs Js 4c 3c 5h 5d"}
    assert envies(round_of(PROGRESSIVE, hands, [bet("f4", 4, "fortune", 900)])) == {"f4": [(1, "four_of_a_kind", 500)]}
    hands[3] = "Kh 6s 5s 4h 3s 7s Jk"
    assert envies(
        round_of(PROGRESSIVE, hands, [bet("f2", 2, "fortune", 500)]),
    ) == {"f2": [(1, "four_of_a_kind", 500), (3, "straight_flush", 2_000)]}


def test_10_5_is_paid_for_each_bet_not_for_each_bettor_nor_by_its_size() -> None:
    hands = {1: QUADS, 2: LOW, 3: "Ts Th 8c 7h 7c 6d 4c"}
    side = [
        bet("f2", 2, "fortune", 500),
        wager("x3", 3, 50, circle=2, bettor="b2"),
        bet("f3", 3, "fortune", 2_500, circle=2, bettor="b2"),
    ]
    envied = [(1, "four_of_a_kind", 500)]
    assert envies(round_of(PROGRESSIVE, hands, side)) == {"f2": envied, "f3": envied}


def test_10_5_not_for_a_hand_of_ones_own_nor_the_bankers() -> None:
    side = [bet("f1", 1, "fortune", 500), bet("f2", 2, "fortune", 500)]
    back_line = wager("x1", 1, 50, circle=2, bettor="b2")
    assert envies(round_of(PROGRESSIVE, {1: QUADS, 2: LOW}, [*side, back_line])) == {}
    assert envies(round_of(PROGRESSIVE, {1: "Ad Js 7s 6s 5h 3h 3c", 2: LOW}, side, banker_hand=QUADS)) == {}


def test_10_5_nor_for_the_houses_own_wager_on_its_pile() -> None:
    hands = {1: LOW, 7: QUADS}
    side = [bet("f1", 1, "fortune", 500), wager("h", 7, 50, bettor="house")]
    assert envies(round_of(PROGRESSIVE, hands, side, banker=4, banker_wager=900)) == {}


def test_10_5_a_dragon_hand_is_another_players_hand() -> None:
    side = [bet("f1", 1, "fortune", 500), bet("f2", 2, "fortune", 500)]
    dragon = {"wager_id": "d", "seat": 6, "bettor": "b2", "amount": 50}
    hands = {1: "Ad Js 7s 6s 5h 3h 3c", 2: LOW}
    settled = round_of(PROGRESSIVE, hands, side, vacant={6: QUADS}, dragon=dragon)
    assert envies(settled) == {"f1": [(6, "four_of_a_kind", 500)]}


@pytest.mark.parametrize(
    ("hand", "line", "pays"),
    [
        ("8c 7c 6c 5c 4c Ah Kh", "straight_flush", 2_000),
        ("Ac Kc Qc Jc Tc 2c 3h", "royal_flush", 5_000),
        ("Ac Ad Ah As Jk 2c 3h", "five_aces", 25_000),
        ("9c 8c 7c 6c 5c 4c Jk", "seven_card_straight_flush_joker", 50_000),
        ("Ac Kc Qc Jc Tc Ks Qs", "royal_match", 100_000),
        ("9c 8c 7c 6c 5c 4c 3c", "seven_card_straight_flush", 300_000),
        ("9c 9d 9h 6c 6d 4c 3c", "full_house", 0),
    ],
)
def test_10_5_what_each_line_pays(hand: str, line: str, pays: int) -> None:
    settled = round_of(PROGRESSIVE, {1: hand, 2: "Js Td 8d 7s 5d 3s 2d"}, [bet("f2", 2, "fortune", 500)])
    assert envies(settled) == ({"f2": [(1, line, pays)]} if pays else {})


def test_10_5_the_casinos_fortune_has_none() -> None:
    assert envies(round_of(CASINO, {1: QUADS, 2: LOW}, [bet("f2", 2, "fortune", 500)])) == {}


# §10.6


@pytest.mark.parametrize(
    ("hand", "line", "paid"),
    [
        ("9s 8c 7d 6s 4h 3d 2s", "nine_high", 4_000),
        ("Ts 8c 7d 6s 4h 3d 2s", "ten_high", 500),
        ("Js 8c 7d 6s 4h 3d 2s", "jack_high", 200),
        ("Ac Kc Qc Jc Tc Ks Qs", "royal_flush", 15_000),
        ("Ac Ad Ah As Jk 2c 3h", "five_aces", 50_000),
        ("9c 9d 9h 7c 6d 4c 3c", "three_of_a_kind", 300),
        ("Qs 8c 7d 6s 4h 3d 2s", None, -100),
    ],
)
def test_10_6_the_emperors_challenge(hand: str, line: str | None, paid: int) -> None:
    result = by_wager(round_of(EMPEROR, {1: hand}, [bet("e1", 1, "emperors_challenge")]))["e1"]
    assert (result["line"], result["paid"] - result["collected"]) == (line, paid)


# §10.7


@pytest.mark.parametrize(
    ("hand", "three", "seven"),
    [
        ("Ks Qs As 2d 3h 9c 8c", ("straight_flush", 4_000), (None, -100)),
        ("2d 3h 9c 8c Ks Qs As", (None, -100), (None, -100)),
        ("9s 9c 9d 2d 3h 5c 6c", ("three_of_a_kind", 3_000), ("three_of_a_kind", 300)),
        ("Jk 5c 6c 9s 9d Kh Jd", ("straight_flush_joker", 500), (None, -100)),
        ("As Ac Jk Ad Ah 5c 9d", ("three_of_a_kind", 3_000), ("five_aces", 50_000)),
        ("9s 9c 2d 3h 5c 7h Kd", ("pair", 100), (None, -100)),
    ],
)
def test_10_7_the_two_bets_of_mania(hand: str, three: tuple[str | None, int], seven: tuple[str | None, int]) -> None:
    side = [bet("t", 1, "mania_three"), bet("s", 1, "mania_seven")]
    results = by_wager(round_of(MANIA, {1: hand}, side))
    found = [(results[name]["line"], results[name]["paid"] - results[name]["collected"]) for name in ("t", "s")]
    assert found == [three, seven]
    assert rules(MANIA).side_bets["mania_three"].cards is BonusCards.FIRST_THREE


# §10.8

SEVEN_FLUSH = "9c 8c 7c 6c 5c 4c 3c"
FIVE_ACES = "Ac Ad Ah As Jk 2d 3h"


def meter_of(settled: Json) -> tuple[int, int, int, int, int]:
    (meter,) = settled["meters"]
    assert meter["name"] == "progressive"
    return meter["before"], meter["added"], meter["paid"], meter["reseeded"], meter["after"]


def progressive(hands: dict[int, str], meter: int, winners: str = "first", *more: Json, **changes: Any) -> Json:
    """A round with a progressive bet on each hand, and more bets; a bet adds 0.20, a win leaves 1,000.00."""
    bet_of = document(PROGRESSIVE)["side_bets"]["progressive"]
    changed = {**bet_of, "meter": {**bet_of["meter"], "winners": winners, **changes}}
    side = [*(bet(f"p{seat}", seat, "progressive") for seat in hands), *more]
    return round_of(
        PROGRESSIVE, hands, side, meters={"progressive": meter}, changes={"side_bets": {"progressive": changed}}
    )


def test_10_8_winners_in_action_order_get_a_share_of_what_they_find() -> None:
    hands = {1: FIVE_ACES, 2: SEVEN_FLUSH, 3: "Js Td 8d 7s 5d 3s 2s"}
    settled = progressive(hands, 1_000_009)
    results = by_wager(settled)
    assert [r["wager_id"] for r in settled["results"] if r["kind"] == "progressive"] == ["p1", "p3", "p2"]
    assert [results[name]["paid"] for name in ("p1", "p2", "p3")] == [100_006, 900_063, 0]
    assert (results["p1"]["reason"], results["p1"]["rule"]) == ("line_pays_from_meter", "pai-gow-poker §10.8")
    assert meter_of(settled) == (1_000_009, 60, 1_000_069, 100_000, 100_000)
    assert {"from": "house", "to": "bettor:b1", "amount": 100_006, "why": "bonus", "wager_id": "p1"} in settled[
        "postings"
    ]


def test_10_8_first_the_next_winner_of_the_whole_has_what_the_house_puts_in() -> None:
    hands = {1: SEVEN_FLUSH, 2: "9d 8d 7d 6d 5d 4d 3d", 3: "Ts 8s 6h 5h 4h 2s 2h"}
    settled = progressive(hands, 500_000)  # the action is at seat 1, then at 3, then at 2
    results = by_wager(settled)
    assert [(results[name]["result"], results[name]["paid"]) for name in ("p1", "p2")] == [
        ("win", 500_060),
        ("win", 100_000),
    ]
    assert meter_of(settled) == (500_000, 60, 600_060, 200_000, 100_000)


def test_10_8_first_a_back_line_bet_on_the_same_hand_comes_after_the_players() -> None:
    behind = [wager("x", 1, 50, circle=2, bettor="b9"), bet("px", 1, "progressive", circle=2, bettor="b9")]
    results = by_wager(progressive({1: SEVEN_FLUSH}, 500_000, "first", *behind))
    assert (results["p1"]["paid"], results["px"]["paid"]) == (500_040, 100_000)


def test_10_8_shared_two_winners_of_the_whole_halve_it_the_odd_cent_to_the_first_in_action_order() -> None:
    hands = {2: SEVEN_FLUSH, 1: "9d 8d 7d 6d 5d 4d 3d", 3: "Ts 8s 6h 5h 4h 2s 2h"}
    settled = progressive(hands, 500_001, "shared")
    results = by_wager(settled)
    assert [results[name]["paid"] for name in ("p1", "p2")] == [250_031, 250_030]
    assert meter_of(settled) == (500_001, 60, 500_061, 100_000, 100_000)


def test_10_8_shared_a_tenth_and_the_whole_are_cut_in_proportion_whatever_the_order() -> None:
    for order in ({1: FIVE_ACES, 2: SEVEN_FLUSH}, {2: FIVE_ACES, 1: SEVEN_FLUSH}):
        settled = progressive(order, 1_100_000, "shared", increment_bps=0)
        paid = {r["line"]: r["paid"] for r in settled["results"] if r["kind"] == "progressive"}
        assert paid == {"five_aces": 100_000, "seven_card_straight_flush": 1_000_000}
    settled = progressive({1: FIVE_ACES}, 1_100_009, "shared", increment_bps=0)
    assert meter_of(settled) == (1_100_009, 0, 110_000, 0, 990_009)  # alone it is a tenth, rounded down


def test_10_8_each_bet_adds_its_part_before_anything_is_paid_and_a_win_leaves_the_reseed_value() -> None:
    settled = progressive({1: FIVE_ACES, 2: "Js Td 8d 7s 5d 3s 2s"}, 105_000)
    assert by_wager(settled)["p1"]["paid"] == 10_504
    assert meter_of(settled) == (105_000, 40, 10_504, 5_464, 100_000)
    settled = progressive({1: FIVE_ACES}, 105_000, reseed_minor=3_000, increment_bps=10_000)
    assert meter_of(settled) == (105_000, 100, 10_510, 0, 94_590)


def test_10_8_no_win_from_a_meter_is_paid_nothing() -> None:
    with pytest.raises(deal.MeterBelowReseed, match=r"meters.progressive: must be at least 100000, to which it is res"):
        progressive({1: QUADS}, 99_999)
    with pytest.raises(RulesetInvalid, match=r"progressive.meter.reseed_minor must be at least 10, so that no win"):
        progressive({1: QUADS}, 100_000, reseed_minor=9)
    with pytest.raises(RulesetInvalid, match=r"progressive.meter.reseed_minor must be at least 2000, so that no win"):
        progressive({1: QUADS}, 100_000, "shared", reseed_minor=1_999)


@pytest.mark.parametrize(
    ("hand", "paid"),
    [
        ("Ac Kc Qc Jc Tc Ks Qs", 50_000),
        ("8c 7c 6c 5c 4c Ah Kh", 10_000),
        (QUADS, 7_500),
        ("9c 9d 9h 6d 6s 4c 3c", 400),
        ("Ac Jc 9c 6c 2c Kd Qs", 0),
    ],
)
def test_10_8_lower_lines_are_paid_fixed_and_leave_the_meter(hand: str, paid: int) -> None:
    settled = round_of(PROGRESSIVE, {1: hand}, [bet("p1", 1, "progressive")], meters={"progressive": 777_777})
    assert by_wager(settled)["p1"]["paid"] == paid
    assert settled["meters"] == [
        {"name": "progressive", "before": 777_777, "added": 20, "paid": 0, "reseeded": 0, "after": 777_797}
    ]


def test_10_8_a_progressive_bet_needs_its_meter_and_its_one_stake() -> None:
    one = [bet("p1", 1, "progressive")]
    with pytest.raises(deal.MeterMissing, match=r"meters.progressive: must be given: a wager may be paid from it"):
        round_of(PROGRESSIVE, {1: QUADS}, one)
    with pytest.raises(deal.MeterUnknown, match=r"meters.fortune: no side bet pays from it: must be one of prog"):
        round_of(PROGRESSIVE, {1: QUADS}, one, meters={"progressive": 5, "fortune": 5})
    with pytest.raises(deal.SideBetAmountInvalid, match=r"wagers\[p1\].amount: must be 100, not 200"):
        round_of(PROGRESSIVE, {1: QUADS}, [bet("p1", 1, "progressive", 200)], meters={"progressive": 5})
    with pytest.raises(FieldNotUsed, match=f"meters: must be left out: {CASINO} has no use for it"):
        round_of(CASINO, {1: QUADS}, [], meters={"progressive": 5})
    with pytest.raises(StakesTooLarge, match="could move in this round"):
        round_of(PROGRESSIVE, {1: QUADS}, one, meters={"progressive": 2**53 - 1})


def test_10_8_a_meter_is_told_even_if_nobody_bets_on_it() -> None:
    settled = round_of(PROGRESSIVE, {1: QUADS}, [], meters={"progressive": 100_000})
    assert meter_of(settled) == (100_000, 0, 0, 0, 100_000)
    assert "meters" not in round_of(PROGRESSIVE, {1: QUADS}, [])


# §10.1


def test_10_1_a_line_may_push() -> None:
    fortune = {**document(CASINO)["side_bets"]["fortune"], "lines": [{"line": "four_of_a_kind", "pays": 0}]}
    on = rules(CASINO, side_bets={"fortune": fortune})
    given: Json = {"banker": "house", "banker_wager": None, "action_seat": 1}
    _, settled = physical(
        on, hands={1: QUADS}, wagers=[wager("m1", 1), bet("f1", 1, "fortune")], sets={1: "house_way"}, **given
    )
    result = by_wager(settled)["f1"]
    assert (result["result"], result["returned"], result["reason"]) == ("push", 100, "line_pushes")


def side_bet(**changes: Any) -> Json:
    return {"side_bets": {"progressive": {**document(PROGRESSIVE)["side_bets"]["progressive"], **changes}}}


METER = [{"line": "five_aces", "meter_bps": 1_000}]
PLAIN = [{"line": "flush", "pays": 3}]


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        (side_bet(stake_minor=0), "lines", "must not pay from a meter without bonus_contest table and one stake_minor"),
        (side_bet(bonus_contest="must_beat"), "lines", "must not pay from a meter without bonus_contest table"),
        (side_bet(cap_per_spot_minor=9), "lines", "must not pay from a meter under a cap"),
        (side_bet(maximum_payout="posted"), "lines", "must not pay from a meter under a cap"),
        (side_bet(lines=PLAIN), "meter", "must be there just where a line pays from it"),
        (side_bet(meter={"winners": "last"}), "meter.winners", "must be one of first, shared"),
        (side_bet(lines=[{"line": "five_aces", "meter_bps": 10_001}]), "lines", "must have meter_bps of 1 to 10000"),
        (
            side_bet(lines=[{"line": "flush", "pays_minor": 5}]),
            "lines[0]",
            "must have just the fields line and pays or",
        ),
        (
            side_bet(cards="first_three", lines=PLAIN, bonus_contest="must_beat"),
            "bonus_contest",
            "must be table for the first three cards",
        ),
        (
            side_bet(lines=PLAIN, envy={"minimum_minor": 1, "lines": [{"line": "straight", "pays_minor": 1}]}),
            "envy.lines",
            "must be lines of the bet: straight is not",
        ),
        (
            side_bet(lines=PLAIN, envy={"minimum_minor": 1, "lines": [{"line": "flush", "pays_minor": 0}]}),
            "envy.lines",
            "must be lines each once, with pays_minor above zero",
        ),
        (
            {"side_bets": {"dragon": side_bet()["side_bets"]["progressive"]}},
            "side_bets.dragon",
            "must have another name",
        ),
        ({"house_bank": False, "co_bank_bps": 1}, "co_bank_bps", "must be 0 where the house may not bank"),
    ],
)
def test_a_document_with_a_faulty_side_bet_is_refused(changes: Json, field: str, message: str) -> None:
    with pytest.raises(RulesetInvalid) as refused:
        GAME.load(document(CASINO, **changes))
    where = field if field.startswith(("side_bets", "co_bank")) else f"side_bets.progressive.{field}"
    fault = refused.value.faults[0]
    assert fault.field == where
    assert message in fault.message


# §2.4


def test_side_bet_cards_that_nobody_wrote_rules_for_are_not_taken_for_others() -> None:
    """A third kind of cards in the enumeration, which a type checker also finds."""
    lines = [("royal_flush", 50)]
    with pytest.raises(AssertionError, match="last_two"):
        pay_table("last_two", lines, Wheel.SECOND)  # type: ignore[arg-type]

    bet = replace(rules(MANIA).side_bets["mania_seven"], cards="last_two")  # type: ignore[arg-type]
    hand = SetHand(parse_cards("As Ad"), parse_cards("Ks Kd Kh 3c 2d"), False, parse_cards("As Ad Ks"))
    with pytest.raises(AssertionError, match="last_two"):
        Bonuses({"mania_seven": bet}, hand).of_hand("mania_seven", 1, hand)


def test_2_4_the_wild_joker_plays_in_both_hands() -> None:
    assert rules(WILD).joker is Joker.WILD
    seats: Json = {"banker": 4, "action_seat": 1, "banker_wager": 100, "banker_hand": "Js Jd 8s 8h 8d 4d 2h"}
    wagers = [wager("w1", 1, 100)]
    hand = "Jk Qd Ts Th Tc 4c 2c"
    for ruleset, front, result in ((WILD, "higher", "win"), (BI, "lower", "push")):
        _, settled = physical(rules(ruleset), hands={1: hand}, wagers=wagers, sets={1: "Jk Qd", 4: "Js Jd"}, **seats)
        assert (by_wager(settled)["w1"]["front"], by_wager(settled)["w1"]["result"]) == (front, result)
        shown = next(chosen for chosen in settled["sets"] if chosen["seat"] == 1)
        assert shown["front_category"] == ("one_pair" if ruleset == WILD else "high_card")


def test_2_4_all_else_is_as_in_the_bicycle() -> None:
    named = {"id", "title", "source", "joker"}
    wild, bicycle = document(WILD), document(BI)
    assert {name: value for name, value in wild.items() if name not in named} == {
        name: value for name, value in bicycle.items() if name not in named
    }
