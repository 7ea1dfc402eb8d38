"""What records may hold, by the games of the published rule sets; apart from the catalogue, as only audits ask."""

from __future__ import annotations

from functools import cache

from cardroom.services import catalog
from cardroom.shapes.games import GameShapes
from cardroom.shapes.whole import RecordShapes


@cache
def record_shapes() -> RecordShapes:
    """The shapes of all records; a game is imported where a record of it comes."""
    return RecordShapes(_shapes_of, every=lambda: [catalog.game(name).shapes for name in catalog.GAMES])


def _shapes_of(ruleset_id: str) -> GameShapes | None:
    return catalog.ruleset(ruleset_id).game.shapes if ruleset_id in catalog.ruleset_ids() else None
