"""Which record of a language model stands in a table's row: the one whose run is nearest to the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..llm.chat import MAX_TOKENS
from ..runs.language_model.record import LanguageRecord
from ..runs.language_model.titles import title_of
from ..runs.settings import written
from ..terminal.writing import counted
from .paper.encoders import N_WALLS
from .paper.language_models import LANGUAGE_TABLES

# What the paper's models were asked with; what titles say has rows of its own.
_PAPER: dict[str, Any] = {"prompt": None, "example_seed": 42, "seeds": 1}
_PAPER_MODEL: dict[str, Any] = {
    "max_tokens": MAX_TOKENS,
    "temperature": 0.0,
    "structured": False,
    "extra": "",
    "withheld": "failure",
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The records that a table shows, and those that one of the same row stands for."""

    shown: list[LanguageRecord]
    others: list[LanguageRecord]


def unlike_paper(record: LanguageRecord) -> list[str]:
    """The settings of a record that the paper's runs had otherwise, about as the command line takes them."""
    config = record.config
    found = {key: config.get(key, paper) for key, paper in _PAPER.items() if config.get(key, paper) != paper}
    if "seeds" in found and record.n_seeds > 1:
        del found["seeds"]  # the spread says it
    if not record.examples:
        found.pop("example_seed", None)
    model = config["model"]
    found |= {
        f"model.{key}": model[key] for key, paper in _PAPER_MODEL.items() if model.get(key, paper) != paper
    }
    return [f"{key}={written(value)}" for key, value in found.items()]


def choose_records(records: Sequence[LanguageRecord], dataset: str, every: bool = False) -> Chosen:
    """Those of task 1 on a data set, by model and number of examples.

    Of each the one that is nearest to the paper's run is shown, unless all are wanted: on as many walls, then
    with the fewest settings unlike the paper's, then asked once a wall, then the newest.
    """
    n_walls = next((table.n_walls for table in LANGUAGE_TABLES.values() if table.dataset == dataset), N_WALLS)
    wanted = [record for record in records if record.task == 1 and record.dataset.name == dataset]
    newest = sorted(wanted, key=lambda record: record.created, reverse=True)
    nearest = sorted(
        newest,
        key=lambda record: (
            abs(record.dataset.n_walls - n_walls), len(unlike_paper(record)), record.n_seeds > 1,
        ),
    )  # fmt: skip
    rows: dict[tuple[str, int], list[LanguageRecord]] = {}
    for record in nearest:
        rows.setdefault((title_of(record), len(record.examples)), []).append(record)
    shown = [record for key in sorted(rows) for record in (rows[key] if every else rows[key][:1])]
    others = [] if every else [record for key in sorted(rows) for record in rows[key][1:]]
    return Chosen(shown, others)


def about(record: LanguageRecord) -> str:
    """A record in a few words: its examples, its walls, and what the paper's runs had otherwise."""
    examples = counted(len(record.examples), "example")
    walls = counted(record.dataset.n_walls, "wall")
    return ", ".join([examples, walls, *unlike_paper(record)])
