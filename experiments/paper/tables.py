"""The paper's tables by number. A table joins ``fourfold table`` by being listed here."""

from __future__ import annotations

from . import table3, table6, table7, table8
from .table import PaperTable

TABLES: dict[int, PaperTable] = {
    table.number: table for table in (table3.TABLE, table6.TABLE, table7.TABLE, table8.TABLE)
}
