"""What the services need from outside: a ledger, keys, the deployment's master secret, a clock, credentials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from cardroom.refusals import Refusal
from cardroom.services.catalogue import Catalogue
from cardroom.shapes.parts import TableState
from cardroom.shapes.records import Engine, Record, RootKey

PAGE_BYTES: Final = 4_000_000
"""A page of records ends before it grows past this."""


class StoreUnavailable(Refusal):
    """The store could not be reached or is overloaded; the same request may be sent again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where a table's chain stands: its last record's number, hash, time, and the table as it left it."""

    seq: int
    sha256: str
    at: str
    table_after: TableState


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundState:
    """How far a round has come, and where each of its records lies (`kind` -> `seq`).

    Of corrections there may be several: each lies by its kind, a colon and its id.
    """

    table_id: str
    state: str  # the kind of the last record that moved it on
    seqs: Mapping[str, int]

    @property
    def last(self) -> str:
        """The kind of its last record, by which that lies in `seqs`."""
        return max(self.seqs, key=self.seqs.__getitem__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One record to append, and what must still be true for it to be appended.

    `expected_head` is the hash of the table's last record (None: the table has none yet);
    `expected_state` is the round's state before it (None: the round must be unknown). `own` is another id that the
    record takes for good, if it has one, with the state under it; it must be unknown.
    """

    operator: str
    table_id: str
    round_id: str
    jws: str
    head: Head
    expected_head: str | None
    expected_state: RoundState | None
    new_state: RoundState
    own: tuple[str, RoundState] | None = None


class StateMoved(Exception):
    """The round is not in the expected state any more; `state` is what it is now (None: unknown)."""

    def __init__(self, state: RoundState | None) -> None:
        super().__init__(state)
        self.state = state


class HeadMoved(Exception):
    """Another record was appended to the table in the meantime; nothing was written."""


class LedgerDamaged(Exception):
    """The store holds what no ledger writes (a record beyond its table's head); a person must look."""


class Ledger(Protocol):
    """An append-only store of records. All reads are strongly consistent."""

    def head(self, operator: str, table_id: str) -> Head | None:
        """Where the table's chain stands, None if it has no record."""

    def round_state(self, operator: str, round_id: str) -> RoundState | None:
        """How far the round has come, None if it is unknown to this operator."""

    def record(self, operator: str, table_id: str, seq: int) -> str:
        """The compact JWS of one record; raises KeyError if there is none."""

    def records(self, operator: str, table_id: str, *, after: int, limit: int) -> Sequence[str]:
        """Up to `limit` records with a number above `after`, in order; fewer if they come near 4 MB in all."""

    def tables(self, operator: str) -> Sequence[str]:
        """The operator's tables, in order of id."""

    def append(self, entry: Entry) -> None:
        """Write the record, move the head and the round's state: all or nothing.

        An entry whose very record is stored already (its reply was lost) is a success and writes nothing.
        Raises StateMoved if the round is not in `expected_state`, or the entry's own id is taken (judged first),
        HeadMoved if the table's head is not `expected_head`, StoreUnavailable (retryable) if the store could not be
        reached or is overloaded.
        """


class Signer(Protocol):
    """Signs records with this process's short-lived key."""

    def sign(self, payload: Record) -> str:
        """The compact JWS of a payload, by a key whose certificate covers the time `at` that it states."""

    def roots(self) -> Sequence[RootKey]:
        """The root public keys as JWKs (with `kid`), the current one first."""


class RootInReach(Protocol):
    """The key that certifies signing keys."""

    def ask(self) -> None:
        """See that the key itself answers now, whatever was kept of it; raises KeysUnavailable otherwise."""


class Verifier(Protocol):
    """Checks records by the deployment's root public keys."""

    def verify(self, jws: str, *, term: bool = True) -> Record:
        """The payload of a genuine record; raises a `RecordFault` (cardroom.signing) otherwise.

        `term` False: whether its certificate was valid at the time that it states is not looked at.
        """


class Master(Protocol):
    """The deployment's master secret, from which every server seed is derived."""

    @property
    def epoch(self) -> str:
        """The epoch that new rounds use."""

    def secret(self, epoch: str) -> bytes:
        """The master of an epoch, 32 bytes."""


class Clock(Protocol):
    """The time of the wall."""

    def now(self) -> str:
        """Now, in UTC: `2026-11-29T21:53:29.123Z`."""

    def pause(self, attempt: int) -> None:
        """Wait a little before another attempt: longer each time, with jitter, never above a second."""


class Entropy(Protocol):
    """Fresh random bytes from the operating system."""

    def __call__(self, size: int, /) -> bytes:
        """`size` random bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """What the services work with: what is known, the ledger, the keys, the clock, and which code this is."""

    catalogue: Catalogue
    ledger: Ledger
    signer: Signer
    verifier: Verifier
    master: Master
    clock: Clock
    entropy: Entropy
    engine: Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One operator's credentials: at most two live secrets, each as salt and salted SHA-256, newest first."""

    operator: str
    scopes: frozenset[str]
    secrets: tuple[tuple[str, str], ...]  # (salt hex, sha256 hex)


class OperatorMoved(Exception):
    """The operator's credentials are not what was to be replaced; nothing was written."""


class Operators(Protocol):
    """The operators and their credentials."""

    def get(self, operator: str) -> Operator | None:
        """One operator, None if unknown."""

    def put(self, operator: Operator, *, replaces: Operator | None) -> None:
        """Add the operator (`replaces` None), or put its credentials in the place of exactly those.

        Raises OperatorMoved if the operator is there already, or is not as in `replaces`.
        """

    def list(self) -> Sequence[Operator]:
        """All operators, in order of id."""


class ArchiveConflict(Exception):
    """Other content is kept under that name already; nothing was written."""


class Archive(Protocol):
    """Files that are written once and then stand. Each method raises StoreUnavailable if it is out of reach."""

    def put(self, name: str, content: bytes) -> None:
        """Keep a file; the very content that is there already is no fault. Raises ArchiveConflict."""

    def get(self, name: str) -> bytes:
        """The content of a file; raises KeyError if there is none."""

    def part(self, name: str, start: int, size: int) -> bytes:
        """Up to `size` bytes of a file from `start` on, none past its end; raises KeyError if there is no file."""

    def list(self, prefix: str) -> Sequence[str]:
        """The names that begin so, in order."""
