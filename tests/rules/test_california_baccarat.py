"""California baccarat, by the sections of its rule sheet."""

from __future__ import annotations

import json
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import pytest

from cardroom.banked.bets import BackLineBySeated
from cardroom.banked.fees import (
    FreeCollectionOfAnother,
    FreeCollectionUnknown,
    FreeCollectionUsedTwice,
    FreeCollectionWithoutFee,
)
from cardroom.banked.opening import BankerTurnOver
from cardroom.banked.sets import SeatNotSet
from cardroom.cards import CardDuplicate, format_cards, parse_card
from cardroom.documents import RulesetInvalid
from cardroom.game import Ruleset
from cardroom.games.california_baccarat.boxes import BoxNotAllowed, MisplayInvalid
from cardroom.games.california_baccarat.deal import ShoeExhausted
from cardroom.games.california_baccarat.game import GAME
from cardroom.games.california_baccarat.rules import BaccaratRules
from cardroom.games.california_baccarat.settle import DrawnCardMissing, DrawnCardNotWanted, judge
from cardroom.hands.baccarat import NATURAL, total, value
from cardroom.physical import (
    CardNotInDeck,
    DiceInvalid,
    DrawMissing,
    HandsMissing,
    ShuffleInputNotWanted,
)
from cardroom.refusals import Refusal
from cardroom.rounds.life import VoidReasonUnknown
from cardroom.seats import FirstDrawNotOffered, SeatUnknown
from cardroom.table import FieldNotUsed
from tests import kit
from tests.rules.banked_round import document, hands, luck, opening, play, results, table, wager

Json = dict[str, Any]

ID = "california-baccarat/redding-1995"
RULES: BaccaratRules = GAME.load(document(ID))
VECTORS = Path(__file__).parents[2] / "vectors" / "california_baccarat"
VALUES = json.loads((VECTORS / "values.json").read_text())["cases"]
DRAWS = json.loads((VECTORS / "draw_table.json").read_text())["cases"]
OF_TOTAL = dict(enumerate(("Ts Ks", "As Ks", "2s Ks", "3s Ks", "4s Ks", "5s Ks", "6s Ks", "7s Ks", "8s Ks", "9s Ks")))
SHOE = luck(1).shuffle(GAME.deck(RULES, opening(1, 2, banker=1)), None)


def shoe_table(position: int = 0, **changes: Any) -> Json:
    return table(shoe={"shoe_id": "s1", "position": position, "size": len(SHOE)}, **changes)


def box(seat: int, which: str) -> Json:
    return {"seat": seat, "how": "box", "box": which}


def house(*seats: int) -> list[Json]:
    return [{"seat": seat, "how": "house_way"} for seat in seats]


def drawn(cards: dict[int, str]) -> list[Json]:
    return [{"seat": seat, "card": card} for seat, card in sorted(cards.items())]


def at_table(cards: dict[int, str], *, banker: int = 1, amount: int = 100, **more: Any) -> tuple[Json, Json]:
    """A physical table where every seat but the banker's has one wager, and the action starts at the banker's."""
    seats = sorted(cards)
    wagers = [wager(seat, amount) for seat in seats if seat != banker]
    asked = {"wagers": wagers, "banker_wager": 10_000, "dice": [2, 3, 3], "hands": hands(cards), **more}
    return opening(*seats, banker=banker), asked


def settle(cards: dict[int, str], sets: list[Json], draws: dict[int, str] | None = None, **more: Any) -> Json:
    request: Json = {"sets": sets, **more}
    if draws is not None:
        request["drawn_cards"] = drawn(draws)
    return play(GAME, RULES, *at_table(cards), request)[1]


def shown(settled: Json, seat: int) -> Json:
    return next(chosen for chosen in settled["sets"] if chosen["seat"] == seat)


# §1 the shoe


def test_1_shoe_is_eight_decks_and_eight_jokers_before_its_shuffle() -> None:
    cards = format_cards(GAME.deck(RULES, {}))
    assert len(cards) == 424
    assert cards[:52] == cards[364:416] and cards[0] == "2c" and cards[51] == "As"
    assert cards[416:] == ["Jk"] * 8
    assert all(cards.count(card) == 8 for card in cards)


