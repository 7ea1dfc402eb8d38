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
        longest = min(_LONGEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2**attempt)
        time.sleep(_CHANCE.uniform(0, longest))
