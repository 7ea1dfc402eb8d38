"""One table's chain, record by record: numbers and links, the order of each round's states, what replay gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol

from cardroom.audit.signature import Json
from cardroom.shuffle import commitment

TERMS: Final = ("operator", "table_id", "round_id", "ruleset", "request", "body")
_FIELDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "v": int,
    "kind": str,
    "engine": str,
    "operator": str,
    "table_id": str,
    "seq": int,
    "prev": (str, type(None)),
    "round_id": str,
    "at": str,
    "ruleset": (dict, type(None)),
    "request": dict,
    "body": dict,
    "table_after": dict,
}
_BEFORE: Final[Mapping[str, tuple[str | None, ...]]] = {
    "opened": (None,),
    "dealt": ("opened",),
    "settled": ("dealt",),
    "voided": ("opened", "dealt"),
}
_BETWEEN_ROUNDS: Final = ("drawn", "shoe_opened", "shoe_closed")


class Difference(NamedTuple):
    """One field of a record that replay gives otherwise."""

    field: str
    expected: Any
    found: Any
    code: str = "replay-differs"


class Replayer(Protocol):
    """Plays a record again from what came before it."""

    def check(
        self, previous: Json | None, opened: Json | None, dealt: Json | None, payload: Json
    ) -> Sequence[Difference]:
        """Where the record differs from what the rules give, the cause before what follows from it.

        `previous` is the payload of the table's record before (None if it is not known, or if this is the first),
        `opened` and `dealt` are those of the same round, as far as they are known.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault: where it is, what kind it is, what should be there and what is.

    `line` counts the file's lines and `record` its records, both from 1; `seq` and `round_id` are what the record
    says of itself, where it can be believed.
    """

    line: int
    code: str
    message: str
    record: int | None = None
    table_id: str | None = None
    seq: int | None = None
    round_id: str | None = None
    field: str | None = None
    expected: Any = None
    found: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in the file a record stands."""

    line: int
    record: int

    def finding(self, payload: Json, code: str, message: str, **details: Any) -> Finding:
        """A finding on the record that stands here."""
        named = {name: payload.get(name) for name in ("table_id", "seq", "round_id")}
        return Finding(line=self.line, record=self.record, code=code, message=message, **named, **details)


@dataclass(slots=True, kw_only=True)
class _Round:
    """The live round of a table, with what is known of it."""

    round_id: str
    state: str
    opened: Json | None = None
    opened_sha256: str | None = None
    dealt: Json | None = None

    def terms(self) -> Json | None:
        """The terms it was opened on, from its first record or as the second repeats them."""
        if self.opened is not None:
            return {name: self.opened[name] for name in TERMS}
        return self.dealt["body"]["opened"]["terms"] if self.dealt is not None else None


@dataclass(slots=True, kw_only=True)
class _Gap:
    """Numbers that were passed over: they may still come, late, or stand on lines that could not be read."""

    place: Place
    payload: Json
    low: int
    high: int
    unread: int  # records before it that could not be verified, and so may be the ones
    came: set[int] = field(default_factory=set)

    def finding(self) -> Finding | None:
        missing = self.high - self.low + 1 - len(self.came)
        details = {"field": "seq", "expected": self.low, "found": self.high + 1}
        named = f"record {self.low}" if self.low == self.high else f"records {self.low} to {self.high}"
        if missing > self.unread:
            return self.place.finding(self.payload, "record-missing", f"{named} should come before", **details)
        if self.came:
            return self.place.finding(self.payload, "record-reordered", f"{named} should come before", **details)
        return None


