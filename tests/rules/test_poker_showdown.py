"""Poker hands, jokers, ties, short deck: section by section of the poker showdown sheet."""

import json
import tomllib
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from cardroom.cards import Card, CardDuplicate, deck, format_cards, parse_cards
from cardroom.documents import RulesetInvalid
from cardroom.game import Game, HouseWayAbsent
from cardroom.games.poker_showdown.deal import (
    CommunityNotWanted,
    DeckChangeUnknown,
    JokersNotOffered,
    StudPlayersTooMany,
)
from cardroom.games.poker_showdown.game import GAME
from cardroom.games.poker_showdown.last_card import FoldStreetInvalid, LastCardNotWanted
from cardroom.games.poker_showdown.rules import ShowdownRules
from cardroom.games.poker_showdown.settle import (
    AnteNotReturnable,
    ContributionInvalid,
    DeadHandFolded,
    DeadOrderInvalid,
    DeadOrderMissing,
    NobodyLeft,
    show,
)
from cardroom.games.poker_showdown.stud import Procedure, cards_needed, deal_stud, last_cards
from cardroom.hands import Category
from cardroom.hands.low import best_five, low, low_name, qualifies
from cardroom.physical import CardNotInDeck, HandSizeWrong, HandsMissing
from cardroom.potted.antes import AnteInvalid, ButtonInvalid
from cardroom.potted.pots import left_of_button, make_pots, share
from cardroom.refusals import Refusal
from cardroom.rounds.steps import NEW_TABLE
from cardroom.seats import FirstDrawNotOffered, SeatUnknown
from cardroom.services.catalogue import published
from cardroom.shuffle import Luck
from cardroom.table import FieldNotUsed
from cardroom.wire.problems import slug_of
from tests import kit
from tests.rules.banked_round import in_usd

Json = dict[str, Any]

VECTORS = Path(__file__).parents[2] / "vectors"
FILE = Path(__file__).parents[2] / "layers/engine/cardroom/rulesets/poker-showdown/washington.toml"
DOCUMENT = tomllib.loads(FILE.read_text())
GAME_: Game = GAME  # the protocol that rounds calls it by
LUCK = Luck(server_seed=bytes(32), terms_sha256=bytes(32), client_seed=None)

PLAYERS = {1: "ann", 2: "bob", 3: "cyd", 4: "dee"}
NUTS, SAME, ALSO = "As Kd Qh Jc Th", "Ad Ks Qc Jh Td", "Ac Kh Qs Jd Ts"


def rules_with(**changed: Any) -> ShowdownRules:
    return GAME.load(in_usd({**DOCUMENT, **changed}))


RULES = rules_with()
WILD = rules_with(joker="wild", jokers={"default": 1, "minimum": 0, "maximum": 2})
HIGH_LOW = rules_with(form="high_low", low_highest=8, jokers={"default": 0, "minimum": 0, "maximum": 2})
LOW = rules_with(form="low", jokers={"default": 0, "minimum": 0, "maximum": 2})


def opening_of(rules: ShowdownRules = RULES, players: dict[int, str] = PLAYERS, **more: Any) -> Json:
    opening = {
        "table_id": "t1",
        "ruleset": rules.ruleset_id,
        "currency": "USD",
        "seats": [{"seat": seat, "bettor": bettor} for seat, bettor in players.items()],
        "button": 1,
        "source": "table",
        **more,
    }
    GAME.check_open(rules, opening, dict(NEW_TABLE))
    return opening


def ante(seat: int, amount: int = 10) -> Json:
    return {
        "wager_id": f"w{seat}", "seat": seat, "bettor": PLAYERS[seat], "circle": 1, "kind": "ante", "amount": amount
    }  # fmt: skip


def play(
    hands: dict[int, str],
    put_in: dict[int, int],
    *,
    rules: ShowdownRules = RULES,
    button: int = 1,
    community: str = "",
    antes: Sequence[Json] = (),
    jokers: int = 0,
    **request: Any,
) -> Json:
    more = {"ante": 10} if antes else {}
    opening = opening_of(rules, {s: PLAYERS[s] for s in put_in}, button=button, jokers=jokers, **more)
    wagering: Json = {
        "wagers": list(antes),
        "hands": [{"seat": seat, "cards": cards.split()} for seat, cards in hands.items()],
    }
    if community:
        wagering["community"] = community.split()
    dealt = kit.deal(GAME, rules, opening, wagering, dict(NEW_TABLE), None)
    contributions = [{"seat": seat, "amount": amount} for seat, amount in put_in.items()]
    settled = kit.settle(GAME, rules, opening, wagering, dealt, {"contributions": contributions, **request})
    assert sum(item["amount"] for item in settled["net"]) == 0
    assert {item["amount"] for item in settled["net"] if item["account"].startswith("pot:")} <= {0}
    return settled


def shares(settled: Json, pot: int = 0) -> list[tuple[int, int]]:
    return [(item["seat"], item["amount"]) for item in settled["pots"][pot]["shares"]]


# §1, §4 High hands and the joker


