"""A wall's map: its clues in two dimensions, as in the paper's Figures 3 and 7 to 9.

Colour and marker tell a clue's true group, a grey region the group that the run predicted. Several runs of
one wall stand side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UserError
from .fonts import printable
from .group_legend import FADE, GROUP_COLOURS, GROUP_MARKERS, HULL_EDGE, HULL_FILL, HULL_LINES, GroupLegend
from .labels import Placed, place_labels
from .projection import Projection, fit_to_page, project
from .sheet import LEAST_SIZE, POINTS, TEXT_SIZE, Ruler, add_axes, new_figure
from .wall_view import WallView

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MARKER = 6.5  # points across
HULL_MARGIN = 9.0
LABEL_WIDTH = 72.0  # a longer clue is broken into lines
_EDGE = 3.0  # white about the whole figure
_BETWEEN = 8.0  # panels
_TITLE_SIZE = 8.5
_SIZES = (TEXT_SIZE, 7.5, LEAST_SIZE)
_LOWEST, _HIGHEST = 0.55, 0.85  # times a panel's width, where the labels need no more
_TALLEST = 2.2  # times a panel's width


@dataclass(frozen=True, slots=True)
class _Panel:
    view: WallView
    projection: Projection
    texts: list[str]
    markers: NDArray[np.float64]
    hulls: dict[int, NDArray[np.float64]]
    placed: Placed
    size: float


def draw_wall_map(
    views: Sequence[WallView], method: str = "tsne", width: float = 396.0, height: float | None = None
) -> Figure:
    """Draw one panel a view, all of the same wall, and a legend of its connections below.

    Call it inside ``sheet.print_style``.

    Parameters
    ----------
    views
        A wall in one run or several.
    method
        One of ``projection.METHODS``.
    width, height
        Of the figure in points; without a height it is as high as the labels need.

    Raises
    ------
    UserError
        If the labels do not fit on a figure of that size.

    """
    ruler = Ruler()
    wall = views[0].wall
    panel_width = (width - 2 * _EDGE - (len(views) - 1) * _BETWEEN) / len(views)
    if panel_width < POINTS:
        raise UserError(
            f"a figure {width / POINTS:g} inches wide is too narrow for {len(views)} maps: raise --width"
        )
    legend = GroupLegend(ruler, [group.connection for group in wall.groups], width - 2 * _EDGE, hulls=True)
    titles = [ruler.balance(_title(view), panel_width, _TITLE_SIZE) for view in views]
    above = max(ruler.size(title, _TITLE_SIZE)[1] for title in titles) + 5
    projections = [project(view.vectors, method) for view in views]
    notes = [
        ruler.wrap(_note(view, projection), panel_width, LEAST_SIZE)
        for view, projection in zip(views, projections, strict=True)
    ]
    below = max(ruler.size(note, LEAST_SIZE)[1] for note in notes) + 5 + legend.height + 4

    fixed = height is not None
    if height is not None:
        panel_height = height - 2 * _EDGE - above - below
    else:
        panel_height = max(_natural_height(projection, panel_width) for projection in projections)
    while True:
        tried = [
            _panel(view, projection, ruler, panel_width, panel_height)
            for view, projection in zip(views, projections, strict=True)
        ]
        panels = [panel for panel in tried if panel is not None]
        if len(panels) == len(views):
            break
        panel_height *= 1.15
        if fixed or panel_height > _TALLEST * panel_width:
            raise UserError(
                f"the labels of wall {wall.wall_id} do not fit on a figure {width / POINTS:g} inches wide"
                + (f" and {height / POINTS:g} high" if height is not None else "")
                + ": raise --width"
                + (" or --height, or leave --height out" if fixed else "")
            )
    total = panel_height + above + below + 2 * _EDGE
    figure = new_figure(width, total)
    for place, (panel, title, note) in enumerate(zip(panels, titles, notes, strict=True)):
        left = _EDGE + place * (panel_width + _BETWEEN)
        axes = add_axes(figure, left, _EDGE + below, panel_width, panel_height)
        axes.set_label(f"map {place}")
        axes.set_title(title, fontsize=_TITLE_SIZE, pad=4, linespacing=1.0, gid="title")
        axes.text(
            0,
            -3,
            note,
            fontsize=LEAST_SIZE,
            linespacing=1.0,
            color="0.3",
            va="top",
            ha="left",
            gid="note",
        )
        _draw(axes, panel)
    legend.draw(add_axes(figure, _EDGE, _EDGE, width - 2 * _EDGE, legend.height))
    return figure


def _natural_height(projection: Projection, width: float) -> float:
    """How high a panel of that width is if its places are to fill it, within limits."""
    spans = np.ptp(projection.places, axis=0)
    across, up = _margins(width)
    ratio = float(spans[1] / spans[0]) if spans[0] > 0 else 1.0
    return min(max(ratio * (width - 2 * across) + 2 * up, _LOWEST * width), _HIGHEST * width)


def _margins(width: float) -> tuple[float, float]:
    """What stays free for labels at the sides of a panel, and above and below."""
    return min(36, width / 6), HULL_MARGIN + 7


def _title(view: WallView) -> str:
    n_groups = len(view.wall.groups)
    return printable(f"{view.title}: {view.n_correct} of {n_groups} groups")


def _note(view: WallView, projection: Projection) -> str:
    return printable(f"wall {view.wall.wall_id}, run {view.run}; {projection.note}")


def _panel(
    view: WallView, projection: Projection, ruler: Ruler, width: float, height: float
) -> _Panel | None:
    """The panel with its labels placed, in the largest letters that fit; None if none do."""
    if height < 4 * TEXT_SIZE:
        return None
    markers = fit_to_page(projection.places, width, height, _margins(width), apart=MARKER + 1)
    hulls = {
        group: rounded_hull(markers[view.labels == group], HULL_MARGIN)
        for group in np.unique(view.labels).tolist()
    }
    for size in _SIZES:
        texts = [ruler.balance(printable(clue), LABEL_WIDTH, size) for clue in view.wall.clues]
        sizes = np.array([ruler.size(text, size) for text in texts])
        placed = place_labels(markers, sizes, (width, height), MARKER / 2 + 0.5, list(hulls.values()))
        if placed is not None:
            return _Panel(view, projection, texts, markers, hulls, placed, size)
    return None


def _draw(axes: Axes, panel: _Panel) -> None:
    from matplotlib.patches import Polygon
    from matplotlib.patheffects import Stroke

    view, markers = panel.view, panel.markers
    for place, (group, corners) in enumerate(panel.hulls.items()):
        line = HULL_LINES[place % len(HULL_LINES)]
        axes.add_patch(
            Polygon(corners, facecolor=HULL_FILL, alpha=0.55, linewidth=0, zorder=1, gid=f"hull {group}")
        )
        axes.add_patch(
            Polygon(corners, fill=False, edgecolor=HULL_EDGE, linewidth=0.6, linestyle=line, zorder=1.5)
        )
    for group in np.unique(view.truth).tolist():
        members = np.flatnonzero(view.truth == group)
        axes.plot(
            markers[members, 0],
            markers[members, 1],
            linestyle="none",
            marker=GROUP_MARKERS[group % len(GROUP_MARKERS)],
            color=GROUP_COLOURS[group % len(GROUP_COLOURS)],
            markersize=MARKER,
            markeredgecolor="black",
            markeredgewidth=0.5,
            zorder=3,
            gid=f"group {group}",
        )
    for place, text in enumerate(panel.texts):
        x, y = panel.placed.middles[place].tolist()
        end = panel.placed.ends[place]
        if not np.isnan(end).any():
            axes.plot(*zip(markers[place], end, strict=True), color="0.3", linewidth=0.4, zorder=2)
        how: dict[str, Any] = {"fontsize": panel.size, "ha": "center", "va": "center", "linespacing": 1.0}
        # The outlines fade under the letters; drawn by itself, so that the letters stay text in a PDF.
        fade = Stroke(linewidth=1.6, foreground=FADE)
        axes.text(x, y, text, zorder=4, path_effects=[fade], gid="fade", **how)
        axes.text(x, y, text, zorder=5, gid="clue", **how)


N_ROUND = 48  # corners of the polygon that stands for a circle


def rounded_hull(points: NDArray[Any], margin: float) -> NDArray[np.float64]:
    """The corners (n_corners, 2) of the hull of ``points`` (n_points, 2), counter-clockwise.

    It is the hull of circles of radius ``margin`` about the points: of one point a circle, of two or of
    points in a row a capsule.
    """
    from scipy.spatial import ConvexHull

    angles = np.arange(N_ROUND) * (2 * np.pi / N_ROUND)
    circle = margin * np.column_stack([np.cos(angles), np.sin(angles)])
    around = (np.asarray(points, np.float64)[:, np.newaxis] + circle).reshape(-1, 2)
    corners: NDArray[np.float64] = around[ConvexHull(around).vertices]
    return corners
