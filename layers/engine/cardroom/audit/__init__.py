"""Signed records: how they are signed, exported, and verified by anyone who has the root's public key."""

from cardroom.audit.certificate import EphemeralSigner, KeysUnavailable, RootVerifier
from cardroom.audit.signature import RecordFault, RecordTooLarge

__all__ = ["EphemeralSigner", "KeysUnavailable", "RecordFault", "RecordTooLarge", "RootVerifier"]