@pytest.mark.parametrize(
    ("rules", "cards", "category"),
    [
        (RULES, "As Ad Ac Ah Jk", Category.FIVE_ACES),
        (RULES, "Ks Kd Kc Kh Jk", Category.FOUR_OF_A_KIND),  # a bug is an ace here
        (WILD, "Ks Kd Kc Kh Jk", Category.FIVE_OF_A_KIND),
        (WILD, "As Ad Ac Ah Jk", Category.FIVE_ACES),
        (RULES, "As Ks Qs Js Ts", Category.STRAIGHT_FLUSH),
        (RULES, "9s 8s 7s 6s Jk", Category.STRAIGHT_FLUSH),
        (RULES, "Ks Kd Kc 2h 2s", Category.FULL_HOUSE),
        (WILD, "Ks Kd 2h 2s Jk", Category.FULL_HOUSE),
        (RULES, "Ks Kd 2h 2s Jk", Category.TWO_PAIR),
        (RULES, "Ks 9s 7s 6s Jk", Category.FLUSH),
        (RULES, "As 2d 3c 4h 5s", Category.STRAIGHT),
        (RULES, "Jk 2d 3c 4h 5s", Category.STRAIGHT),
        (WILD, "Ks Kd 3c 4h Jk", Category.THREE_OF_A_KIND),
        (RULES, "Ks Kd 3c 4h Jk", Category.ONE_PAIR),
        (RULES, "Ks 9d 3c 4h 2s", Category.HIGH_CARD),
    ],
)
def test_1_and_4_high_hands(rules: ShowdownRules, cards: str, category: Category) -> None:
    assert rules.ranking.category(rules.ranking.five(parse_cards(cards))) is category


def test_1_an_ace_is_low_in_a_five_high_straight_which_is_the_lowest() -> None:
    wheel, six_high = parse_cards("As 2d 3c 4h 5s"), parse_cards("2d 3c 4h 5s 6d")
    assert RULES.ranking.five(wheel) < RULES.ranking.five(six_high)


# §2 Low hands


LOWS = json.loads((VECTORS / "hands/low.json").read_text())["cases"]
LOWS_BEST_FIRST = [case["cards"] for case in LOWS if "order" in case]


def test_2_the_order_of_low_hands() -> None:
    values = [low(parse_cards(hand)) for hand in LOWS_BEST_FIRST]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == len(values)


@pytest.mark.parametrize("case", [case for case in LOWS if "ranks" in case], ids=lambda case: case["cards"])
def test_2_a_joker_is_the_lowest_rank_that_the_hand_lacks(case: Json) -> None:
    assert low_name(low(parse_cards(case["cards"]))) == case["ranks"]


# §5 Ties


SHARES = json.loads((VECTORS / "poker_showdown/shares.json").read_text())["cases"]


@pytest.mark.parametrize("case", SHARES, ids=str)
def test_5_odd_units_go_out_one_at_a_time_beginning_left_of_the_button(case: Json) -> None:
    order = left_of_button(case["tied"], case["button"], places=case["places"])
    assert [list(item) for item in share(case["amount"], order, unit_minor=case.get("unit", 1)).items()] == case[
        "shares"
    ]


def test_5_one_hundred_in_three_gives_34_33_33_beginning_left_of_the_button() -> None:
    hands = {1: NUTS, 2: SAME, 3: ALSO, 4: "9s 9d 2c 3d 4h"}
    put_in = {1: 30, 2: 30, 3: 30, 4: 10}
    assert shares(play(hands, put_in, button=1, folded=[4])) == [(2, 34), (3, 33), (1, 33)]
    assert shares(play(hands, put_in, button=2, folded=[4])) == [(3, 34), (1, 33), (2, 33)]
    assert shares(play(hands, put_in, button=3, folded=[4])) == [(1, 34), (2, 33), (3, 33)]
    assert shares(play(hands, put_in, button=4, folded=[4])) == [(1, 34), (2, 33), (3, 33)]
    settled = play(hands, put_in, button=9, folded=[4])  # nobody sits at the button
    assert (settled["pots"][0]["reason"], settled["pots"][0]["rule"]) == ("tied_high", "poker-showdown §5")


def test_5_no_other_card_and_no_suit_breaks_a_tie() -> None:
    hands = {1: "Ts 9d 8h 7c 6h Ad Ah", 2: "Td 9s 8c 7h 6d 2s 3d"}
    assert shares(play(hands, {1: 50, 2: 50})) == [(2, 50), (1, 50)]


def test_5_a_chip_that_cannot_be_changed_goes_out_whole() -> None:
    hands = {1: NUTS, 2: SAME, 3: ALSO}
    settled = play(hands, {1: 100, 2: 100, 3: 200}, rules=rules_with(chip_unit_minor=100))
    assert shares(settled) == [(2, 100), (3, 100), (1, 100)]
    assert settled["results"][2]["returned"] == 100
    settled = play(hands | {4: "9s 9d 2c 3d 4h"}, dict.fromkeys(PLAYERS, 100), rules=rules_with(chip_unit_minor=100))
    assert shares(settled) == [(2, 200), (3, 100), (1, 100)]


# §6 Best of seven


@pytest.mark.parametrize(
    ("cards", "high", "low_"),
    [
        ("As 2d 3c 4h 5s Ks Kd", "straight", "5-4-3-2-A"),
        ("As Ah 2d 3c 7h 8s Kd", "one_pair", "8-7-3-2-A"),
        ("As Ah 2d 3c 9h Ts Kd", "one_pair", None),
        ("Ks Kh Kd 3c 3h 3s Kc", "four_of_a_kind", None),
        ("8s 7h 6d 5c 4h Ts Kd", "straight", "8-7-6-5-4"),
        ("Jk As 2s 9s Qs 7d 8h", "flush", "8-7-3-2-A"),
    ],
)
def test_6_the_best_five_of_seven_high_and_low(cards: str, high: str, low_: str | None) -> None:
    shown = show(HIGH_LOW, parse_cards(cards))
    assert shown.high is not None
    assert HIGH_LOW.ranking.category(shown.high.value) == high
    assert (None if shown.low is None else low_name(shown.low.value)) == low_


def test_6_of_any_number_of_cards() -> None:
    eleven = parse_cards("As 2d 3c 4h 5s Ks Kd Kc Kh Qs Qd")
    assert RULES.ranking.category(best_five(eleven, RULES.ranking.five).value) is Category.FOUR_OF_A_KIND
    assert low_name(best_five(eleven, low).value) == "5-4-3-2-A"


