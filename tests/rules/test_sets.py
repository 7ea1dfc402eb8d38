"""Hands in their order: locked before the banker's is shown (pai-gow-poker §3.3, §9; baccarat §5, §6; hi-hi-lo §5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any, Final

import pytest

from cardroom.banked.sets import DragonLate, HandLocked, SeatNotSet, SeatWithoutWager
from cardroom.cards import format_cards
from cardroom.game import Ruleset
from cardroom.games.california_baccarat.boxes import MisplayInvalid
from cardroom.games.pai_gow_poker.dragon import DragonCardsMissing
from cardroom.physical import HandsMissing, HandsNotWanted, HandToldTwice
from cardroom.refusals import Refusal
from cardroom.rounds.sets import HandHidden, SetsNotOffered, dealing
from cardroom.seats import SeatUnknown
from cardroom.services.catalogue import published
from cardroom.shuffle import Luck
from cardroom.table import FieldNotUsed
from cardroom_desk.players.moves import PLAYERS
from cardroom_desk.players.situation import Habits, Situation
from tests import kit

Json = dict[str, Any]

BICYCLE: Final = "pai-gow-poker/bicycle"
CASINO: Final = "pai-gow-poker/casino"
BACCARAT: Final = "california-baccarat/redding-1995"
BANKED: Final = [one for one in published().ruleset_ids() if published().ruleset(one).game.staging is not None]
HABITS: Final = Habits(physical=0, lock=0, show=0, own_hand=0.6, mishap=0.2, back_line=0.4, tell=0.5, trust=0)


def house_way(*seats: int) -> list[Json]:
    return [{"seat": seat, "how": "house_way"} for seat in seats]


# The same money for the same cards, whichever way a round goes


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> Random:
    """A chance that hangs on nothing but its seed, so that rounds on other terms get the same cards and dice."""
    random = Random(1)

    def shuffle(_: Luck, deck: Sequence[Any], cut: int | None) -> tuple[Any, ...]:
        del cut
        return tuple(Random(random.seed_now).sample([*deck], len(deck)))  # type: ignore[attr-defined]

    monkeypatch.setattr(Luck, "shuffle", shuffle)
    monkeypatch.setattr(Luck, "dice", lambda _: (1, 2, 3))
    monkeypatch.setattr(Luck, "seat", lambda _, seats: 1)
    monkeypatch.setattr(Luck, "cut", lambda _, size: 7)
    return random


class Evening:
    """The same rounds three times: all hands shown, all sets in one settlement, or locked first."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.tables = {way: kit.Table(ruleset) for way in ("all", "one", "staged")}
        self.made = 0

    def at(self, random: Random) -> Situation:
        table = self.tables["all"]
        return Situation(
            random=random, ruleset=self.ruleset, habits=HABITS, table_id="t1", currency=USD[self.ruleset.id],
            table=table.state, number=len(table.records) + 1,
        )  # fmt: skip

    def play(self, random: Random) -> Iterator[tuple[Json, Json, Json]]:
        """A round's three settlements, one after the other."""
        players, at = PLAYERS[self.ruleset.document["game"]], self.at(random)
        while (move := players.between(at)) is not None:
            kind = {"draw": "drawn", "open_shoe": "shoe_opened", "close_shoe": "shoe_closed"}[move.call.value]
            name = {"drawn": "draw", "shoe_opened": "shoe", "shoe_closed": "shoe"}[kind]
            for table in self.tables.values():
                table.call(kind, f"{name}:{move.name}", move.request)
            at = self.at(random)
        self.made += 1
        round_id = f"r{self.made}"
        terms = {"table_id": "t1", "ruleset": self.ruleset.id, "currency": at.currency}
        opening = terms | players.opening(at)
        wagering = players.wagering(self.at(random), opening)
        for way, table in self.tables.items():
            table.call("opened", round_id, opening | ({"shown": "all"} if way == "all" else {}))
            table.call("dealt", round_id, deepcopy(wagering))
        dealt = self.tables["all"].payloads[-1]
        request = players.settling(self.at(random), opening, dealing(dealt))
        banker = self.ruleset.document.get("house_seat") if opening["banker"] == "house" else opening["banker"]["seat"]
        request["sets"] = [one if one["seat"] != banker else house_way(banker)[0] for one in request["sets"]]
        first = {name: value for name, value in request.items() if name == "dragon"}
        first["sets"] = [one for one in request["sets"] if one["seat"] != banker]
        last: Json = {"sets": [one for one in request["sets"] if one["seat"] == banker]}
        for one in request.get("misplayed", []):
            early = one["how"] in ("changed_box", "by_player")
            (first if early else last).setdefault("misplayed", []).append(one)
        staged = self.tables["staged"]
        staged.call("set", round_id, first)
        yield tuple(  # type: ignore[misc]
            table.call("settled", round_id, last if way == "staged" else request)["body"]
            for way, table in self.tables.items()
        )


