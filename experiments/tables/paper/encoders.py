"""Tables 3, 6, 7 and 8: Task 1 (grouping) with static and contextual embeddings.

``encoders.csv`` has the numbers; here is how the paper's code made vectors and groups, in the words of a
run's configuration.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

N_WALLS = 494  # the test split
N_GROUPS = 1976
N_RUNS = 16

# The columns of the paper's Task 1 tables, by the names of fourfold's metrics.
COLUMNS = ("wd", "fms", "ari", "ami", "solved_walls", "correct_groups")
HUMAN: Mapping[str, int] = {"solved_walls": 285, "correct_groups": 1405}  # on the walls of the test split

# For each group of a run's configuration, settings and their values. A setting that a model or solver does
# not have is none that it has wrong.
_STATIC: Mapping[str, Any] = {
    "pooling": "cls", "lower_case": True, "prefix": "", "normalize": False, "byte_pairs": "bpemb",
}  # fmt: skip
_CONTEXTUAL: Mapping[str, Any] = {"lower_case": True, "prefix": "", "normalize": False, "carry_state": True}
_IN_SENTENCE: Mapping[str, Any] = {"subtoken": "first", "layers": "all", "leading_space": False}
_K_MEANS: Mapping[str, Any] = {
    "name": "kmeans", "n_init": 10, "max_iter": 300, "assignment_cost": "euclidean", "random_state": 42,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A model's row: for each metric its mean and its spread, in the table's own units."""

    title: str
    section: str
    values: Mapping[str, tuple[float, float]]


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


def published(name: str) -> Iterator[dict[str, str]]:
    """The lines of one of this folder's files of published numbers."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    yield from csv.DictReader(text.splitlines(), strict=True)


def _rows(number: int) -> dict[str, PaperRow]:
    return {
        line["key"]: PaperRow(
            line["title"],
            line["section"],
            {name: (float(line[name]), float(line[f"{name}_std"])) for name in COLUMNS},
        )
        for line in published("encoders.csv")
        if int(line["table"]) == number
    }


_STATIC_SETTINGS = {"model": _STATIC, "solver": _K_MEANS}
_CONTEXTUAL_SETTINGS = {"model": _CONTEXTUAL, "embedding": _IN_SENTENCE, "solver": _K_MEANS}
_ABOUT = "grouping (Task 1)"

# A table joins ``fourfold table`` by being listed here.
TABLES: dict[int, PaperTable] = {
    table.number: table
    for table in (
        PaperTable(
            3, f"{_ABOUT} with static embeddings", "ocw", "static", _STATIC_SETTINGS, _rows(3), HUMAN
        ),
        PaperTable(
            6, f"{_ABOUT} with contextual embeddings", "ocw", "contextual",
            _CONTEXTUAL_SETTINGS, _rows(6), HUMAN,
        ),
        PaperTable(
            7, f"{_ABOUT} of OCW-Randomized with static embeddings", "ocw_randomized", "static",
            _STATIC_SETTINGS, _rows(7),
        ),
        PaperTable(
            8, f"{_ABOUT} of OCW-WordNet with static embeddings", "ocw_wordnet", "static",
            _STATIC_SETTINGS, _rows(8),
        ),
    )
}  # fmt: skip


def shown_to_people(dataset: str) -> bool:
    """Whether what a data set says of people is of its own walls.

    The groups of OCW-Randomized bring along what people did with them on other walls; the paper has no such
    figures for it.
    """
    return all(table.human is not None for table in TABLES.values() if table.dataset == dataset)
