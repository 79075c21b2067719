"""How fast work goes and how long the rest takes, from how much was done when; and times in words."""

from __future__ import annotations

from collections import deque

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