USD: Final = dict.fromkeys(BANKED, "USD")


@pytest.mark.parametrize("ruleset_id", BANKED)
def test_the_same_cards_pay_the_same_whichever_way_a_round_goes(ruleset_id: str, fixed: Random) -> None:
    """Co-banks, house seats, envy, must-beat bonuses, free collections, dragons, misplays: whatever the players do."""
    evening = Evening(published().ruleset(ruleset_id))
    for number in range(12):
        fixed.seed_now = f"{ruleset_id}/{number}"  # type: ignore[attr-defined]
        for settled in evening.play(Random(f"players/{ruleset_id}/{number}")):
            every, one, staged = ({k: v for k, v in body.items() if k not in ("hands", "seed")} for body in settled)
            assert every == one == staged
    states = [table.state for table in evening.tables.values()]
    for state in states[1:]:
        for name in ("hand_no", "banker", "free_collections"):
            assert state[name] == states[0][name]


# Locking, one table at a time


def opened(ruleset_id: str, *, source: str = "shuffle", banker: int = 2, **more: Any) -> kit.Table:
    table = kit.Table(published().ruleset(ruleset_id))
    if source == "shuffle" and table.ruleset.game.uses_shoe:
        table.call("shoe_opened", "shoe:s1", {"table_id": "t1", "ruleset": ruleset_id})
        more["shoe_id"] = "s1"
    seats = [{"seat": seat, "bettor": f"b{seat}"} for seat in (1, 2, 3)]
    opening = {"table_id": "t1", "ruleset": ruleset_id, "currency": "USD", "seats": seats, "source": source, **more}
    table.call("opened", "r1", {**opening, "banker": {"seat": banker, "bettor": f"b{banker}"}})
    return table


def wagers(*seats: int) -> list[Json]:
    return [
        {"wager_id": f"w{seat}", "seat": seat, "bettor": f"b{seat}", "circle": 1, "kind": "main", "amount": 500,
         "placed": 1}
        for seat in seats
    ]  # fmt: skip


def dealt(ruleset_id: str, **more: Any) -> kit.Table:
    told = {name: more.pop(name) for name in ("hands", "number", "dice", "cut") if name in more}
    table = opened(ruleset_id, **more)
    table.call("dealt", "r1", {"wagers": wagers(1, 3), "banker_wager": 9_000, **told})
    return table


def refused(table: kit.Table, kind: str, request: Json, refusal: type[Refusal], message: str) -> None:
    before = len(table.records)
    with pytest.raises(refusal, match=message):
        table.call(kind, "r1", request)
    assert len(table.records) == before


def test_3_3_a_deal_shows_the_hands_that_bettors_play_and_the_set_the_others() -> None:
    table = dealt(BICYCLE)
    assert [hand["seat"] for hand in table.payloads[-1]["body"]["hands"]] == [1, 3]
    locked = table.call("set", "r1", {"sets": house_way(1, 3)})["body"]
    assert [hand["seat"] for hand in locked["hands"]] == [2, 4, 5, 6, 7]
    assert [one["seat"] for one in locked["sets"]] == [1, 3]
    assert table.state["live"] == {"round_id": "r1", "state": "set"}
    settled = table.call("settled", "r1", {"sets": house_way(2)})["body"]
    assert [one["seat"] for one in settled["sets"]] == [1, 2, 3] and "hands" not in settled


