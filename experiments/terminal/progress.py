"""Progress on stderr: bars on a terminal, elsewhere a line a minute of work that takes longer.

Both say how much is done of how much, at what rate, and how long the rest takes. Nothing goes to stdout.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

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


_WINDOW = 300.0  # seconds: the rate is that of the last minutes, not blurred by a pause or a faster start
_BURST = 1.0  # what is done within the first second, such as kept replies, says nothing of the rest
_LEAST = 1.0  # seconds that a rate is measured over


class Pace:
    """The rate of one step; ``now`` is in seconds of any clock that only goes forward."""

    def __init__(self, now: float) -> None:
        self._begin(now)
        self.done = 0
        self._begun = False  # whether anything was taken in

    def _begin(self, now: float) -> None:
        self._start = now
        self._samples: deque[tuple[float, int]] = deque([(now, 0)])

    def update(self, now: float, done: int) -> None:
        """Take in how much is done; less than before, or first of all 0, is a new beginning."""
        if done < self.done or (done == 0 and not self._begun):  # a model was loaded before
            self._begin(now)
        self.done, self._begun = done, True
        if now - self._start < _BURST:
            self._samples = deque([(now, done)])
            return
        if self._samples[-1][1] != done:
            self._samples.append((now, done))
        while len(self._samples) > 2 and self._samples[1][0] < now - _WINDOW:
            self._samples.popleft()

    def skip(self, now: float, done: int) -> None:
        """Take in how much is done, where what is new was there already and took no time."""
        if done < self.done or len(self._samples) == 1:  # nothing was measured yet
            self._start, self._samples, self.done = now, deque([(now, done)]), done
            return
        self._samples = deque((when, before + done - self.done) for when, before in self._samples)
        self.done = done

    def rate(self, now: float) -> float | None:
        """How many a second; None as long as it is not known."""
        since, before = self._samples[0]
        if now - since < _LEAST or self.done <= before:
            return None
        return (self.done - before) / (now - since)

    def left(self, now: float, total: int) -> float | None:
        """Seconds that the rest takes at this rate; None as long as it is not known."""
        rate = self.rate(now)
        return None if rate is None or total <= self.done else (total - self.done) / rate


def rate_text(rate: float) -> str:
    """A rate in words: so many a second, a minute or an hour."""
    for seconds, unit in ((1, "s"), (60, "min"), (3600, "h")):
        if rate * seconds >= 1 or unit == "h":
            number = rate * seconds
            break
    return f"{number:,.0f}/{unit}" if number >= 10 else f"{number:.1f}/{unit}"


def time_text(seconds: float) -> str:
    """A time in words, as precise as anyone plans by: 8 s, 4 min, 2 h 10 min, 3 days 5 h."""
    if seconds < 59.5:
        return f"{max(seconds, 0.0):.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    named = f"{days} day{'' if days == 1 else 's'}"
    return f"{named} {hours} h" if hours else named
