"""``fourfold macgyver solve``: a language model's answers to problems."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ....errors import UserError
from ...terminal.writing import counted
from ..arguments import Parser
from ..commands import need
from .asking import PACKAGES, SETTINGS, json_lines, model_arguments, say_who, show_cost
from .shared import folder, positive

if TYPE_CHECKING:
    from ...macgyver.solving import Question

DESCRIPTION = f"""\
Have a language model solve problems, and read from its answers whether they call them solvable, unsolvable or
in need of clarification. What gives no verdict and is not a plan for its problem is unread. Answers go to one
file, as JSON lines with their replies.

strategies:
  vanilla     one question, one answer
  reflection  then, as long as the model finds something to change, check and change the answer step by step;
              where it says that no change is needed, the answer before it stands, whatever else it gives
  divergent   first what each tool affords, then the answer

{SETTINGS}"""

EPILOG = """\
examples:
  fourfold macgyver solve --problems MacGyver/data model.base_url=http://localhost:8000/v1 model.name=qwen
  fourfold macgyver solve --problems new.jsonl --strategy reflection --answers 4 model.name=gpt-4o --dry-run
"""


def main(words: Sequence[str]) -> int:
    """Ask, and write the answers."""
    parser = Parser(prog="fourfold macgyver solve", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument(
        "--problems", type=folder, required=True, metavar="PATH",
        help="a file of problems (.txt, .json, .jsonl, .xlsx, .parquet, .csv), or the folder of the MacGyver "
        "files",
    )  # fmt: skip
    parser.add_argument(
        "--strategy", choices=("vanilla", "reflection", "divergent"), default="vanilla",
        help="(default: vanilla)",
    )  # fmt: skip
    parser.add_argument(
        "--answers", type=positive, default=1, metavar="N",
        help="to each problem, each by an instruction of its own as far as there are so many (default: 1)",
    )  # fmt: skip
    parser.add_argument("--rounds", type=positive, metavar="N", help="of reflection at most (default: 4)")
    parser.add_argument("--limit", type=positive, metavar="N", help="the first so many problems, for a trial")
    parser.add_argument("--field", metavar="NAME", help="the column of the problems (default: Problem, text)")
    parser.add_argument("--prompt", type=folder, metavar="FILE", help="a Jinja template for the question")
    parser.add_argument(
        "--reflection-prompt", type=folder, metavar="FILE", help="a Jinja template for the reflection"
    )
    parser.add_argument(
        "--instructions", type=folder, metavar="FILE", help="instructions, one a line, for several answers"
    )
    parser.add_argument(
        "--out", type=folder, default=Path("answers.jsonl"), metavar="FILE", help="(default: answers.jsonl)"
    )
    parser.add_argument("--force", action="store_true", help="replace that file if it is there")
    parser.add_argument("--json", action="store_true", help="print what was done as one JSON object")
    model_arguments(parser)
    chosen = parser.parse_intermixed_args(words)
    need("macgyver solve", PACKAGES, extra="llm")
    if chosen.strategy != "reflection" and (chosen.rounds or chosen.reflection_prompt):
        raise UserError("--rounds and --reflection-prompt are for --strategy reflection: leave them out")

    from ....conf.compose import compose_asking
    from ...files.text_file import write_text
    from ...macgyver.asking import SAMPLED, asked, check_samples, reply_counts, reply_notes, spent_text
    from ...macgyver.prompting import instructions, task_prompt
    from ...macgyver.solving import ROUNDS, Plan, later_turns, open_attempts, rows, solve
    from ...terminal.progress import ProgressBars, Step
    from .shared import check_output

    read = (chosen.problems, chosen.prompt, chosen.reflection_prompt, chosen.instructions)
    check_output(chosen.out, chosen.force or chosen.dry_run, read)
    config = compose_asking(chosen.overrides, SAMPLED)
    lines = instructions(chosen.instructions)
    reflects = chosen.strategy == "reflection"
    plan = Plan(
        chosen.strategy,
        task_prompt("divergent" if chosen.strategy == "divergent" else "vanilla", chosen.prompt),
        task_prompt("reflection", chosen.reflection_prompt, "--reflection-prompt ") if reflects else None,
        lines,
        chosen.answers,
        chosen.rounds or ROUNDS,
    )
    shown = "instruction" in plan.first.used
    if chosen.instructions is not None and not shown:
        raise UserError(
            f"--instructions {chosen.instructions}, but {plan.first.source} does not show them: write "
            "{{ instruction }} into it, or leave one of the two out"
        )
    questions = _questions(chosen.problems, chosen.field)[: chosen.limit]
    attempts = open_attempts(plan, questions)
    fewer = "ask for no more answers than instructions" if shown else "ask for one answer"
    for first in range(0, len(attempts), plan.answers):
        check_samples(config, (each.messages for each in attempts[first : first + plan.answers]), fewer)
    found = asked(config)
    if chosen.dry_run:
        requests = found.drawn(each.messages for each in attempts)
        show_cost(chosen, config, found, requests, later_turns(found, plan, attempts))
        return 0
    say_who(config, found)
    with ProgressBars() as bars, bars.step("solve", "asking the model") as step:

        def of_round(number: int) -> Step:
            step.label = f"reflecting, round {number} of {plan.rounds}" if number else step.label
            return step

        solve(found, plan, attempts, of_round)
    made = rows(found, plan, attempts)
    write_text(chosen.out, json_lines(made))
    counts = Counter(str(row["solvability"]) for row in made)
    unsettled = sum(not row["settled"] for row in made)
    changed = sum(row["changes"] > 0 for row in made)
    contradictions = sum(row["contradictions"] for row in made)
    if chosen.json:
        summary = {
            "out": str(chosen.out),
            "problems": len(questions),
            "answers": len(made),
            "solvability": dict(counts),
            "unsettled": unsettled,
            "changed": changed,
            "contradictions": contradictions,
            "asked": sum(not reply.cached for reply in found.replies),
            "kept": sum(reply.cached for reply in found.replies),
            **reply_counts(found.replies),
        }
        print(json.dumps(summary, ensure_ascii=False))
        return 0
    shares = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.most_common())
    print(f"{chosen.out}: {counted(len(made), 'answer')} to {counted(len(questions), 'problem')}: {shares}")
    if reflects:
        print(f"reflection changed {changed:,} of them")
    if contradictions:
        print(
            f"{counted(contradictions, 'reflection')} said that no change is needed and gave another answer: "
            "the answer before it stands"
        )
    if unsettled:
        print(f"{counted(unsettled, 'answer')} still to be changed after {plan.rounds} rounds")
    for note in reply_notes(found.replies, found.model.name):
        print(note)
    print(spent_text(config, found))
    return 0


def _questions(path: Path, field: str | None) -> list[Question]:
    from ...macgyver.problem_texts import check_field, read_texts
    from ...macgyver.readers import PROBLEMS, find_file, read_problems
    from ...macgyver.solving import Question

    if path.is_dir():
        if field is not None:
            raise UserError("--field is for a file of problems: leave it out for the MacGyver files")
        return [Question(str(one.id), one.text) for one in read_problems(find_file(path, PROBLEMS))]
    check_field((path,), field)
    found = []
    for problem in read_texts(path, field):
        names = {name.strip().casefold(): value for name, value in (problem.row or {}).items()}
        given = names.get("id")
        found.append(Question(str(problem.place if given is None else given), problem.text))
    return found
