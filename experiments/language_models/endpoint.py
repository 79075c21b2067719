"""Chat models behind an OpenAI-compatible endpoint: a vendor, vLLM, llama.cpp, Ollama, transformers serve."""

from __future__ import annotations

import json
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...embeddings.extras import require
from ...errors import UserError
from .chat import Answer, ChatRequest, Failure, Json, Keep, Reply, Usage
from .retries import Retries
from .secret import VARIABLE, check_base_url, key_from_environment
from .workers import in_threads

OPENAI_URL = "https://api.openai.com/v1"
# After these no other request would fare better: a wrong key, no money, no such model or address.
_HOPELESS = frozenset({401, 402, 404})
# What vendors call a question that their filter holds back: for good, so that it is an answer, and empty.
_FILTERED = ("content_filter", "content_policy_violation")
_SHOWN = 300  # letters of an endpoint's own words
_NO_CONNECTION, _PAGE = "no connection to", "the endpoint sent a page of HTML"
_FIRST_ATTEMPTS = 2  # of a request, where no server was ever met at the address
_HINT = "is model.base_url right? It mostly ends in /v1"
# Where servers put what a model thinks.
_THOUGHTS = ("reasoning_content", "reasoning")


@dataclass
class Endpoint:
    """A model behind an address.

    Parameters
    ----------
    name
        The model, as the endpoint calls it.
    base_url
        The endpoint's address, OpenAI's by default.
    key_variable
        The environment variable that holds the key. Only OpenAI's own address insists on one.
    concurrency
        How many requests are under way at most.
    timeout
        Seconds for a connection, and between one piece of an answer and the next: an answer that comes in
        pieces may take longer.
    retries
        When to ask again.

    """

    name: str
    base_url: str = OPENAI_URL
    key_variable: str = VARIABLE
    concurrency: int = 8
    timeout: float = 300.0
    retries: Retries = field(default_factory=Retries)
    _client: Any = field(default=None, init=False, repr=False)
    # What the endpoint was found not to know, for all later requests.
    _no_schema: bool = field(default=False, init=False, repr=False)
    _new_limit: bool = field(default=False, init=False, repr=False)
    _hopeless: str | None = field(default=None, init=False, repr=False)
    _answered: bool = field(default=False, init=False, repr=False)  # ever, and not with a page

    def __post_init__(self) -> None:
        self.base_url = check_base_url(self.base_url)
        self._key = key_from_environment(self.key_variable)
        if self._key.hide(self.base_url) != self.base_url:
            raise UserError(
                f"model.base_url holds the key in {self.key_variable}, which would be recorded: leave it out"
            )

    def describe(self) -> dict[str, Json]:
        """The address and the model."""
        return {"backend": "endpoint", "base_url": self.base_url, "name": self.name}

    def count_tokens(self, request: ChatRequest) -> int | None:
        """None: an endpoint counts tokens only once they are paid for."""
        return None

    def complete(self, requests: Sequence[ChatRequest], keep: Keep | None = None) -> list[Answer]:
        """Answer the requests, several at a time.

        An error that no other request would be spared, such as a wrong key, is asked for no more: the
        requests after it fail with the same reason, and with no attempt.

        Raises
        ------
        UserError
            If there is no key and the address is OpenAI's.

        """
        if not requests:
            return []
        self._open()
        self._hopeless = None
        return in_threads(requests, self._ask, self.concurrency, keep)

    @property
    def hopeless(self) -> str | None:
        """Why no other request would fare better than the last ones; None where another might."""
        return self._hopeless

    def check(self) -> None:
        """Raise UserError where the key is missing that OpenAI's own address needs."""
        if not self._key and self.base_url == OPENAI_URL:
            raise UserError(
                f"no key for {OPENAI_URL}: put it into the environment variable {self.key_variable}, or name "
                "another endpoint with model.base_url="
            )

    def _open(self) -> None:
        self.check()
        if self._client is None:
            require("openai")
            from openai import OpenAI

            self._client = OpenAI(
                # A server on one's own machine asks for none, and the package insists on some.
                api_key=self._key.reveal() or "none",
                base_url=self.base_url,
                timeout=self.timeout,
                max_retries=0,
            )
            # Otherwise its connections are closed by chance, after Python has complained of them.
            weakref.finalize(self, self._client.close)

    def _ask(self, request: ChatRequest, stop: threading.Event) -> Answer:
        """One request, with all its attempts."""
        empty: Reply | None = None
        failure = Failure("it was not sent")
        for attempt in range(1, self.retries.attempts + 1):
            if self._hopeless is not None:
                return Failure(self._hopeless, attempt - 1)
            if stop.is_set():
                return Failure("stopped", attempt - 1)
            found, wait = self._attempt(request)
            if isinstance(found, Reply):
                # Nothing at all may be a glitch of the server's or all that the model has to say.
                if empty is not None:
                    found = replace(found, usage=_both(empty.usage, found.usage))
                if empty is not None or not found.unsaid:
                    return found
                empty = found
            else:
                failure = replace(found, attempts=attempt)
                if wait is None:
                    return failure
                if self._nobody(failure):
                    # The other requests need not try.
                    self._hopeless = failure.reason
                    return failure
            pause = self.retries.pause(attempt, wait if wait and wait > 0 else None)
            if pause > self.retries.patience:
                return replace(failure, reason=f"{failure.reason}; it asks to wait for {pause:.0f} s")
            if attempt < self.retries.attempts:
                self.retries.clock.wait(pause, stop)
        return failure if empty is None else empty

    def _nobody(self, failure: Failure) -> bool:
        """Whether there is no such server: a second attempt is enough where none was ever met."""
        if failure.reason.startswith(_PAGE):
            return not self._answered and failure.attempts >= _FIRST_ATTEMPTS
        enough = self.retries.attempts if self._answered else min(_FIRST_ATTEMPTS, self.retries.attempts)
        return failure.reason.startswith(_NO_CONNECTION) and failure.attempts >= enough

    def _attempt(self, request: ChatRequest) -> tuple[Reply | Failure, float | None]:
        """One attempt: a reply, or why there is none and how long to wait (None: no use, 0: as ever)."""
        import openai

        try:
            reply = self._sent(request)
            self._answered = True
            return reply, 0.0
        except openai.APIStatusError as error:
            status = error.status_code
            self._answered = True
            if status == 400 and any(code in str(error.body) for code in _FILTERED):
                return Reply("", "content_filter"), 0.0
            words = self._words(error)
            reason = f"the endpoint answered {status}" + (f": {words}" if words else "")
            if status in _HOPELESS:
                self._hopeless = reason
            if not self.retries.again(status) or _no_quota(error):
                return Failure(reason), None
            return Failure(reason), self.retries.retry_after(error.response.headers) or 0.0
        except openai.APITimeoutError:
            return Failure(f"the endpoint gave no answer within {self.timeout:g} s"), 0.0
        except openai.APIConnectionError as error:
            cause = error.__cause__
            words = self._clean(str(cause) if cause is not None and str(cause) else str(error))
            what = f"{_NO_CONNECTION} {self.base_url}" if _refused(cause) else "the connection broke"
            return Failure(f"{what} ({words})"), 0.0
        except _NoReplyError as error:
            return Failure(error.reason, sent=self._clean(error.sent)), 0.0
        except Exception as error:  # of the HTTP library's own kinds, such as a body that is no text
            return Failure(f"the request failed ({type(error).__name__}: {self._clean(str(error))})"), 0.0

    def _sent(self, request: ChatRequest) -> Reply:
        """One attempt, and the same without what the endpoint says that it does not know."""
        import openai

        structured, new_limit = request.schema is not None and not self._no_schema, self._new_limit
        while True:
            try:
                reply = self._posted(request, structured, new_limit)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if "max_completion_tokens" in str(error) and not new_limit:
                    new_limit = True  # OpenAI's later models know the limit by this name alone
                elif structured:
                    structured = False
                else:
                    raise
            else:
                self._new_limit |= new_limit
                self._no_schema |= request.schema is not None and not structured
                return reply

    def _posted(self, request: ChatRequest, structured: bool, new_limit: bool) -> Reply:
        sent: dict[str, Any] = {
            "model": self.name,
            "messages": request.content()["messages"],
            "max_completion_tokens" if new_limit else "max_tokens": request.max_tokens,
        }
        if request.temperature is not None:
            sent["temperature"] = request.temperature
        if request.seed is not None:
            sent["seed"] = request.seed
        if structured:
            sent["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": request.schema},
            }
        if request.extra:
            sent["extra_body"] = dict(request.extra)
        response = self._client.chat.completions.with_raw_response.create(**sent)
        return self._read(response.http_response.text, structured)

    def _read(self, body: str, structured: bool) -> Reply:
        try:
            found = json.loads(body)
        except ValueError as error:
            if body.lstrip().startswith("<"):
                raise _NoReplyError(f"{_PAGE}: {_HINT}", repr(self._clean(body)[:80])) from error
            words = f"{self._clean(body)[:80]!r}" if body.strip() else "nothing"
            raise _NoReplyError("the endpoint's answer is no whole JSON", words) from error
        try:
            choice = found["choices"][0]
            message = choice["message"]
            content = message.get("content")
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            words = self._clean(json.dumps(found, ensure_ascii=False))[:120]
            raise _NoReplyError(f"the endpoint's answer holds no reply: {_HINT}", words) from error
        if isinstance(content, list):  # in parts, as some vendors send it
            content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
        text = content if isinstance(content, str) else ""
        text = text.encode("utf-8", "replace").decode()  # half of a pair of surrogates is no letter
        thoughts = not text.strip() and any(message.get(name) for name in _THOUGHTS)
        return Reply(
            self._key.hide(text),
            _text(choice.get("finish_reason")),
            _usage(found.get("usage")),
            structured,
            thoughts=thoughts,
        )

    def _words(self, error: Any) -> str:
        """What an endpoint says of its error, in one line."""
        body = error.body
        if isinstance(body, Mapping):
            inner = body.get("error", body)
            said = inner.get("message", inner) if isinstance(inner, Mapping) else inner
        else:
            said = error.response.text
        return self._clean(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))

    def _clean(self, text: str) -> str:
        line = " ".join(self._key.hide(text).split())
        return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"


class _NoReplyError(Exception):
    """The endpoint answered 200, and not with a reply but with what it sent."""

    def __init__(self, reason: str, sent: str) -> None:
        super().__init__(reason)
        self.reason, self.sent = reason, sent


def _refused(cause: BaseException | None) -> bool:
    return type(cause).__name__ in {"ConnectError", "ConnectTimeout"}


def _no_quota(error: Any) -> bool:
    """Whether a 429 says that the money is gone, which no waiting mends."""
    return error.status_code == 429 and "insufficient_quota" in str(error.body)


def _both(first: Usage | None, second: Usage | None) -> Usage | None:
    return second if first is None else first if second is None else first + second


def _usage(found: Json) -> Usage | None:
    try:
        return Usage(int(found["prompt_tokens"]), int(found["completion_tokens"]))
    except (KeyError, TypeError, ValueError):
        return None


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
