"""Chat models behind an OpenAI-compatible endpoint: a vendor, vLLM, llama.cpp, Ollama, transformers serve."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...embeddings.extras import require
from ...errors import UserError
from ...masking import looks_like_a_key
from .attempt import Posting
from .chat import Answer, ChatRequest, Failure, Json, Keep, Reply, Usage
from .network import CONNECT, cannot_connect, is_it_secure, through_proxy
from .outcomes import CUT_OFF, INSECURE, LATE, MACHINE, NOBODY, PAGE, WITHHELD, Then
from .retries import Retries
from .secret import VARIABLE, check_base_url, key_from_environment
from .served import listing_of
from .server_errors import AttemptError, hint
from .usage import Traffic
from .workers import in_threads

OPENAI_URL = "https://api.openai.com/v1"
_FIRST_ATTEMPTS = 2  # of a request, where no server was ever met at the address
_FIRST_SECONDS = 9.0  # and enough for one: in them the system has tried to connect several times
_LOOK = 5.0  # seconds between two looks at whether a model is loaded
_LISTS = 2  # times that a list of models is asked for where it does not come
_LIST = 5.0  # seconds that a list of models may take, which no run depends on


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
        Seconds between one piece of an answer and the next: an answer that comes in pieces may take longer.
        A connection has 10 seconds to be accepted.
    retries
        When to ask again.
    withheld
        What an answer counts as that the model refuses or a filter holds back: ``failure`` or ``empty``.

    """

    name: str
    base_url: str = OPENAI_URL
    key_variable: str = VARIABLE
    concurrency: int = 8
    timeout: float = 300.0
    retries: Retries = field(default_factory=Retries)
    withheld: str = "failure"
    traffic: Traffic = field(default_factory=Traffic, init=False, repr=False)
    _posting: Posting | None = field(default=None, init=False, repr=False)
    _hopeless: Failure | None = field(default=None, init=False, repr=False)
    _met: bool = field(default=False, init=False, repr=False)  # a server took a request
    _answered: bool = field(default=False, init=False, repr=False)  # and answered one, not with a page
    _listing: Mapping[str, Json] | None = field(default=None, init=False, repr=False)
    _listed: int = field(default=0, init=False, repr=False)  # how often the list was asked for

    def __post_init__(self) -> None:
        self.base_url = check_base_url(self.base_url)
        self._key = key_from_environment(self.key_variable)
        if self._key.hide(self.base_url) != self.base_url:
            raise UserError(
                f"model.base_url holds the key in {self.key_variable}, which would be recorded: leave it out"
            )
        if looks_like_a_key(self.base_url):
            raise UserError(
                "model.base_url holds what looks like a key, which would be recorded: put it into the "
                f"environment variable {self.key_variable}"
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
        self.check()
        self._hopeless = None
        return in_threads(requests, self._ask, self.concurrency, keep)

    @property
    def hopeless(self) -> str | None:
        """Why no other request would fare better than the last ones; None where another might."""
        return None if self._hopeless is None else self._hopeless.reason

    def check(self) -> None:
        """Raise UserError where the key is missing that OpenAI's own address needs, or no client can be made.

        Nobody is asked.
        """
        if not self._key and self.base_url == OPENAI_URL:
            raise UserError(
                f"no key for {OPENAI_URL}: put it into the environment variable {self.key_variable}, or name "
                "another endpoint with model.base_url="
            )
        self._open()

    def listing(self) -> Mapping[str, Json] | None:
        """What the server's list of models says of this one beside its name; None if it cannot be had."""
        if self._listing is None and self._listed < _LISTS:
            self._listed += 1
            client = self._open().client
            self._listing = listing_of(client.with_options(timeout=_LIST), self.name, self._key)
        return self._listing

    def _open(self) -> Posting:
        if self._posting is not None:
            return self._posting
        require("openai")
        from openai import OpenAI, Timeout

        try:
            client = OpenAI(
                # A server on one's own machine asks for none, and the package insists on some.
                api_key=self._key.reveal() or "none",
                base_url=self.base_url,
                timeout=Timeout(self.timeout, connect=min(CONNECT, self.timeout)),
                max_retries=0,
            )
        except Exception as error:  # of several libraries, about the environment's variables
            raise cannot_connect(error) from error
        # Otherwise its connections are closed by chance, after Python has complained of them.
        weakref.finalize(self, client.close)
        self._posting = Posting(client, self.name, self.base_url, self.timeout, self.retries, self._key)
        return self._posting

    def _ask(self, request: ChatRequest, stop: threading.Event) -> Answer:
        """One request, with all its attempts."""
        with self.traffic.request():
            return self._asked(request, stop)

    def _asked(self, request: ChatRequest, stop: threading.Event) -> Answer:
        empty: Reply | None = None
        spent: Usage | None = None  # by answers that broke off
        failure = Failure("it was not sent")
        attempts = counted = 0  # those in which a model is loaded do not count
        loading = 0.0  # seconds waited
        began = time.monotonic()
        while True:
            if self._hopeless is not None:
                return replace(self._hopeless, attempts=attempts, sent="")
            if stop.is_set():
                return Failure("stopped", attempts)
            attempts += 1
            wait: float | None = None
            try:
                reply = self._attempt(request)
            except AttemptError as trouble:
                self.traffic.failed(trouble.kind.name)
                self.traffic.answered(trouble.usage)
                spent, wait = _both(spent, trouble.usage), trouble.wait
                failure = Failure(self._said(trouble), attempts, trouble.sent, trouble.kind.name)
                if trouble.kind in WITHHELD and self.withheld == "empty":
                    return Reply("", trouble.kind.finishes[0], spent)
                if trouble.kind.then is Then.STOP:
                    self._hopeless = failure
                if trouble.kind.then in (Then.STOP, Then.NEVER):
                    return failure
                if trouble.kind.then is Then.WAIT:
                    left = self.retries.patience - loading
                    if left <= 0:
                        said = f"{failure.reason}; it was waited for (model.patience={loading:g})"
                        # The others have waited as long, or would.
                        self._hopeless = replace(failure, reason=said)
                        return self._hopeless
                    pause = (
                        min(left, _LOOK, self.retries.pause(attempts)) if wait is None else min(left, wait)
                    )
                    loading += pause
                    self._pause(pause, stop)
                    continue
                counted += 1
                if self._nobody(trouble, counted, time.monotonic() - began):
                    self._hopeless = failure  # the other requests need not try
                    return failure
            else:
                counted += 1
                self.traffic.answered(reply.usage)
                reply = replace(reply, usage=_both(spent, reply.usage))
                # Nothing at all may be a glitch of the server's or all that the model has to say.
                if empty is not None or not reply.unsaid:
                    return reply
                empty, spent = reply, reply.usage
            if wait is not None and wait > self.retries.patience:
                return replace(failure, reason=f"{failure.reason}; it asks to wait for {wait:.0f} s")
            if counted >= self.retries.attempts:
                return failure if empty is None else empty
            self._pause(self.retries.pause(counted, wait), stop)

    def _pause(self, seconds: float, stop: threading.Event) -> None:
        with self.traffic.wait():
            self.retries.clock.wait(seconds, stop)

    def _nobody(self, trouble: AttemptError, attempts: int, seconds: float) -> bool:
        """Whether there is no such server: a second attempt is enough where none was ever met."""
        if trouble.kind is PAGE:
            return not self._answered and attempts >= _FIRST_ATTEMPTS
        if trouble.kind is not NOBODY:
            return False
        if self._met:
            return attempts >= self.retries.attempts
        return attempts >= min(_FIRST_ATTEMPTS, self.retries.attempts) or seconds > _FIRST_SECONDS

    def _said(self, trouble: AttemptError) -> str:
        """The reason of a failure, with what to do where the cause is known."""
        more = hint(trouble, self.name, bool(self._key), self.key_variable)
        if not self._answered:
            if trouble.kind is CUT_OFF:
                more += is_it_secure(self.base_url)
            # A proxy answers for a server that it does not reach.
            if trouble.kind in (CUT_OFF, LATE, PAGE) or trouble.status in {403, 407, 502, 503, 504}:
                more += through_proxy(self.base_url)
        return trouble.reason + more

    def _attempt(self, request: ChatRequest) -> Reply:
        """One attempt; AttemptError where it brings no reply."""
        try:
            reply = self._open().send(request)
        except AttemptError as trouble:
            self._met |= trouble.kind not in (NOBODY, INSECURE, MACHINE)
            self._answered |= trouble.status is not None and trouble.status not in {403, 407, 502, 503, 504}
            raise
        self._met = self._answered = True
        return reply


def _both(first: Usage | None, second: Usage | None) -> Usage | None:
    return second if first is None else first if second is None else first + second
