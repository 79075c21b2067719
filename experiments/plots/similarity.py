"""The cosine similarity of a wall's clues as a heat map, the clues sorted by their true groups."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import UserError
from ..pipeline.features import cosine_similarities
from .fonts import printable
from .group_legend import GROUP_COLOURS, GROUP_MARKERS, SIMILARITY_MAP, GroupLegend
from .sheet import LEAST_SIZE, POINTS, Ruler, add_axes, new_figure
from .wall_view import WallView

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_EDGE = 3.0
_MARKERS = 11.0  # the column of markers between labels and map
_BAR = 10.0  # of colours
_BAR_ROOM = 34.0  # with its numbers
_LABEL_WIDTH = 100.0
_LEAST_CELL = 9.0


def draw_similarity(view: WallView, width: float = 396.0, height: float | None = None) -> Figure:
    """Draw the heat map and a legend below it; call it inside ``sheet.print_style``.

    The diagonal, which is 1, is left out, so that the colours are for what differs.

    Raises
    ------
    UserError
        If the clues do not fit on a figure of that size.

    """
    ruler = Ruler()
    wall = view.wall
    order = np.argsort(view.truth, kind="stable")
    truth = view.truth[order]
    cosines = cosine_similarities(view.vectors[order][np.newaxis])[0]
    n = len(order)
    legend = GroupLegend(ruler, [group.connection for group in wall.groups], width - 2 * _EDGE, hulls=False)
    title = ruler.balance(printable(f"{view.title}: cosine similarity"), width - 2 * _EDGE, 8.5)
    note = f"wall {wall.wall_id}" + (f", run {view.run}" if view.in_context else "")

    above = ruler.size(title, 8.5)[1] + 6
    fixed = LEAST_SIZE + 8 + legend.height + above + 2 * _EDGE
    for room in (min(_LABEL_WIDTH, width / 3), width):  # in lines if need be, else each in one
        labels = [ruler.balance(printable(wall.clues[place]), room, LEAST_SIZE) for place in order]
        sizes = np.array([ruler.size(label, LEAST_SIZE) for label in labels])
        beside = sizes[:, 0].max() + _MARKERS + 4
        cell = (width - 2 * _EDGE - beside - _BAR_ROOM - 6) / n
        if height is not None:
            cell = min(cell, (height - fixed - beside) / n)
        crowded = float((sizes[1:, 1] + sizes[:-1, 1]).max()) / 2  # what neighbours need
        needed = max(_LEAST_CELL, crowded)
        if fits := cell >= needed:
            break
    if not fits:
        least = ceil(10 * (needed * n + beside + _BAR_ROOM + 6 + 2 * _EDGE) / POINTS) / 10
        high = ceil(10 * (needed * n + beside + fixed) / POINTS) / 10
        raise UserError(
            f"the {n} clues of wall {wall.wall_id} do not fit on a figure {width / POINTS:g} inches wide"
            + (f" and {height / POINTS:g} high" if height is not None else "")
            + f": they need a --width of {least:g}"
            + ("" if height is None else f" and a --height of {high:g}")
        )  # fmt: skip
    side = cell * n
    below = _EDGE + legend.height + LEAST_SIZE + 8 + beside
    figure = new_figure(width, below + side + above + _EDGE)
    left = (width - side - beside - _BAR_ROOM - 6) / 2 + beside
    axes = add_axes(figure, left, below, side, side)
    axes.set_label("similarity")
    figure.text(0.5, 1 - _EDGE / (below + side + above + _EDGE), title, fontsize=8.5, ha="center", va="top")

    shown = np.ma.masked_array(cosines, np.eye(n, dtype=bool))
    low, high = float(shown.min()), float(shown.max())
    if high - low < 1e-9:
        low, high = low - 0.01, high + 0.01
    image = axes.imshow(
        shown, cmap=SIMILARITY_MAP, vmin=low, vmax=high, extent=(0, side, 0, side), interpolation="nearest"
    )
    axes.set_facecolor("0.9")
    if max(ruler.size(short(value), LEAST_SIZE)[0] for value in shown.compressed()) < cell - 1:
        _numbers(axes, cosines, cell, (low + high) / 2)
    for edge in (np.flatnonzero(np.diff(truth)) + 1).tolist():
        for border, line in (("white", 2.6), ("black", 1.2)):
            axes.plot([edge * cell] * 2, [0, side], color=border, linewidth=line, zorder=3)
            axes.plot([0, side], [side - edge * cell] * 2, color=border, linewidth=line, zorder=3)
    _labels(axes, labels, truth.tolist(), cell, side)
    axes.set(xlim=(0, side), ylim=(0, side))
    bar = figure.colorbar(image, cax=add_axes(figure, left + side + 8, below, _BAR, side))
    bar.ax.tick_params(labelsize=LEAST_SIZE, width=0.6, length=2)
    bar.outline.set_linewidth(0.6)
    figure.text(_EDGE / width, (_EDGE + legend.height + 3) / (below + side + above + _EDGE), note,
                fontsize=LEAST_SIZE, color="0.3", va="bottom", gid="note")  # fmt: skip
    legend.draw(add_axes(figure, _EDGE, _EDGE, width - 2 * _EDGE, legend.height))
    return figure


def _numbers(axes: Axes, cosines: np.ndarray, cell: float, middle: float) -> None:
    n = len(cosines)
    for row in range(n):
        for column in range(n):
            if row != column:
                value = cosines[row, column]
                axes.text(
                    (column + 0.5) * cell,
                    (n - row - 0.5) * cell,
                    short(value),
                    fontsize=LEAST_SIZE,
                    ha="center",
                    va="center_baseline",
                    color="white" if value < middle else "black",
                    gid="number",
                )


def short(value: float) -> str:
    """A cosine with two digits, as in .25, −.25 and 1.00."""
    rounded = f"{value:.2f}"
    if rounded == "-0.00":
        return ".00"
    return rounded.replace("0.", ".", 1).replace("-", "−")


def _labels(axes: Axes, labels: list[str], truth: list[int], cell: float, side: float) -> None:
    for place, (label, group) in enumerate(zip(labels, truth, strict=True)):
        along = (place + 0.5) * cell
        how: dict[str, Any] = {
            "linestyle": "none",
            "marker": GROUP_MARKERS[group % len(GROUP_MARKERS)],
            "color": GROUP_COLOURS[group % len(GROUP_COLOURS)],
            "markersize": 5,
            "markeredgecolor": "black",
            "markeredgewidth": 0.5,
            "clip_on": False,
        }
        axes.plot([-_MARKERS / 2], [side - along], **how)
        axes.plot([along], [-_MARKERS / 2], **how)
        text: dict[str, Any] = {"fontsize": LEAST_SIZE, "linespacing": 1.0, "gid": "clue"}
        axes.text(-_MARKERS, side - along, label, ha="right", va="center", **text)
        axes.text(along, -_MARKERS, label, ha="center", va="top", rotation=90, **text)
