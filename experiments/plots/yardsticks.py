"""What the figures of several records share: names that tell them apart, a metric's scale, chance, people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import comb
from pathlib import Path

from ...errors import UserError
from ..metrics.scores import METRICS, Metric
from ..runs.encoder.record import Record
from ..runs.settings import differences, written
from ..tables.comparison import model_title, on_paper_walls, share_of, table_of
from ..tables.paper.encoders import shown_to_people
from ..tables.results import paper_row
from ..terminal.writing import counted

_SHOWN_SETTINGS = 3


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    """A value that stands for no model, and how the figure names it."""

    value: float
    name: str


@dataclass(frozen=True, slots=True)
class PublishedValue:
    """The paper's mean and spread, and how the figure names them."""

    mean: float
    spread: float
    name: str


def chosen_metric(name: str) -> Metric:
    """The metric of that name; UserError with near matches if there is none."""
    if name not in METRICS:
        near = get_close_matches(name, METRICS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(METRICS)}"
        raise UserError(f"--metric {name} is not known: {hint}")
    return METRICS[name]


def check_one_data_set(records: Sequence[Record]) -> None:
    """Raise UserError unless all records are on the same walls."""
    sets: dict[str, list[Record]] = {}
    for record in records:
        sets.setdefault(record.dataset.fingerprint, []).append(record)
    if len(sets) > 1:
        told = "; ".join(
            f"{data_set_title(held[0])} ({fingerprint[:8]}): {counted(len(held), 'record')}"
            for fingerprint, held in sets.items()
        )
        raise UserError(
            f"the records are of {len(sets)} data sets, whose values are not to be compared: {told}. Name the"
            " records of one, or choose it with --dataset and the start of its name or fingerprint"
        )


def data_set_title(record: Record) -> str:
    """The data set as a title names it."""
    entry = record.dataset
    return f"{entry.name}{f' {entry.split}' if entry.split else ''}, {entry}"


def shown_title(record: Record) -> str:
    """The model's name as a table has it; of a file or folder, the last part."""
    title, name = model_title(record), str(record.config["model"]["name"])
    if Path(name).is_absolute() and title.startswith(name):
        return Path(name).name + title.removeprefix(name)
    return title


def titles(records: Sequence[Record]) -> list[str]:
    """A name for each record: its model's, and the settings in which it differs where two have one name."""
    names = [shown_title(record) for record in records]
    found = list(names)
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        places = [place for place, other in enumerate(names) if other == name]
        unlike = sorted(differences([records[place] for place in places]).items())[:_SHOWN_SETTINGS]
        for number, place in enumerate(places):
            told = ", ".join(f"{key}={written(values[number])}" for key, values in unlike)
            found[place] = f"{name}, {told}" if told else f"{name}, {records[place].name[:8]}"
    return found


def chance(record: Record, metric: Metric) -> ReferenceLine | None:
    """What groups of the true sizes drawn at random reach on average, where that is known in closed form.

    Of n clues in groups of s, a given group is predicted with probability (n / s) / C(n, s).
    """
    entry = record.dataset
    n, n_groups = entry.n_points, entry.n_groups // entry.n_walls
    size = n // n_groups
    if n_groups * size != n:
        return None
    groups = entry.n_groups * n_groups / comb(n, size)
    values: Mapping[str, float] = {
        "correct_groups": groups,
        # The pairs that fall into one group by chance, as a share of those that are in one.
        "fms": 100 * (size - 1) / (n - 1),
        "ari": 0.0,
        "ami": 0.0,
    }
    value = values.get(metric.name)
    return None if value is None else ReferenceLine(value, "chance")


def people(record: Record, metric: Metric) -> ReferenceLine | None:
    """What the players reached, scaled to all walls where not every wall's result is known.

    None on walls that no one was shown, such as those of OCW-Randomized.
    """
    if not shown_to_people(record.dataset.name):
        return None
    human = record.dataset.human
    if human is None or metric.name not in human:
        table = table_of(record)
        if table is None or not on_paper_walls(table, record) or table.human is None:
            return None
        value = table.human.get(metric.name)
        return None if value is None else ReferenceLine(value, "people")
    share = record.dataset.n_walls / human["n_walls"]
    note = "" if share == 1 else f" (scaled from {counted(human['n_walls'], 'wall')})"
    return ReferenceLine(human[metric.name] * share, f"people{note}")


def published(record: Record, metric: Metric) -> PublishedValue | None:
    """The paper's value for the record's model, if it has one; counts as shares of the record's walls."""
    found = paper_row(record)
    if found is None or metric.name not in found[1].values:
        return None
    table, row = found
    scale = share_of(metric.name, record.dataset) / share_of(metric.name, table)
    mean, spread = row.values[metric.name]
    note = ""
    if not on_paper_walls(table, record):
        note = f" (on its {table.n_walls} walls{'' if scale == 1 else ', scaled to these'})"
    return PublishedValue(mean * scale, spread * scale, f"paper{note}")


def axis_title(record: Record, metric: Metric) -> str:
    """The metric with its unit; of how many, where it is a count."""
    if metric.name == "correct_groups":
        return f"{metric.title} (of {record.dataset.n_groups:,})"
    if metric.name == "solved_walls":
        return f"{metric.title} (of {record.dataset.n_walls:,})"
    return f"{metric.title} (%)" if metric.unit == "percent" else metric.title
