"""What the MacGyver files hold, as values: problems, people's solutions and judged answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

# What GPT-4's answer to a problem was found to be; "none" where the release says nothing.
SOLVABLE_LABELS = ("efficient", "inefficient", "infeasible", "none")
UNSOLVABLE_LABELS = ("correct_right_reason", "correct_wrong_reason", "wrong_solution", "none")


class Category(Enum):
    """The six kinds of answer of the paper's section 4.3, by the name that the release gives each."""

    A = "correct_efficient"
    B = "correct_inefficient"
    C = "correct_unsolvable"
    D = "wrong_partial_correct"
    E = "wrong_entire_wrong_solution"
    F = "wrong_fail_solvability_status"

    @property
    def correct(self) -> bool:
        """Whether the answer is right: A, B or C."""
        return self.name in "ABC"

    @property
    def title(self) -> str:
        """What the paper's Table 5 calls it."""
        return _TITLES[self.name]


_TITLES = {
    "A": "efficient",
    "B": "less efficient",
    "C": "unsolvable",
    "D": "partial",
    "E": "mostly wrong",
    "F": "fail to identify",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with its gold solution; ``unconventional`` is None where it is unsolvable."""

    id: int
    text: str
    solvable: bool
    unconventional: bool | None
    solution: str
    label: str


@dataclass(frozen=True, slots=True)
class HumanSolution:
    """What one person wrote to a problem, beyond the gold solution."""

    problem_id: int
    problem: str
    solvable: bool
    solution: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's or a person's answer with its label; ``category`` is None where the label is missing."""

    problem_id: int
    model: str
    category: Category | None
    solution: str
