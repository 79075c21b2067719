"""Problems and solutions: validation, device choice, batch clustering, exact partitions.

The public names load on first use, so that importing this package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from .assignment import Assignment, assign
    from .batch import BatchSolution, cluster_batch
    from .estimator import ConstrainedKMeans
    from .partition import Partitions, best_partitions, list_groups
else:  # a type checker that saw this would take any name for one that exists
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

    def __getattr__(name: str) -> Any:
        if name in _HOMES:
            return getattr(import_module(_HOMES[name], __name__), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
