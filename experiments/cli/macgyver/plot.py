"""``fourfold macgyver plot``: the paper's figures 5, 6, 7 and 10 from the released labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..arguments import Parser
from ..figure_file import INCH, WIDTHS, file_options, ready, save
from .shared import folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DESCRIPTION = """\
Draw a figure of the MacGyver paper from the released labels. The file's ending chooses its format: .png, .svg
or .pdf.

figures:
  5   each answerer's answers by category, beside the paper's total
  6   how people's and GPT-4's answers are spread from failing to perfect
  7   people's mean score on each problem against GPT-4's, by kind of problem: the paper's topics are not
      released
  10  the problems of which at least a share of the answers is right
"""

EPILOG = """\
examples:
  fourfold macgyver plot 5 --data MacGyver/data --out figure5.pdf
  fourfold macgyver plot 7 --data MacGyver/data --width column
"""

FIGURES = ("5", "6", "7", "10")


def main(words: Sequence[str]) -> int:
    """Draw the figure."""
    parser = Parser(prog="fourfold macgyver plot", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("figure", choices=FIGURES, metavar="N", help="the figure's number in the paper")
    parser.add_argument(
        "--data", type=folder, required=True, metavar="DIR", help="the folder of the MacGyver files"
    )
    file_options(parser)
    chosen = parser.parse_args(words)
    out = ready(chosen, f"macgyver_figure{chosen.figure}", {"rich": "rich"})

    from ...macgyver import figures
    from ...macgyver.judging import judged
    from ...macgyver.readers import read_release

    release = read_release(chosen.data)
    found = judged(release.answers)
    width = chosen.width or WIDTHS["text"] * INCH
    draw: dict[str, Callable[[], Figure]] = {
        "5": lambda: figures.draw_benchmark(found, width, chosen.height),
        "6": lambda: figures.draw_densities(found, width, chosen.height),
        "7": lambda: figures.draw_problems(found, release.problems, width, chosen.height),
        "10": lambda: figures.draw_answered(found, width, chosen.height),
    }
    title = f"figure {chosen.figure} of the MacGyver paper, from its released labels"
    save(chosen, out, title, list(found), draw[chosen.figure])
    return 0
