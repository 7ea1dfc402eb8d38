"""How every writing call works: read the state, judge it, make the step, write once, answer from the record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from cardroom.game import Ruleset
from cardroom.refusals import FieldFault, Refusal
from cardroom.rounds.record import RECORD_VERSION
from cardroom.rounds.shoes import shoe_id_of
from cardroom.rounds.steps import NEW_TABLE, Before, Call, Kind, Last, step
from cardroom.services.ports import (
    Head,
    HeadMoved,
    Ports,
    RoundState,
    StateMoved,
)
from cardroom.services.recorded import Answer, Previous, append, read, replay
from cardroom.services.seeds import MasterSecrets
from cardroom.shapes.parts import GameJson, TableState
from cardroom.signing.certificate import CertificateExpired
from cardroom.signing.signature import RecordFault, check_version

ATTEMPTS: Final = 6


class RoundUnknown(Refusal):
    """The operator has no round of that id."""


class ShoeUnknown(Refusal):
    """The operator has no shoe of that id."""


class RoundNotDealt(Refusal):
    """The round is opened but not dealt yet."""


class RoundNotSettled(Refusal):
    """The round is not settled yet: a correction before that is one of its deal."""


class RoundSettled(Refusal):
    """The round is settled already, which is final."""


class RoundVoided(Refusal):
    """The round was voided, which is final."""


class TableDiffers(Refusal):
    """The round belongs to another table than the one named."""


class TableBusy(Refusal):
    """Too many writes to one table at once."""


class RecordInvalid(Refusal):
    """A record handed back is not a genuine record of this deployment."""


class RecordForeign(Refusal):
    """A record handed back belongs to another operator."""


class RecordMisplaced(Refusal):
    """A record handed back is of another round, or of another kind than the call takes."""


class RecordStale(Refusal):
    """A record handed back is not the one that the table's chain holds."""


class RecordExpired(Refusal):
    """The round's stored record states a time outside its certificate's term, so that nobody can verify it."""


