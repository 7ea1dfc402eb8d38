"""Push nine, section by section of its sheet: whole rounds at a table of dollars in cents, cards named."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from cardroom.cards import CardDuplicate, deck, format_cards
from cardroom.documents import RulesetInvalid
from cardroom.fees import FeeBandMissing
from cardroom.game import Game, HouseWayAbsent
from cardroom.games.push_nine.betting import (
    BetOverStack,
    BettingNotReopened,
    RaiseTooMany,
)
from cardroom.games.push_nine.deal import (
    AbsenceInvalid,
    BuyInWrong,
    PotChanged,
    PotNotCarried,
    StackMissing,
    TiedPlayerMissing,
)
from cardroom.games.push_nine.game import GAME
from cardroom.physical import CardNotInDeck, HandSizeWrong
from cardroom.potted.antes import AnteInvalid, BettorSeatedTwice, ButtonInvalid, PlayersTooFew
from cardroom.potted.pots import PotTooLarge
from cardroom.refusals import Refusal
from cardroom.rounds.steps import NEW_TABLE
from cardroom.seats import FirstDrawNotOffered, SeatUnknown
from cardroom.shuffle import Luck
from cardroom.table import FieldNotUsed, WagerKindNotOffered
from cardroom.wire.problems import slug_of
from tests import kit

Json = dict[str, Any]

FILE = Path(__file__).parents[2] / "layers/engine/cardroom/rulesets/push-nine/redding-1995.toml"
BETTING_FAIL = json.loads((Path(__file__).parents[2] / "vectors/push_nine/betting_fail.json").read_text())["cases"]
DOCUMENT = tomllib.loads(FILE.read_text())
RULES = GAME.load(DOCUMENT)
GAME_: Game = GAME  # the protocol that rounds calls it by
LUCK = Luck(server_seed=bytes(32), terms_sha256=bytes(32), client_seed=None)

POINTS_8, POINTS_7, POINTS_6 = "As 2s 5s", "Ac 2c 4c", "Ad Td 5h"
ALSO_8, THIRD_8 = "Ah 3d 4d", "Ks Qd 8c"


class Table:
    """A table that plays push nine, hand after hand, with cards read from it."""

    def __init__(self, **table: Any) -> None:
        self.table: Json = {**NEW_TABLE, **table}
        self.accounts: dict[str, int] = {}

    def open(self, seats: dict[int, str], **more: Any) -> Json:
        opening = {
            "table_id": "t1",
            "ruleset": RULES.ruleset_id,
            "currency": "USD",
            "seats": [{"seat": seat, "bettor": bettor} for seat, bettor in seats.items()],
            "button": 1,
            "ante": 100,
            "source": "table",
            **more,
        }
        GAME.check_open(RULES, opening, self.table)
        return opening

    def deal(
        self,
        opening: Json,
        hands: dict[int, str],
        wagers: list[Json],
        stacks: dict[int, int],
        absent: tuple[int, ...] = (),
    ) -> Json:
        self.wagering = {
            "wagers": wagers,
            "stacks": [{"seat": seat, "amount": amount} for seat, amount in stacks.items()],
            "hands": [{"seat": seat, "cards": cards.split()} for seat, cards in hands.items()],
        }
        if absent:
            self.wagering["absent"] = list(absent)
        return kit.deal(GAME, RULES, opening, self.wagering, self.table, None)

    def play(
        self,
        seats: dict[int, str],
        hands: dict[int, str],
        betting: str,
        *,
        round_id: str = "r1",
        antes: dict[int, int] | None = None,
        buy_ins: dict[int, int] | None = None,
        stacks: dict[int, int] | None = None,
        absent: tuple[int, ...] = (),
        **more: Any,
    ) -> Json:
        """A whole hand: `betting` is written as `1 bet 300, 2 fold`."""
        opening = self.open(seats, **more)
        put_in = buy_ins or {} if "continues" in more else {seat: (antes or {}).get(seat, 100) for seat in seats}
        kind = "buy_in" if "continues" in more else "ante"
        wagers = [wager(seat, seats[seat], kind, amount) for seat, amount in put_in.items()]
        left = {seat: (stacks or {}).get(seat, 10_000) for seat in hands}
        dealt = self.deal(opening, hands, wagers, left, absent)
        dealt["opened"] = {"terms": {"round_id": round_id}}
        settled = kit.settle(GAME, RULES, opening, self.wagering, dealt, {"betting": actions(betting)})
        self.table |= GAME.after_settle(RULES, opening, settled, round_id, self.table)
        for item in settled["net"]:
            self.accounts[item["account"]] = self.accounts.get(item["account"], 0) + item["amount"]
        assert sum(self.accounts.values()) == 0
        return settled


def wager(seat: int, bettor: str, kind: str, amount: int) -> Json:
    return {"wager_id": f"w{seat}", "seat": seat, "bettor": bettor, "circle": 1, "kind": kind, "amount": amount}


def actions(text: str) -> list[Json]:
    betting = []
    for action in filter(None, text.split(", ")):
        seat, kind, *amount = action.split()
        betting.append({"seat": int(seat), "action": kind, **({"amount": int(amount[0])} if amount else {})})
    return betting


def pots(settled: Json) -> list[tuple[Any, ...]]:
    return [(pot["pot"], pot["amount"], pot["eligible"], pot["winners"] or pot["tied"]) for pot in settled["pots"]]


def paid(settled: Json) -> dict[str, int]:
    return {item["account"]: item["amount"] for item in settled["net"]}


TWO = {1: "ann", 2: "bob"}
THREE = {**TWO, 3: "cyd"}
FOUR = {**THREE, 4: "dee"}
CARDS = {1: POINTS_7, 2: POINTS_8, 3: POINTS_6}


# §1 The deal


def test_1_three_cards_one_at_a_time_in_rotation_the_button_first() -> None:
    opening = Table().open({2: "bob", 5: "eve", 9: "ida"}, button=5, source="shuffle", draw_id="d1")
    wagering = {
        "wagers": [wager(seat, name, "ante", 100) for seat, name in {2: "bob", 5: "eve", 9: "ida"}.items()],
        "stacks": [{"seat": seat, "amount": 500} for seat in (2, 5, 9)],
    }

    body = kit.deal(GAME, RULES, opening, wagering, dict(NEW_TABLE), LUCK)

    cards = format_cards(LUCK.shuffle(deck(0), None))
    assert body["order"] == [5, 9, 2]
    assert body["hands"] == [
        {"seat": 2, "cards": [cards[2], cards[5], cards[8]]},
        {"seat": 5, "cards": [cards[0], cards[3], cards[6]]},
        {"seat": 9, "cards": [cards[1], cards[4], cards[7]]},
    ]


def test_1_each_player_pays_the_house_before_the_deal() -> None:
    fees = {"wager": [{"low": 0, "high": 200, "fee": 25}, {"low": 200, "fee": 50}]}
    table = Table()
    opening = table.open(TWO, fees=fees)

    body = table.deal(
        opening, {1: POINTS_7, 2: POINTS_8}, [wager(1, "ann", "ante", 100), wager(2, "bob", "ante", 100)], {1: 0, 2: 0}
    )

    assert body["postings"] == [
        {"from": "bettor:ann", "to": "house", "amount": 25, "why": "fee", "wager_id": "w1"},
        {"from": "bettor:bob", "to": "house", "amount": 25, "why": "fee", "wager_id": "w2"},
    ]
    assert GAME.returned(table.wagering, body) == {
        "returned": [{"wager_id": "w1", "amount": 100}, {"wager_id": "w2", "amount": 100}],
        "postings": [
            {"from": "house", "to": "bettor:ann", "amount": 25, "why": "fee_returned", "wager_id": "w1"},
            {"from": "house", "to": "bettor:bob", "amount": 25, "why": "fee_returned", "wager_id": "w2"},
        ],
    }


@pytest.mark.parametrize(
    ("seats", "more", "kind", "message"),
    [
        ({1: "ann"}, {}, PlayersTooFew, "seats: must be 2 or more players, not 1"),
        ({1: "ann", 10: "bob"}, {}, SeatUnknown, "seats[10]: must be 1 to 9"),
        ({1: "ann", 2: "ann"}, {}, BettorSeatedTwice,
         "seats[1].bettor: must be another at each seat: one hand to a player"),
        (TWO, {"banker": "house"}, FieldNotUsed, "banker: must be left out: push-nine/redding-1995 has no use for it"),
        (TWO, {"jokers": 1}, FieldNotUsed, "jokers: must be left out: push-nine/redding-1995 has no use for it"),
        (TWO, {"fees": {"banker": []}}, FieldNotUsed,
         "fees.banker: must be left out: push-nine/redding-1995 has no use for it"),
        (TWO, {"fees": {"wager": [{"low": 200, "fee": 5}]}}, FeeBandMissing,
         "fees.wager: must have a band for the ante of 100"),
        (TWO, {"ante": 33}, AnteInvalid,
         "ante: must be 34 or more, so that the least bet, 100, is within the limits"),
    ],
)  # fmt: skip
def test_1_an_opening_that_the_rules_do_not_allow(seats: dict[int, str], more: Json, kind: type, message: str) -> None:
    with pytest.raises(kind) as refusal:
        Table().open(seats, **more)
    assert refusal.value.message == message


@pytest.mark.parametrize(
    ("hands", "kind", "message"),
    [
        ({1: POINTS_7, 2: "Ac 8d 9d"}, CardDuplicate, "Ac comes 2 times; it may come once"),
        ({1: POINTS_7, 2: "Jk 8d 9d"}, CardNotInDeck, "hands[2].cards: Jk is not among the cards in use"),
        ({1: POINTS_7, 2: "8d 9d"}, HandSizeWrong, "hands[2].cards: must be 3 cards, not 2"),
    ],
)
def test_1_cards_that_cannot_be(hands: dict[int, str], kind: type, message: str) -> None:
    with pytest.raises(kind) as refusal:
        Table().play(TWO, hands, "")
    assert refusal.value.message == message


# §4 The button


def test_4_the_first_button_is_drawn_highest_card_ace_high() -> None:
    body = GAME.draw(RULES, "first_button", [7, 3, 5], LUCK)

    cards = format_cards(LUCK.shuffle(deck(0), None))
    order = "23456789TJQKA"
    shown = [item["cards"][0] for item in body["cards"]]
    assert [item["seat"] for item in body["cards"]] == [3, 5, 7]
    assert shown == cards[:3]
    highest = max(body["cards"], key=lambda item: [order.index(card[0]) for card in item["cards"]])
    assert body["seat"] == highest["seat"]


def test_4_tied_players_draw_again_from_the_same_deck() -> None:
    lucks = (Luck(server_seed=bytes([n]) * 32, terms_sha256=bytes(32), client_seed=None) for n in range(256))
    body = next(
        body for luck in lucks if len((body := GAME.draw(RULES, "first_button", [1, 2], luck))["cards"][0]["cards"]) > 1
    )

    first, second = (item["cards"] for item in body["cards"])
    assert first[0][0] == second[0][0]
    assert len(first) == len(second)
    assert len({*first, *second}) == len(first) + len(second)


def test_4_only_the_first_button_is_drawn_for() -> None:
    with pytest.raises(FirstDrawNotOffered) as refusal:
        GAME.draw(RULES, "first_banker", [1, 2], LUCK)
    assert refusal.value.message == "push-nine/redding-1995 has no draw for first_banker: must be first_button"


def test_4_the_winner_of_the_last_pot_has_the_button() -> None:
    table = Table()
    table.play(TWO, {1: POINTS_7, 2: POINTS_8}, "1 check, 2 check")

    assert table.table["button"] == {"seat": 2, "bettor": "bob"}
    with pytest.raises(ButtonInvalid) as refusal:
        table.open(TWO, button=1)
    assert refusal.value.message == "button: must be 2, where bob sits, who won the last pot, not 1"


def won_by_ann() -> Table:
    table = Table()
    table.play(THREE, {1: POINTS_8, 2: POINTS_7, 3: POINTS_6}, "1 check, 2 check, 3 check")
    return table


def test_4_the_button_follows_the_winner_to_another_seat() -> None:
    seats = {1: "cyd", 2: "bob", 3: "ann"}
    assert won_by_ann().open(seats, button=3)["button"] == 3
    with pytest.raises(ButtonInvalid) as refusal:
        won_by_ann().open(seats, button=1)
    assert refusal.value.message == "button: must be 3, where ann sits, who won the last pot, not 1"


def test_4_who_sits_where_the_winner_sat_has_not_his_button_it_is_drawn_anew() -> None:
    seats = {1: "cyd", 2: "bob"}
    with pytest.raises(ButtonInvalid) as refusal:
        won_by_ann().open(seats, button=1, source="shuffle")
    assert refusal.value.message == "draw_id: must be given: no winner of a last pot is seated, so the button is drawn"
    for button in seats:
        assert won_by_ann().open(seats, button=button, source="shuffle", draw_id="d2")["button"] == button
        assert won_by_ann().open(seats, button=button)["button"] == button  # drawn by hand at a physical table


def test_4_without_a_winner_the_button_is_drawn() -> None:
    with pytest.raises(ButtonInvalid) as refusal:
        Table().open(TWO, source="shuffle")
    assert refusal.value.message == "draw_id: must be given: no winner of a last pot is seated, so the button is drawn"
    with pytest.raises(ButtonInvalid) as refusal:
        Table(button={"seat": 7, "bettor": "gus"}).open(TWO, button=7)
    assert refusal.value.message == "button: must be one of 1, 2: the seat that drew the highest card"


# §5 Antes and betting


def test_5_everyone_antes() -> None:
    table = Table()
    with pytest.raises(AnteInvalid) as refusal:
        table.deal(table.open(TWO), {1: POINTS_7, 2: POINTS_8}, [wager(1, "ann", "ante", 100)], {1: 0, 2: 0})
    assert refusal.value.message == "wagers: must have the ante of seat 2"
    with pytest.raises(AnteInvalid) as refusal:
        table.play(TWO, {1: POINTS_7, 2: POINTS_8}, "", antes={2: 60})
    assert (
        refusal.value.message
        == "wagers[w2].amount: must be the ante of 100, or all that the player has if that is less"
    )


def test_5_an_ante_of_2_makes_it_1_to_6() -> None:
    table = Table()
    for ante, most in ((100, 300), (200, 600)):
        body = table.deal(
            table.open(TWO, ante=ante),
            {1: POINTS_7, 2: POINTS_8},
            [wager(1, "ann", "ante", ante), wager(2, "bob", "ante", ante)],
            {1: 0, 2: 0},
        )
        assert body["limits"] == {"minimum": 100, "maximum": most}


BET_AND_THREE_RAISES = "1 bet 300, 2 raise 500, 3 raise 800, 1 raise 800"


def test_5_one_bet_and_three_raises() -> None:
    settled = Table().play(THREE, CARDS, f"{BET_AND_THREE_RAISES}, 2 call, 3 call")

    assert pots(settled) == [("main", 3_600, [1, 2, 3], [2])]
    assert paid(settled) == {"bettor:ann": -1_200, "bettor:bob": 2_400, "bettor:cyd": -1_200, "pot:r1": 0}


@pytest.mark.parametrize("case", BETTING_FAIL, ids=lambda case: case["betting"] or "no action")
def test_8_betting_that_the_rules_do_not_allow_names_the_action(case: Json) -> None:
    with pytest.raises(Refusal) as refusal:
        Table().play(THREE, CARDS, case["betting"])
    assert slug_of(type(refusal.value)) == case["code"]
    assert refusal.value.message == case["message"]
    assert refusal.value.faults[0].field == case["field"]


def test_8_a_bet_over_the_stack() -> None:
    with pytest.raises(BetOverStack) as refusal:
        Table().play(THREE, CARDS, "1 bet 200", stacks={1: 150})
    assert refusal.value.message == "betting[0].amount: seat 1 adds 200: it has 150 left"


def test_5_an_all_in_below_the_minimum_is_no_raise_and_does_not_reopen() -> None:
    with pytest.raises(BettingNotReopened) as refusal:
        Table().play(THREE, CARDS, "1 bet 300, 2 call, 3 raise 350, 1 raise 350", stacks={3: 350})
    assert (
        refusal.value.message
        == "betting[3].action: seat 1 cannot raise: an all-in below 100 does not reopen the betting"
    )

    settled = Table().play(THREE, CARDS, "1 bet 300, 2 call, 3 raise 350, 1 call, 2 fold", stacks={3: 350})
    assert pots(settled) == [("main", 1_300, [1, 3], [1])]


def test_5_an_all_in_below_the_minimum_leaves_those_who_have_not_acted_free_to_raise() -> None:
    settled = Table().play(THREE, CARDS, "1 bet 300, 2 raise 350, 3 raise 650, 1 call", stacks={2: 350})
    assert pots(settled) == [("main", 1_350, [1, 2, 3], [2]), ("side_1", 600, [1, 3], [1])]


def test_5_an_all_in_below_the_minimum_does_not_use_up_a_raise() -> None:
    betting = "1 bet 300, 2 raise 600, 3 raise 650, 1 raise 650, 2 raise 650, 1 call"
    settled = Table().play(THREE, CARDS, betting, stacks={3: 650})
    assert pots(settled) == [("main", 2_250, [1, 2, 3], [2]), ("side_1", 1_200, [1, 2], [2])]


def test_5_after_an_all_in_bet_below_the_minimum_the_whole_bet_and_three_raises_are_left() -> None:
    betting = "1 bet 40, 2 raise 140, 3 raise 240, 2 raise 200, 3 raise 200, 2 call"
    settled = Table().play(THREE, CARDS, betting, stacks={1: 40})
    assert pots(settled) == [("main", 420, [1, 2, 3], [2]), ("side_1", 800, [2, 3], [2])]
    with pytest.raises(RaiseTooMany):
        Table().play(THREE, CARDS, f"{betting[:-6]}2 raise 200", stacks={1: 40})


# §6 Pots


def test_6_an_all_in_with_two_side_pots() -> None:
    hands = {1: "9s 9d 9h", 2: "Js Qd Kh", 3: POINTS_8, 4: POINTS_7}
    betting = "2 bet 300, 3 raise 600, 4 call, 1 call, 2 call"
    settled = Table().play(FOUR, hands, betting, button=2, stacks={1: 200, 2: 500})

    assert pots(settled) == [
        ("main", 1_200, [1, 2, 3, 4], [1]),
        ("side_1", 900, [2, 3, 4], [2]),
        ("side_2", 200, [3, 4], [3]),
    ]
    assert paid(settled) == {
        "bettor:ann": 900,
        "bettor:bob": 300,  # put in 600, took 900
        "bettor:cyd": -500,
        "bettor:dee": -700,
        "pot:r1": 0,
    }


def test_6_an_uncalled_bet_is_returned_not_won() -> None:
    settled = Table().play(THREE, CARDS, "1 bet 300, 2 call, 3 raise 600, 1 fold, 2 fold")

    assert pots(settled) == [("main", 1_200, [3], [3])]
    result = settled["results"][2]
    assert (result["amount"], result["returned"], result["paid"]) == (700, 300, 1_200)
    assert (result["reason"], result["rule"]) == ("others_folded", "push-nine §6")
    assert paid(settled) == {"bettor:ann": -400, "bettor:bob": -400, "bettor:cyd": 800, "pot:r1": 0}


def test_6_a_short_ante_makes_a_side_pot_of_the_antes() -> None:
    settled = Table().play(
        THREE, {1: POINTS_7, 2: POINTS_8, 3: "9s 9d 9h"}, "1 check, 2 check", antes={3: 40}, stacks={3: 0}
    )
    assert pots(settled) == [("main", 120, [1, 2, 3], [3]), ("side_1", 120, [1, 2], [2])]


def test_6_no_betting_where_all_but_one_are_all_in() -> None:
    settled = Table().play(TWO, {1: POINTS_7, 2: POINTS_8}, "", stacks={1: 0})
    assert pots(settled) == [("main", 200, [1, 2], [2])]


def test_6_folded_hands_never_win() -> None:
    settled = Table().play(THREE, {1: "Ah As Ad", 2: POINTS_7, 3: "2d 4s 2s"}, "1 fold, 2 check, 3 check")
    assert pots(settled) == [("main", 300, [2, 3], [3])]
    assert settled["results"][0]["reason"] == "folded"


def test_6_stacks_are_told_for_those_who_play() -> None:
    table = Table()
    antes = [wager(1, "ann", "ante", 100), wager(2, "bob", "ante", 100)]
    with pytest.raises(StackMissing) as refusal:
        table.deal(table.open(TWO), {1: POINTS_7, 2: POINTS_8}, antes, {1: 0})
    assert refusal.value.message == "stacks[2]: must be given: what the player has left, 0 if nothing"


def test_6_no_more_money_than_an_amount_can_say() -> None:
    with pytest.raises(PotTooLarge) as refusal:
        Table().play(TWO, {1: POINTS_7, 2: POINTS_8}, "", stacks={1: 2**53 - 1})
    assert refusal.value.message == (
        f"stacks: come to {2**53 - 1 + 10_000 + 200} together: must be at most {2**53 - 1}"
    )


# §7 The push

THREE_WAY = {1: POINTS_8, 2: ALSO_8, 3: THIRD_8, 4: POINTS_7}


def pushed_three_ways() -> Table:
    table = Table()
    settled = table.play(FOUR, THREE_WAY, "1 bet 250, 2 call, 3 call, 4 fold")
    assert pots(settled) == [("main", 1_150, [1, 2, 3], [1, 2, 3])]
    return table


def test_7_a_three_way_push_is_carried() -> None:
    table = pushed_three_ways()

    assert table.table["button"] == {"seat": 1, "bettor": "ann"}
    assert table.table["pot"] == {
        "round_id": "r1",
        "ruleset": "push-nine/redding-1995",
        "currency": "USD",
        "ante": 100,
        "pots": [
            {
                "pot": "main",
                "account": "pot:r1",
                "amount": 1_150,
                "tied": [{"seat": 1, "bettor": "ann"}, {"seat": 2, "bettor": "bob"}, {"seat": 3, "bettor": "cyd"}],
                "buy_in": 600,  # half of 11.50, rounded up to the dollar
            }
        ],
    }
    assert table.accounts == {
        "bettor:ann": -350, "bettor:bob": -350, "bettor:cyd": -350, "bettor:dee": -100, "pot:r1": 1_150
    }  # fmt: skip


def test_7_a_pushed_pot_is_bought_into_and_won_by_the_buyer() -> None:
    table = pushed_three_ways()

    settled = table.play(
        FOUR, THREE_WAY | {4: "9s 9d 9h"}, "1 bet 100, 2 fold, 3 call, 4 call",
        round_id="r2", continues="r1", buy_ins={4: 600},
    )  # fmt: skip

    assert pots(settled) == [("main", 1_750, [1, 2, 3, 4], [4]), ("bets", 300, [1, 3, 4], [4])]
    assert table.table["pot"] is None
    assert table.table["button"] == {"seat": 4, "bettor": "dee"}
    assert table.accounts == {
        "bettor:ann": -450, "bettor:bob": -350, "bettor:cyd": -450, "bettor:dee": 1_250, "pot:r1": 0, "pot:r2": 0
    }  # fmt: skip


def test_7_a_pot_can_be_pushed_again_and_its_price_is_half_of_what_it_is_then() -> None:
    table = pushed_three_ways()
    table.play(
        FOUR, {1: POINTS_8, 2: ALSO_8, 3: POINTS_7, 4: THIRD_8}, "1 bet 100, 2 call, 3 fold, 4 call",
        round_id="r2", continues="r1", buy_ins={4: 600},
    )  # fmt: skip

    pot = table.table["pot"]
    assert pot["round_id"] == "r2"
    assert [(part["pot"], part["account"], part["amount"], part.get("buy_in")) for part in pot["pots"]] == [
        ("main", "pot:r1", 1_750, 900),
        ("bets", "pot:r2", 300, None),
    ]

    settled = table.play(
        FOUR, {1: POINTS_7, 2: POINTS_6, 3: "9s 9d 9h", 4: "8s 8c 8h"}, "1 check, 2 check, 3 check, 4 check",
        round_id="r3", continues="r2", buy_ins={3: 900},
    )  # fmt: skip
    assert pots(settled) == [("main", 2_650, [1, 2, 3, 4], [3]), ("bets", 300, [1, 2, 4], [4])]
    assert {account for account, amount in table.accounts.items() if amount and account.startswith("pot:")} == set()


def test_7_each_side_pot_pushes_on_its_own_among_its_players() -> None:
    table = Table()
    settled = table.play(
        THREE, {1: "9s 9d 9h", 2: POINTS_8, 3: ALSO_8}, "1 bet 100, 2 raise 300, 3 call", stacks={1: 100}
    )
    assert pots(settled) == [("main", 600, [1, 2, 3], [1]), ("side_1", 400, [2, 3], [2, 3])]
    assert "buy_in" not in table.table["pot"]["pots"][0]

    with pytest.raises(BuyInWrong) as refusal:
        table.play(THREE, CARDS, "", round_id="r2", continues="r1", buy_ins={1: 200})
    assert (
        refusal.value.message
        == "wagers[w1]: must be left out: the main pot was won, only its players play for the rest"
    )

    settled = table.play(THREE, {2: POINTS_7, 3: POINTS_8}, "2 check, 3 check", round_id="r2", continues="r1")
    assert pots(settled) == [("side_1", 400, [2, 3], [3])]
    assert table.table["button"] == {"seat": 3, "bettor": "cyd"}


def test_7_the_last_one_left_in_a_pot_has_won_it_even_if_he_then_folds_for_another() -> None:
    """Main pot: ann, bob and cyd tied; side pot: bob and cyd. Both fold to ann's bet, bob first."""
    table = Table()
    settled = table.play(THREE, {1: POINTS_8, 2: ALSO_8, 3: THIRD_8}, "1 bet 100, 2 raise 300, 3 call", stacks={1: 100})
    assert pots(settled) == [("main", 600, [1, 2, 3], [1, 2, 3]), ("side_1", 400, [2, 3], [2, 3])]

    settled = table.play(THREE, THREE_WAY_HANDS, "1 bet 100, 2 fold, 3 fold", round_id="r2", continues="r1")
    assert pots(settled) == [("main", 600, [1, 2, 3], [1]), ("side_1", 400, [2, 3], [3])]
    assert settled["results"][0]["returned"] == 100


