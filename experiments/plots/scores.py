"""A metric by model beside the paper's, chance and people, and its spread over the runs of each record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UserError
from ..metrics.scores import Metric
from ..runs.encoder.record import Record
from ..terminal.writing import counted
from .fonts import printable
from .group_legend import BLUE, VERMILION
from .sheet import LEAST_SIZE, POINTS, TEXT_SIZE, Ruler, new_figure
from .yardsticks import (
    ReferenceLine,
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
_PANEL = 80.0  # points a histogram
_MOST_BINS = 40
_LINE = 11.2  # a line of its name, or of the legend
_FRAME = 62.0  # what title and axis take
_ORDER = ("fourfold", "paper", "chance", "people")  # of the legend
_FAR = 2.0  # times what the models reach: a value beyond it is given in words


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
    paper = [(place, point) for place, point in papers if point is not None]
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
            [point.mean for _, point in paper], [rows[place] - beside for place, _ in paper],
            xerr=[point.spread for _, point in paper], fmt="D", color=VERMILION, markersize=4,
            markerfacecolor="white", elinewidth=0.9, capsize=2, label=paper[0][1].name,
        )  # fmt: skip
        reach += [point.mean + point.spread for _, point in paper]
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


def _people(axes: Axes, line: ReferenceLine, reach: float) -> None:
    """A line at the players' value, or words in the legend where it would press the models together."""
    if line.value <= _FAR * reach:
        axes.axvline(line.value, color="black", linewidth=0.9, linestyle=":", label=line.name, zorder=1)
        return
    label = f"{line.name}: {line.value:,.0f}, beyond the scale"
    axes.plot([], [], linestyle="none", marker=">", color="black", markersize=4, label=label)


def draw_seeds(
    records: Sequence[Record], metric: Metric, width: float = 396.0, height: float | None = None
) -> Figure:
    """Draw a histogram a record on one scale, the best at the top; call it inside ``sheet.print_style``.

    Raises
    ------
    UserError
        If the records are of several data sets, or one has a single run.

    """
    check_one_data_set(records)
    names = titles(records)
    for record, name in zip(records, names, strict=True):
        if record.n_seeds < 2:
            raise UserError(
                f"the record {record.name} ({name}) has one run, which has no spread: leave it out"
            )
    sign = -1 if metric.better == "higher" else 1
    order = sorted(range(len(records)), key=lambda n: (sign * records[n].metrics[metric.name].mean, names[n]))
    records, names = [records[place] for place in order], [names[place] for place in order]
    values = [np.array(record.metrics[metric.name].per_seed) for record in records]
    edges = bin_edges(values, metric.total)
    if height is None:
        height = 66.0 + _PANEL * len(records)
    ruler = Ruler()
    figure = new_figure(width, height, layout="constrained")
    panels = figure.subplots(len(records), 1, sharex=True, squeeze=False)[:, 0]
    for axes, record, name, runs in zip(panels, records, names, values, strict=True):
        entry = record.metrics[metric.name]
        axes.set_label("seeds")
        axes.hist(runs, bins=edges, color=BLUE, edgecolor="white", linewidth=0.4, zorder=2)
        most = float(np.histogram(runs, edges)[0].max())
        axes.set_ylim(0, 1.4 * most)
        axes.errorbar(
            [entry.mean], [1.15 * most], xerr=[entry.std], fmt="o", color="black", markersize=4,
            elinewidth=1.1, capsize=2.5, label="mean and spread",
        )  # fmt: skip
        if (paper := published(record, metric)) is not None:
            axes.errorbar(
                [paper.mean], [1.29 * most], xerr=[paper.spread], fmt="D", color=VERMILION, markersize=4,
                markerfacecolor="white", elinewidth=0.9, capsize=2, label=paper.name,
            )  # fmt: skip
        title = f"{name}: {entry.mean:.1f} ± {entry.std:.1f} over {record.n_seeds:,} runs"
        axes.set_title(ruler.wrap(printable(title), width - 60, 8), fontsize=8, loc="left")
        axes.yaxis.get_major_locator().set_params(integer=True, nbins=4)
        axes.set_ylabel("runs", fontsize=LEAST_SIZE)
        axes.tick_params(labelsize=LEAST_SIZE)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    panels[-1].set_xlabel(axis_title(records[0], metric))
    figure.suptitle(printable(data_set_title(records[0])), fontsize=9)
    shown: dict[str, Any] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        shown |= dict(zip(labels, handles, strict=True))
    figure.legend(
        list(shown.values()), list(shown), loc="outside lower center", ncols=4 if width >= 3 * POINTS else 1,
        frameon=False,
    )  # fmt: skip
    return figure


def bin_edges(values: Sequence[NDArray[np.float64]], whole: bool) -> NDArray[np.float64]:
    """Edges that all histograms share; of whole numbers, so that each bin has equally many of them."""
    together = np.concatenate(values)
    low, high = float(together.min()), float(together.max())
    if whole:
        step = max(1, int(np.ceil((high - low + 1) / _MOST_BINS)))
        return np.arange(low - 0.5, high + step + 0.5, step)
    if high - low < 1e-9:
        return np.array([low - 0.5, low + 0.5])
    # Freedman and Diaconis's width is for one sample: the narrowest of them tells most.
    candidates = [np.histogram_bin_edges(one, bins="fd") for one in values]
    narrowest = min(float(edges[1] - edges[0]) for edges in candidates if len(edges) > 1)
    n_bins = int(np.clip(np.ceil((high - low) / narrowest), 4, _MOST_BINS))
    edges: NDArray[np.float64] = np.linspace(low, high, n_bins + 1)
    return edges
