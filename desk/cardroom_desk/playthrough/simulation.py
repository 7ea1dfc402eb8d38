"""Records without a service: robots play at many tables, and every step is written as a service would write it."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from cardroom.adapters import environment
from cardroom.adapters.key_files import public_pem
from cardroom.audit.export import ExportHeader, export_lines
from cardroom.game import Ruleset
from cardroom.rounds import steps
from cardroom.rounds.corrections import basis_of
from cardroom.rounds.draws import draw_round_id
from cardroom.rounds.kinds import KINDS
from cardroom.rounds.record import payload_of, record_sha256
from cardroom.rounds.shoes import shoe_round_id
from cardroom.rounds.steps import NEW_TABLE, Before, Last, SeedSecrets
from cardroom.services.catalogue import published
from cardroom.shapes.parts import Commitment, SeedTerms, TableState
from cardroom.shapes.records import Engine, Record, RootKey
from cardroom.shuffle import commitment, server_seed
from cardroom.signing.certificate import EphemeralSigner
from cardroom.signing.signature import jwk_of, raw_low_s
from cardroom_desk.cores import each_on_cores
from cardroom_desk.players import USUAL, Call, Habits, Move, last_moves, next_move

Json = dict[str, Any]

OPERATOR: Final = "simulation"
EPOCH: Final = "1"
ROOT_NAME: Final = "root.pem"
_KINDS: Final[Mapping[Call, str]] = {
    Call.OPEN: "opened",
    Call.DEAL: "dealt",
    Call.SETS: "set",
    Call.CORRECT_DEAL: "deal_corrected",
    Call.CORRECT: "corrected",
    Call.SETTLE: "settled",
    Call.VOID: "voided",
    Call.DRAW: "drawn",
    Call.OPEN_SHOE: "shoe_opened",
    Call.CLOSE_SHOE: "shoe_closed",
}
_ROUND_IDS: Final[Mapping[Call, Callable[[str], str]]] = {
    Call.DRAW: draw_round_id,
    Call.OPEN_SHOE: shoe_round_id,
    Call.CLOSE_SHOE: shoe_round_id,
}
_BEGIN: Final = datetime(2026, 1, 5, 18, 0, tzinfo=UTC)


class Signer(Protocol):
    """Signs a record's payload."""

    def sign(self, payload: Record) -> str:
        """What goes into the file, and what the next record names by its hash."""


@dataclass(slots=True)
class SimulatedClock:
    """A clock that is moved by hand, so that a simulated evening has an evening's length."""

    time: datetime = _BEGIN

    def now(self) -> str:
        """The time, in the form of the records."""
        return self.time.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def wait(self, milliseconds: int) -> None:
        """Let time pass."""
        self.time += timedelta(milliseconds=milliseconds)


@dataclass(slots=True, kw_only=True)
class TableRecords:
    """One table and its chain of records, each made by the step that the services use."""

    table_id: str
    signer: Signer
    clock: SimulatedClock
    secrets: SimulatedSecrets
    operator: str = OPERATOR
    engine: Engine = field(default_factory=environment.engine)
    last: Record | None = None
    _sha256: str | None = None
    _round: list[Last] = field(default_factory=list)  # the records of the last round

    @property
    def table(self) -> TableState:
        """The table as its last record left it."""
        return NEW_TABLE.copy() if self.last is None else self.last["table_after"]

    def basis(self, ruleset: Ruleset) -> Json | None:
        """What a correction of the last record would be made from, None if there can be none."""
        if self.last is None or self.last["kind"] not in ("settled", "corrected") or ruleset.game.staging is None:
            return None
        return dict(basis_of(ruleset, self._round))

    def write(self, move: Move, ruleset: Ruleset) -> str:
        """Make the step that a move asks for, and write its record. Raises what the rules refuse."""
        kind, round_id = _KINDS[move.call], _ROUND_IDS.get(move.call, str)(move.name)
        request = move.request
        if move.call in (Call.CORRECT_DEAL, Call.CORRECT):
            request = {**request, "corrects": self._sha256}
        call = steps.Call(kind=kind, operator=self.operator, table_id=self.table_id, round_id=round_id, request=request)
        last = None
        if self.last is not None and self.last["round_id"] == round_id:
            last = Last(self.last, self._sha256 or "")
        # A void of a round that nobody knows goes by no rule set.
        known = None if kind == "voided" and last is None else ruleset
        basis = self.basis(ruleset) if move.call is Call.CORRECT else None
        before = Before(table=self.table, last=last, ruleset=known, reasons=ruleset.game.void_reasons, basis=basis)
        made = steps.step(KINDS, call, before, self.secrets)
        payload = payload_of(
            made,
            engine=self.engine,
            operator=self.operator,
            table_id=self.table_id,
            round_id=round_id,
            seq=1 if self.last is None else self.last["seq"] + 1,
            prev=self._sha256,
            at=self.clock.now(),
        )
        record = self.signer.sign(payload)
        self.last, self._sha256 = payload, record_sha256(record)
        self._round = [*([] if kind == "opened" else self._round), Last(payload, self._sha256)]
        return record


class SimulatedSecrets(SeedSecrets):
    """Secrets of a simulation; `salts` gives 16 bytes in hexadecimal for each commitment."""

    def __init__(self, master: bytes, salts: Callable[[], str]) -> None:
        self._master = master
        self._salts = salts

    def commit(self, call: steps.Call) -> Commitment:
        """A commitment with the next salt."""
        named = {"operator": call.operator, "table_id": call.table_id, "round_id": call.round_id}
        salt = self._salts()
        return {"commitment": commitment(self._seed(named, salt)), "salt": salt, "epoch": EPOCH}

    def seed(self, terms: SeedTerms) -> bytes:
        """The seed of a round, a shoe or a draw by its terms."""
        named = {"operator": terms["operator"], "table_id": terms["table_id"], "round_id": terms["round_id"]}
        return self._seed(named, terms["body"]["salt"])

    def _seed(self, named: Mapping[str, str], salt: str) -> bytes:
        return server_seed(self._master, **named, salt=salt)


