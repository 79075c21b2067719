"""Batches of texts of like length, several at once on a CPU, and smaller ones where memory is short."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .encoder import Progress

_CPU_TOKENS = 512

_LOG = logging.getLogger(__name__)

Rows = NDArray[np.int64]
Work = Callable[[Rows], None]


def in_batches(
    lengths: Sequence[int] | Rows,  # (n_texts,) tokens of each text
    batch_size: int,
    work: Work,
    progress: Progress | None = None,
    device: str = "cpu",
    in_order: bool = False,
) -> int:
    """Call ``work`` with the rows of each batch, until each row was in one.

    Texts of like length share a batch, so that little is padding. The longest come first, so that a batch
    that is too big for the memory fails at once. Then the batch size is halved, which is logged.

    On a CPU a batch holds no more tokens than its caches do, and as many batches as torch has threads are
    worked on at once, each by one thread: threads that share a batch wait for each other at every step, which
    takes many times as long beside other work. What is in a batch, and so what is computed, does not depend
    on the number of threads. ``work`` is called from several threads unless ``in_order`` is set.

    Returns
    -------
    int
        The batch size that fitted: ``batch_size``, or less.

    Raises
    ------
    UserError
        If the memory does not hold one text.

    """
    lengths = np.asarray(lengths, dtype=np.int64)
    order = np.argsort(-lengths, kind="stable")
    done = 0
    if progress is not None:
        progress(0, len(order))
    while done < len(order):
        batches = _planned(lengths, order[done:], batch_size, device)
        with _calls(work, batches, device, in_order) as fitted:
            for rows, fits in fitted:
                if not fits:
                    batch_size = _halved(rows, lengths, device)
                    break
                done += len(rows)
                if progress is not None:
                    progress(done, len(order))
    return batch_size


def _planned(lengths: Rows, order: Rows, batch_size: int, device: str) -> list[Rows]:
    batches = []
    start = 0
    while start < len(order):
        at_once = batch_size
        if device == "cpu":
            at_once = min(batch_size, max(1, _CPU_TOKENS // max(1, int(lengths[order[start]]))))
        batches.append(order[start : start + at_once])
        start += at_once
    return batches


def _halved(rows: Rows, lengths: Rows, device: str) -> int:
    """The batch size to go on with after ``rows`` did not fit."""
    if len(rows) == 1:
        raise UserError(
            f"the memory of {device} does not hold one text of {lengths[rows[0]]} tokens: "
            "free some of it, or choose dtype=bfloat16 or device=cpu"
        )
    _LOG.warning(
        "the memory of %s does not hold %d texts at once: going on with batches of %d",
        device,
        len(rows),
        len(rows) // 2,
    )
    return len(rows) // 2


@contextmanager
def _calls(
    work: Work, batches: list[Rows], device: str, in_order: bool
) -> Iterator[Iterator[tuple[Rows, bool]]]:
    """Whether the memory held each of the batches, in their order, up to one that it did not hold.

    On the way out, batches that were not begun are dropped and those under way are waited for.
    """
    if device != "cpu" or in_order:
        yield ((rows, _fits(work, rows)) for rows in batches)
        return
    stopped = threading.Event()

    def fits(rows: Rows) -> bool | None:
        if stopped.is_set():
            return None
        fitted = False
        try:
            fitted = _fits(work, rows)
        finally:
            if not fitted:
                stopped.set()
        return fitted

    def results() -> Iterator[tuple[Rows, bool]]:
        for rows, call in zip(batches, calls, strict=True):
            fitted = call.result()
            if fitted is None:  # it was not begun, since another one failed, which raises here or did not fit
                failed = next(place for place, other in enumerate(calls) if other.result() is False)
                yield batches[failed], False
                return
            yield rows, fitted

    with _SINGLE.threads() as n_threads:
        pool = ThreadPoolExecutor(min(n_threads, len(batches)), "fourfold-encode", _SINGLE.here)
        try:
            calls = [pool.submit(fits, rows) for rows in batches]
            yield results()
        finally:
            pool.shutdown(cancel_futures=True)


class _SingleThreads:
    """Threads in which torch uses one thread each.

    torch's number is each thread's own, but setting it in one also sets what new threads get. That is put
    back when the last who changed it leaves.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before = 1

    @contextmanager
    def threads(self) -> Iterator[int]:
        """Threads may call ``here`` until this ends. Yields how many torch would use."""
        import torch

        with self._lock:
            if not self._users:
                self._before = torch.get_num_threads()
            self._users += 1
        try:
            yield self._before
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    torch.set_num_threads(self._before)

    def here(self) -> None:
        """Let torch use one thread in this thread."""
        import torch

        torch.set_num_threads(1)


_SINGLE = _SingleThreads()


def _fits(work: Work, rows: Rows) -> bool:
    import torch

    try:
        work(rows)
    except torch.cuda.OutOfMemoryError:
        fits = False
    else:
        return True
    # Out here the error is gone, and with it the tensors that its traceback held.
    torch.cuda.empty_cache()
    return fits
