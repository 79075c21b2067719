"""Task 2 by the number of examples in the prompt, a panel a metric: the paper's Figure 6, of records."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import TYPE_CHECKING

from ...errors import UserError
from ..metrics.connection_metrics import CONNECTION_METRICS
from ..runs.language_model.record import LanguageRecord
from ..runs.language_model.titles import title_of
from ..tables.paper.encoders import shown_to_people
from ..terminal.writing import counted
from .fonts import printable
from .group_legend import GROUP_COLOURS, GROUP_MARKERS
from .sheet import LEAST_SIZE, POINTS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PANEL = 150.0  # points, the height of a row of panels
_NARROW = 130.0  # the least width of a panel


def comparable(records: Sequence[LanguageRecord]) -> list[LanguageRecord]:
    """The records of task 2, of each model and number of examples the newest.

    Raises
    ------
    UserError
        If there is none, or they are of several data sets.

    """
    newest: dict[tuple[str, int], LanguageRecord] = {}
    for record in sorted(records, key=lambda record: record.created):
        if record.task == 2:
            newest[title_of(record), len(record.examples)] = record
    if not newest:
        raise UserError("no record of 'fourfold llm task=2' is there: name folders that hold some")
    sets = {record.dataset.fingerprint: record.dataset for record in newest.values()}
    if len(sets) > 1:
        named = " and ".join(f"{each.name} ({counted(each.n_walls, 'wall')})" for each in sets.values())
        raise UserError(f"the records are on several sets of walls, {named}: name those of one")
    return [newest[key] for key in sorted(newest)]


def draw_connections(
    records: Sequence[LanguageRecord], width: float = 396.0, height: float | None = None
) -> Figure:
    """Draw what ``comparable`` chose; call it inside ``sheet.print_style``."""
    names = [name for name in CONNECTION_METRICS if any(name in record.metrics for record in records)]
    n_columns = min(len(names), max(1, int(width // _NARROW)))
    n_rows = -(-len(names) // n_columns)
    figure = new_figure(width, height or 44.0 + _PANEL * n_rows, layout="constrained")
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    numbers = sorted({len(record.examples) for record in records})
    titles = list(dict.fromkeys(map(title_of, records)))
    entry = records[0].dataset
    scores = [record.metrics[name].mean for record in records for name in names if name in record.metrics]
    lowest = min(0.0, 10.0 * floor(min(scores) / 10.0))
    for axes, name in zip(panels, names, strict=False):
        axes.set_label("connections")
        for place, title in enumerate(titles):
            points = [
                (numbers.index(len(record.examples)), record.metrics[name].mean)
                for record in records
                if title_of(record) == title and name in record.metrics
            ]
            axes.plot(
                [x for x, _ in points], [y for _, y in points], linewidth=1.1, markersize=4.5,
                color=GROUP_COLOURS[place % len(GROUP_COLOURS)],
                marker=GROUP_MARKERS[place % len(GROUP_MARKERS)], label=printable(title),
                clip_on=False,  # a marker at an end of the scale is drawn whole
            )  # fmt: skip
        if entry.human is not None and shown_to_people(entry.name):
            share = 100 * entry.human["correct_connections"] / (4 * entry.human["n_walls"])
            axes.axhline(share, color="black", linewidth=0.9, linestyle=":", label="people: found it")
        axes.set_title(CONNECTION_METRICS[name].title.removesuffix(" ↑"), fontsize=8)
        axes.set_xticks(range(len(numbers)), [str(number) for number in numbers])
        axes.set_xlim(-0.4, len(numbers) - 0.6)
        axes.set_ylim(lowest, 100.0)  # of all panels: a score is as high in one as in another
        axes.set_xlabel("examples", fontsize=LEAST_SIZE)
        axes.tick_params(labelsize=LEAST_SIZE)
        axes.grid(axis="y", color="0.9", linewidth=0.5)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    split = f" {entry.split}" if entry.split else ""
    figure.suptitle(printable(f"{entry.name}{split}: {entry}, percent"), fontsize=9)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=4 if width >= 4.5 * POINTS else 2, frameon=False
    )
    return figure
