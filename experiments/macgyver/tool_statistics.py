"""How often each tool is presented, and at which tools people and GPT-4 differ most: Tables 8 and 4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import paper
from .judging import SCORES, judged, problem_scores
from .problem import Answer
from .tool_names import spellings
from .tools import tools_of


@dataclass(frozen=True, slots=True)
class ToolCounts:
    """The tools of the problems: for each problem its tools, for each tool how many problems present it.

    ``n_names`` is how many there are where number and spelling make another tool.
    """

    by_problem: Mapping[int, tuple[str, ...]]
    counts: Mapping[str, int]  # falling
    n_names: int

    @property
    def total(self) -> int:
        """Tools in all, each once a problem."""
        return sum(self.counts.values())

    def percent(self, tool: str) -> float:
        """A tool's share of all tools presented, as in Table 8."""
        return 100 * self.counts.get(tool, 0) / self.total if self.total else 0.0


def count_tools(texts: Mapping[int, str], apart: bool = False) -> ToolCounts:
    """Parse every problem's text, given by its number, and count.

    A tool goes by its most frequent name: "rubber band" and "rubber bands" are one, "shoe box" and "shoebox"
    are. With ``apart`` each name counts by itself.
    """
    found = {number: tools_of(text) for number, text in texts.items()}
    names = Counter(tool for tools in found.values() for tool in tools)
    if not apart:
        called = spellings(names)
        found = {
            number: tuple(dict.fromkeys(called[tool] for tool in tools)) for number, tools in found.items()
        }
    counts = Counter(tool for tools in found.values() for tool in tools)
    return ToolCounts(
        found, dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))), n_names=len(names)
    )


@dataclass(frozen=True, slots=True)
class ToolDifference:
    """People's mean score on the problems that present a tool, less GPT-4's."""

    tool: str
    n_problems: int
    people: float
    gpt4: float

    @property
    def difference(self) -> float:
        """Above 0 where people are better."""
        return self.people - self.gpt4

    @property
    def paper(self) -> float | None:
        """What the paper's Table 4 gives."""
        return paper.TOOL_DIFFERENCES.get(self.tool)


def tool_differences(tools: ToolCounts, answers: Sequence[Answer], least: int = 3) -> list[ToolDifference]:
    """The tools that at least so many of the benchmark's problems present, the most human first.

    A problem's score is the mean of its labels' scores, from 0 to 1; a tool's, that of its problems'. Empty
    where people or GPT-4 have answered nothing.
    """
    found = judged(answers)
    if "human" not in found or "gpt4" not in found:
        return []
    people, gpt4 = (problem_scores(found[name], SCORES) for name in ("human", "gpt4"))
    places: dict[str, list[int]] = {}
    for problem_id in people.keys() & gpt4.keys():
        for tool in tools.by_problem.get(problem_id, ()):
            places.setdefault(tool, []).append(problem_id)
    rows = [
        ToolDifference(tool, len(ids), _mean(people, ids), _mean(gpt4, ids))
        for tool, ids in places.items()
        if len(ids) >= least
    ]
    return sorted(rows, key=lambda row: (-row.difference, row.tool))


def _mean(scores: Mapping[int, float], ids: Sequence[int]) -> float:
    return sum(scores[one] for one in sorted(ids)) / len(ids)
