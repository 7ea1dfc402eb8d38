"""California baccarat: hands of a wrong number of cards, misdeals, and where a banker sits (§4, §6, §7)."""

from __future__ import annotations

from typing import Any

import pytest

from cardroom.banked.bets import BankerWagers
from cardroom.banked.opening import BankerNotSeated
from cardroom.banked.sets import SeatNotSet
from cardroom.cards import CardDuplicate
from cardroom.game import Ruleset
from cardroom.games.california_baccarat.boxes import MisplayInvalid
from cardroom.games.california_baccarat.deal import Misdealt
from cardroom.games.california_baccarat.game import GAME
from cardroom.games.california_baccarat.rules import BaccaratRules
from cardroom.games.california_baccarat.settle import DrawnCardMissing, DrawnCardNotWanted
from cardroom.refusals import Refusal
from cardroom.rounds.life import VoidReasonUnknown
from cardroom.seats import SeatUnknown
from cardroom.services.catalogue import published
from cardroom.table import VOID_REASONS
from tests import kit
from tests.rules.banked_round import document, hands, luck, opening, play, results, table, wager

Json = dict[str, Any]

ID = "california-baccarat/redding-1995"
RULES: BaccaratRules = GAME.load(document(ID))
SEVEN, EIGHT, THREE, SIX = "7s Ks", "8s Ks", "3s Ks", "6s Ks"
LOSES = ("lose", 100, "wrong_number_of_cards", "california-baccarat §6")


def round_of(cards: dict[int, str], *, banker_wager: int = 10_000) -> tuple[Json, Json]:
    """A physical table where seat 1 banks, the others wager 100 each, and the action starts at the banker's."""
    wagers = [wager(seat, 100) for seat in sorted(cards) if seat != 1]
    asked = {"wagers": wagers, "banker_wager": banker_wager, "dice": [2, 3, 3], "hands": hands(cards)}
    return opening(*sorted(cards), banker=1), asked


def settle(cards: dict[int, str], *sets: Json, draws: tuple[tuple[int, str], ...] = (), **more: Any) -> Json:
    request: Json = {"sets": list(sets), **{name: told for name, told in more.items() if name == "misplayed"}}
    if draws:
        request["drawn_cards"] = [{"seat": seat, "card": card} for seat, card in draws]
    covers = {name: told for name, told in more.items() if name != "misplayed"}
    return play(GAME, RULES, *round_of(cards, **covers), request)[1]


def house(seat: int) -> Json:
    return {"seat": seat, "how": "house_way"}


def box(seat: int, which: str) -> Json:
    return {"seat": seat, "how": "box", "box": which}


def wrong(*seats: int) -> list[Json]:
    return [{"seat": seat, "how": "wrong_number"} for seat in seats]


def told(settled: Json, seat: int) -> tuple[Any, ...]:
    result = results(settled)[f"main-{seat}-1"]
    return tuple(result[name] for name in ("result", "collected", "reason", "rule"))


def shown(settled: Json, seat: int) -> Json:
    return next(one for one in settled["sets"] if one["seat"] == seat)


# §6 (a): one player's hand


@pytest.mark.parametrize("cards", ["", "9s", "Jk", "9s Ks Kh", "Jk Jk 2s", "2s 3s 4s Ks"])
def test_6a_a_hand_of_a_wrong_number_of_cards_loses_and_the_others_play(cards: str) -> None:
    settled = settle({1: SEVEN, 2: cards, 3: EIGHT, 4: SIX}, house(3), house(4))
    assert told(settled, 2) == LOSES
    assert [told(settled, seat)[0] for seat in (3, 4)] == ["win", "lose"]
    wanted = {"seat": 2, "cards": cards.split(), "misplay": "wrong_number", "rule": "california-baccarat §6"}
    assert shown(settled, 2) == wanted
    assert settled["banker"]["net"] == 100


def test_6a_it_loses_as_far_as_the_money_covers() -> None:
    settled = settle({1: SEVEN, 2: SIX, 3: "9s Ks Kh"}, house(2), banker_wager=150)
    assert [(one["seat"], one["collected"], one["returned"], one["reason"]) for one in settled["results"]] == [
        (2, 100, 0, "lower"),
        (3, 50, 50, "wrong_number_of_cards_up_to_cover"),
    ]


