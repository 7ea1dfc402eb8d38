"""The totals count all the money that moved, exactly."""

from __future__ import annotations

from collections import Counter

import pytest

from cardroom import canonical
from cardroom.audit.replay import Replay
from cardroom.audit.verify import verify_export
from cardroom.services.audit_tables import report_bytes, report_pieces
from cardroom.services.catalogue import published
from tests.audit.play import Room

MANIA = "pai-gow-mania/standard"
PROGRESSIVE = "fortune-pai-gow/progressive"
COUNTED = {"commission": "commission", "envy": "envy", "co_bank": "co_bank", "fee": "fees"}


def of_postings(room: Room) -> Counter[str]:
    """What the postings of a room's records come to, by why."""
    moved: Counter[str] = Counter()
    for payload in room.payloads:
        for posting in payload["body"].get("postings", ()):
            moved[posting["why"]] += posting["amount"]
    moved["fee"] -= moved.pop("fee_returned", 0)
    return moved


@pytest.mark.parametrize("ruleset", published().ruleset_ids())
def test_commission_envy_and_fees_of_everybody(ruleset: str) -> None:
    room = Room(ruleset)
    for index in range(12):
        room.play(void=index == 4)
    document = verify_export(room.export(), room.root.jwks(), replay=Replay(published())).document
    (total,) = document["totals"]["rulesets"]
    moved = of_postings(room)
    assert {name: total[name] for name in COUNTED.values()} == {name: moved[why] for why, name in COUNTED.items()}  # type: ignore[literal-required]
    paid = sum(result.get("commission", 0) for one in room.payloads for result in one["body"].get("results", ()))
    bankers = sum(one["body"]["banker"]["commission"] for one in room.payloads if "banker" in one["body"])
    assert total["commission"] == paid + bankers


def test_they_are_exact_beyond_what_a_double_holds() -> None:
    room = Room("pai-gow-poker/casino")
    room.play()
    document = verify_export(room.export(), room.root.jwks(), replay=Replay(published())).document
    document["totals"]["rulesets"][0]["staked"] = 2**60 + 1
    written = report_bytes(document)
    assert b'"staked":1152921504606846977,' in written
    with pytest.raises(canonical.NotCanonical):
        canonical.dumps(document)


def test_a_report_in_pieces_is_canonical() -> None:
    room = Room("pai-gow-poker/casino")
    room.play(void=True)
    document = verify_export(room.export(), room.root.jwks(), replay=Replay(published())).document
    assert report_bytes(document) == canonical.dumps(document) + b"\n"
    assert len(list(report_pieces(document))) > 50