def test_1_a_card_may_come_eight_times_in_a_round_and_no_oftener() -> None:
    cards = {1: "5s 5s", 2: "5s 5s", 3: "5s 5s"}
    settled = settle(cards, house(2, 3), {1: "5s", 2: "5s", 3: "4s"})
    assert [chosen["total"] for chosen in settled["sets"]] == [5, 5, 4]
    with pytest.raises(CardDuplicate, match="5s comes 9 times; it may come 8 times"):
        settle(cards, house(2, 3), dict.fromkeys((1, 2, 3), "5s"))


def test_1_jokers_of_a_shoe_are_plain() -> None:
    with pytest.raises(CardNotInDeck, match=r"hands\[2\].cards: Jk2 is not among the cards in use"):
        settle({1: "As Ks", 2: "Jk Jk2"}, house(2))


@pytest.mark.parametrize(("position", "fits"), [(403, True), (404, False), (424, False)])
def test_1_no_round_is_opened_that_the_shoe_may_be_too_short_for(position: int, fits: bool) -> None:
    """Seven seats of three cards: 21."""
    opened, before = opening(1, 2, banker=1, source="shuffle", shoe_id="s1"), shoe_table(position)
    if fits:
        return GAME.check_open(RULES, opened, before)
    message = f"{424 - position} cards are left in shoe s1, a round may need 21: close it and open another"
    with pytest.raises(ShoeExhausted, match=message):
        GAME.check_open(RULES, opened, before)
    return GAME.check_open(RULES, {**opened, "source": "table"}, before)  # whose shoe is not ours


def test_1_the_largest_round_fits_behind_the_cut_card() -> None:
    assert RULES.largest_round == 21
    assert GAME.load(document(ID, seats=9)).largest_round == 27
    with pytest.raises(RulesetInvalid, match="decks must make a shoe of at least 60 cards for 20 seats"):
        GAME.load(document(ID, seats=20, decks=1, jokers=0))


def test_1_records_tell_positions_and_the_table_keeps_the_last() -> None:
    opened, before = opening(1, 2, 3, banker=1, source="shuffle", shoe_id="s1"), shoe_table(10)
    asked = {"wagers": [wager(2, 100), wager(3, 100)], "banker_wager": 500}
    dealt, settled = play(
        GAME, RULES, opened, asked, {"sets": house(1, 2, 3)}, before=before, chance=luck(5), shoe=SHOE
    )
    assert dealt["shoe"] == {"shoe_id": "s1", "first": 10, "last": 16}
    assert sorted(card for hand in dealt["hands"] for card in hand["cards"]) == sorted(format_cards(SHOE[10:16]))
    after = GAME.after_deal(RULES, opened, asked, dealt, before)
    assert after == {"shoe": {**before["shoe"], "position": 16}}
    hits = [chosen for chosen in settled["sets"] if chosen["box"] == "hit"]
    assert settled["shoe"] == {"shoe_id": "s1", "first": 16, "last": 16 + len(hits)}
    left = GAME.after_settle(RULES, opened, settled, "r1", {**before, **after})
    assert left["shoe"]["position"] == 16 + len(hits)


def test_1_a_physical_round_leaves_the_tables_shoe_alone() -> None:
    opened, asked = at_table({1: OF_TOTAL[7], 2: OF_TOTAL[8]})
    dealt, settled = play(GAME, RULES, opened, asked, {"sets": house(2)})
    assert "shoe" not in dealt and "shoe" not in settled
    assert GAME.after_deal(RULES, opened, asked, dealt, table()) == {}
    assert "shoe" not in GAME.after_settle(RULES, opened, settled, "r1", table())


# §2, §3 values


@pytest.mark.parametrize("case", VALUES, ids=lambda case: case["cards"])
def test_2_and_3_values(case: Json) -> None:
    worth = value([parse_card(text) for text in case["cards"].split()])
    assert (total(worth), worth == NATURAL) == (case["total"], case["natural"])


