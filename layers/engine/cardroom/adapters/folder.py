"""An archive in a folder of this machine: files that are written once and then stand."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from cardroom.services.ports import ArchiveConflict


class FolderArchive:
    """An archive in a folder, which is made with the first file; no file is ever written over."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, content: bytes) -> None:
        """Keep a file, whole or not at all; raises ArchiveConflict if other content is there."""
        path = self._folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            if path.read_bytes() != content:
                raise ArchiveConflict(f"{path} is there with other content") from None
        finally:
            draft.unlink()

    def get(self, name: str) -> bytes:
        """The content of a file; raises KeyError if there is none."""
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            raise KeyError(name) from None

    def list(self, prefix: str) -> Sequence[str]:
        """The names that begin so, in order; a draft that a crash left behind is none."""
        within = self._folder / prefix.rpartition("/")[0]
        files = [path for path in within.rglob("*") if path.is_file() and not path.name.startswith(".")]
        names = (path.relative_to(self._folder).as_posix() for path in files)
        return sorted(name for name in names if name.startswith(prefix))
