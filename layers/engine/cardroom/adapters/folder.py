"""An archive in a folder of this machine: files that are written once and then stand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cardroom.adapters.files import put_once
from cardroom.services.ports import ArchiveConflict


class FolderArchive:
    """An archive in a folder, which is made with the first file; no file is ever written over."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, content: bytes) -> None:
        """Keep a file, whole or not at all; raises ArchiveConflict if other content is there."""
        path = self._folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not put_once(path, content, mode=0o600) and path.read_bytes() != content:
            raise ArchiveConflict(f"{path} is there with other content")

    def get(self, name: str) -> bytes:
        """The content of a file; raises KeyError if there is none."""
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            raise KeyError(name) from None

    def part(self, name: str, start: int, size: int) -> bytes:
        """Some bytes of a file, none past its end; raises KeyError if there is no file."""
        try:
            with (self._folder / name).open("rb") as file:
                file.seek(start)
                return file.read(size)
        except FileNotFoundError:
            raise KeyError(name) from None

    def list(self, prefix: str) -> Sequence[str]:
        """The names that begin so, in order; a draft that a crash left behind is none."""
        within = self._folder / prefix.rpartition("/")[0]
        files = [path for path in within.rglob("*") if path.is_file() and not path.name.startswith(".")]
        names = (path.relative_to(self._folder).as_posix() for path in files)
        return sorted(name for name in names if name.startswith(prefix))
