"""An open shoe: the rounds that are dealt from it wait for its seed, and are played again when it is closed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from cardroom.audit.finding import Finding, Place
from cardroom.audit.replayer import Live, Replayer, finding_of, safely
from cardroom.shapes.audits import PendingShoe
from cardroom.shapes.parts import TableState
from cardroom.shapes.records import Record

SHOE_FAULTS: Final = ("client-seed-changed", "cut-changed")


@dataclass(slots=True, kw_only=True)
class OpenShoe:
    """An open shoe: its rounds wait for its seed. There are no more of them than cards."""

    shoe_id: str
    place: Place
    payload: Record
    waiting: list[tuple[TableState | None, Live, Record, Place]] = field(default_factory=list)

    def pending(self) -> PendingShoe:
        """What the report says of it: the rounds that were settled, whose cards nobody can check yet."""
        settled = [payload["round_id"] for _, _, payload, _ in self.waiting if payload["kind"] == "settled"]
        opened = self.payload
        return {
            "operator": opened["operator"],
            "table_id": opened["table_id"],
            "seq": opened["seq"],
            "shoe_id": self.shoe_id,
            "rounds": settled,
        }

    def played(self, replay: Replayer, cards: Any) -> Iterator[tuple[Live, Record, Finding | None]]:
        """The rounds that waited, each with what replay finds now that the cards are known."""
        waiting, self.waiting = self.waiting, []
        for table, live, payload, place in waiting:
            if live.doubted or live.dealt is None or live.dealt_place is None:
                continue
            found = finding_of(safely(replay.check_deal, live, payload, cards), live.dealt, live.dealt_place)
            if found is None and payload["kind"] == "settled" and table is not None:
                found = finding_of(safely(replay.check_shoe_settlement, table, live, payload, cards), payload, place)
            yield live, payload, found
            if found is not None and found.code in SHOE_FAULTS:
                return  # no card of the shoe agrees, which is one fault
