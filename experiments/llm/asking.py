"""How a model is asked, whatever it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .chat import ChatRequest, Json, Message

MAX_TOKENS = 144  # the paper's


@dataclass(frozen=True, slots=True)
class Asking:
    """What a run's requests have in common. ``structured`` asks for JSON where the endpoint knows how."""

    max_tokens: int = MAX_TOKENS
    temperature: float | None = 0.0
    seed: int | None = None
    structured: bool = False
    extra: Mapping[str, Json] = field(default_factory=dict)

    def request(self, messages: tuple[Message, ...], schema: Mapping[str, Json]) -> ChatRequest:
        """A request with these messages, whose answer should fit ``schema`` if it is to be structured."""
        return ChatRequest(
            messages,
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            seed=self.seed,
            schema=schema if self.structured else None,
            extra=self.extra,
        )


def sampled(request: ChatRequest, sample: int) -> ChatRequest:
    """The same request once more, for another reply: with the next seed but for sample 0, if it has one."""
    seed = None if request.seed is None else request.seed + sample
    return replace(request, sample=sample, seed=seed)
