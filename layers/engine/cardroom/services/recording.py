"""How every writing service works: verify what was handed back, compute, write once, answer from the record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cardroom import __version__
from cardroom.audit import RecordFault
from cardroom.audit.certificate import CertificateExpired, CertificateForeign, KeysUnavailable
from cardroom.refusals import FieldFault, Refusal
from cardroom.rounds import NEW_TABLE, Step, differences, payload_of, record_sha256, shuffled_body
from cardroom.services.ports import (
    Clock,
    Entropy,
    Entry,
    Head,
    HeadMoved,
    Json,
    Ledger,
    LedgerDamaged,
    Master,
    RoundState,
    Signer,
    StateMoved,
    Verifier,
)
from cardroom.shuffle import commitment, server_seed

ATTEMPTS: Final = 6
FIELDS_NAMED: Final = 20
SALT_BYTES: Final = 16


class RoundUnknown(Refusal):
    """The operator has no round of that id."""


class RoundNotDealt(Refusal):
    """The round is opened but not dealt yet."""


class RoundSettled(Refusal):
    """The round is settled already, which is final."""


class RoundVoided(Refusal):
    """The round was voided, which is final."""


class RoundChanged(Refusal):
    """The operation was carried out before with another request."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What the services work with: the ledger, the keys, the clock."""

    ledger: Ledger
    signer: Signer
    verifier: Verifier
    master: Master
    clock: Clock
    entropy: Entropy


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The record that answers a call; `replayed` if an earlier call wrote it."""

    record: str
    payload: Json
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Previous:
    """A verified record that the next step of its round builds on."""

    record: str
    payload: Json

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
        if self.payload["kind"] == "dealt":
            seqs["opened"] = self.payload["body"]["opened"]["seq"]
        return RoundState(table_id=self.payload["table_id"], state=self.payload["kind"], seqs=seqs)


def take_back(house: House, record: str, *, kind: str, operator: str, round_id: str) -> Previous:
    """A record that the caller hands back in the field named by its kind, verified.

    Raises RecordInvalid, RecordForeign or RecordMisplaced, in this order.
    """
    try:
        payload = house.verifier.verify(record)
    except RecordFault as fault:
        message = f"must be a record as this service answered it ({fault.code}: {fault})"
        raise RecordInvalid(f"the record in `{kind}` is not genuine: {fault}", FieldFault(kind, message)) from fault
    if payload["operator"] != operator:
        raise RecordForeign(
            f"the record in `{kind}` is another operator's", FieldFault(kind, "must be a record of your own")
        )
    if payload["kind"] != kind or payload["round_id"] != round_id:
        raise RecordMisplaced(
            f"the record in `{kind}` is the {payload['kind']} record of round {payload['round_id']}",
            FieldFault(kind, f"must be the {kind} record of round {round_id}"),
        )
    return Previous(record=record, payload=payload)


def continue_round(
    house: House,
    *,
    operator: str,
    round_id: str,
    kind: str,
    needs: str,
    request: Json,
    handed: str | None,
    step: Callable[[Previous, Json], Step],
) -> Answer:
    """Carry out the next operation on a round, once for ever.

    `step` makes the record's content from the previous record (`needs`) and the table as it stands. A record that
    was handed back (`handed`) is taken to be the table's head, so that the first attempt reads nothing.
    """
    back = None if handed is None else take_back(house, handed, kind=needs, operator=operator, round_id=round_id)

    def attempt(number: int) -> Answer:
        previous, head = back, None
        if previous is None or number > 0:
            previous = load(house, operator=operator, round_id=round_id, needs=needs)
            if back is not None and back.record != previous.record:
                raise RecordStale(
                    f"the {needs} record handed back is not the one that table {previous.payload['table_id']} holds"
                )
        if number > 0:
            head = _live_head(house, previous)
        head = head or previous.head
        return append(
            house,
            step(previous, head.table_after),
            operator=operator,
            table_id=previous.payload["table_id"],
            round_id=round_id,
            head=head,
            state=previous.state,
        )

    return once(house, operator=operator, round_id=round_id, kind=kind, request=request, attempt=attempt)


def once(
    house: House, *, operator: str, round_id: str, kind: str, request: Json, attempt: Callable[[int], Answer]
) -> Answer:
    """Carry out an operation, or answer from the record of the time it was carried out.

    Whatever goes wrong, the round's state is looked at before the caller hears of it. Raises RoundChanged for a
    retry with another request, TableBusy after a few lost races, or what `attempt` refuses.
    """
    for number in range(ATTEMPTS):
        try:
            return attempt(number)
        except StateMoved as moved:
            state = moved.state
        except HeadMoved:
            house.clock.pause(number)
            state = house.ledger.round_state(operator, round_id)
        except Refusal:
            state = house.ledger.round_state(operator, round_id)
            if state is None or kind not in state.seqs:
                raise
        if state is not None and kind in state.seqs:
            return _replay(house, operator=operator, state=state, kind=kind, request=request)
    raise TableBusy(f"{ATTEMPTS} attempts to write the {kind} record of round {round_id} lost a race: try again")


def append(
    house: House,
    step: Step,
    *,
    operator: str,
    table_id: str,
    round_id: str,
    head: Head | None,
    state: RoundState | None,
) -> Answer:
    """Number, date, sign and write a record after `head` (None: the table's first).

    The order of a table's records is that of their numbers; its time is what this host's clock says.
    """
    seq, prev, at = 1, None, house.clock.now()
    if head is not None:
        seq, prev = head.seq + 1, head.sha256
    payload = payload_of(
        step, engine=__version__, operator=operator, table_id=table_id, round_id=round_id, seq=seq, prev=prev, at=at
    )
    record = house.signer.sign(payload)
    house.ledger.append(
        Entry(
            operator=operator,
            table_id=table_id,
            round_id=round_id,
            jws=record,
            head=Head(seq=seq, sha256=record_sha256(record), at=at, table_after=step.table_after),
            expected_head=prev,
            expected_state=state,
            new_state=RoundState(
                table_id=table_id, state=step.kind, seqs={**(state.seqs if state else {}), step.kind: seq}
            ),
        )
    )
    return Answer(record=record, payload=payload)


def load(house: House, *, operator: str, round_id: str, needs: str) -> Previous:
    """The round's last record from the ledger, which must be of kind `needs`.

    Raises RoundUnknown, RoundNotDealt, RoundSettled, RoundVoided or RecordExpired.
    """
    state = house.ledger.round_state(operator, round_id)
    if state is None:
        raise RoundUnknown(f"no round {round_id}: open it first")
    if state.state != needs:
        raise wrong_state(round_id, state)
    try:
        return read(house, operator=operator, state=state, kind=needs, term=True)
    except CertificateExpired as fault:
        raise RecordExpired(f"the {needs} record of round {round_id} cannot be verified ({fault}): void it") from fault


def read(house: House, *, operator: str, state: RoundState, kind: str, term: bool = False) -> Previous:
    """One of the round's records from the ledger, verified; its certificate's term only if `term` says so.

    So a round whose record a wrong clock dated can still be read, and voided. Raises KeysUnavailable where the root
    that stands behind the record is gone, LedgerDamaged where the record is not genuine.
    """
    seq = state.seqs[kind]
    record = house.ledger.record(operator, state.table_id, seq)
    try:
        return Previous(record=record, payload=house.verifier.verify(record, term=term))
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


def wrong_state(round_id: str, state: RoundState) -> Refusal:
    """The refusal of an operation that the round's state does not allow."""
    match state.state:
        case "voided":
            return RoundVoided(f"round {round_id} was voided: open a new round under another id")
        case "settled":
            return RoundSettled(f"round {round_id} is settled, which is final")
        case _:
            return RoundNotDealt(f"round {round_id} is {state.state}: deal it first")


def seed_of(house: House, terms: Json) -> bytes | None:
    """The server seed of a round or a shoe by its opened terms; None at a physical table (DESIGN section 4).

    Raises KeysUnavailable where the master secret cannot be had, or is not the one that was committed with: no card
    comes from another seed than the one promised.
    """
    body = terms["body"]
    if not body:
        return None
    seed = server_seed(
        house.master.secret(body["epoch"]),
        operator=terms["operator"],
        table_id=terms["table_id"],
        round_id=terms["round_id"],
        salt=body["salt"],
    )
    if commitment(seed) != body["commitment"]:
        raise KeysUnavailable(
            f"the master secret of epoch {body['epoch']} is not the one that {terms['round_id']} was committed with: "
            "give this service that one back",
            lost=True,
        )
    return seed


def seed_to_reveal(house: House, terms: Json) -> bytes | None:
    """The seed of what ends without another card, None too if it is lost for good, so that no table is stuck.

    Raises KeysUnavailable where the keys are only out of reach for now: what can still be proved must be.
    """
    try:
        return seed_of(house, terms)
    except KeysUnavailable as unavailable:
        if not unavailable.lost:
            raise
        return None


def commit(house: House, *, operator: str, table_id: str, round_id: str) -> tuple[Json, bytes]:
    """A fresh commitment for what is opened under an id: the record's body, and the seed it commits to."""
    salt, epoch = house.entropy(SALT_BYTES).hex(), house.master.epoch
    seed = server_seed(house.master.secret(epoch), operator=operator, table_id=table_id, round_id=round_id, salt=salt)
    return shuffled_body(server_seed=seed, salt=salt, epoch=epoch), seed


def table_now(head: Head | None) -> Json:
    """The table as its last record left it; a new one has no record yet."""
    return dict(NEW_TABLE) if head is None else head.table_after


def _live_head(house: House, previous: Previous) -> Head:
    """The table's head when records of other rounds (tombstones) came after the live round's last one."""
    payload = previous.payload
    head = house.ledger.head(payload["operator"], payload["table_id"])
    if head is None or head.table_after["live"] != payload["table_after"]["live"]:
        raise HeadMoved
    return head


def _replay(house: House, *, operator: str, state: RoundState, kind: str, request: Json) -> Answer:
    stored = read(house, operator=operator, state=state, kind=kind)
    changed = [path for path, _, _ in differences(stored.payload["request"], request)]
    if changed:
        named = ", ".join(changed[:FIELDS_NAMED])
        raise RoundChanged(
            f"round {stored.payload['round_id']} was {kind} before with another request; it differs in {named}",
            *(FieldFault(path, f"differs from the {kind} record") for path in changed[:FIELDS_NAMED]),
        )
    return Answer(record=stored.record, payload=stored.payload, replayed=True)
