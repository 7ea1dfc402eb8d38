"""Baccarat sheet §9: courtesy waits for the next hand that its bettor wagers on or banks; over rounds of a table."""

from __future__ import annotations

from typing import Any

import pytest

from cardroom.banked.fees import FreeCollectionUnknown
from cardroom.banked.settlement import MOST_WAITING
from cardroom.services.catalogue import published
from tests import kit

Json = dict[str, Any]

BACCARAT, BICYCLE = "california-baccarat/redding-1995", "pai-gow-poker/bicycle"
FEES = {"wager": [{"low": 0, "fee": 5}], "banker": [{"low": 0, "fee": 7}]}
TIE, HIGHER = ["7s", "Ks"], ["9s", "Ks"]
LIVED = 100
"""`courtesy_hands` of the rule set."""


class Table(kit.Table):
    """A physical table; the banker at seat 1 has a 7 and a wager of 100."""

    def __init__(self) -> None:
        super().__init__(published().ruleset(BACCARAT))

    def play(
        self, *bets: tuple[str, list[str]], bank: str = "bank", collections: Json | None = None, **more: Any
    ) -> Json:
        """Settle a round: each bettor wagers 100 on a hand of his own, in action order from seat 2 on.

        `collections` are used by bettor. The answer is the deal's record.
        """
        round_id = f"r{len(self.payloads)}"
        free = collections or {}
        seats = [{"seat": 1, "bettor": bank}, *({"seat": n, "bettor": bettor} for n, (bettor, _) in enumerate(bets, 2))]
        wagers = [
            {"wager_id": f"w-{bettor}", "seat": n, "bettor": bettor, "circle": 1, "kind": "main", "amount": 100}
            | ({"free_collection": free[bettor]} if bettor in free else {})
            for n, (bettor, _) in enumerate(bets, 2)
        ]
        terms = {"table_id": "t1", "ruleset": BACCARAT, "currency": "USD", "source": "table", "fees": FEES}
        banker = {"seat": 1, "bettor": bank, "others_passed": True}
        self.call("opened", round_id, {**terms, "seats": seats, "banker": banker})
        told = [{"seat": 1, "cards": TIE}, *({"seat": n, "cards": cards} for n, (_, cards) in enumerate(bets, 2))]
        request: Json = {"wagers": wagers, "banker_wager": 100, "dice": [1, 1, 6], "hands": told, **more}
        if bank in free:
            request["banker_free_collection"] = free[bank]
        dealt = self.call("dealt", round_id, request)
        self.call("settled", round_id, {"sets": [{"seat": n, "how": "house_way"} for n, _ in enumerate(bets, 2)]})
        return dealt

    def waiting(self) -> list[str]:
        """Who has courtesy."""
        return [held["bettor"] for held in self.state["free_collections"]]

    def named(self, bettor: str) -> Json:
        """How a request names a bettor's courtesy."""
        held = next(one for one in self.state["free_collections"] if one["bettor"] == bettor)
        return {"round_id": held["round_id"], "wager_id": held["wager_id"]}


def fees_paid(dealt: Json) -> list[str]:
    return [posting["from"].removeprefix("bettor:") for posting in dealt["body"]["postings"]]


def owed() -> Table:
    """A table that owes ann courtesy: the banker's wager went to bob, who won it."""
    table = Table()
    table.play(("bob", HIGHER), ("ann", HIGHER))
    assert table.waiting() == ["ann"]
    return table


def test_9_who_sits_hands_out_keeps_it() -> None:
    table = owed()
    named = table.named("ann")
    for _ in range(3):
        table.play(("cyd", HIGHER))
    assert table.waiting() == ["ann"]
    dealt = table.play(("ann", HIGHER), collections={"ann": named})
    assert fees_paid(dealt) == ["bank"]
    assert table.waiting() == []


def test_9_who_banks_his_next_hand_has_the_banker_s_fee_free() -> None:
    table = owed()
    table.play(("cyd", HIGHER))
    dealt = table.play(("cyd", HIGHER), bank="ann", collections={"ann": table.named("ann")})
    assert dealt["body"]["fees"][-1]["free_collection"] == {"round_id": "r0", "wager_id": "w-ann"}
    assert fees_paid(dealt) == ["cyd"]
    assert table.waiting() == []