def test_6a_its_box_may_be_told_and_changes_nothing() -> None:
    cards = {1: SEVEN, 2: "9s", 3: THREE}
    untold = settle(cards, house(3), draws=((3, "5h"),))
    boxed = settle(cards, box(2, "hit"), house(3), draws=((2, "4h"), (3, "5h")))
    assert untold["results"] == boxed["results"]
    assert (shown(boxed, 2)["how"], shown(boxed, 2)["box"], shown(boxed, 2)["cards"]) == ("box", "hit", ["9s", "4h"])
    with pytest.raises(SeatNotSet, match=r"sets\[3\]: must be given: this hand plays"):
        settle(cards, box(2, "hit"), draws=((3, "5h"),))
    with pytest.raises(MisplayInvalid, match=r"misplayed\[2\]: must be left out: the deal tells"):
        settle(cards, house(3), draws=((3, "5h"),), misplayed=wrong(2))


@pytest.mark.parametrize(
    ("cards", "set_", "draws", "held"),
    [
        (THREE, house(2), (), ["3s", "Ks"]),  # should have drawn
        (THREE, box(2, "hit"), ((2, "2h"), (2, "Kd")), ["3s", "Ks", "2h", "Kd"]),
        (EIGHT, box(2, "stand"), ((2, "2h"),), ["8s", "Ks", "2h"]),
        (EIGHT, box(2, "hit"), ((2, "Ah"), (2, "2h")), ["8s", "Ks", "Ah", "2h"]),  # whatever box it may be in
    ],
)
def test_6a_a_hand_of_a_wrong_number_after_the_draw_loses(
    cards: str, set_: Json, draws: tuple[tuple[int, str], ...], held: list[str]
) -> None:
    settled = settle({1: "2s Kd", 2: cards, 3: EIGHT}, set_, house(3), draws=(*draws, (1, "4s")), misplayed=wrong(2))
    assert told(settled, 2) == LOSES and told(settled, 3)[0] == "win"
    assert (shown(settled, 2)["cards"], shown(settled, 2)["misplay"]) == (held, "wrong_number")


@pytest.mark.parametrize(
    ("cards", "draws", "misplayed", "kind", "message"),
    [
        (THREE, ((2, "2h"),), wrong(2), MisplayInvalid, "a hand in the hit box with one draw card has its number"),
        (EIGHT, (), wrong(2), MisplayInvalid, "a hand in the stand box with no draw card has its number"),
        (THREE, (), [], DrawnCardMissing, "this hand takes a draw card, or the hand be told as misplayed wrong_number"),
        (EIGHT, ((2, "2h"),), [], DrawnCardNotWanted, "takes a draw card, or the hand be told as misplayed wrong_num"),
        (THREE, ((2, "2h"), (2, "3h")), [], DrawnCardNotWanted, "must come once, or the hand be told as misplayed"),
        ("3s 3s", ((2, "3s"),) * 7, wrong(2), CardDuplicate, "3s comes 9 times; it may come 8 times"),
    ],
)
def test_6a_a_wrong_number_that_is_none_or_is_not_told_is_refused(
    cards: str, draws: tuple[tuple[int, str], ...], misplayed: list[Json], kind: type[Refusal], message: str
) -> None:
    with pytest.raises(kind, match=message):
        settle({1: SEVEN, 2: cards}, house(2), draws=draws, misplayed=misplayed)


def test_6a_the_service_deals_no_wrong_number() -> None:
    shoe = luck(1).shuffle(GAME.deck(RULES, {}), None)
    opened = opening(1, 2, banker=1, source="shuffle", shoe_id="s1")
    before = table(shoe={"shoe_id": "s1", "position": 0, "size": len(shoe)})
    asked = {"wagers": [wager(2, 100)], "banker_wager": 500}
    request = {"sets": [house(2)], "misplayed": wrong(2)}
    with pytest.raises(MisplayInvalid, match="must not be wrong_number: the service dealt the cards"):
        play(GAME, RULES, opened, asked, request, before=before, chance=luck(1), shoe=shoe)


# §7: misdeals


@pytest.mark.parametrize(
    ("cards", "seats", "reason"),
    [
        ({1: SEVEN, 2: "9s", 3: "9s Ks Kh"}, (2, 3), "players_wrong_number_of_cards"),
        ({1: SEVEN, 2: "9s", 3: "9s", 4: EIGHT, 5: ""}, (2, 3, 5), "players_wrong_number_of_cards"),
        ({1: "7s", 2: EIGHT}, (1,), "banker_wrong_number_of_cards"),
        ({1: "7s Ks Kd", 2: "9s", 3: "9s"}, (1,), "banker_wrong_number_of_cards"),
    ],
)
def test_7_two_such_hands_or_the_bankers_are_a_misdeal(
    cards: dict[int, str], seats: tuple[int, ...], reason: str
) -> None:
    with pytest.raises(Misdealt, match=f"void the round for {reason}") as refused:
        kit.deal(GAME, RULES, *round_of(cards), table(), None)
    assert [fault.field for fault in refused.value.faults] == [f"hands[{seat}].cards" for seat in seats]
    assert reason in GAME.void_reasons


