"""Chat models behind an OpenAI-compatible endpoint: a vendor, vLLM, llama.cpp, Ollama, transformers serve."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import TimeoutError
from multiprocessing.pool import ThreadPool
from typing import TypeVar

from ...embeddings.extras import require
from ...errors import UserError
from ...masking import looks_like_a_key
from .attempt import Posting
from .chat import Answer, ChatRequest, Json, Keep
from .network import CONNECT, cannot_connect, check_open_files
from .retries import Attempts, Retries
from .secret import VARIABLE, check_base_url, key_from_environment
from .served import listing_of
from .usage import Traffic

Job = TypeVar("Job")
Result = TypeVar("Result")

OPENAI_URL = "https://api.openai.com/v1"
_LISTS = 2  # times that a list of models is asked for where it does not come
_LIST = 5.0  # seconds that a list of models may take, which no run depends on
# Seconds between two looks for a Ctrl-C: one that comes right before a wait begins does not end that wait.
_LOOK = 0.2


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
    _attempts: Attempts | None = field(default=None, init=False, repr=False)
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
        check_open_files(min(self.concurrency, len(requests)))
        attempts = self._open()
        attempts.hopeless = None
        return in_threads(requests, attempts.answer, self.concurrency, keep)

    @property
    def hopeless(self) -> str | None:
        """Why no other request would fare better than the last ones; None where another might."""
        failure = None if self._attempts is None else self._attempts.hopeless
        return None if failure is None else failure.reason

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
            client = self._open().posting.client
            self._listing = listing_of(client.with_options(timeout=_LIST), self.name, self._key)
        return self._listing

    def _open(self) -> Attempts:
        if self._attempts is not None:
            return self._attempts
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
        posting = Posting(client, self.name, self.base_url, self.timeout, self._key)
        self._attempts = Attempts(posting, self.retries, self.withheld, self.key_variable, self.traffic)
        return self._attempts


def in_threads(
    jobs: Sequence[Job],
    work: Callable[[Job, threading.Event], Result],
    n_threads: int,
    keep: Callable[[int, Result], None] | None = None,
) -> list[Result]:
    """``work(job, stop)`` for each job on up to ``n_threads`` threads; the results in the jobs' order.

    ``keep`` is called with each result as it comes, from this thread, and no thread begins another job before
    a call of it has ended: what is killed then loses what was under way and nothing that had come. Where this
    thread is interrupted, or a job raises, ``stop`` is set, no further job begins, and the exception goes on
    at once. That needs this kind of pool: Python waits for the threads of a ``ThreadPoolExecutor`` when it
    ends, for as long as a server hangs.
    """
    n_threads = min(n_threads, len(jobs))
    stop, room = threading.Event(), threading.Semaphore(n_threads)

    def do(place: int) -> tuple[int, Result]:
        room.acquire()
        if stop.is_set():
            raise InterruptedError  # seen by nobody
        return place, work(jobs[place], stop)

    results: dict[int, Result] = {}
    with ThreadPool(n_threads) as pool:
        try:
            coming = pool.imap_unordered(do, range(len(jobs)))
            while len(results) < len(jobs):
                try:
                    place, result = coming.next(timeout=_LOOK)
                except TimeoutError:
                    continue
                results[place] = result
                if keep is not None:
                    keep(place, result)
                room.release()
        finally:
            stop.set()
            room.release(len(jobs))  # those that have not begun see that they are to stop
    return [results[place] for place in range(len(jobs))]
