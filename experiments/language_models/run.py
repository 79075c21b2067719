"""One run of a language model: questions out, replies in, answers read and scored, one record written."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import UserError
from ..data.wall import Wall
from ..progress import ProgressBars, Update
from ..records.provenance import dataset_entry, versions
from ..records.record import MetricEntry
from ..records.store import check_writable
from ..temporary_folder import remove_abandoned
from .bertscore import BertScore, packaged_stand_in
from .candidates import candidate_faults, chosen, proposed
from .chat import Answer, ChatModel, Json, Reply
from .connection_metrics import score_connections
from .connections import connection_answers
from .costs import Prices, spent
from .endpoint import Endpoint
from .faults import connection_faults, grouping_faults, reply_faults
from .grouping import grouping_answers, score_grouping
from .read_groups import Groups, padded
from .record import (
    SCHEMA,
    LanguageRecord,
    UsageEntry,
    find_language_record,
    language_record_name,
    read_language_record,
    write_language_record,
)
from .replied import all_replied
from .reply_cache import CachedChat
from .setting_up import Setup, asking_of
from .voting import voted

_PACKAGES = ("openai", "jinja2", "rouge-score", "bert-score")
# What a model says of itself that bears on no answer, or on its last digits alone.
_NOT_IN_NAME = {"device", "batch_size", "torch", "transformers"}


@dataclass(frozen=True, slots=True)
class LanguageOutcome:
    """A run's record, where it lies, and whether this call made it."""

    record: LanguageRecord
    folder: Path
    fresh: bool


def run_language_model(setup: Setup, bars: ProgressBars) -> LanguageOutcome:
    """Do a run and write its record, unless the record is there already.

    Raises
    ------
    UserError
        If the record cannot be written, the key or the model is missing, or requests failed: then no record
        is written, and what was answered is kept for the next time.

    """
    config = setup.config
    out = Path(config.out).expanduser()
    bert = _bertscore(setup)
    name = record_name(setup, bert)
    done = find_language_record(out, name)
    if done is not None:
        return LanguageOutcome(done, out / name, fresh=False)
    check_writable(out)
    remove_abandoned(out)
    inner = setup.model.model if isinstance(setup.model, CachedChat) else setup.model
    if isinstance(inner, Endpoint):
        inner.check()
    if bert is not None:
        with bars.step("bertscore", "loading the model of BERTScore"):
            _load(bert)
    with bars.step("ask", "asking the model") as update:
        answers = _asked(setup, update)
    n_walls = len(setup.walls)
    ids = [wall.wall_id for wall in setup.walls.walls]
    replies = all_replied(answers, ids * len(setup.requests), setup.model)
    by_run = [replies[start : start + n_walls] for start in range(0, len(replies), n_walls)]
    with bars.step("score", "reading and scoring"):
        metrics, faults, predictions = _scored(setup, by_run, bert)
    record = _record(setup, name, replies, metrics, faults, bert, bars.seconds)
    fresh = write_language_record(out, record, [_kept(setup, run) for run in by_run], predictions)
    return LanguageOutcome(record if fresh else read_language_record(out / name), out / name, fresh)


def described_for_name(model: ChatModel) -> dict[str, Json]:
    """What a record's name says of a model: what its answers depend on."""
    described = {key: value for key, value in model.describe().items() if key not in _NOT_IN_NAME}
    if "files" in described:
        del described["name"]  # the files say what it is
    return described


def record_name(setup: Setup, bert: BertScore | None) -> str:
    """The name of a run's record."""
    return language_record_name(
        {
            "task": setup.config.task,
            "model": described_for_name(setup.model),
            "asking": asdict(asking_of(setup.config.model)),
            "prompt": _sha256(setup.prompt.text),
            "examples": [
                [[group.connection, *group.clues] for group in wall.groups] for wall in setup.examples
            ],
            "dataset": setup.walls.fingerprint,
            "seeds": setup.config.seeds,
            "bertscore": None if bert is None else bert.hash,
            **_together(setup),
        }
    )


def _together(setup: Setup) -> dict[str, Json]:
    """What a record's name says of samples, hints, candidates and votes; nothing of those there are none of.

    Once there were none, and those runs keep their names.
    """
    config = setup.config
    found: dict[str, Json] = {}
    if config.samples > 1:
        found["samples"] = config.samples
    if config.candidates:
        found |= {"candidates": config.candidates, "weight": config.encoder_weight}
    if config.hints:
        found["hints"] = config.hints
    if config.vote != "none":
        found |= {"vote": config.vote, "weight": config.encoder_weight}
    if setup.view is not None:
        found["encoder"] = setup.view.identity
    return found


def _bertscore(setup: Setup) -> BertScore | None:
    if setup.config.task == 1 or setup.config.bertscore == "none":
        return None
    if setup.config.bertscore == "paper":
        return BertScore(prefix_space=setup.config.prefix_space)
    return packaged_stand_in()


def _load(bert: BertScore) -> None:
    """Load what BERTScore needs, before anything is asked and paid for."""
    try:
        bert.f1(["a"], ["a"])
    except UserError as error:
        raise UserError(f"{error}; or choose bertscore=minilm or bertscore=none") from error


def _asked(setup: Setup, update: Update) -> list[Answer]:
    requests = setup.all_requests
    count = 0

    def keep(place: int, answer: Answer) -> None:
        nonlocal count
        count += 1
        update(count, len(requests))

    return setup.model.complete(requests, keep)


def _scored(
    setup: Setup, by_run: Sequence[Sequence[Reply]], bert: BertScore | None
) -> tuple[dict[str, MetricEntry], dict[str, float], list[list[dict[str, Json]]]]:
    walls = setup.walls.walls
    values: dict[str, list[float]] = {}
    shares: dict[str, list[float]] = {}
    predictions = []
    answers = []
    for replies in by_run:
        found: dict[str, float] = {}
        if setup.config.task == 1:
            groups, faults = _grouped(setup, replies)
            answers.append(groups)
        else:
            named = connection_answers(walls, replies)
            true = [[group.connection for group in wall.groups] for wall in walls]
            found = score_connections(named, true, bert).summary()
            faults = connection_faults(walls, named)
            predictions.append(
                [_prediction(wall, None, each) for wall, each in zip(walls, named, strict=True)]
            )
        for name, value in found.items():
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


def _grouped(setup: Setup, replies: Sequence[Reply]) -> tuple[list[Groups], dict[str, float]]:
    """The groups that the replies of one run come to, and what is wrong with what they say."""
    walls, config = setup.walls.walls, setup.config
    if config.candidates:
        candidates = proposed(walls, replies, config.candidates)
        answers = chosen(walls, candidates, _gram(setup), config.encoder_weight)
        return answers, candidate_faults(walls, candidates, answers)
    answers = grouping_answers(walls, replies)
    return answers, grouping_faults(walls, answers)


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
        config=json.loads(json.dumps(asdict(config))),
        dataset=dataset_entry(config.dataset, setup.walls),
        model=setup.model.describe(),
        prompt={"source": setup.prompt.source, "sha256": _sha256(setup.prompt.text)},
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
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
