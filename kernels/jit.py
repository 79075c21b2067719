"""The project's one numba decorator. It alone decides how a kernel is compiled for the CPU."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba


def _sources_stamp() -> str:
    """A hash of every kernel's source."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


_STAMP = _sources_stamp()


def kernel(function: Callable[..., Any] | None = None, *, inline: bool = False) -> Any:
    """Compile ``function`` for the CPU on its first call; use as ``@kernel`` or ``@kernel(inline=True)``.

    The GIL is released, so that Python threads can run one kernel over several parts of a batch:
    unlike numba's own thread layers, they survive a fork and several callers at once. ``fastmath``
    stays off, since it deletes checks for NaN. No signatures are given: they would compile at import
    and refuse read-only, strided or float32 arrays.

    ``inline`` is for a step of a hot loop that is called in one place: it saves the passing of arrays,
    each of which takes seven registers or more.

    The compiled code is cached beside the source or in the user's cache folder; where neither can be
    written, it is compiled anew in each process.
    """
    if function is None:
        return partial(kernel, inline=inline)
    options: dict[str, Any] = {"nogil": True, "fastmath": False, "error_model": "numpy"}
    if inline:
        options["forceinline"] = True
    try:
        compiled = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba: "no locator available", no folder for a cache can be written
        return numba.njit(**options)(function)
    # numba checks only the file of the function itself, not those of the kernels that it calls and
    # inlines: without this, a change in one file would leave stale machine code in another's cache.
    cache_file: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = _STAMP
    return compiled