@pytest.mark.parametrize(
    ("second", "misplayed", "reason"),
    [
        ("9s", wrong(3), "players_wrong_number_of_cards"),  # one at the deal, one at the draw
        (THREE, wrong(2, 3), "players_wrong_number_of_cards"),
        (EIGHT, wrong(1), "banker_wrong_number_of_cards"),
    ],
)
def test_7_so_are_they_after_the_draw(second: str, misplayed: list[Json], reason: str) -> None:
    with pytest.raises(Misdealt, match=rf"misplayed\[\d\]: .* void the round for {reason}"):
        settle({1: SEVEN, 2: second, 3: THREE}, house(2), house(3), misplayed=misplayed)


def test_7_how_many_hands_are_a_misdeal_is_a_field() -> None:
    one, three = (GAME.load(document(ID, misdeal_hands=number)) for number in (1, 3))
    with pytest.raises(Misdealt, match="void the round for players_wrong_number_of_cards"):
        kit.deal(GAME, one, *round_of({1: SEVEN, 2: "9s", 3: EIGHT}), table(), None)
    kit.deal(GAME, three, *round_of({1: SEVEN, 2: "9s", 3: "8s"}), table(), None)


def test_7_a_round_that_nobody_knows_is_voided_for_the_ordinances_reasons() -> None:
    known = published()
    assert set(known.void_reasons) == {*VOID_REASONS, *GAME.void_reasons}
    ruleset: Ruleset = known.ruleset(ID)
    for reason in GAME.void_reasons:
        tombstone = kit.Table(ruleset).call("voided", "never-opened", {"table_id": "t1", "reason": reason})
        assert (tombstone["ruleset"], tombstone["body"]["was"]) == (None, None)
    with pytest.raises(VoidReasonUnknown, match="no void for reason 'nonsense': must be one of "):
        kit.Table(ruleset).call("voided", "never-opened", {"table_id": "t1", "reason": "nonsense"})


# §4: where the banker sits


def away(at: int, *seated: int) -> Json:
    """An opening where b1, who sits at seat 1, banks at another place."""
    return {**opening(*seated, banker=1), "banker": {"seat": at, "bettor": "b1"}}


def test_4_a_banker_may_sit_at_any_seat_that_holds_no_other_hand() -> None:
    opened = away(5, 1, 2, 3)
    asked = {
        "wagers": [wager(2, 100), wager(3, 100)],
        "banker_wager": 500,
        "dice": [1, 1, 1],  # counted from the place where he banks: seat 7
        "hands": hands({2: EIGHT, 3: SIX, 5: SEVEN}),
    }
    dealt, settled = play(GAME, RULES, opened, asked, {"sets": [house(2), house(3)]})
    assert dealt["action"]["seat"] == 7 and dealt["action_order"] == [2, 3]
    assert [hand["seat"] for hand in dealt["hands"]] == [2, 3, 5]
    assert [one["result"] for one in settled["results"]] == ["win", "lose"]
    assert settled["banker"]["seat"] == 5
    after = GAME.after_settle(RULES, opened, settled, "r1", table())
    assert after["banker"] == {"bettor": "b1", "seat": 1, "game": "california-baccarat", "turns": 1}


@pytest.mark.parametrize(
    ("at", "seat", "kind", "message"),
    [
        (5, 1, SeatUnknown, "nobody plays at seat 1: must be one of 2, 3, 5"),  # his own place is empty meanwhile
        (3, 3, BankerWagers, "seat 3 is the banker's: nobody wagers on it"),  # who sits there sits this hand out
    ],
)
def test_4_no_hand_is_dealt_to_his_own_place_nor_another_where_he_banks(
    at: int, seat: int, kind: type[Refusal], message: str
) -> None:
    asked = {"wagers": [wager(2, 100), wager(seat, 100, circle=2)], "banker_wager": 500}
    with pytest.raises(kind, match=message):
        kit.deal(GAME, RULES, away(at, 1, 2, 3), asked, table(), None)


def test_4_a_banker_is_seated_and_banks_at_a_place_of_the_table() -> None:
    with pytest.raises(SeatUnknown, match=r"banker\.seat: must be 1 to 7"):
        GAME.check_open(RULES, away(8, 1, 2, 3), table())
    with pytest.raises(BankerNotSeated, match="seat 5 is not b1's: the banker must be seated"):
        GAME.check_open(RULES, away(5, 2, 3), table())
    own = GAME.load(document(ID, banker_sits="own_seat"))
    with pytest.raises(BankerNotSeated, match="seat 5 is not b1's: the banker must be seated"):
        GAME.check_open(own, away(5, 1, 2, 3), table())