class Table:
    """Follows the records of one table. Memory grows only by the identity of each finished round (about 100 bytes)."""

    def __init__(self, *, gaps: bool, rulesets: Mapping[str, str] | None, replay: Replayer | None) -> None:
        self.records = 0
        self.first = self.seq = 0  # the numbers of the first and the last record so far
        self.sha256: str | None = None
        self.unread = 0  # how many records of the file had not been verified when the last one was
        self.live: Json | None = None
        self._gaps_allowed = gaps
        self._rulesets = rulesets
        self._replay = replay
        self._gaps: list[_Gap] = []
        self._previous: Json | None = None  # None where it is not known
        self._round: _Round | None = None
        self._round_known = True  # whether None above means that none is live
        self._finished: set[int] = set()
        self._at = ""

    def follow(self, payload: Json, sha256: str, place: Place, unread: int) -> Finding | None:
        """Take the next verified record of the table; `unread` counts the file's unverified ones so far."""
        seq = payload["seq"]
        if self.records and seq <= self.seq:
            return self._late(payload, sha256, place)
        finding, linked = self._link(payload, place, unread)
        if not linked:
            self._previous = None
            if self._round is None or not self._gaps_allowed:
                self._round, self._round_known = None, False
        for check in (self._time, self._order, self._ruleset, self._terms, self._seed, self._live, self._replayed):
            if finding is None:
                finding = _guarded(check, payload, place)
        self._step(payload, sha256)
        self.records += 1
        self.seq, self.sha256, self.unread = seq, sha256, unread
        self._at, self._previous = payload["at"], payload
        return finding

    def close(self, after: int | None) -> Iterator[Finding]:
        """What can be said only at the end; `after` is the number before the first record, None if not known."""
        for gap in self._gaps:
            if gap.high < self.first:
                gap.low = min(after + 1, *gap.came, gap.high + 1) if after is not None else gap.high + 1 - len(gap.came)
            if (finding := gap.finding()) is not None:
                yield finding

    def _link(self, payload: Json, place: Place, unread: int) -> tuple[Finding | None, bool]:
        """Whether the record is the successor of the last one, and what is wrong if it should be and isn't."""
        seq, prev = payload["seq"], payload["prev"]
        if not self.records:
            self.first = seq
        if seq != self.seq + 1:
            allowed = 10**12 if self._gaps_allowed else unread - self.unread
            self._gaps.append(_Gap(place=place, payload=payload, low=self.seq + 1, high=seq - 1, unread=allowed))
            return None, False
        if prev != self.sha256:
            message = "the record does not continue the one before it"
            details = {"field": "prev", "expected": self.sha256, "found": prev}
            return place.finding(payload, "chain-broken", message, **details), False
        return None, True

    def _late(self, payload: Json, sha256: str, place: Place) -> Finding | None:
        """A record whose number is past: passed over before, or there twice. Nothing more is asked of it."""
        seq = payload["seq"]
        for gap in self._gaps:
            if gap.low <= seq <= gap.high and seq not in gap.came:
                gap.came.add(seq)
                self.records += 1
                return None
        if seq == self.seq and sha256 != self.sha256:
            message = f"another genuine record {seq} of this table: its chain was forked"
            return place.finding(payload, "chain-forked", message, field="seq", expected=self.sha256, found=sha256)
        message = f"record {seq} was there before"
        return place.finding(payload, "record-doubled", message, field="seq", expected=self.seq + 1, found=seq)

    def _step(self, payload: Json, sha256: str) -> None:
        """Move the round on, believing the record: what was wrong with it has been said."""
        kind, round_id = payload["kind"], payload["round_id"]
        if kind == "opened":
            self._round = _Round(round_id=round_id, state=kind, opened=payload, opened_sha256=sha256)
            self._round_known = True
        elif kind == "dealt":
            if self._round is None or self._round.round_id != round_id:
                self._round = _Round(round_id=round_id, state=kind)
            self._round.state, self._round.dealt = kind, payload
            self._round_known = True
        elif kind != "shoe_opened":
            self._finished.add(hash(round_id))
            if not self._tombstone(payload):
                self._round, self._round_known = None, True
        live = self._round
        self.live = None if live is None else {"round_id": live.round_id, "state": live.state}

    def _tombstone(self, payload: Json) -> bool:
        """Whether it voids a round that was never opened; a live one goes on."""
        return payload["kind"] == "voided" and payload["ruleset"] is None

    def _same_round(self, payload: Json) -> _Round | None:
        live = self._round
        return live if live is not None and live.round_id == payload["round_id"] else None

    def _time(self, payload: Json, place: Place) -> Finding | None:
        if payload["at"] >= self._at:
            return None
        details = {"field": "at", "expected": self._at, "found": payload["at"]}
        return place.finding(payload, "time-backwards", "the record is older than the one before it", **details)

    def _order(self, payload: Json, place: Place) -> Finding | None:
        kind = payload["kind"]
        if kind not in _BEFORE and kind not in _BETWEEN_ROUNDS:
            details = {"field": "kind", "expected": [*_BEFORE, *_BETWEEN_ROUNDS], "found": kind}
            return place.finding(payload, "kind-unknown", f"{kind!a} is no kind of record", **details)
        if hash(payload["round_id"]) in self._finished:
            details = {"field": "round_id", "expected": "a round that is not finished", "found": payload["round_id"]}
            return place.finding(payload, "round-order", "the round was finished before", **details)
        expected = (None,) if self._tombstone(payload) else _BEFORE.get(kind, (None,))
        same = self._round if kind == "opened" or kind in _BETWEEN_ROUNDS else self._same_round(payload)
        found = same.state if same else None
        if found in expected or (self._round is None and not self._round_known):
            return None
        details = {"field": "kind", "expected": [state or "none" for state in expected], "found": found}
        return place.finding(payload, "round-order", f"{kind} cannot follow {found or 'nothing'}", **details)

    def _ruleset(self, payload: Json, place: Place) -> Finding | None:
        ruleset = payload["ruleset"]
        if ruleset is None:
            return None
        live = self._same_round(payload)
        terms = live.terms() if live is not None else None
        expected = terms["ruleset"]["sha256"] if terms else ruleset["sha256"]
        if self._rulesets is not None:
            if ruleset["id"] not in self._rulesets:
                message = f"no rule set {ruleset['id']} is known here"
                return place.finding(payload, "ruleset-unknown", message, field="ruleset.id", found=ruleset["id"])
            expected = self._rulesets[ruleset["id"]]
        if (terms and terms["ruleset"]["id"] != ruleset["id"]) or ruleset["sha256"] != expected:
            message = f"not the rule set {ruleset['id']} as it was published, or not the one the round was opened on"
            details = {"field": "ruleset.sha256", "expected": expected, "found": ruleset["sha256"]}
            return place.finding(payload, "ruleset-changed", message, **details)
        return None

    def _terms(self, payload: Json, place: Place) -> Finding | None:
        live = self._same_round(payload)
        if payload["kind"] != "dealt" or live is None or live.opened is None:
            return None
        expected = {"seq": live.opened["seq"], "sha256": live.opened_sha256, "terms": live.terms()}
        found = payload["body"]["opened"]
        if found == expected:
            return None
        message = "the round was dealt on other terms than it was opened on"
        return place.finding(payload, "opened-changed", message, field="body.opened", expected=expected, found=found)

    def _seed(self, payload: Json, place: Place) -> Finding | None:
        """What is finished reveals the seed that was committed to."""
        if (expected := self._committed(payload)) is None:
            return None
        seed = payload["body"].get("seed")
        if seed is None:
            return place.finding(payload, "seed-missing", "the seed is not revealed", field="body.seed")
        if (found := commitment(bytes.fromhex(seed))) == expected:
            return None
        message = "the revealed seed is not the one that was committed to"
        return place.finding(payload, "commitment-broken", message, field="body.seed", expected=expected, found=found)

    def _committed(self, payload: Json) -> str | None:
        """The commitment whose seed the record must reveal, None if there is none or it is not known."""
        match payload["kind"]:
            case "settled" | "voided":
                live = self._same_round(payload)
                terms = live.terms() if live is not None else None
            case "shoe_closed":
                terms = self._previous["table_after"]["shoe"]["terms"] if self._previous is not None else None
            case "drawn":
                terms = payload
            case _:
                return None
        return terms["body"].get("commitment") if terms is not None else None

    def _live(self, payload: Json, place: Place) -> Finding | None:
        kind = payload["kind"]
        expected = {"round_id": payload["round_id"], "state": kind} if kind in ("opened", "dealt") else None
        if self._tombstone(payload):
            if not self._round_known:
                return None
            expected = self.live
        if (found := payload["table_after"]["live"]) == expected:
            return None
        details = {"field": "table_after.live", "expected": expected, "found": found}
        return place.finding(payload, "table-after-wrong", "the table holds another live round", **details)

    def _replayed(self, payload: Json, place: Place) -> Finding | None:
        if self._replay is None:
            return None
        live = self._same_round(payload)
        opened, dealt = (live.opened, live.dealt) if live is not None else (None, None)
        try:
            differences = self._replay.check(self._previous, opened, dealt, payload)
        except Exception as error:  # whatever a record holds, the audit of the others goes on
            message = f"the record cannot be replayed: {type(error).__name__}: {error}"
            return place.finding(payload, "replay-failed", message)
        if not differences:
            return None
        first = Difference(*differences[0])
        others = f", and {len(differences) - 1} more" if len(differences) > 1 else ""
        details = {"field": first.field, "expected": first.expected, "found": first.found}
        return place.finding(payload, first.code, f"replay gives another {first.field}{others}", **details)


def shape_fault(payload: Json) -> str | None:
    """What is wrong with the outer form of a record's payload, None if nothing is."""
    if payload.keys() != _FIELDS.keys():
        return f"the fields are {', '.join(payload)}"
    for name, kind in _FIELDS.items():
        if not isinstance(payload[name], kind) or isinstance(payload[name], bool):
            return f"{name} is {payload[name]!a}"
    if payload["v"] != 1 or payload["seq"] < 1:
        return f"v is {payload['v']} and seq {payload['seq']}"
    return None


def _guarded(check: Callable[[Json, Place], Finding | None], payload: Json, place: Place) -> Finding | None:
    """The finding of a check; a body that it cannot read is a finding too."""
    try:
        return check(payload, place)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        message = f"the record's content cannot be read: {type(error).__name__}: {error}"
        return place.finding(payload, "payload-invalid", message)
