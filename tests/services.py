"""The writing services on a ledger of the test's own, and the calls of one round."""

from __future__ import annotations

import os
from pathlib import Path

from cardroom.adapters.clock import SystemClock
from cardroom.adapters.key_files import KeyFileMaster, KeyFileRoot
from cardroom.services.catalogue import published
from cardroom.services.play import deal_round, open_round, settle_round, void_round
from cardroom.services.ports import Clock, Ledger, Master, Ports
from cardroom.services.writing import Answer
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


def settle(ports: Ports, dealt: str | None = None) -> Answer:
    return settle_round(ports, settling(), operator=OPERATOR, round_id="r1", dealt=dealt)


def void(ports: Ports, round_id: str = "r1") -> Answer:
    return void_round(ports, {"table_id": "t1", "reason": "other"}, operator=OPERATOR, round_id=round_id)
