"""fourfold clusters embeddings into groups whose sizes are fixed in advance.

The public names below load on first use, so that ``import fourfold`` costs nothing.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

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

if TYPE_CHECKING:
    from .engine import (
        Assignment,
        BatchSolution,
        ConstrainedKMeans,
        Partitions,
        assign,
        best_partitions,
        cluster_batch,
        list_groups,
    )
else:  # a type checker that saw this would take any name for one that exists

    def __getattr__(name: str) -> Any:
        if name in __all__:
            from . import engine

            return getattr(engine, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
