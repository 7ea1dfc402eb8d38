"""The clock of the machine."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """The wall clock of this machine."""

    def now(self) -> str:
        """Now, in UTC, to the millisecond: `2026-11-29T21:53:29.123Z`."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
