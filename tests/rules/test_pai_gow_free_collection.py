"""Pai gow sheet §6.4: what earns a free collection, and who may use it, where and when; through the steps of rounds."""

from __future__ import annotations

from typing import Any

import pytest

from cardroom.banked.fees import (
    FreeCollectionOfAnother,
    FreeCollectionUnknown,
    FreeCollectionUsedTwice,
    FreeCollectionWithoutFee,
)
from cardroom.refusals import Refusal
from cardroom.services.catalogue import published
from tests import kit
from tests.rules.pai_gow_round import BANKER, BI, FL, HANDS, by_wager, fortune, opening, physical, rules, wager

Json = dict[str, Any]

HI_HI_LO = "hi-hi-lo/redding-1995"

FEES = {"wager": [{"low": 0, "high": 100, "fee": 5}, {"low": 100, "fee": 9}], "banker": [{"low": 0, "fee": 7}]}
EARNED = {"round_id": "r1", "wager_id": "w2"}
HELD = {**EARNED, "bettor": "b2", "game": "pai-gow-poker", "hand_no": 1}


class Table(kit.Table):
    """A table of The Bicycle Casino over several rounds; seat 4 banks, the action is at seat 1."""

    def __init__(self) -> None:
        super().__init__(published().ruleset(BI))

    def deal(self, round_id: str, wagers: list[Json], *, fees: Json = FEES, bank: str = "b4", **more: Any) -> Json:
        """Open and deal: seat 1 wins, seats 2 and 3 push; who banks sits at seat 4."""
        banker = {"seat": 4, "bettor": bank, "others_passed": True}
        opened = opening(banker=4, source="table", fees=fees)
        taken = [seat for seat in opened["seats"] if seat["seat"] != 4 and seat["bettor"] != bank]
        seats = sorted([*taken, {"seat": 4, "bettor": bank}], key=lambda seat: seat["seat"])
        self.call("opened", round_id, {**opened, "banker": banker, "seats": seats})
        request = {
            **more,
            "wagers": wagers,
            "banker_wager": 100,
            "dice": [1, 1, 3],
            "hands": [
                {"seat": seat, "cards": hand.split()}
                for seat, hand in {1: HANDS["W1"], 2: HANDS["P1"], 3: HANDS["W2"], 4: BANKER}.items()
                if seat == 4 or any(w["seat"] == seat for w in wagers)
            ],
        }
        body: Json = self.call("dealt", round_id, request)["body"]
        return body

    def settle(self) -> Json:
        """Every hand by the house way."""
        dealt = self.payloads[-1]
        seats = {*dealt["body"]["action_order"], 4}
        request = {"sets": [{"seat": seat, "how": "house_way"} for seat in seats]}
        body: Json = self.call("settled", dealt["round_id"], request)["body"]
        return body

    def void(self) -> None:
        """Void the dealt round."""
        self.call("voided", self.payloads[-1]["round_id"], {"table_id": "t1", "reason": "other"})


def earned() -> Table:
    """A table whose first round left b2's wager without action: b1 won all of the banker's 100."""
    table = Table()
    table.deal("r1", [wager("w1", 1, 100), wager("w2", 2, 50)])
    assert table.settle()["results"][1]["free_collection"] is True
    assert table.state["free_collections"] == [HELD]
    return table


def using(seat: int = 2, amount: int = 500, *, wager_id: str = "w", **more: Any) -> Json:
    return wager(wager_id, seat, amount, free_collection=EARNED, **more)


def test_6_4_it_pays_one_fee_of_any_band() -> None:
    body = earned().deal("r2", [using()])
    assert body["fees"][0] == {"wager_id": "w", "bettor": "b2", "amount": 9, "free_collection": EARNED}
    assert [(posting["from"], posting["amount"]) for posting in body["postings"]] == [("bettor:b4", 7)]


def test_6_4_the_same_bettor_may_use_it_behind_another_hand() -> None:
    body = earned().deal("r2", [wager("w1", 1, 60), using(1, 50, circle=2, bettor="b2")])
    assert [posting["from"] for posting in body["postings"]] == ["bettor:b1", "bettor:b4"]


@pytest.mark.parametrize(
    ("hand", "amount", "banker_wager", "result", "is_earned"),
    [
        ("P1", 50, 100, "no_action", True),
        ("W2", 50, 100, "no_action", True),
        ("L1", 50, 100, "no_action", True),
        ("P1", 50, 101, "push", False),  # reached while cover remains
        ("L1", 50, 101, "lose", False),  # covered in part
        ("W2", 50, 101, "win", False),
    ],
)
def test_6_4_only_no_action_at_all_earns_one(
    hand: str, amount: int, banker_wager: int, result: str, is_earned: bool
) -> None:
    wagers = [wager("w1", 1, 100), wager("w2", 2, amount)]
    _, settled = physical(
        rules(BI), hands={1: "W1", 2: hand}, wagers=wagers, banker=4, action_seat=1, banker_wager=banker_wager
    )
    late = by_wager(settled)["w2"]
    assert (late["result"], late.get("free_collection", False)) == (result, is_earned)


def test_6_4_a_void_brings_it_back_and_earns_none() -> None:
    table = earned()
    table.deal("r2", [using()])
    table.void()
    assert table.state["free_collections"] == [HELD]
    assert table.deal("r3", [using()])["fees"][0]["free_collection"] == EARNED


def refused(table: Table, wagers: list[Json], refusal: type[Refusal], field: str, message: str, **more: Any) -> None:
    with pytest.raises(refusal) as raised:
        table.deal("r9", wagers, **more)
    assert [fault.field for fault in raised.value.faults] == [f"wagers[{field}].free_collection"]
    assert message in raised.value.faults[0].message


