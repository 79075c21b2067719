"""The paper's Table 5 from the released labels, each number beside the paper's, and what cannot be had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from . import judging as efforts
from . import paper
from .judging import N_CORRECT, SHARES_ANSWERED, Judged, Majority, Repeats, aggregated, repeats
from .readers import Release

LETTERS = "ABCDEF"
MODELS = ("llama2_7b", "llama2_13b", "llama2_70b", "palm2", "claude2", "gpt35")  # with one answer a problem

_LAST_DIGIT = 0.051  # points by which a number may differ from one that is rounded to a tenth
_MOVED = " In the others the release has fewer F than the paper, and more A, B or D in their place."


@dataclass(frozen=True, slots=True)
class Table5Row:
    """Percent by category for one answerer, the spread over seeds where there are any, and the paper's."""

    name: str
    n_problems: int
    n_labels: int
    shares: tuple[float, ...]  # A to F
    spread: tuple[float, ...] | None
    spread_correct: float | None
    paper: tuple[float, ...] | None

    @property
    def title(self) -> str:
        """What the paper calls it."""
        return paper.TITLES.get(self.name, self.name)

    @property
    def correct(self) -> float:
        """A, B and C together."""
        return sum(self.shares[:N_CORRECT])

    @property
    def paper_correct(self) -> float | None:
        """The paper's A, B and C together."""
        return None if self.paper is None else sum(self.paper[:N_CORRECT])

    @property
    def differences(self) -> tuple[float, ...] | None:
        """Ours less the paper's, A to F."""
        if self.paper is None:
            return None
        return tuple(ours - theirs for ours, theirs in zip(self.shares, self.paper, strict=True))


@dataclass(frozen=True, slots=True)
class Table5:
    """Every reading of the released labels.

    ``random`` draws one label a problem, ``pooled`` counts every label once. Both are single efforts.
    ``instructions`` are GPT-4's answers by the instruction that they were asked with, every label once.
    ``answered`` is Figure 10: for each answerer the number of problems by ``SHARES_ANSWERED``.
    """

    seeds: int
    random: tuple[Table5Row, ...]
    pooled: tuple[Table5Row, ...]
    instructions: tuple[Table5Row, ...]
    average: tuple[Table5Row, ...]
    best: tuple[Table5Row, ...]
    majority: Mapping[str, Majority]
    answered: Mapping[str, tuple[int, ...]]
    repeats: Repeats
    aggregated: bool

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the numbers should know, in sentences."""
        return tuple(_notes(self))


def table_5(release: Release, seeds: int = 1000, aggregate: bool = False) -> Table5:
    """Compute the table.

    Parameters
    ----------
    release
        Its answers.
    seeds
        Draws of one label a problem.
    aggregate
        First make one label of those that an answer has several of, as in appendix D.2.

    """
    answers = aggregated(release.answers, release.solvable()) if aggregate else release.answers
    found = efforts.judged(answers)
    by_name = [one for one in answers if paper.RELEASED_NAMES.get(one.model) == "gpt4" and one.category]
    instructions = efforts.judged(by_name, {}) if by_name else {}
    several = {name: found[name] for name in ("gpt4", "human") if name in found}
    return Table5(
        seeds,
        tuple(_random(who, seeds) for who in found.values()),
        tuple(_row(who, efforts.pooled(who), paper.SINGLE_EFFORT) for who in found.values()),
        tuple(_row(who, efforts.pooled(who), {}) for who in instructions.values()),
        tuple(_row(who, efforts.average(who), paper.AVERAGE) for who in several.values()),
        tuple(_row(who, efforts.best(who), paper.BEST) for who in several.values()),
        {name: efforts.majority(who) for name, who in several.items()},
        {name: tuple(efforts.problems_answered(who)) for name, who in several.items()},
        repeats(release.answers),
        aggregate,
    )


def _row(who: Judged, shares: efforts.Floats, published: Mapping[str, tuple[float, ...]]) -> Table5Row:
    return Table5Row(
        who.name, len(who.problem_ids), who.n_labels, tuple(shares.tolist()), None, None,
        published.get(who.name),
    )  # fmt: skip


def _random(who: Judged, seeds: int) -> Table5Row:
    draws = efforts.single_efforts(who, seeds)
    return Table5Row(
        who.name,
        len(who.problem_ids),
        who.n_labels,
        tuple(draws.mean(0).tolist()),
        tuple(draws.std(0).tolist()) if seeds > 1 else None,
        float(draws[:, :N_CORRECT].sum(1).std()) if seeds > 1 else None,
        paper.SINGLE_EFFORT.get(who.name),
    )


def _notes(table: Table5) -> list[str]:
    notes = []
    for name, rows in (("drawn", table.random), ("all labels", table.pooled)):
        models = [row for row in rows if row.name in MODELS]
        if models:
            notes.append(f"Six models, {name}: {farthest(models)}.")
    models = [row for row in table.pooled if row.name in MODELS]
    cells = [abs(less) < _LAST_DIGIT for row in models for less in row.differences or ()]
    if any(cells) and not table.aggregated:
        notes.append(
            f"With all labels, {sum(cells)} of the models' {len(cells)} cells are the paper's to the last"
            " digit: it seems to have counted every label once, although a model has one answer a problem."
            + (_MOVED if all(map(_moved, models)) else "")
        )
    for name, rows in (("drawn", table.random), ("average", table.average), ("best", table.best)):
        others = [row for row in rows if row.name not in MODELS and row.differences]
        if others:
            notes.append(f"GPT-4 and people, {name}: {farthest(others)}.")
    notes += _on_gpt4(table.instructions)
    if table.majority:
        notes += _on_most_answers(table.majority)
    notes.append(
        f"The paper's models are on {paper.BENCHMARK_PROBLEMS} problems; how many of them the release has "
        "labels for is in the column of problems."
    )
    again = table.repeats
    if again.kappa is not None:
        notes.append(
            f"Agreement: the paper's kappa of {paper.AGREEMENT['answers']} is over three annotators' labels, "
            f"which are not released. {again.n_answers:,} answers have several labels, of which "
            f"{again.agreed:.0%} of {again.n_pairs:,} pairs agree (kappa {again.kappa:.2f}); the release "
            "does not say why these were labelled again."
        )
    return notes


def _on_gpt4(instructions: Sequence[Table5Row]) -> list[str]:
    """Why the paper's single effort of GPT-4 is far from a draw over its instructions."""
    if len(instructions) < 2:
        return []
    place = LETTERS.index("C")
    first, others = instructions[0].shares, [row.shares[place] for row in instructions[1:]]
    theirs = paper.SINGLE_EFFORT["gpt4"]
    return [
        "GPT-4 and people in the paper are one draw; the spread says how far another may be. GPT-4's C "
        f"depends on its instruction: {first[place]:.1f}% with the first, {min(others):.1f} to "
        f"{max(others):.1f}% with the others. The paper's {theirs[place]:.1f}% goes with the first, but its "
        f"A ({theirs[0]:.1f}%) does not ({first[0]:.1f}%)."
    ]


