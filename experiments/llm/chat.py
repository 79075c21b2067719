"""What a chat model is asked, what comes back, and what every model offers, whatever stands behind it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from .outcomes import CUT, of_reply

Json: TypeAlias = Any
MAX_TOKENS = 144  # the paper's


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question, with everything beside the model that its answer depends on.

    ``temperature`` None leaves the choice to the endpoint. ``schema`` is a JSON schema that the answer
    should fit, where the endpoint can see to that. ``extra`` goes into the request as it is. ``sample`` tells
    requests apart that are to have a reply each, though they are equal.
    """

    messages: tuple[Message, ...]
    max_tokens: int = 144
    temperature: float | None = 0.0
    seed: int | None = None
    schema: Mapping[str, Json] | None = None
    extra: Mapping[str, Json] = field(default_factory=dict)
    sample: int = 0

    def content(self) -> dict[str, Json]:
        """The request as plain values."""
        return {
            "messages": [{"role": each.role, "content": each.content} for each in self.messages],
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
            "schema": None if self.schema is None else dict(self.schema),
            "extra": dict(self.extra),
            **({"sample": self.sample} if self.sample else {}),
        }


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens read and written. Thinking counts as written, as vendors bill it."""

    prompt: int = 0
    completion: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.prompt + other.prompt, self.completion + other.completion)


@dataclass(frozen=True, slots=True)
class Served:
    """Which model answered, as the server names it in the reply: ``fingerprint`` is its system_fingerprint.

    ``listing`` is what its list of models says beside the name that is asked for, where it says more.
    """

    model: str | None = None
    fingerprint: str | None = None
    listing: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered. ``text`` may be empty: some models have nothing to say.

    ``finish`` is why it stopped, in the endpoint's words: ``length`` where it ran out of tokens.
    ``structured`` says whether the endpoint took the request's schema. ``cached`` replies cost nothing now.
    ``usage`` is that of all attempts which the endpoint answered. ``thoughts`` says of an empty one that the
    endpoint sent thoughts beside it. ``no_system`` says that the system's words stood in the user's turn.
    """

    text: str
    finish: str | None = None
    usage: Usage | None = None
    structured: bool = False
    cached: bool = False
    thoughts: bool = False
    served: Served = field(default_factory=Served, compare=False)
    no_system: bool = field(default=False, compare=False)

    @property
    def unsaid(self) -> bool:
        """Whether it is empty for no reason of its own: asked again, the model may have something to say."""
        return not self.text.strip() and of_reply(self.text, self.finish) is not CUT

    @property
    def storable(self) -> bool:
        """Whether it is an answer that another run may have too, and no sign of a failure."""
        return of_reply(self.text, self.finish).stored


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no reply, in one line without any key. ``attempts`` is how often it was tried.

    ``sent`` is what came in a reply's place, where that tells failures of one kind apart. ``kind`` is the
    name of one of ``kinds.KINDS``, where an endpoint failed.
    """

    reason: str
    attempts: int = 1
    sent: str = ""
    kind: str = field(default="", compare=False)


Answer: TypeAlias = Reply | Failure
Keep: TypeAlias = Callable[[int, Answer], None]
"""Told the place of a request and its answer as soon as it is there, always from the caller's thread."""


class ChatModel(Protocol):
    """Requests in, one answer a request out, in the order given."""

    @property
    def name(self) -> str:
        """What the user calls the model."""
        ...

    def describe(self) -> dict[str, Json]:
        """Everything beside a request that its answer depends on; never a key."""
        ...

    def complete(self, requests: Sequence[ChatRequest], keep: Keep | None = None) -> list[Answer]:
        """Answer the requests; what went wrong with one is its ``Failure`` and stops no other."""
        ...

    def count_tokens(self, request: ChatRequest) -> int | None:
        """How many tokens the request's messages are, or None where no tokenizer is to hand."""
        ...


@runtime_checkable
class ListsModels(Protocol):
    """A model whose server has a list of what it serves."""

    def listing(self) -> Mapping[str, Json] | None:
        """What the server's list says of the model beside its name; None if it cannot be had."""
        ...


def without_system(messages: Sequence[Message]) -> list[Message]:
    """The messages with the system's words before the user's first ones."""
    said = [message.content for message in messages if message.role == "system"]
    others = [message for message in messages if message.role != "system"]
    if not said:
        return list(messages)
    if not others:
        return [Message("user", "\n\n".join(said))]
    return [Message(others[0].role, "\n\n".join([*said, others[0].content])), *others[1:]]


def request_key(described: Mapping[str, Json], request: ChatRequest) -> str:
    """64 hex digits that stand for a model and the whole of a request."""
    text = json.dumps(
        {"model": described, "request": request.content()}, sort_keys=True, ensure_ascii=True, allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()


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
