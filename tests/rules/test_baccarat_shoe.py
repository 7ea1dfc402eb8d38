"""A shoe of California baccarat dealt to its cut card over many rounds, voids among them, by the life of a round."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from cardroom.cards import Card, format_cards
from cardroom.game import Ruleset
from cardroom.games.california_baccarat.deal import ShoeExhausted
from cardroom.games.california_baccarat.game import GAME
from cardroom.rounds.shoes import ShoeStarted
from tests import kit
from tests.rules.banked_round import document, opening, wager

Json = dict[str, Any]

ID = "california-baccarat/redding-1995"
RULESET = Ruleset(id=ID, sha256="0" * 64, document=document(ID), game=GAME, rules=GAME.load(document(ID)))
SHOE_SEED = bytes([7] * 32)
SEATED = (1, 2, 4, 5, 7)


class Table(kit.Table):
    """A table whose rounds are played step by step; what its records show is kept."""

    def __init__(self) -> None:
        super().__init__(RULESET)
        self.secrets.seeds["shoe:s1"] = SHOE_SEED
        self.seen: list[str] = []
        self.rounds = 0

    def open_shoe(self) -> None:
        self.call("shoe_opened", "shoe:s1", {"table_id": "t1", "ruleset": ID})

    def open(self) -> Json:
        self.rounds += 1
        banker = SEATED[self.rounds % len(SEATED)]
        request = opening(*SEATED, banker=banker, source="shuffle", shoe_id="s1", shown="all")
        return self.call("opened", f"r{self.rounds}", request)

    def deal(self, opened: Json, **more: Any) -> Json:
        seats = [seat for seat in SEATED if seat != opened["request"]["banker"]["seat"]]
        request = {"wagers": [wager(seat, 50) for seat in seats], "banker_wager": 120, **more}
        dealt = self.call("dealt", opened["round_id"], request)
        self.seen += [card for hand in dealt["body"]["hands"] for card in hand["cards"]]
        return dealt

    def settle(self, dealt: Json) -> Json:
        sets = [{"seat": seat, "how": "house_way"} for seat in dealt["body"]["action_order"]]
        body: Json = self.call("settled", dealt["round_id"], {"sets": sets})["body"]
        self.seen += [chosen["drawn"] for chosen in body["sets"] if "drawn" in chosen]
        return body

    def void(self, last: Json) -> None:
        self.call("voided", last["round_id"], {"table_id": "t1", "reason": "banker_wrong_number_of_cards"})

    def shoe_cards(self) -> Sequence[Card]:
        return self.secrets.shoe_cards(self.state["shoe"], GAME.deck(RULESET.rules, {}))


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
    order = format_cards(at.shoe_cards())
    assert sorted(at.seen) == sorted(order[:position])
    assert Counter(at.seen + order[position:]) == Counter(format_cards(GAME.deck(RULESET.rules, {})))
    kinds = Counter(payload["kind"] for payload in at.payloads)
    assert kinds["voided"] > 3 and kinds["settled"] > 15


def test_positions_of_the_records_join_without_gap_or_overlap() -> None:
    at = dealt_out(random.Random(2))
    spans = [payload["body"]["shoe"] for payload in at.payloads if "shoe" in payload["body"]]
    assert {span["shoe_id"] for span in spans} == {"s1"}
    assert spans[0]["first"] == 0
    assert all(before["last"] == after["first"] for before, after in pairwise(spans))
    assert spans[-1]["last"] == at.state["shoe"]["position"]


def test_a_shoe_dealt_to_its_last_card_is_all_of_it() -> None:
    """The last 21 cards, which the cut card keeps back, would have come too: each of the 424 just once."""
    at = dealt_out(random.Random(3))
    shoe = at.shoe_cards()
    assert Counter(shoe) == Counter(GAME.deck(RULESET.rules, {})) and len(shoe) == 424
    closed = at.call("shoe_closed", "shoe:s1", {"table_id": "t1"})
    assert closed["body"]["seed"] == SHOE_SEED.hex() and closed["table_after"]["shoe"] is None


def test_no_record_before_the_closing_one_tells_the_shoes_seed() -> None:
    at = dealt_out(random.Random(4))
    assert not any(SHOE_SEED.hex() in repr(payload) for payload in at.payloads)


def test_the_shoes_cards_depend_on_its_client_seed_and_cut() -> None:
    orders = set()
    for client_seed, cut in (("ef" * 16, 211), ("ee" * 16, 211), ("ef" * 16, 212), (None, 211)):
        at = Table()
        at.open_shoe()
        given = {"cut": cut} | ({"client_seed": client_seed} if client_seed else {})
        at.deal(at.open(), **given)
        orders.add(tuple(at.shoe_cards()))
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
