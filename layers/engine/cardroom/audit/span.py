"""Audit a span of records, and add spans up: the same for a file on a laptop and for thousands of Lambdas."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from itertools import product
from typing import Any, Final, cast

from cardroom.audit.chain import Table
from cardroom.audit.finding import Finding, Place, Suspicion
from cardroom.audit.replayer import Live, Replayer
from cardroom.audit.tally import Tally, counts_of, totals
from cardroom.rounds.record import record_sha256
from cardroom.shapes.audits import (
    AuditReport,
    ClockBack,
    FindingJson,
    PendingShoe,
    SpanResult,
    SuspicionJson,
    TableListed,
    TableOfSpan,
    VoidListed,
)
from cardroom.shapes.check import Fault
from cardroom.shapes.parts import GameJson
from cardroom.shapes.records import PublicKey, Record
from cardroom.shapes.whole import RecordShapes
from cardroom.signing.certificate import RootVerifier, parse_time
from cardroom.signing.signature import Malformed, RecordFault

UNSETTLED_AFTER: Final = timedelta(hours=1)
"""How long after its deal a round that is neither settled nor voided is a finding; until then it is in play."""

END: Final = 10**15
"""A position after all others."""

_LISTS: Final = ("tables", "findings", "unread", "suspicions", "in_play", "voids", "clock_back", "pending")


class RecordsAudit:
    """Audits records as they come, of any number of tables, each table's in order.

    `rulesets` are the known rule sets by id with their hash (None: not checked), `replay` plays the rounds again
    (None: they are not), `shapes` are what records may hold (None: only the outer form is looked at), `gaps` allows
    numbers to be passed over, `operator` is whose records they must be (None: the first record's).
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
    ) -> None:
        self.operator = operator
        self.tables: dict[str, Table] = {}
        self.findings: list[Finding] = []
        self.unread: list[int] = []
        self._verifier = verifier
        self._rulesets = rulesets
        self._replay = replay
        self._shapes = shapes
        self._gaps = gaps
        self._tally = Tally()

    def take(self, jws: str, place: Place, *, context: bool = False) -> None:
        """Take the next record; one that is only `context` of what follows is neither counted nor judged."""
        try:
            payload = self._verifier.verify(jws)
        except RecordFault as fault:
            if not context:
                self._unreadable(place, fault.code, str(fault))
            return
        if (wrong := self._outer_fault(payload)) is not None:
            if not context:
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
            table = Table(gaps=self._gaps, rulesets=self._rulesets, replay=self._replay)
            self.tables[payload["table_id"]] = table
        live = table.round
        good = table.follow(payload, record_sha256(jws), place)
        if context:
            table.begin_here()
        elif good:
            self._tally.take(payload, _opening(payload, live))

    def _outer_fault(self, payload: Record) -> Fault | None:
        if self._shapes is not None:
            return self._shapes.fault(payload)
        return None if (fault := outer_fault(payload)) is None else Fault("", fault)

    def _unreadable(self, place: Place, code: str, message: str, **details: Any) -> None:
        self.unread.append(place.position)
        self.findings.append(Finding(line=place.line, record=place.record, code=code, message=message, **details))

    def result(self, *, after: int | None = 0, until: str | None = None, ended: bool = True) -> SpanResult:
        """What was found, as JSON that `merge` adds up.

        `after` is the number before the first record of each table (None: not known), `until` the time up to which
        the records were written (a round that was dealt long before and never settled is a finding), `ended` is
        False where more records follow in the next span.
        """
        findings, in_play = list(self.findings), list[Finding]()
        suspicions, pending = list[Suspicion](), list[PendingShoe]()
        voids, clock_back = list[VoidListed](), list[ClockBack]()
        for _, table in sorted(self.tables.items()):
            findings += table.findings
            voids += table.voids
            clock_back += table.clock_back
            suspicions += table.close(after)
            unsettled = table.unsettled() if ended else None
            if unsettled is not None and _is_late(table.round, until):
                suspicions.append(Suspicion(table.position, END, 1, unsettled, None))  # unless its end can't be read
            elif unsettled is not None:
                in_play.append(unsettled)
            if ended and (waiting := table.pending()) is not None:
                pending.append(waiting)
        tables: list[TableOfSpan] = [
            {
                "operator": self.operator,
                "table_id": name,
                "records": table.records,
                "first": table.first,
                "last": table.seq,
                "sha256": table.sha256,
                "position": table.position,
                "live": table.live,
            }
            for name, table in sorted(self.tables.items())
            if table.records
        ]
        return {
            "tables": tables,
            "findings": [finding_json(finding) for finding in findings],
            "unread": self.unread,
            "suspicions": [_suspicion_json(one) for one in suspicions],
            "in_play": [finding_json(finding) for finding in in_play],
            "voids": voids,
            "clock_back": clock_back,
            "pending": pending,
            "tally": self._tally.to_json(),
        }


