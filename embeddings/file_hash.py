"""The SHA-256 of a file, computed once: gigabytes are not read again while size and time stay."""

from __future__ import annotations

import hashlib
import json
import os
from functools import lru_cache
from pathlib import Path

from ..cache_folder import cache_folder

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
    note = cache_folder() / "hashes" / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}.json"
    expected = {"path": path, "size": size, "modified": modified}
    try:
        found = json.loads(note.read_text(encoding="utf-8"))
        if {key: found[key] for key in expected} == expected:
            return str(found["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    digest = _computed(path)
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        temporary = note.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps({**expected, "sha256": digest}), encoding="utf-8")
        temporary.replace(note)
    except OSError:
        pass  # it is a matter of time only
    return digest


def _computed(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
