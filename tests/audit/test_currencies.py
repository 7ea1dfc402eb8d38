"""What records say of currencies: a replay takes any three letters, and holds a round to the sums that it posted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.audit.play import FLORIDA, PUSH_NINE, Json, Room
from tests.audit.test_tampering import audit, only
from tests.rules.banked_round import wager

BANK, CAP = "banker_minimum_minor", "side_bets.fortune.cap_per_spot_minor"
SUMS = {BANK: 4_500_000, CAP: 7_000_000}
HANDS = ("Ac Ad As Kc Kd 9h 2c", "7h 5d 3s 2d 9c Th Js", "7s 6d 4s 3d 8c Td Qs")


def played(currency: str, sums: Json | None = SUMS, *, source: str = "table") -> Room:
    """A round of Florida's, its banker's wager just enough."""
    room = Room(FLORIDA)
    more: Json = {} if sums is None else {"sums": sums}
    room.open((1, 2, 3), banker={"seat": 1, "bettor": "b1"}, currency=currency, source=source, **more)
    told: Json = {"client_seed": "cd" * 16}
    if source == "table":
        hands = [{"seat": seat, "cards": cards.split()} for seat, cards in enumerate(HANDS, start=1)]
        told = {"dice": [1, 1, 1], "hands": hands}
    room.deal(wagers=[wager(2, 100), wager(3, 100)], banker_wager=4_500_000, **told)
    room.settle(sets=[{"seat": seat, "how": "house_way"} for seat in (1, 2, 3)])
    return room


def posted(room: Room, sums: Json | None) -> Room:
    """The round's sums are others from the beginning, in every record that repeats them."""
    for payload in room.payloads:
        body = payload["body"]
        requests = [payload["request"]] if payload["kind"] == "opened" else []
        requests += [body["opened"]["terms"]["request"]] if "opened" in body else []
        for request in requests:
            request.pop("sums", None)
            if sums is not None:
                request["sums"] = sums
    room.resign(room.payloads)
    return room


@pytest.mark.parametrize("currency", ["JPY", "XTS", "BGN", "XAU", "QQQ"])
@pytest.mark.parametrize("source", ["table", "shuffle"])
def test_a_replay_takes_any_three_letters(currency: str, source: str) -> None:
    report = audit(played(currency, source=source))
    assert report.complete, report.findings


LOW: Json = {**SUMS, BANK: 3_000_000}
FORGED: list[tuple[str, Json | None, str, str, int]] = [
    ("table", None, "request-refused", "sums.banker_minimum_minor: must be given: ", 1),
    ("table", {BANK: 4_500_000}, "request-refused", "sums.side_bets.fortune.cap_per_spot_minor: must be given: ", 1),
    ("table", {**SUMS, "stake_minor": 5}, "request-refused", "sums.stake_minor: must be left out", 1),
    ("table", {**SUMS, BANK: 4_500_001}, "request-refused", "4500001", 2),
    (
        "shuffle",
        {**SUMS, CAP: 1},
        "client-seed-changed",
        "not of the deck that these seeds shuffle",
        2,
    ),  # the terms are in the shuffle
]


@pytest.mark.parametrize(("source", "sums", "code", "told", "seq"), FORGED)
def test_a_round_by_other_sums_than_it_posted(source: str, sums: Json | None, code: str, told: str, seq: int) -> None:
    found = only(posted(played("JPY", source=source), sums))
    assert (found.code, found.seq) == (code, seq)
    assert told in found.message


def test_sums_in_the_rule_sets_own_currency() -> None:
    found = only(posted(played("USD", None), LOW))
    assert found.seq == 1
    assert "sums.banker_minimum_minor: must be left out" in found.message


def tied() -> Room:
    """A hand of push nine in yen, whose pot is pushed."""
    room = Room(PUSH_NINE)
    own = {"minimum_bet_minor": 500, "chip_unit_minor": 1_000}
    room.open((1, 2, 3), button=1, ante=500, currency="JPY", sums=own, source="table")
    hands = [
        {"seat": seat, "cards": cards.split()} for seat, cards in enumerate(("As 2s 5s", "Ah 3d 4d", "Ks Qd 8c"), 1)
    ]
    stacks = [{"seat": seat, "amount": 1_000} for seat in (1, 2, 3)]
    room.deal(wagers=[wager(seat, 500, "ante") for seat in (1, 2, 3)], stacks=stacks, hands=hands)
    room.settle(sets=[], betting=[{"seat": seat, "action": "check"} for seat in (1, 2, 3)])
    return room


def forget(payload: Json) -> None:
    payload["table_after"]["pot"].pop("sums")


def another_chip(payload: Json) -> None:
    payload["table_after"]["pot"]["sums"] = {"minimum_bet_minor": 500, "chip_unit_minor": 1}


@pytest.mark.parametrize("change", [forget, another_chip])
def test_the_sums_of_a_carried_pot(change: Callable[[Json], None]) -> None:
    room = tied()
    assert audit(room).ok
    room.forge(3, change)
    found: Any = only(room)
    assert (found.code, found.seq) == ("table-after-wrong", 3)
