"""Files that are written once and then stand."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def put_once(path: Path, content: bytes, *, mode: int) -> bool:
    """Write a file whole or not at all, never over one that is there; False if one is."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        path.hardlink_to(draft)
    except FileExistsError:
        return False
    finally:
        draft.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)  # the name, too, is to survive a power cut
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return True
