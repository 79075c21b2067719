"""Tables 4, 5, 9 and 10: Task 1 (grouping) by language models with solved walls as examples.

The models are gpt-3.5-turbo-0301 and gpt-4-0314 at temperature 0, each asked once a wall.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .row import COLUMNS, N_GROUPS, N_WALLS
from .table3 import HUMAN


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """One table: for each model and number of examples its metrics, in the table's own units."""

    number: int
    about: str
    dataset: str
    rows: Mapping[tuple[str, int], Mapping[str, float]]
    human: Mapping[str, int] | None = None
    n_walls: int = N_WALLS
    n_groups: int = N_GROUPS


def _rows(table: str) -> dict[tuple[str, int], dict[str, float]]:
    """Rows from lines of ``examples | WD FMS ARI AMI solved groups`` below lines that name their model."""
    found = {}
    model = ""
    for line in table.strip().splitlines():
        if "|" not in line:
            model = line.strip()
            continue
        examples, values = line.split("|")
        found[model, int(examples)] = dict(zip(COLUMNS, map(float, values.split()), strict=True))
    return found


_TABLES = (
    LanguageTable(
        4,
        "grouping (Task 1) by language models",
        "ocw",
        _rows("""
GPT-3.5-turbo
 0 | 82.5 34.0 18.4 21.6 0 114
 1 | 82.3 34.4 18.2 21.2 0 123
 3 | 80.9 36.8 21.3 24.7 0 140
 5 | 80.6 37.3 22.0 25.4 2 149
10 | 81.2 36.1 20.4 24.0 2 137
GPT-4
 0 | 75.8 41.5 27.2 30.7 6 239
 1 | 73.4 43.7 29.7 33.5 4 262
 3 | 73.7 43.9 29.9 33.6 5 272
 5 | 72.9 43.4 29.1 32.8 7 269
10 | 73.6 42.8 28.5 32.3 3 249
"""),
        HUMAN,
    ),
    LanguageTable(
        9,
        "grouping (Task 1) by language models, OCW-Randomized",
        "ocw_randomized",
        _rows("""
GPT-3.5-turbo
 0 | 74.3 40.4 26.4 29.8  5 274
 1 | 72.0 43.1 29.0 32.3 12 315
 3 | 72.7 43.4 29.4 32.9 10 306
 5 | 70.7 44.6 30.9 34.4 16 337
10 | 70.5 43.8 30.0 33.5 17 333
GPT-4
 0 | 58.2 56.2 45.4 48.8 59 595
 1 | 55.1 58.0 47.5 51.0 57 644
 3 | 55.0 57.5 46.9 50.3 62 649
 5 | 54.1 58.0 47.5 50.9 68 655
10 | 56.6 56.1 45.1 48.5 55 614
"""),
    ),
    LanguageTable(
        10,
        "grouping (Task 1) by language models, OCW-WordNet",
        "ocw_wordnet",
        _rows("""
GPT-3.5-turbo
 0 | 15.9 86.3 83.4 84.9 337 1522
 1 | 24.8 76.4 74.4 75.4 320 1400
 3 | 8.65 92.7 91.2 91.8 415 1748
 5 | 8.09 94.0 92.4 93.1 415 1759
10 | 6.55 95.3 94.0 94.7 428 1800
GPT-4
 0 | 1.51 98.5 98.0 98.2 471 1926
 1 | 19.2 87.9 84.3 83.7 304 1581
 3 | 21.5 86.6 82.5 81.8 279 1537
 5 | 19.1 88.1 84.5 83.8 298 1584
10 | 11.2 92.9 90.7 90.4 378 1742
"""),
    ),
)

LANGUAGE_TABLES: Mapping[int, LanguageTable] = {table.number: table for table in _TABLES}

# Table 5 sets the counts of Tables 4, 9 and 10 side by side.
SIDE_BY_SIDE = 5
ABOUT_SIDE_BY_SIDE = "walls and groups solved by language models, with ever fewer red herrings"
NUMBERS = (4, SIDE_BY_SIDE, 9, 10)
