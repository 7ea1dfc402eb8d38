"""Signed records: how they are signed, exported, and verified by anyone who has the root's public key."""

from cardroom.audit.certificate import EphemeralSigner, KeysUnavailable, RootVerifier
from cardroom.audit.chain import Difference, Finding, Replayer
from cardroom.audit.export import ExportHeader, export_lines
from cardroom.audit.signature import RecordFault, RecordTooLarge
from cardroom.audit.verify import Report, Span, verify_export

__all__ = [
    "Difference",
    "EphemeralSigner",
    "ExportHeader",
    "Finding",
    "KeysUnavailable",
    "RecordFault",
    "RecordTooLarge",
    "Replayer",
    "Report",
    "RootVerifier",
    "Span",
    "export_lines",
    "verify_export",
]
