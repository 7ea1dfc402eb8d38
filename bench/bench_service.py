"""A settlement through its Lambda handler, the store apart, and the audit of an export."""

from __future__ import annotations

import importlib.util
import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from measure import Row, calling, measure

from cardroom.adapters import environment
from cardroom.adapters.clock import SystemClock
from cardroom.adapters.key_files import KeyFileMaster, KeyFileRoot
from cardroom.audit.export import ExportHeader, export_lines
from cardroom.services.catalogue import published
from cardroom.services.play import deal_round, open_round, settle_round
from cardroom.services.ports import Entry, Head, Ports, RoundState
from cardroom.signing.certificate import EphemeralSigner, RootVerifier
from cardroom.wire.requests import requests_of
from cardroom_desk.exports.verify import verified
from cardroom_desk.local.api import Context

ROOT = Path(__file__).resolve().parents[1]
RULESET = "fortune-pai-gow/florida-2017"
BETTORS = ("ann", "bob", "cyd", "dan", "eve", "fay", "gus")
BANKER = 4
OPERATOR, TABLE = "demo", "t1"
SETS = [{"seat": seat, "how": "house_way"} for seat in range(1, 8)]
ROUNDS_AUDITED = 8


def run() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        ports, ledger = _house(Path(folder))
        dealt = [_play(ports, number) for number in range(ROUNDS_AUDITED)]
        yield from _settlement(ports, dealt[-1])
        yield from _audit(ports, ledger.records, ROUNDS_AUDITED * 3)


def _settlement(ports: Ports, dealt: str) -> Iterator[Row]:
    """The event of a settlement whose record is handed back; whatever it writes is taken and forgotten."""
    event = json.loads((ROOT / "events" / "settle_round" / "settlement.json").read_text())
    event["body"] = json.dumps({"sets": SETS, "dealt": dealt})
    event["pathParameters"] = {"round_id": _round_id(ROUNDS_AUDITED - 1)}
    event["path"] = f"/v1/rounds/{_round_id(ROUNDS_AUDITED - 1)}/settlement"
    context = Context(function_name="settle_round", aws_request_id="bench", invoked_function_arn="arn:bench")
    environment.provide(ports=replace(ports, ledger=_Forgetful()), catalogue=ports.catalogue)
    handler, empty = _handler("settle_round"), _empty_handler()
    for handle in (handler, empty):
        answer = handle(event, context)
        if answer["statusCode"] != 200:
            raise RuntimeError(answer["body"])
    took = measure(
        {
            "an empty handler": calling(lambda: empty(event, context), 10),
            "settlement": calling(lambda: handler(event, context), 5),
        },
        rounds=40,
    )
    environment.forget()
    yield took.row("warm handler, settlement of 12 wagers", "settlement", "an empty handler", most_us=3_000)


def _audit(ports: Ports, records: list[str], count: int) -> Iterator[Row]:
    """All that `cardroom verify` does with an export, a record, beside one bare signature check for each record."""
    header = ExportHeader(operator=OPERATOR, table_id=TABLE)
    export = [line.encode() for line in export_lines(records, signer=ports.signer, clock=ports.clock, header=header)]
    roots = ports.signer.roots()
    report = verified(export, roots)
    if not report.ok or report.records != count:
        raise RuntimeError(f"the export does not hold: {report}")
    private = ec.generate_private_key(ec.SECP256R1())
    data, algorithm = b"a record" * 500, ec.ECDSA(hashes.SHA256())
    signature, public = private.sign(data, algorithm), private.public_key()

    def audit() -> float:
        return whole() / count

    whole = calling(lambda: verified(export, roots), 1)
    checks = calling(lambda: public.verify(signature, data, algorithm), 200)
    took = measure({"a signature check": checks, "audit": audit}, rounds=30)
    yield took.row("audit, a record, replayed", "audit", "a signature check", most_ratio=4)


