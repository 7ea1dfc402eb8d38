"""Exports verified with nothing but root keys, and what that finds."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable

from cardroom.audit.replay import Replay
from cardroom.audit.verify import Report, verify_export
from cardroom.services.catalogue import published
from cardroom_desk.exports.audit import Asked


def verified(lines: Iterable[bytes], asked: Asked) -> Report:
    """The report on an export: signatures and chain by the root keys, rounds played again by the rule sets here."""
    known = published()
    with tempfile.TemporaryFile() as spool:
        return verify_export(
            lines,
            asked.roots,
            audience=asked.audience,
            rulesets=known.hashes,
            replay=Replay(known),
            shapes=known.shapes,
            overdue=asked.overdue,
            spool=spool,
        )
