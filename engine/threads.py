"""Python threads that each run a kernel over their share of the work: kernels release the GIL.

Threads end with the call: nothing is left behind that a fork could lose.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

CHUNKS_PER_THREAD = 8  # so that a thread that met easy problems takes over others'


def run_chunks(work: Callable[[int, int, NDArray[np.bool_]], None], n_problems: int, n_threads: int) -> None:
    """Call ``work(first, last, cancelled)`` over parts of ``range(n_problems)`` in ``n_threads`` threads.

    ``work`` runs a kernel that releases the GIL and returns early once ``cancelled[0]`` is set, as it is
    on Ctrl-C or when another part failed.
    """
    cancelled = np.zeros(1, np.bool_)
    n_threads = max(1, min(n_threads, n_problems))
    n_chunks = min(n_problems, n_threads * CHUNKS_PER_THREAD)
    edges = [n_problems * c // n_chunks for c in range(n_chunks + 1)] if n_chunks else [0]
    parts = list(pairwise(edges))
    if n_threads == 1 and threading.current_thread() is not threading.main_thread():
        for first, last in parts:
            work(first, last, cancelled)
        return
    # Also for one thread: only a main thread that waits, and does not compute, hears Ctrl-C at once.
    with ThreadPoolExecutor(n_threads) as pool:
        futures = [pool.submit(work, first, last, cancelled) for first, last in parts]
        try:
            wait(futures, return_when="FIRST_EXCEPTION")
        finally:
            cancelled[0] = not all(future.done() for future in futures)
            for future in futures:
                future.cancel()
    for future in futures:
        if not future.cancelled():
            future.result()


def run_in_threads(work: Callable[[int], None], n_tasks: int, threads: int) -> None:
    """Call ``work(task)`` for every task; an error in any of them is raised here."""
    if threads == 1 or n_tasks < 2:
        for task in range(n_tasks):
            work(task)
        return
    tasks = iter(range(n_tasks))
    errors: list[BaseException] = []

    def run() -> None:
        try:
            for task in tasks:
                if errors:
                    return
                work(task)
        except BaseException as error:
            errors.append(error)

    helpers = [threading.Thread(target=run, daemon=True) for _ in range(min(threads, n_tasks) - 1)]
    for helper in helpers:
        helper.start()
    run()
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]
