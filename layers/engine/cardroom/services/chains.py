"""A table's chain read from a ledger, whatever became of that."""

from __future__ import annotations

from collections.abc import Iterator

from cardroom import canonical
from cardroom.services.ports import Ledger
from cardroom.signing.signature import RecordFault, split

PAGE = 1_000


def numbered(
    ledger: Ledger, operator: str, table_id: str, *, after: int = 0, last: int | None = None
) -> Iterator[tuple[int, str]]:
    """The records that are stored with numbers above `after`, up to `last`, each with its number.

    A ledger that was meddled with may lack some: then the numbers are those that the records claim.
    """
    while last is None or after < last:
        limit = PAGE if last is None else min(PAGE, last - after)
        page = ledger.records(operator, table_id, after=after, limit=limit)
        if not page:
            return
        whole = _number(page[-1]) == after + len(page)
        for jws in page:
            after = after + 1 if whole else max(after + 1, _number(jws))
            if last is not None and after > last:
                return
            yield after, jws


def _number(jws: str) -> int:
    """The number that a record says it has, 0 where it says none."""
    try:
        seq = canonical.loads(split(jws).payload)["seq"]
    except (RecordFault, ValueError, KeyError, TypeError):
        return 0
    return seq if type(seq) is int else 0
