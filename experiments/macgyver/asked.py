"""Questions to a language model with the replies kept: what making, solving and judging have in common."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ...conf.llm_schema import AskConfig
from ...errors import UserError
from ..llm.chat import Asking, ChatModel, ChatRequest, Json, Message, Reply, request_key, sampled
from ..llm.prompt import Prompt
from ..llm.replies import all_replied
from ..llm.retries import Retries
from ..llm.usage import Following, Prices, Spent, spent
from ..runs.language_model.config import is_local
from ..tasks.prepare import asking_of, cached, make_model
from ..terminal.progress import Update

# Section 4.2: nucleus sampling with T=0.7 and p=0.95.
SAMPLED: Mapping[str, str] = MappingProxyType(
    {"model.temperature": "0.7", "model.extra": '{"top_p": 0.95}', "model.max_tokens": "1024"}
)
_SCHEMA: Mapping[str, Json] = MappingProxyType({})  # answers are texts


@dataclass(slots=True)
class Asked:
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


def asked(config: AskConfig, retries: Retries | None = None) -> Asked:
    """The model that a configuration names; nobody is asked yet."""
    model = cached(make_model(config.model, retries), config.cache)
    prices = Prices(config.model.price_in, config.model.price_out)
    return Asked(model, asking_of(config.model), takes_likeliest(config), prices)


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
