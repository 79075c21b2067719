"""A map drawn in two dimensions: points by cluster, each cluster's number at its most central member."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...conf.features_schema import TSNEConfig
from ..pipeline.features import tsne
from ..plots.palette import GROUP_COLOURS, GROUP_MARKERS
from ..plots.projection import project as projection
from ..plots.sheet import LEAST_SIZE, new_figure
from .near_duplicates import unit_rows
from .problem_map import Map

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PERPLEXITY = 30.0


def project(vectors: NDArray[np.float32], method: str) -> NDArray[np.float64]:
    """(n_things, 2) places of at least two vectors, by their directions: "tsne" or "pca"."""
    rows = unit_rows(vectors)
    if method == "tsne" and np.ptp(rows, axis=0).max() > 0:
        settings = TSNEConfig(perplexity=min(PERPLEXITY, (len(rows) - 1) / 3))
        places: NDArray[np.float64] = tsne(rows[np.newaxis], settings)[0]
        return places
    return projection(rows, "pca").places


def draw_map(
    made: Map, places: NDArray[np.float64], width: float = 504.0, height: float | None = None
) -> Figure:
    """Draw it; call it inside ``plots.sheet.print_style``. Numbers are those of the table, from 1."""
    figure = new_figure(width, height or 0.8 * width, layout="constrained")
    axes = figure.add_subplot()
    for number, cluster in enumerate(made.clusters):
        points = places[list(cluster.members)]
        colour = GROUP_COLOURS[number % len(GROUP_COLOURS)]
        marker = GROUP_MARKERS[number // len(GROUP_COLOURS) % len(GROUP_MARKERS)]
        axes.scatter(points[:, 0], points[:, 1], s=6, c=colour, marker=marker, alpha=0.6, linewidths=0)
    for number, cluster in enumerate(made.clusters, 1):
        axes.annotate(
            str(number), places[cluster.members[0]], ha="center", va="center", fontsize=LEAST_SIZE,
            bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "0.4", "lw": 0.4, "alpha": 0.85},
        )  # fmt: skip
    axes.set(xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set_visible(False)
    return figure
