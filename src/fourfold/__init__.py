"""fourfold clusters embeddings into groups whose sizes are fixed in advance.

The public names below load on first use, so that ``import fourfold`` costs nothing.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Assignment": ".engine",
    "BatchSolution": ".engine",
    "ConstrainedKMeans": ".engine",
    "Partitions": ".engine",
    "assign": ".engine",
    "best_partitions": ".engine",
    "cluster_batch": ".engine",
    "list_groups": ".engine",
}

__all__ = [
    "Assignment",
    "BatchSolution",
    "ConstrainedKMeans",
    "Partitions",
    "__version__",
    "assign",
    "best_partitions",
    "cluster_batch",
    "list_groups",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