THREE_WAY_HANDS = {1: POINTS_6, 2: POINTS_7, 3: POINTS_8}


@pytest.mark.parametrize(
    ("seats", "more", "kind", "message"),
    [
        (FOUR, {"continues": "r0"}, PotNotCarried, "continues: must be r1, not r0"),
        ({1: "ann", 2: "bob", 4: "dee"}, {"continues": "r1"}, TiedPlayerMissing,
         "seats: must have cyd, who tied for the carried pot, at some seat; the deal says if he has left (absent)"),
        (FOUR, {"continues": "r1", "ante": 200}, PotChanged, "ante: must be 100, as when the pot was begun"),
        (FOUR, {"continues": "r1", "button": 2}, ButtonInvalid,
         "button: must be 1, which is ann's while the pot is carried, not 2"),
    ],
)  # fmt: skip
def test_7_a_carried_pot_is_the_next_rounds_as_it_stands(
    seats: dict[int, str], more: Json, kind: type, message: str
) -> None:
    with pytest.raises(kind) as refusal:
        pushed_three_ways().open(seats, **more)
    assert refusal.value.message == message


LEFT_HAND = "9s 9d 9h"  # which would win every pot below


def won(settled: Json) -> list[tuple[Any, ...]]:
    return [(pot["pot"], pot["winners"], pot["reason"]) for pot in settled["pots"]]


