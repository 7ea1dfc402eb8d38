"""What wagers are expected to come to, counted beforehand (`expectations.json`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import sqrt
from typing import Final

_FEW: Final = 5  # so many of an outcome are needed before its distance from the expectation says something


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """How a wager of a rule set should come out: in how many hands it wins, pushes and loses, and what counted them.

    Without a `house_way` the counts are of all hands there are; with one they are of simulated rounds in which it set
    both sides.
    """

    counts: Mapping[str, int]
    source: str
    house_way: str | None = None

    @property
    def hands(self) -> int:
        """How many hands were counted."""
        return sum(self.counts.values())

    def share(self, outcome: str) -> float:
        """The part of all hands that come out so."""
        return self.counts[outcome] / self.hands

    def away(self, outcome: str, found: int, of: int) -> float | None:
        """How many standard errors what was found lies from the expectation; None where too few were looked at.

        A simulation's own standard error counts too.

        >>> coin = Expectation(counts={"win": 1, "push": 0, "lose": 1}, source="a fair coin")
        >>> coin.away("win", 225, 400), coin.away("win", 6, 10), coin.away("push", 1, 100)
        (2.5, None, inf)
        """
        share = self.share(outcome)
        if not share:
            return float("inf") if found else 0.0
        variance = share * (1 - share)
        if of * variance < _FEW:
            return None
        return (found / of - share) / sqrt(variance * (1 / of + (1 / self.hands if self.house_way else 0)))


@cache
def expectations() -> dict[str, Expectation]:
    """The known expectations, by rule set and kind of wager as an audit's report names its results."""
    listed = json.loads((files("cardroom_desk.report") / "expectations.json").read_text("utf-8"))
    return {
        name: Expectation(counts=one["counts"], source=one["source"], house_way=one.get("house_way"))
        for one in listed
        for name in one["of"]
    }
