"""A pot carried on by the table's record: a draw, shuffled rounds, a push, a void (push-nine §4, §7)."""

from typing import Any

import pytest

from cardroom.rounds import (
    NEW_TABLE,
    DrawNotHeld,
    Step,
    deal_step,
    open_step,
    payload_of,
    settle_step,
    shuffled_body,
    void_step,
)
from cardroom.services import catalog

Json = dict[str, Any]

RULESET = catalog.ruleset("push-nine/redding-1995")
SEATS = {1: "ann", 2: "bob", 3: "cyd"}
DRAWN = {"draw_id": "d1", "kind": "first_button", "seats": [1, 2, 3], "seat": 2}


class Room:
    """One table's records, without signatures."""

    def __init__(self) -> None:
        self.table: Json = {**NEW_TABLE, "draw": DRAWN}
        self.seq = 0
        self.last: Json = {}

    def write(self, step: Step, round_id: str) -> Json:
        self.seq += 1
        self.last = payload_of(
            step, engine="0", operator="op", table_id="t1", round_id=round_id, seq=self.seq, prev=None, at="now"
        )
        self.table = step.table_after
        return self.last

    def open(self, round_id: str, seed: bytes, **more: Any) -> Json:
        request = {
            "table_id": "t1", "ruleset": RULESET.id, "currency": "USD", "source": "shuffle", "ante": 100, "button": 2,
            "seats": [{"seat": seat, "bettor": bettor} for seat, bettor in SEATS.items()], **more,
        }  # fmt: skip
        body = shuffled_body(server_seed=seed, salt="00" * 16, epoch="e1")
        return self.write(
            open_step(round_id=round_id, request=request, table=self.table, ruleset=RULESET, body=body), round_id
        )

    def deal(self, seed: bytes, kind: str, amounts: dict[int, int], playing: list[int]) -> Json:
        request = {
            "wagers": [
                {"wager_id": f"w{s}", "seat": s, "bettor": SEATS[s], "circle": 1, "kind": kind, "amount": amount}
                for s, amount in amounts.items()
            ],
            "stacks": [{"seat": seat, "amount": 1_000} for seat in playing],
        }
        step = deal_step(
            opened=self.last, opened_sha256="00" * 32, request=request, table=self.table, ruleset=RULESET,
            server_seed=seed,
        )  # fmt: skip
        return self.write(step, self.last["round_id"])

    def settle(self, seed: bytes, action: str = "check") -> Json:
        betting = [{"seat": seat, "action": action} for seat in self.last["body"]["order"]]
        step = settle_step(
            dealt=self.last, request={"sets": [], "betting": betting}, table=self.table, ruleset=RULESET,
            server_seed=seed,
        )  # fmt: skip
        return self.write(step, self.last["round_id"])

    def void(self, seed: bytes) -> Json:
        request = {"table_id": "t1", "reason": "exposed_card"}
        step = void_step(last=self.last, request=request, table=self.table, game=RULESET.game, server_seed=seed)
        return self.write(step, self.last["round_id"])


def first_round(seed: bytes) -> Room:
    room = Room()
    room.open("r1", seed, draw_id="d1")
    room.deal(seed, "ante", dict.fromkeys(SEATS, 100), list(SEATS))
    room.settle(seed)
    return room


@pytest.fixture(scope="module")
def pushed() -> Room:
    """A table after the first of some seeds by which two of three players tie."""
    rooms = (first_round(bytes([number]) * 32) for number in range(256))
    return next(room for room in rooms if room.table["pot"])


def test_the_first_button_is_the_one_that_was_drawn() -> None:
    with pytest.raises(DrawNotHeld) as refusal:
        Room().open("r1", bytes(32), draw_id="d1", button=3)
    assert refusal.value.message == "seat 2 won draw d1, the round gives it to seat 3"


def test_a_push_a_void_and_the_pot_is_still_there(pushed: Room) -> None:
    room, seed = pushed, bytes([99]) * 32
    carried = room.table["pot"]
    tied = [player["seat"] for player in carried["pots"][0]["tied"]]
    (other,) = set(SEATS) - set(tied)
    assert (carried["pots"][0]["amount"], carried["pots"][0]["buy_in"]) == (300, 200)
    assert (room.table["button"], room.table["draw"]) == (2, None)

    room.open("r2", seed, continues="r1")
    room.deal(seed, "buy_in", {other: 200}, list(SEATS))
    voided = room.void(seed)
    assert voided["body"]["returned"] == [{"wager_id": f"w{other}", "amount": 200}]
    assert room.table["pot"] == carried

    room.open("r3", seed, continues="r1")
    dealt = room.deal(seed, "buy_in", {}, tied)
    assert [hand["seat"] for hand in dealt["body"]["hands"]] == tied
    settled = room.settle(seed)
    assert settled["body"]["seed"] == seed.hex()
    won = [item for item in settled["body"]["net"] if item["amount"] > 0]
    assert [item["amount"] for item in won] == [300]
    assert room.table["pot"] is None
    assert room.table["button"] == settled["body"]["pots"][0]["winners"][0]
