"""How a metric is spread over the runs of a record: one histogram a record, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UserError
from ..metrics.scores import Metric
from ..runs.encoder.record import Record
from .fonts import printable
from .group_legend import BLUE, VERMILION
from .sheet import LEAST_SIZE, POINTS, Ruler, new_figure
from .yardsticks import axis_title, check_one_data_set, data_set_title, published, titles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW = 80.0  # points a histogram
_MOST_BINS = 40


def draw_seeds(
    records: Sequence[Record], metric: Metric, width: float = 396.0, height: float | None = None
) -> Figure:
    """Draw the histograms, the best record's at the top; call it inside ``sheet.print_style``.

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
        height = 66.0 + _ROW * len(records)
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
    found = [np.histogram_bin_edges(one, bins="fd") for one in values]
    narrowest = min(float(edges[1] - edges[0]) for edges in found if len(edges) > 1)
    n_bins = int(np.clip(np.ceil((high - low) / narrowest), 4, _MOST_BINS))
    edges: NDArray[np.float64] = np.linspace(low, high, n_bins + 1)
    return edges
