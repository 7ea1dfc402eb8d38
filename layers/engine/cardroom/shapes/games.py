"""What a game adds to the shapes of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypedDict

from cardroom.shapes.parts import OpeningT
from cardroom.shapes.records import SettlingT, WageringT


class NothingSet(TypedDict):
    """In a game whose hands are all shown at once, nothing is set before some are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameShapes(Generic[OpeningT, WageringT, SettlingT]):
    """What the requests of an open, a deal, a set, a settlement and a correction hold in a game, and their bodies.

    The type variables hold the game's functions to the shapes of its requests.
    """

    opening: type[OpeningT]
    wagering: type[WageringT]
    settling: type[SettlingT]
    dealt: type
    settled: type
    locking: type = NothingSet
    locked: type = NothingSet
    correcting: type = NothingSet
    deal_corrected: type = NothingSet
    corrected: type = NothingSet


AnyShapes = GameShapes[Any, Any, Any]
"""The shapes of some game."""
