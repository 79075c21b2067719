"""Questions to a language model for making, solving and judging: who answers, the cost, what is said."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ...conf.llm_schema import AskConfig
from ...errors import UserError
from ..llm.chat import Asking, ChatModel, ChatRequest, Json, Message, Reply, Usage, request_key, sampled
from ..llm.local import LocalChat
from ..llm.prompt import Prompt
from ..llm.replies import CachedChat, all_replied
from ..llm.retries import Retries
from ..llm.served import served_entry, served_text
from ..llm.usage import LETTERS_A_TOKEN, Following, Prices, Spent, estimate, spent
from ..runs.language_model.config import is_local
from ..tables.language_results import thoughts_advice
from ..tasks.dry_run import speed_of_kept
from ..tasks.faults import reply_faults
from ..tasks.prepare import asking_of, cached, make_model
from ..terminal.progress import Update, time_text
from ..terminal.writing import counted

# Section 4.2: nucleus sampling with T=0.7 and p=0.95.
SAMPLED: Mapping[str, str] = MappingProxyType(
    {"model.temperature": "0.7", "model.extra": '{"top_p": 0.95}', "model.max_tokens": "1024"}
)
_SCHEMA: Mapping[str, Json] = MappingProxyType({})  # answers are texts


@dataclass(slots=True)
class ModelClient:
    """A model, how it is asked, and what it has answered so far.

    ``likeliest`` says that it gives the same reply each time.
    """

    model: ChatModel
    asking: Asking
    likeliest: bool = False
    prices: Prices = field(default_factory=Prices)
    replies: list[Reply] = field(default_factory=list)
    _before: Counter[tuple[Message, ...]] = field(default_factory=Counter)
    _update: Update | None = None
    _following: Following | None = None

    def request(self, messages: tuple[Message, ...]) -> ChatRequest:
        """A request with these messages; an equal one is the same request."""
        return self.asking.request(messages, _SCHEMA)

    def drawn(self, conversations: Iterable[Sequence[Message]]) -> list[ChatRequest]:
        """Requests for a reply each: equal ones are the first, second and so on sample of this run.

        Where the model gives the same reply each time, equal ones stay one request.
        """
        requests = []
        for conversation in conversations:
            messages = tuple(conversation)
            sample = 0 if self.likeliest else self._before[messages]
            self._before[messages] += 1
            requests.append(sampled(self.request(messages), sample))
        return requests

    def key(self, request: ChatRequest) -> str:
        """What a request's reply is kept under."""
        return request_key(self.model.describe(), request)

    def ask(
        self, requests: Sequence[ChatRequest], names: Sequence[str], about: str, update: Update | None = None
    ) -> list[Reply]:
        """The replies to requests.

        Raises
        ------
        UserError
            If requests failed: those that were answered are kept for the next time.

        """
        if self._following is None or update is not self._update:
            self._update, self._following = update, Following(update, self.model, self.prices)
        keep = self._following.begin(len(requests)).keep
        found = all_replied(self.model.complete(requests, keep), names, self.model, about)
        self.replies += found
        return found

    @property
    def spent(self) -> Spent:
        """What the replies so far have cost."""
        return spent(self.replies)


def open_client(config: AskConfig, retries: Retries | None = None) -> ModelClient:
    """The model that a configuration names; nobody is asked yet."""
    model = cached(make_model(config.model, retries), config.cache)
    prices = Prices(config.model.price_in, config.model.price_out)
    return ModelClient(model, asking_of(config.model), takes_likeliest(config), prices)


def takes_likeliest(config: AskConfig) -> bool:
    """Whether the model gives the same reply each time; transformers does so without a temperature too."""
    temperature = config.model.temperature
    return temperature == 0 or (temperature is None and is_local(config.model))


def text_sha256(text: str) -> str:
    """64 hex digits that stand for a template."""
    return hashlib.sha256(text.encode()).hexdigest()


def recorded(prompt: Prompt) -> dict[str, Json]:
    """What a row says of a template: its hash, and of the user's own the text."""
    return {"sha256": text_sha256(prompt.text), **({"text": prompt.text} if prompt.own else {})}


def model_name(model: ChatModel) -> str:
    """What a row says of who answered it."""
    base = model.describe().get("base_url")
    return model.name if base is None else f"{model.name} at {base}"


def check_samples(config: AskConfig, conversations: Iterable[Sequence[Message]], instead: str) -> None:
    """Raise UserError where replies are to differ, but questions are equal and the model repeats itself.

    ``instead`` is what the user may do beside choosing a temperature.
    """
    if not takes_likeliest(config):
        return
    if any(number > 1 for number in Counter(map(tuple, conversations)).values()):
        got = "null" if config.model.temperature is None else "0"
        raise UserError(
            f"model.temperature={got} gives the same answer each time that the question is the same: "
            f"{instead}, or choose a higher temperature"
        )


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
    config: AskConfig, found: ModelClient, requests: Sequence[ChatRequest], later: Sequence[Turns] = ()
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


def spent_text(config: AskConfig, found: ModelClient) -> str:
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


def reply_notes(replies: Sequence[Reply], name: str) -> list[str]:
    """A line each on replies without an answer, and on models other than the one that was asked for."""
    if not replies:
        return []
    faults = reply_faults(replies)
    alone, cut = (round(faults[key] * len(replies)) for key in ("thoughts_alone", "cut_short"))
    lines = []
    if alone:
        lines.append(f"{counted(alone, 'reply is', 'replies are')} thoughts alone, without an answer")
        lines += thoughts_advice(faults)
    if cut and faults["cut_short"] > faults["thoughts_cut"]:
        lines.append(f"{counted(cut, 'reply', 'replies')} ran out of tokens: raise model.max_tokens=")
    return lines + served_text(served_entry(replies), name)


def reply_counts(replies: Sequence[Reply]) -> dict[str, Json]:
    """The same as numbers, for JSON."""
    faults = reply_faults(replies) if replies else {}
    counts = {key: round(faults.get(key, 0.0) * len(replies)) for key in ("cut_short", "thoughts_alone")}
    return {**counts, "served": served_entry(replies)}
