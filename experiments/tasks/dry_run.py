"""What runs would ask, what that would cost and how long it would take, without asking anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from ...conf.llm_schema import LanguageRunConfig
from ..llm.chat import ChatModel, ChatRequest, Json, Usage, request_key
from ..llm.local import LocalChat
from ..llm.replies import CachedChat
from ..llm.usage import Estimate, Prices, estimate
from ..runs.language_model.record import LanguageRecord
from ..runs.language_model.titles import find_language_records, samples_of
from .prepare import Setup


@dataclass(frozen=True, slots=True)
class Left:
    """What a run has left to ask, at most what it costs where prices are known, and how much is kept.

    ``seconds`` is how long that takes, and ``pace`` in words what tells so.
    """

    estimate: Estimate
    cost: float | None
    n_kept: int
    seconds: float | None = None
    pace: str = ""


class DryRun:
    """Goes through runs in their order: where replies are kept, a request of several runs counts once."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._counters: dict[str, ChatModel] = {}
        self._speeds: dict[str, Speed] = {}
        self._records: dict[str, list[LanguageRecord]] = {}

    def left(self, setup: Setup) -> Left:
        """What is left after the runs before; UserError if the tokenizer that counts cannot be had."""
        requests, model, settings = setup.all_requests, setup.model, setup.config.model
        left = requests
        if isinstance(model, CachedChat):
            described = model.describe()
            keys = [f"{model.folder} {request_key(described, request)}" for request in requests]
            stored = [reply is not None for reply in model.kept(requests)]
            new = dict(zip(keys, zip(requests, stored, strict=True), strict=True))
            left = [new[key][0] for key in new if not new[key][1] and key not in self._seen]
            self._seen.update(keys)
        counter = model
        if settings.tokenizer is not None:
            counter = self._counters.setdefault(settings.tokenizer, LocalChat(settings.tokenizer))
        costs = estimate(counter, left)
        cost = Prices(settings.price_in, settings.price_out).cost(costs.usage)
        speed = self._speed(setup)
        seconds = None if speed is None else speed.seconds * len(left)
        return Left(costs, cost, len(requests) - len(left), seconds, "" if speed is None else speed.source)

    def _speed(self, setup: Setup) -> Speed | None:
        """How fast the model answers, from its records, its kept replies, or those of a run before."""
        config = setup.config
        key = f"{config.task} {config.candidates} {config.model}"
        if config.out not in self._records:
            self._records[config.out] = records_in(config.out)
        speed = speed_of_records(self._records[config.out], config, setup.model.describe())
        speed = speed or speed_of_kept(setup.model, setup.all_requests) or self._speeds.get(key)
        if speed is not None:
            self._speeds[key] = speed
        return speed


def total(runs: Sequence[Left]) -> Left:
    """All runs together; the cost only where that of each is known. At least one run."""
    usage = Usage()
    for run in runs:
        usage += run.estimate.usage
    open_runs = [run for run in runs if run.estimate.n_requests] or runs
    how = " or ".join(dict.fromkeys(run.estimate.how for run in open_runs))
    costs = [run.cost for run in open_runs]
    known = [cost for cost in costs if cost is not None]
    return Left(
        Estimate(sum(run.estimate.n_requests for run in runs), usage, how),
        sum(known) if len(known) == len(costs) else None,
        sum(run.n_kept for run in runs),
        sum(run.seconds or 0 for run in runs) if all(run.seconds is not None for run in open_runs) else None,
        " and ".join(dict.fromkeys(run.pace for run in open_runs)),
    )


# Kept replies tell a pace if there are so many, over so many seconds: fewer are chance, and a copied folder
# has all of them at once.
_FEWEST, _SHORTEST = 8, 5.0
_PAUSE, _LONG = 60.0, 20.0  # seconds, and medians, between two replies above which nobody was asked
# What the pace of a run depends on, beside the model and how long its answers may be.
_SETTINGS = ("concurrency", "batch_size", "device", "dtype", "max_tokens", "structured", "extra")


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds a request, and what tells so."""

    seconds: float
    source: str


def speed_of_kept(model: ChatModel, requests: Sequence[ChatRequest]) -> Speed | None:
    """The pace at which those of these requests were answered whose replies are kept; None if unknown.

    Between two replies more than a minute and twenty times the median apart, the run was stopped.
    """
    if not isinstance(model, CachedChat):
        return None
    times = sorted(model.arrivals(requests))
    gaps = [later - earlier for earlier, later in pairwise(times)]
    if len(times) < _FEWEST:
        return None
    longest = max(_PAUSE, _LONG * median(gaps))
    counted = [gap for gap in gaps if gap <= longest]
    if sum(counted) < _SHORTEST:
        return None
    return Speed(sum(counted) / len(counted), f"the {len(times):,} replies of it that are kept")


def records_in(out: str) -> list[LanguageRecord]:
    """The records that can be read of a folder that may not be there."""
    folder = Path(out).expanduser()
    return [record for _, record in find_language_records([folder]).records] if folder.is_dir() else []


def speed_of_records(
    records: Sequence[LanguageRecord], config: LanguageRunConfig, described: Mapping[str, Json]
) -> Speed | None:
    """The pace of the newest record of the same model, asked in the same way for the same task."""
    paces = []
    for record in records:
        theirs = record.config.get("model", {})
        same = all(theirs.get(key) == getattr(config.model, key) for key in _SETTINGS)
        alike = record.task == config.task and record.config.get("candidates") == config.candidates
        seconds = _seconds(record)
        if same and alike and record.model == described and seconds is not None:
            paces.append((record.created, Speed(seconds, f"the record {record.name}")))
    return max(paces, key=lambda each: each[0])[1] if paces else None


def _seconds(record: LanguageRecord) -> float | None:
    """Seconds a request that a record's run paid for; None where it does not say how many those were."""
    usage, spent = record.usage, record.timings.get("ask")
    orders = record.config.get("seeds", 1) if record.task == 1 else 1
    n_replies = record.dataset.n_walls * orders * samples_of(record)
    if spent is None or usage.unknown or not usage.written:
        return None
    paid = n_replies * usage.paid_written / usage.written
    return spent / paid if paid >= _FEWEST else None
