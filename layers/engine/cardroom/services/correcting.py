"""Corrections: how a misread card of a physical table is put right, before the settlement of its round or after it.

A correction has a key of its own, and a state: a retry is answered from its record. One transaction writes the record,
and moves the table's head, the round's state and the correction's own. Nothing is handed back; it is asked for seldom.
"""

from __future__ import annotations

from dataclasses import dataclass

from cardroom.refusals import FieldFault
from cardroom.rounds.corrections import MOST, CorrectionElsewhere, CorrectionsSpent, basis_of, correction_round_id
from cardroom.rounds.steps import Before, Call, Last, step
from cardroom.services.ports import HeadMoved, LedgerDamaged, Ports, RoundState, StateMoved
from cardroom.services.recorded import Answer, append, read, replay
from cardroom.services.seeds import MasterSecrets
from cardroom.services.writing import (
    ATTEMPTS,
    RoundNotDealt,
    RoundNotSettled,
    RoundSettled,
    RoundUnknown,
    RoundVoided,
    TableBusy,
)
from cardroom.shapes.parts import GameJson


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    kind: str
    operator: str
    round_id: str
    request: GameJson

    @property
    def own_id(self) -> str:
        """The key of the correction's own state."""
        return correction_round_id(self.request["correction_id"])


def correct_deal(ports: Ports, request: GameJson, *, operator: str, round_id: str) -> Answer:
    """Put right cards that were misread with a deal, or with its sets, before the settlement."""
    return _correct(ports, _Asked(kind="deal_corrected", operator=operator, round_id=round_id, request=request))


def correct_settlement(ports: Ports, request: GameJson, *, operator: str, round_id: str) -> Answer:
    """Settle a round again, of which something was misread, and post what is due."""
    return _correct(ports, _Asked(kind="corrected", operator=operator, round_id=round_id, request=request))


def _correct(ports: Ports, asked: _Asked) -> Answer:
    """Carry a correction out once for ever, or answer from its record.

    Raises CorrectionElsewhere, RoundChanged, RoundUnknown and its kin, CorrectionsSpent, TableBusy, or what the step
    refuses.
    """
    for number in range(ATTEMPTS):
        own = ports.ledger.round_state(asked.operator, asked.own_id)
        if own is not None:
            return _again(ports, asked, own)
        try:
            return _attempt(ports, asked)
        except (StateMoved, HeadMoved):
            ports.clock.pause(number)
    raise TableBusy(f"{ATTEMPTS} attempts to correct round {asked.round_id} lost a race: try again")


def _again(ports: Ports, asked: _Asked, own: RoundState) -> Answer:
    """The answer from the correction's record, which must be of this kind and of this round."""
    stored = read(ports, operator=asked.operator, state=own, kind=own.last)
    if own.state != asked.kind or stored.payload["round_id"] != asked.round_id:
        message = f"must be another: it is a {own.state} record of round {stored.payload['round_id']}"
        raise CorrectionElsewhere(
            f"correction {asked.request['correction_id']} was made elsewhere", FieldFault("correction_id", message)
        )
    return replay(ports, asked.operator, asked.kind, asked.request, own)


def _attempt(ports: Ports, asked: _Asked) -> Answer:
    operator, round_id = asked.operator, asked.round_id
    state = _judged(asked, ports.ledger.round_state(operator, round_id))
    by_seq = sorted(state.seqs, key=state.seqs.__getitem__)
    last = [read(ports, operator=operator, state=state, kind=name) for name in by_seq[-2:]]
    head = ports.ledger.head(operator, state.table_id)
    if head is None:
        raise LedgerDamaged(f"table {state.table_id} has records and no head")
    records = [Last(one.payload, one.head.sha256) for one in last]
    reference = records[-1].payload["ruleset"]
    if reference is None:
        raise LedgerDamaged(f"round {round_id} goes by no rule set")
    ruleset = ports.catalogue.pinned(reference)
    call = Call(kind=asked.kind, operator=operator, table_id=state.table_id, round_id=round_id, request=asked.request)
    basis = basis_of(ruleset, records) if asked.kind == "corrected" else None
    before = Before(table=head.table_after, last=records[-1], ruleset=ruleset, basis=basis)
    made = step(ports.catalogue.kinds, call, before, MasterSecrets(ports))
    return append(ports, call, made, head=head, before=state, correction=(asked.request["correction_id"], asked.own_id))


def _judged(asked: _Asked, state: RoundState | None) -> RoundState:
    """The round's state, if it can be corrected in. Raises RoundUnknown and its kin, CorrectionsSpent."""
    named = f"round {asked.round_id}"
    if state is None:
        raise RoundUnknown(f"no {named}")
    match state.state, asked.kind:
        case "voided", _:
            raise RoundVoided(f"{named} was voided: nothing of it stands")
        case "opened", _:
            raise RoundNotDealt(f"{named} is opened: no card is told yet")
        case (("dealt" | "set"), "corrected"):
            raise RoundNotSettled(f"{named} is {state.state}: correct its deal")
        case "settled", "deal_corrected":
            raise RoundSettled(f"{named} is settled: correct the settlement")
    if sum(":" in name for name in state.seqs) >= MOST:
        raise CorrectionsSpent(f"{named} was corrected {MOST} times, which is as often as may be")
    return state
