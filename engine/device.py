"""Where a problem is solved: the choice of a device and of the number of threads."""

from __future__ import annotations

import os

DEVICES = ("auto", "cpu", "cuda")


def resolve_device(device: str) -> str:
    """Return ``"cpu"`` or ``"cuda"``; a device asked for by name is used or is an error."""
    if device not in DEVICES:
        raise ValueError(f"device must be one of {', '.join(DEVICES)}, got {device!r}")
    if device == "cuda":
        raise ValueError("device='cuda' is not supported yet: use device='cpu' or 'auto'")
    return "cpu"


def resolve_n_threads(n_jobs: int | None) -> int:
    """Return a number of threads: all that this process may use for ``None`` and -1, -2 for all but one."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit = os.environ.get("NUMBA_NUM_THREADS", "")
    if limit.isdigit() and int(limit) > 0:
        available = min(available, int(limit))
    if n_jobs is None:
        return available
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise ValueError(f"n_jobs must be a positive number of threads, or -1 for all, got {n_jobs!r}")
    return n_jobs if n_jobs > 0 else max(1, available + 1 + n_jobs)
