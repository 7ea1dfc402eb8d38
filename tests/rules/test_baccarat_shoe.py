"""A shoe of California baccarat dealt to its cut card over many rounds, voids among them, by the life of a round."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from cardroom.cards import format_cards
from cardroom.games.california_baccarat import GAME
from cardroom.games.california_baccarat.deal import ShoeExhausted
from cardroom.rounds import (
    NEW_TABLE,
    Ruleset,
    ShoeStarted,
    Step,
    close_shoe_step,
    deal_step,
    open_shoe_step,
    open_step,
    payload_of,
    settle_step,
    shoe_cards,
    shuffled_body,
    void_step,
)
from tests.rules.banked_round import document, opening, wager

Json = dict[str, Any]

ID = "california-baccarat/redding-1995"
RULESET = Ruleset(id=ID, sha256="0" * 64, document=document(ID), game=GAME, rules=GAME.load(document(ID)))
SHOE_SEED, ROUND_SEED = bytes([7] * 32), bytes([9] * 32)
OPENED_BODY = shuffled_body(server_seed=ROUND_SEED, salt="ab" * 16, epoch="1")
SEATED = (1, 2, 4, 5, 7)


class Table:
    """A table whose rounds are played step by step; what its records show is kept."""

    def __init__(self) -> None:
        self.state: Json = dict(NEW_TABLE)
        self.seen: list[str] = []
        self.steps: list[Step] = []
        self.rounds = 0

    def take(self, step: Step) -> Step:
        self.state = step.table_after
        self.steps.append(step)
        return step

    def open_shoe(self) -> None:
        body = shuffled_body(server_seed=SHOE_SEED, salt="cd" * 16, epoch="1")
        request = {"table_id": "t1", "ruleset": ID}
        self.take(
            open_shoe_step(operator="op", shoe_id="s1", request=request, table=self.state, ruleset=RULESET, body=body)
        )

    def open(self) -> Json:
        self.rounds += 1
        name, banker = f"r{self.rounds}", SEATED[self.rounds % len(SEATED)]
        request = opening(*SEATED, banker=banker, source="shuffle", shoe_id="s1")
        step = self.take(open_step(round_id=name, request=request, table=self.state, ruleset=RULESET, body=OPENED_BODY))
        return self.payload(step, name)

    def deal(self, opened: Json, **more: Any) -> Json:
        seats = [seat for seat in SEATED if seat != opened["request"]["banker"]["seat"]]
        request = {"wagers": [wager(seat, 50) for seat in seats], "banker_wager": 120, **more}
        step = self.take(
            deal_step(
                opened=opened,
                opened_sha256="0" * 64,
                request=request,
                table=self.state,
                ruleset=RULESET,
                server_seed=ROUND_SEED,
                shoe_seed=SHOE_SEED,
            )
        )
        self.seen += [card for hand in step.body["hands"] for card in hand["cards"]]
        return self.payload(step, opened["round_id"])

    def settle(self, dealt: Json) -> Json:
        sets = [{"seat": seat, "how": "house_way"} for seat in dealt["body"]["action_order"]]
        step = self.take(
            settle_step(
                dealt=dealt,
                request={"sets": sets},
                table=self.state,
                ruleset=RULESET,
                server_seed=ROUND_SEED,
                shoe_seed=SHOE_SEED,
            )
        )
        self.seen += [chosen["drawn"] for chosen in step.body["sets"] if "drawn" in chosen]
        return step.body

    def void(self, last: Json) -> None:
        request = {"table_id": "t1", "reason": "banker_wrong_number_of_cards"}
        self.take(void_step(last=last, request=request, table=self.state, game=GAME, server_seed=ROUND_SEED))

    def payload(self, step: Step, round_id: str) -> Json:
        return payload_of(
            step, engine="1.0.0", operator="op", table_id="t1", round_id=round_id, seq=1, prev=None, at="2026-11-29"
        )


def dealt_out(chance: random.Random) -> Table:
    """A table that has dealt its shoe as far as it goes, voiding about every fifth round."""
    at = Table()
    at.open_shoe()
    first: Json = {"client_seed": "ef" * 16, "cut": 211}
    while True:
        try:
            opened = at.open()
        except ShoeExhausted:
            return at
        if chance.random() < 0.1:
            at.void(opened)
            continue
        dealt = at.deal(opened, **first)
        first = {}
        if chance.random() < 0.2:
            at.void(dealt)
        else:
            at.settle(dealt)


def test_every_card_comes_just_once_across_rounds_and_voids() -> None:
    at = dealt_out(random.Random(1))
    position = at.state["shoe"]["position"]
    assert 424 - 21 < position <= 424
    order = format_cards(shoe_cards(at.state["shoe"], ruleset=RULESET, server_seed=SHOE_SEED))
    assert sorted(at.seen) == sorted(order[:position])
    assert Counter(at.seen + order[position:]) == Counter(format_cards(GAME.deck(RULESET.rules, {})))
    kinds = Counter(step.kind for step in at.steps)
    assert kinds["voided"] > 3 and kinds["settled"] > 15


def test_positions_of_the_records_join_without_gap_or_overlap() -> None:
    at = dealt_out(random.Random(2))
    spans = [step.body["shoe"] for step in at.steps if "shoe" in step.body]
    assert {span["shoe_id"] for span in spans} == {"s1"}
    assert spans[0]["first"] == 0
    assert all(before["last"] == after["first"] for before, after in pairwise(spans))
    assert spans[-1]["last"] == at.state["shoe"]["position"]


def test_a_shoe_dealt_to_its_last_card_is_all_of_it() -> None:
    """The last 21 cards, which the cut card keeps back, would have come too: each of the 424 just once."""
    at = dealt_out(random.Random(3))
    shoe = shoe_cards(at.state["shoe"], ruleset=RULESET, server_seed=SHOE_SEED)
    assert Counter(shoe) == Counter(GAME.deck(RULESET.rules, {})) and len(shoe) == 424
    closed = close_shoe_step(shoe_id="s1", request={"table_id": "t1"}, table=at.state, server_seed=SHOE_SEED)
    assert closed.body["seed"] == SHOE_SEED.hex() and closed.table_after["shoe"] is None


def test_no_record_before_the_closing_one_tells_the_shoes_seed() -> None:
    at = dealt_out(random.Random(4))
    assert not any(SHOE_SEED.hex() in repr(step) for step in at.steps)


def test_the_shoes_cards_depend_on_its_client_seed_and_cut() -> None:
    orders = set()
    for client_seed, cut in (("ef" * 16, 211), ("ee" * 16, 211), ("ef" * 16, 212), (None, None)):
        at = Table()
        at.open_shoe()
        given = {"client_seed": client_seed, "cut": cut} if client_seed and cut else {}
        at.deal(at.open(), **given)
        orders.add(tuple(shoe_cards(at.state["shoe"], ruleset=RULESET, server_seed=SHOE_SEED)))
    assert len(orders) == 4


def test_a_void_before_the_deal_spends_no_card_and_one_after_it_does() -> None:
    at = Table()
    at.open_shoe()
    at.void(at.open())
    assert at.state["shoe"]["position"] == 0
    at.void(at.deal(at.open(), cut=5))
    assert at.state["shoe"]["position"] == 10
    with pytest.raises(ShoeStarted, match="can be cut only before its first card"):
        at.deal(at.open(), cut=5)
