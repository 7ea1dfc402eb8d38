"""Changes records in one place each, signs them with the genuine key, and sees whether an audit finds it.

`python -m tools.fuzz_records --mutations 20000 --seed 7`: players at random play tables of every published rule set.
Then one member of one record is changed, added or dropped, and that record and all after it are signed anew, so that
every signature and every link holds. An audit must find each such change, near where it was made, and must never end
in a traceback; or the member is one of `EQUIVALENT`, which a test holds. Whatever else is seen ends with status 1.
The same seed makes the same changes of the same rounds; only keys and signatures are new each time.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, Final

from cardroom.audit.export import ExportHeader, export_lines
from cardroom.audit.finding import Finding
from cardroom.audit.replay import Replay
from cardroom.audit.verify import Report, verify_export
from cardroom.rounds.record import record_sha256
from cardroom.services.catalogue import published
from cardroom.signing.certificate import EphemeralSigner
from cardroom.signing.signature import EXPORT, RECORD, compact, plain_json, split
from cardroom_desk.cores import each_on_cores
from cardroom_desk.players import Habits
from cardroom_desk.playthrough.simulation import MemoryRoot, SimulatedClock, play, simulated_table
from tools.mutations import Members, Mutation, mutated, pattern, places

HABITS: Final = Habits(void=0.1, mishap=0.15, physical=0.3, back_line=0.4, tell=0.5, misread=0.3)
CURRENCIES: Final = ("USD", "USD", "JPY")  # in another than a rule set's sums are in, a round posts its own
ROUNDS: Final = 2
A_TABLE: Final = 40
"""So many mutations are made of each table that is played."""

EQUIVALENT: Final[Mapping[str, str]] = {
    "at": "what the clock said: `seq` is the order, and a clock that goes back is listed",
    "engine": "which code wrote the record: what it wrote is judged by the rules, and the report lists it",
    "voided:request.reason": "why people voided the round; every reason has the same consequence",
    "voided:request.note": "free text",
    "voided:request.by": "who asked for it",
    "voided:round_id": "of a round that nobody opened; that of another is found",
    "dealt:request.wagers[].placed": "a place in time: only which came first has a consequence",
    "dealt:request.pile": "what is meant without it stands in the record, or not",
    "settled:request.folded (order)": "the order of leaving, where no pot hangs on it",
    "settled:request.sets[] (house way)": "that a hand is left to the house way, where it must be",
    "deal_corrected:request.correction_id": "of no other correction; that of another is found",
    "deal_corrected:request.by": "who says so",
    "deal_corrected:request.reason": "why people corrected; every reason has the same consequence",
    "corrected:request.correction_id": "of no other correction; that of another is found",
    "corrected:request.by": "who says so",
    "corrected:request.reason": "why people corrected; every reason has the same consequence",
    "undiced:request.client_seed": "of a shoe that was begun before, whose dice are told: no chance is left",
}
"""The members by which nothing hangs that an audit proves, and why; `kind:` before a path is of that kind alone.