def test_3_2_a_foul_is_told_when_the_hands_are_locked() -> None:
    table = dealt("pai-gow-poker/casino", number=1)
    cards = table.payloads[-1]["body"]["hands"][0]["cards"]
    best = table.ruleset.game.set_hands(table.ruleset.rules, [cards], "player")[0]
    foul = sorted(sorted(best["back"], key=cards.index)[:3])
    locked = table.call("set", "r1", {"sets": [{"seat": 1, "how": "front", "front": foul}, *house_way(3)]})["body"]
    assert [(one["seat"], one["foul"]) for one in locked["sets"]] == [(1, True), (3, False)]


def test_what_is_locked_is_not_set_again_and_the_bankers_comes_last() -> None:
    table = dealt(BICYCLE)
    refused(table, "set", {"sets": house_way(1)}, SeatNotSet, r"sets\[3\]: must be given: this hand plays")
    late = r"sets\[2\]: must be left out: the banker's hand is set with the settlement"
    refused(table, "set", {"sets": house_way(1, 2, 3)}, SeatWithoutWager, late)
    table.call("set", "r1", {"sets": house_way(1, 3)})
    refused(
        table, "settled", {"sets": house_way(1, 2)}, HandLocked, r"sets\[1\]: must be left out: this hand is locked"
    )
    refused(table, "settled", {"sets": []}, SeatNotSet, r"sets\[2\]: must be given")
    banker = table.payloads[-1]["body"]["hands"][0]["cards"]
    best = table.ruleset.game.set_hands(table.ruleset.rules, [banker], "banker")[0]
    front = {"seat": 2, "how": "front", "front": sorted(best["front"])}
    assert table.call("settled", "r1", {"sets": [front]})["body"]["sets"][1]["how"] == "front"


@pytest.mark.parametrize("ruleset_id", BANKED)
def test_before_that_a_hidden_hand_goes_by_the_house_way_alone(ruleset_id: str) -> None:
    ruleset = published().ruleset(ruleset_id)
    by_hand: dict[str, Json] = {
        "pai-gow-poker": {"how": "front", "front": ["2c", "3c"]},
        "hi-hi-lo": {"how": "arranged", "one": ["2c"], "two": ["3c", "4c"], "low": ["5c", "6c", "7c"]},
        "california-baccarat": {"how": "box", "box": "hit"},
    }
    game = ruleset.document["game"]
    more: Json = {"drawn_by_hand": True} if game == "hi-hi-lo" else {}
    table = opened(ruleset_id, **more)
    bets = wagers(1, 3)
    if game == "hi-hi-lo":
        bets = [{**one, "kind": kind, "wager_id": f"{kind}{one['seat']}"} for one in bets for kind in KINDS]
    cut = {"cut": 9} if game != "pai-gow-poker" else {}
    table.call("dealt", "r1", {"wagers": bets, "banker_wager": 3_000_000, **cut})
    sets = [*house_way(1), {"seat": 2, **by_hand[game]}, *house_way(3)]
    message = r"sets\[2\].how: must be house_way: this hand is not shown before the players' hands are locked"
    refused(table, "settled", {"sets": sets}, HandHidden, message)
    refused(table, "set", {"sets": sets}, HandHidden, message)
    table.call("settled", "r1", {"sets": house_way(1, 2, 3)})


KINDS: Final = ("high_one", "high_two", "low")


def test_with_all_hands_shown_the_banker_may_set_his_at_once_and_sets_may_still_lock() -> None:
    for locks in (False, True):
        table = dealt(BICYCLE, shown="all")
        hands = {hand["seat"]: hand["cards"] for hand in table.payloads[-1]["body"]["hands"]}
        assert sorted(hands) == [1, 2, 3, 4, 5, 6, 7]
        best = table.ruleset.game.set_hands(table.ruleset.rules, [hands[2]], "banker")[0]
        front = {"seat": 2, "how": "front", "front": sorted(best["front"])}
        if locks:
            assert table.call("set", "r1", {"sets": house_way(1, 3)})["body"]["hands"] == []
        sets = [front] if locks else [*house_way(1), front, *house_way(3)]
        assert "hands" not in table.call("settled", "r1", {"sets": sets})["body"]


