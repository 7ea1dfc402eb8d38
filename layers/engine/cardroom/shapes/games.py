"""What a game adds to the shapes of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from cardroom.shapes.parts import OpeningT
from cardroom.shapes.records import SettlingT, WageringT


@dataclass(frozen=True, slots=True, kw_only=True)
class GameShapes(Generic[OpeningT, WageringT, SettlingT]):
    """What the requests of an open, a deal and a settlement hold in a game, and the bodies of the last two.

    The type variables hold the game's functions to the shapes of its requests.
    """

    opening: type[OpeningT]
    wagering: type[WageringT]
    settling: type[SettlingT]
    dealt: type
    settled: type


AnyShapes = GameShapes[Any, Any, Any]
"""The shapes of some game."""
