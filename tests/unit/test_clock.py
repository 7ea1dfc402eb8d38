"""The clock of the machine: how long it waits before another attempt."""

from __future__ import annotations

import random
import time

import pytest

from cardroom.adapters.clock import SystemClock


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were waited, none of which pass."""
    kept: list[float] = []
    monkeypatch.setattr(time, "sleep", kept.append)
    return kept


def test_two_clones_do_not_wait_the_same(waited: list[float]) -> None:
    """Two environments restored from one snapshot begin with one state of the module `random`."""
    snapshot = random.getstate()
    for _clone in range(2):
        random.setstate(snapshot)
        for attempt in range(5):
            SystemClock().pause(attempt)
    one, other = waited[:5], waited[5:]
    assert all(mine != theirs for mine, theirs in zip(one, other, strict=True))


def test_a_pause_is_up_to_twice_as_long_each_time_and_at_most_a_second(waited: list[float]) -> None:
    longest = [0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.0, 1.0]
    for attempt, most in enumerate(longest):
        waited.clear()
        for _ in range(200):
            SystemClock().pause(attempt)
        assert 0 <= min(waited) < most / 2 < max(waited) <= most
