"""One attempt at a request: in the words that the endpoint knows, and what its answer holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .chat import ChatRequest, Json, Reply, Served, Usage, without_system
from .network import from_exception
from .outcomes import ANSWER, BROKEN, FILTERED, PAGE, REFUSED, UNKNOWN, UNREADABLE, of_finish
from .secret import Secret
from .server_errors import (
    AttemptError,
    error_in,
    from_body,
    from_status,
    masked_line,
    retry_after,
    says_new_limit,
    says_no_system,
    words_of,
)

HINT = "is model.base_url right? It mostly ends in /v1"
_SENT = 120  # letters of what came in a reply's place
_REFUSAL = 300  # and of a refusal's
# Where servers put what a model thinks.
_THOUGHTS = ("reasoning_content", "reasoning")


def read_answer(text: str, structured: bool, secret: Secret, wait: float | None = None) -> Reply:
    """The reply in a body; ``wait`` is what its headers ask for, in seconds.

    Raises
    ------
    AttemptError
        If there is none, or none that is the model's whole answer.

    """
    body = _json(text, secret)
    if (error := error_in(body)) is not None:
        raise from_body(error, words_of(error, "", secret), wait)
    if isinstance(body, Mapping) and body.get("choices") == []:
        raise AttemptError(FILTERED, "the endpoint held the answer back, with no choices", usage=_usage(body))
    try:
        choice = body["choices"][0]
        message = choice.get("message") or {}
        content, finish = message.get("content"), _text(choice.get("finish_reason"))
        if "message" not in choice and not choice.get("error"):
            raise KeyError("message")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        sent = masked_line(json.dumps(body, ensure_ascii=False), secret, _SENT)
        raise AttemptError(UNREADABLE, f"the endpoint's answer holds no reply: {HINT}", sent=sent) from error
    if isinstance(content, list):  # in parts, as some vendors send it
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    said = content if isinstance(content, str) else ""
    said = said.encode("utf-8", "replace").decode()  # half of a pair of surrogates is not a letter
    _check_whole(choice, message, said, secret, wait, _usage(body))
    thoughts = not said.strip() and any(message.get(name) for name in _THOUGHTS)
    served = Served(_text(body.get("model")), _text(body.get("system_fingerprint")))
    return Reply(said, finish, _usage(body), structured, thoughts=thoughts, served=served)


def _check_whole(
    choice: Mapping[str, Json],
    message: Mapping[str, Json],
    said: str,
    secret: Secret,
    wait: float | None,
    usage: Usage | None,
) -> None:
    """Raise AttemptError unless a choice is the model's whole answer."""
    finish, native = (_text(choice.get(name)) for name in ("finish_reason", "native_finish_reason"))
    kind = of_finish(finish)
    if kind in (ANSWER, UNKNOWN) and of_finish(native) is not UNKNOWN:
        kind = of_finish(native)
    reasons = masked_line(", ".join(dict.fromkeys(filter(None, (finish, native)))), secret, _SENT)
    if error := choice.get("error") or message.get("error"):
        trouble = from_body(error, words_of(error, "", secret), wait, BROKEN)
        trouble.usage = usage
        raise trouble
    refusal = message.get("refusal")
    if kind is REFUSED or (isinstance(refusal, str) and refusal.strip() and not said.strip()):
        words = masked_line(refusal if isinstance(refusal, str) else said, secret, _REFUSAL)
        raise AttemptError(
            REFUSED, "the model refused to answer", sent=f'"{words}"' if words else "", usage=usage
        )
    if kind is FILTERED:
        raise AttemptError(FILTERED, f"a filter held the answer back (finish_reason {reasons})", usage=usage)
    if kind is BROKEN:
        raise AttemptError(
            BROKEN, f"the endpoint broke its answer off (finish_reason {reasons})", usage=usage
        )


def _json(text: str, secret: Secret) -> Json:
    """The body as values, without the key wherever the server repeats it."""
    try:
        return secret.hide_in(json.loads(text))
    except ValueError as error:
        shown = masked_line(text, secret, _SENT)
        if text.lstrip().startswith("<"):
            raise AttemptError(PAGE, f"the endpoint sent a page of HTML: {HINT}", sent=repr(shown)) from error
        sent = repr(shown) if text.strip() else "nothing"
        raise AttemptError(UNREADABLE, "the endpoint's answer is not complete JSON", sent=sent) from error


def _usage(body: Json) -> Usage | None:
    try:
        usage = body["usage"]
        return Usage(int(usage["prompt_tokens"]), int(usage["completion_tokens"]))
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


@dataclass
class Posting:
    """Puts requests to the model ``name`` through ``client``, an OpenAI client without retries of its own.

    What the endpoint refuses to know, such as a schema, is left out or worded otherwise, and so for all later
    requests. Safe to use from several threads.
    """

    client: Any
    name: str
    base_url: str
    timeout: float
    secret: Secret
    _no_schema: bool = field(default=False, init=False)
    _new_limit: bool = field(default=False, init=False)
    _no_system: bool = field(default=False, init=False)

    def send(self, request: ChatRequest) -> Reply:
        """One attempt, and the same without what the endpoint says that it does not know.

        Raises
        ------
        AttemptError
            If there is no reply.

        """
        structured, new_limit = request.schema is not None and not self._no_schema, self._new_limit
        has_system = any(message.role == "system" for message in request.messages)
        no_system = has_system and self._no_system
        while True:
            try:
                reply = self._posted(request, structured, new_limit, no_system)
            except AttemptError as trouble:
                if says_new_limit(trouble) and not new_limit:
                    new_limit = True
                elif says_no_system(trouble) and has_system and not no_system:
                    no_system = True
                elif trouble.status in {400, 422} and structured:
                    structured = False
                else:
                    raise
            else:
                self._new_limit |= new_limit
                self._no_system |= no_system
                self._no_schema |= request.schema is not None and not structured
                return replace(reply, no_system=no_system)

    def _posted(self, request: ChatRequest, structured: bool, new_limit: bool, no_system: bool) -> Reply:
        import openai

        messages = without_system(request.messages) if no_system else request.messages
        sent: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": each.role, "content": each.content} for each in messages],
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
        try:
            response = self.client.chat.completions.with_raw_response.create(**sent).http_response
            text, wait = response.text, retry_after(response.headers)
        except openai.APIStatusError as error:
            body, wait = error.body, retry_after(error.response.headers)
            words = words_of(body, error.response.text, self.secret)
            raise from_status(error.status_code, body, words, wait) from error
        except Exception as error:  # the package's own of the connection, and the HTTP library's
            raise from_exception(error, self.base_url, self.timeout, self.secret) from error
        return read_answer(text, structured, self.secret, wait)
