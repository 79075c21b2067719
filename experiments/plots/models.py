"""A metric by model: each record's mean and spread over its runs, beside the paper's, chance and people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..metrics.scores import Metric
from ..runs.encoder.record import Record
from ..terminal.writing import counted
from .fonts import printable
from .group_legend import BLUE, VERMILION
from .sheet import POINTS, TEXT_SIZE, Ruler, new_figure
from .yardsticks import (
    Line,
    axis_title,
    chance,
    check_one_data_set,
    data_set_title,
    people,
    published,
    titles,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW = 17.0  # points a model
_LINE = 11.2  # a line of its name, or of the legend
_FRAME = 62.0  # what title and axis take
_ORDER = ("fourfold", "paper", "chance", "people")  # of the legend
_FAR = 2.0  # times what the models reach: a value beyond it is told in words


def draw_models(
    records: Sequence[Record], metric: Metric, width: float = 396.0, height: float | None = None
) -> Figure:
    """Draw one row a record, the best at the top; call it inside ``sheet.print_style``.

    Raises
    ------
    UserError
        If the records are of several data sets.

    """
    check_one_data_set(records)
    sign = 1 if metric.better == "higher" else -1
    named = sorted(
        zip(records, titles(records), strict=True),
        key=lambda pair: (sign * pair[0].metrics[metric.name].mean, pair[1]),
    )
    ruler = Ruler()
    labels = [ruler.wrap(printable(title), 0.36 * width, TEXT_SIZE) for _, title in named]
    # Rows are as high as their labels need, in points from the lowest one's foot.
    room = np.array([max(_ROW, _LINE * (label.count("\n") + 1) + 4) for label in labels])
    rows = np.cumsum(room) - room / 2
    figure = new_figure(width, height or width, layout="constrained")
    axes = figure.add_subplot()
    axes.set_label("models")

    entries = [record.metrics[metric.name] for record, _ in named]
    papers = [(place, published(record, metric)) for place, (record, _) in enumerate(named)]
    paper = [(place, found) for place, found in papers if found is not None]
    beside = 3.0 if paper else 0.0
    reach = [entry.mean + entry.std for entry in entries]
    n_runs = {record.n_seeds for record, _ in named}
    runs = counted(n_runs.pop(), "run") if len(n_runs) == 1 else "the runs of each"
    axes.errorbar(
        [entry.mean for entry in entries], rows + beside,
        xerr=[entry.std for entry in entries], fmt="o", color=BLUE, markersize=4.5, elinewidth=1.2,
        capsize=2.5, label=f"fourfold: mean and spread over {runs}",
    )  # fmt: skip
    if paper:
        axes.errorbar(
            [found.mean for _, found in paper], [rows[place] - beside for place, _ in paper],
            xerr=[found.spread for _, found in paper], fmt="D", color=VERMILION, markersize=4,
            markerfacecolor="white", elinewidth=0.9, capsize=2, label=paper[0][1].name,
        )  # fmt: skip
        reach += [found.mean + found.spread for _, found in paper]
    record = named[0][0]
    if (line := chance(record, metric)) is not None:
        axes.axvline(
            line.value, color="0.35", linewidth=0.9, linestyle=(0, (4, 2)), label=line.name, zorder=1
        )
    if (line := people(record, metric)) is not None:
        _people(axes, line, max([*reach, 1.0]))

    axes.set_yticks(rows, labels)
    axes.set_ylim(0, room.sum())
    if metric.total:
        axes.set_xlim(left=0)
    axes.set_xlabel(axis_title(record, metric))
    axes.set_title(printable(data_set_title(record)))
    axes.grid(axis="x", color="0.9", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    handles, names = axes.get_legend_handles_labels()
    order = sorted(
        range(len(names)), key=lambda place: _ORDER.index(names[place].partition(" ")[0].strip(":"))
    )
    n_columns = 2 if width >= 4.5 * POINTS else 1
    if height is None:
        height = _FRAME + float(room.sum()) + _LINE * -(-len(names) // n_columns)
        figure.set_size_inches(width / POINTS, height / POINTS)
    figure.legend(
        [handles[place] for place in order], [names[place] for place in order],
        loc="outside lower center", ncols=n_columns, frameon=False,
    )  # fmt: skip
    return figure


def _people(axes: Axes, line: Line, reach: float) -> None:
    """A line at the players' value, or words in the legend where it would press the models together."""
    if line.value <= _FAR * reach:
        axes.axvline(line.value, color="black", linewidth=0.9, linestyle=":", label=line.name, zorder=1)
        return
    told = f"{line.name}: {line.value:,.0f}, beyond the scale"
    axes.plot([], [], linestyle="none", marker=">", color="black", markersize=4, label=told)
