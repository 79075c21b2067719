"""What the machine lacks, where that is the cause of an error, whatever the error itself blames."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterator

# What loaders, torch and numba say where no memory is to be had.
_NO_MEMORY = re.compile(
    r"failed to map segment|cannot allocate memory|can't allocate memory|out of memory|not enough memory",
    re.IGNORECASE,
)


def machine_cause(error: BaseException) -> str:
    """The limit of this machine that an error comes from, and what to do; "" if it comes from none."""
    chain = list(_chain(error))
    numbers = {each.errno for each in chain if isinstance(each, OSError)}
    if numbers & {errno.EMFILE, errno.ENFILE}:
        return f"too many files are open at once{_limit('RLIMIT_NOFILE', 1)}: raise it with ulimit -n"
    if any(map(_lacks_memory, chain)) or errno.ENOMEM in numbers:
        of_limit = _limit("RLIMIT_AS", 1 << 20, " MB")
        what_to_do = "raise it with ulimit -v" if of_limit else "end other programs, or take a smaller model"
        return f"the memory is not enough{of_limit}: {what_to_do}"
    if any(map(_lacks_threads, chain)):
        of_limit = _limit("RLIMIT_NPROC", 1)
        return f"no further thread can be started{of_limit}: end other programs, or raise it with ulimit -u"
    if errno.ENOENT in numbers and _no_working_folder():
        return "the folder that this was started in has been deleted: change to another folder"
    return ""


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, what caused it, and what was being handled then."""
    seen: set[int] = set()
    left = [error]
    while left:
        each = left.pop()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            left += [other for other in (each.__cause__, each.__context__) if other is not None]


def _lacks_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError):  # Python's own says nothing; one of a CUDA device names that
        return not str(error) or str(error).startswith("Unable to allocate")  # as NumPy's does
    if not isinstance(error, OSError | ImportError | RuntimeError) or "CUDA" in str(error):
        return False
    # A thread's stack counts as memory, and Python does not say which limit was met.
    if _lacks_threads(error) and _limit("RLIMIT_AS", 1):
        return True
    # llvmlite names no reason where its library cannot be loaded.
    unloaded = isinstance(error, OSError) and "shared object" in str(error)
    return _NO_MEMORY.search(str(error)) is not None or (unloaded and bool(_limit("RLIMIT_AS", 1)))


def _lacks_threads(error: BaseException) -> bool:
    return isinstance(error, RuntimeError) and "can't start new thread" in str(error)


def _limit(name: str, unit: int, called: str = "") -> str:
    """The limit of that name in brackets, if this machine has such and one is set."""
    if sys.platform == "win32":
        return ""
    import resource

    limit = resource.getrlimit(getattr(resource, name))[0]
    return "" if limit == resource.RLIM_INFINITY else f" (the limit is {limit // unit:,}{called})"


def _no_working_folder() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - whether it fails is all
    except FileNotFoundError:
        return True
    return False
