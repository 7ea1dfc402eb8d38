"""An open shoe: the rounds that are dealt from it wait for its seed, and are played again when it is closed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from cardroom.audit.finding import Finding, Place
from cardroom.audit.replayer import Live, Replayed, Replayer, check_by_seed, finding_of, safely
from cardroom.shapes.parts import TableState
from cardroom.shapes.records import Record

SHOE_FAULTS: Final = ("client-seed-changed", "cut-changed")


class Waiting(NamedTuple):
    """A round that ended by `payload`, `records` of it being proved but for the cards, and the table before that."""

    table: TableState | None
    live: Live
    payload: Record
    place: Place
    records: int


class Played(NamedTuple):
    """A round that waited, with what replay finds now that the cards are known, and whether that proves it."""

    round_: Waiting
    found: Finding | None
    proved: bool


@dataclass(slots=True, kw_only=True)
class OpenShoe:
    """An open shoe: its rounds wait for its seed. There are no more of them than cards.

    `own` counts its own record, if that is proved but for the seed.
    """

    shoe_id: str
    place: Place
    payload: Record
    own: int
    waiting: list[Waiting] = field(default_factory=list)

    @property
    def records(self) -> int:
        """How many records wait for its seed."""
        return self.own + sum(one.records for one in self.waiting)

    def played(self, replay: Replayer, cards: Any) -> Iterator[Played]:
        """The rounds that waited, played again."""
        waiting, self.waiting = self.waiting, []
        for one in waiting:
            live, payload = one.live, one.payload
            if live.doubted or live.dealt is None:
                continue
            found, proved = None, True
            for result, record, place in check_by_seed(replay, live, payload, cards):
                found, proved = finding_of(result, record, place), proved and result.proved
            if found is None and payload["kind"] == "settled":
                result = Replayed(proved=False)
                if one.table is not None:
                    result = safely(replay.check_shoe_settlement, one.table, live, payload, cards)
                found, proved = finding_of(result, payload, one.place), proved and result.proved
            yield Played(one, found, proved)
            if found is not None and found.code in SHOE_FAULTS:
                return  # no card of the shoe agrees, which is one fault
