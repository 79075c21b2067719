"""One run of a language model: questions out, replies in, answers read and scored, one record written."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, UserError
from ..data.wall import Wall
from ..files.temporary_folder import remove_abandoned
from ..llm.chat import ChatModel, Json, Reply
from ..llm.endpoint import Endpoint
from ..llm.parsing.groups import Groups, padded
from ..llm.parsing.question import Question
from ..llm.replies import CachedChat, all_replied
from ..llm.served import served_entry
from ..llm.usage import Following, Prices, counts_of, spent
from ..metrics.bertscore import BertScore
from ..metrics.connection_metrics import score_connections
from ..pipeline.encode import Shared
from ..runs.envelope import MetricEntry, UsageEntry
from ..runs.language_model.config import with_absolute_paths
from ..runs.language_model.naming import bertscore_of, record_name, sha256
from ..runs.language_model.record import (
    SCHEMA,
    LanguageRecord,
    find_language_record,
    read_language_record,
    write_language_record,
)
from ..runs.provenance import dataset_entry, versions
from ..runs.store import check_writable
from ..terminal.progress import ProgressBars, Update
from .connections import connection_answers
from .faults import connection_faults, copy_faults, grouping_faults, reply_faults, shown_faults
from .grouping import candidate_faults, chosen, grouping_answers, proposed, questions_of, score_grouping
from .prepare import Prepared, Setup, check_prompt, set_up
from .voting import voted

_PACKAGES = ("openai", "jinja2", "rouge-score", "bert-score")


@dataclass(frozen=True, slots=True)
class LanguageOutcome:
    """A run's record, where it lies, and whether this call made it."""

    record: LanguageRecord
    folder: Path
    fresh: bool


@dataclass(frozen=True, slots=True)
class LanguageResult:
    """What a run came to, as its record has it; ``n_kept`` of the replies were kept and not asked for."""

    record: LanguageRecord
    replies: list[list[dict[str, Json]]]
    predictions: list[list[dict[str, Json]]]
    n_kept: int


def run_language_model(
    prepared: Prepared, bars: ProgressBars, shared: Shared | None = None
) -> LanguageOutcome:
    """Do a run and write its record, unless the record is there already.

    ``shared`` keeps what the next run of this process may need too.

    Raises
    ------
    ModelError
        If the model cannot be loaded, or another request would fare no better than those that failed.
    UserError
        If the record cannot be written, the key is missing, or requests failed: then no record is written,
        and what was answered is kept for the next time.

    """
    shared = Shared() if shared is None else shared
    out = Path(prepared.config.out).expanduser()
    name = record_name(prepared)
    done = find_language_record(out, name)
    if done is not None:
        return LanguageOutcome(done, out / name, fresh=False)
    check_writable(out)
    remove_abandoned(out)
    made = compute_language_run(prepared, name, bars, shared)
    fresh = write_language_record(out, made.record, made.replies, made.predictions)
    return LanguageOutcome(made.record if fresh else read_language_record(out / name), out / name, fresh)


def check_ready(prepared: Prepared, shared: Shared) -> None:
    """Raise UserError where a run could not begin: what can be known before anything is asked or encoded."""
    config = prepared.config
    _check_key(prepared)
    check_prompt(prepared)
    bert = bertscore_of(config, shared)
    if bert is not None:
        shared.once("found", bert.model, lambda: _or_another(bert.find))
    if prepared.encoder is not None:
        from .hints import check_encoder

        shared.once("encoder", config.encoder, lambda: check_encoder(config.encoder, config.cache))


def compute_language_run(prepared: Prepared, name: str, bars: ProgressBars, shared: Shared) -> LanguageResult:
    """The work of a run; errors as of ``run_language_model``."""
    _check_key(prepared)
    bert = bertscore_of(prepared.config, shared)
    if bert is not None:
        with bars.step("bertscore", "loading the model of BERTScore"):
            _or_another(lambda: bert.f1(["a"], ["a"]))  # before anything is asked and paid for
    setup = set_up(prepared, bars, shared)
    before = counts_of(setup.model)
    with bars.step("ask", "asking the model") as update:
        replies = _replies(setup, update)
    n_walls = len(setup.walls)
    by_run = [replies[start : start + n_walls] for start in range(0, len(replies), n_walls)]
    with bars.step("score", "reading and scoring"):
        metrics, faults, predictions = _scored(setup, by_run, bert)
    record = _record(setup, name, replies, metrics, faults, bert, bars.seconds)
    record = replace(record, failures=counts_of(setup.model).failed_since(before))
    n_kept = sum(reply.cached for reply in replies)
    return LanguageResult(record, [_kept(setup, run) for run in by_run], predictions, n_kept)


def _or_another(have: Callable[[], object]) -> None:
    """Have what BERTScore needs, or say what else there is."""
    try:
        have()
    except UserError as error:
        raise UserError(f"{error}; or choose bertscore=minilm or bertscore=none") from error


def _check_key(prepared: Prepared) -> None:
    """Raise UserError where an endpoint's key is missing."""
    inner = _inner(prepared.model)
    if isinstance(inner, Endpoint):
        inner.check()


def _inner(model: ChatModel) -> ChatModel:
    """The model itself, behind what keeps its replies."""
    return model.model if isinstance(model, CachedChat) else model