def audit_records(
    records: Iterable[str],
    roots: Sequence[PublicKey],
    *,
    after: int = 0,
    context: Iterable[str] = (),
    until: str | None = None,
    ended: bool = True,
    operator: str | None = None,
    audience: str | None = None,
    rulesets: Mapping[str, str] | None = None,
    replay: Replayer | None = None,
    shapes: RecordShapes | None = None,
) -> SpanResult:
    """Audit consecutive records of one table, the first of them number `after` + 1; JSON for `merge`.

    `context` are the records just before, back to the last one that left no live round and no open shoe; they are
    followed, not judged.
    """
    verifier = RootVerifier(roots, audience)
    spans = RecordsAudit(verifier, rulesets=rulesets, replay=replay, shapes=shapes, operator=operator)
    before = list(context)
    for position, jws in enumerate(before, start=after - len(before) + 1):
        spans.take(jws, Place(position=position), context=True)
    for position, jws in enumerate(records, start=after + 1):
        spans.take(jws, Place(position=position))
    return spans.result(after=after, until=until, ended=ended)


def merge(results: Iterable[SpanResult]) -> SpanResult:
    """The results of several spans as one; in any order and grouping it comes to the same."""
    lists: dict[str, list[Any]] = {name: [] for name in _LISTS}
    tally = Tally()
    for result in results:
        given: Mapping[str, Any] = result
        for name, items in lists.items():
            items.extend(given[name])
        tally.add(result["tally"])
    for name, items in lists.items():
        if name != "unread":
            items.sort(key=_order)
    return {
        "tables": _joined(lists["tables"]),
        "findings": lists["findings"],
        "unread": sorted(lists["unread"]),
        "suspicions": lists["suspicions"],
        "in_play": lists["in_play"],
        "voids": lists["voids"],
        "clock_back": lists["clock_back"],
        "pending": lists["pending"],
        "tally": tally.to_json(),
    }


def resolved(merged: SpanResult, *, garbled: Sequence[int] = (), more: Iterable[Finding] = ()) -> SpanResult:
    """The result with no suspicion left: what was passed over is missing, unless it stands where nothing can be read.

    `garbled` are lines that could not be read at all, so that any number of records may have stood there, `more` are
    findings on a file as a whole.
    """
    doubts = (_resolved(one, merged["unread"], garbled) for one in merged["suspicions"])
    findings = [*merged["findings"], *(one for one in doubts if one is not None), *map(finding_json, more)]
    return {**merged, "findings": sorted(findings, key=_order), "suspicions": [], "unread": []}


