"""How a request is put to an endpoint: in the words that it knows, which it is asked for once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from .answer_body import read_answer
from .chat import ChatRequest, Reply, without_system
from .network import from_exception
from .retries import Retries
from .secret import Secret
from .server_errors import AttemptError, from_status, says_new_limit, says_no_system, words_of


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
    retries: Retries
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
            text, wait = response.text, self.retries.retry_after(response.headers)
        except openai.APIStatusError as error:
            body, wait = error.body, self.retries.retry_after(error.response.headers)
            words = words_of(body, error.response.text, self.secret)
            raise from_status(error.status_code, body, words, wait) from error
        except Exception as error:  # the package's own of the connection, and the HTTP library's
            raise from_exception(error, self.base_url, self.timeout, self.secret) from error
        return read_answer(text, structured, self.secret, wait)