class Handed(NamedTuple):
    """A record that is handed back, and of which kind it is said to be."""

    kind: str
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A writing call: the kind of record it asks for, whose, under which id, with what request in its normal form.

    `handed` is the round's last record, if it is handed back.
    """

    kind: str
    operator: str
    round_id: str
    request: GameJson
    handed: Handed | None = None

    @property
    def table_id(self) -> str | None:
        """The table that the request names; None where the round's last record tells it."""
        return self.request.get("table_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Where a call finds its table and its round: what the write builds on, and what must still be true for it."""

    table_id: str
    head: Head | None
    state: RoundState | None
    previous: Previous | None


def write(ports: Ports, asked: Asked) -> Answer:
    """Carry out a call once for ever, or answer from the record of the time it was carried out.

    A record that was handed back is taken to be the table's head, so that the first attempt reads nothing. One that is
    none of ours is refused at once; before any other refusal the round's state is looked at, and what is wrong with
    that is told first. Raises RoundChanged for a retry with another request, TableBusy after a few lost races, or what
    `_find` and the step refuse.
    """
    operator, round_id, kind = asked.operator, asked.round_id, asked.kind
    back = None if asked.handed is None else _take_back(ports, asked, asked.handed)
    for number in range(ATTEMPTS):
        try:
            return _attempt(ports, asked, _find(ports, asked, back, number))
        except StateMoved as moved:
            state = moved.state
        except HeadMoved:
            ports.clock.pause(number)
            state = ports.ledger.round_state(operator, round_id)
        except Refusal:
            state = ports.ledger.round_state(operator, round_id)
            if state is None or kind not in state.seqs:
                _previous(ports, asked, state, back)
                raise
        if state is not None and kind in state.seqs:
            return replay(ports, operator, kind, asked.request, state)
    raise TableBusy(f"{ATTEMPTS} attempts to write the {kind} record of round {round_id} lost a race: try again")


def _attempt(ports: Ports, asked: Asked, found: _Found) -> Answer:
    call = Call(
        kind=asked.kind,
        operator=asked.operator,
        table_id=found.table_id,
        round_id=asked.round_id,
        request=asked.request,
    )
    last = None if found.previous is None else Last(found.previous.payload, found.previous.head.sha256)
    table = NEW_TABLE.copy() if found.head is None else found.head.table_after
    before = _before(ports, asked, table, last)
    kind = ports.catalogue.kinds[call.kind]
    kind.names(call)
    made = step(ports.catalogue.kinds, call, before, MasterSecrets(ports))
    kind.asks(call, before)
    return append(ports, call, made, head=found.head, before=found.state)


def _before(ports: Ports, asked: Asked, table: TableState, last: Last | None) -> Before:
    ruleset = _ruleset(ports, asked, last)
    if ruleset is None:
        return Before(table=table, last=last, ruleset=None, reasons=ports.catalogue.void_reasons)
    return Before(table=table, last=last, ruleset=ruleset)


def _ruleset(ports: Ports, asked: Asked, last: Last | None) -> Ruleset | None:
    """The rule set that the round goes by, or the one that the request names; None for a round that nobody knows."""
    if last is not None:
        reference = last.payload["ruleset"]
        return None if reference is None else ports.catalogue.pinned(reference)
    named = asked.request.get("ruleset")
    return None if named is None else ports.catalogue.ruleset(named)


# What is there


def _find(ports: Ports, asked: Asked, back: Previous | None, number: int) -> _Found:
    """The table and the round as an attempt finds them.

    The first attempt at what begins something leaves it to the write to find what is there already. Raises
    RoundUnknown and its kin, TableDiffers, RecordExpired, RecordStale, or HeadMoved.
    """
    kind = ports.catalogue.kinds[asked.kind]
    if back is not None and number == 0:
        return _Found(table_id=back.payload["table_id"], head=back.head, state=back.state, previous=back)
    state, previous = None, None
    if number or kind.follows != (None,):
        state = ports.ledger.round_state(asked.operator, asked.round_id)
        previous = _previous(ports, asked, state, back)
    table_id = state.table_id if state is not None else asked.table_id
    if table_id is None:
        raise ValueError(f"a {asked.kind} record that begins something names its table")
    if previous is not None and kind.of_round and number == 0:
        return _Found(table_id=table_id, head=previous.head, state=state, previous=previous)
    head = ports.ledger.head(asked.operator, table_id)
    # Tombstones of other rounds may have come after the live round's last record; anything else is a lost race.
    live = None if head is None else head.table_after["live"]
    if previous is not None and kind.of_round and live != previous.payload["table_after"]["live"]:
        raise HeadMoved
    return _Found(table_id=table_id, head=head, state=state, previous=previous)


def _previous(ports: Ports, asked: Asked, state: RoundState | None, back: Previous | None) -> Previous | None:
    """The round's last record by a state that allows the call. Raises what `_find` says, but for HeadMoved."""
    _judge(asked, ports.catalogue.kinds[asked.kind], state)
    if state is None:
        return None
    previous = _last(ports, asked, state)
    if back is not None and back.record != previous.record:
        raise RecordStale(
            f"the {back.payload['kind']} record handed back is not the one that table {state.table_id} holds"
        )
    return previous


def _judge(asked: Asked, kind: Kind, state: RoundState | None) -> None:
    """Refuse what the state does not allow; what was carried out before is told apart by `write`."""
    named, shoe_id = asked.round_id, shoe_id_of(asked.round_id)
    if state is None:
        if None in kind.follows:
            return
        if shoe_id is not None:
            raise ShoeUnknown(f"no shoe {shoe_id}")
        raise RoundUnknown(f"no round {named}: open it first")
    if asked.table_id not in (None, state.table_id):
        what = f"round {named}" if shoe_id is None else f"shoe {shoe_id}"
        raise TableDiffers(
            f"{what} is at table {state.table_id}, not {asked.table_id}",
            FieldFault("table_id", f"must be {state.table_id}"),
        )
    if state.state in kind.follows:
        return
    match state.state:
        case "voided":
            raise RoundVoided(f"round {named} was voided: open a new round under another id")
        case "settled":
            raise RoundSettled(f"round {named} is settled, which is final")
        case _:
            raise RoundNotDealt(f"round {named} is {state.state}: deal it first")


def _last(ports: Ports, asked: Asked, state: RoundState) -> Previous:
    """The round's last record, which its certificate must cover but for what frees a table. Raises RecordExpired."""
    term = not ports.catalogue.kinds[asked.kind].frees
    try:
        return read(ports, operator=asked.operator, state=state, kind=state.last, term=term)
    except CertificateExpired as fault:
        what = f"the {state.state} record of round {asked.round_id} cannot be verified ({fault})"
        raise RecordExpired(f"{what}: void it") from fault


def _take_back(ports: Ports, asked: Asked, handed: Handed) -> Previous:
    """A record that the caller hands back, in the field named by the kind that it must be of, verified.

    Raises RecordInvalid, RecordForeign or RecordMisplaced, in this order.
    """
    kind, record = handed
    try:
        payload = ports.verifier.verify(record)
        check_version(payload, RECORD_VERSION)
    except RecordFault as fault:
        message = f"must be a record as this service answered it ({fault.code}: {fault})"
        raise RecordInvalid(f"the record in `{kind}` is not genuine: {fault}", FieldFault(kind, message)) from fault
    if payload["operator"] != asked.operator:
        raise RecordForeign(
            f"the record in `{kind}` is another operator's", FieldFault(kind, "must be a record of your own")
        )
    if payload["kind"] != kind or payload["round_id"] != asked.round_id:
        raise RecordMisplaced(
            f"the record in `{kind}` is the {payload['kind']} record of round {payload['round_id']}",
            FieldFault(kind, f"must be the {kind} record of round {asked.round_id}"),
        )
    return Previous(record=record, payload=payload)
