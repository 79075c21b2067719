"""Tokens and money: what requests will cost, what they have cost, and how far a run is."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..terminal.progress import Step, Update
from ..terminal.writing import counted
from .chat import Answer, ChatModel, ChatRequest, Reply, Usage

LETTERS_A_TOKEN = 4  # a rule of thumb for English; vendors give it themselves
_TURN = 4  # tokens around each message, roughly


@dataclass(frozen=True, slots=True)
class Prices:
    """Money for a million tokens read and written, in whatever currency the user thinks of."""

    read: float | None = None
    written: float | None = None

    def cost(self, usage: Usage) -> float | None:
        """What so many tokens cost; None without both prices."""
        if self.read is None or self.written is None:
            return None
        return (usage.prompt * self.read + usage.completion * self.written) / 1e6


@dataclass(frozen=True, slots=True)
class Estimate:
    """What requests will cost at most. ``how`` says how tokens were counted."""

    n_requests: int
    usage: Usage  # completion: the most that the limit allows
    how: str


@dataclass(frozen=True, slots=True)
class Spent:
    """What answers have cost: all of them once, those of this call, and how many told no number of tokens."""

    usage: Usage
    paid: Usage
    unknown: int


def estimate(model: ChatModel, requests: Sequence[ChatRequest]) -> Estimate:
    """Tokens of the requests, by the model's tokenizer where one is to hand, else by their letters."""
    counts = [model.count_tokens(request) for request in requests]
    how = "counted by the model's tokenizer"
    if any(count is None for count in counts):
        counts = [_by_letters(request) for request in requests]
        how = f"estimated at {LETTERS_A_TOKEN} letters a token"
    total = Usage(sum(count or 0 for count in counts), sum(request.max_tokens for request in requests))
    return Estimate(len(requests), total, how)


def _by_letters(request: ChatRequest) -> int:
    return sum(_TURN - (-len(message.content) // LETTERS_A_TOKEN) for message in request.messages)


def spent(answers: Iterable[Answer]) -> Spent:
    """What the replies among ``answers`` say that they cost."""
    usage, paid, unknown = Usage(), Usage(), 0
    for answer in answers:
        if not isinstance(answer, Reply):
            continue
        if answer.usage is None:
            unknown += 1
            continue
        usage += answer.usage
        if not answer.cached:
            paid += answer.usage
    return Spent(usage, paid, unknown)


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


class Following:
    """Reports a model's answers to a step of progress as they come; give ``keep`` to ``complete``.

    Parameters
    ----------
    update
        What is told how many are answered, if anything is. Of a ``Step``, kept replies count as done and not
        towards its rate, and tokens, money and waiting requests are shown beside it.
    model
        Who is asked.
    prices
        What tokens cost, where the user has said so.

    """

    def __init__(self, update: Update | None, model: ChatModel, prices: Prices | None = None) -> None:
        self._update, self._model = update, model
        self._prices = Prices() if prices is None else prices
        self._paid = Usage()
        self._done = self._total = 0
        if isinstance(update, Step):
            update.aside = self.text

    def begin(self, total: int) -> Following:
        """Begin with so many requests; tokens and money go on from what they were."""
        self._done, self._total = 0, total
        if isinstance(self._update, Step):
            self._update(0, total)
        return self

    def keep(self, _: int, answer: Answer) -> None:
        """Take in an answer."""
        self._done += 1
        cached = isinstance(answer, Reply) and answer.cached
        if isinstance(answer, Reply) and answer.usage is not None and not cached:
            self._paid += answer.usage
        if cached and isinstance(self._update, Step):
            self._update.skip(self._done, self._total)
        elif self._update is not None:
            self._update(self._done, self._total)

    def text(self) -> str:
        """Tokens and money so far, and how many requests wait."""
        parts = []
        if self._paid != Usage():
            parts.append(f"{self._paid.prompt:,} tokens read, {self._paid.completion:,} written")
            if (cost := self._prices.cost(self._paid)) is not None:
                parts.append(f"cost {cost:.4g}")
        if waiting := counts_of(self._model).waiting:
            parts.append(f"{counted(waiting, 'request')} to be asked again")
        return ", ".join(parts)