def test_6_high_and_low_split_and_the_odd_unit_is_in_the_high_half() -> None:
    hands = {1: "As Ah Ad 9c 9h Ts Kd", 2: "2s 3d 4c 5h 7s Jd Qc", 3: "Kc Qd Jh 9s 2c 3h 4d"}
    settled = play(hands, {1: 67, 2: 67, 3: 67}, rules=HIGH_LOW)
    assert shares(settled) == [(1, 101), (2, 100)]
    assert [result["rule"] for result in settled["results"]] == ["poker-showdown §6"] * 3
    assert settled["pots"][0]["reason"] == "high_low"
    assert settled["hands"][1]["low"] == {"ranks": "7-5-4-3-2", "cards": ["2s", "3d", "4c", "5h", "7s"]}


def test_6_tied_lows_share_their_half_from_the_left_of_the_button() -> None:
    hands = {1: "2c 3h 4d 5s 7h Jc Qh", 2: "2s 3d 4c 5h 7s Jd Qc", 3: "Kc Kd Kh 9s 9c 3c 4s"}
    settled = play(hands, {1: 101, 2: 101, 3: 101}, rules=HIGH_LOW)
    assert shares(settled) == [(3, 152), (2, 76), (1, 75)]


def test_6_without_a_qualifying_low_the_high_hand_takes_all() -> None:
    hands = {1: "As Ah Ad 9c 9h Ts Kd", 2: "2s 3d 4c 5h 9s Jd Qc"}
    settled = play(hands, {1: 50, 2: 50}, rules=HIGH_LOW)
    assert shares(settled) == [(1, 100)]
    assert (settled["pots"][0]["reason"], settled["pots"][0]["rule"]) == ("no_low_qualifies", "poker-showdown §6")


def test_6_one_hand_may_win_both_halves() -> None:
    hands = {1: "As 2s 3s 4s 5s Ts Kd", 2: "2c 3d 4c 6h 8s Jd Qc"}
    assert shares(play(hands, {1: 50, 2: 51}, rules=HIGH_LOW)) == [(1, 50), (1, 50)]


def test_6_low_alone() -> None:
    hands = {1: "Ks Kh Kd Kc 9h Ts Qd", 2: "2s 3d 4c 5h 9s Jd Qc", 3: "Jk 3c 4d 5c 9d Jc Qh"}
    settled = play(hands, dict.fromkeys(hands, 40), rules=LOW, jokers=1)
    assert shares(settled) == [(3, 120)]  # the joker is an ace
    assert [(result["reason"], result["rule"]) for result in settled["results"]] == [
        ("not_best", "poker-showdown §2"), ("not_best", "poker-showdown §2"), ("best_low", "poker-showdown §2"),
    ]  # fmt: skip
    assert "high" not in settled["hands"][0]


def test_6_eight_or_better_means_five_different_ranks_to_the_eight() -> None:
    assert [qualifies(low(parse_cards(hand)), 8) for hand in LOWS_BEST_FIRST] == [True] * 6 + [False] * 11


# §7 Cards


@pytest.mark.parametrize(
    ("hands", "kind", "message"),
    [
        ({1: NUTS, 2: "As 2d 3c 4h 5s"}, CardDuplicate, "As comes 2 times; it may come once"),
        ({1: NUTS, 2: "Jk 2d 3c 4h 5s"}, CardNotInDeck, "hands[2].cards: Jk is not among the cards in use"),
        ({1: NUTS, 2: "2d 3c 4h 5s"}, HandSizeWrong,
         "hands[2].cards: must be 5 to 7 cards with those in the middle, not 4"),
        ({1: NUTS, 9: "9s 2d 3c 4h 5s"}, SeatUnknown, "hands[9]: nobody plays at this seat"),
    ],
)  # fmt: skip
def test_7_cards_that_cannot_be(hands: dict[int, str], kind: type, message: str) -> None:
    with pytest.raises(kind) as refusal:
        play(hands, {1: 10, 2: 10})
    assert refusal.value.message == message


def test_7_a_duplicate_between_a_hand_and_the_middle() -> None:
    with pytest.raises(CardDuplicate) as refusal:
        play({1: "As Kd", 2: "2s 2d"}, {1: 10, 2: 10}, community="2c 3d 4h As 9s")
    assert refusal.value.message == "As comes 2 times; it may come once"


def test_7_the_cards_in_the_middle_play_in_every_hand() -> None:
    settled = play({1: "As Ad", 2: "9c Td", 3: "2h 2d"}, dict.fromkeys((1, 2, 3), 10), community="5s 6d 7h 8c 9s")
    assert shares(settled) == [(2, 30)]  # six to ten


# §5, §6, §8 Pots


POTS = json.loads((VECTORS / "poker_showdown/pots.json").read_text())["cases"]


@pytest.mark.parametrize("case", POTS, ids=str)
def test_pots_and_what_goes_back(case: Json) -> None:
    made = make_pots(dict(case["put_in"]), out=case["out"], taken_back=dict(case.get("ante_returned", [])))
    assert [[pot.amount_minor, list(pot.eligible)] for pot in made.pots] == case["pots"]
    assert [list(item) for item in made.returned.items()] == case["returned"]


LEAVING = json.loads((VECTORS / "poker_showdown/leaving.json").read_text())


def settled_leaving(case: Json) -> Json:
    put_in = dict(case["put_in"])
    hands = {seat: " ".join(hand) for seat, hand in LEAVING["hands"] if seat in put_in}
    antes = [ante(seat, case["ante"]) for seat in put_in] if "ante" in case else []
    leaving = {name: case[name] for name in ("folded", "dead_hands", "dead_order") if name in case}
    return play(hands, put_in, antes=antes, community=" ".join(LEAVING["community"]), **leaving)


