"""The figures of the MacGyver paper from the released labels: 5, 6, 7 and 10.

Each is drawn inside ``plots.sheet.print_style``. The paper's own values are shown where its tables give them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...errors import UserError
from ..plots.group_legend import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, YELLOW
from ..plots.sheet import LEAST_SIZE, new_figure
from ..terminal.writing import counted
from . import judging as efforts
from . import paper
from .judging import CATEGORIES, SCORES, SHARES_ANSWERED, Judged
from .problem import Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Right answers in cold colours, wrong ones in warm ones, each with a lightness of its own.
COLOURS = dict(zip("ABCDEF", (BLUE, SKY, GREEN, YELLOW, ORANGE, VERMILION), strict=True))
TWO = {"human": (BLUE, "-"), "gpt4": (VERMILION, (0, (4, 1.5)))}
_STEPS = {
    0.0: "F: fail",
    0.25: "E: mostly\nwrong",
    0.5: "D: partly\nwrong",
    0.75: "B: less\nefficient",
    1.0: "A, C:\nright",
}
_BANDWIDTH = 0.08  # of the density's kernel, in units of the score: a third of a step


def draw_benchmark(found: Mapping[str, Judged], width: float = 396.0, height: float | None = None) -> Figure:
    """Figure 5: each answerer's labels by category as a bar, with a mark at the paper's right ones."""
    rows = [
        (paper.TITLES.get(name, name), efforts.average(who), paper.SINGLE_EFFORT.get(name))
        for name, who in found.items()
    ]
    multiple = [
        (f"{paper.TITLES[name]}, best", efforts.best(found[name]), paper.BEST[name])
        for name in ("gpt4", "human")
        if name in found
    ]
    rows += multiple
    figure = new_figure(width, height or 74.0 + 17.0 * len(rows), layout="constrained")
    axes = figure.add_subplot()
    places = np.arange(len(rows))[::-1]
    left = np.zeros(len(rows))
    for column, category in enumerate(CATEGORIES):
        values = np.array([shares[column] for _, shares, _ in rows])
        axes.barh(
            places, values, left=left, height=0.72, color=COLOURS[category.name], edgecolor="white",
            linewidth=0.4, label=f"{category.name}: {category.title}",
        )  # fmt: skip
        left += values
    known = [
        (place, sum(row[: efforts.N_CORRECT])) for place, (_, _, row) in zip(places, rows, strict=True) if row
    ]
    if known:
        axes.plot(
            [value for _, value in known], [place for place, _ in known], linestyle="none", marker="|",
            markersize=12, markeredgewidth=1.6, color=BLACK, label="paper: correct in total",
        )  # fmt: skip
    axes.set_yticks(places, [title for title, _, _ in rows])
    axes.set_xlim(0, 100)
    between = " " if width >= 300 else "\n"
    axes.set_xlabel(f"% of problems: a single effort,{between}and the best of several")
    _plain(axes)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside lower center", ncols=4 if width >= 300 else 2, frameon=False)
    return figure


def draw_densities(found: Mapping[str, Judged], width: float = 396.0, height: float | None = None) -> Figure:
    """Figure 6: the kernel density of single answers' scores, of people and of GPT-4."""
    _check_both(found)
    figure = new_figure(width, height or 210.0, layout="constrained")
    axes = figure.add_subplot()
    grid = np.linspace(-0.25, 1.25, 601)
    for name, (colour, line) in TWO.items():
        counts: Counter[float] = Counter()
        for category, count in zip(CATEGORIES, found[name].counts.sum(0).tolist(), strict=True):
            counts[SCORES[category]] += count
        total = sum(counts.values())
        density = sum(
            count / total * np.exp(-0.5 * ((grid - score) / _BANDWIDTH) ** 2)
            for score, count in counts.items()
        ) / (_BANDWIDTH * np.sqrt(2 * np.pi))
        axes.plot(
            grid, density, color=colour, linestyle=line, linewidth=1.4,
            label=f"{paper.TITLES[name]}: {counted(total, 'answer')}",
        )  # fmt: skip
        axes.fill_between(grid, density, color=colour, alpha=0.12, linewidth=0)
    axes.set_xticks(list(_STEPS), list(_STEPS.values()))
    axes.set_xlim(-0.25, 1.25)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("density")
    _plain(axes)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def draw_problems(
    found: Mapping[str, Judged],
    problems: Sequence[Problem],
    width: float = 396.0,
    height: float | None = None,
) -> Figure:
    """Figure 7: a point a problem, people's mean score against GPT-4's.

    Its colours are the kinds of problem that the release has, since the paper's seven topics are not in it.
    """
    _check_both(found)
    people, gpt4 = (efforts.problem_scores(found[name], SCORES) for name in ("human", "gpt4"))
    kinds = {
        "solvable, unconventional": (BLUE, "o", [one.id for one in problems if one.unconventional]),
        "solvable, conventional": (ORANGE, "s", [one.id for one in problems if one.unconventional is False]),
        "unsolvable": (PURPLE, "^", [one.id for one in problems if not one.solvable]),
    }
    figure = new_figure(width, height or width, layout="constrained")
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="0.5", linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
    for title, (colour, marker, ids) in kinds.items():
        shown = [one for one in ids if one in people and one in gpt4]
        if not shown:
            continue
        axes.scatter(
            [people[one] for one in shown], [gpt4[one] for one in shown], s=14, c=colour, marker=marker,
            alpha=0.6, linewidths=0, label=f"{title}: {len(shown):,}", zorder=2,
        )  # fmt: skip
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
    axes.set_xlabel("people's mean score (0: fail, 1: perfect)")
    axes.set_ylabel("GPT-4's mean score")
    _plain(axes)
    figure.legend(loc="outside lower center", ncols=3 if width >= 300 else 1, frameon=False)
    return figure


def draw_answered(found: Mapping[str, Judged], width: float = 396.0, height: float | None = None) -> Figure:
    """Figure 10: the problems of which at least a share of the answers is right, of people and GPT-4."""
    _check_both(found)
    figure = new_figure(width, height or 210.0, layout="constrained")
    axes = figure.add_subplot()
    for side, (name, (colour, _)) in zip((-0.2, 0.2), TWO.items(), strict=True):
        counts = efforts.problems_answered(found[name])
        bars = axes.bar(
            np.arange(len(counts)) + side, counts, width=0.38, color=colour, label=paper.TITLES[name],
            hatch="" if name == "human" else "////", edgecolor="white", linewidth=0.4,
        )  # fmt: skip
        axes.bar_label(bars, fontsize=LEAST_SIZE, padding=1)
    axes.set_xticks(range(len(SHARES_ANSWERED)), [f"{share:.0%}" for share in SHARES_ANSWERED])
    axes.set_xlabel("at least this share of the answers is right")
    n_problems = max(len(found[name].problem_ids) for name in TWO)
    axes.set_ylabel(f"problems (of {n_problems:,})")
    axes.set_ylim(0, 1.08 * n_problems)
    _plain(axes)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def _check_both(found: Mapping[str, Judged]) -> None:
    for name in TWO:
        if name not in found:
            raise UserError(f"the answers have none by {paper.TITLES[name]}, whom this figure compares")


def _plain(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(labelsize=LEAST_SIZE)
