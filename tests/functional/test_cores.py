"""Work on all cores ends, however late one of its processes comes to life."""

from __future__ import annotations

import subprocess
import sys

# The second process sleeps as it begins, as on a busy machine; by then the first one has done all there is to do.
_LATE = """
import os, time
from cardroom_desk.cores import each_on_cores

begun = []
os.register_at_fork(before=lambda: begun.append(1), after_in_child=lambda: time.sleep(len(begun) - 1))
print(list(each_on_cores(abs, [-1, -2], processes=2, doing="")))
"""


def test_a_process_that_begins_after_the_work_is_done_is_ended() -> None:
    done = subprocess.run([sys.executable, "-c", _LATE], capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[1, 2]\n", "")
