"""How much of a table's records was proved, and what of the rest waits, or cannot be proved from what is here."""

from __future__ import annotations

from collections.abc import Iterable

from cardroom.audit.listed import named
from cardroom.shapes.audits import Unproved, WhyUnproved
from cardroom.shapes.records import Record


class Proof:
    """Counts records: those that hold, and those of which that cannot be said, by why.

    A record without a fault `held` once all was looked at that it says, the seed behind its cards too. What is not
    proved has at most one entry for each reason, and one for each thing that is waited for.
    """

    def __init__(self, *, replayed: bool) -> None:
        self.held = 0
        self._missing: WhyUnproved = "record-missing" if replayed else "not-replayed"
        self.unproved: list[Unproved] = []

    def count(self, payload: Record, records: int, *, proved: bool) -> None:
        """Count a record, and those that it ends, which hold with it if all about it is known."""
        if proved:
            self.held += records
        else:
            self.leave(payload, records)

    def leave(self, payload: Record, records: int, why: WhyUnproved | None = None) -> None:
        """Count records that cannot be proved; without `why`, since something that they hang on is not here."""
        self.unproved = joined([*self.unproved, {**named(payload), "why": why or self._missing, "records": records}])


def joined(entries: Iterable[Unproved]) -> list[Unproved]:
    """Entries of the same table and reason as one, named by the first record; what waits is one entry each."""
    found: dict[tuple[str, ...], Unproved] = {}
    for one in sorted(entries, key=lambda entry: entry["seq"]):
        waits = one["why"] in ("round-live", "shoe-open")
        key = (one["operator"], one["table_id"], one["why"], one["round_id"] if waits else "")
        held = found.get(key)
        found[key] = one if held is None else {**held, "records": held["records"] + one["records"]}
    return list(found.values())
