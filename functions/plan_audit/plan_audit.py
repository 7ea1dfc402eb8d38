"""Cuts the tables to audit into spans: the first step of the audit's state machine."""

from typing import Any

from cardroom.adapters.environment import clock, ledger, operators, reports
from cardroom.services import audit_tables


def handler(event: dict[str, Any], _context: object) -> audit_tables.AuditPlanned:
    """The plan of an audit, of `{audit, asked: {operators?, span_records?}}`; without operators, all are audited."""
    asked = event["asked"]
    return audit_tables.plan_audit(
        reports(),
        ledger(),
        operators(),
        clock(),
        audit=event["audit"],
        names=asked.get("operators"),
        span_records=asked.get("span_records", audit_tables.SPAN_RECORDS),
    )