@pytest.mark.parametrize("banks", [False, True])
def test_9_it_is_for_one_hand_used_or_not(banks: bool) -> None:
    table = owed()
    named = table.named("ann")
    if banks:
        table.play(("cyd", HIGHER), bank="ann")
    else:
        table.play(("ann", HIGHER))
    assert table.waiting() == []
    with pytest.raises(FreeCollectionUnknown, match="the table holds none for wager w-ann of round r0"):
        table.play(("ann", HIGHER), collections={"ann": named})


def test_9_a_wager_behind_another_s_hand_is_a_hand_too() -> None:
    table = owed()
    behind = {"wager_id": "w2", "seat": 2, "bettor": "ann", "circle": 2, "kind": "main", "amount": 50}
    own = {"wager_id": "w1", "seat": 2, "bettor": "cyd", "circle": 1, "kind": "main", "amount": 100}
    dealt = table.play(("cyd", HIGHER), wagers=[own, {**behind, "free_collection": table.named("ann")}])
    assert fees_paid(dealt) == ["cyd", "bank"]
    assert table.waiting() == ["ann"]  # a new one: cyd won all of the banker's wager
    assert table.named("ann") == {"round_id": "r3", "wager_id": "w2"}


def test_9_a_bettor_has_one_by_the_first_of_his_wagers() -> None:
    table = Table()
    own = {"wager_id": "w9", "seat": 2, "bettor": "ann", "circle": 1, "kind": "main", "amount": 100}
    behind = {"wager_id": "w1", "seat": 3, "bettor": "ann", "circle": 2, "kind": "main", "amount": 50}
    table.play(("ann", TIE), ("bob", TIE), wagers=[behind, own])
    earned = [(r["wager_id"], r.get("free_collection", False)) for r in table.payloads[-1]["body"]["results"]]
    assert earned == [("w9", True), ("w1", False)]
    assert table.named("ann") == {"round_id": "r0", "wager_id": "w9"}


def test_9_one_that_waits_lapses_after_so_many_settled_hands() -> None:
    table = owed()
    for _ in range(LIVED - 1):
        table.play(("cyd", HIGHER))
    assert table.waiting() == ["ann"]
    other = kit.Table(table.ruleset, **table.state)
    table.play(("ann", HIGHER), collections={"ann": table.named("ann")})  # the last hand that it is good for
    table.__dict__.update(payloads=[], records=[], state=other.state)
    table.play(("cyd", HIGHER))
    assert table.waiting() == []


def test_9_two_thousand_hands_of_bettors_who_never_return_leave_a_bounded_table() -> None:
    table = Table()
    most = 0
    for hand in range(2_000):
        table.payloads.clear()
        table.records.clear()
        table.play(*((f"b{hand}-{seat}", TIE) for seat in range(6)), bank=f"bank{hand}")
        most = max(most, len(table.waiting()))
    assert most == MOST_WAITING
    newest = [f"b{hand}-{seat}" for hand in range(2_000 - LIVED, 2_000) for seat in range(6)]
    assert table.waiting() == newest[-MOST_WAITING:]


def test_9_a_settled_hand_of_another_game_ends_it() -> None:
    table = owed()
    table.ruleset = published().ruleset(BICYCLE)
    terms = {"table_id": "t1", "ruleset": BICYCLE, "currency": "USD", "source": "table"}
    seats = [{"seat": 1, "bettor": "bank"}, {"seat": 2, "bettor": "cyd"}]
    table.call("opened", "p1", {**terms, "seats": seats, "banker": seats[0]})
    hands = ["As Ks Qd Jc 9h 7s 5d", "Ac Kc Qh Jd 9s 7c 5h"]
    wager = {"wager_id": "w", "seat": 2, "bettor": "cyd", "circle": 1, "kind": "main", "amount": 100}
    told = [{"seat": n, "cards": cards.split()} for n, cards in enumerate(hands, 1)]
    table.call("dealt", "p1", {"wagers": [wager], "banker_wager": 100, "dice": [1, 1, 1], "hands": told})
    assert table.waiting() == ["ann"]  # which a void would leave
    table.call("settled", "p1", {"sets": [{"seat": n, "how": "house_way"} for n in (1, 2)]})
    assert table.waiting() == []
    assert table.state["banker"] == {"bettor": "bank", "seat": 1, "game": "pai-gow-poker", "turns": 1}
