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
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ...cache_folder import cache_folder
from ...embeddings.user_cache import states, write_whole
from .chat import Reply, Served, Usage
from .claims import ENDING, LOCK

_LAYOUT = 1
FOLDER = "replies"  # in a cache
_NAME = re.compile(r"[0-9a-f]{64}\.json|\.[0-9a-f]{64}\.json\..*\.part")


class ReplyStore:
    """The replies in a cache.

    Parameters
    ----------
    cache
        Where replies are kept, in its folder ``replies``; the user's cache by default. Those that lie in
        ``cache`` itself, where they once were kept, are found too.
    say
        Is told, once a run, of damaged files and of a folder that cannot be written to.

    """

    def __init__(self, cache: Path | None = None, say: Callable[[str], None] | None = None) -> None:
        self._cache = cache_folder() if cache is None else cache.expanduser()
        self.folder = self._cache / FOLDER
        self.say = _on_stderr if say is None else say
        self.n_lost = 0  # replies that could not be written

    def arrivals(self, keys: Iterable[str]) -> list[float]:
        """When the replies under these keys came, in seconds since 1970, of those that are there."""
        return [state.st_mtime for state in states(map(self._path, keys)).values()]

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def read(self, key: str) -> Reply | None:
        """The reply that is kept under a key, if there is one."""
        for path in (self._path(key), self._cache / key[:2] / f"{key}.json"):
            found = self._read_file(path)
            if found is not None and found.keepable:
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
            self.say(f"the kept reply {path} is damaged: its request is sent again")
            with suppress(OSError):
                path.unlink()
            return None

    def write(self, key: str, reply: Reply) -> bool:
        """Keep a reply; False if it cannot be written."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, _packed(reply))
        except OSError as error:
            self.n_lost += 1
            if self.n_lost == 1:
                self.say(
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
    found |= states([root / FOLDER / LOCK, *(root / FOLDER).glob(f".*{ENDING}")])
    n_replies = sum(path.suffix == ".json" for path in found)
    return KeptReplies(n_replies, sum(state.st_size for state in found.values()), changed, tuple(found))


def _packed(reply: Reply) -> bytes:
    content = asdict(reply)
    del content["cached"]
    for name, nothing in (("thoughts", False), ("no_system", False), ("served", asdict(Served()))):
        if content[name] == nothing:  # earlier versions know nothing of it
            del content[name]
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
    served = Served(**content.pop("served", {}))
    return Reply(usage=None if usage is None else Usage(**usage), cached=True, served=served, **content)


def _on_stderr(line: str) -> None:
    print(line, file=sys.stderr)