def test_3_a_nine_is_no_natural_without_two_jokers() -> None:
    kinds = [*"A23456789TJQK", "Jk"]
    for first, second in combinations_with_replacement(kinds, 2):
        cards = [parse_card(kind if kind == "Jk" else f"{kind}s") for kind in (first, second)]
        assert (value(cards) == NATURAL) == (first == second == "Jk")
        if "Jk" in (first, second):
            assert total(value(cards)) == 9


# §4 the deal


def test_4_two_cards_singly_in_two_rounds_from_the_action_button() -> None:
    opened = opening(1, 3, 4, 6, banker=4, source="shuffle", shoe_id="s1")
    asked = {"wagers": [wager(seat, 50) for seat in (1, 3, 6)], "banker_wager": 500, "dice": [1, 1, 1]}
    body = kit.deal(GAME, RULES, opened, asked, shoe_table(), luck(1), shoe=SHOE)
    # The banker's seat 4 is 1, so three is seat 6; the banker takes his turn where he sits.
    assert body["action"] == {"seat": 6, "by": "dice", "from": "request", "dice": [1, 1, 1]}
    cards = format_cards(SHOE)
    assert {hand["seat"]: hand["cards"] for hand in body["hands"]} == {
        6: [cards[0], cards[4]],
        1: [cards[1], cards[5]],
        3: [cards[2], cards[6]],
        4: [cards[3], cards[7]],
    }
    assert body["action_order"] == [6, 1, 3]


@pytest.mark.parametrize(("dice", "seat"), [([1, 1, 1], 5), ([1, 1, 6], 3), ([2, 5, 1], 3), ([6, 6, 3], 3)])
def test_4_the_bankers_seat_is_one_eight_and_fifteen(dice: list[int], seat: int) -> None:
    asked = {"wagers": [wager(1, 50)], "banker_wager": 500, "dice": dice}
    body = kit.deal(
        GAME, RULES, opening(1, 3, banker=3, source="shuffle", shoe_id="s1"), asked, shoe_table(), luck(1), shoe=SHOE
    )
    assert body["action"]["seat"] == seat
    assert body["action_order"] == [1]


def test_4_the_services_dice_are_the_rounds_own() -> None:
    asked = {"wagers": [wager(1, 50)], "banker_wager": 500}
    opened = opening(1, 3, banker=3, source="shuffle", shoe_id="s1")
    for seed in range(5):
        body = kit.deal(GAME, RULES, opened, asked, shoe_table(), luck(seed), shoe=SHOE)
        assert body["action"]["dice"] == list(luck(seed).dice()) and body["action"]["from"] == "seed"


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"dice": None}, DrawMissing, "a physical table must tell the dice"),
        ({"dice": [1, 2, 7]}, DiceInvalid, "must be three of 1 to 6, not 1, 2, 7"),
        ({"dice": [1, 2]}, DiceInvalid, "must be three of 1 to 6, not 1, 2"),
        ({"hands": hands({1: "As Ks"})}, HandsMissing, r"hands\[2\]: must be given: this hand plays"),
        (
            {"hands": hands({1: "As Ks", 2: "As Ks", 3: "As Ks"})},
            SeatUnknown,
            r"hands\[3\]: no hand is dealt to this seat: must be one of 1, 2",
        ),
        ({"cut": 5}, ShuffleInputNotWanted, "cut: must be left out"),
        ({"pile": 2}, FieldNotUsed, "pile: must be left out"),
    ],
)
def test_4_what_a_physical_deal_must_tell(change: Json, kind: type[Refusal], message: str) -> None:
    opened, asked = at_table({1: "As Ks", 2: "As Ks"})
    asked = {key: told for key, told in {**asked, **change}.items() if told is not None}
    with pytest.raises(kind, match=message):
        kit.deal(GAME, RULES, opened, asked, table(), None)


def test_4_banker_has_two_hands_in_a_row() -> None:
    opened, asked = at_table({1: OF_TOTAL[7], 2: OF_TOTAL[8]})
    before = table()
    for turn in (1, 2):
        _, settled = play(GAME, RULES, opened, asked, {"sets": house(2)}, before=before)
        before |= GAME.after_settle(RULES, opened, settled, f"r{turn}", before)
        assert before["banker"] == {"bettor": "b1", "seat": 1, "game": "california-baccarat", "turns": turn}
    with pytest.raises(BankerTurnOver, match="b1 has banked 2 of at most 2 in a row; another must bank"):
        GAME.check_open(RULES, opened, before)