def test_9_a_dragon_hand_is_taken_with_the_sets_and_unseen() -> None:
    table = dealt(CASINO, number=1)
    dragon = {"wager_id": "d", "seat": 4, "bettor": "b1", "amount": 300}
    shown = {hand["seat"] for hand in table.payloads[-1]["body"]["hands"]}
    ring = table.payloads[-1]["body"]["action"]["seat"]
    dragon["seat"] = next(seat for seat in [*range(ring, 0, -1), *range(6, 0, -1)] if seat in (4, 5, 6))
    assert dragon["seat"] not in shown
    locked = table.call("set", "r1", {"sets": house_way(1, 3), "dragon": dragon})
    assert dragon["seat"] in [one["seat"] for one in locked["body"]["sets"]]
    again = {"sets": house_way(2), "dragon": {**dragon, "wager_id": "e"}}
    refused(table, "settled", again, DragonLate, "dragon: must come with the sets: the other hands are shown")
    voided = deepcopy(table)
    back = voided.call("voided", "r1", {"table_id": "t1", "reason": "other"})["body"]
    assert {"wager_id": "d", "amount": 300} in back["returned"] and back["was"] == "set"
    settled = table.call("settled", "r1", {"sets": house_way(2)})["body"]
    assert [one["kind"] for one in settled["results"] if one["wager_id"] == "d"] == ["dragon"]


def test_a_game_without_a_banker_locks_nothing() -> None:
    table = kit.Table(published().ruleset("push-nine/redding-1995"), button={"seat": 1, "bettor": "b1"})
    seats = [{"seat": seat, "bettor": f"b{seat}"} for seat in (1, 2)]
    opening = {"table_id": "t1", "ruleset": table.ruleset.id, "currency": "USD", "seats": seats, "source": "shuffle"}
    table.call("opened", "r1", {**opening, "button": 1, "ante": 100})
    antes = [
        {"wager_id": f"w{s}", "seat": s, "bettor": f"b{s}", "circle": 1, "kind": "ante", "amount": 100} for s in (1, 2)
    ]
    stacks = [{"seat": seat, "amount": 500} for seat in (1, 2)]
    table.call("dealt", "r1", {"wagers": antes, "stacks": stacks})
    refused(table, "set", {"sets": []}, SetsNotOffered, "has no banker, and all hands are shown with the deal")


# Baccarat


def test_6_what_goes_wrong_in_the_open_comes_with_the_sets_and_the_rest_after() -> None:
    table = dealt(BACCARAT, cut=9)
    early = {"sets": house_way(1, 3), "misplayed": [{"seat": 1, "how": "by_house"}]}
    message = r"misplayed\[1\]: must be one of changed_box, by_player, or come with the settlement"
    refused(table, "set", early, MisplayInvalid, message)
    box = {"seat": 1, "how": "box", "box": "stand"}
    before = table.state["shoe"]["position"]
    table.call("set", "r1", {"sets": [box, *house_way(3)], "misplayed": [{"seat": 1, "how": "changed_box"}]})
    assert table.state["shoe"]["position"] == before
    late = {"sets": [], "misplayed": [{"seat": 3, "how": "changed_box"}]}
    refused(table, "settled", late, MisplayInvalid, "must come with the sets: the banker's hand is opened")
    settled = table.call("settled", "r1", {"sets": [], "misplayed": [{"seat": 3, "how": "by_house"}]})["body"]
    assert {one["seat"]: one.get("misplay") for one in settled["sets"]} == {1: "changed_box", 2: None, 3: "by_house"}


# A physical table


def hand(seat: int, text: str) -> Json:
    return {"seat": seat, "cards": text.split()}


ONE: Final = hand(1, "As Kd Qh Jc 9s 8d 7h")
TWO: Final = hand(2, "Ks Kh 2c 3d 5s 7c 9h")
THREE: Final = hand(3, "Qs Qd 2d 4c 6s 8h Th")


