"""Audits one span of a table's records: what the audit's state machine does many times at once."""

from typing import Any

from cardroom.adapters.environment import auditor
from cardroom.services import audit_tables


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """How many records a span of the plan has, and how many findings; what they are is kept for the report."""
    return audit_tables.audit_planned(auditor(), event)
