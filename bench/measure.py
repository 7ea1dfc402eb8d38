"""How speed is measured here: processor time, in short batches of all subjects in turn, medians over many rounds.

So a busy machine disturbs little, and disturbs what is compared alike.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

Subject = Callable[[], float]  # runs one batch and returns its microseconds an operation


class Row(NamedTuple):
    """One line of the report: microseconds an operation, and those of what stands beside it in the same run.

    `ratio` is the median of the ratios of batches that ran one after the other. `share` is how much of the target was
    used up, the target being a time, a ratio or both: 1 has just met it. What is None does not apply.
    """

    name: str
    microseconds: float
    beside: str | None = None
    beside_microseconds: float | None = None
    ratio: float | None = None
    target: str | None = None
    share: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the target was met."""
        return None if self.share is None else self.share <= 1


class Took(NamedTuple):
    """The microseconds of every batch of each subject, in the order of the rounds."""

    batches: Mapping[str, list[float]]

    def median(self, subject: str) -> float:
        """The microseconds an operation."""
        return statistics.median(self.batches[subject])

    def row(
        self,
        name: str,
        subject: str,
        beside: str | None = None,
        *,
        most_us: float | None = None,
        most_ratio: float | None = None,
    ) -> Row:
        """The line about a subject, with another one beside it; a subject that is not there has no ratio."""
        took = self.median(subject)
        if beside not in self.batches:
            beside = None
        ratio = None
        if beside is not None:
            pairs = zip(self.batches[subject], self.batches[beside], strict=True)
            ratio = statistics.median(mine / theirs for mine, theirs in pairs)
        shares = [took / most_us] if most_us else []
        shares += [ratio / most_ratio] if most_ratio and ratio is not None else []
        targets = [f"≤ {most_us:,g} µs"] if most_us else []
        targets += [f"≤ {most_ratio:g} x"] if most_ratio else []
        return Row(
            name,
            took,
            beside,
            self.median(beside) if beside is not None else None,
            ratio,
            ", ".join(targets) or None,
            max(shares, default=None),
        )


def over(function: Callable[[Any], object], inputs: Iterable[Any]) -> Subject:
    """A subject that calls a function with each input."""
    batch = list(inputs)

    def run() -> float:
        start = time.process_time()
        for each in batch:
            function(each)
        return (time.process_time() - start) / len(batch) * 1e6

    return run


def calling(function: Callable[[], object], times: int) -> Subject:
    """A subject that calls a function so many times."""
    return over(lambda _: function(), range(times))


def measure(subjects: Mapping[str, Subject], *, rounds: int) -> Took:
    """Run every subject once in each round, after one round to warm up."""
    took: dict[str, list[float]] = {name: [] for name in subjects}
    for number in range(rounds + 1):
        for name, subject in subjects.items():
            microseconds = subject()
            if number:
                took[name].append(microseconds)
    return Took(took)
