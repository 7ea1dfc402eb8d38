"""The lines of an export: with their offsets, and never one held whole that is too long to be any."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

import pytest

from cardroom.audit.export import MAX_LINE, lines_of
from cardroom.audit.verify import verify_export


def test_offsets_and_lines() -> None:
    lines = [b"one\n", b"\n", b"x" * MAX_LINE, b"\n", b"last, without an end"]
    content = lines[0] + lines[1] + lines[2] + lines[3] + lines[4]
    found = list(lines_of(io.BytesIO(content)))
    assert [content[offset : offset + len(line)] for offset, line in found] == [line for _, line in found]
    assert [line for _, line in found] == [b"one\n", b"\n", b"x" * MAX_LINE + b"\n", b"last, without an end"]


@pytest.mark.parametrize("more", [1, 2, MAX_LINE - 1, MAX_LINE, MAX_LINE + 1, 3 * MAX_LINE])
@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_line_that_is_too_long_is_cut_and_the_next_one_is_whole(more: int, end: bytes) -> None:
    content = b"one\n" + b"y" * (MAX_LINE + more) + end + (b"next\n" if end else b"")
    (_, one), (_, long), *rest = lines_of(io.BytesIO(content))
    assert (one, len(long)) == (b"one\n", MAX_LINE + 1)
    assert rest == ([(len(content) - 5, b"next\n")] if end else [])


def test_a_long_line_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.write(b"{}\n")
        file.truncate(200_000_000)  # of null bytes, which the disk need not hold
        file.seek(0, io.SEEK_END)
        file.write(b"\nnext\n")
    tracemalloc.start()
    with path.open("rb") as file:
        report = verify_export((line for _, line in lines_of(file)), [])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert {found.code for found in report.findings} >= {"header-invalid", "malformed"}
    assert peak < 8_000_000
