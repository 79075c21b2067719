"""Where a problem is solved: the choice of a device and of the number of threads."""

from __future__ import annotations

import os
import warnings

import numpy as np

DEVICES = ("auto", "cpu", "cuda")


def _why_no_cuda() -> str | None:
    """Why no CUDA device can be used, or None if one can. Touches the driver."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numba's own numba.cuda is deprecated: the extra replaces it
            from numba import cuda
    except ImportError as error:  # pragma: no cover - depends on the installation
        return f"numba.cuda does not import ({error})"
    try:
        if cuda.is_available():
            return None
    except Exception as error:  # a driver that is damaged or too old fails in many ways
        return f"the CUDA driver fails ({error})"
    return "no CUDA device was found"


def resolve_device(device: str, obstacle: str | None = None) -> str:
    """Return ``"cpu"`` or ``"cuda"``.

    A device asked for by name is used or is an error; ``"auto"`` takes a CUDA device if there is one.
    ``obstacle`` says why this problem cannot be solved on CUDA, if so.
    """
    if device not in DEVICES:
        raise ValueError(f"device must be one of {', '.join(DEVICES)}, got {device!r}")
    if device == "cpu":
        return "cpu"
    obstacle = obstacle or _why_no_cuda()
    if obstacle is None:
        return "cuda"
    if device == "cuda":
        raise ValueError(
            f"device='cuda' cannot be used: {obstacle}. Use device='cpu' or 'auto', "
            "or pip install 'fourfold[cuda]' on a machine with an NVIDIA card"
        )
    return "cpu"


def resolve_n_threads(n_jobs: int | np.integer | None) -> int:
    """Return a number of threads: all that this process may use for ``None`` and -1, -2 for all but one."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit = os.environ.get("NUMBA_NUM_THREADS", "")
    if limit.isdigit() and int(limit) > 0:
        available = min(available, int(limit))
    if n_jobs is None:
        return available
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        raise ValueError(f"n_jobs must be a positive number of threads, or -1 for all, got {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, available + 1 + int(n_jobs))
