"""How much memory this process may still take."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_MACHINE = Path("/proc/meminfo")
_CONTAINER = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),  # of version 1
)
_UNKNOWN = 2**62


def free_bytes() -> int:
    """Memory that can be had without swapping, as far as the system says; else more than there is.

    Of a container it is at most its limit: what it has left is not known, since files that the system keeps
    in memory count as used there.
    """
    return min(_of_machine(), *map(_limit, _CONTAINER))


def _of_machine() -> int:
    with suppress(OSError, ValueError, IndexError):
        for line in _MACHINE.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    with suppress(AttributeError, OSError, ValueError):  # a system that does not say
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return _UNKNOWN


def _limit(path: Path) -> int:
    with suppress(OSError, ValueError):  # no container, or one without a limit ("max")
        return int(path.read_text())
    return _UNKNOWN
