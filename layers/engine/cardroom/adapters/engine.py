"""Which code this is: its version, and the digest of the package's files, wherever they lie."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import cardroom
from cardroom.shapes.records import Engine

_FOLDER: Final = Path(cardroom.__file__).parent
_COUNTED: Final = (".py", ".toml")


def engine_here() -> Engine:
    """The version of the package and the SHA-256 of its sources, its rule sets and house ways.

    The digest is that of a list, a line a file in order of their paths, as `sha256sum` writes it:

        cd cardroom
        find . -name '*.py' -o -name '*.toml' | cut -c3- | LC_ALL=C sort | xargs sha256sum | sha256sum
    """
    files = {path.relative_to(_FOLDER).as_posix(): path for path in _FOLDER.rglob("*") if path.suffix in _COUNTED}
    listed = "".join(f"{hashlib.sha256(files[name].read_bytes()).hexdigest()}  {name}\n" for name in sorted(files))
    return {"version": cardroom.__version__, "sha256": hashlib.sha256(listed.encode()).hexdigest()}
