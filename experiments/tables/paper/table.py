"""A published table as a value, and how its numbers were made, in the words of a run's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .row import COLUMNS, N_GROUPS, N_RUNS, N_WALLS, PaperRow

# How the paper's code made vectors and groups, as a run's configuration says it: for each of its groups,
# settings and their values. A setting that a model or solver does not have is none that it has wrong.
STATIC_MODEL: Mapping[str, Any] = {
    "pooling": "cls",
    "lower_case": True,
    "prefix": "",
    "normalize": False,
    "byte_pairs": "bpemb",
}
K_MEANS: Mapping[str, Any] = {
    "name": "kmeans",
    "n_init": 10,
    "max_iter": 300,
    "assignment_cost": "euclidean",
    "random_state": 42,
}


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One table: its rows by the key that a model's configuration names as its ``paper_row``.

    Which runs belong to it is said by ``dataset``, the name of the data set, and by ``embedding``.
    """

    number: int
    about: str
    dataset: str
    embedding: str
    settings: Mapping[str, Mapping[str, Any]]
    rows: Mapping[str, PaperRow]
    human: Mapping[str, int] | None = None  # counts on the table's walls
    columns: tuple[str, ...] = COLUMNS
    n_walls: int = N_WALLS
    n_groups: int = N_GROUPS
    n_runs: int = N_RUNS
