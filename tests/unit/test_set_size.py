"""The record of sets fits where records are kept, with as many wagers and as long ids as there may be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cardroom.adapters.clock import SystemClock
from cardroom.adapters.key_files import KeyFileRoot
from cardroom.services.catalogue import published
from cardroom.signing.certificate import EphemeralSigner
from tests import kit

Json = dict[str, Any]

DYNAMODB_ITEM = 400_000  # bytes, by its documentation 400 KB; names and keys count too
LONG = "x" * 60


def name(*parts: int) -> str:
    told = "-".join(map(str, parts))
    return (told + LONG)[:64]


def most() -> kit.Table:
    """A round with 200 main wagers by bettors with the longest ids, each with a fee and a free collection."""
    ruleset = published().ruleset("california-baccarat/redding-1995")
    table = kit.Table(ruleset, table_id=name(1))
    seats = [{"seat": seat, "bettor": name(0, seat)} for seat in range(1, 8)]
    bets = [(seat, circle) for seat in range(2, 8) for circle in range(1, 35)][:200]
    held = []
    wagers: list[Json] = []
    for number, (seat, circle) in enumerate(bets):
        bettor = name(0, seat) if circle == 1 else name(9, seat, circle)
        free = {"round_id": name(7, number), "wager_id": name(8, number)}
        held.append({**free, "bettor": bettor, "game": "california-baccarat", "hand_no": 1})
        wagers.append(
            {
                "wager_id": name(5, number), "seat": seat, "bettor": bettor, "circle": circle, "kind": "main",
                "amount": 10**12, "free_collection": free,
            }
        )  # fmt: skip
    table.state = {**table.state, "free_collections": held, "hand_no": 1}
    table.call("shoe_opened", f"shoe:{name(2)}", {"table_id": name(1), "ruleset": ruleset.id})
    bands = [{"low": low * 10**11, "high": (low + 1) * 10**11, "fee": 10**9} for low in range(99)]
    fees = {side: [*bands, {"low": 99 * 10**11, "fee": 10**9}] for side in ("wager", "banker")}
    opening = {
        "table_id": name(1), "ruleset": ruleset.id, "currency": "USD", "seats": seats, "source": "shuffle",
        "banker": {"seat": 1, "bettor": name(0, 1)}, "fees": fees, "shoe_id": name(2),
    }  # fmt: skip
    table.call("opened", name(3), opening)
    wagers.sort(key=lambda wager: wager["wager_id"])
    request = {"wagers": wagers, "banker_wager": 10**14, "client_seed": "ab" * 64, "cut": 9}
    table.call("dealt", name(3), request)
    sets = [{"seat": seat, "how": "box", "box": "hit"} for seat in range(2, 8)]
    misplayed = [{"seat": seat, "how": "changed_box"} for seat in range(2, 8)]
    table.call("set", name(3), {"sets": sets, "misplayed": misplayed})
    return table


def test_with_200_wagers_and_the_longest_ids_it_fits(tmp_path: Path) -> None:
    signer, at = EphemeralSigner(root=KeyFileRoot(tmp_path), audience="x" * 200), SystemClock().now()
    sizes = {}
    for payload in most().payloads:
        if payload["kind"] == "dealt":
            assert len(payload["request"]["wagers"]) == len(payload["body"]["fees"]) - 1 == 200
        sizes[payload["kind"]] = len(signer.sign({**payload, "operator": name(4), "at": at}))  # type: ignore[typeddict-item]
    assert sizes["set"] < DYNAMODB_ITEM - 2_000, sizes
    assert sizes["dealt"] < DYNAMODB_ITEM - 2_000, sizes