@pytest.mark.parametrize("case", LEAVING["cases"], ids=lambda case: case["name"])
def test_5_the_last_one_left_in_a_pot_has_won_it(case: Json) -> None:
    if case["name"].endswith("_fail"):
        with pytest.raises(Refusal) as refusal:
            settled_leaving(case)
        assert slug_of(type(refusal.value)) == case["refused"]
        return
    settled = settled_leaving(case)
    assert [[pot["amount"], pot["eligible"], pot["winners"]] for pot in settled["pots"]] == case["pots"]
    assert [[r["seat"], r["returned"]] for r in settled["results"] if r["returned"]] == case["returned"]
    assert [[r["seat"], r["paid"] - r["collected"]] for r in settled["results"]] == case["net"]
    moved = {f"bettor:{PLAYERS[seat]}": amount for seat, amount in case["net"]}
    told = {item["account"]: item["amount"] for item in settled["net"]}
    assert {account: told.get(account, 0) for account in moved} == moved
    order = case.get("dead_order")
    assert settled.get("dead_order") == (order and {"seats": order, "from": "request"})


def test_5_a_pot_that_all_left_needs_no_hand_of_its_winner() -> None:
    settled = play({1: NUTS}, {1: 50, 2: 100, 3: 100}, folded=[2, 3])
    assert [hand["out"] for hand in settled["hands"]] == [False]
    assert [(pot["pot"], pot["reason"], pot["rule"]) for pot in settled["pots"]] == [
        ("main", "others_folded", "poker-showdown §5"),
        ("side_1", "others_folded", "poker-showdown §5"),
    ]
    assert [(r["seat"], r["result"], r["paid"], r["collected"], r["reason"]) for r in settled["results"]] == [
        (1, "win", 150, 50, "others_folded"),
        (2, "lose", 0, 100, "out"),
        (3, "win", 100, 100, "others_folded"),
    ]


def test_side_pots_folds_and_an_uncalled_bet() -> None:
    settled = play({1: NUTS, 2: "9s 9d 9c 2h 3h", 3: "8s 8d 8c 2d 3c"}, {1: 20, 2: 50, 3: 80, 4: 30}, folded=[4])
    assert [(pot["pot"], pot["amount"], pot["eligible"], pot["winners"]) for pot in settled["pots"]] == [
        ("main", 80, [1, 2, 3], [1]),
        ("side_1", 70, [2, 3], [2]),
    ]
    assert [(r["seat"], r["paid"], r["returned"], r["reason"]) for r in settled["results"]] == [
        (1, 80, 0, "best_high"),
        (2, 70, 0, "best_high"),
        (3, 0, 30, "not_best"),
        (4, 0, 0, "out"),
    ]


def test_a_pot_without_contest_needs_no_hand() -> None:
    settled = play({}, {1: 20, 2: 20, 3: 50}, folded=[1, 2])
    assert shares(settled) == [(3, 60)]
    assert settled["results"][2]["returned"] == 30


@pytest.mark.parametrize(
    ("hands", "put_in", "request_", "kind", "message"),
    [
        ({1: NUTS}, {1: 20, 2: 20}, {}, HandsMissing, "hands[2]: must have been given: this hand plays"),
        ({}, {1: 20, 2: 20}, {"folded": [1, 2]}, NobodyLeft, "folded: must leave one hand that can win"),
        ({}, {1: 20, 2: 20, 3: 20}, {"dead_hands": [{"seat": 2}, {"seat": 3}, {"seat": 1}]}, DeadOrderMissing,
         "dead_order: must be given: the hands of seats 1, 2, 3 are dead in a pot that nobody else is in"),
        ({}, {1: 20, 2: 30, 3: 30, 4: 20}, {"dead_hands": [{"seat": seat} for seat in (2, 3, 4)]}, DeadOrderMissing,
         "dead_order: must be given: the hands of seats 2, 3 are dead in a pot that nobody else is in"),
        ({}, {1: 20, 2: 20, 3: 20}, {"dead_hands": [{"seat": 2}, {"seat": 3}], "dead_order": [3, 1]}, DeadOrderInvalid,
         "dead_order: must name each dead hand once, seats 2, 3 in some order, not 3, 1"),
        ({}, {1: 20, 2: 20}, {"dead_order": [2]}, DeadOrderInvalid,
         "dead_order: must be left out: no hand is dead"),
        ({}, {1: 20, 2: 20}, {"folded": [2], "dead_hands": [{"seat": 2}]}, DeadHandFolded,
         "dead_hands[2]: must not be in folded too: a hand that is dead did not fold"),
        ({}, {1: 20, 2: 20}, {"folded": [7]}, SeatUnknown, "folded[7]: nobody plays at this seat"),
        ({}, {1: 20, 2: 20}, {"contributions": [{"seat": 1, "amount": 5}]}, ContributionInvalid,
         "contributions[2]: must be given, 0 if nothing"),
        ({}, {1: 20, 2: 20}, {"dead_hands": [{"seat": 1, "ante_returned": True}]}, AnteNotReturnable,
         "dead_hands[1].ante_returned: must be left out: this player has no ante in the pot"),
        ({}, {1: 20, 2: 20}, {"betting": [{}]}, FieldNotUsed,
         "betting: must be left out: poker-showdown/washington has no use for it"),
    ],
)  # fmt: skip
def test_settlements_that_cannot_be(
    hands: dict[int, str], put_in: dict[int, int], request_: Json, kind: type, message: str
) -> None:
    with pytest.raises(kind) as refusal:
        play(hands, put_in, **request_)
    assert refusal.value.message == message


# §8 Antes