def test_7_a_tied_player_who_has_left_folds_when_all_others_are_all_in() -> None:
    table = pushed_three_ways()
    settled = table.play(
        FOUR, {1: POINTS_6, 2: POINTS_7, 3: LEFT_HAND}, "", round_id="r2", continues="r1",
        stacks={1: 0, 2: 0, 3: 5_000}, absent=(3,),
    )  # fmt: skip
    assert won(settled) == [("main", [2], "best_hand")]
    assert [hand["folded"] for hand in settled["hands"]] == [False, False, True]
    result = settled["results"][2]
    assert (result["result"], result["reason"], result["rule"]) == ("lose", "absent", "push-nine §7")


def test_7_a_tied_player_who_has_left_folds_with_a_stack_told_as_nothing() -> None:
    table = pushed_three_ways()
    settled = table.play(
        FOUR, {1: POINTS_7, 2: POINTS_8, 3: LEFT_HAND}, "1 check, 2 check", round_id="r2", continues="r1",
        stacks={3: 0}, absent=(3,),
    )  # fmt: skip
    assert won(settled) == [("main", [2], "best_hand")]


def test_7_who_is_alone_with_those_who_left_has_won_without_betting() -> None:
    table = pushed_three_ways()
    settled = table.play(
        FOUR, {1: POINTS_6, 2: LEFT_HAND, 3: POINTS_8}, "", round_id="r2", continues="r1", absent=(2, 3)
    )
    assert won(settled) == [("main", [1], "others_folded")]
    assert table.table["button"] == {"seat": 1, "bettor": "ann"}


