"""The local service: our own functions behind the API in one process, until it is stopped."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import waitress
from waitress.wasyncore import close_all

from cardroom_desk.local.api import LocalApi
from cardroom_desk.local.template import read_api

THREADS: Final = 8

# A person at a terminal needs to hear of faults only; who wants more sets these.
_DEFAULTS: Final = {"POWERTOOLS_LOG_LEVEL": "ERROR", "POWERTOOLS_SERVICE_NAME": "cardroom"}


def serve(environment: Mapping[str, str], *, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM, finish what has begun, and return; `ready` is told the URL, port 0 is a free one.

    `environment` is what the functions find in theirs (`CARDROOM_DATA` and so on). It is set for the whole process,
    and the functions keep what they make of it: a process runs one service. Raises OSError if the port is taken.
    """
    server, url = _bind(environment, host, port)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    try:
        ready(url)
        server.run()  # until SystemExit; it ends its threads then
    except SystemExit:
        server.task_dispatcher.shutdown()  # stopped before it ran


@contextmanager
def running(environment: Mapping[str, str], *, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """A service in a thread of this process, ended with the block; yields its URL. Otherwise as `serve`."""
    server, url = _bind(environment, host, port)
    thread = threading.Thread(target=server.run, name="cardroom", daemon=True)
    thread.start()
    try:
        yield url
    finally:
        server.task_dispatcher.shutdown()
        # The loop's own thread closes its sockets, and ends when it has none left.
        server.trigger.pull_trigger(lambda: close_all(server._map))
        thread.join(timeout=10)


def _bind(environment: Mapping[str, str], host: str, port: int) -> tuple[Any, str]:
    """A server that listens but does not answer yet, and its URL."""
    os.environ.update(environment)
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)
    api = LocalApi(read_api())
    listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    server = waitress.create_server(api, sockets=[listener], threads=THREADS, ident="cardroom")
    shown = f"[{host}]" if ":" in host else host
    return server, f"http://{shown}:{listener.getsockname()[1]}"


def _stop(_number: int, _frame: object) -> NoReturn:
    raise SystemExit
