"""The local service: our own functions behind the API in one process, until it is stopped."""

from __future__ import annotations

import fcntl
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NoReturn

import waitress
from waitress.wasyncore import close_all

from cardroom.adapters import environment as store
from cardroom_desk.local.api import LocalApi
from cardroom_desk.local.store import FolderUnusable, look_at
from cardroom_desk.local.template import read_api

THREADS: Final = 8

# A person at a terminal needs to hear of faults only; who wants more sets these.
_DEFAULTS: Final = {"POWERTOOLS_LOG_LEVEL": "ERROR", "POWERTOOLS_SERVICE_NAME": "cardroom"}


class FolderServed(Exception):
    """Another service works on the data folder; the message says which folder."""


def serve(environment: Mapping[str, str], *, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM, finish what has begun, and return; `ready` is told the URL, port 0 is a free one.

    `environment` is what the functions find in theirs (`CARDROOM_DATA` and so on). It is set for the whole process,
    and the functions keep what they make of it: a process runs one service. Raises OSError if the port is taken,
    FolderServed if the data folder is, and where that cannot be used FolderUnusable, LedgerDamaged, StoreUnavailable
    or KeysUnavailable.
    """
    with _bound(environment, host, port) as (server, url):
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
    with _bound(environment, host, port) as (server, url):
        thread = threading.Thread(target=server.run, name="cardroom", daemon=True)
        thread.start()
        try:
            yield url
        finally:
            server.task_dispatcher.shutdown()
            # The loop's own thread closes its sockets, and ends when it has none left. It may be woken already: under
            # the lock it cannot close the trigger before that is pulled.
            with server.trigger.lock:
                server.trigger.thunks.append(lambda: close_all(server._map))
                server.trigger.pull_trigger()
            thread.join(timeout=10)


@contextmanager
def _bound(environment: Mapping[str, str], host: str, port: int) -> Iterator[tuple[Any, str]]:
    """A server that listens but does not answer yet, and its URL; its data folder is its own for the block."""
    os.environ.update(environment)
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # it warns of each call that waits for a thread
    with _alone(os.environ.get("CARDROOM_DATA")):
        api = LocalApi(read_api())
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        server = waitress.create_server(api, sockets=[listener], threads=THREADS, ident="cardroom")
        shown = f"[{host}]" if ":" in host else host
        yield server, f"http://{shown}:{listener.getsockname()[1]}"


@contextmanager
def _alone(data: str | None) -> Iterator[None]:
    """Keeps other services off a data folder, and looks at all that is in it, so that a fault of it shows now."""
    if not data:
        yield
        return
    folder = Path(data)
    with _lock(folder):
        try:
            look_at(folder)
            store.local_ledger().check_whole()
            store.root().ask()
            store.master().secret(store.master().epoch)
            yield
        finally:
            store.forget()  # closes the ledger, which is one file again then, without a log beside it


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Holds the lock of a folder's one service: on a file of its own, and gone with the process, however it ends."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(folder / "serve.lock", os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise FolderUnusable(folder, error) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"another service works on the data folder {folder}: stop it first, or serve another --data"
            raise FolderServed(message) from None
        yield
    finally:
        os.close(lock)


def _stop(_number: int, _frame: object) -> NoReturn:
    raise SystemExit
