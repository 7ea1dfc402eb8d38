"""Audits one span of a table's records: what the audit's state machine does many times at once."""

from cardroom.adapters.environment import auditor
from cardroom.services import audit_tables
from cardroom.shapes.audits import PlannedSpan


def handler(event: PlannedSpan, _context: object) -> audit_tables.SpanAudited:
    """How many records a span of the plan has, and how many findings; what they are is kept for the report."""
    return audit_tables.audit_planned(auditor(), event)
