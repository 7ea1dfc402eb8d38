"""Hi-hi-lo, by the sections of its rule sheet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cardroom.banked.bets import BankerWagers, CircleUnknown
from cardroom.banked.cover import WagersExceedBanker
from cardroom.banked.opening import BankerMissing, BankerTurnOver, HouseCannotBank
from cardroom.banked.sets import CardNotDealt, SeatNotSet, SetNotOffered
from cardroom.cards import CardDuplicate, deck, format_cards, parse_card, parse_cards
from cardroom.documents import RulesetInvalid
from cardroom.games.hi_hi_lo.deal import BetsUnequal
from cardroom.games.hi_hi_lo.game import GAME
from cardroom.games.hi_hi_lo.house_way import Role, arrange, set_hand
from cardroom.games.hi_hi_lo.rules import KINDS, HiHiLoRules
from cardroom.games.hi_hi_lo.settle import ArrangementInvalid, judge, values_of
from cardroom.physical import CardNotInDeck, HandSizeWrong, HandsMissing, HandsNotWanted
from cardroom.seats import FirstDrawNotOffered, SeatDuplicate, SeatUnknown
from cardroom.services.catalogue import published
from cardroom.table import FieldNotUsed, WagerKindNotOffered
from tests import kit
from tests.rules import banked_round
from tests.rules.banked_round import CHANCE, document, hands, luck, play, results, table, wager

Json = dict[str, Any]


def opening(*seated: int, banker: int, **more: Any) -> Json:
    """An opening whose banker the floor drew for."""
    return banked_round.opening(*seated, banker=banker, **{"drawn_by_hand": True, **more})


ID = "hi-hi-lo/redding-1995"
RULES: HiHiLoRules = GAME.load(document(ID))
TIES = json.loads((Path(__file__).parents[2] / "vectors" / "hi_hi_lo" / "ties.json").read_text())["cases"]
PARTS = ("one", "two", "low")


def bets(seat: int, amount: int) -> list[Json]:
    return [wager(seat, amount, kind) for kind in KINDS]


def wagering(*seats: int, amount: int = 100, **more: Any) -> Json:
    return {"wagers": [bet for seat in seats for bet in bets(seat, amount)], "banker_wager": 10_000, **more}


def arranged(seat: int, cards: str) -> Json:
    texts = cards.split()
    return {"seat": seat, "how": "arranged", "one": texts[:1], "two": texts[1:3], "low": texts[3:]}


def by_house(*seats: int) -> Json:
    return {"sets": [{"seat": seat, "how": "house_way"} for seat in seats]}


class Stacked:
    """A shuffle whose order is known."""

    def __init__(self, cards: str) -> None:
        top = parse_cards(cards)
        self.cards = (*top, *(card for card in deck(1) if card not in top))

    def shuffle(self, cards: Any, cut: int | None) -> Any:
        assert cut is None and set(cards) == set(self.cards)
        return self.cards


# §1 the deck


def test_1_deck_has_one_joker() -> None:
    cards = GAME.deck(RULES, opening(1, 2, banker=1))
    assert len(cards) == 53 and format_cards(cards)[-1] == "Jk"


def test_1_physical_cards_come_from_that_deck() -> None:
    cards = {1: "As Ks Qs Js Ts Jk2", 2: "2c 3c 4c 5c 6c 7c"}
    with pytest.raises(CardNotInDeck, match=r"hands\[1\]\.cards: Jk2 is not among the cards in use"):
        kit.deal(GAME, RULES, opening(1, 2, banker=1), wagering(2, hands=hands(cards)), table(), None)
    cards = {1: "As Ks Qs Js Ts Jk", 2: "2c 3c 4c 5c 6c As"}
    with pytest.raises(CardDuplicate, match="As comes 2 times; it may come once"):
        kit.deal(GAME, RULES, opening(1, 2, banker=1), wagering(2, hands=hands(cards)), table(), None)


# §2 the bets


@pytest.mark.parametrize(
    "change",
    [
        {"low": 99},
        {"high_one": 101},
        {"high_two": None},
        {"high_one": None, "low": None},
    ],
)
def test_2_unequal_bets_are_refused(change: dict[str, int | None]) -> None:
    amounts = {"high_one": 100, "high_two": 100, "low": 100, **change}
    wagers = [wager(2, amount, kind) for kind, amount in amounts.items() if amount is not None]
    with pytest.raises(BetsUnequal) as refused:
        kit.deal(GAME, RULES, opening(1, 2, banker=1), {"wagers": wagers, "banker_wager": 1_000}, table(), CHANCE)
    told = ", ".join(f"{kind} {'missing' if amounts[kind] is None else amounts[kind]}" for kind in KINDS)
    assert f"seat 2 bets {told}: must be three equal bets of one bettor" in refused.value.message
    assert [fault.field for fault in refused.value.faults] == [
        f"wagers[{kind}-2-1].amount" for kind in sorted(amounts) if amounts[kind] is not None
    ]


def test_2_players_need_not_bet_alike() -> None:
    wagers = [*bets(2, 100), *bets(3, 700)]
    body = kit.deal(GAME, RULES, opening(1, 2, 3, banker=1), {"wagers": wagers, "banker_wager": 9_999}, table(), CHANCE)
    assert body["action_order"] == [2, 3]


def test_2_a_fee_a_hand_by_the_amount_of_one_bet() -> None:
    fees = {"wager": [{"low": 0, "high": 500, "fee": 10}, {"low": 500, "fee": 30}], "banker": [{"low": 0, "fee": 50}]}
    opened = opening(1, 2, 3, banker=1, fees=fees)
    GAME.check_open(RULES, opened, table())
    wagers = [*bets(2, 200), *bets(3, 500)]
    body = kit.deal(GAME, RULES, opened, {"wagers": wagers, "banker_wager": 9_999}, table(), CHANCE)
    assert body["fees"] == [
        {"wager_id": "high_one-2-1", "bettor": "b2", "amount": 10},
        {"wager_id": "high_one-3-1", "bettor": "b3", "amount": 30},
        {"banker": True, "bettor": "b1", "amount": 50},
    ]
    assert [(p["from"], p["amount"], p["why"]) for p in body["postings"]] == [
        ("bettor:b2", 10, "fee"),
        ("bettor:b3", 30, "fee"),
        ("bettor:b1", 50, "fee"),
    ]
    back = GAME.returned({"wagers": wagers}, body)
    assert {p["to"]: p["amount"] for p in back["postings"]} == {"bettor:b2": 10, "bettor:b3": 30, "bettor:b1": 50}
    assert {item["wager_id"]: item["amount"] for item in back["returned"]}["low-3-1"] == 500


@pytest.mark.parametrize(
    ("bet", "kind", "message"),
    [
        (wager(2, 100), WagerKindNotOffered, "offers high_one, high_two, low, not main"),
        (wager(2, 100, "low", circle=2), CircleUnknown, "must be 1 to 1, not 2"),
        (wager(1, 100, "low"), BankerWagers, "b1 banks and wagers on no hand"),
        (wager(4, 100, "low"), SeatUnknown, "nobody plays at seat 4: must be one of 1, 2"),
    ],
)
def test_2_other_bets_are_refused(bet: Json, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        kit.deal(
            GAME,
            RULES,
            opening(1, 2, banker=1),
            {"wagers": [*bets(2, 100)[:2], bet], "banker_wager": 1_000},
            table(),
            CHANCE,
        )


# §3 the banker


def test_3_draw_gives_the_highest_card_the_option() -> None:
    drawn = GAME.draw(RULES, "first_banker", [5, 2, 7], Stacked("9c Kd 3s"))
    assert drawn == {
        "cards": [{"seat": 2, "cards": ["9c"]}, {"seat": 5, "cards": ["Kd"]}, {"seat": 7, "cards": ["3s"]}],
        "seat": 5,
    }


def test_3_tied_seats_draw_again_from_the_same_deck_and_the_joker_is_an_ace() -> None:
    drawn = GAME.draw(RULES, "first_banker", [1, 2, 3], Stacked("Jk Kc As 4c 4d 5c 2s"))
    assert drawn["seat"] == 1
    assert drawn["cards"] == [
        {"seat": 1, "cards": ["Jk", "4c", "5c"]},
        {"seat": 2, "cards": ["Kc"]},
        {"seat": 3, "cards": ["As", "4d", "2s"]},
    ]


def test_3_a_draw_that_is_tied_to_the_end_of_the_deck_is_the_first_seats() -> None:
    pairs = " ".join(f"{rank}c {rank}d {rank}h {rank}s" for rank in "23456789TJQKA")
    drawn = GAME.draw(RULES, "first_banker", [4, 6], Stacked(pairs))
    assert drawn["seat"] == 4
    assert [len(item["cards"]) for item in drawn["cards"]] == [26, 26]


def test_3_draw_refuses_what_is_no_draw() -> None:
    with pytest.raises(FirstDrawNotOffered, match="has no draw for first_button: must be first_banker"):
        GAME.draw(RULES, "first_button", [1, 2], CHANCE)
    with pytest.raises(SeatUnknown, match=r"seats\[9\]: must be 1 to 8"):
        GAME.draw(RULES, "first_banker", [1, 9], CHANCE)
    with pytest.raises(SeatDuplicate, match=r"seats\[2\]: must be named once"):
        GAME.draw(RULES, "first_banker", [2, 1, 2], CHANCE)


def test_3_banker_has_three_hands_in_a_row() -> None:
    opened, before = opening(1, 2, banker=1, source="shuffle"), table()
    request = by_house(1, 2)
    for hand in range(3):
        opened["drawn_by_hand"] = hand == 0
        _, settled = play(GAME, RULES, opened, wagering(2), request, before=before, chance=luck(hand))
        before |= GAME.after_settle(RULES, opened, settled, f"r{hand}", before)
        assert before["banker"] == {"bettor": "b1", "seat": 1, "game": "hi-hi-lo", "turns": hand + 1}
        assert before["free_collections"] == []
    with pytest.raises(BankerTurnOver, match="b1 has banked 3 of at most 3 in a row; another must bank"):
        GAME.check_open(RULES, opened, before)
    GAME.check_open(RULES, opening(1, 2, banker=2, drawn_by_hand=False), before)
    opened["banker"]["others_passed"] = True
    GAME.check_open(RULES, opened, before)


@pytest.mark.parametrize(("game", "turns"), [("california-baccarat", 1), ("hi-hi-lo", 3)])
def test_3_hands_banked_at_another_game_of_the_table_do_not_count(game: str, turns: int) -> None:
    before = {"bettor": "b1", "seat": 1, "game": game, "turns": 2}
    at = kit.Table(published().ruleset(ID), banker=before, hand_no=2)
    at.call("opened", "r1", opening(1, 2, banker=1, drawn_by_hand=game != "hi-hi-lo"))
    assert at.state["banker"] == before  # which a void would leave
    at.call("dealt", "r1", {**wagering(2), "hands": hands({1: "As Ad 2c 3c 4c 5c", 2: "Ks Kd 2d 3d 4d 5d"})})
    at.call("settled", "r1", by_house(1, 2))
    assert at.state["banker"] == {"bettor": "b1", "seat": 1, "game": "hi-hi-lo", "turns": turns}


def test_3_the_house_never_banks() -> None:
    with pytest.raises(HouseCannotBank, match="must be a seated player: the house never banks"):
        GAME.check_open(RULES, {**opening(1, 2, banker=1), "banker": "house"}, table())
    without = {key: value for key, value in opening(1, 2, banker=1).items() if key != "banker"}
    with pytest.raises(BankerMissing, match="must be given: a seated player banks"):
        GAME.check_open(RULES, without, table())


def test_3_fields_of_other_games_are_refused() -> None:
    with pytest.raises(FieldNotUsed, match=f"jokers: must be left out: {ID} has no use for it"):
        GAME.check_open(RULES, opening(1, 2, banker=1, jokers=1), table())
    with pytest.raises(FieldNotUsed, match="dice: must be left out"):
        kit.deal(GAME, RULES, opening(1, 2, banker=1), wagering(2, dice=[1, 2, 3]), table(), CHANCE)


# §4 the deal


def test_4_six_cards_one_at_a_time_from_the_bankers_left() -> None:
    opened = opening(1, 3, 4, 6, banker=4, source="shuffle")
    body = kit.deal(GAME, RULES, opened, wagering(1, 3, 6, cut=7), table(), CHANCE)
    cards = format_cards(CHANCE.shuffle(deck(1), 7))
    assert body["action"]["seat"] == 6
    assert body["action_order"] == [6, 1, 3]
    assert {hand["seat"]: hand["cards"] for hand in body["hands"]} == {
        6: cards[0:24:4],
        1: cards[1:24:4],
        3: cards[2:24:4],
        4: cards[3:24:4],
    }


def test_4_eight_hands_at_most() -> None:
    opened = opening(*range(1, 9), banker=1, source="shuffle")
    GAME.check_open(RULES, opened, table())
    body = kit.deal(GAME, RULES, opened, wagering(*range(2, 9)), table(), CHANCE)
    assert len({card for hand in body["hands"] for card in hand["cards"]}) == 48
    with pytest.raises(SeatUnknown, match=r"seats\[9\]: must be 1 to 8"):
        GAME.check_open(RULES, opening(*range(1, 10), banker=1), table())
    with pytest.raises(RulesetInvalid, match="not a hi-hi-lo rule set: seats must be 2 to 8"):
        GAME.load(document(ID, seats=9))


def test_4_physical_hands_are_six_cards_for_each_that_plays() -> None:
    opened, cards = opening(1, 2, banker=1), {1: "As Ks Qs Js Ts Jk", 2: "2c 3c 4c 5c 6c"}
    with pytest.raises(HandSizeWrong, match=r"hands\[2\].cards: must be 6 cards, not 5"):
        kit.deal(GAME, RULES, opened, wagering(2, hands=hands(cards)), table(), None)
    with pytest.raises(HandsMissing, match=r"hands\[2\]: must be given: this hand plays"):
        kit.deal(GAME, RULES, opened, wagering(2, hands=hands({1: cards[1]})), table(), None)
    with pytest.raises(HandsNotWanted, match="must be left out: the service deals this round"):
        kit.deal(GAME, RULES, opened, wagering(2, hands=hands(cards)), table(), CHANCE)


# §5 the arrangement


DEALT = {1: "Ks Kd 9h 4c 3d 2s", 2: "Qs 7d 7h 6c 5d As"}


@pytest.mark.parametrize(
    ("asked", "kind", "message"),
    [
        (
            {"one": ["Qs"], "two": ["7d"], "low": ["7h", "6c", "5d", "As"]},
            ArrangementInvalid,
            "two: must be 2 of the six cards, not 1",
        ),
        (
            {"one": ["Qs"], "two": ["7d", "7h"], "low": ["6c", "5d", "Ks"]},
            CardNotDealt,
            r"low: Ks was not dealt to seat 2",
        ),
        ({"one": ["Qs"], "two": ["7d", "7h"], "low": ["6c", "5d", "Qs"]}, CardNotDealt, "one: Qs must come once"),
    ],
)
def test_5_counts_and_cards_are_all_that_can_be_wrong(asked: Json, kind: type[Exception], message: str) -> None:
    request = {"sets": [arranged(1, DEALT[1]), {"seat": 2, "how": "arranged", **asked}]}
    with pytest.raises(kind, match=rf"sets\[2\]\.{message}"):
        play(GAME, RULES, opening(1, 2, banker=1), wagering(2, hands=hands(DEALT)), request)


def test_5_no_order_among_the_hands_is_required() -> None:
    request = {"sets": [arranged(1, DEALT[1]), arranged(2, "5d 6c Qs 7d 7h As")]}
    _, settled = play(GAME, RULES, opening(1, 2, banker=1), wagering(2, hands=hands(DEALT)), request)
    assert settled["sets"][1] == {
        "seat": 2,
        "how": "arranged",
        "one": ["5d"],
        "two": ["Qs", "6c"],
        "low": ["As", "7d", "7h"],
        "rule": "hi-hi-lo §5",
    }


def test_5_every_hand_is_set_and_in_this_games_way() -> None:
    played = opening(1, 2, banker=1), wagering(2, hands=hands(DEALT))
    with pytest.raises(SeatNotSet, match=r"sets\[1\]: must be given: this hand plays"):
        play(GAME, RULES, *played, {"sets": [arranged(2, DEALT[2])]})
    front = {"seat": 2, "how": "front", "front": ["Qs", "7d"]}
    with pytest.raises(SetNotOffered, match=r"sets\[2\].how: must be one of arranged, house_way"):
        play(GAME, RULES, *played, {"sets": [arranged(1, DEALT[1]), front]})


# §6 to §9 ranks, comparison, ties


@pytest.mark.parametrize("case", TIES, ids=lambda case: f"{case['hand']}: {case['player']} - {case['banker']}")
def test_6_to_9_each_hand_against_the_bankers(case: Json) -> None:
    place = PARTS.index(case["hand"])
    values = []
    for cards in (case["player"], case["banker"]):
        parts: list[Any] = [["2c"], ["3c", "4c"], ["5c", "6c", "7c"]]
        parts[place] = cards.split()
        values.append(values_of(arrange(*([parse_card(text) for text in part] for part in parts)))[place])
    outcome, _, rule = judge(KINDS[place], *values)
    assert (outcome.value, rule) == (case["result"], f"hi-hi-lo §{case['section']}")


def test_7_and_8_each_bet_is_settled_on_its_own_one_to_one() -> None:
    cards = {1: "Ad Ks Kd 2h 3h 5h", 2: "Jk Kh Kc 2c 3c 5c"}  # ace to ace, kings to kings, 5-3-2 to 5-3-2
    request = {"sets": [arranged(seat, hand) for seat, hand in cards.items()]}
    _, settled = play(GAME, RULES, opening(1, 2, banker=1), wagering(2, hands=hands(cards)), request)
    told = [(r["kind"], r["result"], r["paid"], r["collected"], r["returned"], r["reason"]) for r in settled["results"]]
    assert told == [
        ("high_one", "lose", 0, 100, 0, "ace_tie_to_banker"),
        ("high_two", "win", 100, 0, 100, "tie_to_player"),
        ("low", "win", 100, 0, 100, "tie_to_player"),
    ]
    assert {result["rule"] for result in settled["results"]} == {"hi-hi-lo §8"}
    assert settled["net"] == [{"account": "bettor:b1", "amount": -100}, {"account": "bettor:b2", "amount": 100}]
    assert settled["banker"] == {
        "seat": 1,
        "wager": 10_000,
        "coverage": "full",
        "used": 300,
        "net": -100,
        "commission": 0,
    }


# §10 coverage and order


def test_10_the_bankers_wager_must_reach_for_every_bet() -> None:
    with pytest.raises(WagersExceedBanker, match="the main wagers are 600 together, more than the banker's"):
        kit.deal(GAME, RULES, opening(1, 2, 3, banker=1), wagering(2, 3, banker_wager=599), table(), CHANCE)
    kit.deal(GAME, RULES, opening(1, 2, 3, banker=1), wagering(2, 3, banker_wager=600), table(), CHANCE)


def test_10_under_action_the_order_is_seat_then_one_two_low() -> None:
    rules = GAME.load(document(ID, coverage="action"))
    # Seat 2, on the banker's left, wins one card (100), loses two cards (of 100, 50 are covered); then nothing is left.
    cards = {1: "Ks 9s 9d 2h 3h 4h", 2: "As 8s 8d 2c 3c 4c", 3: "Qs 7s 7d 2d 3d 4d"}
    request = {"sets": [arranged(seat, hand) for seat, hand in cards.items()]}
    asked = wagering(2, 3, banker_wager=150, hands=hands(cards))
    _, settled = play(GAME, rules, opening(1, 2, 3, banker=1), asked, request)
    told = [(r["wager_id"], r["result"], r["paid"], r["collected"]) for r in settled["results"]]
    assert told == [
        ("high_one-2-1", "win", 100, 0),
        ("high_two-2-1", "lose", 0, 50),
        ("low-2-1", "no_action", 0, 0),
        ("high_one-3-1", "no_action", 0, 0),
        ("high_two-3-1", "no_action", 0, 0),
        ("low-3-1", "no_action", 0, 0),
    ]
    by_id = results(settled)
    assert (by_id["high_two-2-1"]["reason"], by_id["high_two-2-1"]["rule"]) == ("worse_up_to_cover", "hi-hi-lo §10")
    assert (by_id["low-2-1"]["reason"], by_id["low-2-1"]["rule"]) == ("no_action", "hi-hi-lo §10")
    assert not any("free_collection" in result for result in settled["results"])


# §11 the house way (its exactness: tests/census/test_hi_hi_lo_census.py)


def test_11_house_way_by_role_through_the_game() -> None:
    hand = ["Ad", "Jk", "Kc", "9c", "3s", "2s"]
    for role in Role:
        (told,) = GAME.set_hands(RULES, [hand], role.value)
        chosen = set_hand(parse_cards(hand), role)
        assert told == {
            "one": format_cards(chosen.one),
            "two": format_cards(chosen.two),
            "low": format_cards(chosen.low),
            "rule": "hi-hi-lo §11",
        }
    with pytest.raises(HandSizeWrong, match=r"hands\[0\]: must be 6 cards, not 5"):
        GAME.set_hands(RULES, [hand[:5]], "player")


def test_11_ties_make_the_roles_differ() -> None:
    """A lone ace is worth more to the banker, who wins its ties."""
    hand = parse_cards("6s 9h Jk 6h Jc 4s")
    player, banker = (set_hand(hand, role) for role in (Role.PLAYER, Role.BANKER))
    assert [format_cards(part) for part in player] == [["Jc"], ["6h", "6s"], ["Jk", "4s", "9h"]]
    assert [format_cards(part) for part in banker] == [["Jk"], ["6h", "6s"], ["4s", "9h", "Jc"]]


def test_11_a_settlement_by_house_way_uses_the_seats_role() -> None:
    cards = {1: "6s 9h Jk 6h Jc 4s", 2: "6d 8h Ah 6c Jd 4d"}
    _, settled = play(GAME, RULES, opening(1, 2, banker=1), wagering(2, hands=hands(cards)), by_house(1, 2))
    for shown, role in zip(settled["sets"], (Role.BANKER, Role.PLAYER), strict=True):
        chosen = set_hand(parse_cards(cards[shown["seat"]]), role)
        assert (shown["one"], shown["two"], shown["low"]) == tuple(format_cards(part) for part in chosen)
        assert (shown["how"], shown["rule"]) == ("house_way", "hi-hi-lo §11")


def test_house_way_must_be_known() -> None:
    with pytest.raises(RulesetInvalid, match=r"house_way\.name must be one of hi-hi-lo-even"):
        GAME.load(document(ID, house_way={"name": "odd"}))
    with pytest.raises(RulesetInvalid, match="colour is unknown"):
        GAME.load(document(ID, colour="green"))
