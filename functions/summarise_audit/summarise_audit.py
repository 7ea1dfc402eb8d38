"""Sums up an audit: the last step of its state machine."""

from typing import Any

from cardroom.adapters.environment import reports
from cardroom.services import audit_tables


def handler(event: dict[str, Any], _context: object) -> audit_tables.AuditSummed:
    """The verdict of an audit, and where its report is."""
    return audit_tables.summarise_audit(reports(), audit=event["audit"])
