"""What a table carries from records that were not proved: whatever is played with it is not proved either."""

from __future__ import annotations

from typing import Any

from cardroom.audit.replayer import Live
from cardroom.shapes.parts import TableState
from cardroom.shapes.records import Record


class Carried:
    """The pots, free collections and draws at a table that only records which were not proved tell of."""

    def __init__(self) -> None:
        self._pots: set[str] = set()
        self._collections: set[tuple[str, str]] = set()
        self._draws: set[str] = set()

    def take(self, table: TableState, *, proved: bool) -> None:
        """Take the table as a record left it: of what it carries, what was doubtful before stays so."""
        pots, collections, draws = _carried(table)
        if proved:
            pots, collections, draws = pots & self._pots, collections & self._collections, draws & self._draws
        self._pots, self._collections, self._draws = pots, collections, draws

    def used_by(self, payload: Record, live: Live | None) -> bool:
        """Whether a record is played with what is doubtful; `live` is its round."""
        request: Any = payload["request"]
        if payload["kind"] == "drawn":
            return request.get("replaces") in self._draws
        terms = None if live is None else live.terms()
        opening: Any = request if payload["kind"] == "opened" else {} if terms is None else terms["request"]
        if opening.get("continues") in self._pots or opening.get("draw_id") in self._draws:
            return True
        if payload["kind"] != "dealt":
            return False
        named = [wager.get("free_collection") for wager in request.get("wagers", [])]
        named.append(request.get("banker_free_collection"))
        return any((one["round_id"], one["wager_id"]) in self._collections for one in named if one is not None)


def _carried(table: TableState) -> tuple[set[str], set[tuple[str, str]], set[str]]:
    pot, draw, held = table.get("pot"), table.get("draw"), table.get("free_collections", [])
    return (
        set() if pot is None else {pot["round_id"]},
        {(one["round_id"], one["wager_id"]) for one in held},
        set() if draw is None else {one["draw_id"] for one in (draw, *draw["before"])},
    )
