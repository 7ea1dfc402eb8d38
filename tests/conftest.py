"""What a machine may lack: tests marked `needs` are skipped without it, and the end of the run says so, once.

`CARDROOM_REQUIRED` names programs (`chromium,faketime`, or `all`) without which nothing is run.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

import pytest

from tests.machine import PROGRAMS

NEEDS = "needs"


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job ignores Ctrl-C, and all it starts
        signal.signal(signal.SIGINT, signal.default_int_handler)
    named = set(filter(None, os.environ.get("CARDROOM_REQUIRED", "").split(",")))
    if unknown := named - {*PROGRAMS, "all"}:
        raise pytest.UsageError(
            f"CARDROOM_REQUIRED names {', '.join(sorted(unknown))}: it can name {', '.join(PROGRAMS)}, or all"
        )
    for name in PROGRAMS if "all" in named else sorted(named):
        if not PROGRAMS[name].find():
            raise pytest.UsageError(
                f"CARDROOM_REQUIRED asks for {name}, which is not here: {PROGRAMS[name].how_to_get()}"
            )


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers(NEEDS):
        (name,) = marker.args
        if not PROGRAMS[name].find():
            item.user_properties.append((NEEDS, name))  # goes from the worker to whoever writes the summary
            pytest.skip(f"needs {PROGRAMS[name].what}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    lacking = Counter(name for report in skipped for key, name in report.user_properties if key == NEEDS)
    for name, count in sorted(lacking.items()):
        program = PROGRAMS[name]
        tests = "1 test that needs" if count == 1 else f"{count} tests that need"
        terminalreporter.line(f"not run: {tests} {program.what}; to run: {program.how_to_get()}")
