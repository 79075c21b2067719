"""The colours and markers of groups, and the legend of a wall's figure with their connections, wrapped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .fonts import printable
from .sheet import Ruler

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SIZE = 7.5
HULLS = "groups that the run predicted"
_INDENT = 13.0  # from the marker's column to the text
_ROW_GAP = 2.5
_TWO_COLUMNS_FROM = 260.0  # points


class GroupLegend:
    """Lays itself out for a width; ``height`` says what it takes. All in points."""

    def __init__(self, ruler: Ruler, connections: Sequence[str], width: float, hulls: bool) -> None:
        n_columns = 2 if width >= _TWO_COLUMNS_FROM else 1
        self.column_width = width / n_columns
        room = self.column_width - _INDENT - 4
        texts = [ruler.wrap(printable(connection), room, SIZE) for connection in connections]
        if hulls:
            texts.append(ruler.wrap(HULLS, room, SIZE))
        self.texts = texts
        self.hulls = hulls
        n_rows = -(-len(connections) // n_columns)
        # Connections go down the columns; what the grey regions are has the last row to itself.
        self.cells = [(place % n_rows, place // n_rows) for place in range(len(connections))]
        if hulls:
            self.cells.append((n_rows, 0))
        heights = [ruler.size(text, SIZE)[1] for text in texts]
        n_rows += hulls
        self.rows = [
            max(height for height, cell in zip(heights, self.cells, strict=True) if cell[0] == row)
            for row in range(n_rows)
        ]
        self.height = sum(self.rows) + _ROW_GAP * (n_rows + 1)
        self.line = ruler.size("x", SIZE)[1]

    def draw(self, axes: Axes) -> None:
        """Draw into axes of that width and height in points."""
        from matplotlib.patches import FancyBboxPatch

        axes.set_axis_off()
        axes.set_label("legend")
        tops = [
            self.height - _ROW_GAP - sum(self.rows[:row]) - _ROW_GAP * row for row in range(len(self.rows))
        ]
        for place, (text, (row, column)) in enumerate(zip(self.texts, self.cells, strict=True)):
            x, y = column * self.column_width, tops[row]
            middle = y - self.line / 2
            if self.hulls and place == len(self.texts) - 1:
                axes.add_patch(
                    FancyBboxPatch(
                        (x + 3, middle - 2), 6, 4, boxstyle="round,pad=1.5", facecolor=HULL_FILL,
                        edgecolor=HULL_EDGE, linewidth=0.6,
                    )
                )  # fmt: skip
            else:
                axes.plot(
                    [x + 6],
                    [middle],
                    linestyle="none",
                    marker=GROUP_MARKERS[place % len(GROUP_MARKERS)],
                    color=GROUP_COLOURS[place % len(GROUP_COLOURS)],
                    markersize=6,
                    markeredgecolor="black",
                    markeredgewidth=0.5,
                )
            axes.text(
                x + _INDENT, y, text, fontsize=SIZE, linespacing=1.0, va="top", ha="left", gid="connection"
            )


BLACK = "#000000"
BLUE = "#0072B2"
ORANGE = "#E69F00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
VERMILION = "#D55E00"
SKY = "#56B4E9"
YELLOW = "#F0E442"

GROUP_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY, YELLOW, BLACK)
GROUP_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

# The grey regions of predicted groups are told apart by their outlines where they overlap.
HULL_FILL = "0.82"
HULL_EDGE = "0.35"
FADE = (1.0, 1.0, 1.0, 0.7)  # about a label, over the regions
HULL_LINES = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))

# Source: J. R. Nuñez, C. R. Anderton, R. S. Renslow, "Optimizing colormaps with consideration for color
# vision deficiency to enable accurate interpretation of scientific data", PLOS ONE 13(7), 2018.
SIMILARITY_MAP = "cividis"
