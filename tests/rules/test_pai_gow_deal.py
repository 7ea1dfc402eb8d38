"""Pai gow sheet §1, §3.3, §8.0, §8.1: who may open and wager, and who gets which pile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import pytest

from cardroom.banked.bets import (
    BackLineBySeated,
    BackLineWithoutSeated,
    BankerWagerBelowMinimum,
    BankerWagerMissing,
    BankerWagerNotWanted,
    BankerWagers,
    CircleUnknown,
    StakesTooLarge,
    WagerMissing,
    WagerOutsideLimits,
)
from cardroom.banked.opening import BankerNotSeated, FeesNotAllowed, HouseCannotBank, LimitsInvalid
from cardroom.cards import CardDuplicate, CardInvalid, deck, format_cards
from cardroom.fees import FeeBandMissing
from cardroom.games.pai_gow_poker import deal as d
from cardroom.games.pai_gow_poker import piles
from cardroom.games.pai_gow_poker.game import GAME
from cardroom.physical import (
    CardNotInDeck,
    DiceInvalid,
    DrawMissing,
    HandSizeWrong,
    HandsMissing,
    HandsNotWanted,
    ShuffleInputNotWanted,
)
from cardroom.refusals import Refusal
from cardroom.seats import BettorReserved, SeatDuplicate, SeatUnknown
from cardroom.shuffle import CutInvalid, Luck
from cardroom.table import BettorNotSeated, CircleTaken, WagerDuplicate, WagerKindNotOffered
from tests import kit
from tests.rules.pai_gow_round import (
    BI,
    CASINO,
    CC,
    FL,
    HANDS,
    NEW_TABLE,
    RULESETS,
    fortune,
    net_of,
    opening,
    physical,
    rules,
    seats,
    wager,
)

Json = dict[str, Any]


class Unshuffled(Luck):
    """Luck that leaves the deck as it is, throws 1-1-1 and draws 1."""

    def __init__(self) -> None:
        super().__init__(server_seed=bytes(32), terms_sha256=bytes(32), client_seed=None)

    def shuffle(self, deck: Sequence[Any], cut: int | None) -> tuple[Any, ...]:
        return tuple(deck)

    def dice(self) -> tuple[int, int, int]:
        return 1, 1, 1

    def seat(self, seats: int) -> int:
        return 1


def dealt(ruleset: str, opened: Json, *, wagers: list[Json] | None = None, **more: Any) -> Json:
    request = {"wagers": wagers or [wager("w1", 1, 100)], "banker_wager": 3_000_000, **more}
    if opened["banker"] == "house":
        del request["banker_wager"]
    luck = None if opened["source"] == "table" else Unshuffled()
    return kit.deal(GAME, rules(ruleset), opened, request, NEW_TABLE, luck)


def six(ruleset: str, **more: Any) -> Json:
    """Six players, whichever the rule set; seat 4 banks."""
    return opening(banker=4, seated=range(1, 7), **more)


# §1.1, §1.2


@pytest.mark.parametrize(("ruleset", "jokers"), [(BI, 1), (FL, 1), (CASINO, 1), (CC, 0)])
def test_1_1_the_deck(ruleset: str, jokers: int) -> None:
    assert GAME.deck(rules(ruleset), six(ruleset)) == deck(jokers)


def test_1_1_contra_costa_plays_any_number_of_jokers() -> None:
    for jokers in (0, 1, 2, 8):
        assert len(GAME.deck(rules(CC), six(CC, jokers=jokers))) == 52 + jokers


@pytest.mark.parametrize(("ruleset", "jokers", "allowed"), [(BI, 0, "1 to 1"), (FL, 2, "1 to 1"), (CC, 9, "0 to 8")])
def test_1_1_other_jokers_are_refused(ruleset: str, jokers: int, allowed: str) -> None:
    with pytest.raises(d.JokersOutOfRange, match=f"jokers: must be {allowed}, not {jokers}"):
        GAME.check_open(rules(ruleset), six(ruleset, jokers=jokers), NEW_TABLE)


def test_1_2_eight_hands_need_56_cards() -> None:
    eight = opening(banker=4, seated=range(1, 9), jokers=3)
    with pytest.raises(d.DeckTooSmall, match="8 hands need 56 cards, the deck has 55: must be at least 4"):
        GAME.check_open(rules(CC), eight, NEW_TABLE)
    GAME.check_open(rules(CC), {**eight, "jokers": 4}, NEW_TABLE)
    body = kit.deal(
        GAME, rules(CC), {**eight, "jokers": 4}, {"wagers": [wager("w", 1)], "banker_wager": 9}, NEW_TABLE, Unshuffled()
    )
    assert sum(len(hand["cards"]) for hand in body["hands"]) == 56


@pytest.mark.parametrize("ruleset", [BI, FL, CASINO])
def test_1_2_seven_piles_whatever_the_number_of_players(ruleset: str) -> None:
    body = dealt(ruleset, opening(banker=4, seated=[1, 4]))
    assert [hand["seat"] for hand in body["hands"]] == [1, 2, 3, 4, 5, 6, 7]
    assert all(len(hand["cards"]) == 7 for hand in body["hands"])


# §1.3 to §1.6


def test_1_3_contra_costa_deals_to_the_seated_only() -> None:
    body = dealt(CC, opening(banker=4, seated=[1, 4, 8]))
    assert [hand["seat"] for hand in body["hands"]] == [1, 4, 8]


def test_1_3_the_casino_house_plays_its_pile_if_it_wagers() -> None:
    house = wager("h", 7, 80, bettor="house")
    body = dealt(CASINO, six(CASINO), wagers=[wager("w1", 1), house])
    assert sorted(body["action_order"]) == [1, 7]
    assert dealt(CASINO, six(CASINO))["action_order"] == [1]


def test_1_3_what_the_house_wins_and_loses_is_its_own_and_free_of_commission() -> None:
    house = wager("h", 7, 80, bettor="house")
    _, settled = physical(
        rules(CASINO),
        hands={1: "L1", 7: "W1"},
        wagers=[wager("w1", 1, 10), house],
        banker=4,
        action_seat=1,
        sets={7: "house_way"},
    )
    assert net_of(settled) == {"bettor:b1": -10, "bettor:b4": -70, "house": 80}


def places_by_dice(ruleset: str, banker: int, seated: Sequence[int]) -> Counter[int]:
    opened = opening(banker=banker, seated=seated)
    bettor = next(seat for seat in seated if seat != banker)
    return Counter(
        dealt(ruleset, opened, wagers=[wager("w", bettor)], dice=list(dice))["action"]["seat"]
        for dice in product(range(1, 7), repeat=3)
    )


@pytest.mark.parametrize("ruleset", [BI, FL])
def test_1_4_three_dice_give_six_seats_31_of_216_and_one_30(ruleset: str) -> None:
    counts = places_by_dice(ruleset, 3, range(1, 8))
    assert sorted(counts.values()) == [30, 31, 31, 31, 31, 31, 31]


@pytest.mark.parametrize(("dice", "seat"), [([1, 1, 1], 7), ([2, 3, 3], 5), ([5, 5, 5], 5), ([6, 6, 6], 1)])
def test_1_4_dice_count_clockwise_from_the_banker_as_1_8_and_15(dice: list[int], seat: int) -> None:
    assert dealt(BI, opening(banker=5, seated=[1, 5]), dice=dice)["action"] == {
        "seat": seat,
        "pile": 1,
        "by": "dice",
        "from": "request",
        "dice": dice,
    }


def test_1_4_the_casino_counts_dice_clockwise_and_a_number_the_other_way() -> None:
    opened = six(CASINO)
    assert dealt(CASINO, opened, dice=[1, 1, 1])["action"]["seat"] == 6
    assert dealt(CASINO, opened, number=3)["action"]["seat"] == 2
    house = opening(banker="house", seated=range(1, 7))
    assert dealt(CASINO, house, dice=[1, 1, 1])["action"]["seat"] == 2
    assert dealt(CASINO, house, number=3)["action"]["seat"] == 5


def test_1_4_contra_costa_draws_among_the_seated() -> None:
    opened = opening(banker=4, seated=[1, 4, 8])
    assert [dealt(CC, opened, number=number)["action"]["seat"] for number in (1, 2, 3)] == [4, 8, 1]
    assert set(places_by_dice(CC, 4, [1, 4, 8])) == {1, 4, 8}
    drawn = Counter()
    for seed in range(300):
        luck = Luck(server_seed=seed.to_bytes(32, "big"), terms_sha256=bytes(32), client_seed=None)
        request = {"wagers": [wager("w1", 1)], "banker_wager": 9}
        action = kit.deal(GAME, rules(CC), opened, request, NEW_TABLE, luck)["action"]
        assert (action["by"], action["from"], action["number"]) == ("number", "seed", luck.seat(3))
        drawn[action["seat"]] += 1
    assert min(drawn.values()) > 70


def test_1_4_the_service_throws_the_dice_itself_unless_they_are_given() -> None:
    assert dealt(BI, opening(banker=5, seated=[1, 5]))["action"] == {
        "seat": 7,
        "pile": 1,
        "by": "dice",
        "from": "seed",
        "dice": [1, 1, 1],
    }


@pytest.mark.parametrize(
    ("ruleset", "piles"),
    [(BI, [3, 4, 5, 6, 7, 1, 2]), (CASINO, [3, 2, 1, 7, 6, 5, 4])],
)
def test_1_5_piles_follow_the_chosen_one_in_the_dealing_direction(ruleset: str, piles: list[int]) -> None:
    """The banker at 6 throws 3, so that seat 1 gets the pile chosen, 3."""
    body = dealt(ruleset, opening(banker=6, seated=[1, 2, 6]), dice=[1, 1, 1], pile=3)
    assert body["action"]["seat"] == 1
    assert [hand["pile"] for hand in body["hands"]] == piles


def test_1_6_cards_are_dealt_singly() -> None:
    body = dealt(BI, opening(banker=6, seated=[1, 6]), dice=[1, 1, 1])
    by_pile = {hand["pile"]: hand["cards"] for hand in body["hands"]}
    order = format_cards(deck(1))
    assert by_pile[1] == [order[n] for n in (0, 7, 14, 21, 28, 35, 42)]
    assert by_pile[7] == [order[n] for n in (6, 13, 20, 27, 34, 41, 48)]


# §3.3


def say(ruleset: str, wagers: list[Json]) -> list[str]:
    return [entry["wager_id"] for entry in dealt(ruleset, six(ruleset), wagers=wagers)["say"]]


@pytest.mark.parametrize(("ruleset", "who"), [(BI, "w2"), (CC, "w2"), (FL, "w1"), (CASINO, "w1")])
def test_3_3_who_has_the_say(ruleset: str, who: str) -> None:
    wagers = [wager("w1", 1, 50, placed=1), wager("w2", 1, 60, circle=2, bettor="x", placed=2)]
    assert say(ruleset, wagers) == [who]


@pytest.mark.parametrize("ruleset", [BI, CC])
def test_3_3_of_equal_largest_wagers_the_earlier_placed(ruleset: str) -> None:
    wagers = [wager("w1", 1, 60, placed=9), wager("w2", 1, 60, circle=3, bettor="x", placed=2)]
    assert say(ruleset, wagers) == ["w2"]


def test_3_3_a_side_bet_gives_no_say() -> None:
    bets = [wager("w1", 1, 50), wager("w2", 1, 40, circle=2, bettor="x")]
    assert say(FL, [*bets, fortune("s", 1, 500, circle=2, bettor="x")]) == ["w1"]


# Refusals of an open


@pytest.mark.parametrize(
    ("ruleset", "opened", "refusal", "message"),
    [
        (BI, opening(seated=[1, 7, 8]), SeatUnknown, r"seats\[8\]: must be 1 to 7"),
        (CASINO, opening(banker=1, seated=[1, 7]), SeatUnknown, r"seats\[7\]: must be 1 to 6"),
        (BI, {**opening(), "seats": seats(1, 7, 1)}, SeatDuplicate, r"seats\[1\]: must be named once"),
        (
            BI,
            {**opening(), "seats": [*seats(7), {"seat": 1, "bettor": "house"}]},
            BettorReserved,
            r"seats\[1\].bettor: must not be the house's name",
        ),
        (
            BI,
            opening(banker=2, seated=[1, 3]),
            BankerNotSeated,
            "banker: seat 2 is not b2's: the banker must be",
        ),
        (
            BI,
            {**opening(), "banker": {"seat": 7, "bettor": "b1"}},
            BankerNotSeated,
            "banker: seat 7 is not b1's: the banker must be seated",
        ),
        (
            BI,
            opening(limits={"minimum": 9, "maximum": 8}),
            LimitsInvalid,
            "limits.maximum: must not be below the",
        ),
        (
            CC,
            opening(seated=[1, 7], fees={"wager": []}),
            FeesNotAllowed,
            f"fees.wager: must be left out: {CC} has fees from: none",
        ),
        (
            FL,
            opening(fees={"wager": [{"low": 0, "fee": 1}]}),
            FeesNotAllowed,
            f"fees.wager: must be left out: {FL} has fees from: banker",
        ),
    ],
)
def test_an_open_is_refused(ruleset: str, opened: Json, refusal: type[Refusal], message: str) -> None:
    with pytest.raises(refusal, match=message):
        GAME.check_open(rules(ruleset), opened, NEW_TABLE)


@pytest.mark.parametrize("ruleset", [BI, FL, CC])
def test_8_0_the_house_never_banks_in_a_card_room(ruleset: str) -> None:
    message = f"banker: must be a seated player: the house never banks under {ruleset}"
    with pytest.raises(HouseCannotBank, match=message):
        GAME.check_open(rules(ruleset), opening(banker="house"), NEW_TABLE)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_an_open_within_the_rules_is_not_refused(ruleset: str) -> None:
    GAME.check_open(rules(ruleset), six(ruleset), NEW_TABLE)


# Refusals of wagers (§8.0)


def back_line(wager_id: str, seat: int, amount: int = 50, **more: Any) -> Json:
    return wager(wager_id, seat, amount, **{"circle": 2, "bettor": "x", **more})


@pytest.mark.parametrize(
    ("ruleset", "wagers", "refusal", "fields", "message"),
    [
        (BI, [wager("w1", 1), wager("w1", 2)], WagerDuplicate, ["wagers[w1]"], "must come once"),
        (FL, [fortune("s1", 1)], WagerMissing, ["wagers"], "must have at least one main wager"),
        (
            BI,
            [wager("w1", 1), wager("w2", 7), wager("w3", 9)],
            SeatUnknown,
            ["wagers[w2].seat", "wagers[w3].seat"],
            "nobody plays at seat 7: must be one of 1, 2, 3, 4, 5, 6",
        ),
        (
            BI,
            [back_line("w1", 1, circle=4)],
            CircleUnknown,
            ["wagers[w1].circle"],
            "must be 1 to 3, not 4",
        ),
        (
            CC,
            [back_line("w1", 1, circle=0)],
            CircleUnknown,
            ["wagers[w1].circle"],
            "must be at least 1, not 0",
        ),
        (
            BI,
            [wager("w1", 1), back_line("w2", 1, bettor="b4"), wager("w3", 4)],
            BankerWagers,
            ["wagers[w2].bettor", "wagers[w3].bettor"],
            "b4 banks and wagers on no hand",
        ),
        (
            BI,
            [back_line("w2", 4)],
            BankerWagers,
            ["wagers[w2].seat"],
            "seat 4 is the banker's: nobody wagers on it",
        ),
        (
            BI,
            [wager("w1", 1, bettor="b2")],
            BettorNotSeated,
            ["wagers[w1].bettor"],
            "circle 1 of seat 1 is b1's",
        ),
        (
            CASINO,
            [wager("w1", 1), back_line("w2", 1, bettor="house")],
            BettorNotSeated,
            ["wagers[w2].bettor"],
            "the house wagers on circle 1 of its own place only",
        ),
        (
            CASINO,
            [wager("w1", 7)],
            BettorNotSeated,
            ["wagers[w1].bettor"],
            "circle 1 of seat 7 is house's, not b7's",
        ),
        (
            BI,
            [wager("w1", 1), back_line("w2", 1, bettor="b1")],
            BackLineBySeated,
            ["wagers[w2].bettor"],
            "circle 2 is for others than the player at seat 1",
        ),
        (
            BI,
            [wager("w1", 1), back_line("w2", 1), back_line("w3", 1, bettor="y")],
            CircleTaken,
            ["wagers[w3].circle"],
            "circle 2 of seat 1 has the main wager w2 already",
        ),
        (
            FL,
            [wager("w1", 1), fortune("s1", 1), fortune("s2", 1)],
            CircleTaken,
            ["wagers[s2].circle"],
            "circle 1 of seat 1 has the fortune wager s1 already",
        ),
        (
            BI,
            [wager("w1", 1), back_line("w2", 2)],
            BackLineWithoutSeated,
            ["wagers[w2].circle"],
            "circle 2 needs a wager on circle 1 of seat 2",
        ),
        (
            BI,
            [wager("w1", 1), fortune("s1", 1)],
            WagerKindNotOffered,
            ["wagers[s1].kind"],
            f"{BI} offers main, not fortune",
        ),
        (
            CASINO,
            [wager("h", 7, bettor="house"), fortune("s1", 7, bettor="house")],
            d.SideBetNotOffered,
            ["wagers[s1].kind"],
            "the house has no side bets",
        ),
        (
            FL,
            [wager("w1", 1), fortune("s1", 1, circle=2, bettor="x"), fortune("s2", 2)],
            d.SideBetWithoutMain,
            ["wagers[s1].kind", "wagers[s2].kind"],
            "x has no main wager on circle 2 of seat 1",
        ),
        (
            FL,
            [wager("w1", 1), back_line("w2", 1), fortune("s1", 1, circle=2, bettor="y")],
            d.SideBetWithoutMain,
            ["wagers[s1].kind"],
            "y has no main wager on circle 2 of seat 1",
        ),
        (
            CC,
            [wager("w1", 1, placed=1), back_line("w2", 1)],
            d.PlacedMissing,
            ["wagers[w2].placed"],
            "must be given: several wagers on seat 1, and the earlier one goes first",
        ),
        (
            BI,
            [wager("w1", 1, 50), back_line("w2", 1, 50), back_line("w3", 1, 40, circle=3)],
            d.PlacedMissing,
            ["wagers[w1].placed", "wagers[w2].placed"],
            "must be given: several wagers on seat 1, and the earlier one goes first",
        ),
        (
            CC,
            [wager("w1", 1, placed=1), back_line("w2", 1, placed=1)],
            d.PlacedDuplicate,
            ["wagers[w1].placed", "wagers[w2].placed"],
            "must come once among the main wagers of seat 1, not 1 again",
        ),
    ],
)
def test_8_0_wagers_are_refused(
    ruleset: str, wagers: list[Json], refusal: type[Refusal], fields: list[str], message: str
) -> None:
    with pytest.raises(refusal) as refused:
        dealt(ruleset, six(ruleset), wagers=wagers)
    assert [fault.field for fault in refused.value.faults] == fields
    assert message in refused.value.faults[0].message
    assert refused.value.message == f"{fields[0]}: {refused.value.faults[0].message}"


def test_8_0_contra_costa_lets_anyone_bet_on_any_hand() -> None:
    wagers = [back_line("w1", 1, bettor="b2", circle=17), back_line("w2", 2, bettor="b2")]
    assert len(dealt(CC, six(CC), wagers=wagers)["action_order"]) == 2


def test_8_0_main_wagers_lie_within_the_table_limits() -> None:
    opened = six(FL, limits={"minimum": 50, "maximum": 100})
    wagers = [wager("w1", 1, 49), wager("w2", 2, 50), wager("w3", 3, 100), wager("w5", 5, 101), fortune("s2", 2, 1)]
    with pytest.raises(WagerOutsideLimits, match=r"wagers\[w1\].amount: must be 50 to 100, not 49") as refused:
        dealt(FL, opened, wagers=wagers)
    assert [fault.field for fault in refused.value.faults] == ["wagers[w1].amount", "wagers[w5].amount"]


@pytest.mark.parametrize(
    ("ruleset", "opened", "banker_wager", "refusal", "message"),
    [
        (BI, six(BI), None, BankerWagerMissing, "banker_wager: must be given: a player banks"),
        (BI, six(BI, limits={"minimum": 50}), 49, BankerWagerBelowMinimum, "must be at least 50, not 49"),
        (FL, six(FL), 2_999_999, BankerWagerBelowMinimum, "must be at least 3000000, not 2999999"),
        (
            CASINO,
            opening(banker="house", seated=[1]),
            9,
            BankerWagerNotWanted,
            "must be left out: the house banks without a limit",
        ),
    ],
)
def test_8_1_the_bankers_wager_is_refused(
    ruleset: str, opened: Json, banker_wager: int | None, refusal: type[Refusal], message: str
) -> None:
    request: Json = {"wagers": [wager("w1", 1)]}
    if banker_wager is not None:
        request["banker_wager"] = banker_wager
    with pytest.raises(refusal, match=message):
        kit.deal(GAME, rules(ruleset), opened, request, NEW_TABLE, Unshuffled())


def test_7_1_an_amount_in_no_fee_band_is_refused() -> None:
    fees = {"wager": [{"low": 100, "high": 200, "fee": 5}], "banker": [{"low": 0, "high": 10, "fee": 5}]}
    wagers = [wager("w1", 1, 99), wager("w2", 2, 100), wager("w3", 3, 200)]
    with pytest.raises(FeeBandMissing, match="must lie in a band of the posted fees; 99 is in none") as refused:
        dealt(BI, six(BI, fees=fees), wagers=wagers)
    assert [fault.field for fault in refused.value.faults] == ["wagers[w1].amount", "wagers[w3].amount"]
    with pytest.raises(FeeBandMissing, match="banker_wager: must lie in a band of the posted fees; 3000000 is in"):
        dealt(BI, six(BI, fees=fees), wagers=[wager("w2", 2, 100)])


def test_money_that_an_amount_cannot_say_is_refused() -> None:
    most = 2**53 - 1
    with pytest.raises(StakesTooLarge, match=f"could move in this round: must be at most {most}"):
        dealt(FL, six(FL), wagers=[wager("w1", 1), fortune("s1", 1, most // 5_000)])


# Refusals of dice, piles and cards


@pytest.mark.parametrize(
    ("ruleset", "more", "refusal", "message"),
    [
        (
            BI,
            {"number": 3},
            piles.DrawNotOffered,
            f"number: must be left out or be the only one: {BI} draws the action ",
        ),
        (CASINO, {"number": 3, "dice": [1, 1, 1]}, piles.DrawNotOffered, "draws the action hand by number or dice"),
        (BI, {"dice": [1, 2]}, DiceInvalid, "dice: must be three of 1 to 6, not 1, 2"),
        (BI, {"dice": [1, 2, 7]}, DiceInvalid, "dice: must be three of 1 to 6, not 1, 2, 7"),
        (CASINO, {"number": 8}, piles.NumberInvalid, "number: must be 1 to 7, not 8"),
        (CC, {"number": 7}, piles.NumberInvalid, "number: must be 1 to 6, not 7"),
        (BI, {"pile": 8}, piles.PileInvalid, "pile: must be 1 to 7, not 8"),
        (CC, {"pile": 0}, piles.PileInvalid, "pile: must be 1 to 6, not 0"),
        (BI, {"hands": []}, HandsNotWanted, "hands: must be left out: the service deals this round"),
    ],
)
def test_1_4_a_draw_is_refused(ruleset: str, more: Json, refusal: type[Refusal], message: str) -> None:
    with pytest.raises(refusal, match=message):
        dealt(ruleset, six(ruleset), **more)


@pytest.mark.parametrize("cut", [0, 53, -1])
def test_a_cut_outside_the_deck_is_refused(cut: int) -> None:
    luck = Luck(server_seed=bytes(32), terms_sha256=bytes(32), client_seed=None)
    request = {"wagers": [wager("w1", 1)], "banker_wager": 9, "cut": cut}
    with pytest.raises(CutInvalid, match=f"the cut is {cut}"):
        kit.deal(GAME, rules(BI), six(BI), request, NEW_TABLE, luck)


def read(seat: int, cards: str) -> Json:
    return {"seat": seat, "cards": cards.split()}


ONE, FOUR = read(1, HANDS["W1"]), read(4, HANDS["L1"])


def swap(hand: Json, old: str, new: str) -> Json:
    return {**hand, "cards": [new if card == old else card for card in hand["cards"]]}


@pytest.mark.parametrize(
    ("more", "refusal", "message"),
    [
        ({"hands": [ONE, FOUR]}, DrawMissing, "dice: a physical table must tell the dice"),
        (
            {"hands": [ONE, FOUR], "cut": 4},
            ShuffleInputNotWanted,
            "cut: must be left out: the cards of a physical",
        ),
        (
            {"hands": [ONE, FOUR], "client_seed": "00"},
            ShuffleInputNotWanted,
            "client_seed: must be left out",
        ),
        ({}, HandsMissing, r"hands\[1\]: must be given: this hand plays"),
        ({"hands": [FOUR]}, HandsMissing, r"hands\[1\]: must be given: this hand plays"),
        ({"hands": [ONE, FOUR, FOUR]}, SeatDuplicate, r"hands\[4\]: must come once"),
        (
            {"hands": [ONE, FOUR, read(8, HANDS["W2"])]},
            SeatUnknown,
            r"hands\[8\]: no hand is dealt to this seat",
        ),
        ({"hands": [read(1, "As"), FOUR]}, HandSizeWrong, r"hands\[1\].cards: must be 7 cards, not 1"),
        ({"hands": [swap(ONE, "As", "Jk2"), FOUR]}, CardNotInDeck, "Jk2 is not among the cards in use"),
        ({"hands": [swap(ONE, "As", "Kc"), FOUR]}, CardDuplicate, "Kc comes 2 times; it may come once"),
        ({"hands": [swap(ONE, "As", "Jc"), FOUR]}, CardDuplicate, "Jc comes 2 times; it may come once"),
        ({"hands": [swap(ONE, "As", "Xx"), FOUR]}, CardInvalid, '"Xx" is not a card'),
    ],
)
def test_a_physical_table_is_refused(more: Json, refusal: type[Refusal], message: str) -> None:
    dice = {} if refusal is DrawMissing else {"dice": [1, 1, 1]}
    with pytest.raises(refusal, match=message):
        dealt(BI, six(BI, source="table"), **dice, **more)


def test_1_2_a_physical_table_may_show_the_piles_of_empty_seats_too() -> None:
    hands = [ONE, FOUR, read(7, HANDS["W2"])]
    body = dealt(BI, opening(banker=4, seated=[1, 4], source="table"), dice=[1, 1, 1], hands=hands, pile=2)
    assert [(hand["seat"], hand["pile"]) for hand in body["hands"]] == [(1, 4), (4, 7), (7, 3)]
    assert body["action"] == {"seat": 6, "pile": 2, "by": "dice", "from": "request", "dice": [1, 1, 1]}


def test_11_a_void_returns_every_wager_and_every_fee_paid() -> None:
    fees = {"wager": [{"low": 0, "fee": 5}], "banker": [{"low": 0, "fee": 7}]}
    opened = six(BI, fees=fees)
    held = {**NEW_TABLE, "free_collections": [{"round_id": "r0", "wager_id": "w7", "bettor": "b2"}]}
    free = {"round_id": "r0", "wager_id": "w7"}
    wagering = {"wagers": [wager("w1", 1, 60), wager("w2", 2, 70, free_collection=free)], "banker_wager": 100}
    body = kit.deal(GAME, rules(BI), opened, wagering, held, Unshuffled())
    assert GAME.returned(wagering, body) == {
        "returned": [{"wager_id": "w1", "amount": 60}, {"wager_id": "w2", "amount": 70}],
        "postings": [
            {"from": "house", "to": "bettor:b1", "amount": 5, "why": "fee_returned", "wager_id": "w1"},
            {"from": "house", "to": "bettor:b4", "amount": 7, "why": "fee_returned"},
        ],
    }


@pytest.mark.parametrize("shuffle", [lambda items: items[::-1], lambda items: items[1:] + items[:1]])
def test_the_order_of_lists_does_not_matter(shuffle: Callable[[list[Json]], list[Json]]) -> None:
    wagers = [wager("w1", 1), back_line("w2", 1), wager("w3", 3), fortune("s1", 1), fortune("s3", 3)]
    opened = six(FL)
    turned = {**opened, "seats": shuffle(opened["seats"])}
    assert dealt(FL, turned, wagers=shuffle(wagers)) == dealt(FL, opened, wagers=wagers)
