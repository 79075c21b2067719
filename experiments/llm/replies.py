"""A model whose replies are kept: each question is asked once, by whichever process comes to it first.

A reply says which model the server named in it. Replies of another model than the one that is served now,
under the same address and name, are asked for again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...errors import UserError
from ..terminal.writing import counted
from .chat import Answer, ChatModel, ChatRequest, Failure, Json, Keep, ListsModels, Reply, request_key
from .reply_store import Claims, ReplyStore
from .served import differ

_FIRST_LOOK, _LAST_LOOK = 0.1, 2.0  # seconds between two looks at what another process has brought
_SHOWN = 3  # walls that a failure is shown for
_LONGEST = 2_000  # letters: what a server says of money or limits is shown whole


class CachedChat:
    """A model that looks into the cache first.

    Parameters
    ----------
    model
        What answers the requests that are not there.
    cache, say
        As of ``ReplyStore``.

    """

    def __init__(
        self, model: ChatModel, cache: Path | None = None, say: Callable[[str], None] | None = None
    ) -> None:
        self.model = model
        self.store = ReplyStore(cache, say)
        self._unknown_said = False

    @property
    def folder(self) -> Path:
        """Where the replies are kept."""
        return self.store.folder

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name

    def describe(self) -> dict[str, Json]:
        """What the model says of itself."""
        return self.model.describe()

    def count_tokens(self, request: ChatRequest) -> int | None:
        """As the model counts them."""
        return self.model.count_tokens(request)

    def keys(self, requests: Sequence[ChatRequest]) -> list[str]:
        """What the requests' replies are kept under."""
        described = self.model.describe()
        return [request_key(described, request) for request in requests]

    def kept(self, requests: Sequence[ChatRequest]) -> list[Reply | None]:
        """The replies that are there, in the requests' order."""
        keys = self.keys(requests)
        stored = self.store.read(keys)
        return [stored.get(key) for key in keys]

    def arrivals(self, requests: Sequence[ChatRequest]) -> list[float]:
        """When the replies that are there came, in seconds since 1970."""
        return self.store.arrivals(set(self.keys(requests)))

    def complete(self, requests: Sequence[ChatRequest], keep: Keep | None = None) -> list[Answer]:
        """As the model answers, each distinct request once; every reply is kept as it comes.

        A request that another process is asking is waited for. Where the server lists another model than the
        one that a kept reply is of, or names another in its new replies, the kept one is asked for again.
        """
        return _Call(self, requests, keep).answers()

    def say_unknown(self, replies: Iterable[Reply]) -> None:
        """Say once of replies that are all stored ones where nothing tells whose they are but a name."""
        if not self._unknown_said and not any(reply.served.listing for reply in replies):
            self._unknown_said = True
            self.store.say(
                "all replies are stored ones, and nothing tells which model gave them but its name: should "
                "another model have that name now, cache=FOLDER with an empty folder asks anew"
            )


