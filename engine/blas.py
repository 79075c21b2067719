"""Keeping BLAS to one thread while our own threads each multiply a block."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from threadpoolctl import ThreadpoolController


class _State:
    """How many callers want one thread, and what to undo when the last of them is done."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.controller: ThreadpoolController | None = None
        self.users = 0
        self.undo = ExitStack()


_state = _State()


def _forget() -> None:
    """In a forked child the callers are gone, and the lock may be held by one of them."""
    controller = _state.controller
    _state.__init__()  # type: ignore[misc]
    _state.controller = controller


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within, and until the last of several callers leaves, BLAS uses one thread.

    threadpoolctl's own contexts, left in another order than they were entered, would leave BLAS with one
    thread for good.
    """
    with _state.lock:
        if _state.controller is None:  # looking for the loaded libraries takes milliseconds
            _state.controller = ThreadpoolController()
        if _state.users == 0:
            _state.undo.enter_context(_state.controller.limit(limits=1, user_api="blas"))
        _state.users += 1
    try:
        yield
    finally:
        with _state.lock:
            _state.users -= 1
            if _state.users == 0:
                _state.undo.close()
