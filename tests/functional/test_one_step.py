"""One change in the step: all who make records make them so, and an audit finds the old ones wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cardroom.adapters.sqlite import SqliteLedger
from cardroom.audit.export import ExportHeader, export_lines
from cardroom.audit.finding import Finding
from cardroom.audit.replay import Replay
from cardroom.audit.verify import verify_export
from cardroom.rounds import kinds, life
from cardroom.rounds.steps import Kind
from cardroom.services.catalogue import published
from cardroom.services.ports import Ports
from cardroom_desk.players import Habits
from cardroom_desk.playthrough.simulation import SimulatedClock, play, simulated_table
from tests import kit
from tests.functional.caller import dealing, opening, settling
from tests.services import OPERATOR, deal, open_, ports_on, settle

Json = dict[str, Any]

BICYCLE = published().ruleset("pai-gow-poker/bicycle")


def by_a_service(ports: Ports) -> Json:
    open_(ports)
    deal(ports)
    return settle(ports).payload


def by_a_simulation() -> Json:
    class Unsigned:
        def sign(self, payload: Json) -> str:
            return f"{payload['table_id']}.{payload['seq']}"

    records = simulated_table("t1", signer=Unsigned(), clock=SimulatedClock(), seed="1")
    for _ in play(records, BICYCLE, random=Random(1), count=1, habits=Habits(void=0, physical=0)):
        pass
    assert records.last is not None
    return records.last


def by_the_kit() -> Json:
    table = kit.Table(BICYCLE)
    request = opening()
    del request["round_id"]
    table.call("opened", "r1", request)
    table.call("dealt", "r1", {**dealing(), "wagers": sorted(dealing()["wagers"], key=lambda one: one["wager_id"])})
    return table.call("settled", "r1", settling())


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[Ports]:
    with closing(SqliteLedger(tmp_path / "ledger.sqlite")) as ledger:
        yield ports_on(ledger, tmp_path)


def found_in_what_was_written(ports: Ports) -> list[Finding]:
    """What an audit says of the service's records, shapes apart."""
    records = ports.ledger.records(OPERATOR, "t1", after=0, limit=10)
    lines = export_lines(
        records,
        signer=ports.signer,  # type: ignore[arg-type]
        clock=ports.clock,
        header=ExportHeader(operator=OPERATOR, table_id="t1"),
    )
    replay = Replay(ports.catalogue)
    return list(verify_export((line.encode() for line in lines), ports.signer.roots(), replay=replay).findings)


def counts_two(kind: Kind) -> Kind:
    def leaves(call: Any, before: Any, body: Json) -> Json:
        left = kind.leaves(call, before, body)
        return {**left, "hand_no": left["hand_no"] + 1}

    return replace(kind, leaves=leaves)


def says_more(kind: Kind) -> Kind:
    def body(call: Any, before: Any, secrets: Any) -> Json:
        return {**kind.body(call, before, secrets), "planted": 1}

    return replace(kind, body=body)


@pytest.mark.parametrize(
    ("planted", "seen", "code", "field"),
    [
        (
            counts_two,
            lambda payload: payload["table_after"]["hand_no"] == 2,
            "table-after-wrong",
            "table_after.hand_no",
        ),
        (says_more, lambda payload: "planted" in payload["body"], "payout-wrong", "body.planted"),
    ],
    ids=["leaves", "body"],
)
def test_a_change_in_the_step_is_seen_everywhere(
    planted: Callable[[Kind], Kind],
    seen: Callable[[Json], bool],
    code: str,
    field: str,
    ports: Ports,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest = by_a_service(ports)
    assert found_in_what_was_written(ports) == []
    assert not any(map(seen, (honest, by_a_simulation(), by_the_kit())))

    monkeypatch.setitem(kinds.KINDS, "settled", planted(life.SETTLED))

    with closing(SqliteLedger(tmp_path / "other.sqlite")) as ledger:
        again = replace(ports, ledger=ledger)
        assert seen(by_a_service(again))
        assert found_in_what_was_written(again) == []  # who replays plays as those who write
    assert seen(by_a_simulation())
    assert seen(by_the_kit())
    (found,) = found_in_what_was_written(ports)
    assert (found.seq, found.code, found.field) == (honest["seq"], code, field)
