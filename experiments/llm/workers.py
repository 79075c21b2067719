"""Many calls at once, at most so many at a time, and an end at once when the user wants one."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")

_LOOK = 0.1  # seconds between two looks at whether the call has ended


def in_threads(
    jobs: Sequence[Job],
    work: Callable[[Job, threading.Event], Result],
    n_workers: int,
    keep: Callable[[int, Result], None] | None = None,
) -> list[Result]:
    """``work(job, stop)`` for each job on up to ``n_workers`` threads; the results in the jobs' order.

    ``keep`` is told each result as it comes, from this thread, and before the worker that made it begins
    another job: what is killed then loses what was under way and nothing that had come. Where this thread
    is interrupted, or a call raises, ``stop`` is set, no further job begins, and the exception goes on at
    once: the threads are daemons, so that a server that hangs holds up nobody.
    """
    places: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, Result | None, BaseException | None]] = queue.SimpleQueue()
    kept = [threading.Event() for _ in jobs]
    for place in range(len(jobs)):
        places.put(place)
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            try:
                place = places.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((place, work(jobs[place], stop), None))
            except BaseException as error:  # handed on to the caller's thread
                done.put((place, None, error))
            while not (kept[place].wait(_LOOK) or stop.is_set()):
                pass

    for _ in range(min(n_workers, len(jobs))):
        threading.Thread(target=run, name="fourfold-endpoint", daemon=True).start()
    results: dict[int, Result] = {}
    try:
        while len(results) < len(jobs):
            place, result, error = done.get()
            if error is not None:
                raise error
            results[place] = result  # type: ignore[assignment]
            if keep is not None:
                keep(place, results[place])
            kept[place].set()
    finally:
        stop.set()
    return [results[place] for place in range(len(jobs))]