def simulated_table(table_id: str, *, signer: Signer, clock: SimulatedClock, seed: str) -> TableRecords:
    """A table whose secrets come from a seed, for records that nobody's money hangs on."""
    salts = Random(f"salts/{seed}")  # noqa: S311
    return TableRecords(
        table_id=table_id,
        signer=signer,
        clock=clock,
        secrets=SimulatedSecrets(
            hashlib.sha256(f"cardroom/simulation/{seed}".encode()).digest(), lambda: salts.randbytes(16).hex()
        ),
    )


def play(
    records: TableRecords,
    ruleset: Ruleset,
    *,
    random: Random,
    count: int,
    habits: Habits = USUAL,
    currency: str = "USD",
) -> Iterator[str]:
    """The records of so many rounds, settled or voided, and of what is done between and after them."""
    finished = 0
    while finished < count:
        move = next_move(
            random,
            ruleset,
            table_id=records.table_id,
            last=records.last,
            habits=habits,
            currency=currency,
            basis=records.basis(ruleset),
        )
        yield _played(records, move, ruleset, random)
        finished += records.last is not None and records.last["kind"] in ("settled", "voided")
    if records.last is not None:
        for move in last_moves(table_id=records.table_id, last=records.last):
            yield _played(records, move, ruleset, random)


def _played(records: TableRecords, move: Move, ruleset: Ruleset, random: Random) -> str:
    records.clock.wait(random.randrange(1_000, 60_000))
    return records.write(move, ruleset)


class MemoryRoot:
    """A root key that is forgotten after the run: the one that is given, or a new one."""

    def __init__(self, private: ec.EllipticCurvePrivateKey | None = None) -> None:
        self._key = private or ec.generate_private_key(ec.SECP256R1())

    def jwks(self) -> list[RootKey]:
        """The public root key as a JWK."""
        return [jwk_of(self._key.public_key())]

    def certify(self, message: bytes) -> bytes:
        """The ES256 signature of a message, 64 bytes, low s."""
        return raw_low_s(self._key.sign(message, ec.ECDSA(hashes.SHA256())))


def _signer(root_key: bytes) -> EphemeralSigner:
    private = serialization.load_pem_private_key(root_key, password=None)
    if not isinstance(private, ec.EllipticCurvePrivateKey):
        raise TypeError("the root key is a P-256 key")
    return EphemeralSigner(root=MemoryRoot(private), audience=OPERATOR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What was written: how many rounds (by rule set), records and tables."""

    rounds: int
    records: int
    tables: int
    by_ruleset: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """One table to play; its records go to a file of their own first."""

    table_id: str
    ruleset_id: str
    rounds: int
    seed: str
    root_key: bytes
    part: Path


def write_records(out: Path, rounds: int, tables: int, seed: int, processes: int | None) -> Summary:
    """Write an export of simulated rounds to a file, all rule sets in turn, and its root key beside it as `root.pem`.

    What the records say depends on `seed` alone, whatever the number of processes (None: one for each core), but for
    signatures and the hashes taken over them. Memory does not grow with the rounds.
    """
    private = ec.generate_private_key(ec.SECP256R1())
    ids = published().ruleset_ids()
    with tempfile.TemporaryDirectory(prefix=".cardroom-simulation-", dir=out.parent) as folder:
        tasks = [
            _Task(
                table_id=f"t{number + 1:03}",
                ruleset_id=ids[number % len(ids)],
                rounds=rounds // tables + (number < rounds % tables),
                seed=f"{seed}/{number}",
                root_key=_pem(private),
                part=Path(folder, f"{number}"),
            )
            for number in range(tables)
        ]
        clock = SimulatedClock()
        chains = _chains(each_on_cores(_write_part, tasks, processes=processes, doing=f"{rounds:,} rounds"), clock)
        header = ExportHeader(operator=OPERATOR)
        whole = Path(folder, "export")  # a run that is stopped leaves no half of one
        with whole.open("w", encoding="utf-8") as file:
            lines = 0
            for line in export_lines(chains, signer=_signer(_pem(private)), clock=clock, header=header):
                file.write(line)
                lines += 1
        whole.replace(out)
    out.with_name(ROOT_NAME).write_bytes(public_pem(private.public_key()))
    by_ruleset = dict.fromkeys(ids, 0)
    for task in tasks:
        by_ruleset[task.ruleset_id] += task.rounds
    return Summary(rounds=rounds, records=lines - 2, tables=tables, by_ruleset=by_ruleset)


def _pem(private: ec.EllipticCurvePrivateKey) -> bytes:
    return private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _write_part(task: _Task) -> tuple[Path, datetime]:
    """The records of one table, one a line; where they are, and when the last one was written."""
    clock, ruleset = SimulatedClock(), published().ruleset(task.ruleset_id)
    records = simulated_table(task.table_id, signer=_signer(task.root_key), clock=clock, seed=task.seed)
    with task.part.open("w", encoding="ascii") as file:
        for record in play(records, ruleset, random=Random(task.seed), count=task.rounds):  # noqa: S311
            file.write(record + "\n")
    return task.part, clock.time


def _chains(parts: Iterable[tuple[Path, datetime]], clock: SimulatedClock) -> Iterator[str]:
    """All records of all tables, one table after the other; the clock goes to the latest of them."""
    for part, ended in parts:
        clock.time = max(clock.time, ended)
        with part.open(encoding="ascii") as file:
            for line in file:
                yield line.rstrip("\n")
        part.unlink()
