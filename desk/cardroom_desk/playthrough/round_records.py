"""The records of one round, with what its table did right before and after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cardroom.currencies import amount_in
from cardroom.rounds.sets import dealing

Json = Mapping[str, Any]

FINAL: Final = ("settled", "voided")


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRecords:
    """One round: the payloads of its records, and of what the table did right before and after it.

    `dealt` is None where it was voided before the deal, `locked` where its hands were not locked before others were
    shown. `advice` is what the house way would do with the hands of
    the players who asked, by seat.
    """

    ruleset: Json
    before: Sequence[Json]  # a draw, a shoe opened or closed, a late void, a correction
    opened: Json
    dealt: Json | None
    locked: Json | None
    corrected: Sequence[Json]  # of its deal
    ended: Json  # settled or voided
    after: Sequence[Json]  # a shoe closed
    advice: Mapping[int, Json]

    @property
    def currency(self) -> str:
        """What its amounts are in."""
        currency: str = self.opened["request"]["currency"]
        return currency

    def amount(self, minor: int, *, plus: bool = False) -> str:
        """An amount of it as people write it; `plus` marks a gain."""
        return amount_in(self.currency, minor, plus=plus)

    @property
    def hands(self) -> Sequence[Json]:
        """All hands that were shown until the end, by seat."""
        records = [record for record in (self.dealt, self.locked, *self.corrected) if record is not None]
        last: Any = max(records, key=lambda record: int(record["seq"]))
        told = self.ended["kind"] == "settled" and "sets" in self.ended["body"]  # else it tells all of them again
        return tuple(dealing(last).with_hands(self.ended["body"].get("hands", []) if told else []).body["hands"])

    @property
    def count(self) -> int:
        """How many records were written for it."""
        return (
            len(self.before)
            + 2
            + (self.dealt is not None)
            + (self.locked is not None)
            + len((*self.corrected, *self.after))
        )


def rounds_in(
    payloads: Iterable[Json], ruleset: Json, advice: Mapping[int, Json] | None = None
) -> Iterator[RoundRecords]:
    """The rounds in a table's records, in order; what came between two of them goes with the later one."""
    every = list(payloads)
    ends = [at for at, payload in enumerate(every) if payload["kind"] in FINAL and payload["ruleset"] is not None]
    start = 0
    for end in ends:
        chunk = every[start : end + 1]
        rest = every[end + 1 :] if end == ends[-1] else []
        steps = {payload["kind"]: payload for payload in chunk if payload["round_id"] == chunk[-1]["round_id"]}
        yield RoundRecords(
            ruleset=ruleset,
            before=[payload for payload in chunk if payload["round_id"] != chunk[-1]["round_id"]],
            opened=steps["opened"],
            dealt=steps.get("dealt"),
            locked=steps.get("set"),
            corrected=[one for one in chunk if one["kind"] == "deal_corrected"],
            ended=chunk[-1],
            after=rest,
            advice=advice or {},
        )
        start = end + 1
