"""Numbers that a chain passed over: they may still come, late, or stand on lines that could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cardroom.audit.finding import Place, Suspicion
from cardroom.shapes.records import Record


@dataclass(slots=True, kw_only=True)
class Gap:
    """Numbers from `low` to `high` that were passed over before the record at a place."""

    place: Place
    payload: Record
    low: int
    high: int
    after: int  # the position of the record before it, 0: there is none
    came: set[int] = field(default_factory=set)

    def suspicion(self) -> Suspicion | None:
        """What is wrong unless records between the two, which could not be verified, are the ones."""
        missing = self.high - self.low + 1 - len(self.came)
        details = {"field": "seq", "expected": self.low, "found": self.high + 1}
        named = f"record {self.low}" if self.low == self.high else f"records {self.low} to {self.high}"
        late = None
        if self.came:
            late = self.place.finding(self.payload, "record-reordered", f"{named} should come before", **details)
        elif not missing:
            return None
        gone = self.place.finding(self.payload, "record-missing", f"{named} should come before", **details)
        return Suspicion(self.after, self.place.position, missing, gone, late)


class Gaps:
    """The gaps of one chain, in order; `allowed` says that numbers may be passed over."""

    def __init__(self, *, allowed: bool) -> None:
        self.allowed = allowed
        self._gaps: list[Gap] = []

    def pass_over(self, payload: Record, place: Place, *, seen: int, after: int) -> None:
        """Note that a record came after number `seen`, which stood at position `after`."""
        self._gaps.append(Gap(place=place, payload=payload, low=seen + 1, high=payload["seq"] - 1, after=after))

    def fill(self, seq: int) -> bool:
        """Whether a record that comes late was passed over before, and not come yet; it has come now."""
        for gap in self._gaps:
            if gap.low <= seq <= gap.high and seq not in gap.came:
                gap.came.add(seq)
                return True
        return False

    @property
    def between_records(self) -> bool:
        """Whether numbers were passed over after the first record."""
        return any(gap.after for gap in self._gaps)

    def clear(self) -> None:
        """Forget them."""
        self._gaps.clear()

    def suspicions(self, *, after: int | None) -> Iterator[Suspicion]:
        """What can be said at the end; `after` is the number before the first record of all, if it is known."""
        for gap in self._gaps:
            if not gap.after:
                gap.low = min(after + 1, *gap.came, gap.high + 1) if after is not None else gap.high + 1 - len(gap.came)
            suspicion = gap.suspicion()
            if suspicion is not None:
                yield suspicion._replace(missing=0) if self.allowed else suspicion
