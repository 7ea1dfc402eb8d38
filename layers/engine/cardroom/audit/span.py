"""Audit a span of records, and add spans up: the same for a file on a laptop and for thousands of Lambdas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import product
from typing import Any, Final

from cardroom.audit import listed
from cardroom.audit.chain import Table
from cardroom.audit.finding import Finding, Place, Suspicion
from cardroom.audit.once import Once
from cardroom.audit.replayer import Live, Replayer
from cardroom.audit.results import END, finding_json, nothing_found, suspicion_json
from cardroom.audit.tally import Tally
from cardroom.rounds.record import RECORD_VERSION, record_sha256
from cardroom.shapes.audits import SpanResult, TableOfSpan
from cardroom.shapes.check import Fault
from cardroom.shapes.parts import GameJson
from cardroom.shapes.records import PublicKey, Record
from cardroom.shapes.whole import RecordShapes
from cardroom.signing.certificate import RootVerifier, parse_time
from cardroom.signing.signature import Malformed, RecordFault, check_version

OVERDUE: Final = timedelta(hours=24)
"""How long a round or a shoe may stay open before that is a finding, if nothing else is asked for."""


Numbered = tuple[int, str]
"""A record, and the number under which it is stored."""


class RecordsAudit:
    """Audits records as they come, of any number of tables, each table's in order.

    `rulesets` are the known rule sets by id with their hash (None: not checked), `replay` plays the rounds again
    (None: they are not), `shapes` are what records may hold (None: only the outer form is looked at), `gaps` allows
    numbers to be passed over, `operator` is whose records they must be (None: the first record's), `once` keeps what
    may come once in all that is audited (None: nobody asks).
    """

    def __init__(
        self,
        verifier: RootVerifier,
        *,
        rulesets: Mapping[str, str] | None = None,
        replay: Replayer | None = None,
        shapes: RecordShapes | None = None,
        gaps: bool = False,
        operator: str | None = None,
        once: Once | None = None,
        context: bool = False,
    ) -> None:
        self.operator = operator
        self._context = context
        self.tables: dict[str, Table] = {}
        self.findings: list[Finding] = []
        self.unread: list[int] = []
        self._verifier = verifier
        self._rulesets = rulesets
        self._replay = replay
        self._shapes = shapes
        self._gaps = gaps
        self.once = once
        self._tally = Tally()
        self._signed_by: Counter[tuple[str, str, str, str]] = Counter()

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong with all that was taken, so that it tells how the tables stand."""
        return not self.findings and all(table.sound for table in self.tables.values())

    def take(self, jws: str, place: Place) -> None:
        """Take the next record."""
        try:
            verified = self._verifier.verified(jws)
            payload = verified.payload
            check_version(payload, RECORD_VERSION)
        except RecordFault as fault:
            self._unreadable(place, fault.code, str(fault))
            return
        if (wrong := self._outer_fault(payload)) is not None:
            named = {"field": wrong.path} if wrong.path else {}
            self._unreadable(place, Malformed.code, f"not the shape of a record: {wrong}", **named)
            return
        if self.operator not in (None, payload["operator"]):
            details = {"field": "operator", "expected": self.operator, "found": payload["operator"]}
            self._unreadable(place, "operator-foreign", "a record of another operator", **details)
            return
        self.operator = payload["operator"]
        table = self.tables.get(payload["table_id"])
        if table is None:
            table = Table(gaps=self._gaps, rulesets=self._rulesets, replay=self._replay, context=self._context)
            self.tables[payload["table_id"]] = table
        live = table.round
        finding = table.follow(payload, record_sha256(jws), place, verified.deployment)
        engine = payload["engine"]
        self._signed_by[verified.root, verified.deployment, str(engine.get("version")), str(engine.get("sha256"))] += 1
        taken = table.position == place.position  # and not there twice, or late
        if taken and self.once is not None and payload["kind"] in table.kinds:
            self.once.note(payload, table.kinds[payload["kind"]], place)
            self._note_basis(self.once, table, live, payload, place)
        if finding is None:
            own = live if live is not None and live.round_id == payload["round_id"] else None
            self._tally.take(payload, _opening(payload, own), own)

    def _note_basis(self, once: Once, table: Table, live: Live | None, payload: Record, place: Place) -> None:
        """Note what a settlement or a correction leaves to be corrected, and what a correction was made from."""
        if self._replay is None or payload["kind"] not in ("settled", "corrected"):
            return
        own = live if live is not None and live.round_id == payload["round_id"] else None
        with suppress(Exception):  # whatever a record holds: what is wrong with it has been said
            left = self._replay.basis(own, payload, table.sha256 or "")
            if left is not None:
                once.note_basis(left, payload, place, used=False)
            if payload["kind"] == "corrected" and table.knows(payload):
                once.note_basis(payload["body"]["basis"], payload, place, used=True)

    def begin_here(self) -> None:
        """Forget what was counted and found so far: it was only the context of what follows."""
        self.findings.clear()
        self.unread.clear()
        self._tally = Tally()
        self._signed_by.clear()
        self._context = False
        for table in self.tables.values():
            table.begin_here()

    def _outer_fault(self, payload: Record) -> Fault | None:
        if self._shapes is not None:
            return self._shapes.fault(payload)
        return None if (fault := outer_fault(payload)) is None else Fault("", fault)

    def _unreadable(self, place: Place, code: str, message: str, **details: Any) -> None:
        self.unread.append(place.position)
        if place.table_id is not None:
            details |= {"operator": self.operator, "table_id": place.table_id, "seq": place.position}
        self.findings.append(Finding(line=place.line, record=place.record, code=code, message=message, **details))

    def result(
        self,
        *,
        after: int | None = 0,
        until: str | None = None,
        ended: bool = True,
        gaps: bool | None = None,
        overdue: timedelta = OVERDUE,
    ) -> SpanResult:
        """What was found, as JSON that `merge` adds up.

        `after` is the number before the first record of each table (None: not known), `until` the time up to which
        the records were written: what was open for `overdue` by then, or by the table's last record, is a finding.
        `ended` is False where more records follow in the next span, `gaps` says whether numbers may be passed over, if
        that is known better now.
        """
        findings, suspicions, result = list(self.findings), list[Suspicion](), nothing_found()
        for table_id, table in sorted(self.tables.items()):
            findings += table.findings
            suspicions += table.suspicions(after, gaps=self._gaps if gaps is None else gaps)
            for payload, place in table.waiting() if ended else ():
                if until is not None and _is_overdue(payload, max(until, table.at), overdue):
                    late = _unended(payload, place)
                    suspicions.append(Suspicion(table.position, END, 1, late, None))  # unless its end can't be read
            listed.add(result["listed"], table.listed)
            result["held"] += table.proof.held
            result["unproved"] += table.proof.unproved
            if table.records:
                result["tables"].append(self._of_span(table_id, table))
        result["findings"] = [finding_json(finding) for finding in findings]
        result["unread"] = self.unread
        result["suspicions"] = [suspicion_json(one) for one in suspicions]
        result["signed_by"] = [
            {
                "root": root,
                "deployment": deployment,
                "engine": {"version": version, "sha256": sha256},
                "records": number,
            }
            for (root, deployment, version, sha256), number in sorted(self._signed_by.items())
        ]
        result["tally"] = self._tally.to_json()
        return result

    def _of_span(self, table_id: str, table: Table) -> TableOfSpan:
        return {
            "operator": self.operator,
            "table_id": table_id,
            "records": table.records,
            "first": table.first,
            "last": table.seq,
            "sha256": table.sha256,
            "position": table.position,
            "round_id": table.round_id,
            "live": table.live,
        }


def audit_records(
    records: Iterable[Numbered],
    roots: Sequence[PublicKey],
    *,
    operator: str,
    table_id: str,
    contexts: Iterable[Sequence[Numbered]] = ((),),
    last: int | None = None,
    until: str | None = None,
    audience: str | None = None,
    rulesets: Mapping[str, str] | None = None,
    replay: Replayer | None = None,
    shapes: RecordShapes | None = None,
    once: Once | None = None,
    overdue: timedelta = OVERDUE,
) -> SpanResult:
    """Audit some records of one table, each with the number under which it is stored; JSON for `merge`.

    `contexts` are the records just before, a few and then more of them: the first run of them that is sound is
    followed, and not judged. It begins before a record that left no live round and no open shoe. `last` is the table's
    last number (None: more records follow in the next span).
    """
    verifier, audit = RootVerifier(roots, audience), None
    for before in contexts:
        audit = RecordsAudit(
            verifier, rulesets=rulesets, replay=replay, shapes=shapes, operator=operator, context=bool(before)
        )
        for number, jws in before:
            audit.take(jws, Place(position=number))
        if audit.sound:
            break
    if audit is None:
        raise ValueError("no context is given, not even an empty one")
    audit.begin_here()
    audit.once = once
    for number, jws in records:
        audit.take(jws, Place(position=number, table_id=table_id))
    result = audit.result(until=until, ended=last is not None, overdue=overdue)
    table = audit.tables.get(table_id)
    seq, position = (0, 0) if table is None else (table.seq, table.position)
    if last is not None and seq < last:
        message = f"the table's head is record {last}, the last one here is {seq}"
        named: dict[str, Any] = {"operator": operator, "table_id": table_id, "seq": last, "field": "seq"}
        gone = Finding(code="record-missing", message=message, expected=last, found=seq, **named)
        result["suspicions"].append(suspicion_json(Suspicion(position, END, last - seq, gone, None)))
    return result


def _opening(payload: Record, live: Live | None) -> GameJson | None:
    """The request by which the record's round, `live` if it is known, was opened."""
    if payload["kind"] == "opened":
        return payload["request"]
    if live is not None:
        terms = live.terms()
    else:
        opened = payload["body"].get("opened", {})
        terms = opened.get("terms") if isinstance(opened, dict) else None
    return None if terms is None else terms["request"]


def _is_overdue(payload: Record, until: str, overdue: timedelta) -> bool:
    return parse_time(until) - parse_time(payload["at"]) >= overdue


def _unended(payload: Record, place: Place) -> Finding:
    """What is wrong if what a record began or went on with was never ended."""
    kind, at = payload["kind"], payload["at"]
    code, expected, message = {
        "opened": (
            "round-unsettled",
            ["dealt", "voided"],
            f"the round was opened at {at} and neither dealt nor voided",
        ),
        "set": (
            "round-unsettled",
            ["settled", "voided"],
            f"the hands of the round were set at {at}, and it was neither settled nor voided",
        ),
        "dealt": (
            "round-unsettled",
            ["settled", "voided"],
            f"the round was dealt at {at} and neither settled nor voided",
        ),
        "shoe_opened": ("shoe-unclosed", ["shoe_closed"], f"the shoe was opened at {at} and never closed"),
    }[kind]
    return place.finding(payload, code, message, field="kind", expected=expected)


# The outer form of a record


_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "at": (str,),
    "body": (dict,),
    "engine": (dict,),
    "kind": (str,),
    "operator": (str,),
    "prev": (str, type(None)),
    "request": (dict,),
    "round_id": (str,),
    "ruleset": (dict, type(None)),
    "seq": (int,),
    "table_after": (dict,),
    "table_id": (str,),
    "v": (int,),
}
_NAMES: Final = [*_TYPES]  # in the order of canonical JSON
_SHAPES: Final = frozenset(product(*_TYPES.values()))


def outer_fault(payload: Record) -> str | None:
    """What is wrong with the outer form of a record's payload, None if nothing is."""
    if [*payload] != _NAMES:
        return f"the fields are {', '.join(payload)}"
    if tuple(map(type, payload.values())) not in _SHAPES:
        name, value = next((name, value) for name, value in payload.items() if type(value) not in _TYPES[name])
        return f"{name} is {value!a}"
    if payload["v"] != RECORD_VERSION or payload["seq"] < 1:
        return f"v is {payload['v']} and seq {payload['seq']}"
    return None
