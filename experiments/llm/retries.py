"""One request with all its attempts: when it is sent again, after how long, and what ends all requests.

The client's own retries are switched off. They would not see an error in a body of status 200, follow no
Retry-After above a minute, wait for no model that loads, know nothing of what other requests were answered,
such as that a key is wrong, and say nothing of an attempt to the progress and the record.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from .attempt import Posting
from .chat import Answer, ChatRequest, Failure, Reply, Usage
from .network import is_it_secure, through_proxy
from .outcomes import CUT_OFF, INSECURE, LATE, MACHINE, NOBODY, PAGE, WITHHELD, Then
from .server_errors import AttemptError, hint
from .usage import Traffic

_FIRST_ATTEMPTS = 2  # of a request, where no server was ever met at the address
_FIRST_SECONDS = 9.0  # and enough for one: in them the system has tried to connect several times
_LOOK = 5.0  # seconds between two looks at whether a model is loaded
_OF_PROXIES = frozenset({403, 407, 502, 503, 504})  # a proxy answers so for a server that it does not reach


def _wait(seconds: float, stop: threading.Event) -> None:
    stop.wait(seconds)


@dataclass(frozen=True, slots=True)
class Retries:
    """Exponential back-off with jitter, bounded in number and time.

    Without word from the server, attempt n (from 1) is followed by a wait between half and the whole of
    ``first * 2**(n - 1)`` seconds, at most ``longest``. A server's own Retry-After is honoured as it is; one
    above ``patience`` seconds ends the attempts, since nobody waits for tomorrow's quota. A server that loads
    its model is waited for just as long. ``wait`` waits so many seconds, but no longer than until an event.
    """

    attempts: int = 6
    first: float = 1.0
    longest: float = 60.0
    patience: float = 600.0
    wait: Callable[[float, threading.Event], object] = _wait

    def pause(self, attempt: int, retry_after: float | None = None) -> float:
        """Seconds to wait after ``attempt`` attempts."""
        most = min(self.longest, self.first * 2 ** (attempt - 1))
        own = most * random.uniform(0.5, 1.0)
        return own if retry_after is None else max(retry_after, 0.0)


@dataclass
class Attempts:
    """Sends the requests to one endpoint, from any number of threads, and remembers what they came to.

    ``hopeless`` is why no other request would fare better than the last ones.
    """

    posting: Posting
    retries: Retries
    withheld: str
    key_variable: str
    traffic: Traffic
    hopeless: Failure | None = None
    _met: bool = field(default=False, init=False)  # a server took a request
    _answered: bool = field(default=False, init=False)  # and answered one, not with a page

    def answer(self, request: ChatRequest, stop: threading.Event) -> Answer:
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
            if self.hopeless is not None:
                return replace(self.hopeless, attempts=attempts, sent="")
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
                    self.hopeless = failure
                if trouble.kind.then in (Then.STOP, Then.NEVER):
                    return failure
                if trouble.kind.then is Then.WAIT:
                    left = self.retries.patience - loading
                    if left <= 0:
                        said = f"{failure.reason}; it was waited for (model.patience={loading:g})"
                        # The others have waited as long, or would.
                        self.hopeless = replace(failure, reason=said)
                        return self.hopeless
                    pause = (
                        min(left, _LOOK, self.retries.pause(attempts)) if wait is None else min(left, wait)
                    )
                    loading += pause
                    self._pause(pause, stop)
                    continue
                counted += 1
                if self._nobody(trouble, counted, time.monotonic() - began):
                    self.hopeless = failure  # the other requests need not try
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
            self.retries.wait(seconds, stop)

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
        more = hint(trouble, self.posting.name, bool(self.posting.secret), self.key_variable)
        if not self._answered:
            if trouble.kind is CUT_OFF:
                more += is_it_secure(self.posting.base_url)
            if trouble.kind in (CUT_OFF, LATE, PAGE) or trouble.status in _OF_PROXIES:
                more += through_proxy(self.posting.base_url)
        return trouble.reason + more

    def _attempt(self, request: ChatRequest) -> Reply:
        """One attempt; AttemptError where it brings no reply."""
        try:
            reply = self.posting.send(request)
        except AttemptError as trouble:
            self._met |= trouble.kind not in (NOBODY, INSECURE, MACHINE)
            self._answered |= trouble.status is not None and trouble.status not in _OF_PROXIES
            raise
        self._met = self._answered = True
        return reply


def _both(first: Usage | None, second: Usage | None) -> Usage | None:
    return second if first is None else first if second is None else first + second