def test_8_the_ante_of_a_dead_hand_may_be_returned_out_of_the_main_pot() -> None:
    hands, put_in = {1: NUTS, 3: "8s 8d 8c 2d 3c"}, {1: 30, 2: 50, 3: 50}
    antes = [ante(1), ante(2), ante(3)]

    kept = play(hands, put_in, antes=antes, dead_hands=[{"seat": 2}])
    assert [pot["amount"] for pot in kept["pots"]] == [90, 40]

    given_back = play(hands, put_in, antes=antes, dead_hands=[{"seat": 2, "ante_returned": True}])
    assert [pot["amount"] for pot in given_back["pots"]] == [80, 40]
    assert given_back["results"][1] == {
        "wager_id": "w2", "kind": "ante", "seat": 2, "bettor": "bob", "amount": 50, "result": "lose", "paid": 0,
        "collected": 40, "returned": 10, "reason": "dead_hand_ante_returned", "rule": "poker-showdown §8",
    }  # fmt: skip


def test_8_the_ante_is_fixed_before_the_first_card() -> None:
    opening = opening_of(ante=10)
    with pytest.raises(AnteInvalid) as refusal:
        kit.deal(GAME, RULES, opening, {"wagers": [ante(1), ante(2), ante(3), ante(4, 5)]}, dict(NEW_TABLE), None)
    assert (
        refusal.value.message == "wagers[w4].amount: must be the ante of 10, or all that the player has if that is less"
    )
    with pytest.raises(ContributionInvalid) as refusal:
        play({}, {1: 5, 2: 10}, antes=[ante(1), ante(2)], folded=[1])
    assert refusal.value.message == "contributions[1].amount: must be at least the ante, 10, not 5"


def test_a_void_returns_the_antes() -> None:
    assert GAME.returned({"wagers": [ante(1)]}, {"postings": []}) == {
        "returned": [{"wager_id": "w1", "amount": 10}],
        "postings": [],
    }


# §9 The short deck


def as_they_are(cards: Sequence[Card]) -> Sequence[Card]:
    return cards


STUB, BURNS = deck(0)[:20], deck(0)[40:43]


@pytest.mark.parametrize(
    ("stub", "players", "procedure"),
    [
        (8, 7, Procedure.ENOUGH),  # after the burn, seven for seven
        (7, 7, Procedure.SCRAMBLED),
        (5, 7, Procedure.SCRAMBLED),  # n = r + 3
        (4, 7, Procedure.SCRAMBLED_NO_BURN),  # n = r + 4
        (3, 7, Procedure.COMMUNITY),
        (2, 5, Procedure.SCRAMBLED_NO_BURN),  # five players without a card, five cards
        (2, 6, Procedure.COMMUNITY),
        (1, 8, Procedure.COMMUNITY),  # a stub under two cards
        (1, 3, Procedure.SCRAMBLED),
    ],
)
def test_9_the_procedure_is_decided_before_the_last_card(stub: int, players: int, procedure: Procedure) -> None:
    assert last_cards(STUB[:stub], BURNS, players, as_they_are).procedure is procedure


@pytest.mark.parametrize("stub", range(9))
@pytest.mark.parametrize("players", range(1, 9))
def test_9_nobody_gets_a_card_twice_and_everybody_one_or_nobody(stub: int, players: int) -> None:
    last = last_cards(STUB[:stub], BURNS, players, as_they_are)

    assert len(set(last.cards)) == len(last.cards) == (0 if last.community else players)
    assert {*last.cards, *([last.community] if last.community else [])} <= {*STUB[:stub], *BURNS}
    assert (last.procedure is Procedure.COMMUNITY) == (players > stub - 1 + 4)


def test_9_all_but_the_last_card_then_that_one_and_the_four_burns_after_a_burn() -> None:
    """Seven cards are left for seven players: burn, five dealt, the seventh scrambled with four burns."""
    scrambled: list[Sequence[Card]] = []

    def backwards(cards: Sequence[Card]) -> Sequence[Card]:
        scrambled.append(list(cards))
        return cards[::-1]

    last = last_cards(STUB[:7], BURNS, 7, backwards)

    assert scrambled == [[STUB[6], *BURNS, STUB[0]]]
    assert last.cards == (*STUB[1:6], *(BURNS[2], BURNS[1]))  # the first of the scrambled ones is burned


def test_9_without_a_burn_each_of_five_gets_a_fresh_card() -> None:
    last = last_cards(STUB[:4], BURNS, 7, as_they_are)
    assert last.cards == (STUB[1], STUB[2], STUB[3], *BURNS, STUB[0])


def test_9_a_community_card_after_a_burn() -> None:
    assert last_cards(STUB[:3], BURNS, 8, as_they_are).community == STUB[1]
    assert last_cards(STUB[:1], BURNS, 8, as_they_are).community == BURNS[0]


def test_9_a_stud_round_of_two_is_seven_cards_each_and_three_burns_before_the_last() -> None:
    cards = deck(0)
    stud = deal_stud(cards, 2)
    assert stud.burned == (cards[6], cards[9], cards[12])
    assert stud.hands[0] == (cards[0], cards[2], cards[4], cards[7], cards[10], cards[13])
    assert stud.hands[1] == (cards[1], cards[3], cards[5], cards[8], cards[11], cards[14])
    last = last_cards(cards[cards_needed(2) :], stud.burned, 2, as_they_are)
    assert last == (Procedure.ENOUGH, (cards[16], cards[17]), None)


def stud(players: int, **more: Any) -> tuple[Json, Json]:
    seats = {seat: f"b{seat}" for seat in range(1, players + 1)}
    opening = opening_of(players=seats, source="shuffle", **more)
    return opening, kit.deal(GAME, RULES, opening, {"wagers": []}, dict(NEW_TABLE), LUCK)


def folds(*told: tuple[int, int]) -> list[Json]:
    """Folds as `(seat, after how many cards)`."""
    return [{"seat": seat, "after": after} for seat, after in told]


