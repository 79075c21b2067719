"""Tables 4, 5, 9 and 10: Task 1 (grouping) by language models with solved walls as examples.

``language_models.csv`` has the numbers. The models are gpt-3.5-turbo-0301 and gpt-4-0314 at temperature 0,
each asked once a wall.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .encoders import COLUMNS, HUMAN, N_GROUPS, N_WALLS, published


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


def _rows(number: int) -> dict[tuple[str, int], dict[str, float]]:
    return {
        (line["model"], int(line["examples"])): {name: float(line[name]) for name in COLUMNS}
        for line in published("language_models.csv")
        if int(line["table"]) == number
    }


_ABOUT = "grouping (Task 1) by language models"

LANGUAGE_TABLES: Mapping[int, LanguageTable] = {
    table.number: table
    for table in (
        LanguageTable(4, _ABOUT, "ocw", _rows(4), HUMAN),
        LanguageTable(9, f"{_ABOUT}, OCW-Randomized", "ocw_randomized", _rows(9)),
        LanguageTable(10, f"{_ABOUT}, OCW-WordNet", "ocw_wordnet", _rows(10)),
    )
}

# Table 5 sets the counts of Tables 4, 9 and 10 side by side.
SIDE_BY_SIDE = 5
ABOUT_SIDE_BY_SIDE = "walls and groups solved by language models, with ever fewer red herrings"
NUMBERS = (4, SIDE_BY_SIDE, 9, 10)
