"""Progress on stderr: bars on a terminal, elsewhere a line a minute of work that takes longer.

Both say how much is done of how much, at what rate, and how long the rest takes. Nothing goes to stdout.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from .pace import Pace, rate_text, time_text
from .writing import cell, safe_console, safe_streams

if TYPE_CHECKING:
    from rich.progress import Progress, Task
    from rich.text import Text

Update = Callable[[int, int], None]  # (done, total)
Clock = Callable[[], float]

_MINUTE = 60.0  # seconds between two lines


class Step:
    """One step of a run while it lasts. Call it with how much is done, and of how much.

    ``label`` may change meanwhile. ``aside`` gives what else there is to say whenever progress is shown.
    """

    def __init__(self, label: str, clock: Clock) -> None:
        self.label = label
        self.aside: Callable[[], str] | None = None
        self.on_update: Update | None = None  # called too, as for a bar
        self._clock = clock
        self._start = clock()
        self._pace = Pace(self._start)
        self._total: int | None = None

    def __call__(self, done: int, total: int) -> None:
        """Say that ``done`` of ``total`` are done."""
        self._pace.update(self._clock(), done)
        self._show(done, total)

    def skip(self, done: int, total: int) -> None:
        """Say that ``done`` of ``total`` are done, the last of which were there already."""
        self._pace.skip(self._clock(), done)
        self._show(done, total)

    def _show(self, done: int, total: int) -> None:
        self._total = total
        if self.on_update is not None:
            self.on_update(done, total)

    @property
    def facts(self) -> str:
        """How much is done, the rate, the time left, and what else there is to say."""
        now = self._clock()
        if self._total is None:
            parts = [f"{time_text(now - self._start)} so far"]
        else:
            parts = [f"{self._pace.done:,}/{self._total:,}"]
            if (rate := self._pace.rate(now)) is not None:
                parts.append(rate_text(rate))
            if (left := self._pace.left(now, self._total)) is not None:
                parts.append(f"{time_text(left)} left")
        facts = ", ".join(parts)
        more = "" if self.aside is None else self.aside()
        return f"{facts}; {more}" if more else facts


class ProgressBars:
    """One bar for each step of a run, and the seconds that each took, without those of steps within it.

    Use as a context manager; ``step`` may be entered with or without a known total, and again and again.

    Parameters
    ----------
    shown
        Whether there are bars: by default where stderr is a terminal, and a line a minute elsewhere. False
        shows nothing at all.
    clock
        What time it is, in seconds.

    """

    def __init__(self, shown: bool | None = None, clock: Clock = time.monotonic) -> None:
        self.seconds: dict[str, float] = {}
        self._within = 0.0  # seconds of the steps that have ended inside the present one
        self._clock = clock
        self._steps: list[Step] = []  # those that are open, the outermost first
        self._bars: Progress | None = _bars() if (sys.stderr.isatty() if shown is None else shown) else None
        self._streams = ExitStack()
        self._lines = _Lines(self._steps, clock) if shown is None and self._bars is None else None

    def of_another_run(self) -> ProgressBars:
        """The same progress on stderr, with seconds of their own."""
        other = ProgressBars(shown=False, clock=self._clock)
        other._bars, other._steps = self._bars, self._steps
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
        if self._lines is not None:
            self._lines.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._streams.close()
            self._bars.stop()
        if self._lines is not None:
            self._lines.stop()

    @contextmanager
    def step(self, name: str, label: str) -> Iterator[Step]:
        """Time a step as ``name`` and show it as ``label``; yields what reports its progress."""
        bars, step = self._bars, Step(label, self._clock)
        task = None if bars is None else bars.add_task(label, total=None, step=step)
        if bars is not None and task is not None:
            step.on_update = lambda done, total: bars.update(task, completed=done, total=total)
        self._steps.append(step)
        start, before = time.perf_counter(), self._within
        self._within = 0.0
        try:
            yield step
        finally:  # a sweep goes on where a run failed, with the same bars
            taken = time.perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + taken - self._within
            self._within = before + taken
            self._steps.remove(step)
            if bars is not None and task is not None:
                bars.remove_task(task)


class _Lines:
    """Says on stderr once a minute where the open steps are, from a thread of its own."""

    def __init__(self, steps: list[Step], clock: Clock) -> None:
        self._steps, self._clock = steps, clock
        self._ended = threading.Event()
        self._last = clock()

    def start(self) -> None:
        """Begin to say it, a minute from now."""
        self._ended.clear()
        self._last = self._clock()
        threading.Thread(target=self._go_on, name="fourfold-progress", daemon=True).start()

    def stop(self) -> None:
        """Say no more."""
        self._ended.set()

    def _go_on(self) -> None:
        while not self._ended.wait(_MINUTE):
            self.look()

    def look(self) -> None:
        """Say a line if a minute has gone by since the last one, and a step is open."""
        now = self._clock()
        steps = [*self._steps]
        if now - self._last < _MINUTE or not steps:
            return
        self._last = now
        print("; ".join(f"{step.label}: {step.facts}" for step in steps), file=sys.stderr, flush=True)


def _bars() -> Progress:
    from rich.progress import BarColumn, Progress, ProgressColumn, TimeElapsedColumn

    class Of(ProgressColumn):
        """A text of the step, looked at anew also while nothing is reported."""

        def __init__(self, text: Callable[[Step], str]) -> None:
            super().__init__()
            self._text = text

        def render(self, task: Task) -> Text:
            return cell(self._text(task.fields["step"]))

    return Progress(
        Of(lambda step: step.label),
        BarColumn(bar_width=20),
        Of(lambda step: step.facts),
        TimeElapsedColumn(),
        console=safe_console(stderr=True, force_terminal=True),
        transient=True,
    )
