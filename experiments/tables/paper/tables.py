"""The paper's tables by number. A table joins ``fourfold table`` by being listed here."""

from __future__ import annotations

from . import table3, table6, table7, table8
from .table import PaperTable

TABLES: dict[int, PaperTable] = {
    table.number: table for table in (table3.TABLE, table6.TABLE, table7.TABLE, table8.TABLE)
}


def shown_to_people(dataset: str) -> bool:
    """Whether what a data set says of people is of its own walls.

    The groups of OCW-Randomized bring along what people did with them on other walls; the paper has no such
    figures for it.
    """
    return all(table.human is not None for table in TABLES.values() if table.dataset == dataset)