@pytest.mark.parametrize("when", ["deal", "sets", "settlement"])
def test_a_physical_table_tells_the_bankers_hand_whenever_it_opens_and_once(when: str) -> None:
    told = [ONE, TWO, THREE] if when == "deal" else [ONE, THREE]
    table = dealt(BICYCLE, source="table", hands=told, dice=[1, 2, 3])
    first: Json = {"sets": house_way(1, 3)}
    if when == "deal":
        again = {**first, "hands": [TWO]}
        refused(table, "set", again, HandToldTwice, r"hands\[2\]: must be left out: it was told before")
    body = table.call("set", "r1", first | ({"hands": [TWO]} if when == "sets" else {}))["body"]
    assert [one["seat"] for one in body["hands"]] == ([2] if when == "sets" else [])
    last: Json = {"sets": house_way(2)}
    if when == "settlement":
        refused(
            table, "settled", last, HandsMissing, r"hands\[2\]: must be given, with the deal, the sets or the settl"
        )
        refused(table, "settled", {**last, "hands": [{**TWO, "seat": 9}]}, SeatUnknown, r"hands\[9\]: no hand is dealt")
        card = {**TWO, "cards": [*TWO["cards"][:6], "As"]}
        refused(table, "settled", {**last, "hands": [card]}, Refusal, "As comes 2 times; it may come once")
    else:
        refused(table, "settled", {**last, "hands": [TWO]}, HandToldTwice, "it was told before")
    settled = table.call("settled", "r1", last | ({"hands": [TWO]} if when == "settlement" else {}))["body"]
    assert ("hands" in settled) == (when == "settlement")


def test_9_a_physical_table_tells_a_dragons_pile_by_the_settlement() -> None:
    table = dealt(CASINO, source="table", hands=[ONE, THREE], number=1)
    ring = table.payloads[-1]["body"]["action"]["seat"]
    seat = next(seat for seat in [*range(ring, 0, -1), *range(6, 0, -1)] if seat in (4, 5, 6))
    dragon = {"wager_id": "d", "seat": seat, "bettor": "b1", "amount": 300}
    table.call("set", "r1", {"sets": house_way(1, 3), "dragon": dragon})
    pile = hand(seat, "Ac Kc Qc Jd 9d 8s 7d")
    refused(table, "settled", {"sets": house_way(2), "hands": [TWO]}, DragonCardsMissing, f"the cards of seat {seat}")
    body = table.call("settled", "r1", {"sets": house_way(2), "hands": [TWO, pile]})["body"]
    assert [one["seat"] for one in body["hands"]] == sorted([2, seat])


def test_a_shuffled_round_takes_no_hands_and_a_physical_one_is_not_asked_what_is_shown() -> None:
    table = dealt(BICYCLE)
    refused(table, "set", {"sets": house_way(1, 3), "hands": [TWO]}, HandsNotWanted, "the service deals this round")
    with pytest.raises(FieldNotUsed, match="shown: must be left out"):
        opened(BICYCLE, source="table", shown="all")
    with pytest.raises(FieldNotUsed, match="shown: must be left out"):
        opened(BICYCLE, source="table", shown="players")


def test_3_3_the_cards_that_are_hidden_are_those_of_the_deck() -> None:
    """With the seed, the deck deals what the deal showed and what the set showed after it."""
    table = dealt(BICYCLE)
    shown = table.payloads[-1]["body"]["hands"]
    hidden = table.call("set", "r1", {"sets": house_way(1, 3)})["body"]["hands"]
    cut = table.payloads[-2]["body"]["cut"]
    terms = table.payloads[-2]["body"]["opened"]["terms"]
    deck = table.secrets.luck(terms, None).shuffle(table.ruleset.game.deck(table.ruleset.rules, {}), cut)
    piles = {one["pile"]: one["cards"] for one in shown + hidden}
    assert format_cards(deck[:49]) == [piles[place % 7 + 1][place // 7] for place in range(49)]
