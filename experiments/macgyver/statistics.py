"""Counts of the MacGyver release beside the paper's: Table 1, the benchmark, and GPT-4 on all problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from . import paper
from .problem import Answer
from .readers import Release
from .references import references


@dataclass(frozen=True, slots=True)
class Count:
    """A number of the release, of how many, and what the paper gives; percent where it gives percent."""

    name: str
    value: int
    of: int | None = None
    paper: float | None = None
    paper_is_percent: bool = False

    @property
    def percent(self) -> float | None:
        """The share in percent."""
        return None if not self.of else 100 * self.value / self.of

    @property
    def difference(self) -> float | None:
        """The release's less the paper's, in the paper's unit."""
        if self.paper is None:
            return None
        ours = self.percent if self.paper_is_percent else float(self.value)
        return None if ours is None else ours - self.paper


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts by the table or section that they belong to, and what the release does not hold."""

    sections: dict[str, tuple[Count, ...]]
    notes: tuple[str, ...]


def statistics(release: Release) -> Statistics:
    """Count what the release holds."""
    solvable = [problem for problem in release.problems if problem.solvable]
    total, n_solvable = len(release.problems), len(solvable)
    unusual = sum(problem.unconventional is True for problem in solvable)
    table = paper.TABLE_1
    table_1 = (
        Count("solvable", n_solvable, total, table["solvable"]),
        Count("unsolvable", total - n_solvable, total, table["unsolvable"]),
        Count("problems", total, None, table["problems"]),
        Count("unconventional", unusual, n_solvable, table["unconventional"]),
        Count("conventional", n_solvable - unusual, n_solvable, table["conventional"]),
    )
    labels = Counter((problem.solvable, problem.label) for problem in release.problems)
    gpt4 = tuple(
        Count(
            f"{'solvable' if can else 'unsolvable'}: {label.replace('_', ' ')}",
            count,
            n_solvable if can else total - n_solvable,
            paper.GPT4_ON_SOLVABLE.get(label) if can else None,
            True,
        )
        for (can, label), count in sorted(labels.items(), key=lambda item: (not item[0][0], -item[1]))
    )
    can = release.solvable()
    sound = len(references(release))
    agreeing = sum(one.solvable == can[one.problem_id] for one in release.human_solutions)
    asked = {answer.problem_id for answer in release.answers}
    unlabelled = sum(answer.category is None for answer in release.answers)
    benchmark = (
        Count("problems of the benchmark", len(asked), None, paper.BENCHMARK_PROBLEMS),
        Count("judged answers", len(release.answers), None, paper.ANSWERS),
        Count("answers without a label", unlabelled),
        Count("further answers by people", len(release.human_solutions)),
        Count("to so many problems", len({one.problem_id for one in release.human_solutions})),
        Count("that say as the release whether it is solvable", agreeing),
        Count("problems with a solution that nothing calls wrong", sound, total, table["problems"]),
    )
    sections = {"Table 1": table_1, "GPT-4 on all problems (section 3)": gpt4, "Benchmark": benchmark}
    lacking = (
        f"The paper has a right answer to each problem; {total - sound:,} have none among the release's "
        "solutions, where GPT-4's is labelled as wrong and no person's takes its place."
    )
    notes = (
        *_unlike(table_1),
        *([lacking] if sound < total else []),
        *_judged_again(release.answers),
        *MISSING,
    )
    return Statistics(sections, notes)


def _judged_again(answers: Sequence[Answer]) -> list[str]:
    """Why there are more judged answers than in the paper."""
    distinct = len({(answer.problem_id, answer.model, answer.solution) for answer in answers})
    again = len(answers) - distinct
    if len(answers) <= paper.ANSWERS or not again:
        return []
    return [
        f"Of the {len(answers):,} judged answers, {again:,} are an answer that is judged again, which leaves "
        f"{distinct:,} different ones; the paper, which has {paper.ANSWERS:,}, does not say how it counts."
    ]


def _unlike(counts: tuple[Count, ...]) -> list[str]:
    unlike = [
        f"{count.name} {count.value:,} (paper {count.paper:,.0f})" for count in counts if count.difference
    ]
    return [f"The release differs from Table 1: {'; '.join(unlike)}."] if unlike else []


MISSING = (
    "The three verifiers' own labels are not released, so their agreement (kappa "
    f"{paper.AGREEMENT['solvability']} on solvability, {paper.AGREEMENT['unconventional use']} on "
    "unconventional use) cannot be computed; nor are the problems that were discarded (7%), or the tags.",
)
