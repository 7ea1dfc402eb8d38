"""A shoe dealt to its cut card through the services, across rounds, voids and restarts; and a draw."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from cardroom.adapters.sqlite import SqliteLedger
from cardroom.cards import Card, format_cards
from cardroom.games.california_baccarat.deal import ShoeExhausted
from cardroom.rounds.draws import DrawNotHeld
from cardroom.rounds.steps import RoundLive
from cardroom.services.catalogue import published
from cardroom.services.play import close_shoe, deal_round, hold_draw, open_round, open_shoe, settle_round, void_round
from cardroom.services.ports import Ports
from cardroom.shuffle import commitment
from tests import kit
from tests.rules.banked_round import opening, wager
from tests.services import OPERATOR, ports_on

Json = dict[str, Any]

BACCARAT = "california-baccarat/redding-1995"
HI_HI_LO = "hi-hi-lo/redding-1995"
SEATED = (1, 2, 3, 4, 5, 6, 7)


Restarted = Callable[[], Ports]


@pytest.fixture
def restarted(tmp_path: Path) -> Iterator[Restarted]:
    """The service as a new process finds it: nothing but its files is left."""
    with ExitStack() as opened:

        def anew() -> Ports:
            opened.close()
            ledger = opened.enter_context(closing(SqliteLedger(tmp_path / "ledger.sqlite")))
            return ports_on(ledger, tmp_path)

        yield anew


def order_of(shoe: Json, seed: bytes) -> Sequence[Card]:
    """A shoe's cards by its seed."""
    known, rules = kit.NamedSeeds(), published().ruleset(BACCARAT)
    known.seeds["shoe:s1"] = seed
    return known.shoe_cards(shoe, rules.game.deck(rules.rules, {}))


def play_round(restarted: Restarted, number: int) -> tuple[list[Json], list[str]]:
    """One round, a restart before each of its steps; its records and the cards that it showed."""
    name, banker = f"r{number}", SEATED[number // 2 % len(SEATED)]
    request = opening(*SEATED, banker=banker, source="shuffle", shoe_id="s1", shown="all") | {"ruleset": BACCARAT}
    answers = [open_round(restarted(), request, operator=OPERATOR, round_id=name).payload]
    asked: Json = {"wagers": [wager(seat, 50) for seat in SEATED if seat != banker], "banker_wager": 200}
    asked |= {"client_seed": "ab" * 16} if number % 3 else {"dice": [1, 2, 3]}
    if number == 0:
        asked |= {"client_seed": "ab" * 16, "cut": 300}
    dealt = deal_round(restarted(), asked, operator=OPERATOR, round_id=name).payload
    answers.append(dealt)
    seen = [card for hand in dealt["body"]["hands"] for card in hand["cards"]]
    if number % 4 == 3:
        voiding = {"table_id": "t1", "reason": "banker_wrong_number_of_cards"}
        return [*answers, void_round(restarted(), voiding, operator=OPERATOR, round_id=name).payload], seen
    sets = [{"seat": seat, "how": "house_way"} for seat in sorted(dealt["body"]["action_order"])]
    settled = settle_round(restarted(), {"sets": sets}, operator=OPERATOR, round_id=name).payload
    seen += [chosen["drawn"] for chosen in settled["body"]["sets"] if "drawn" in chosen]
    return [*answers, settled], seen


def test_a_shoe_of_424_comes_out_card_by_card_whatever_happens_between(restarted: Restarted) -> None:
    shoe_request = {"table_id": "t1", "ruleset": BACCARAT}
    opened = open_shoe(restarted(), shoe_request, operator=OPERATOR, shoe_id="s1").payload
    assert opened["table_after"]["shoe"]["size"] == 424
    payloads, seen = [opened], []
    with pytest.raises(ShoeExhausted, match="are left in shoe s1, a round may need 21"):
        for number in range(60):
            answers, cards = play_round(restarted, number)
            payloads += answers
            seen += cards
    last = payloads[-1]["table_after"]["shoe"]
    closed = close_shoe(restarted(), {"table_id": "t1"}, operator=OPERATOR, shoe_id="s1").payload
    seed = closed["body"]["seed"]
    assert commitment(bytes.fromhex(seed)) == opened["body"]["commitment"]
    order = format_cards(order_of(last, bytes.fromhex(seed)))
    assert len(order) == 424 and last["position"] == len(seen) > 403
    assert sorted(seen) == sorted(order[: len(seen)])
    assert set(Counter(seen + order[len(seen) :]).values()) == {8}
    assert Counter(payload["kind"] for payload in payloads)["voided"] >= 2
    # Nothing before the closing record tells the seed, nor a card that was not dealt when it was written.
    for payload in payloads:
        assert seed not in json.dumps(payload)
    assert closed["table_after"]["shoe"] is None


def test_a_shoe_is_not_closed_under_a_live_round(restarted: Restarted) -> None:
    ports = restarted()
    open_shoe(ports, {"table_id": "t1", "ruleset": BACCARAT}, operator=OPERATOR, shoe_id="s1")
    request = opening(*SEATED, banker=1, source="shuffle", shoe_id="s1") | {"ruleset": BACCARAT}
    open_round(ports, request, operator=OPERATOR, round_id="r1")
    with pytest.raises(RoundLive, match="round r1 is opened at table t1: settle or void it first"):
        close_shoe(ports, {"table_id": "t1"}, operator=OPERATOR, shoe_id="s1")


def test_hi_hi_lo_begins_with_a_draw_that_the_open_cites(restarted: Restarted) -> None:
    ports = restarted()
    drawing = {
        "ruleset": HI_HI_LO,
        "kind": "first_banker",
        "seats": [2, 5, 8],
        "table_id": "t1",
        "client_seed": "cd" * 16,
    }
    drawn = hold_draw(ports, drawing, operator=OPERATOR, draw_id="d1").payload
    banker = drawn["body"]["seat"]
    assert banker in (2, 5, 8) and [item["seat"] for item in drawn["body"]["cards"]] == [2, 5, 8]
    other = next(seat for seat in (2, 5, 8) if seat != banker)
    request = opening(2, 5, 8, banker=other, source="shuffle", draw_id="d1") | {"ruleset": HI_HI_LO}
    with pytest.raises(DrawNotHeld, match=f"seat {banker} won draw d1, the round gives it to seat {other}"):
        open_round(ports, request, operator=OPERATOR, round_id="r1")
    request["banker"] = {"seat": banker, "bettor": f"b{banker}"}
    open_round(ports, request, operator=OPERATOR, round_id="r1")
    bets = [wager(other, 100, kind) for kind in ("high_one", "high_two", "low")]
    asked = {"wagers": bets, "banker_wager": 300, "cut": 20, "client_seed": "ab" * 16}
    deal_round(ports, asked, operator=OPERATOR, round_id="r1")
    sets = [{"seat": seat, "how": "house_way"} for seat in sorted((banker, other))]
    settled = settle_round(ports, {"sets": sets}, operator=OPERATOR, round_id="r1").payload
    assert settled["table_after"]["banker"] == {"bettor": f"b{banker}", "seat": banker, "game": "hi-hi-lo", "turns": 1}
    assert settled["table_after"]["draw"] is None
