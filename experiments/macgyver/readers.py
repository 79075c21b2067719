"""Reads the three files of the MacGyver release, as they are or as JSON, JSON lines, Parquet or CSV.

| file | columns |
|---|---|
| ``problem_solution_pair`` | ID, Problem, Solvable?, Unconventional?, Solution, Label |
| ``additional_human_solutions`` | ID, Problem, Solvable?, Solution |
| ``benchmark_results`` | ID, model, annotation, solution; in JSON also an object of answers by ID |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from ...errors import UserError
from ..data.document import Node, Number, load, shown
from .problem import SOLVABLE_LABELS, UNSOLVABLE_LABELS, Answer, Category, HumanSolution, Problem
from .rows import ENDINGS, read_rows

T = TypeVar("T")

PROBLEMS = "problem_solution_pair"
HUMAN_SOLUTIONS = "additional_human_solutions"
BENCHMARK = "benchmark_results"


@dataclass(frozen=True, slots=True)
class Release:
    """The whole release; problems in the order of their file."""

    problems: tuple[Problem, ...]
    human_solutions: tuple[HumanSolution, ...]
    answers: tuple[Answer, ...]

    def texts(self) -> dict[int, str]:
        """Each problem's text, by its ID."""
        return {problem.id: problem.text for problem in self.problems}

    def solvable(self) -> dict[int, bool]:
        """Whether each problem can be solved, by its ID."""
        return {problem.id: problem.solvable for problem in self.problems}


def read_release(folder: Path) -> Release:
    """Read the three files in a folder.

    Raises
    ------
    UserError
        In one line that names file, row and field, if one is not there, has a fault, or speaks of a problem
        that the file of problems does not hold.

    """
    paths = [find_file(folder, name) for name in (PROBLEMS, HUMAN_SOLUTIONS, BENCHMARK)]
    problems = read_problems(paths[0])
    known = {problem.id for problem in problems}
    human_solutions, answers = read_human_solutions(paths[1]), read_answers(paths[2])
    for path, ids in ((paths[1], human_solutions), (paths[2], answers)):
        strange = sorted({one.problem_id for one in ids} - known)
        if strange:
            raise UserError(
                f"{path}: got the ID {strange[0]}, expected one that {paths[0].name} holds; take both from "
                "one release"
            )
    return Release(problems, human_solutions, answers)


def find_file(folder: Path, name: str) -> Path:
    """The file of that name in a folder, whatever its format; UserError where there is none, or two."""
    if not folder.is_dir():
        what = "a file" if folder.exists() else "no such folder"
        raise UserError(f"--data {folder}: got {what}, expected the folder of the MacGyver files")
    found = [path for ending in ENDINGS if (path := folder / f"{name}{ending}").is_file()]
    if not found:
        raise UserError(
            f"--data {folder}: got no {name} there, expected it as {', '.join(ENDINGS)}: fetch the files "
            "from https://github.com/allenai/MacGyver"
        )
    if len(found) > 1:
        raise UserError(f"{folder} holds {found[0].name} and {found[1].name}: keep one of the two")
    return found[0]


def read_problems(path: Path) -> tuple[Problem, ...]:
    """The problems with their gold solutions; UserError in one line if something is wrong."""
    columns = ("ID", "Problem", "Solvable?", "Unconventional?", "Solution", "Label")
    problems: list[Problem] = []
    seen: dict[int, str] = {}
    for row in read_rows(path, columns):
        problem = _problem(row)
        if problem.id in seen:
            row.get("ID").fail(
                f"the ID {problem.id} again, as in {seen[problem.id]}", "each once", "remove one"
            )
        seen[problem.id] = row.wall
        problems.append(problem)
    return _some(problems, path, "problems")


def _problem(row: Node) -> Problem:
    number = _id(row.get("ID"))
    text = row.get("Problem").text("a problem")
    solvable = _yes(row.get("Solvable?"))
    unconventional = None
    kind = row.get("Unconventional?")
    if solvable:
        unconventional = _choice(kind, {"unconventional": True, "conventional": False})
    elif str(kind.value or "").strip() not in ("", "N/A"):
        kind.fail(shown(kind.value), "N/A, since the problem is said to be unsolvable", "correct one of them")
    labels = SOLVABLE_LABELS if solvable else UNSOLVABLE_LABELS
    label = row.get("Label")
    if label.value is None:
        label = replace(label, value="none")
    return Problem(
        number, text, solvable, unconventional, row.get("Solution").text("a solution"), _one_of(label, labels)
    )


def read_human_solutions(path: Path) -> tuple[HumanSolution, ...]:
    """What people wrote beyond the gold solutions; UserError in one line if something is wrong."""
    rows = read_rows(path, ("ID", "Problem", "Solvable?", "Solution"))
    found = [
        HumanSolution(
            _id(row.get("ID")),
            row.get("Problem").text("a problem"),
            _yes(row.get("Solvable?")),
            row.get("Solution").text("a solution"),
        )
        for row in rows
    ]
    return _some(found, path, "solutions")


def read_answers(path: Path) -> tuple[Answer, ...]:
    """The judged answers of the benchmark, in the order of their file; UserError if something is wrong."""
    root = load(path) if path.suffix.lower() == ".json" else None
    if root is not None and not isinstance(root.value, list):
        found = []
        for key in root.keys("an object with a list of answers for each ID"):
            number = _id(replace(root, value=key).in_wall(f"problem {key}"))
            for place, answer in enumerate(root.get(key).items("answers"), 1):
                found.append(_answer(number, answer.in_wall(f"problem {key}, answer {place}")))
    else:
        rows = read_rows(path, ("ID", "model", "annotation", "solution"))
        found = [_answer(_id(row.get("ID")), row) for row in rows]
    return _some(found, path, "answers")


def _answer(problem_id: int, node: Node) -> Answer:
    label = node.find("annotation")
    categories = [category.value for category in Category]
    return Answer(
        problem_id,
        node.get("model").text("a model"),
        None if label is None else Category(_one_of(label, categories)),
        node.get("solution").text("a solution"),
    )


def _id(node: Node) -> int:
    """An ID, which Excel files and JSON's keys hold as text."""
    if isinstance(node.value, str) and node.value.strip().isdecimal():
        node = replace(node, value=Number(node.value.strip()))
    return node.integer("an ID", 0)


def _yes(node: Node) -> bool:
    return _choice(node, {"yes": True, "no": False})


def _choice(node: Node, choices: dict[str, bool]) -> bool:
    """A word that stands for true or false; JSON's own true and false are taken as they are."""
    if isinstance(node.value, bool):
        return node.value
    word = str(node.value).strip().casefold()
    if word not in choices:
        node.fail(shown(node.value), " or ".join(choices), "correct it")
    return choices[word]


def _one_of(node: Node, names: tuple[str, ...] | list[str]) -> str:
    word = node.text("a label").strip()
    if word not in names:
        node.fail(shown(word), ", ".join(names[:-1]) + f" or {names[-1]}", "correct it")
    return word


def _some(found: list[T], path: Path, what: str) -> tuple[T, ...]:
    if not found:
        raise UserError(f"{path}: got no {what}, expected at least one; check that the file is whole")
    return tuple(found)