No entry holds a card, money, a commitment or what a record leaves of the table. An entry holds for what is inside.
"""


# Tables, played and signed


class Table:
    """A table's genuine export, and the key to forge it with."""

    def __init__(self, ruleset_id: str, seed: str, rounds: int = ROUNDS) -> None:
        self.ruleset_id, self.seed = ruleset_id, seed
        self.root, clock, ruleset = MemoryRoot(), SimulatedClock(), published().ruleset(ruleset_id)
        self.game = str(ruleset.document["game"])
        self._signer = EphemeralSigner(root=self.root, audience="fuzz")
        table = simulated_table("t1", signer=self._signer, clock=clock, seed=seed)
        random, currency = Random(seed), Random(f"currency/{seed}").choice(CURRENCIES)  # noqa: S311
        self.records = [*play(table, ruleset, random=random, count=rounds, habits=HABITS, currency=currency)]
        self.payloads = [split(record).payload for record in self.records]
        self.roles = [_role(json.loads(payload)) for payload in self.payloads]
        self.hashes = [record_sha256(record) for record in self.records]
        header = ExportHeader(operator=table.operator, table_id="t1")
        lines = export_lines(self.records, signer=self._signer, clock=clock, header=header)
        self.lines = [line.encode() for line in lines]
        self._trailer = split(json.loads(self.lines[-1])["trailer"]).payload

    def forged(self, index: int, payload: bytes) -> list[bytes]:
        """The export with another payload of one record; the hash of each changed record is put wherever it stood."""
        lines = self.lines[: index + 1]
        changed: dict[bytes, bytes] = {}
        for number in range(index, len(self.payloads)):
            data = payload if number == index else _replaced(self.payloads[number], changed)
            record = self._signed(data, RECORD)
            changed[self.hashes[number].encode()] = record_sha256(record).encode()
            lines.append(plain_json({"record": record}) + b"\n")
        trailer = self._signed(_replaced(self._trailer, changed), EXPORT)
        return [*lines, plain_json({"trailer": trailer}) + b"\n"]

    def _signed(self, payload: bytes, typ: str) -> str:
        """A payload signed whatever it says, in one key's term or not."""
        key = self._signer._key
        if key is None:
            raise ValueError("nothing was signed before")
        return compact(key.headers[typ], payload, key.private)

    def audited(self, lines: Sequence[bytes]) -> Report:
        """What a full audit says."""
        known = published()
        return verify_export(
            lines, self.root.jwks(), audience="fuzz", rulesets=known.hashes, replay=_replay(), shapes=known.shapes
        )


@cache
def _replay() -> Replay:
    return Replay(published())


def _role(payload: dict[str, Any]) -> str:
    """A record's kind; but `undiced` for a deal that tells its dice, from a shoe that was begun before."""
    kind, body = str(payload["kind"]), payload["body"]
    if kind == "dealt" and body.get("shoe", {}).get("first") and body["action"]["from"] == "request":
        return "undiced"
    return kind


def _replaced(data: bytes, changed: Mapping[bytes, bytes]) -> bytes:
    for old, new in changed.items():
        data = data.replace(old, new)
    return data


@cache
def known_members() -> Mapping[str, Members]:
    """The values of all members by game and kind of record, from tables that are always the same."""
    found: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for ruleset_id in published().ruleset_ids():
        table = Table(ruleset_id, f"known/{ruleset_id}", 8)
        for data in table.payloads:
            payload = json.loads(data)
            for path, value in places(payload):
                found[f"{table.game}/{payload['kind']}"][pattern(path)].append(value)
    return found


# The verdict on a mutation


@dataclass(kw_only=True)
class Tally:
    """What was seen: mutations found, those that may pass, and what should not be."""

    found: Counter[str] = field(default_factory=Counter)  # by the first finding's code
    passed: Counter[str] = field(default_factory=Counter)  # by the entries of the lists
    wrong: list[str] = field(default_factory=list)
    mutations: int = 0

    def add(self, other: Tally) -> None:
        """Add another one."""
        self.found += other.found
        self.passed += other.passed
        self.wrong += other.wrong
        self.mutations += other.mutations


def entries(mutation: Mutation) -> set[str] | None:
    """The entries of the lists by which a mutation may pass, None where a member that it changes is in none."""
    found = set()
    for member in mutation.members:
        names = (member, f"{mutation.role}:{member}")
        own = {entry for entry in EQUIVALENT for name in names if _in(name, entry)}
        if mutation.role == "undiced":
            own |= {entry for entry in EQUIVALENT if _in(f"dealt:{member}", entry)}
        if not own:
            return None
        found.add(min(own))
    return found


def _in(member: str, entry: str) -> bool:
    return member == entry or member.startswith((f"{entry}.", f"{entry}[", f"{entry} "))