def stud_settled(players: int, folded: Sequence[Json | int] = (), luck: Luck = LUCK, **request: Any) -> Json:
    seats = {seat: f"b{seat}" for seat in range(1, players + 1)}
    opening = opening_of(players=seats, source="shuffle")
    dealt = kit.deal(GAME, RULES, opening, {"wagers": []}, dict(NEW_TABLE), luck)
    request = {"contributions": [{"seat": seat, "amount": 10} for seat in seats], **request}
    if folded:
        request["folded"] = list(folded)
    return kit.settle(GAME, RULES, opening, {"wagers": []}, dealt, request, luck=luck)


@pytest.mark.parametrize("players", range(2, 9))
def test_9_a_shuffled_stud_round_is_dealt_from_the_seed_and_settled(players: int) -> None:
    _, dealt = stud(players)
    settled = stud_settled(players)

    hands = [card for hand in dealt["hands"] for card in hand["cards"]]
    assert len(hands) == 6 * players
    assert [hand["cards"] for hand in settled["hands"]] == [hand["cards"] for hand in dealt["hands"]]
    hands += [hand["drawn"] for hand in settled["hands"] if "drawn" in hand] + settled.get("community", [])
    assert len(set(hands)) == len(hands) == (7 * players if players < 8 else 49)
    assert dealt["order"] == [*range(2, players + 1), 1]
    assert settled.get("short_deck", {}).get("procedure") == {7: "scrambled", 8: "community"}.get(players)
    assert sum(amount for _, amount in shares(settled)) == 10 * players


def test_9_scrambled_cards_come_from_the_seed() -> None:
    _, dealt = stud(7)
    cards = format_cards(LUCK.shuffle(deck(0), None))
    assert dealt["burned"] == [cards[21], cards[29], cards[37]]
    pile = format_cards(LUCK.scramble(parse_cards([cards[51], *dealt["burned"], cards[45]])))
    last = {hand["seat"]: hand["drawn"] for hand in stud_settled(7)["hands"]}
    assert [last[seat] for seat in dealt["order"]] == [*cards[46:51], *pile[1:3]]


def test_9_a_community_card_and_who_opens() -> None:
    settled = stud_settled(8)
    boards = boards_of(settled)
    best = max(map(RULES.ranking.five, boards.values()))
    assert RULES.ranking.five(boards[settled["short_deck"]["opens"]]) == best


def boards_of(settled: Json) -> dict[int, tuple[Card, ...]]:
    """What lies open, with the card that was turned for all."""
    turned = parse_cards(settled["community"])
    return {hand["seat"]: (*parse_cards(hand["cards"][2:6]), *turned) for hand in settled["hands"]}


def test_9_a_seat_that_folded_before_the_last_card_never_opens() -> None:
    """Of eight, one folds: seven are more than the four that one card and three burns are for."""
    opened = stud_settled(8)["short_deck"]["opens"]
    settled = stud_settled(8, folds((opened, 6)))
    boards = boards_of(settled)
    assert settled["short_deck"]["procedure"] == "community"
    opens = settled["short_deck"]["opens"]
    assert opens != opened
    assert RULES.ranking.five(boards[opens]) == max(
        RULES.ranking.five(board) for seat, board in boards.items() if seat != opened
    )


@pytest.mark.parametrize(
    ("players", "folded", "procedure", "drawn"),
    [
        (7, [], "scrambled", 7),
        (7, [(3, 3)], None, 6),  # six cards are left after the fourth burn, and six are still in
        (7, [(3, 7)], "scrambled", 7),  # who folds when he has seen his last card has got one
        (8, [(1, 3), (2, 4), (3, 5)], "community", 0),
        (8, [(1, 3), (2, 4), (3, 5), (4, 6)], "scrambled_no_burn", 4),
        (8, [(1, 3), (2, 4), (3, 5), (4, 6), (5, 7)], "scrambled_no_burn", 4),
        (8, [(1, 3), (2, 4), (3, 5), (4, 6), (5, 6)], "scrambled", 3),
        (8, [(seat, 3) for seat in range(1, 8)], None, 0),  # the last one has won, and gets no card
    ],
)
def test_9_who_is_in_when_the_last_card_is_due_counts(
    players: int, folded: list[tuple[int, int]], procedure: str | None, drawn: int
) -> None:
    settled = stud_settled(players, folds(*folded))
    got = {hand["seat"] for hand in settled["hands"] if "drawn" in hand}
    assert settled.get("short_deck", {}).get("procedure") == procedure
    assert len(got) == drawn
    assert not got & {seat for seat, after in folded if after < 7}
    assert {hand["seat"]: hand["folded_after"] for hand in settled["hands"] if "folded_after" in hand} == dict(folded)


def test_9_the_last_card_goes_round_among_those_who_are_in() -> None:
    cards = format_cards(LUCK.shuffle(deck(0), None))
    settled = stud_settled(4, folds((3, 4)))
    # 24 cards, three burns among them, and the fourth; then seats 2, 4 and 1, from the left of the button.
    assert {hand["seat"]: hand.get("drawn") for hand in settled["hands"]} == {
        2: cards[28], 3: None, 4: cards[29], 1: cards[30]
    }  # fmt: skip


def test_9_folded_cards_are_never_used_again() -> None:
    settled = stud_settled(8, folds((1, 3), (2, 3), (3, 3), (4, 3)))
    gone = {card for hand in settled["hands"] for card in hand["cards"]}
    assert not gone & {hand["drawn"] for hand in settled["hands"] if "drawn" in hand}


@pytest.mark.parametrize(
    ("folded", "message"),
    [
        ([2], "folded[2]: must be {seat, after}: after how many cards of stud, 3 to 7, it folded"),
        (folds((2, 5), (3, 4)), "folded[3].after: must not be less than that of a seat that left before"),
    ],
)
def test_9_a_fold_says_after_which_card_it_was(folded: list[Any], message: str) -> None:
    with pytest.raises(FoldStreetInvalid) as refusal:
        stud_settled(4, folded)
    assert refusal.value.message == message


