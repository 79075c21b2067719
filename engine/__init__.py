"""Problems and solutions: validation, device choice, batch clustering, exact partitions.

The public names load on first use, so that importing this package costs nothing.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "Assignment": ".assignment",
    "BatchSolution": ".batch",
    "ConstrainedKMeans": ".estimator",
    "Partitions": ".partition",
    "assign": ".assignment",
    "best_partitions": ".partition",
    "cluster_batch": ".batch",
    "list_groups": ".partition",
}

__all__ = [
    "Assignment",
    "BatchSolution",
    "ConstrainedKMeans",
    "Partitions",
    "assign",
    "best_partitions",
    "cluster_batch",
    "list_groups",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
