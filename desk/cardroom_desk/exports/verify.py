"""Exports verified with nothing but root keys, and what that finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cardroom.audit.replay import Replay
from cardroom.audit.verify import Report, verify_export
from cardroom.services.catalogue import published
from cardroom.shapes.records import PublicKey


def verified(export_: Iterable[bytes], roots: Sequence[PublicKey]) -> Report:
    """The report on an export: signatures and chain by the root keys, rounds played again by the rule sets here."""
    known = published()
    return verify_export(export_, roots, rulesets=known.hashes, replay=Replay(known), shapes=known.shapes)


def summary(report: Report) -> str:
    """What was looked at and what was found, in a sentence."""
    looked = f"{_counted(report.records, 'record')} of {_counted(len(report.tables), 'table')}"
    if report.ok:
        return f"{looked}: all hold."
    return f"{looked}: {_counted(len(report.findings), 'finding')}."


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
