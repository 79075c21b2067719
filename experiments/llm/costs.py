"""What questions cost: tokens, and money at the prices that the user gives. No price is known here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