def test_4_any_player_may_bank_first() -> None:
    with pytest.raises(FirstDrawNotOffered, match="has no draw for first_banker"):
        GAME.draw(RULES, "first_banker", [1, 2], luck(1))


# §5 the draw


def boxed(role: str, dealt: int, which: str) -> Json:
    """The set of a hand of that total, put in that box by a player or the banker."""
    cards = {1: OF_TOTAL[7], 2: OF_TOTAL[7]}
    seat = 1 if role == "banker" else 2
    cards[seat] = OF_TOTAL[dealt]
    sets = [box(seat, which)] if seat == 2 else [*house(2), box(1, which)]
    return shown(settle(cards, sets, {seat: "2h"} if which == "hit" else None), seat)


@pytest.mark.parametrize("which", ["hit", "stand"])
@pytest.mark.parametrize("case", DRAWS, ids=lambda case: f"{case['role']} {case['total']}")
def test_5_draw_table(case: Json, which: str) -> None:
    dealt = case["total"]
    if which in case["boxes"]:
        chosen = boxed(case["role"], dealt, which)
        assert (chosen["box"], chosen["dealt_total"], chosen["how"]) == (which, dealt, "box")
        assert chosen["total"] == ((dealt + 2) % 10 if which == "hit" else dealt)
        assert chosen.get("drawn") == ("2h" if which == "hit" else None)
        return
    seat, right = (1 if case["role"] == "banker" else 2), case["boxes"][0]
    with pytest.raises(BoxNotAllowed, match=rf"sets\[{seat}\].box: must be {right} on {dealt}"):
        boxed(case["role"], dealt, which)


@pytest.mark.parametrize("case", DRAWS, ids=lambda case: f"{case['role']} {case['total']}")
def test_5_and_11_house_way(case: Json) -> None:
    (told,) = GAME.set_hands(RULES, [OF_TOTAL[case["total"]].split()], case["role"])
    assert (told["box"], told["total"], told["natural"]) == (case["house_way"], case["total"], False)
    assert told["rule"] == f"california-baccarat §{'11' if len(case['boxes']) == 2 else '5'}"


def test_5_jokers_stand() -> None:
    told = GAME.set_hands(RULES, [["Jk", "2c"], ["Jk", "Jk"]], "player")
    assert [(item["box"], item["total"], item["natural"]) for item in told] == [
        ("stand", 9, False),
        ("stand", 9, True),
    ]
    with pytest.raises(BoxNotAllowed, match=r"sets\[2\].box: must be stand on 9, or the hand be told as misplayed"):
        settle({1: OF_TOTAL[7], 2: "Jk Jk"}, [box(2, "hit")], {2: "2c"})


def test_5_house_way_choices_are_fields() -> None:
    ways = {"name": "california-baccarat", "player_hits_up_to": 4, "banker_hits_up_to": 6}
    rules = GAME.load(document(ID, house_way=ways))
    assert GAME.set_hands(rules, [OF_TOTAL[5].split()], "player")[0]["box"] == "stand"
    assert GAME.set_hands(rules, [OF_TOTAL[6].split()], "banker")[0]["box"] == "hit"
    with pytest.raises(RulesetInvalid, match=r"house_way\.player_hits_up_to must be 4 to 5, as the draw rule allows"):
        GAME.load(document(ID, house_way={**ways, "player_hits_up_to": 6}))


def test_5_draw_cards_go_out_in_action_order_the_bankers_last() -> None:
    opened = opening(*range(1, 8), banker=4, source="shuffle", shoe_id="s1")
    asked = {"wagers": [wager(seat, 50) for seat in (1, 2, 3, 5, 6, 7)], "banker_wager": 5_000}
    for position in range(0, 400, 13):
        before = shoe_table(position)
        dealt = kit.deal(GAME, RULES, opened, asked, before, luck(position), shoe=SHOE)
        settled = kit.settle(GAME, RULES, opened, asked, dealt, {"sets": house(1, 2, 3, 5, 6, 7)}, shoe=SHOE)
        order = [seat for seat in (*dealt["action_order"], 4) if shown(settled, seat)["box"] == "hit"]
        last = dealt["shoe"]["last"]
        assert [shown(settled, seat)["drawn"] for seat in order] == format_cards(SHOE[last : last + len(order)])


