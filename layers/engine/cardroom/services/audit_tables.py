"""The audit of a whole deployment: cut the tables into spans, audit each on its own, sum up. For many hands at once.

An audit has a name, and keeps its files under `audits/<name>/`, each written once, so that every step may be repeated:

    plan.json            what is audited, one span an item: a list that Step Functions reads
    spans/<number>.json  what was found in a span, as `merge` takes it
    spans/<number>.once  what it uses up that may come once, sorted
    report.json          the report
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Final, TypedDict

from cardroom import canonical
from cardroom.audit.finding import Finding
from cardroom.audit.once import Once, Run, as_run, merged, used_twice
from cardroom.audit.replay import Replay
from cardroom.audit.results import merge, report_of, resolved
from cardroom.audit.span import Numbered, audit_records
from cardroom.services.catalogue import Catalogue
from cardroom.services.chains import numbered
from cardroom.services.credentials import OperatorUnknown
from cardroom.services.ports import Archive, ArchiveConflict, Clock, Ledger, Operators
from cardroom.shapes.audits import AuditReport, PlannedSpan, SpanResult, Verdict
from cardroom.shapes.parts import TableState
from cardroom.shapes.records import PublicKey
from cardroom.signing.signature import RecordFault, split

SPAN_RECORDS: Final = 10_000
"""How many records a span has at most, if nothing else is asked for."""

_BACK: Final = 16  # records that are looked at first for the context of a span, then four times as many each time


@dataclass(frozen=True, slots=True, kw_only=True)
class Auditor:
    """What an audit works with. `roots` are the root's public keys, `audience` the deployment."""

    catalogue: Catalogue

    archive: Archive
    ledger: Ledger
    roots: Sequence[PublicKey]
    audience: str


class AuditPlanned(TypedDict):
    """An audit that is planned: the name of its list of spans, and how many there are."""

    audit: str
    plan: str
    spans: int


class SpanAudited(TypedDict):
    """A span that was audited: how many records it has, and how many findings."""

    audit: str
    span: int
    records: int
    findings: int


class AuditSummed(TypedDict):
    """An audit that was summed up: the name of its report, and what that comes to."""

    audit: str
    report: str
    verdict: Verdict
    records: int
    findings: int


def plan_audit(
    archive: Archive,
    ledger: Ledger,
    operators: Operators,
    clock: Clock,
    *,
    audit: str,
    names: Sequence[str] | None = None,
    span_records: int = SPAN_RECORDS,
) -> AuditPlanned:
    """Cut the tables of some operators (None: of all) into spans, up to where each table now is.

    Answers `{audit, plan, spans}`, `plan` being the name of the list of spans. Planned a second time it is the plan of
    the first time. Raises OperatorUnknown.
    """
    known = [one.operator for one in operators.list()]
    unknown = sorted(set(names or ()) - set(known))
    if unknown:
        raise OperatorUnknown(f"there is no operator {', '.join(unknown)}")
    chosen = known if names is None else sorted(set(names))
    until, spans = clock.now(), list[PlannedSpan]()
    for operator in chosen:
        for table_id in ledger.tables(operator):
            for after, last, ended in _cut(ledger, operator, table_id, span_records):
                spans.append(
                    {
                        "audit": audit,
                        "span": len(spans),
                        "until": until,
                        "operator": operator,
                        "table_id": table_id,
                        "after": after,
                        "last": last,
                        "ended": ended,
                    }
                )
    name = _name(audit, "plan.json")
    try:
        archive.put(name, canonical.dumps(spans))
    except ArchiveConflict:
        spans = canonical.loads_canonical(archive.get(name))  # planned before, when fewer records were there
    return {"audit": audit, "plan": name, "spans": len(spans)}


def audit_planned(auditor: Auditor, span: PlannedSpan) -> SpanAudited:
    """Audit one span of the plan, and keep what is found. Answers `{audit, span, records, findings}`."""
    operator, table_id, after, last = span["operator"], span["table_id"], span["after"], span["last"]
    once = Once()
    result = audit_records(
        numbered(auditor.ledger, operator, table_id, after=after, last=last),
        auditor.roots,
        operator=operator,
        table_id=table_id,
        contexts=_contexts(auditor.ledger, operator, table_id, after),
        last=last if span["ended"] else None,
        until=span["until"],
        audience=auditor.audience,
        rulesets=auditor.catalogue.hashes,
        replay=Replay(auditor.catalogue),
        shapes=auditor.catalogue.shapes,
        once=once,
    )
    auditor.archive.put(_span_name(span, "once"), as_run(merged(once.runs())))
    auditor.archive.put(_span_name(span), _bytes(result))
    records = sum(table["records"] for table in result["tables"])
    return {"audit": span["audit"], "span": span["span"], "records": records, "findings": len(result["findings"])}