def test_7_a_tied_player_with_nothing_left_who_is_there_plays_on_and_may_win() -> None:
    table = pushed_three_ways()
    settled = table.play(
        FOUR, {1: POINTS_7, 2: POINTS_8, 3: LEFT_HAND, 4: POINTS_6}, "1 bet 100, 2 call, 4 fold", round_id="r2",
        continues="r1", buy_ins={4: 600}, stacks={3: 0},
    )  # fmt: skip
    assert pots(settled) == [("main", 1_750, [1, 2, 3, 4], [3]), ("bets", 200, [1, 2], [2])]
    assert settled["results"][2]["reason"] == "best_hand"


def test_7_who_has_left_pays_no_fee() -> None:
    table = pushed_three_ways()
    opening = table.open(FOUR, continues="r1", fees={"wager": [{"low": 0, "fee": 25}]})
    body = table.deal(opening, THREE_WAY_HANDS, [], dict.fromkeys((1, 2, 3), 0), (2,))
    assert [fee["seat"] for fee in body["fees"]] == [1, 3]


def test_7_tied_players_may_have_moved_and_the_button_with_them() -> None:
    table, moved = pushed_three_ways(), {1: "dee", 2: "cyd", 3: "bob", 9: "ann"}
    with pytest.raises(ButtonInvalid) as refusal:
        table.open(moved, continues="r1")
    assert refusal.value.message == "button: must be 9, which is ann's while the pot is carried, not 1"
    settled = table.play(
        moved, {9: POINTS_6, 2: POINTS_7, 3: POINTS_8}, "9 check, 2 check, 3 check", round_id="r2", continues="r1",
        button=9,
    )  # fmt: skip
    assert pots(settled) == [("main", 1_150, [2, 3, 9], [3])]
    assert table.accounts["bettor:bob"] == 1_150 - 350
    assert table.table["button"] == {"seat": 3, "bettor": "bob"}


