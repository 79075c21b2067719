"""``fourfold macgyver solve``: a language model's answers to problems."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ....errors import UserError
from ...terminal.writing import counted
from ..arguments import Parser
from ..commands import need
from .asking import PACKAGES, SETTINGS, model_arguments, say_who, show_cost
from .shared import folder, positive

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
  fourfold macgyver solve --problems new.jsonl --records runs model.name=gpt-4o
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
    parser.add_argument(
        "--records", type=folder, metavar="DIR",
        help="keep a record in this folder too, which 'fourfold runs' lists and compares and 'fourfold run "
        "--from' repeats",
    )  # fmt: skip
    parser.add_argument("--force", action="store_true", help="replace that file if it is there")
    parser.add_argument("--json", action="store_true", help="print what was done as one JSON object")
    model_arguments(parser)
    chosen = parser.parse_intermixed_args(words)
    need("macgyver solve", PACKAGES, extra="llm")
    if chosen.strategy != "reflection" and (chosen.rounds or chosen.reflection_prompt):
        raise UserError("--rounds and --reflection-prompt are for --strategy reflection: leave them out")

    from ....conf.compose import compose_asking
    from ...files.text_file import write_text
    from ...macgyver.asking import SAMPLED, reply_counts, reply_notes, spent_text
    from ...macgyver.solve_run import SolveSettings, prepare_solving, solve_run, written_answers
    from ...macgyver.solving import ROUNDS, later_turns
    from ...runs.macgyver.record import write_macgyver_record
    from ...runs.store import check_writable
    from ...terminal.progress import ProgressBars
    from .shared import check_output

    read = (chosen.problems, chosen.prompt, chosen.reflection_prompt, chosen.instructions)
    check_output(chosen.out, chosen.force or chosen.dry_run, read)
    if chosen.records is not None and not chosen.dry_run:
        check_writable(chosen.records)
    config = compose_asking(chosen.overrides, SAMPLED)
    reflects = chosen.strategy == "reflection"
    prompt, reflection_prompt, lines = (None if path is None else str(path) for path in read[1:])
    settings = SolveSettings(
        config.model, str(chosen.problems), chosen.strategy, chosen.answers, chosen.rounds or ROUNDS,
        chosen.field, chosen.limit, prompt, reflection_prompt, lines, config.cache,
    )  # fmt: skip
    prepared = prepare_solving(settings)
    plan, found, questions = prepared.plan, prepared.client, prepared.questions
    if chosen.dry_run:
        requests = found.drawn(each.messages for each in prepared.attempts)
        show_cost(chosen, config, found, requests, later_turns(found, plan, prepared.attempts))
        return 0
    say_who(config, found)
    with ProgressBars() as bars:
        result = solve_run(prepared, bars)
    made = result.rows
    write_text(chosen.out, written_answers(result))
    if chosen.records is not None:
        write_macgyver_record(chosen.records, result.record, written_answers(result))
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
    if chosen.records is not None:
        print(f"record: {chosen.records / result.record.name}")
    return 0
