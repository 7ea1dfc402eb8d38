"""Signed records: how they are signed, exported, and verified by anyone who has the root's public key."""

from cardroom.audit.certificate import EphemeralSigner, KeysUnavailable, RootVerifier
from cardroom.audit.chain import Difference, Finding, Live, Replayed, Replayer
from cardroom.audit.export import ExportHeader, export_lines
from cardroom.audit.signature import RecordFault, RecordTooLarge
from cardroom.audit.span import Spans, audit_span, merge, report_of
from cardroom.audit.verify import Report, Span, verify_export

__all__ = [
    "Difference",
    "EphemeralSigner",
    "ExportHeader",
    "Finding",
    "KeysUnavailable",
    "Live",
    "RecordFault",
    "RecordTooLarge",
    "Replayed",
    "Replayer",
    "Report",
    "RootVerifier",
    "Span",
    "Spans",
    "audit_span",
    "export_lines",
    "merge",
    "report_of",
    "verify_export",
]
