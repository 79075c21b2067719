"""Endpoints for tests against scripted servers: their waits take no time and are written down."""

from __future__ import annotations

from typing import Any

from chat_server import ChatServer

from fourfold.experiments.llm.chat import ChatRequest, Message
from fourfold.experiments.llm.endpoint import Endpoint
from fourfold.experiments.llm.retries import Retries

KEY = "sk-a-key-that-nobody-may-see-0123456789"


class Waits(list[float]):
    """The seconds of each wait, which is over at once."""

    def __call__(self, seconds: float, stop: object) -> None:
        self.append(seconds)


def question(text: str = "which?", system: str = "be brief", **more: Any) -> ChatRequest:
    """A request of two turns; of one without the system's words."""
    turns = [Message("system", system)] if system else []
    return ChatRequest((*turns, Message("user", text)), **more)


def endpoint(server: ChatServer | str, waits: Any = None, **options: Any) -> Endpoint:
    """The model ``tiny`` at a server or an address; ``attempts`` and ``patience`` as of ``Retries``."""
    own = {name: options.pop(name) for name in ("attempts", "patience") if name in options}
    retries = Retries(**({"attempts": 4, "wait": Waits() if waits is None else waits} | own))
    return Endpoint("tiny", server if isinstance(server, str) else server.url, retries=retries, **options)
