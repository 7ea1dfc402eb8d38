"""What a pai gow table posts and tells of its bonuses is in the signed record: a forged value of it is found."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.audit import play
from tests.audit.play import FLORIDA, Json, Room
from tests.audit.test_tampering import audit, only
from tests.rules.pai_gow_round import PROGRESSIVE

SEATS = (1, 2, 3, 4, 5)


def posted(maximum_payout: int) -> Room:
    """Florida rounds at a table that posts so much for its bonuses, until one of them is cut by it."""
    room = Room(FLORIDA)
    while True:
        banker = room.made % len(SEATS) + 1
        room.open(SEATS, banker={"seat": banker, "bettor": f"b{banker}"}, maximum_payout=maximum_payout)
        playing = [seat for seat in SEATS if seat != banker]
        wagers = [
            play.wager(seat, amount, kind) for seat in playing for kind, amount in (("main", 100), ("fortune", 50))
        ]
        wagers.sort(key=lambda item: item["wager_id"])
        room.deal(wagers=wagers, banker_wager=3_000_000, client_seed=room.rng.randbytes(16).hex())
        settled = room.settle(sets=[{"seat": seat, "how": "house_way"} for seat in SEATS])
        if any(result["reason"].endswith("up_to_maximum_payout") for result in settled["body"]["results"]):
            return room


def as_if_more_were_posted(payload: Json) -> None:
    payload["request"]["maximum_payout"] += 1


def as_if_nothing_were_posted(payload: Json) -> None:
    del payload["request"]["maximum_payout"]


@pytest.mark.parametrize("change", [as_if_more_were_posted, as_if_nothing_were_posted])
def test_10_4_the_posted_sum_is_bound_to_the_deck_as_all_terms_are(change: Callable[[Json], None]) -> None:
    room = posted(7)
    assert audit(room).ok
    opened = max(payload["seq"] for payload in room.payloads if payload["kind"] == "opened")
    room.forge(opened, change)
    assert (only(room).code, only(room).seq) == ("client-seed-changed", opened + 1)  # other terms, another deck


def test_10_4_a_bonus_paid_past_the_posted_sum_is_found() -> None:
    room = posted(7)
    settled = room.payloads[-1]["seq"]

    def pay_whole(payload: Json) -> None:
        body = payload["body"]
        result = next(one for one in body["results"] if one["reason"].endswith("up_to_maximum_payout"))
        result["paid"] += 1
        posting = next(one for one in body["postings"] if one.get("wager_id") == result["wager_id"])
        posting["amount"] += 1
        body["banker"]["net"] -= 1
        for item in body["net"]:
            item["amount"] += (item["account"] == posting["to"]) - (item["account"] == posting["from"])

    room.forge(settled, pay_whole)
    assert (only(room).code, only(room).seq) == ("payout-wrong", settled)


def metered() -> Room:
    """One round in which a seven-card straight flush and five aces win from the meter at a physical table."""
    room = Room(PROGRESSIVE)
    room.open((1, 2, 3), banker="house", source="table")
    wagers = [play.wager(seat, 100, kind) for seat in (1, 2, 3) for kind in ("main", "progressive")]
    hands = {1: "9c 8c 7c 6c 5c 4c 3c", 2: "Ac Ad Ah As Jk 2d 3h", 3: "9d 8d 7d 6d 5d 4d 3d", 7: "Ks Qd 8s 8h 6h 2s 2h"}
    room.deal(
        wagers=sorted(wagers, key=lambda item: item["wager_id"]),
        meters={"progressive": 500_000},
        hands=[{"seat": seat, "cards": cards.split()} for seat, cards in hands.items()],
        number=2,
    )
    room.settle(sets=[{"seat": seat, "how": "house_way"} for seat in hands])
    return room


def test_10_8_all_that_moves_a_meter_is_replayed() -> None:
    room = metered()
    assert audit(room).ok
    (meter,) = room.payloads[-1]["body"]["meters"]
    assert meter["reseeded"] > 0 and meter["added"] == 60
    for name in ("before", "added", "paid", "reseeded", "after"):
        room = metered()
        room.forge(3, lambda payload, name=name: payload["body"]["meters"][0].update({name: meter[name] + 1}))
        assert (only(room).code, only(room).field) == ("payout-wrong", f"body.meters[0].{name}"), name
    room = metered()
    room.forge(2, lambda payload: payload["request"]["meters"].update(progressive=600_000))
    assert only(room).seq == 3  # the settlement is not what such a meter pays
