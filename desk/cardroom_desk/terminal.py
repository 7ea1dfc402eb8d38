"""How commands speak: JSON on a pipe, something to read on a terminal, and errors in a sentence."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

import typer

from cardroom.refusals import Refusal

if TYPE_CHECKING:
    from io import BufferedReader

    from rich.console import Console
    from rich.table import Table

Json = dict[str, Any]

CHUNK_BYTES: Final = 1 << 16
PIPE_COLUMNS: Final = 160


class BadLine(Exception):
    """A line of the input that is no hand this command takes; the message says why."""


def pipes_in_utf8() -> None:
    """Write UTF-8 to a pipe or a file whatever the locale, as JSON is."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8")


def on_terminal() -> bool:
    """Whether a person reads the standard output."""
    return sys.stdout.isatty()


def encode(value: Mapping[str, object]) -> str:
    """A value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def document(value: Mapping[str, object]) -> None:
    """Write one JSON document: indented on a terminal, one line on a pipe."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False) if on_terminal() else encode(value))


def lines(values: Iterable[Json]) -> None:
    """Write JSON Lines."""
    for value in values:
        sys.stdout.write(encode(value) + "\n")
    sys.stdout.flush()


def console() -> Console:
    """Where people read: plain text on a pipe, colours on a terminal only; nothing in a text is markup."""
    from rich.console import Console
    from rich.text import Text

    class Plain(Console):
        def render_str(self, text: str, **_: object) -> Text:
            return Text(printable(text))

    if on_terminal():
        return Plain(highlight=False)
    return Plain(highlight=False, width=PIPE_COLUMNS, color_system=None, force_terminal=False)


def printable(text: str) -> str:
    """A text with escapes for what would steer a terminal, not be shown: names in a file may be anybody's."""
    return "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in text)


def grid(*columns: str, right: tuple[str, ...] = ()) -> Table:
    """Rows and columns for people; the columns named in `right` hold numbers."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return made


def note(message: str) -> None:
    """Tell a person something that is no part of the output."""
    typer.echo(printable(message), err=True)


def fail(message: str, *, status: int = 1) -> NoReturn:
    """End the command with a sentence on standard error."""
    note(f"cardroom: {message}")
    raise typer.Exit(status)


def usage(message: str) -> NoReturn:
    """End the command because it was called wrongly."""
    fail(message, status=2)


def answer_each(answer: Callable[[str], Json]) -> None:
    """Read hands from standard input, one a line, and write one JSON line for each.

    Exits with 1 at the end if a line was refused. Whatever is waiting is answered before more is read, so that
    a caller on a pipe may wait for each answer.
    """
    refused = False
    for chunk in _chunks():
        answers = []
        for line in chunk:
            try:
                answers.append(encode(answer(line)))
            except (BadLine, Refusal) as error:
                refused = True
                answers.append(encode({"cards": line, "error": _about_line(error)}))
        sys.stdout.write("\n".join(answers) + "\n")
        sys.stdout.flush()
    if refused:
        raise typer.Exit(1)


def _about_line(error: BadLine | Refusal) -> str:
    """What is wrong with a line, without the name that the fault's field has in a request."""
    return error.faults[0].message if isinstance(error, Refusal) and error.faults else str(error)


def _chunks() -> Iterator[list[str]]:
    """The lines of standard input, as many at a time as are there already."""
    source = cast("BufferedReader", sys.stdin.buffer)
    rest = b""
    while data := source.read1(CHUNK_BYTES):
        *whole, rest = (rest + data).split(b"\n")
        if whole:
            yield [line.decode(errors="replace").strip() for line in whole]
    if rest:
        yield [rest.decode(errors="replace").strip()]
