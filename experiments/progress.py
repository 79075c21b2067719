"""Progress on the terminal's stderr; nothing where stderr is a file or a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from .terminal import cell, safe_console, safe_streams

if TYPE_CHECKING:
    from rich.progress import Progress

Update = Callable[[int, int], None]  # (done, total)


class ProgressBars:
    """One bar for each step of a run, and the seconds that each took, without those of steps within it.

    Use as a context manager; ``step`` may be entered with or without a known total, and again and again.
    """

    def __init__(self, shown: bool | None = None) -> None:
        self.seconds: dict[str, float] = {}
        self._streams = ExitStack()
        self._within = 0.0  # seconds of the steps that have ended inside the present one
        self._bars: Progress | None = _bars() if (sys.stderr.isatty() if shown is None else shown) else None

    def of_another_run(self) -> ProgressBars:
        """The same bars on the terminal, with seconds of their own."""
        other = ProgressBars(shown=False)
        other._bars = self._bars
        return other

    def say(self, line: str) -> None:
        """A line that stays: above the bars, or on stderr where there are none."""
        if self._bars is None:
            print(line, file=sys.stderr)
        else:
            self._bars.console.print(cell(line), soft_wrap=True)

    def __enter__(self) -> ProgressBars:
        if self._bars is not None:
            self._bars.start()
            self._streams.enter_context(safe_streams())  # above rich's own, which reads escape sequences
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._streams.close()
            self._bars.stop()

    @contextmanager
    def step(self, name: str, label: str) -> Iterator[Update]:
        """Time a step as ``name`` and show it as ``label``; yields what reports its progress."""
        bars = self._bars
        task = None if bars is None else bars.add_task(label, total=None, count="")

        def update(done: int, total: int) -> None:
            if bars is not None and task is not None:
                bars.update(task, completed=done, total=total, count=f"{done:,}/{total:,}")

        start, before = time.perf_counter(), self._within
        self._within = 0.0
        try:
            yield update
        finally:  # a sweep goes on where a run failed, with the same bars
            taken = time.perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + taken - self._within
            self._within = before + taken
            if bars is not None and task is not None:
                bars.remove_task(task)


def _bars() -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}", markup=False),
        TimeElapsedColumn(),
        console=safe_console(stderr=True, force_terminal=True),
        transient=True,
    )
