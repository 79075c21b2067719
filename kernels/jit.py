"""The project's one numba decorator. It alone decides how a kernel is compiled for the CPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, overload

import numba

from .compiled_code import StoredCode

KERNELS: list[Any] = []  # every kernel that was imported

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def kernel(function: Function) -> Function: ...
@overload
def kernel(*, inline: bool) -> Callable[[Function], Function]: ...


def kernel(function: Callable[..., Any] | None = None, *, inline: bool = False) -> Any:
    """Compile ``function`` for the CPU on its first call; use as ``@kernel`` or ``@kernel(inline=True)``.

    The GIL is released, so that Python threads can run one kernel over several parts of a batch:
    unlike numba's own thread layers, they survive a fork and several callers at once. ``fastmath``
    stays off, since it deletes checks for NaN. No signatures are given: they would compile at import
    and refuse read-only, strided or float32 arrays.

    ``inline`` is for a step of a hot loop that is called in one place: it saves the passing of arrays,
    each of which takes seven registers or more.

    The compiled code is stored as ``compiled_code`` says; where it cannot be, each process compiles anew.
    """
    if function is None:
        return partial(kernel, inline=inline)
    options: dict[str, Any] = {"nogil": True, "fastmath": False, "error_model": "numpy"}
    if inline:
        options["forceinline"] = True
    compiled = numba.njit(**options)(function)
    if hasattr(compiled, "enable_caching"):  # not under NUMBA_DISABLE_JIT, which leaves functions as they are
        compiled._cache = StoredCode(function)  # as ``enable_caching`` does with numba's own
        KERNELS.append(compiled)
    return compiled
