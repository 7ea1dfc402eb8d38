"""The programs that some tests need and a machine may lack: `python3 tests/machine.py` prints the Debian packages of
those that are missing here."""

from __future__ import annotations

import shutil
from typing import Final, NamedTuple


class Program(NamedTuple):
    """A program by what it is, and the names by which it may stand on the PATH, the likeliest first."""

    what: str
    names: tuple[str, ...]
    package: str  # of Debian

    def find(self) -> str | None:
        """Its path on this machine, None if it is not there."""
        return next(filter(None, map(shutil.which, self.names)), None)

    def how_to_get(self) -> str:
        return f"apt-get install {self.package} (Debian), or put {' or '.join(self.names)} on the PATH"


PROGRAMS: Final = {
    "chromium": Program(
        "a browser",
        ("chromium", "chromium-headless-shell", "google-chrome", "google-chrome-stable", "chromium-browser"),
        "chromium",
    ),
    "curl": Program("curl", ("curl",), "curl"),
    "faketime": Program("faketime", ("faketime",), "faketime"),
}

if __name__ == "__main__":
    print(*(program.package for program in PROGRAMS.values() if not program.find()))