def test_5_draws_precede_the_bankers_opening_natural_or_not() -> None:
    settled = settle({1: "Jk Jk", 2: OF_TOTAL[3]}, house(2), {2: "Jk"})
    assert shown(settled, 2)["total"] == 9 and shown(settled, 1)["natural"]
    assert results(settled)["main-2-1"]["result"] == "lose"


def test_5_the_bankers_box_may_be_left_to_the_house_way() -> None:
    cards = {1: OF_TOTAL[5], 2: OF_TOTAL[7]}
    left = settle(cards, house(2), {1: "4h"})
    asked = settle(cards, [*house(2), box(1, "hit")], {1: "4h"})
    assert (shown(left, 1)["how"], shown(left, 1)["rule"]) == ("house_way", "california-baccarat §11")
    assert (shown(asked, 1)["how"], shown(asked, 1)["rule"]) == ("box", "california-baccarat §5")
    assert left["results"] == asked["results"]
    stood = settle({1: OF_TOTAL[6], 2: OF_TOTAL[7]}, house(2))
    assert shown(stood, 1)["box"] == "stand"
    with pytest.raises(SeatNotSet, match=r"sets\[2\]: must be given: this hand plays"):
        settle(cards, [box(1, "hit")], {1: "4h"})


@pytest.mark.parametrize(
    ("draws", "kind", "message"),
    [
        ({}, DrawnCardMissing, r"drawn_cards\[2\]: must be given: this hand takes a draw card"),
        ({2: "4h", 1: "3h"}, DrawnCardNotWanted, r"drawn_cards\[1\]: must be left out: no hand at this seat takes"),
        ({2: "Jk3"}, CardNotInDeck, r"drawn_cards\[2\].card: Jk3 is not among the cards in use"),
    ],
)
def test_5_physical_tables_tell_just_the_draw_cards(draws: dict[int, str], kind: type[Refusal], message: str) -> None:
    with pytest.raises(kind, match=message):
        settle({1: OF_TOTAL[7], 2: OF_TOTAL[3]}, house(2), draws)


def test_5_draw_cards_of_a_shoe_are_not_asked_for() -> None:
    opened = opening(1, 2, banker=1, source="shuffle", shoe_id="s1")
    asked = {"wagers": [wager(2, 100)], "banker_wager": 500}
    request = {"sets": house(2), "drawn_cards": drawn({2: "4h"})}
    with pytest.raises(DrawnCardNotWanted, match="must be left out: the draw cards come from the shoe"):
        play(GAME, RULES, opened, asked, request, before=shoe_table(), chance=luck(1), shoe=SHOE)


# §6 misplays


def test_6b_a_hand_moved_between_boxes_is_played_by_the_house_way() -> None:
    cards = {1: OF_TOTAL[7], 2: OF_TOTAL[5]}
    settled = settle(cards, [box(2, "stand")], {2: "4h"}, misplayed=[{"seat": 2, "how": "changed_box"}])
    assert shown(settled, 2) == {
        "seat": 2,
        "how": "box",
        "box": "hit",
        "cards": ["5s", "Ks"],
        "dealt_total": 5,
        "total": 9,
        "natural": False,
        "rule": "california-baccarat §6",
        "drawn": "4h",
        "misplay": "changed_box",
        "left": "stand",
    }
    assert results(settled)["main-2-1"]["result"] == "win"


def test_6c_a_misplay_of_the_house_is_put_right_and_flagged() -> None:
    cards = {1: OF_TOTAL[2], 2: OF_TOTAL[3]}
    right = settle(cards, house(2), {1: "2h", 2: "4h"})
    flagged = settle(
        cards,
        house(2),
        {1: "2h", 2: "4h"},
        misplayed=[{"seat": 2, "how": "by_house"}, {"seat": 1, "how": "by_house"}],
    )
    assert flagged["results"] == right["results"]
    assert [chosen["misplay"] for chosen in flagged["sets"]] == ["by_house", "by_house"]


