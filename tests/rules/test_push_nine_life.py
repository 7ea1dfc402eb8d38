"""A pot carried on by the table's record: a draw, shuffled rounds, a push, a void (push-nine §4, §7)."""

from copy import deepcopy
from typing import Any

import pytest

from cardroom.rounds.draws import DrawNotHeld
from cardroom.services.catalogue import published
from tests import kit

Json = dict[str, Any]

RULESET = published().ruleset("push-nine/redding-1995")
SEATS = {1: "ann", 2: "bob", 3: "cyd"}
DRAWN = {"draw_id": "d1", "kind": "first_button", "seats": [1, 2, 3], "seat": 2, "before": []}


class Room(kit.Table):
    """One table's records, without signatures."""

    def __init__(self) -> None:
        super().__init__(RULESET, draw=DRAWN)
        self.secrets.salt = "00" * 16

    def open(self, round_id: str, seed: bytes, **more: Any) -> Json:
        request = {
            "table_id": "t1", "ruleset": RULESET.id, "currency": "USD", "source": "shuffle", "ante": 100, "button": 2,
            "seats": [{"seat": seat, "bettor": bettor} for seat, bettor in SEATS.items()], **more,
        }  # fmt: skip
        self.secrets.seeds[round_id] = seed
        return self.call("opened", round_id, request)

    def deal(self, kind: str, amounts: dict[int, int], playing: list[int]) -> Json:
        request = {
            "wagers": [
                {"wager_id": f"w{s}", "seat": s, "bettor": SEATS[s], "circle": 1, "kind": kind, "amount": amount}
                for s, amount in amounts.items()
            ],
            "stacks": [{"seat": seat, "amount": 1_000} for seat in playing],
        }
        return self.call("dealt", self.payloads[-1]["round_id"], request)

    def settle(self, action: str = "check") -> Json:
        dealt = self.payloads[-1]
        betting = [{"seat": seat, "action": action} for seat in dealt["body"]["order"]]
        return self.call("settled", dealt["round_id"], {"sets": [], "betting": betting})

    def void(self) -> Json:
        return self.call("voided", self.payloads[-1]["round_id"], {"table_id": "t1", "reason": "exposed_card"})


def first_round(seed: bytes) -> Room:
    room = Room()
    room.open("r1", seed, draw_id="d1")
    room.deal("ante", dict.fromkeys(SEATS, 100), list(SEATS))
    room.settle()
    return room


@pytest.fixture(scope="module")
def pushed() -> Room:
    """A table after the first of some seeds by which two of three players tie."""
    rooms = (first_round(bytes([number]) * 32) for number in range(256))
    return next(room for room in rooms if room.state["pot"] and len(room.state["pot"]["pots"][0]["tied"]) == 2)


def test_the_first_button_is_the_one_that_was_drawn() -> None:
    with pytest.raises(DrawNotHeld) as refusal:
        Room().open("r1", bytes(32), draw_id="d1", button=3)
    assert refusal.value.message == "seat 2 won draw d1, the round gives it to seat 3"


def test_a_push_a_void_and_the_pot_is_still_there(pushed: Room) -> None:
    room, seed = pushed, bytes([99]) * 32
    carried = room.state["pot"]
    tied = [player["seat"] for player in carried["pots"][0]["tied"]]
    (other,) = set(SEATS) - set(tied)
    assert (carried["pots"][0]["amount"], carried["pots"][0]["buy_in"]) == (300, 200)
    assert (room.state["button"], room.state["draw"]) == ({"seat": 2, "bettor": "bob"}, None)

    room.open("r2", seed, continues="r1")
    room.deal("buy_in", {other: 200}, list(SEATS))
    voided = room.void()
    assert voided["body"]["returned"] == [{"wager_id": f"w{other}", "amount": 200}]
    assert room.state["pot"] == carried
    voided_room = room

    for number in range(256):  # the first of some seeds by which one of the two wins
        room, seed = deepcopy(voided_room), bytes([number]) * 32
        room.open("r3", seed, continues="r1")
        dealt = room.deal("buy_in", {}, tied)
        settled = room.settle()
        if room.state["pot"] is None:
            break
    assert [hand["seat"] for hand in dealt["body"]["hands"]] == tied
    assert settled["body"]["seed"] == seed.hex()
    won = [item for item in settled["body"]["net"] if item["amount"] > 0]
    assert [item["amount"] for item in won] == [300]
    assert room.state["pot"] is None
    (winner,) = settled["body"]["pots"][0]["winners"]
    assert room.state["button"] == {"seat": winner, "bettor": SEATS[winner]}