def test_7_the_button_of_one_who_has_left_stays_in_its_place_while_the_pot_is_carried() -> None:
    table = Table()
    table.play(FOUR, {1: POINTS_7, 2: POINTS_8, 3: ALSO_8, 4: POINTS_6}, "1 fold, 2 check, 3 check, 4 check")
    without = {2: "bob", 3: "cyd"}
    settled = table.play(without, {2: POINTS_8, 3: ALSO_8}, "2 check, 3 check", round_id="r2", continues="r1", button=1)
    assert settled["button"] == table.table["button"] == {"seat": 1, "bettor": "ann"}


@pytest.mark.parametrize(
    ("absent", "buy_ins", "message"),
    [
        ((4,), {}, "absent[4]: must be left out: this seat did not tie for a carried pot, or buys in"),
        ((4,), {4: 600}, "absent[4]: must be left out: this seat did not tie for a carried pot, or buys in"),
        ((1, 2, 3), {},
         "absent: must leave one who plays for pot main: who was the last one left in it has won it"),
    ],
)  # fmt: skip
def test_7_who_cannot_be_said_to_have_left(absent: tuple[int, ...], buy_ins: dict[int, int], message: str) -> None:
    with pytest.raises(AbsenceInvalid) as refusal:
        pushed_three_ways().play(FOUR, THREE_WAY, "", round_id="r2", continues="r1", buy_ins=buy_ins, absent=absent)
    assert refusal.value.message == message


