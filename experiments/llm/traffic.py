"""What passes between a run and a server, counted while it does, so that progress can be shown."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from .chat import Usage


@dataclass(frozen=True, slots=True)
class Counts:
    """The state at one moment, over all requests of a model in this process.

    ``done`` counts requests that ended, with a reply or without; ``under_way`` those that are being asked,
    ``waiting`` those of them that wait to be asked again. ``usage`` is that of replies and of answers that
    broke off. ``failed`` counts attempts without a reply by the name of their kind.
    """

    done: int = 0
    under_way: int = 0
    waiting: int = 0
    usage: Usage = field(default_factory=Usage)
    failed: dict[str, int] = field(default_factory=dict)

    def failed_since(self, before: Counts) -> dict[str, int]:
        """The failed attempts that were not yet counted in ``before``, by kind, the most frequent first."""
        return dict((Counter(self.failed) - Counter(before.failed)).most_common())


class Traffic:
    """Counts, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._done = self._under_way = self._waiting = 0
        self._usage = Usage()
        self._failed: Counter[str] = Counter()

    @property
    def counts(self) -> Counts:
        """What has been counted so far."""
        with self._lock:
            return Counts(self._done, self._under_way, self._waiting, self._usage, dict(self._failed))

    @contextmanager
    def request(self) -> Iterator[None]:
        """A request is under way within the block."""
        with self._lock:
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1
                self._done += 1

    @contextmanager
    def wait(self) -> Iterator[None]:
        """A request waits within the block to be asked again."""
        with self._lock:
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1

    def answered(self, usage: Usage | None) -> None:
        """An attempt was answered, with so many tokens."""
        if usage is not None:
            with self._lock:
                self._usage += usage

    def failed(self, kind: str) -> None:
        """An attempt brought no reply."""
        with self._lock:
            self._failed[kind] += 1


def counts_of(model: object) -> Counts:
    """What a model has counted so far, also behind the store of its replies; else zeros."""
    traffic = getattr(getattr(model, "model", model), "traffic", None)
    return traffic.counts if isinstance(traffic, Traffic) else Counts()