def judge(table: Table, mutation: Mutation, tally: Tally) -> None:
    """Audit a table with a mutation, and count what comes of it."""
    tally.mutations += 1
    told = f"{table.ruleset_id} {table.seed}: {mutation}"
    try:
        findings = table.audited(table.forged(mutation.number - 1, mutation.payload)).findings
    except Exception as error:
        tally.wrong.append(f"{told}: ends in {type(error).__name__}: {error}")
        return
    if any(_is_near(finding, table, mutation.number - 1) for finding in findings):
        tally.found[findings[0].code] += 1
    elif findings:
        where = [(finding.code, finding.record, finding.field) for finding in findings]
        tally.wrong.append(f"{told}: found elsewhere, {where}")
    elif (under := entries(mutation)) is not None:
        tally.passed.update(under)
    else:
        tally.wrong.append(f"{told}: passes, {sorted(mutation.members)}")


def _is_near(finding: Finding, table: Table, index: int) -> bool:
    """Whether a finding is on the changed record, on the next one or on one of the same round."""
    if finding.record is None:
        return index == len(table.records) - 1
    at = finding.record - 1
    rounds = [json.loads(table.payloads[one])["round_id"] for one in (index, at)]
    return at in (index, index + 1) or rounds[0] == rounds[1]


# The run


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Some mutations of one table."""

    ruleset_id: str
    seed: str
    count: int
    only: str = ""  # the one member that changes, as `EQUIVALENT` names members


def tasks_of(mutations: int, seed: int, only: str = "") -> list[Task]:
    """The tables to play, all rule sets in turn, and how many mutations each has."""
    ids = published().ruleset_ids()
    return [
        Task(
            ruleset_id=ids[number % len(ids)],
            seed=f"{seed}/{number}",
            count=min(A_TABLE, mutations - number * A_TABLE),
            only=only,
        )
        for number in range(-(-mutations // A_TABLE))
    ]


def mutations_of(task: Task) -> Iterator[tuple[Table, Mutation]]:
    """A task's table and its mutations, always the same ones."""
    table, random = Table(task.ruleset_id, task.seed), Random(f"mutations/{task.seed}")  # noqa: S311
    for _ in range(task.count):
        mutation = mutated(table, random, known_members(), task.only)
        if mutation is not None:
            yield table, mutation


def done(task: Task) -> Tally:
    """What comes of a task."""
    tally = Tally()
    for number, (table, mutation) in enumerate(mutations_of(task)):
        if number == 0 and not (report := table.audited(table.lines)).ok:
            tally.wrong.append(f"{table.ruleset_id} {task.seed}: the genuine export has {report.findings}")
        judge(table, mutation, tally)
    return tally


def main() -> int:
    """Run, and tell what was seen."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz_records", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--mutations", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=None, help="another one each time, if not given")
    parser.add_argument("--processes", type=int, default=None, help="one for each core, if not given")
    parser.add_argument("--only", default="", help="the one member that changes: dealt:request.cut, say")
    asked = parser.parse_args()
    seed = secrets.randbelow(10**6) if asked.seed is None else asked.seed
    print(f"seed {seed}", flush=True)
    tally, begun = Tally(), time.monotonic()
    tasks = tasks_of(asked.mutations, seed, asked.only)
    for one in each_on_cores(done, tasks, processes=asked.processes, doing=f"{asked.mutations:,} mutations"):
        tally.add(one)
        for line in one.wrong:
            print(line, flush=True)
    print(f"{tally.mutations:,} mutations in {time.monotonic() - begun:.0f} s: {tally.found.total():,} found")
    _print_counts("found as", tally.found)
    _print_counts("passed, equivalent:", tally.passed)
    print(f"  {len(tally.wrong):7,} wrong")
    return 1 if tally.wrong else 0


def _print_counts(words: str, counts: Counter[str]) -> None:
    for what, count in counts.most_common():
        print(f"  {count:7,} {words} {what}")


if __name__ == "__main__":
    sys.exit(main())