def test_7_nobody_is_absent_from_a_hand_that_is_no_push_hand() -> None:
    with pytest.raises(AbsenceInvalid):
        Table().play(THREE, CARDS, "", absent=(2,))


def test_7_no_pot_is_carried_from_nowhere() -> None:
    with pytest.raises(PotNotCarried) as refusal:
        Table().open(TWO, continues="r9")
    assert refusal.value.message == "continues: must be left out: the table carries no pot"


@pytest.mark.parametrize(
    ("buy_ins", "message"),
    [
        ({4: 500}, "wagers[w4].amount: must be 600, not 500"),
        ({2: 600}, "wagers[w2].seat: seat 2 tied for the pot: must not buy in"),
    ],
)
def test_7_a_buy_in_is_checked_against_the_record(buy_ins: dict[int, int], message: str) -> None:
    with pytest.raises(BuyInWrong) as refusal:
        pushed_three_ways().play(FOUR, THREE_WAY, "", round_id="r2", continues="r1", buy_ins=buy_ins)
    assert refusal.value.message == message


def test_7_no_new_ante() -> None:
    table = pushed_three_ways()
    opening = table.open(FOUR, continues="r1")
    with pytest.raises(WagerKindNotOffered) as refusal:
        table.deal(opening, THREE_WAY, [wager(1, "ann", "ante", 100)], {})
    assert refusal.value.message == "wagers[w1].kind: must be one of: buy_in"