def _replies(setup: Setup, update: Update) -> list[Reply]:
    """A reply to each request; ModelError where no other would fare better."""
    requests, settings = setup.all_requests, setup.config.model
    prices = Prices(settings.price_in, settings.price_out)
    following = Following(update, setup.model, prices).begin(len(requests))
    try:
        answers = setup.model.complete(requests, following.keep)
    except UserError as error:  # the model cannot be found or loaded
        raise ModelError(str(error)) from error
    ids = [wall.wall_id for wall in setup.walls.walls]
    try:
        return all_replied(answers, ids * len(setup.requests), setup.model)
    except UserError as error:
        inner = _inner(setup.model)
        if isinstance(inner, Endpoint) and inner.hopeless is not None:
            others = f"nothing was asked after another run's failure: {inner.hopeless}"
            hopeless = ModelError(str(error), others)
            hopeless.longest = error.longest
            raise hopeless from error
        raise


def _scored(
    setup: Setup, by_run: Sequence[Sequence[Reply]], bert: BertScore | None
) -> tuple[dict[str, MetricEntry], dict[str, float], list[list[dict[str, Json]]]]:
    walls = setup.walls.walls
    values: dict[str, list[float]] = {}
    shares: dict[str, list[float]] = {}
    predictions = []
    answers = []
    for replies, requests in zip(by_run, setup.requests, strict=True):
        summary: dict[str, float] = {}
        questions = questions_of(walls, requests)
        if setup.config.task == 1:
            groups, faults = _grouped(setup, replies, questions)
            answers.append(groups)
        else:
            named = connection_answers(walls, replies, questions)
            true = [[group.connection for group in wall.groups] for wall in walls]
            summary = score_connections(named, true, bert).summary()
            faults = connection_faults(walls, named)
            faults |= copy_faults(replies, questions, [any(each) for each in named])
            predictions.append(
                [_prediction(wall, None, each) for wall, each in zip(walls, named, strict=True)]
            )
        for name, value in summary.items():
            values.setdefault(name, []).append(value)
        for name, share in (faults | reply_faults(replies)).items():
            shares.setdefault(name, []).append(share)
    if setup.config.vote != "none":
        answers = [voted(walls, answers, setup.config.vote, _gram(setup), setup.config.encoder_weight)]
    for groups in answers:
        scores = score_grouping(walls, groups).per_seed()
        for name, runs in scores.items():
            values.setdefault(name, []).append(float(runs[0]))
        predictions.append([_prediction(*pair, None) for pair in zip(walls, groups, strict=True)])
    metrics = {
        name: MetricEntry(runs, float(np.mean(runs)), float(np.std(runs))) for name, runs in values.items()
    }
    return metrics, {name: float(np.mean(runs)) for name, runs in shares.items()}, predictions


def _grouped(
    setup: Setup, replies: Sequence[Reply], questions: Sequence[Question]
) -> tuple[list[Groups], dict[str, float]]:
    """The groups that the replies of one run come to, and what is wrong with what they say."""
    walls, config = setup.walls.walls, setup.config
    if config.candidates:
        candidates = proposed(walls, replies, config.candidates, questions)
        answers = chosen(walls, candidates, _gram(setup), config.encoder_weight)
        copies = copy_faults(replies, questions, [bool(each) for each in candidates])
        named = [[list(each.group) for each in proposal] for proposal in candidates]
        return answers, candidate_faults(walls, candidates, answers) | copies | shown_faults(questions, named)
    answers = grouping_answers(walls, replies, questions)
    copies = copy_faults(replies, questions, [bool(each) for each in answers])
    return answers, grouping_faults(walls, answers) | copies | shown_faults(questions, answers)


def _gram(setup: Setup) -> NDArray[np.float64] | None:
    return None if setup.view is None else setup.view.gram


def _prediction(wall: Wall, groups: Groups | None, connections: Sequence[str] | None) -> dict[str, Json]:
    """One wall as the paper's evaluator reads it."""
    return {
        "wall_id": wall.wall_id,
        "predicted_groups": None if groups is None else padded(groups),
        "predicted_connections": None if connections is None else list(connections),
        "gt_groups": [list(group.clues) for group in wall.groups],
        "gt_connections": [group.connection for group in wall.groups],
    }


def _kept(setup: Setup, replies: Sequence[Reply]) -> list[dict[str, Json]]:
    """The replies of one run, as the record keeps them."""
    return [
        {"wall_id": wall.wall_id, "text": reply.text, "finish": reply.finish}
        for wall, reply in zip(setup.walls.walls, replies, strict=True)
    ]


def _record(
    setup: Setup,
    name: str,
    replies: Sequence[Reply],
    metrics: dict[str, MetricEntry],
    faults: dict[str, float],
    bert: BertScore | None,
    seconds: dict[str, float],
) -> LanguageRecord:
    config = setup.config
    cost = spent(replies)
    prices = Prices(config.model.price_in, config.model.price_out)
    return LanguageRecord(
        schema=SCHEMA,
        name=name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        task=config.task,
        config=json.loads(json.dumps(asdict(with_absolute_paths(config)))),
        dataset=dataset_entry(config.dataset, setup.walls),
        model=setup.model.describe(),
        prompt={"source": setup.prompt.source, "sha256": sha256(setup.prompt.text)},
        examples=[wall.wall_id for wall in setup.examples],
        versions=versions() | {package: _version(package) for package in _PACKAGES},
        platform=platform.platform(),
        timings={step: round(taken, 4) for step, taken in seconds.items()},
        n_seeds=len(setup.requests) if config.vote == "none" else 1,
        metrics=metrics,
        faults=faults,
        structured=sum(reply.structured for reply in replies) / len(replies),
        usage=UsageEntry(
            read=cost.usage.prompt,
            written=cost.usage.completion,
            paid_read=cost.paid.prompt,
            paid_written=cost.paid.completion,
            unknown=cost.unknown,
            cost=prices.cost(cost.paid),
        ),
        bertscore=None if bert is None else bert.hash,
        encoder={} if setup.view is None else setup.view.described,
        served=served_entry(replies),
    )


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
