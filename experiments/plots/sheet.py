"""A figure in points (1/72 inch): its style, the size of texts, and line breaks to a width."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from typing import TYPE_CHECKING, Any

from .fonts import BASE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 72  # an inch
DPI = 300
LEAST_SIZE = 7.0  # of letters in print, points
TEXT_SIZE = 8.0


@contextmanager
def print_style(families: Sequence[str] = (BASE,)) -> Iterator[None]:
    """Draw and save within this: matplotlib's defaults, whatever the user's settings are, and print sizes.

    The user's settings are as they were afterwards. They are matplotlib's own and belong to the process: do
    not draw in several threads at once.
    """
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.ERROR)  # it tells of font caches and the like
    try:
        import matplotlib as mpl

        with mpl.rc_context(), warnings.catch_warnings():
            mpl.rcdefaults()
            mpl.rcParams.update(
                {
                    "font.family": list(families),
                    "font.size": TEXT_SIZE,
                    "axes.titlesize": 9,
                    "axes.labelsize": TEXT_SIZE,
                    "xtick.labelsize": LEAST_SIZE,
                    "ytick.labelsize": TEXT_SIZE,
                    "legend.fontsize": LEAST_SIZE,
                    "axes.linewidth": 0.6,
                    "axes.unicode_minus": True,
                    "text.hinting": "none",
                    "text.parse_math": False,  # a clue may be $64,000
                    "pdf.fonttype": 42,  # journals refuse type 3
                    "svg.fonttype": "path",  # looks the same where the font is not installed
                    "svg.hashsalt": "fourfold",
                }
            )
            # What no font has is said once, by name, before anything is drawn.
            warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from font")
            yield
    finally:
        logger.setLevel(level)


def new_figure(width: float, height: float, **options: Any) -> Figure:
    """An empty figure of that size in points, which pyplot knows nothing of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / POINTS, height / POINTS), dpi=DPI, **options)
    FigureCanvasAgg(figure)
    return figure


def add_axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes at that place in points, whose coordinates are points from their lower left corner."""
    full_width, full_height = figure.get_size_inches() * POINTS
    axes = figure.add_axes(
        (left / full_width, bottom / full_height, width / full_width, height / full_height)
    )
    axes.set(xlim=(0, width), ylim=(0, height), xticks=[], yticks=[])
    return axes


class Ruler:
    """How much room texts take, in points."""

    def __init__(self) -> None:
        self._figure = new_figure(POINTS, POINTS)
        self._found: dict[tuple[str, float], tuple[float, float]] = {}

    def size(self, text: str, points: float) -> tuple[float, float]:
        """Width and height of a text, its lines centred, in letters of that size."""
        key = (text, points)
        if key not in self._found:
            artist = self._figure.text(0, 0, text, fontsize=points, ha="center", linespacing=1.0)
            box = artist.get_window_extent(self._figure.canvas.get_renderer())  # type: ignore[attr-defined]
            artist.remove()
            self._found[key] = (box.width * POINTS / DPI, box.height * POINTS / DPI)
        return self._found[key]

    def wrap(self, text: str, width: float, points: float) -> str:
        """The text with line breaks so that no line is wider than ``width``; a longer word is cut."""
        lines, line = [], ""
        for whole in text.split():
            longer, word = f"{line} {whole}" if line else whole, whole
            if self.size(longer, points)[0] <= width:
                line = longer
                continue
            if line:
                lines.append(line)
            while self.size(word, points)[0] > width and len(word) > 1:
                cut = next(
                    n for n in range(len(word) - 1, 0, -1) if n == 1 or self._fits(word, n, width, points)
                )
                lines.append(word[:cut])
                word = word[cut:]
            line = word
        return "\n".join([*lines, line])

    def _fits(self, word: str, n_letters: int, width: float, points: float) -> bool:
        return self.size(word[:n_letters], points)[0] <= width

    def balance(self, text: str, width: float, points: float) -> str:
        """As ``wrap``, in as few lines but of lengths as equal as can be."""
        least = self.wrap(text, width, points)
        n_lines = least.count("\n") + 1
        if n_lines == 1:
            return least
        start = ceil(self.size(text, points)[0] / n_lines)
        for narrower in range(start, ceil(width)):
            tried = self.wrap(text, narrower, points)
            if tried.count("\n") + 1 == n_lines and all(word in text.split() for word in tried.split()):
                return tried
        return least
