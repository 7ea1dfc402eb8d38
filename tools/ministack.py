"""Starts ministack, an emulator of AWS over HTTP, for tests: on loopback, and never longer than its user lives.

`python tools/ministack.py` runs one in the foreground, for trying things by hand.
"""

# ruff: noqa: S310, S603 - it runs our own interpreter and asks our own loopback address
from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv-ministack"
LOCK = ROOT / "requirements" / "ministack.txt"

# It ends with its standard input, and so do the functions that it runs (they are of its process group): also when
# whoever started it was killed and can tell it nothing any more.
_RUN = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.buffer.read(), os.killpg(0, 9)), daemon=True).start()
sys.argv = ["ministack"]
from ministack.app import main
main()
"""


def install() -> Path:
    """Makes ministack's own environment where it is missing or older than its lock; answers its interpreter."""
    python = VENV / "bin" / "python"
    stamp = VENV / ".ministack"
    VENV.mkdir(exist_ok=True)
    with (VENV / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the workers of one test run come here at once
        wanted = hashlib.sha256(LOCK.read_bytes()).hexdigest()
        if not stamp.exists() or stamp.read_text() != wanted:
            subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
            pip: list[str | Path] = [
                python,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
            ]
            subprocess.run([*pip, "--require-hashes", "-r", LOCK], check=True)
            stamp.write_text(wanted)
    return python


@contextmanager
def running(*, host: str = "127.0.0.1", port: int | None = None, seconds: float = 60) -> Iterator[str]:
    """A ministack on a free port, empty and ended with the block; yields its endpoint URL.

    Raises RuntimeError with its output if it does not answer within `seconds`.
    """
    python = install()
    port = port or free_port(host)
    # Its environment is made here and not inherited: nothing of the user's AWS settings reaches it.
    with tempfile.TemporaryDirectory(prefix="ministack-") as folder:
        environment = {
            "BIND_HOST": host,
            "GATEWAY_PORT": str(port),
            "HOME": folder,
            "IOT_MTLS_ENABLED": "0",  # else it listens on all interfaces
            "LOG_LEVEL": "WARNING",
            "PATH": f"{python.parent}:{os.environ.get('PATH', os.defpath)}",
            "PYTHONUNBUFFERED": "1",
            "TMPDIR": folder,
        }
        log = Path(folder) / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [python, "-c", _RUN],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=folder,
                start_new_session=True,
            )
        try:
            endpoint = f"http://{host}:{port}"
            _wait(endpoint, process, log, seconds)
            yield endpoint
        finally:
            _end(process)


def free_port(host: str) -> int:
    """A port of an address that nothing listens on now."""
    with socket.socket() as listener:
        listener.bind((host, 0))
        port: int = listener.getsockname()[1]
        return port


def _wait(endpoint: str, process: subprocess.Popen[bytes], log: Path, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{endpoint}/_ministack/health", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise RuntimeError(f"ministack did not answer at {endpoint}:\n{log.read_text()}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # what is left of its group
    if process.stdin:
        process.stdin.close()


if __name__ == "__main__":
    with running(port=int(os.environ.get("GATEWAY_PORT", "4566"))) as url:
        print(url, flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
