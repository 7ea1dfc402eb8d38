"""Long work on all cores, with a bar for the person who waits."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Final, NoReturn, TypeVar

import typer

ProcessesOption = Annotated[
    int | None, typer.Option(min=1, help="How many processes share the work; one for each core if not given.")
]

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


def each_on_cores(
    work: Callable[[_Task], _Result], tasks: Sequence[_Task], *, processes: int | None = None, doing: str
) -> Iterator[_Result]:
    """The results of a function of a module over tasks, in the order of the tasks, whatever the number of processes.

    `processes` None is one for each core. `doing` stands beside the bar, which only a terminal gets.
    """
    count = min(processes or os.cpu_count() or 1, len(tasks))
    with _bar(doing, len(tasks)) as advance:
        if count <= 1:
            for task in tasks:
                yield work(task)
                advance()
            return
        from multiprocessing import Pool

        before = signal.signal(signal.SIGTERM, _stop)  # so that the processes end with this one
        try:
            with _held():
                made = Pool(count, _leave_signals_to_the_parent)
            with made as pool:
                for result in pool.imap(work, tasks):
                    yield result
                    advance()
        finally:
            signal.signal(signal.SIGTERM, before)


def _stop(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def _leave_signals_to_the_parent() -> None:
    """Ctrl-C reaches every process of a terminal: one of them answers, by ending the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


@contextmanager
def _held() -> Iterator[None]:
    """Keeps signals waiting, here and in processes begun within until they can take them.

    A process that has only just begun takes one by the handler that it inherits, and that loses it: when the work is
    done by then, it would never end, and we wait for it.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _bar(doing: str, total: int) -> Iterator[Callable[[], Any]]:
    """What to call after each task; on a terminal it moves a bar on standard error."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(doing, total=total)
        yield lambda: progress.advance(task)
