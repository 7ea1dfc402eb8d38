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
from typing import Any, Final, NamedTuple

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from cardroom.audit.export import ExportHeader, export_lines
from cardroom.audit.finding import Finding
from cardroom.audit.replay import Replay
from cardroom.audit.verify import Report, verify_export
from cardroom.rounds.record import record_sha256
from cardroom.services.catalogue import published
from cardroom.shapes.records import RootKey
from cardroom.signing.certificate import EphemeralSigner
from cardroom.signing.signature import EXPORT, RECORD, compact, jwk_of, plain_json, raw_low_s, split
from cardroom_desk.cores import each_on_cores
from cardroom_desk.players import Habits
from cardroom_desk.playthrough.simulation import SimulatedClock, play, simulated_table

Path = tuple[str | int, ...]

HABITS: Final = Habits(void=0.1, mishap=0.15, physical=0.3, back_line=0.4, tell=0.5)
ROUNDS: Final = 2
A_TABLE: Final = 40
"""So many mutations are made of each table that is played."""

OF_ANY_SHAPE: Final = 0.1
"""How likely a mutation is made that no record has the shape of."""

EQUIVALENT: Final[Mapping[str, str]] = {
    "at": "what the clock said: `seq` is the order, and a clock that goes back is listed",
    "engine": "which code wrote the record: what it wrote is judged by the rules",
    "voided:request.reason": "why people voided the round; every reason has the same consequence",
    "voided:request.note": "free text",
    "voided:round_id": "of a round that nobody opened; that of another is found",
    "dealt:request.wagers[].placed": "a place in time: only which came first has a consequence",
}
"""The members by which nothing hangs that an audit proves, and why; `kind:` before a path is of that kind alone.

No entry holds a card, money, a commitment or what a record leaves of the table. An entry holds for what is inside.
"""

UNDEALT: Final[Mapping[str, str]] = {
    "undealt:request": "the terms of a round that was voided before its deal: nothing came of them",
    "undealt:body.salt": "of a seed that no card came from",
    "undealt:body.epoch": "of a seed that no card came from",
}
"""The same of the opened record of a round that was never dealt, whatever it holds: no card was, and nothing staked."""

OPEN: Final[Mapping[str, str]] = {
    **{
        f"{member} (order)": "a list whose order says nothing is not in the order that records hold it in"
        for member in (
            "dealt:request.hands", "dealt:request.stacks", "dealt:request.wagers", "returned:request.hands",
            "returned:request.stacks", "returned:request.wagers", "settled:request.contributions",
            "settled:request.dead_hands", "settled:request.sets", "settled:request.sets[].front",
            "settled:request.sets[].low", "settled:request.sets[].two",
        )
    },
    "settled:request.folded (order)": "the order of leaving, from which nothing follows",
    "dealt:request.pile": "what is meant without it stands in the record, or not",
    "settled:request.dead_hands[].ante_returned": "what is meant without it stands in the record, or not",
    "voided:request.table_id": "the request is of another table than the record",
    "shoe_closed:request.table_id": "the request is of another table than the record",
    "dealt:request.stacks[].amount": "what a player has left bounds his bets; nothing repeats it",
    "returned:request": "the wagers of a round that was voided: what goes back names wagers and amounts alone",
}  # fmt: skip
"""What an audit does not find, though it should or a record should say more; an entry goes when its hole is closed."""


# Tables, played and signed


class _Root:
    """A root key that is forgotten after the run."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())

    def jwks(self) -> list[RootKey]:
        """The public root key as a JWK."""
        return [jwk_of(self._key.public_key())]

    def certify(self, message: bytes) -> bytes:
        """The ES256 signature of a message, 64 bytes, low s."""
        return raw_low_s(self._key.sign(message, ec.ECDSA(hashes.SHA256())))


class Table:
    """A table's genuine export, and the key to forge it with."""

    def __init__(self, ruleset_id: str, seed: str, rounds: int = ROUNDS) -> None:
        self.ruleset_id, self.seed = ruleset_id, seed
        self.root, clock, ruleset = _Root(), SimulatedClock(), published().ruleset(ruleset_id)
        self.game = str(ruleset.document["game"])
        self._signer = EphemeralSigner(root=self.root, audience="fuzz")
        table = simulated_table("t1", signer=self._signer, clock=clock, seed=seed)
        self.records = [*play(table, ruleset, random=Random(seed), count=rounds, habits=HABITS)]  # noqa: S311
        self.payloads = [split(record).payload for record in self.records]
        self.roles = _roles([json.loads(payload) for payload in self.payloads])
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


def _roles(payloads: Sequence[dict[str, Any]]) -> list[str]:
    """What each record is in its round: its kind, but of a round that was voided `undealt` (opened) and `returned`."""
    kinds = defaultdict(set)
    for payload in payloads:
        kinds[payload["round_id"]].add(payload["kind"])
    return [
        "undealt" if payload["kind"] == "opened" and kinds[payload["round_id"]] == {"opened", "voided"}
        else "returned" if payload["kind"] == "dealt" and "voided" in kinds[payload["round_id"]]
        else payload["kind"]
        for payload in payloads
    ]  # fmt: skip


