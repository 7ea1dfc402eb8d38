"""The writing services on a ledger of the test's own, and the calls of one round."""

from __future__ import annotations

import os
from pathlib import Path

from cardroom.adapters.clock import SystemClock
from cardroom.adapters.key_files import KeyFileMaster, KeyFileRoot
from cardroom.rounds.record import record_sha256
from cardroom.services.catalogue import published
from cardroom.services.correcting import correct_deal, correct_settlement
from cardroom.services.play import deal_round, lock_sets, open_round, settle_round, void_round
from cardroom.services.ports import Clock, Ledger, Master, Ports
from cardroom.services.recorded import Answer
from cardroom.signing.certificate import EphemeralSigner, RootVerifier
from tests.functional.caller import dealing, opening, settling
from tests.kit import ENGINE

OPERATOR = "op"


def ports_on(ledger: Ledger, folder: Path, *, clock: Clock | None = None, master: Master | None = None) -> Ports:
    root = KeyFileRoot(folder)
    return Ports(
        catalogue=published(),
        ledger=ledger,
        signer=EphemeralSigner(root=root, audience="test"),
        verifier=RootVerifier(root.jwks(), audience="test"),
        master=master or KeyFileMaster(folder, epoch="1"),
        clock=clock or SystemClock(),
        entropy=os.urandom,
        engine=ENGINE,
    )


def open_(ports: Ports, round_id: str = "r1") -> Answer:
    request = {key: value for key, value in opening().items() if key != "round_id"}
    return open_round(ports, request, operator=OPERATOR, round_id=round_id)


def deal(ports: Ports, opened: str | None = None) -> Answer:
    request = dealing()
    request["wagers"].sort(key=lambda wager: wager["wager_id"])
    return deal_round(ports, request, operator=OPERATOR, round_id="r1", opened=opened)


def lock(ports: Ports, dealt: str | None = None) -> Answer:
    sets = [{"seat": seat, "how": "house_way"} for seat in (2, 3)]
    return lock_sets(ports, {"sets": sets}, operator=OPERATOR, round_id="r1", dealt=dealt)


def settle_locked(ports: Ports, locked: str | None = None) -> Answer:
    sets = [{"seat": 1, "how": "house_way"}]
    return settle_round(ports, {"sets": sets}, operator=OPERATOR, round_id="r1", locked=locked)


TRUE_HAND = {"seat": 2, "cards": ["Ks", "Kh", "2c", "3d", "5s", "7c", "9c"]}


def physical(ports: Ports) -> Answer:
    """A round dealt by hand, of which bob's hand was misread; it may be corrected after its settlement too."""
    request = {name: value for name, value in opening(source="table", correction_hands=1).items() if name != "round_id"}
    open_round(ports, request, operator=OPERATOR, round_id="r1")
    hands = [{**TRUE_HAND, "cards": [*TRUE_HAND["cards"][:6], "9h"]}]
    wagers = [{"wager_id": "w", "seat": 2, "bettor": "bob", "circle": 1, "kind": "main", "amount": 5_000}]
    told = {"wagers": wagers, "banker_wager": 20_000, "dice": [1, 2, 3], "hands": hands}
    return deal_round(ports, told, operator=OPERATOR, round_id="r1")


def correct_physical(ports: Ports, corrects: str | None = None) -> Answer:
    """Bob's hand as it lies; None: of the deal as its record has it."""
    if corrects is None:
        corrects = record_sha256(ports.ledger.record(OPERATOR, "t1", 2))
    asked = {"correction_id": "c1", "corrects": corrects, "reason": "misread_card", "by": "floor", "hands": [TRUE_HAND]}
    return correct_deal(ports, asked, operator=OPERATOR, round_id="r1")


def settle_physical(ports: Ports) -> Answer:
    sets = [{"seat": seat, "how": "house_way"} for seat in (1, 2)]
    ann = {"seat": 1, "cards": ["Ac", "Ad", "2h", "3h", "9d", "8d", "Jh"]}
    return settle_round(ports, {"sets": sets, "hands": [ann]}, operator=OPERATOR, round_id="r1")


def correct_settled(ports: Ports) -> Answer:
    """Bob's hand as it lies, after the settlement."""
    corrects = record_sha256(ports.ledger.record(OPERATOR, "t1", 3))
    asked = {"correction_id": "c1", "corrects": corrects, "reason": "misread_card", "by": "floor", "hands": [TRUE_HAND]}
    return correct_settlement(ports, asked, operator=OPERATOR, round_id="r1")


def settle(ports: Ports, dealt: str | None = None) -> Answer:
    return settle_round(ports, settling(), operator=OPERATOR, round_id="r1", dealt=dealt)


def void(ports: Ports, round_id: str = "r1") -> Answer:
    return void_round(ports, {"table_id": "t1", "reason": "other"}, operator=OPERATOR, round_id=round_id)