def summarise_audit(archive: Archive, *, audit: str) -> AuditSummed:
    """Sum up an audit, and keep its report. Answers `{audit, report, verdict, records, findings}`.

    A span that was planned and has no result is a finding: what was not looked at is not in order. Raises KeyError if
    no such audit was planned.
    """
    plan: Sequence[PlannedSpan] = canonical.loads_canonical(archive.get(_name(audit, "plan.json")))
    there = set(archive.list(_name(audit, "spans/")))
    done = [span for span in plan if _span_name(span) in there]
    lost = [_lost(span) for span in plan if _span_name(span) not in there]
    runs = [Run(partial(archive.part, _span_name(span, "once"))) for span in done]
    report = report_of(merge(_by_table(archive, done)), more=[*lost, *used_twice(runs)])
    name = _name(audit, "report.json")
    archive.put(name, report_bytes(report))
    return {
        "audit": audit,
        "report": name,
        "verdict": report["verdict"],
        "records": report["records"],
        "findings": len(report["findings"]),
    }


def _by_table(archive: Archive, spans: Iterable[PlannedSpan]) -> Iterator[SpanResult]:
    """The results table by table, no suspicion left: a position says something within its own table only."""
    for _, of_table in groupby(spans, key=lambda span: (span["operator"], span["table_id"])):
        yield resolved(merge(json.loads(archive.get(_span_name(span))) for span in of_table))


def report_bytes(report: AuditReport) -> bytes:
    """A report as it is kept: canonical JSON and a line's end, so that equal reports are equal bytes."""
    return b"".join(report_pieces(report))


def report_pieces(report: AuditReport) -> Iterator[bytes]:
    """The same piece by piece, so that a long report need not be held twice."""
    yield from _pieces(report, 3)
    yield b"\n"


def _pieces(value: object, depth: int) -> Iterator[bytes]:
    """Canonical JSON, the members of objects and lists one by one down to a depth."""
    if depth and isinstance(value, dict) and value:
        for number, name in enumerate(sorted(value)):
            yield (b"," if number else b"{") + _bytes(name) + b":"
            yield from _pieces(value[name], depth - 1)
        yield b"}"
    elif depth and isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield b"," if number else b"["
            yield from _pieces(item, depth - 1)
        yield b"]"
    else:
        yield _bytes(value)


def _bytes(value: object) -> bytes:
    """Canonical JSON, but for sums that may be beyond 2^53: they are exact."""
    return canonical.dumps(value, largest=math.inf)


def _cut(ledger: Ledger, operator: str, table_id: str, size: int) -> Iterator[tuple[int, int, bool]]:
    head = ledger.head(operator, table_id)
    end = head.seq if head is not None else 0
    for after in range(0, end, size):
        last = min(after + size, end)
        yield after, last, last == end


def _contexts(ledger: Ledger, operator: str, table_id: str, after: int) -> Iterator[Sequence[Numbered]]:
    """The records before a span, from before its last one back to one that left nothing open, a live round or a shoe.

    Then more of them, up to all.
    """
    back = _BACK
    while after:
        begin = max(after - back, 0)
        before = list(numbered(ledger, operator, table_id, after=begin, last=after))
        for place in range(len(before) - 2, -1, -1):
            if begin and _leaves_nothing(before[place][1]):
                yield before[place:]
                break
        if begin == 0:
            yield before
            return
        back *= 4
    yield ()


def _leaves_nothing(jws: str) -> bool:
    try:
        table: TableState = canonical.loads(split(jws).payload)["table_after"]
        return table["live"] is None and table.get("shoe") is None
    except (RecordFault, ValueError, KeyError, TypeError):
        return False  # what is wrong with it is told by the span that it is in


def _lost(span: PlannedSpan) -> Finding:
    where = f"records {span['after'] + 1} to {span['last']} of table {span['table_id']} of {span['operator']}"
    return Finding(
        code="span-unaudited", message=f"{where} could not be audited", table_id=span["table_id"], seq=span["after"] + 1
    )


def _name(audit: str, file: str) -> str:
    return f"audits/{audit}/{file}"


def _span_name(span: PlannedSpan, what: str = "json") -> str:
    return _name(span["audit"], f"spans/{span['span']:08}.{what}")