UNKNOWN = "the table holds none for wager w2 of round r1"


def test_6_4_used_on_the_next_hand_it_is_gone() -> None:
    table = earned()
    table.deal("r2", [using()])
    table.settle()
    refused(table, [using()], FreeCollectionUnknown, "w", UNKNOWN)


def test_6_4_unused_on_the_next_hand_it_lapses() -> None:
    table = earned()
    table.deal("r2", [wager("w", 2, 50)])
    table.settle()
    refused(table, [using()], FreeCollectionUnknown, "w", UNKNOWN)


def test_6_4_who_banks_the_next_hand_may_use_it_for_the_banker_s_fee() -> None:
    body = earned().deal("r2", [wager("w1", 1, 60)], bank="b2", banker_free_collection=EARNED)
    assert body["fees"] == [
        {"wager_id": "w1", "bettor": "b1", "amount": 5},
        {"banker": True, "bettor": "b2", "amount": 7, "free_collection": EARNED},
    ]
    assert [posting["from"] for posting in body["postings"]] == ["bettor:b1"]


@pytest.mark.parametrize(
    ("bank", "fees", "collection", "refusal", "message"),
    [
        ("b4", FEES, EARNED, FreeCollectionOfAnother, "it is b2's, not b4's"),
        ("b2", {"wager": FEES["wager"]}, EARNED, FreeCollectionWithoutFee, "no fee is posted for the bank"),
        ("b2", FEES, {"round_id": "r1", "wager_id": "w1"}, FreeCollectionUnknown, "the table holds none for wager w1"),
    ],
)
def test_6_4_for_the_bank_it_is_refused(
    bank: str, fees: Json, collection: Json, refusal: type[Refusal], message: str
) -> None:
    with pytest.raises(refusal) as raised:
        earned().deal("r2", [wager("w1", 1, 60)], bank=bank, fees=fees, banker_free_collection=collection)
    assert [fault.field for fault in raised.value.faults] == ["banker_free_collection"]
    assert message in raised.value.faults[0].message


def test_6_4_for_a_wager_and_the_bank_it_is_refused() -> None:
    """Who banks wagers on no hand, so the wager that names it too is another's."""
    with pytest.raises(FreeCollectionOfAnother, match="it is b2's, not b1's"):
        earned().deal("r2", [using(1, 60)], bank="b2", banker_free_collection=EARNED)


def test_6_4_unused_by_who_banks_the_next_hand_it_lapses() -> None:
    table = earned()
    table.deal("r2", [wager("w1", 1, 60)], bank="b2")
    table.settle()
    assert table.state["free_collections"] == []


def test_6_4_a_settled_hand_of_another_game_ends_it() -> None:
    table = earned()
    table.ruleset = published().ruleset(HI_HI_LO)
    seats = [{"seat": seat, "bettor": f"b{seat}"} for seat in (1, 2)]
    bank = {
        "banker": seats[0],
        "seats": seats,
        "source": "table",
        "fees": FEES,
        "drawn_by_hand": True,
        "table_id": "t1",
        "currency": "USD",
    }
    table.call("opened", "r2", {**bank, "table_id": "t1", "currency": "USD", "ruleset": HI_HI_LO})
    bets = [
        {"wager_id": kind, "seat": 2, "bettor": "b2", "circle": 1, "kind": kind, "amount": 50}
        for kind in ("high_one", "high_two", "low")
    ]
    request: Json = {
        "wagers": bets,
        "banker_wager": 900,
        "hands": [
            {"seat": 1, "cards": ["As", "Ad", "2c", "3c", "4c", "5c"]},
            {"seat": 2, "cards": ["Ks", "Kd", "2d", "3d", "4d", "5d"]},
        ],
    }
    bets[0]["free_collection"] = EARNED
    with pytest.raises(FreeCollectionUnknown, match="the table holds none for wager w2 of round r1"):
        table.call("dealt", "r2", request)
    del bets[0]["free_collection"]
    table.call("dealt", "r2", request)
    assert table.state["free_collections"] == [HELD]  # a void leaves it
    table.call("settled", "r2", {"sets": [{"seat": seat, "how": "house_way"} for seat in (1, 2)]})
    assert table.state["free_collections"] == []


def test_6_4_at_another_table_it_is_unknown() -> None:
    refused(Table(), [using()], FreeCollectionUnknown, "w", UNKNOWN)


def test_6_4_for_another_bettor_it_is_refused() -> None:
    refused(earned(), [using(3)], FreeCollectionOfAnother, "w", "it is b2's, not b3's")


def test_6_4_for_two_wagers_it_is_refused() -> None:
    wagers = [wager("w1", 1, 60), using(1, 50, circle=2, bettor="b2", wager_id="wa"), using(wager_id="wb")]
    refused(earned(), wagers, FreeCollectionUsedTwice, "wb", "must be used once")


def test_6_4_without_a_fee_it_is_refused() -> None:
    message = "must be left out: no fee is posted for wagers"
    fees = {"banker": FEES["banker"]}
    refused(earned(), [using()], FreeCollectionWithoutFee, "w", message, fees=fees)


def test_6_4_for_a_side_bet_it_is_refused() -> None:
    wagers = [wager("w1", 1, 60), fortune("f1", 1, 10, free_collection=EARNED)]
    with pytest.raises(FreeCollectionWithoutFee, match="a wager of kind fortune pays no fee"):
        physical(
            rules(FL, banker_minimum_minor=0), hands={1: "W1"}, wagers=wagers, banker=4, action_seat=1, banker_wager=100
        )
