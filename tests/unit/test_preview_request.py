"""A preview is one request made of three: no field of it may be lost on the way to its part."""

from __future__ import annotations

from typing import Any

import pytest

from cardroom.wire.requests import Amounts, DealRequest, OpenRequest, PreviewRequest, SettleRequest

Json = dict[str, Any]

AMOUNTS = [{"seat": 1, "amount": 500}]
EVERYTHING: Json = {
    "ruleset": "push-nine/redding-1995",
    "currency": "USD",
    "seats": [{"seat": 1, "bettor": "ann"}],
    "banker": "house",
    "button": 1,
    "ante": 100,
    "jokers": 0,
    "limits": {"minimum": 1, "maximum": 2},
    "fees": {"wager": [{"low": 0, "fee": 1}]},
    "wagers": [],
    "banker_wager": 100,
    "meters": {"bonus": 1},
    "stacks": AMOUNTS,
    "dice": [1, 2, 3],
    "number": 1,
    "hands": [{"seat": 1, "cards": ["As", "Ks", "Qs"]}],
    "community": ["2c"],
    "sets": [{"seat": 1, "how": "house_way"}],
    "dragon": {"wager_id": "d", "seat": 2, "bettor": "ann", "amount": 5},
    "betting": [{"seat": 1, "action": "check"}],
    "drawn_cards": [{"seat": 1, "card": "3c"}],
    "misplayed": [{"seat": 1, "how": "by_house"}],
    "contributions": AMOUNTS,
    "folded": [1],
    "dead_hands": [{"seat": 1, "ante_returned": True}],
    "dead_order": [1],
}


def test_every_field_goes_to_the_request_that_has_it() -> None:
    assert set(EVERYTHING) == set(PreviewRequest.model_fields), "a new field belongs into EVERYTHING too"

    parts = PreviewRequest.parse(EVERYTHING).parts()

    assert parts.pop("ruleset") == EVERYTHING["ruleset"]
    for part, request in (("opening", OpenRequest), ("wagering", DealRequest), ("settling", SettleRequest)):
        has = request.model_fields.keys() - {"ruleset"}
        assert parts.pop(part) == {name: value for name, value in EVERYTHING.items() if name in has}
    assert parts == {}


def test_a_new_field_of_no_part_is_not_dropped_in_silence() -> None:
    class Wider(PreviewRequest):
        tips: Amounts | None = None

    with pytest.raises(ValueError, match="tips: no part of a preview has such a field"):
        Wider.parse({**EVERYTHING, "tips": AMOUNTS}).parts()
