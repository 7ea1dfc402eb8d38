"""The clock of the machine."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime
from typing import Final

_FIRST_PAUSE_SECONDS: Final = 0.02
_LONGEST_PAUSE_SECONDS: Final = 1.0
# Of the system, which keeps no state in this process: all clones of a snapshot would begin with one state, and wait the
# same time again and again.
_CHANCE: Final = secrets.SystemRandom()


class SystemClock:
    """The wall clock of this machine."""

    def now(self) -> str:
        """Now, in UTC, to the millisecond: `2026-11-29T21:53:29.123Z`."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def pause(self, attempt: int) -> None:
        """Wait up to 20 ms before the second attempt, up to twice as long each time after, at most a second."""
        time.sleep(jitter_seconds(attempt, first=_FIRST_PAUSE_SECONDS, longest=_LONGEST_PAUSE_SECONDS))


def jitter_seconds(attempt: int, *, first: float, longest: float) -> float:
    """How long to wait before another attempt: up to `first` seconds, twice as long each time, at most `longest`."""
    return _CHANCE.uniform(0, min(longest, first * 2**attempt))
