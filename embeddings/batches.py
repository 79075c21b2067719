"""Batches of texts of like length, and smaller batches where the memory does not hold them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .encoder import Progress

_CPU_TOKENS = 512

_LOG = logging.getLogger(__name__)


def in_batches(
    lengths: Sequence[int] | NDArray[np.int64],  # (n_texts,) tokens of each text
    batch_size: int,
    work: Callable[[NDArray[np.int64]], None],
    progress: Progress | None = None,
    device: str = "cpu",
) -> int:
    """Call ``work`` with the rows of one batch after the other, until each row was in one.

    Texts of like length share a batch, so that little is padding. The longest come first, so that a batch
    that is too big for the memory fails at once. Then the batch size is halved, which is logged. On a CPU a
    batch holds no more tokens than its caches do, which is quicker than large batches.

    Returns
    -------
    int
        The batch size that fitted: ``batch_size``, or less.

    Raises
    ------
    UserError
        If the memory does not hold one text.

    """
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    if progress is not None:
        progress(0, len(order))
    start = 0
    while start < len(order):
        at_once = batch_size
        if device == "cpu":
            at_once = min(batch_size, max(1, _CPU_TOKENS // max(1, int(lengths[order[start]]))))
        rows = order[start : start + at_once]
        if not _fits(work, rows):
            if len(rows) == 1:
                raise UserError(
                    f"the memory of {device} does not hold one text of {lengths[rows[0]]} tokens: "
                    "free some of it, or choose dtype=bfloat16 or device=cpu"
                )
            batch_size = len(rows) // 2
            _LOG.warning(
                "the memory of %s does not hold %d texts at once: going on with batches of %d",
                device,
                len(rows),
                batch_size,
            )
            continue
        start += len(rows)
        if progress is not None:
            progress(start, len(order))
    return batch_size


def _fits(work: Callable[[NDArray[np.int64]], None], rows: NDArray[np.int64]) -> bool:
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