def test_9_at_a_physical_table_a_fold_is_of_no_street() -> None:
    with pytest.raises(FoldStreetInvalid) as refusal:
        play({1: NUTS}, {1: 20, 2: 20}, folded=folds((2, 5)))
    assert refusal.value.message == "folded[2]: must be the seat alone: the cards of a physical table are told"


# §7, §9 The last card at a physical table

SIX, SIX_TOO = "As Kd Qh Jc 2h 3h", "9s 9d 4h 5c 7h 8h"


def test_7_the_last_cards_of_a_physical_table_may_come_with_the_settlement() -> None:
    hands, put_in = {1: SIX, 2: SIX_TOO}, {1: 20, 2: 20}
    assert shares(play(hands, put_in)) == [(2, 40)]
    last = [{"seat": 1, "card": "Th"}, {"seat": 2, "card": "Td"}]
    settled = play(hands, put_in, drawn_cards=last)
    assert shares(settled) == [(1, 40)]  # a straight
    assert [hand["drawn"] for hand in settled["hands"]] == ["Th", "Td"]
    settled = play(hands, put_in, turned="Th")
    assert shares(settled) == [(1, 40)]
    assert settled["community"] == ["Th"]


@pytest.mark.parametrize(
    ("hands", "request_", "kind", "message"),
    [
        ({1: SIX}, {"folded": [2], "drawn_cards": [{"seat": 2, "card": "Th"}]}, LastCardNotWanted,
         "drawn_cards[2]: must be left out: the cards of this hand were not told"),
        ({1: SIX, 2: SIX_TOO}, {"drawn_cards": [{"seat": 2, "card": "As"}]}, CardDuplicate,
         "As comes 2 times; it may come once"),
        ({1: SIX, 2: SIX_TOO}, {"turned": "Jk"}, CardNotInDeck, "turned: Jk is not among the cards in use"),
        ({1: SIX + " 6c", 2: SIX_TOO}, {"turned": "Th"}, HandSizeWrong,
         "turned: makes a hand of 8 cards: must be 7 at most"),
        ({1: SIX + " 6c", 2: SIX_TOO}, {"drawn_cards": [{"seat": 1, "card": "Th"}]}, HandSizeWrong,
         "drawn_cards: makes a hand of 8 cards: must be 7 at most"),
        ({1: SIX, 2: SIX_TOO}, {"drawn_cards": [{"seat": 77, "card": "Th"}]}, SeatUnknown,
         "drawn_cards[77]: must be 1 to 10"),
    ],
)  # fmt: skip
def test_7_last_cards_that_cannot_be(hands: dict[int, str], request_: Json, kind: type, message: str) -> None:
    with pytest.raises(kind) as refusal:
        play(hands, {1: 20, 2: 20}, **request_)
    assert refusal.value.message == message


@pytest.mark.parametrize("told", [{"turned": "As"}, {"drawn_cards": [{"seat": 1, "card": "As"}]}])
def test_9_no_last_card_is_told_where_the_service_deals_it(told: Json) -> None:
    with pytest.raises(LastCardNotWanted) as refusal:
        stud_settled(3, **told)
    assert refusal.value.message == f"{next(iter(told))}: must be left out: the service deals the last card"


def test_9_nine_players_cannot_be_dealt() -> None:
    with pytest.raises(StudPlayersTooMany) as refusal:
        stud(9)
    assert refusal.value.message == "seats: 9 players need 57 cards before the last one, the deck has 52"


def test_9_no_cards_are_named_where_the_service_deals() -> None:
    opening = opening_of(source="shuffle")
    with pytest.raises(CommunityNotWanted) as refusal:
        kit.deal(GAME, RULES, opening, {"wagers": [], "community": ["As"]}, dict(NEW_TABLE), LUCK)
    assert refusal.value.message == "community: must be left out: the service deals this round"


def test_9_scrambles_are_permutations_and_reach_them_all() -> None:
    reached = {
        Luck(server_seed=bytes([n]) * 32, terms_sha256=bytes(32), client_seed=None).scramble("ABC") for n in range(100)
    }
    assert reached == set(permutations("ABC"))
    assert LUCK.scramble(deck(0)) != LUCK.shuffle(deck(0), None)  # another purpose, another stream


# §10 The life of a deck


def warnings(last: Json | None, named: Json, players: int = 4, rules: ShowdownRules = RULES) -> list[str]:
    opening = opening_of(rules, {seat: f"b{seat}" for seat in range(1, players + 1)})
    table = {**NEW_TABLE, "deck": last}
    body = kit.deal(GAME, rules, opening, {"wagers": [], "deck": named}, table, None)
    assert all(warning["rule"] == "poker-showdown §10" for warning in body["warnings"])
    return [f"{warning['code']}: {warning['message']}" for warning in body["warnings"]]


RED = {"deck_id": "d1", "colour": "red", "hands": 3, "players": 4}
BLUE = {"deck_id": "d2", "colour": "blue"}


def test_10_a_deck_stays_for_a_full_cycle_round_the_table() -> None:
    early = "deck_changed_early: deck d1 was changed after 3 hands of at least 4"
    assert warnings(None, BLUE) == []
    assert warnings(RED, BLUE) == [early]
    assert warnings(RED, {**BLUE, "changed": "defective"}) == []
    assert warnings(RED, {**BLUE, "changed": "machine"}) == []
    assert warnings({**RED, "hands": 4}, BLUE) == []
    assert warnings(RED, {"deck_id": "d1", "colour": "red"}) == []