def report_of(merged: SpanResult, *, more: Iterable[Finding] = ()) -> AuditReport:
    """The report on all that was merged, and `more` findings: verdict, what is listed, totals, the counts for plots.

    The same results give the same report, byte for byte in canonical JSON, wherever they were made.
    """
    closed = resolved(merged, more=more)
    findings, cells = closed["findings"], closed["tally"]["cells"]
    records = sum(table["records"] for table in closed["tables"])
    if not records and not findings:
        findings = [finding_json(Finding(code="no-records", message="there is no record"))]
    return {
        "report": 1,
        "verdict": "fail" if findings else "pass",
        "records": records,
        "rounds": sum(cell["rounds"] for cell in cells),
        "findings": findings,
        "in_play": closed["in_play"],
        "pending": closed["pending"],
        "clock_back": closed["clock_back"],
        "voids": sorted(closed["voids"], key=lambda void: (void["banker"] or "", *_order(void))),
        "tables": [_listed(table) for table in closed["tables"]],
        "totals": {
            "tables": totals(cells, ("operator", "table_id")),
            "rulesets": totals(cells, ("ruleset",)),
            "days": totals(cells, ("day",)),
        },
        "counts": counts_of(closed["tally"]),
    }


def finding_json(finding: Finding) -> FindingJson:
    """A finding without what it does not say."""
    said = {name: value for name, value in asdict(finding).items() if value is not None}
    return cast("FindingJson", said)  # its members are the fields of `Finding`


def between(positions: Sequence[int], after: int, before: int) -> int:
    """How many of the sorted positions lie between two others."""
    return bisect_left(positions, before) - bisect_right(positions, after)


def _resolved(suspicion: SuspicionJson, unread: Sequence[int], garbled: Sequence[int]) -> FindingJson | None:
    place = suspicion["after"], suspicion["before"]
    gone = suspicion["missing"] > between(unread, *place) and not between(garbled, *place)
    return suspicion["gone"] if gone else suspicion["late"]


def _suspicion_json(one: Suspicion) -> SuspicionJson:
    late = None if one.late is None else finding_json(one.late)
    return {
        "table_id": one.gone.table_id,
        "after": one.after,
        "before": one.before,
        "missing": one.missing,
        "gone": finding_json(one.gone),
        "late": late,
    }


def _order(item: Mapping[str, Any]) -> tuple[Any, ...]:
    where = item.get("line") or item.get("before") or 0
    named = (item.get("operator") or "", item.get("table_id") or "", item.get("seq") or item.get("first") or 0)
    return (*named, where, item.get("code", ""))


def _listed(table: TableOfSpan) -> TableListed:
    """A table as the report lists it."""
    return {
        "operator": table["operator"],
        "table_id": table["table_id"],
        "records": table["records"],
        "first": table["first"],
        "last": table["last"],
        "sha256": table["sha256"],
        "live": table["live"],
    }


def _joined(tables: Sequence[TableOfSpan]) -> list[TableOfSpan]:
    """The spans of each table as one."""
    joined: dict[tuple[str | None, str], TableOfSpan] = {}
    for one in tables:  # in order of their first numbers
        key = (one["operator"], one["table_id"])
        held = joined.get(key)
        joined[key] = (
            one if held is None else {**one, "first": held["first"], "records": held["records"] + one["records"]}
        )
    return list(joined.values())


def _opening(payload: Record, live: Live | None) -> GameJson | None:
    """The request by which the record's round was opened."""
    if payload["kind"] == "opened":
        return payload["request"]
    if live is not None and live.round_id == payload["round_id"]:
        terms = live.terms()
    else:
        opened = payload["body"].get("opened", {})
        terms = opened.get("terms") if isinstance(opened, dict) else None
    return None if terms is None else terms["request"]


def _is_late(live: Live | None, until: str | None) -> bool:
    if live is None or live.dealt is None or until is None:
        return False
    return parse_time(until) - parse_time(live.dealt["at"]) >= UNSETTLED_AFTER


# The outer form of a record


_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "at": (str,),
    "body": (dict,),
    "engine": (str,),
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
    if payload["v"] != 1 or payload["seq"] < 1:
        return f"v is {payload['v']} and seq {payload['seq']}"
    return None
