"""Results of spans added up, doubts resolved, and the report on them: the same however the work was cut."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, cast

from cardroom.audit import listed
from cardroom.audit.finding import Finding, Suspicion
from cardroom.audit.proof import joined
from cardroom.audit.tally import Tally, counts_of, totals
from cardroom.shapes.audits import (
    AuditReport,
    FindingJson,
    SignedBy,
    SpanResult,
    SuspicionJson,
    TableListed,
    TableOfSpan,
)

END: Final = 10**15
"""A position after all others."""


def nothing_found() -> SpanResult:
    """The result of no record."""
    return {
        "tables": [],
        "findings": [],
        "unread": [],
        "suspicions": [],
        "held": 0,
        "unproved": [],
        "listed": listed.nothing_listed(),
        "signed_by": [],
        "tally": Tally().to_json(),
    }


def merge(results: Iterable[SpanResult]) -> SpanResult:
    """The results of several spans as one; in any order and grouping it comes to the same."""
    whole, tally = nothing_found(), Tally()
    for result in results:
        whole["tables"] += result["tables"]
        whole["findings"] += result["findings"]
        whole["unread"] += result["unread"]
        whole["suspicions"] += result["suspicions"]
        whole["held"] += result["held"]
        whole["unproved"] += result["unproved"]
        listed.add(whole["listed"], result["listed"])
        whole["signed_by"] += result["signed_by"]
        tally.add(result["tally"])
    whole["tables"] = _joined(whole["tables"])
    whole["findings"].sort(key=_order)
    whole["unread"].sort()
    whole["signed_by"] = _counted(whole["signed_by"])
    whole["suspicions"].sort(key=_order)
    whole["unproved"] = sorted(joined(whole["unproved"]), key=_order)
    for items in whole["listed"].values():
        cast("list[Any]", items).sort(key=_order)
    whole["listed"]["banking"] = listed.joined(whole["listed"]["banking"])
    whole["tally"] = tally.to_json()
    return whole


def resolved(merged: SpanResult, *, garbled: Sequence[int] = (), more: Iterable[Finding] = ()) -> SpanResult:
    """The result with no suspicion left: what was passed over is missing, unless it stands where nothing can be read.

    `garbled` are lines that could not be read at all, so that any number of records may have stood there, `more` are
    findings on a file as a whole.
    """
    doubts = (_resolved(one, merged["unread"], garbled) for one in merged["suspicions"])
    findings = [*merged["findings"], *(one for one in doubts if one is not None), *map(finding_json, more)]
    return {**merged, "findings": sorted(findings, key=_order), "suspicions": [], "unread": []}


def between(positions: Sequence[int], after: int, before: int) -> int:
    """How many of the sorted positions lie between two others."""
    return bisect_left(positions, before) - bisect_right(positions, after)


def foreign_engines(merged: SpanResult, engines: Collection[str]) -> Iterator[Finding]:
    """A finding for each engine that signed records and is none of those asked for by digest (none: any may)."""
    for engine, records in sorted(_engines(merged["signed_by"]).items()) if engines else ():
        version, sha256 = engine
        if sha256 not in engines:
            message = f"{records} of the records were signed by another engine, of version {version}"
            expected = sorted(engines)
            yield Finding(
                code="engine-foreign", message=message, field="engine.sha256", expected=expected, found=sha256
            )


def _engines(signed_by: Iterable[SignedBy]) -> Counter[tuple[str, str]]:
    counted: Counter[tuple[str, str]] = Counter()
    for one in signed_by:
        counted[one["engine"]["version"], one["engine"]["sha256"]] += one["records"]
    return counted


def _counted(signed_by: Iterable[SignedBy]) -> list[SignedBy]:
    """Each root, deployment and engine once."""
    found: dict[tuple[str, ...], SignedBy] = {}
    for one in signed_by:
        key = (one["root"], one["deployment"], one["engine"]["version"], one["engine"]["sha256"])
        found[key] = {**one, "records": one["records"] + (found[key]["records"] if key in found else 0)}
    return [found[key] for key in sorted(found)]


def report_of(merged: SpanResult, *, more: Iterable[Finding] = ()) -> AuditReport:
    """The report on all that was merged, and `more` findings: verdict, what is listed, totals, the counts for plots.

    The same results give the same report, byte for byte in canonical JSON, wherever they were made: so a record that
    its table and number name is not named by its line as well.
    """
    closed = resolved(merged, more=more)
    findings, cells = [_placed(found) for found in closed["findings"]], closed["tally"]["cells"]
    records = sum(table["records"] for table in closed["tables"])
    if not records and not findings:
        findings = [finding_json(Finding(code="no-records", message="there is no record"))]
    return {
        "report": 2,
        "verdict": "fail" if findings else "incomplete" if closed["unproved"] else "pass",
        "records": records,
        "rounds": sum(cell["rounds"] for cell in cells),
        "held": closed["held"],
        "unproved": closed["unproved"],
        "findings": findings,
        "listed": {**closed["listed"], "banking": listed.to_be_seen(closed["listed"]["banking"])},
        "signed_by": closed["signed_by"],
        "tables": [_listed(table) for table in closed["tables"]],
        "totals": {
            "tables": totals(cells, ("operator", "table_id")),
            "rulesets": totals(cells, ("ruleset",)),
            "days": totals(cells, ("day",)),
        },
        "counts": counts_of(closed["tally"]),
    }


def _placed(found: FindingJson) -> FindingJson:
    if "seq" not in found:
        return found
    return cast("FindingJson", {name: value for name, value in found.items() if name not in ("line", "record")})


def finding_json(finding: Finding) -> FindingJson:
    """A finding without what it does not say."""
    said = {name: value for name, value in asdict(finding).items() if value is not None}
    return cast("FindingJson", said)  # its members are the fields of `Finding`


def suspicion_json(one: Suspicion) -> SuspicionJson:
    """A suspicion as a span tells it."""
    late = None if one.late is None else finding_json(one.late)
    return {
        "table_id": one.gone.table_id,
        "after": one.after,
        "before": one.before,
        "missing": one.missing,
        "gone": finding_json(one.gone),
        "late": late,
    }


def _resolved(suspicion: SuspicionJson, unread: Sequence[int], garbled: Sequence[int]) -> FindingJson | None:
    place = suspicion["after"], suspicion["before"]
    gone = suspicion["missing"] > between(unread, *place) and not between(garbled, *place)
    return suspicion["gone"] if gone else suspicion["late"]


def _order(item: Mapping[str, Any]) -> tuple[Any, ...]:
    named = (item.get("operator") or "", item.get("table_id") or "", item.get("seq") or item.get("first") or 0)
    return (*named, item.get("line") or item.get("before") or 0, item.get("code", ""), item.get("why", ""))


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
    found: dict[tuple[str | None, str], TableOfSpan] = {}
    for one in sorted(tables, key=_order):
        key = (one["operator"], one["table_id"])
        held = found.get(key)
        if held is not None:
            round_id = one["round_id"] if one["round_id"] == held["round_id"] else None
            records = held["records"] + one["records"]
            found[key] = {**one, "first": held["first"], "records": records, "round_id": round_id}
        else:
            found[key] = one
    return list(found.values())