@pytest.mark.parametrize(("dealt", "which"), [(8, "hit"), (9, "hit"), (6, "hit"), (4, "stand"), (0, "stand")])
def test_6d_a_hand_misplayed_by_its_player_loses_and_the_others_play_as_they_are(dealt: int, which: str) -> None:
    cards = {1: OF_TOTAL[0], 2: OF_TOTAL[dealt], 3: OF_TOTAL[3]}
    draws = {1: "Kh", 3: "5h", **({2: "Ah"} if which == "hit" else {})}
    told = [{"seat": 2, "how": "by_player"}]
    settled = settle(cards, [box(2, which), *house(3)], draws, misplayed=told)
    result = results(settled)["main-2-1"]
    assert (result["result"], result["collected"], result["reason"], result["rule"]) == (
        "lose",
        100,
        "misplayed",
        "california-baccarat §6",
    )
    assert shown(settled, 2)["misplay"] == "by_player"
    assert results(settled)["main-3-1"]["result"] == "win" and shown(settled, 3)["drawn"] == "5h"


def test_6d_it_loses_to_the_extent_that_money_covers() -> None:
    cards = {1: OF_TOTAL[0], 2: OF_TOTAL[8], 3: OF_TOTAL[8]}
    request = {
        "sets": [box(2, "hit"), box(3, "hit")],
        "drawn_cards": drawn({1: "Kh", 2: "Kh", 3: "Kh"}),
        "misplayed": [{"seat": seat, "how": "by_player"} for seat in (2, 3)],
    }
    _, settled = play(GAME, RULES, *at_table(cards, banker_wager=150), request)
    told = [(r["result"], r["collected"], r["returned"], r["reason"]) for r in settled["results"]]
    assert told == [("lose", 100, 0, "misplayed"), ("lose", 50, 50, "misplayed_up_to_cover")]


@pytest.mark.parametrize(
    ("sets", "told", "message"),
    [
        ([box(2, "hit")], [{"seat": 2, "how": "by_player"}], "a hand of 3 may be in the hit box: that is no misplay"),
        (house(2), [{"seat": 2, "how": "by_player"}], "the player does not play this hand: it is set by the house way"),
        ([box(2, "hit")], [{"seat": 2, "how": "by_house"}], "the house does not play this hand"),
        (house(2), [{"seat": 1, "how": "changed_box"}], "the banker's hand can be misplayed by_house only"),
        (house(2), [{"seat": 5, "how": "changed_box"}], "no hand plays at this seat"),
        (house(2), [{"seat": 2, "how": "by_dealer"}], "must be one of wrong_number, changed_box, by_house, by_player"),
        (house(2), [{"seat": 2, "how": "by_house"}, {"seat": 2, "how": "changed_box"}], "must come once"),
    ],
)
def test_6_misplays_that_are_none_are_refused(sets: list[Json], told: list[Json], message: str) -> None:
    with pytest.raises(MisplayInvalid, match=rf"misplayed\[\d\]: {message}"):
        settle({1: OF_TOTAL[7], 2: OF_TOTAL[3]}, sets, {2: "4h"}, misplayed=told)


# §7 misdeals


def test_7_misdeal_reasons() -> None:
    for reason in GAME.void_reasons:
        assert voided(reason)["table_after"]["shoe"]["position"] == 30
    assert GAME.void_reasons[:4] == (
        "out_of_position_two_hands_seen",
        "out_of_position_banker_hand_seen",
        "players_wrong_number_of_cards",
        "banker_wrong_number_of_cards",
    )
    with pytest.raises(VoidReasonUnknown, match="no void for reason 'exposed_card': must be one of out_of_position"):
        voided("exposed_card")


def voided(reason: str) -> Json:
    """A round at a physical table, voided for a reason, beside a shoe."""
    ruleset = Ruleset(id=ID, sha256="0" * 64, document={"game": "california-baccarat"}, game=GAME, rules=RULES)
    at = kit.Table(ruleset, **shoe_table(30))
    at.call("opened", "r1", opening(1, 2, banker=1))
    return at.call("voided", "r1", {"table_id": "t1", "reason": reason})