def test_10_or_for_seven_hands_where_the_house_banks() -> None:
    seven = rules_with(deck_life_hands=7)
    assert warnings({**RED, "hands": 6}, BLUE, rules=seven) == [
        "deck_changed_early: deck d1 was changed after 6 hands of at least 7"
    ]
    assert warnings({**RED, "hands": 7}, BLUE, rules=seven) == []


def test_10_two_decks_of_different_colours() -> None:
    assert warnings({**RED, "hands": 9}, {**BLUE, "colour": "red"}) == [
        "deck_colour_same: decks d1 and d2 are both red"
    ]
    assert warnings(RED, {"deck_id": "d1", "colour": "blue"}) == [
        "deck_colour_changed: deck d1 was red before, now it is blue"
    ]


def test_10_the_table_counts_the_hands_of_a_deck() -> None:
    assert hands_of_decks(RED, RED, BLUE, RED) == [("d1", 1), ("d1", 2), ("d2", 1), ("d1", 1)]
    assert (
        GAME.after_deal(RULES, {}, {}, {}, {"deck": RED}) == GAME.after_settle(RULES, {}, {}, "r1", {"deck": RED}) == {}
    )


def hands_of_decks(*named: Json, voided: Sequence[int] = ()) -> list[tuple[str, int]]:
    """The table's deck and its hands after each of some hands, some of them voided, counted from 0."""
    room, seen = kit.Table(published().ruleset("poker-showdown/washington")), []
    for number, deck_ in enumerate(named):
        room.call("opened", f"r{number}", opening_of(players={1: "ann", 2: "bob"}))
        told = {"deck_id": deck_["deck_id"], "colour": deck_["colour"]}
        hands = [{"seat": 1, "cards": NUTS.split()}, {"seat": 2, "cards": SAME.split()}]
        room.call("dealt", f"r{number}", {"wagers": [], "hands": hands, "deck": told})
        if number in voided:
            room.call("voided", f"r{number}", {"table_id": "t1", "reason": "other"})
        else:
            put_in = [{"seat": 1, "amount": 5}, {"seat": 2, "amount": 5}]
            settled = room.call("settled", f"r{number}", {"contributions": put_in})
            assert settled["body"]["deck"] == deck_["deck_id"]
        seen.append((room.state["deck"]["deck_id"], room.state["deck"]["hands"]))
    return seen


def test_10_a_voided_hand_is_no_hand_of_play() -> None:
    assert hands_of_decks(RED, RED, RED, voided=[1]) == [("d1", 1), ("d1", 1), ("d1", 2)]
    assert hands_of_decks(RED, BLUE, BLUE, voided=[1]) == [("d1", 1), ("d2", 0), ("d2", 1)]


def test_10_a_round_of_fewer_players_does_not_shorten_a_decks_life() -> None:
    table: Json = dict(NEW_TABLE)
    named = {"deck_id": "d1", "colour": "red"}
    for players in (4, 6, 2):
        opening = opening_of(RULES, {seat: f"b{seat}" for seat in range(1, players + 1)})
        table |= GAME.after_deal(RULES, opening, {"deck": named}, {}, table)
        table |= GAME.after_settle(RULES, opening, {"deck": "d1"}, "r1", table)
    assert table["deck"] == {**named, "hands": 3, "players": 6}
    assert warnings(table["deck"], BLUE, players=2) == [
        "deck_changed_early: deck d1 was changed after 3 hands of at least 6"
    ]
    assert warnings({**table["deck"], "hands": 6}, BLUE, players=9) == []


def test_10_another_reason_to_change_a_deck() -> None:
    with pytest.raises(DeckChangeUnknown) as refusal:
        warnings(RED, {**BLUE, "changed": "superstition"})
    assert refusal.value.message == "deck.changed: must be one of defective, machine"


# Openings and rule sets


@pytest.mark.parametrize(
    ("more", "kind", "message"),
    [
        ({"button": None}, ButtonInvalid, "button: must be 1 to 10: odd units go out from its left"),
        ({"jokers": 2}, JokersNotOffered, "jokers: must be 0 to 1, not 2"),
        ({"ante": 0}, AnteInvalid, "ante: must be 1 or more, or left out"),
        ({"fees": {}}, FieldNotUsed, "fees: must be left out: poker-showdown/washington has no use for it"),
    ],
)
def test_an_opening_that_the_rules_do_not_allow(more: Json, kind: type, message: str) -> None:
    with pytest.raises(kind) as refusal:
        opening_of(**more)
    assert refusal.value.message == message


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"joker": "off"}, "jokers.maximum must be 0 where jokers are off"),
        ({"form": "high", "low_highest": 8},
         "low_highest must be 0 where high and low do not split: some hand must win"),
        ({"form": "high_low", "low_highest": 4},
         "low_highest must be 0 or 5 to 13: five different cards have one of 5 or more"),
        ({"least_cards": 7, "most_cards": 6}, "most_cards must be at least least_cards, 7"),
    ],
)  # fmt: skip
def test_rule_sets_that_make_no_sense(changed: Json, message: str) -> None:
    with pytest.raises(RulesetInvalid) as refusal:
        rules_with(**changed)
    assert refusal.value.message == f"not a poker showdown rule set: {message}"


def test_jokers_can_be_off() -> None:
    assert len(GAME.deck(rules_with(joker="off", jokers={"default": 0, "minimum": 0, "maximum": 0}), {})) == 52


def test_no_house_way_and_no_draw() -> None:
    with pytest.raises(HouseWayAbsent) as refusal:
        GAME.set_hands(RULES, [], "player")
    assert refusal.value.message == "poker-showdown/washington has no house way: nobody sets a hand"
    with pytest.raises(FirstDrawNotOffered) as none:
        GAME.draw(RULES, "first_button", [1, 2], LUCK)
    assert none.value.message == "poker-showdown/washington has no draw for first_button"
