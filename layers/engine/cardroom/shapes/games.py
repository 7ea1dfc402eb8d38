"""What a game adds to the shapes of records."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GameShapes:
    """What the requests of an open, a deal and a settlement hold in a game, and the bodies of the last two."""

    opening: type
    wagering: type
    settling: type
    dealt: type
    settled: type