def test_7_a_void_returns_wagers_and_fees() -> None:
    opened, asked = at_table({1: OF_TOTAL[7], 2: OF_TOTAL[3]})
    opened["fees"] = {"wager": [{"low": 0, "fee": 5}], "banker": [{"low": 0, "fee": 9}]}
    dealt = kit.deal(GAME, RULES, opened, asked, table(), None)
    back = GAME.returned(asked, dealt)
    assert back["returned"] == [{"wager_id": "main-2-1", "amount": 100}]
    assert [(p["to"], p["amount"], p["why"]) for p in back["postings"]] == [
        ("bettor:b2", 5, "fee_returned"),
        ("bettor:b1", 9, "fee_returned"),
    ]


# §8 the payoff


@pytest.mark.parametrize("mine", range(11))
@pytest.mark.parametrize("bankers", range(11))
def test_8_the_higher_wins_equal_pushes_and_a_natural_is_above_nine(mine: int, bankers: int) -> None:
    outcome, reason, rule = judge(mine, bankers)
    assert outcome.value == ("push" if mine == bankers else "win" if mine > bankers else "lose")
    assert rule == "california-baccarat §8"
    if bankers == NATURAL:
        assert reason == ("equal" if mine == NATURAL else "banker_natural")


@pytest.mark.parametrize(
    ("player", "banker", "result", "reason"),
    [
        ("Jk Jk", "Jk 4s", "win", "natural"),
        ("Jk Jk", "9s Ks", "win", "natural"),
        ("Jk 4s", "Jk Jk", "lose", "banker_natural"),
        ("Jk Jk", "Jk Jk", "push", "equal"),
        ("Jk 2s", "9s Ks", "push", "equal"),
        ("Jk 2s", "Jk Ks", "push", "equal"),
        ("8s Ks", "7s Ks", "win", "higher"),
        ("6s Ks", "7s Ks", "lose", "lower"),
    ],
)
def test_8_two_jokers_against_joker_and_any(player: str, banker: str, result: str, reason: str) -> None:
    settled = settle({1: banker, 2: player}, [box(2, "stand")])
    found = results(settled)["main-2-1"]
    assert (found["result"], found["reason"]) == (result, reason)
    money = {"win": (100, 0, 100), "lose": (0, 100, 0), "push": (0, 0, 100)}[result]
    assert (found["paid"], found["collected"], found["returned"]) == money


# §9 order, coverage, courtesy


def test_9_settlement_starts_at_the_action_button_and_ends_with_the_cover() -> None:
    cards = {1: OF_TOTAL[7], 2: OF_TOTAL[8], 3: OF_TOTAL[6], 4: OF_TOTAL[7], 5: OF_TOTAL[9]}
    # Three dice of 1 name seat 3: it loses 100, seat 4 pushes, seat 5 wins the 50 left, seat 2 has no action.
    opened, asked = at_table(cards, banker_wager=150, dice=[1, 1, 1])
    _, settled = play(GAME, RULES, opened, asked, {"sets": house(2, 3, 4, 5)})
    told = [(r["seat"], r["result"], r["paid"], r["collected"], r.get("free_collection")) for r in settled["results"]]
    assert told == [
        (3, "lose", 0, 100, None),
        (4, "push", 0, 0, True),
        (5, "win", 50, 0, None),
        (2, "no_action", 0, 0, True),
    ]
    assert settled["results"][2]["rule"] == settled["results"][3]["rule"] == "california-baccarat §9"
    assert settled["banker"] == {
        "seat": 1,
        "wager": 150,
        "coverage": "action",
        "used": 150,
        "net": 50,
        "commission": 0,
    }
    after = GAME.after_settle(RULES, opened, settled, "r1", table())
    assert after["free_collections"] == [
        {"round_id": "r1", "wager_id": f"main-{seat}-1", "bettor": f"b{seat}", "game": RULES.bank.game, "hand_no": 1}
        for seat in (2, 4)
    ]


