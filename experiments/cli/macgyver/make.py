"""``fourfold macgyver make``: new problems from a language model, made harder step by step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....errors import UserError
from ...terminal.writing import counted
from ..arguments import Parser
from ..commands import need
from .asking import PACKAGES, SETTINGS, json_lines, model_arguments, say_who, show_cost
from .made import PROBLEMS_FILE, claim, write_step
from .shared import folder, positive, whole

if TYPE_CHECKING:
    from ...macgyver.asking import ModelClient
    from ...macgyver.making import Batch, MakingPlan

DESCRIPTION = f"""\
Have a language model make problems as the MacGyver paper did: vanilla ones about a place or an activity; then
a solution to each and constraints that veto it; then five objects that do not help, in another order. Each
step is one question a batch of 15. The folder holds a file a step and problems.jsonl, which
'fourfold macgyver dedupe' and 'fourfold macgyver solve' read.

A list that comes back incomplete is asked for again; what is still missing then stays as the step before left
it, with a note. Problems that a step gives back unchanged, or that repeat another, are counted and marked.

{SETTINGS}"""

EPILOG = """\
examples:
  fourfold macgyver make --out made --batches 4 model.base_url=http://localhost:8000/v1 model.name=qwen
  fourfold macgyver make --out made --batches 52 model.name=gpt-4o --dry-run
"""


def main(words: Sequence[str]) -> int:
    """Ask, and write a file a step and the problems."""
    parser = Parser(prog="fourfold macgyver make", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--out", type=folder, required=True, metavar="DIR", help="the folder of what is made")
    parser.add_argument("--batches", type=positive, default=1, metavar="N", help="(default: 1)")
    parser.add_argument(
        "--size", type=positive, default=15, metavar="N", help="problems a batch (default: 15)"
    )
    parser.add_argument(
        "--distractors", type=positive, default=5, metavar="N", help="objects to add (default: 5)"
    )
    parser.add_argument(
        "--tries", type=positive, default=3, metavar="N", help="of a list that is incomplete (default: 3)"
    )
    parser.add_argument("--tags", type=folder, metavar="FILE", help="tags, one a line (default: the paper's)")
    parser.add_argument(
        "--seed", type=whole, default=0, metavar="N", help="of the order of the tags (default: 0)"
    )
    parser.add_argument(
        "--prompts", type=folder, metavar="DIR",
        help="templates of one's own: problems.jinja, solutions.jinja, constraints.jinja, distractors.jinja, "
        "recount.jinja, or some of them",
    )  # fmt: skip
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace what was made in the folder before, with other settings too",
    )
    parser.add_argument("--json", action="store_true", help="print what was done as one JSON object")
    model_arguments(parser)
    chosen = parser.parse_intermixed_args(words)
    need("macgyver make", PACKAGES, extra="llm")

    from ....conf.compose import compose_asking
    from ....conf.llm_schema import MakeConfig
    from ...macgyver.asking import SAMPLED, check_samples, open_client
    from ...macgyver.making import MakingPlan, first_questions, later_turns, make, open_batches
    from ...macgyver.prompting import making_prompts, tags
    from ...terminal.progress import ProgressBars, Step

    config = compose_asking(chosen.overrides, {**SAMPLED, "model.max_tokens": "4096"}, MakeConfig)
    plan = MakingPlan(
        making_prompts(chosen.prompts),
        tags(chosen.tags),
        chosen.batches,
        chosen.size,
        chosen.distractors,
        chosen.tries,
        chosen.seed,
    )
    shown = "tags" in plan.prompts["problems"].used
    if chosen.tags is not None and not shown:
        raise UserError(
            f"--tags {chosen.tags}, but {plan.prompts['problems'].source} does not show them: write "
            "{{ tags }} into it, or leave --tags out"
        )
    batches = open_batches(plan)
    fewer = "ask for no more batches than tags" if shown else "ask for one batch"
    check_samples(config, first_questions(plan, batches), fewer)
    found = open_client(config)
    if chosen.dry_run:
        requests = found.drawn(first_questions(plan, batches))
        later = later_turns(plan, batches, found.asking.max_tokens)
        show_cost(chosen, config, found, requests, later)
        if not chosen.json:
            print(f"(only {counted(3 * len(batches), 'request')} follow if every list is complete at once)")
        return 0
    claim(chosen.out, found, plan, batches, chosen.force)
    say_who(config, found)

    def done(step: str) -> None:
        write_step(chosen.out, step, found, plan, batches, chosen.force)

    with ProgressBars() as bars, bars.step("make", "asking the model") as step:

        def of_step(name: str) -> Step:
            step.label = f"asking for {name}, batches"
            return step

        make(found, plan, batches, done, of_step)
    return _finish(chosen.out, config, found, plan, batches, chosen.json)


def _finish(
    out: Path, config: Any, found: ModelClient, plan: MakingPlan, batches: Sequence[Batch], as_json: bool
) -> int:
    from ...files.text_file import write_text
    from ...macgyver.asking import reply_counts, reply_notes, spent_text
    from ...macgyver.making import CHANGING, problem_rows

    rows = problem_rows(found, plan, batches)
    if not rows:
        raise UserError(
            f"no list of problems was found in any reply after {plan.tries} tries: try another model or "
            "--prompts, into another --out"
        )
    write_text(out / PROBLEMS_FILE, json_lines(rows))
    whole_ones = [row for row in rows if row["note"] is None and not row["unchanged"]]
    unchanged = {step: sum(step in row["unchanged"] for row in rows) for step in CHANGING[1:]}
    duplicates = sum(row["duplicate_of"] is not None for row in rows)
    notes = [f"batch {batch.number}: {note}" for batch in batches for note in batch.notes]
    exact = sum(row["tools_added"] == plan.distractors for row in whole_ones)
    shuffled = sum(row["shuffled"] is True for row in whole_ones)
    if as_json:
        summary = {
            "out": str(out / PROBLEMS_FILE),
            "batches": len(batches),
            "problems": len(rows),
            "through_all_steps": len(whole_ones),
            "unchanged": unchanged,
            "duplicates": duplicates,
            "tools_added_as_asked": exact,
            "shuffled": shuffled,
            "asked": sum(not reply.cached for reply in found.replies),
            "kept": sum(reply.cached for reply in found.replies),
            **reply_counts(found.replies),
            "notes": notes,
        }
        print(json.dumps(summary, ensure_ascii=False))
        return 0
    print(
        f"{out / PROBLEMS_FILE}: {counted(len(rows), 'problem')}, "
        f"{len(whole_ones):,} of them changed by all steps"
    )
    for step, number in unchanged.items():
        if number:
            print(f'{number:,} came out of the step of {step} as they were ("unchanged" in the file)')
    if duplicates:
        print(
            f'{duplicates:,} repeat an earlier problem word for word ("duplicate_of" in the file): '
            "'fourfold macgyver dedupe' drops them, and those that are nearly the same"
        )
    print(
        f"as far as their tools can be read, {exact:,} have {plan.distractors} more and {shuffled:,} have "
        "them in another order"
    )
    for note in notes:
        print(note)
    for note in reply_notes(found.replies, found.model.name):
        print(note)
    print(spent_text(config, found))
    return 0
