"""Records of a round as they are kept: read back and verified, written after the table's head, answered from again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cardroom.refusals import FieldFault, Refusal
from cardroom.rounds.record import RECORD_VERSION, Step, differences, payload_of, record_sha256
from cardroom.rounds.steps import Call
from cardroom.services.ports import Entry, Head, LedgerDamaged, Ports, RoundState
from cardroom.shapes.parts import GameJson
from cardroom.shapes.records import Record
from cardroom.signing.certificate import CertificateExpired, CertificateForeign, KeysUnavailable
from cardroom.signing.signature import RecordFault, check_version

FIELDS_NAMED: Final = 20


class RoundChanged(Refusal):
    """The operation was carried out before with another request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The record that answers a call; `replayed` if an earlier call wrote it."""

    record: str
    payload: Record
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Previous:
    """A verified record that the next step of its round builds on."""

    record: str
    payload: Record

    @property
    def head(self) -> Head:
        """The table's head, as long as no other record came after this one."""
        payload = self.payload
        return Head(
            seq=payload["seq"],
            sha256=record_sha256(self.record),
            at=payload["at"],
            table_after=payload["table_after"],
        )

    @property
    def state(self) -> RoundState:
        """The round's state, as this record left it."""
        seqs = {self.payload["kind"]: self.payload["seq"]}
        body = self.payload["body"]
        if self.payload["kind"] in ("dealt", "set"):
            seqs["opened"] = body["opened"]["seq"]
        if self.payload["kind"] == "set":
            seqs["dealt"] = body["dealt"]["seq"]
        return RoundState(table_id=self.payload["table_id"], state=self.payload["kind"], seqs=seqs)


def read(ports: Ports, *, operator: str, state: RoundState, kind: str, term: bool = False) -> Previous:
    """One of the round's records from the ledger, verified; its certificate's term only if `term` says so.

    So a round whose record a wrong clock dated can still be read, and voided. Raises KeysUnavailable where the root
    that stands behind the record is gone, LedgerDamaged where the record is not genuine.
    """
    seq = state.seqs[kind]
    record = ports.ledger.record(operator, state.table_id, seq)
    try:
        payload = ports.verifier.verify(record, term=term)
        check_version(payload, RECORD_VERSION)
        return Previous(record=record, payload=payload)
    except CertificateExpired:
        raise
    except CertificateForeign as fault:
        raise KeysUnavailable(
            f"record {seq} of table {state.table_id} is signed under a root key that this service has not ({fault}): "
            "give it that key back",
            lost=True,
        ) from fault
    except RecordFault as fault:
        raise LedgerDamaged(f"record {seq} of table {state.table_id} is not genuine: {fault} ({fault.code})") from fault


def append(
    ports: Ports,
    call: Call,
    made: Step,
    *,
    head: Head | None,
    before: RoundState | None,
    correction: tuple[str, str] | None = None,
) -> Answer:
    """Number, date, sign and write a record after the table's head (None: the table's first), and move its round on.

    `correction` is the id of a correction, and that under which it has a state of its own: it leaves the round where it
    is. The order of a table's records is that of their numbers; its time is what this host's clock says.
    """
    seq, prev, at = 1, None, ports.clock.now()
    if head is not None:
        seq, prev = head.seq + 1, head.sha256
    payload = payload_of(
        made,
        engine=ports.engine,
        operator=call.operator,
        table_id=call.table_id,
        round_id=call.round_id,
        seq=seq,
        prev=prev,
        at=at,
    )
    record = ports.signer.sign(payload)
    name, state, own = made.kind, made.kind, None
    if correction is not None and before is not None:
        name, state = f"{made.kind}:{correction[0]}", before.state
        own = correction[1], RoundState(table_id=call.table_id, state=made.kind, seqs={made.kind: seq})
    ports.ledger.append(
        Entry(
            operator=call.operator,
            table_id=call.table_id,
            round_id=call.round_id,
            jws=record,
            head=Head(seq=seq, sha256=record_sha256(record), at=at, table_after=made.table_after),
            expected_head=prev,
            expected_state=before,
            new_state=RoundState(
                table_id=call.table_id, state=state, seqs={**(before.seqs if before else {}), name: seq}
            ),
            own=own,
        )
    )
    return Answer(record=record, payload=payload)


def replay(ports: Ports, operator: str, kind: str, request: GameJson, state: RoundState) -> Answer:
    """Answer from the record of the time that a call was carried out. Raises RoundChanged for another request."""
    stored = read(ports, operator=operator, state=state, kind=kind)
    changed = [path for path, _, _ in differences(stored.payload["request"], request)]
    if changed:
        named = ", ".join(changed[:FIELDS_NAMED])
        raise RoundChanged(
            f"round {stored.payload['round_id']} was {kind} before with another request; it differs in {named}",
            *(FieldFault(path, f"differs from the {kind} record") for path in changed[:FIELDS_NAMED]),
        )
    return Answer(record=stored.record, payload=stored.payload, replayed=True)
