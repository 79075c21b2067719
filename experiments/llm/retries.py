"""When to ask again and after how long. Nothing here knows of HTTP libraries, and no test has to wait."""

from __future__ import annotations

import email.utils
import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC
from typing import Protocol


class Clock(Protocol):
    """What time it is, and waiting."""

    def now(self) -> float:
        """Seconds since 1970."""
        ...

    def wait(self, seconds: float, stop: threading.Event) -> None:
        """Wait, but no longer than until ``stop`` is set."""
        ...


class WallClock:
    """The machine's."""

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def wait(self, seconds: float, stop: threading.Event) -> None:
        """Wait, but no longer than until ``stop`` is set."""
        stop.wait(seconds)


@dataclass(frozen=True, slots=True)
class Retries:
    """Exponential back-off with jitter, bounded in number and time.

    Without word from the server, attempt n (from 1) is followed by a wait between half and the whole of
    ``first * 2**(n - 1)`` seconds, at most ``longest``. A server's own Retry-After is honoured as it is; one
    above ``patience`` seconds ends the attempts, since nobody waits for tomorrow's quota. A server that loads
    its model is waited for just as long.
    """

    attempts: int = 6
    first: float = 1.0
    longest: float = 60.0
    patience: float = 600.0
    clock: Clock = field(default_factory=WallClock)

    def pause(self, attempt: int, retry_after: float | None = None) -> float:
        """Seconds to wait after ``attempt`` attempts."""
        most = min(self.longest, self.first * 2 ** (attempt - 1))
        own = most * random.uniform(0.5, 1.0)
        return own if retry_after is None else max(retry_after, 0.0)

    def retry_after(self, headers: Mapping[str, str]) -> float | None:
        """What the server asks for, in seconds, from ``retry-after-ms`` or ``retry-after``; else None.

        The second is a number of seconds or an HTTP date.
        """
        for header, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
            try:
                seconds = float(headers.get(header, "")) / unit
            except ValueError:
                continue
            if 0 <= seconds < float("inf"):
                return seconds
        try:
            date = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
        except ValueError:
            return None
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        return max(0.0, date.timestamp() - self.clock.now())
