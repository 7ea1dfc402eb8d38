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

FEES = {"wager": [{"low": 0, "high": 100, "fee": 5}, {"low": 100, "fee": 9}], "banker": [{"low": 0, "fee": 7}]}
EARNED = {"round_id": "r1", "wager_id": "w2"}


class Table(kit.Table):
    """A table of The Bicycle Casino over several rounds; seat 4 banks, the action is at seat 1."""

    def __init__(self) -> None:
        super().__init__(published().ruleset(BI))

    def deal(self, round_id: str, wagers: list[Json], *, fees: Json = FEES) -> Json:
        """Open and deal: seat 1 wins, seats 2 and 3 push."""
        banker = {"seat": 4, "bettor": "b4", "others_passed": True}
        self.call("opened", round_id, {**opening(banker=4, source="table", fees=fees), "banker": banker})
        request = {
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
    assert table.state["free_collections"] == [{**EARNED, "bettor": "b2"}]
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
    assert table.state["free_collections"] == [{**EARNED, "bettor": "b2"}]
    assert table.deal("r3", [using()])["fees"][0]["free_collection"] == EARNED


def refused(table: Table, wagers: list[Json], refusal: type[Refusal], field: str, message: str, **more: Any) -> None:
    with pytest.raises(refusal) as raised:
        table.deal("r9", wagers, **more)
    assert [fault.field for fault in raised.value.faults] == [f"wagers[{field}].free_collection"]
    assert message in raised.value.faults[0].message


UNKNOWN = "the table's last round gave none for wager w2 of round r1"


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
