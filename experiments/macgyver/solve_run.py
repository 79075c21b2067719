"""A run of ``fourfold macgyver solve`` from its settings to its answers and their record."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ...conf.llm_schema import AskConfig, LanguageModelConfig
from ...errors import UserError
from ..llm.chat import Json
from ..llm.served import served_entry
from ..runs.envelope import DatasetEntry, UsageEntry
from ..runs.language_model.naming import described_for_name
from ..runs.macgyver.record import (
    SCHEMA,
    MacGyverRecord,
    macgyver_name,
    problems_fingerprint,
    verdict_shares,
)
from ..runs.provenance import versions
from ..terminal.progress import ProgressBars, Step
from .asking import ModelClient, check_samples, open_client, recorded
from .problem_texts import check_field, read_texts
from .prompting import instructions, task_prompt
from .readers import PROBLEMS, find_file, read_problems
from .solving import ROUNDS, Attempt, OpenProblem, SolvingPlan, answer_rows, open_attempts, solve_attempts

VERDICTS = ("solvable", "unsolvable", "needs_clarification", "unread")


@dataclass(frozen=True)
class SolveSettings:
    """What a run is asked to do; paths as the user gave them."""

    model: LanguageModelConfig
    problems: str
    strategy: str = "vanilla"
    answers: int = 1
    rounds: int = ROUNDS  # of reflection, at most
    field: str | None = None  # the column of the problems
    limit: int | None = None  # the first so many problems
    prompt: str | None = None
    reflection_prompt: str | None = None
    instructions: str | None = None
    cache: str = "true"

    @property
    def asking(self) -> AskConfig:
        """Which model is asked, and how."""
        return AskConfig(model=self.model, cache=self.cache)


@dataclass(frozen=True, slots=True)
class PreparedSolving:
    """A run before its work: nobody is asked yet."""

    settings: SolveSettings
    plan: SolvingPlan
    questions: Sequence[OpenProblem]
    attempts: Sequence[Attempt]
    client: ModelClient
    fingerprint: str  # of the problems


@dataclass(frozen=True, slots=True)
class SolveResult:
    """The answers, a row each as their file has them, and the run's record."""

    rows: list[dict[str, Json]]
    record: MacGyverRecord


def prepare_solving(settings: SolveSettings) -> PreparedSolving:
    """Read problems and templates; UserError where they cannot be used, or equal questions cannot differ."""
    config = settings.asking
    paths = [None if name is None else Path(name).expanduser() for name in (
        settings.prompt, settings.reflection_prompt, settings.instructions
    )]  # fmt: skip
    reflects = settings.strategy == "reflection"
    plan = SolvingPlan(
        settings.strategy,
        task_prompt("divergent" if settings.strategy == "divergent" else "vanilla", paths[0]),
        task_prompt("reflection", paths[1], "--reflection-prompt ") if reflects else None,
        instructions(paths[2]),
        settings.answers,
        settings.rounds,
    )
    shown = "instruction" in plan.first.used
    if settings.instructions is not None and not shown:
        raise UserError(
            f"--instructions {settings.instructions}, but {plan.first.source} does not show them: write "
            "{{ instruction }} into it, or leave one of the two out"
        )
    questions = _questions(Path(settings.problems).expanduser(), settings.field)[: settings.limit]
    attempts = open_attempts(plan, questions)
    fewer = "ask for no more answers than instructions" if shown else "ask for one answer"
    for first in range(0, len(attempts), plan.answers):
        check_samples(config, (each.messages for each in attempts[first : first + plan.answers]), fewer)
    fingerprint = problems_fingerprint([(question.id, question.text) for question in questions])
    return PreparedSolving(settings, plan, questions, attempts, open_client(config), fingerprint)


def solve_run(prepared: PreparedSolving, bars: ProgressBars) -> SolveResult:
    """Ask until every attempt has its answer; UserError if requests failed."""
    plan = prepared.plan
    with bars.step("solve", "asking the model") as step:

        def of_round(number: int) -> Step:
            step.label = f"reflecting, round {number} of {plan.rounds}" if number else step.label
            return step

        solve_attempts(prepared.client, plan, prepared.attempts, of_round)
    made = answer_rows(prepared.client, plan, prepared.attempts)
    return SolveResult(made, _record(prepared, made, bars.seconds))


def written_answers(result: SolveResult) -> str:
    """The answers as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in result.rows)


def _record(
    prepared: PreparedSolving, made: Sequence[dict[str, Json]], seconds: dict[str, float]
) -> MacGyverRecord:
    settings, plan, model = prepared.settings, prepared.plan, prepared.client.model
    templates = [plan.first] if plan.reflection is None else [plan.first, plan.reflection]
    prompts: dict[str, Json] = {template.task: recorded(template) for template in templates}
    plain = json.loads(json.dumps(asdict(_with_absolute_paths(settings))))
    kept = ("strategy", "answers", "rounds")
    verdicts = [(attempt.number, attempt.solvability.value) for attempt in prepared.attempts]
    spent = prepared.client.spent
    return MacGyverRecord(
        schema=SCHEMA,
        name=macgyver_name(
            {
                "model": described_for_name(model),
                "asking": asdict(prepared.client.asking),
                "prompts": prompts,
                "instructions": list(plan.instructions) if "instruction" in plan.first.used else [],
                "problems": prepared.fingerprint,
                **{key: plain[key] for key in kept},
            }
        ),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        config=plain,
        dataset=DatasetEntry(
            name=Path(settings.problems).stem, path=plain["problems"], split=None, layout="problems",
            fingerprint=prepared.fingerprint, n_walls=len(prepared.questions), n_points=1, n_groups=1,
            human=None,
        ),
        model=model.describe(),
        prompts=prompts,
        versions=versions(),
        platform=platform.platform(),
        timings={step: round(taken, 4) for step, taken in seconds.items()},
        n_seeds=plan.answers,
        metrics=verdict_shares(verdicts, VERDICTS, plan.answers),
        usage=UsageEntry(
            spent.usage.prompt, spent.usage.completion, spent.paid.prompt, spent.paid.completion,
            spent.unknown, prepared.client.prices.cost(spent.paid),
        ),
        served=served_entry(prepared.client.replies),
    )  # fmt: skip


def _with_absolute_paths(settings: SolveSettings) -> SolveSettings:
    def absolute(path: str | None) -> str | None:
        return None if path is None else str(Path(path).expanduser().absolute())

    cache = settings.cache
    return replace(
        settings,
        problems=str(Path(settings.problems).expanduser().absolute()),
        prompt=absolute(settings.prompt),
        reflection_prompt=absolute(settings.reflection_prompt),
        instructions=absolute(settings.instructions),
        cache=cache if cache.strip().lower() in ("true", "false") else str(absolute(cache)),
    )


def _questions(path: Path, field: str | None) -> list[OpenProblem]:
    if path.is_dir():
        if field is not None:
            raise UserError("--field is for a file of problems: leave it out for the MacGyver files")
        return [OpenProblem(str(one.id), one.text) for one in read_problems(find_file(path, PROBLEMS))]
    check_field((path,), field)
    questions = []
    for problem in read_texts(path, field):
        names = {name.strip().casefold(): value for name, value in (problem.row or {}).items()}
        given = names.get("id")
        questions.append(OpenProblem(str(problem.place if given is None else given), problem.text))
    return questions
