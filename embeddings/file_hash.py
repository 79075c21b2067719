"""The SHA-256 of a file, computed once: gigabytes are not read again while size and time stay."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..cache_folder import cache_folder
from ..errors import UserError
from ..whole_files import written_whole

_REMEMBERED = 1 << 24  # bytes; a smaller file is read sooner than its note is found


def file_sha256(path: Path) -> str:
    """SHA-256 (hex) of a file's content; that of a large file is remembered in the user's cache."""
    path = path.resolve()
    state = path.stat()
    return _sha256(os.fspath(path), state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=256)
def _sha256(path: str, size: int, modified: int) -> str:
    if size < _REMEMBERED:
        return _computed(path)
    expected = {"path": path, "size": size, "modified": modified}
    try:
        note = cache_folder() / "hashes" / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}.json"
    except UserError:  # there is no folder: it is a matter of time only
        return _computed(path)
    with suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        noted = json.loads(note.read_text(encoding="utf-8"))
        digest = str(noted["sha256"])
        if {key: noted[key] for key in expected} == expected and noted["check"] == _check(expected, digest):
            return digest
    digest = _computed(path)
    content = json.dumps({**expected, "sha256": digest, "check": _check(expected, digest)})
    with suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(note) as part:
            part.write_text(content, encoding="utf-8")
    return digest


def _check(expected: dict[str, Any], digest: str) -> str:
    """A checksum of a note, so that a damaged one is not believed."""
    return hashlib.sha256(repr((sorted(expected.items()), digest)).encode()).hexdigest()[:16]


def _computed(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