def test_7_the_usual_fee_of_those_who_play_on_and_a_void_returns_buy_ins_while_the_pot_stays() -> None:
    table = pushed_three_ways()
    before = dict(table.table)
    opening = table.open(FOUR, continues="r1", fees={"wager": [{"low": 0, "fee": 25}]})

    body = table.deal(opening, THREE_WAY, [wager(4, "dee", "buy_in", 600)], dict.fromkeys(FOUR, 500))

    assert [(fee["seat"], fee["amount"]) for fee in body["fees"]] == [(1, 25), (2, 25), (3, 25), (4, 25)]
    assert body["carried"]["pots"][0]["amount"] == 1_750
    assert GAME.returned(table.wagering, body)["returned"] == [{"wager_id": "w4", "amount": 600}]
    assert len(GAME.returned(table.wagering, body)["postings"]) == 4
    assert table.table == before


def test_a_hand_of_three_is_never_set() -> None:
    with pytest.raises(HouseWayAbsent) as refusal:
        GAME.set_hands(RULES, [["As", "Ks", "Qs"]], "player")
    assert refusal.value.message == "push-nine/redding-1995 has no house way: nobody sets a hand"


def test_a_rule_set_that_is_none() -> None:
    with pytest.raises(RulesetInvalid) as refusal:
        GAME.load({**DOCUMENT, "raises": "three"})
    assert refusal.value.message == "not a push nine rule set: raises must be an integer"
