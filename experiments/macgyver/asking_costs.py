"""What questions about problems would cost at most, and what they have cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...conf.llm_schema import AskConfig
from ..llm.chat import ChatRequest, Usage
from ..llm.local import LocalChat
from ..llm.replies import CachedChat
from ..llm.usage import LETTERS_A_TOKEN, Prices, estimate
from ..tasks.dry_run import speed_of_kept
from ..terminal.progress import time_text
from ..terminal.writing import counted
from .asked import Asked


@dataclass(frozen=True, slots=True)
class Turns:
    """Requests that are not made yet: so many, each with about so many tokens to read."""

    n_requests: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Bound:
    """The most that a run costs.

    ``requests`` are made at once, at most ``later`` follow on their replies, and ``kept`` of the first have
    their reply already. ``written`` tokens are the most that the limit allows, those ``read`` are counted as
    ``how`` says. ``cost`` is None without prices. ``seconds`` is how long all of them take, ``pace`` in words
    what tells so; None and empty where nothing does.
    """

    requests: int
    later: int
    kept: int
    read: int
    written: int
    how: str
    cost: float | None
    seconds: float | None = None
    pace: str = ""


def bound(
    config: AskConfig, found: Asked, requests: Sequence[ChatRequest], later: Sequence[Turns] = ()
) -> Bound:
    """What requests, and those that follow on their replies, would cost at most."""
    left = list(requests)
    n_kept = 0
    if isinstance(found.model, CachedChat):
        left = list({found.key(request): request for request in requests}.values())
        kept = found.model.kept(left)
        n_kept = sum(reply is not None for reply in kept)
        left = [request for request, reply in zip(left, kept, strict=True) if reply is None]
    counter = found.model if config.model.tokenizer is None else LocalChat(config.model.tokenizer)
    first = estimate(counter, left)
    n_later = sum(turn.n_requests for turn in later)
    read = first.usage.prompt + sum(turn.n_requests * turn.tokens for turn in later)
    written = first.usage.completion + n_later * found.asking.max_tokens
    cost = Prices(config.model.price_in, config.model.price_out).cost(Usage(read, written))
    speed = speed_of_kept(found.model, requests)
    seconds = None if speed is None else speed.seconds * (first.n_requests + n_later)
    pace = "" if speed is None else speed.source
    return Bound(first.n_requests, n_later, n_kept, read, written, first.how, cost, seconds, pace)


def bound_text(most: Bound) -> str:
    """The same in words."""
    more = f" and at most {most.later:,} that follow on their replies" if most.later else ""
    text = (
        f"{counted(most.requests, 'request')}{more}: about {most.read:,} tokens to read ({most.how}), "
        f"at most {most.written:,} to write"
    )
    if most.cost is None:
        text += "; no cost without model.price_in= and model.price_out= (for a million tokens)"
    else:
        text += f"; cost at most about {most.cost:.4g}"
    if most.seconds is not None and most.requests + most.later:
        text += (
            f"\n{'at most ' if most.later else ''}about {time_text(most.seconds)}, at the pace of {most.pace}"
        )
    if most.kept:
        are = "reply is kept already and is" if most.kept == 1 else "replies are kept already and are"
        text += f"\n{most.kept:,} of the first {are} not counted above"
    return text


def spent_text(config: AskConfig, found: Asked) -> str:
    """What a run has cost."""
    cost = found.spent
    n_kept = sum(reply.cached for reply in found.replies)
    text = counted(len(found.replies), "reply", "replies")
    if n_kept:
        text += f", {n_kept:,} of them kept from before"
    text += f"; tokens: {cost.paid.prompt:,} read, {cost.paid.completion:,} written"
    if cost.unknown:
        text += f"; {cost.unknown:,} told no numbers"
    money = Prices(config.model.price_in, config.model.price_out).cost(cost.paid)
    return text if money is None else f"{text}; cost {money:.4g}"


def tokens(text: str) -> int:
    """About how many tokens a text is."""
    return -(-len(text) // LETTERS_A_TOKEN)