def _on_most_answers(found: Mapping[str, Majority]) -> list[str]:
    left_out, wrong, half, right = (
        max(abs(value - paper.MAJORITY[name]) for name, value in zip(found, values, strict=True))
        for values in (
            [one.right if one.decided is None else one.decided for one in found.values()],
            [one.right for one in found.values()],
            [one.half for one in found.values()],
            [one.right + one.tied for one in found.values()],
        )
    )
    return [
        "Most answers: the paper does not say what becomes of problems with as many right as wrong answers. "
        f"No whole or half number of {paper.BENCHMARK_PROBLEMS} problems rounds to its "
        f"{paper.MAJORITY['gpt4']}%, so such problems are left out here: at most {left_out:.1f} points from "
        f"the paper, against {wrong:.1f} with ties as wrong, {half:.1f} with half of them as right and "
        f"{right:.1f} with all."
    ]


def majority_difference(name: str, found: Majority) -> float | None:
    """Ours less the paper's, ties left out; None where every problem is tied."""
    return None if found.decided is None else found.decided - paper.MAJORITY[name]


def _moved(row: Table5Row) -> bool:
    """Whether the release has what the paper has, but for some F that have become A, B or D."""
    less = row.differences or ()
    return all(
        difference > -_LAST_DIGIT if letter in "ABD" else difference < _LAST_DIGIT
        for letter, difference in zip(LETTERS, less, strict=False)
    )


def farthest(rows: Sequence[Table5Row]) -> str:
    """Where the rows are farthest from the paper, in words."""
    cells = [
        (abs(difference), difference, row.title, letter)
        for row in rows
        for letter, difference in zip(LETTERS, row.differences or (), strict=False)
    ]
    _, difference, title, letter = max(cells)
    mean = float(np.mean([cell[0] for cell in cells]))
    text = (
        f"at most {abs(difference):.1f} points from the paper ({title}, {letter}: "
        f"{'more' if difference > 0 else 'less'}), {mean:.1f} on average"
    )
    totals = [(row.correct - row.paper_correct, row.title) for row in rows if row.paper_correct is not None]
    if not totals:
        return text
    difference, title = max(totals, key=lambda total: abs(total[0]))
    more = "more" if difference > 0 else "less"
    return f"{text}; correct in total: at most {abs(difference):.1f} ({title}: {more})"


def to_json(table: Table5) -> dict[str, object]:
    """The table as JSON values."""
    majority = {
        name: {
            "right": found.right,
            "tied": found.tied,
            "right_without_ties": found.decided,
            "right_and_half_of_the_ties": found.half,
            "paper": paper.MAJORITY[name],
            "difference": majority_difference(name, found),
        }
        for name, found in table.majority.items()
    }
    return {
        "seeds": table.seeds,
        "aggregated": table.aggregated,
        "single_effort": [_json(row) for row in table.random],
        "single_effort_all_labels": [_json(row) for row in table.pooled],
        "gpt4_by_instruction": [_json(row) for row in table.instructions],
        "average": [_json(row) for row in table.average],
        "best": [_json(row) for row in table.best],
        "majority": majority,
        "figure_10": {
            name: dict(zip(map(str, SHARES_ANSWERED), counts, strict=True))
            for name, counts in table.answered.items()
        },
        "repeated_labels": {
            "answers": table.repeats.n_answers,
            "pairs": table.repeats.n_pairs,
            "agreed": table.repeats.agreed,
            "kappa": table.repeats.kappa,
            "paper_kappa": paper.AGREEMENT["answers"],
        },
        "notes": list(table.notes),
    }


def _json(row: Table5Row) -> dict[str, object]:
    def cells(values: tuple[float, ...] | None) -> dict[str, float] | None:
        return None if values is None else dict(zip(LETTERS, values, strict=True))

    return {
        "name": row.name,
        "title": row.title,
        "problems": row.n_problems,
        "labels": row.n_labels,
        "percent": cells(row.shares),
        "spread": cells(row.spread),
        "paper": cells(row.paper),
        "difference": cells(row.differences),
        "correct": row.correct,
        "correct_spread": row.spread_correct,
        "correct_paper": row.paper_correct,
        "correct_difference": None if row.paper_correct is None else row.correct - row.paper_correct,
    }
