"""Ends a job's process when the sweep that started it is gone, as after SIGKILL."""

from __future__ import annotations

import os
import threading
import time

_LOOK = 0.5  # seconds between two looks
_watching = threading.Event()


def end_with(parent: int) -> None:
    """From now on, end this process soon after the process ``parent`` that started it has ended.

    Nothing is done where another process started it: jobs of a cluster outlive the command that sent them. A
    record that is being written stays a temporary folder, which the next start removes.
    """
    # Linux's own way, PR_SET_PDEATHSIG, would also end it with the thread that started it.
    if os.getppid() != parent or _watching.is_set():
        return
    _watching.set()
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:  # an orphan gets another parent; on Windows, none
        time.sleep(_LOOK)
    os._exit(1)