class _Ledger:
    """A ledger in memory: as much of one as playing in turn asks for."""

    def __init__(self) -> None:
        self.records: list[str] = []
        self._head: Head | None = None
        self._states: dict[str, RoundState] = {}

    def head(self, _operator: str, _table_id: str) -> Head | None:
        return self._head

    def round_state(self, _operator: str, round_id: str) -> RoundState | None:
        return self._states.get(round_id)

    def append(self, entry: Entry) -> None:
        self.records.append(entry.jws)
        self._head = entry.head
        self._states[entry.round_id] = entry.new_state


class _Forgetful(_Ledger):
    def append(self, entry: Entry) -> None:
        pass


def _house(folder: Path) -> tuple[Ports, _Ledger]:
    root, clock, ledger = KeyFileRoot(folder), SystemClock(), _Ledger()
    ports = Ports(
        catalogue=published(),
        ledger=ledger,  # type: ignore[arg-type]
        signer=EphemeralSigner(root=root, audience="bench"),
        verifier=RootVerifier(root.jwks(), audience="bench"),
        master=KeyFileMaster(folder, epoch="1"),
        clock=clock,
        entropy=environment.entropy(),
        engine=environment.engine(),
    )
    return ports, ledger


def _round_id(number: int) -> str:
    return f"r{number}"


def _play(ports: Ports, number: int) -> str:
    """One round of seven seats, back-line and bonuses; returns the record of its deal."""
    names = {"operator": OPERATOR, "round_id": _round_id(number)}
    opening = {
        "round_id": _round_id(number),
        "table_id": TABLE,
        "ruleset": RULESET,
        "currency": "USD",
        "seats": [{"seat": seat, "bettor": bettor} for seat, bettor in enumerate(BETTORS, start=1)],
        "banker": {"seat": BANKER, "bettor": BETTORS[BANKER - 1], "others_passed": True},
        "limits": {"minimum": 2_500, "maximum": 1_000_000},
        "fees": {"banker": [{"low": 0, "fee": 1_500}]},
        "source": "shuffle",
    }
    requests = requests_of(ports.catalogue)
    opened = open_round(ports, requests.open.parse(opening).request, **names)
    dealing = requests.deal.parse({"wagers": _wagers(), "banker_wager": 3_000_000, "cut": 20, "opened": opened.record})
    dealt = deal_round(ports, dealing.request, opened=dealing.call["opened"], **names)
    settling = requests.settle.parse({"sets": SETS, "dealt": dealt.record})
    settle_round(ports, settling.request, dealt=settling.call["dealt"], **names)
    return dealt.record


def _wagers() -> list[dict[str, Any]]:
    """A main wager on each hand, a back-line one on two of them, and four bonuses."""
    main = [(seat, bettor, 1, "main", 500_000) for seat, bettor in enumerate(BETTORS, start=1) if seat != BANKER]
    back = [(2, "hal", 2, "main", 400_000), (5, "ida", 2, "main", 300_000)]
    bonus = [(seat, bettor, circle, "fortune", 2_500) for seat, bettor, circle, *_ in (*main[:2], *back)]
    return [
        {"wager_id": f"{b}-{kind}", "seat": seat, "bettor": b, "circle": circle, "kind": kind, "amount": amount}
        for seat, b, circle, kind, amount in (*main, *back, *bonus)
    ]


def _handler(function: str) -> Callable[..., dict[str, Any]]:
    spec = importlib.util.spec_from_file_location(function, ROOT / "functions" / function / f"{function}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.handler


def _empty_handler() -> Callable[..., dict[str, Any]]:
    """The floor: what the resolver of powertools takes for itself."""
    app = APIGatewayRestResolver()

    @app.post("/v1/rounds/<round_id>/settlement")
    def nothing(round_id: str) -> Response[str]:  # noqa: ARG001
        return Response(status_code=200, content_type="application/json", body="{}")

    return app.resolve
