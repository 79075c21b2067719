"""Replies that were paid for are kept: the same request again costs nothing, and a killed run goes on.

A reply is a file of its own, named by the hash of the whole request: the model with its address, the
messages and every parameter. An empty one is not kept where nothing says why it is empty, so that the next
run asks again. It is written under a temporary name and then renamed, so that several
processes may share the folder and a killed one leaves no half of a file. A file begins with the checksum of
the rest; a damaged one is removed and its request asked again. Failures are not kept.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ...cache_folder import cache_folder
from ...embeddings.user_cache import states, write_whole
from .chat import Answer, ChatModel, ChatRequest, Json, Keep, Reply, Usage, request_key

_LAYOUT = 1
FOLDER = "replies"  # in a cache
_NAME = re.compile(r"[0-9a-f]{64}\.json|\.[0-9a-f]{64}\.json\..*\.part")


class CachedChat:
    """A model that looks into the cache first.

    Parameters
    ----------
    model
        What answers the requests that are not there.
    cache
        Where replies are kept, in its folder ``replies``; the user's cache by default. Those that lie in
        ``cache`` itself, where they once were kept, are found too.
    say
        Is told, once a run, of damaged files and of a folder that cannot be written to.

    """

    def __init__(
        self, model: ChatModel, cache: Path | None = None, say: Callable[[str], None] | None = None
    ) -> None:
        self.model = model
        self._cache = cache_folder() if cache is None else cache.expanduser()
        self.folder = self._cache / FOLDER
        self._say = _on_stderr if say is None else say
        self._unwritable = False

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

    def kept(self, requests: Sequence[ChatRequest]) -> list[Reply | None]:
        """The replies that are there, in the requests' order."""
        described = self.model.describe()
        return [self._read(request_key(described, request)) for request in requests]

    def complete(self, requests: Sequence[ChatRequest], keep: Keep | None = None) -> list[Answer]:
        """As the model answers, each distinct request once; every reply is kept as it comes."""
        described = self.model.describe()
        keys = [request_key(described, request) for request in requests]
        places: dict[str, list[int]] = {}
        for place, key in enumerate(keys):
            places.setdefault(key, []).append(place)
        answers: list[Answer | None] = [None] * len(requests)

        def give(key: str, answer: Answer) -> None:
            for number, place in enumerate(places[key]):
                # One request of several alike was paid for.
                shared = replace(answer, cached=True) if number and isinstance(answer, Reply) else answer
                answers[place] = shared
                if keep is not None:
                    keep(place, shared)

        missing, n_kept = [], 0
        for key in places:
            found = self._read(key)
            if found is None:
                missing.append(key)
            else:
                give(key, found)

        def came(number: int, answer: Answer) -> None:
            nonlocal n_kept
            if isinstance(answer, Reply) and not answer.unsaid:
                n_kept += self._write(missing[number], answer)
            give(missing[number], answer)

        try:
            self.model.complete([requests[places[key][0]] for key in missing], came)
        except KeyboardInterrupt as error:
            raise KeyboardInterrupt(
                f"stopped; {len(places) - len(missing) + n_kept:,} of {len(places):,} replies are kept, and "
                "the same command goes on with the others"
            ) from error
        return [answer for answer in answers if answer is not None]

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def _read(self, key: str) -> Reply | None:
        for path in (self._path(key), self._cache / key[:2] / f"{key}.json"):
            found = self._read_file(path)
            if found is not None and not found.unsaid:
                return found
        return None

    def _read_file(self, path: Path) -> Reply | None:
        try:
            file = path.read_bytes()
        except OSError:
            return None
        try:
            return _unpacked(file)
        except (ValueError, KeyError, TypeError):
            self._say(f"the kept reply {path} is damaged: its request is sent again")
            with suppress(OSError):
                path.unlink()
            return None

    def _write(self, key: str, reply: Reply) -> bool:
        """Keep a reply; False if it cannot be written."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, _packed(reply))
        except OSError as error:
            if not self._unwritable:
                self._unwritable = True
                self._say(
                    f"replies cannot be kept in {self.folder} ({error.strerror}): "
                    "a run that is stopped begins again"
                )
            return False
        return True


@dataclass(frozen=True, slots=True)
class KeptReplies:
    """The replies of all models in a cache."""

    n_replies: int
    size: int  # bytes
    changed: float  # seconds since 1970
    files: tuple[Path, ...]


def kept_replies(cache: Path | None = None) -> KeptReplies | None:
    """What a cache, by default the user's, holds of replies; None if there is none.

    Those count too that lie in ``cache`` itself, where they once were kept.
    """
    root = cache_folder() if cache is None else cache
    paths = [path for folder in (root / FOLDER, root) for path in folder.glob("[0-9a-f][0-9a-f]/*")]
    found = states(path for path in paths if _NAME.fullmatch(path.name))
    if not found:
        return None
    changed = max(state.st_mtime for state in found.values())
    n_replies = sum(path.suffix == ".json" for path in found)
    return KeptReplies(n_replies, sum(state.st_size for state in found.values()), changed, tuple(found))


def _packed(reply: Reply) -> bytes:
    content = asdict(reply)
    del content["cached"]
    if not reply.thoughts:  # earlier versions know nothing of it
        del content["thoughts"]
    text = json.dumps({"layout": _LAYOUT, **content}, ensure_ascii=True).encode()
    return hashlib.sha256(text).hexdigest().encode() + b"\n" + text + b"\n"


def _unpacked(file: bytes) -> Reply:
    digest, _, text = file.partition(b"\n")
    text = text.removesuffix(b"\n")
    if hashlib.sha256(text).hexdigest().encode() != digest:
        raise ValueError("its checksum is wrong")
    content = json.loads(text)
    if content.pop("layout") != _LAYOUT:
        raise ValueError("another layout")
    usage = content.pop("usage")
    return Reply(usage=None if usage is None else Usage(**usage), cached=True, **content)


def _on_stderr(line: str) -> None:
    print(line, file=sys.stderr)