def test_9_courtesy_on_a_push_is_a_field() -> None:
    cards = {1: OF_TOTAL[7], 2: OF_TOTAL[7]}
    for courtesy in (True, False):
        rules = GAME.load(document(ID, courtesy_on_push=courtesy))
        _, settled = play(GAME, rules, *at_table(cards), {"sets": house(2)})
        assert settled["results"][0].get("free_collection", False) is courtesy
    with pytest.raises(RulesetInvalid, match="courtesy_on_push must be false where free_collection is none"):
        GAME.load(document(ID, free_collection="none", courtesy_hands=0))


def courtesy_deal(*citing: Json, held: str = "b2", fees: bool = True) -> Json:
    cards = {1: OF_TOTAL[7], 2: OF_TOTAL[7], 3: OF_TOTAL[7]}
    opened, asked = at_table(cards)
    if fees:
        opened["fees"] = {"wager": [{"low": 0, "fee": 5}]}
    courtesy = {**CITED, "bettor": held, "game": RULES.bank.game, "hand_no": 1}
    before = table(free_collections=[courtesy])
    asked["wagers"] = list(citing)
    return kit.deal(GAME, RULES, opened, asked, before, None)


CITED = {"round_id": "r1", "wager_id": "w9"}


def test_9_courtesy_frees_the_next_hand_of_its_fee() -> None:
    body = courtesy_deal(wager(2, 100, free_collection=CITED), wager(3, 100))
    assert body["fees"] == [
        {"wager_id": "main-2-1", "bettor": "b2", "amount": 5, "free_collection": CITED},
        {"wager_id": "main-3-1", "bettor": "b3", "amount": 5},
    ]
    assert [posting["from"] for posting in body["postings"]] == ["bettor:b3"]


@pytest.mark.parametrize(
    ("held", "fees", "cited", "twice", "refusal"),
    [
        ("b2", True, {"round_id": "r0", "wager_id": "w9"}, False, FreeCollectionUnknown),
        ("b5", True, CITED, False, FreeCollectionOfAnother),
        ("b2", False, CITED, False, FreeCollectionWithoutFee),
        ("b2", True, CITED, True, FreeCollectionUsedTwice),
    ],
)
def test_9_courtesy_misused(held: str, fees: bool, cited: Json, twice: bool, refusal: type[Refusal]) -> None:
    message = {
        FreeCollectionUnknown: "the table holds none for wager w9 of",
        FreeCollectionOfAnother: "it is b5's, not b2's",
        FreeCollectionWithoutFee: "must be left out: no fee is posted for wagers",
        FreeCollectionUsedTwice: "must be used once",
    }[refusal]
    second = wager(3, 100, circle=2, bettor="b2", free_collection=CITED) if twice else wager(3, 100)
    with pytest.raises(refusal, match=message):
        courtesy_deal(wager(2, 100, free_collection=cited), second, held=held, fees=fees)


# §10 back-line


def test_10_anyone_may_wager_behind_anyone() -> None:
    opened, asked = at_table({1: OF_TOTAL[7], 2: OF_TOTAL[8], 3: OF_TOTAL[6]})
    behind = [wager(3, 10, circle=circle, bettor=f"x{circle}") for circle in (2, 3, 9)]
    asked["wagers"] = [wager(2, 100), *behind, wager(2, 30, circle=2, bettor="b3")]
    dealt, settled = play(GAME, RULES, opened, asked, {"sets": house(2, 3)})
    assert [(r["seat"], r["circle"], r["result"]) for r in settled["results"]] == [
        (2, 1, "win"),
        (2, 2, "win"),
        (3, 2, "lose"),
        (3, 3, "lose"),
        (3, 9, "lose"),
    ]
    # Nobody sits behind seat 3's own circle, so the first behind it has the say.
    assert dealt["say"] == [
        {"seat": 2, "wager_id": "main-2-1", "bettor": "b2"},
        {"seat": 3, "wager_id": "main-3-2", "bettor": "x2"},
    ]
    asked["wagers"] = [wager(2, 100), wager(2, 30, circle=2, bettor="b2")]
    with pytest.raises(BackLineBySeated, match="circle 2 is for others than the player at seat 2"):
        kit.deal(GAME, RULES, opened, asked, table(), None)