class _Call:
    """One call of ``CachedChat.complete``."""

    def __init__(self, chat: CachedChat, requests: Sequence[ChatRequest], keep: Keep | None) -> None:
        self._chat, self._model, self._store = chat, chat.model, chat.store
        self._keep = keep
        self._answers: list[Answer | None] = [None] * len(requests)
        self._places: dict[str, list[int]] = {}
        self._requests: dict[str, ChatRequest] = {}
        for place, (key, request) in enumerate(zip(chat.keys(requests), requests, strict=True)):
            self._places.setdefault(key, []).append(place)
            self._requests.setdefault(key, request)
        self._kept: dict[str, Reply] = {}  # and not yet given
        self._models: set[str] = set()  # that the server names in its replies now
        self._n_lasting = 0  # replies that lie in the store

    def answers(self) -> list[Answer]:
        """All answers, in the requests' order."""
        self._kept = self._of_this_model(self._store.read(self._places))
        self._n_lasting = len(self._kept)
        if isinstance(self._model, ListsModels) and self._kept.keys() == self._places.keys():
            self._chat.say_unknown(self._kept.values())
        try:
            self._ask([key for key in self._places if key not in self._kept])
            if others := self._others():
                self._say_others(len(others), next(iter(self._models)))
                for key in others:
                    del self._kept[key]
                self._n_lasting -= len(others)
                self._ask(others)
        except KeyboardInterrupt as error:
            raise KeyboardInterrupt(
                f"stopped; {self._n_lasting:,} of {len(self._places):,} replies are kept, and "
                "the same command goes on with the others"
            ) from error
        for key in list(self._kept):
            self._give(key, self._kept.pop(key))
        return [answer for answer in self._answers if answer is not None]

    def _give(self, key: str, answer: Answer) -> None:
        for number, place in enumerate(self._places[key]):
            # One request of several alike was paid for.
            shared = replace(answer, cached=True) if number and isinstance(answer, Reply) else answer
            self._answers[place] = shared
            if self._keep is not None:
                self._keep(place, shared)

    def _ask(self, keys: Sequence[str]) -> None:
        """Answer what is not kept, and wait for what another process is asking."""
        left, said, pause = list(keys), False, _FIRST_LOOK
        with Claims(self._store.store) as claims:
            while left:
                mine = claims.take(left)
                # Another process may have brought some since they were looked for.
                come = self._fitting(left)
                for key, reply in come.items():
                    self._n_lasting += 1
                    self._give(key, reply)
                own = [key for key in left if key in mine and key not in come]
                left = [key for key in left if key not in mine and key not in come]
                if own:
                    self._ask_model(own)
                    pause = _FIRST_LOOK
                elif left:
                    if not said:
                        number = counted(len(left), "request is", "requests are")
                        self._store.say(f"{number} under way in another process: waiting for the replies")
                        said = True
                    time.sleep(pause)
                    pause = min(2 * pause, _LAST_LOOK)

    def _ask_model(self, keys: Sequence[str]) -> None:
        def came(number: int, answer: Answer) -> None:
            self._came(keys[number], answer)

        self._model.complete([self._requests[key] for key in keys], came)

    def _came(self, key: str, answer: Answer) -> None:
        """An answer of the model's: keep it, and go by what it says of who answered."""
        if isinstance(answer, Reply):
            listing = self._listing()
            if listing:
                answer = replace(answer, served=replace(answer.served, listing=listing))
            if answer.storable:
                self._n_lasting += self._store.write(key, answer)
            if answer.served.model is not None:
                self._models.add(answer.served.model)
            self._give_kept()
        self._give(key, answer)

    def _give_kept(self) -> None:
        """Give the kept replies that no new one speaks against."""
        others = set(self._others())
        for key in [key for key in self._kept if key not in others]:
            self._give(key, self._kept.pop(key))

    def _others(self) -> list[str]:
        """Kept replies in which the server named another model than it does now.

        None where it names several now: behind one name there are then several, at all times.
        """
        if len(self._models) != 1:
            return []
        return [key for key, reply in self._kept.items() if reply.served.model not in (None, *self._models)]

    def _fitting(self, keys: Sequence[str]) -> dict[str, Reply]:
        """The replies that are stored under these keys now, without those known to be another model's."""
        stored = self._of_this_model(self._store.read(keys), say=False)
        if len(self._models) != 1:
            return stored
        return {key: reply for key, reply in stored.items() if reply.served.model in (None, *self._models)}

    def _of_this_model(self, stored: dict[str, Reply], say: bool = True) -> dict[str, Reply]:
        """Those of the kept replies that are not of another model by the server's list."""
        if not any(reply.served.listing for reply in stored.values()):
            return stored
        now = self._listing()
        if now is None:
            if say:
                self._store.say(
                    "the server cannot be asked which model it has now: kept replies are used, and the "
                    "record says whose they are"
                )
            return stored
        same = {key: reply for key, reply in stored.items() if not differ(reply.served.listing, now)}
        if say and len(same) < len(stored):
            self._say_others(len(stored) - len(same), str(now.get("root", now.get("id"))))
        return same

    def _listing(self) -> Mapping[str, Json] | None:
        return self._model.listing() if isinstance(self._model, ListsModels) else None

    def _say_others(self, number: int, now: str) -> None:
        self._store.say(
            f"{counted(number, 'kept reply is', 'kept replies are')} of another model than {now}, which the "
            "server has now under the same name: asked for again"
        )


def all_replied(
    answers: Sequence[Answer],
    wall_ids: Sequence[str],
    model: ChatModel,
    about: str = "wall",
    n_before: int = 0,
) -> list[Reply]:
    """The replies, if there is one for each request.

    ``about`` is what the requests are about, where they are not about walls but have IDs of another kind;
    ``n_before`` how many replies led to these requests.

    Raises
    ------
    UserError
        If there is not: each kind of failure with its number and some of its walls.

    """
    failed: dict[str, list[str]] = {}
    sent: dict[str, str] = {}
    unsent: Counter[str] = Counter()
    for answer, wall_id in zip(answers, wall_ids, strict=True):
        if isinstance(answer, Failure):
            failed.setdefault(answer.reason, []).append(wall_id)
            unsent[answer.reason] += answer.attempts == 0
            if answer.sent:
                sent.setdefault(answer.reason, f"; it sent {answer.sent}")
    if not failed:
        return [answer for answer in answers if isinstance(answer, Reply)]
    n_failed = sum(map(len, failed.values()))
    shown = "; ".join(
        f"{reason}{sent.get(reason, '')} ({_named(about, ids, unsent[reason])})"
        for reason, ids in failed.items()
    )
    kept, n_kept = "", n_before + len(answers) - n_failed
    if isinstance(model, CachedChat) and (n_kept := n_kept - model.store.n_lost) > 0:
        are = "is" if n_kept == 1 else "are"
        kept = (
            f" {counted(n_kept, 'reply', 'replies')} {are} kept: the same command asks for the others alone."
        )
    kinds = Counter(answer.kind for answer in answers if isinstance(answer, Failure) and answer.kind)
    counts = f" ({', '.join(f'{n:,} {kind}' for kind, n in kinds.most_common())})" if len(kinds) > 1 else ""
    error = UserError(f"{n_failed} of {len(answers)} requests failed{counts}: {shown}.{kept}")
    error.longest = _LONGEST
    raise error


def _named(about: str, ids: Sequence[str], n_unsent: int) -> str:
    named = ", ".join(ids[:_SHOWN])
    more = len(ids) - _SHOWN
    text = f"{about}{'s' if len(ids) > 1 else ''} {named}" + (f" and {more} more" if more > 0 else "")
    return f"{text}; {n_unsent} of them not sent" if n_unsent else text