def _replaced(data: bytes, changed: Mapping[bytes, bytes]) -> bytes:
    for old, new in changed.items():
        data = data.replace(old, new)
    return data


# Places of a payload, and what is put there


class Mutation(NamedTuple):
    """One change: of which record, at which place, how, the members that differ, and the payload with it."""

    number: int
    role: str
    path: Path
    how: str
    old: Any
    new: Any
    members: frozenset[str]
    payload: bytes

    def __str__(self) -> str:
        place, change = dotted(self.path), f"{_short(self.old)} -> {_short(self.new)}"
        return f"record {self.number} {self.role} {place} ({self.how}): {change}"


ABSENT: Final = object()
Members = Mapping[str, Sequence[Any]]


def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every member of a JSON value, at any depth, with its path."""
    items: Sequence[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        items = [*value.items()]
    elif isinstance(value, list):
        items = [*enumerate(value)]
    for key, item in items:
        yield (*path, key), item
        yield from places(item, (*path, key))


def pattern(path: Path) -> str:
    """A path whose items of lists are all the same.

    >>> pattern(("body", "hands", 3, "cards"))
    'body.hands[].cards'
    """
    return "".join("[]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")


def dotted(path: Path) -> str:
    """A path as findings write it, items by their index."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")


def changed(old: Any, new: Any, path: Path = ()) -> Iterator[str]:
    """The members in which two JSON values differ; a list of the same items in another order is one, as `list (order)`.

    >>> [*changed({"seats": [1, 2], "cut": 3}, {"seats": [2, 1]})]
    ['cut', 'seats (order)']
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if key in old and key in new:
                yield from changed(old[key], new[key], (*path, key))
            else:
                yield pattern((*path, key))
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield pattern((*path, 0))
        elif old != new and sorted(map(plain_json, old)) == sorted(map(plain_json, new)):
            yield pattern(path) + " (order)"
        else:
            for index, (one, other) in enumerate(zip(old, new, strict=True)):
                yield from changed(one, other, (*path, index))
    elif plain_json(old) != plain_json(new):
        yield pattern(path)


def mutated(table: Table, random: Random, known: Mapping[str, Members], only: str = "") -> Mutation | None:
    """One change of a table's records; every member of every kind is as likely as any other.

    `only` is the one member, with its record's role, that may change; None if there is none of it.
    """
    members: dict[str, list[tuple[int, Path, Any]]] = defaultdict(list)
    for index, payload in enumerate(table.payloads):
        for path, value in places(json.loads(payload)):
            members[f"{table.roles[index]}:{pattern(path)}"].append((index, path, value))
    if only:
        members = {name: found for name, found in members.items() if name == only or name.endswith(f":{only}")}
    for _ in range(1_000 if members else 0):
        index, path, old = random.choice(members[random.choice([*members])])
        payload = json.loads(table.payloads[index])
        seen = known.get(f"{table.game}/{payload['kind']}", {})
        how, new = random.choice([*_others(old, random, seen, path)])
        data = _with(payload, path, new)
        if data != table.payloads[index] and (random.random() < OF_ANY_SHAPE or _has_a_shape(data)):
            names = frozenset(changed(json.loads(table.payloads[index]), json.loads(data)))
            return Mutation(index + 1, table.roles[index], path, how, old, new, names, data)
    return None


def _has_a_shape(payload: bytes) -> bool:
    """Whether a payload has the shape of a record, so that it is more than its form that an audit must look at."""
    return published().shapes.fault(json.loads(payload)) is None


def _with(payload: Any, path: Path, new: Any) -> bytes:
    """A payload with another value at a place."""
    parent = payload
    for key in path[:-1]:
        parent = parent[key]
    if new is ABSENT:
        del parent[path[-1]]
    else:
        parent[path[-1]] = new
    return plain_json(payload)


def _others(value: Any, random: Random, seen: Members, path: Path) -> Iterator[tuple[str, Any]]:
    """What a value is changed to, each with a word for how; some of it may be the value itself."""
    named = pattern(path)
    if isinstance(path[-1], str):
        yield "left out", ABSENT
    yield "null", None
    yield "nested", random.choice([[value], {"more": value}])
    if named in seen:
        for _ in range(3):
            yield "another's", random.choice(seen[named])
    if isinstance(value, bool):
        yield "flipped", not value
        yield "a number", int(value)
    elif isinstance(value, int):
        yield from _other_integers(value, random)
    elif isinstance(value, str):
        yield from _other_texts(value, random)
    elif isinstance(value, list):
        yield from _other_lists(value, random, seen, named)
    elif isinstance(value, dict):
        yield from _other_objects(value, random, seen, named)
    else:
        yield "something", random.choice([0, "", False, [], {}])


def _other_integers(value: int, random: Random) -> Iterator[tuple[str, Any]]:
    yield "one more", value + 1
    yield "one less", value - 1
    yield "doubled", value * 2
    yield "far", random.choice([0, 1, -value, 2**53 - 1, 2**53, -(2**53), value + 0.5])
    yield "text", str(value)
    if value in (0, 1):
        yield "a boolean", bool(value)


def _other_texts(value: str, random: Random) -> Iterator[tuple[str, Any]]:
    yield "empty", ""
    yield "longer", value + random.choice("a0 é")
    yield "another character", _another_character(value, random)
    yield "no text", random.choice([0, 1, True, [], {}])
    if len(value) == 2 or value.startswith("Jk"):
        yield "another card", random.choice("23456789TJQKA") + random.choice("cdhs")


def _another_character(value: str, random: Random) -> str:
    if not value:
        return "x"
    at = random.randrange(len(value))
    kinds = ("0123456789", "abcdef" if value[at] in "abcdef" else "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHJKQT")
    alphabet = next((kind for kind in kinds if value[at] in kind), "x-_")
    return value[:at] + random.choice(alphabet) + value[at + 1 :]


def _other_lists(value: list[Any], random: Random, seen: Members, named: str) -> Iterator[tuple[str, Any]]:
    yield "emptied", []
    yield "one more item", [*value, random.choice(seen.get(f"{named}[]", [None]))]
    if value:
        at = random.randrange(len(value))
        yield "an item twice", [*value[:at], value[at], *value[at:]]
        yield "an item dropped", [*value[:at], *value[at + 1 :]]
        yield "in another order", random.sample(value, len(value))
        yield "reversed", value[::-1]


def _other_objects(value: dict[str, Any], random: Random, seen: Members, named: str) -> Iterator[tuple[str, Any]]:
    yield "emptied", {}
    yield "an unknown member", {**value, "more": random.choice([1, None, "x", {}])}
    deeper = len(named) + 1
    lacks = [
        one for one in seen
        if one.startswith(f"{named}.") and not {".", "["} & {*one[deeper:]} and one[deeper:] not in value
    ]  # fmt: skip
    for _ in lacks and range(3):
        member = random.choice(lacks)
        yield "a known member", {**value, member[deeper:]: random.choice(seen[member])}


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
        own = {entry for known in (EQUIVALENT, UNDEALT, OPEN) for entry in known for name in names if _in(name, entry)}
        if mutation.role == "returned":
            own |= {entry for entry in EQUIVALENT if _in(f"dealt:{member}", entry)}
        if not own:
            return None
        found.add(min(own, key=lambda entry: entry in OPEN))
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


def tasks_of(mutations: int, seed: int) -> list[Task]:
    """The tables to play, all rule sets in turn, and how many mutations each has."""
    ids = published().ruleset_ids()
    return [
        Task(
            ruleset_id=ids[number % len(ids)],
            seed=f"{seed}/{number}",
            count=min(A_TABLE, mutations - number * A_TABLE),
        )
        for number in range(-(-mutations // A_TABLE))
    ]


def mutations_of(task: Task) -> Iterator[tuple[Table, Mutation]]:
    """A task's table and its mutations, always the same ones."""
    table, random = Table(task.ruleset_id, task.seed), Random(f"mutations/{task.seed}")  # noqa: S311
    for _ in range(task.count):
        mutation = mutated(table, random, known_members())
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
    asked = parser.parse_args()
    seed = secrets.randbelow(10**6) if asked.seed is None else asked.seed
    print(f"seed {seed}", flush=True)
    tally, begun = Tally(), time.monotonic()
    tasks = tasks_of(asked.mutations, seed)
    for one in each_on_cores(done, tasks, processes=asked.processes, doing=f"{asked.mutations:,} mutations"):
        tally.add(one)
        for line in one.wrong:
            print(line, flush=True)
    print(f"{tally.mutations:,} mutations in {time.monotonic() - begun:.0f} s: {tally.found.total():,} found")
    _print_counts("found as", tally.found)
    for words, known in (("equivalent", EQUIVALENT), ("of a round undealt", UNDEALT), ("open", OPEN)):
        _print_counts(f"passed, {words}:", Counter({one: n for one, n in tally.passed.items() if one in known}))
    print(f"  {len(tally.wrong):7,} wrong")
    return 1 if tally.wrong else 0


def _print_counts(words: str, counts: Counter[str]) -> None:
    for what, count in counts.most_common():
        print(f"  {count:7,} {words} {what}")


def _short(value: Any) -> str:
    if value is ABSENT:
        return "nothing"
    text = json.dumps(value)
    return text if len(text) <= 120 else f"{text[:120]}…"


if __name__ == "__main__":
    sys.exit(main())
