"""The players of hi-hi-lo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardroom_desk.players.banked import Banked
from cardroom_desk.players.situation import Situation

Json = dict[str, Any]


class HiHiLo(Banked):
    """Players of hi-hi-lo: three equal bets, six cards arranged anyhow."""

    kinds = ("high_one", "high_two", "low")
    hand_size = 6
    first_draw = "first_banker"

    def set_own(self, at: Situation, cards: Sequence[str]) -> Json:
        """One, two and three cards."""
        mixed = at.random.sample(list(cards), self.hand_size)
        return {"how": "arranged", "one": mixed[:1], "two": sorted(mixed[1:3]), "low": sorted(mixed[3:])}
