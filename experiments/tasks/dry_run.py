"""What runs would ask and what that would cost, without asking anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..llm.chat import ChatModel, Usage, request_key
from ..llm.local import LocalChat
from ..llm.replies import CachedChat
from ..llm.usage import Estimate, Prices, estimate
from ..runs.language_model.record import LanguageRecord
from .setting_up import Setup
from .time_needed import Speed, records_in, speed_of_kept, speed_of_records


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
            kept = [reply is not None for reply in model.kept(requests)]
            new = dict(zip(keys, zip(requests, kept, strict=True), strict=True))
            left = [new[key][0] for key in new if not new[key][1] and key not in self._seen]
            self._seen.update(keys)
        counter = model
        if settings.tokenizer is not None:
            counter = self._counters.setdefault(settings.tokenizer, LocalChat(settings.tokenizer))
        found = estimate(counter, left)
        cost = Prices(settings.price_in, settings.price_out).cost(found.usage)
        speed = self._speed(setup)
        seconds = None if speed is None else speed.seconds * len(left)
        return Left(found, cost, len(requests) - len(left), seconds, "" if speed is None else speed.source)

    def _speed(self, setup: Setup) -> Speed | None:
        """How fast the model answers, from its records, its kept replies, or those of a run before."""
        config = setup.config
        key = f"{config.task} {config.candidates} {config.model}"
        if config.out not in self._records:
            self._records[config.out] = records_in(config.out)
        found = speed_of_records(self._records[config.out], config, setup.model.describe())
        found = found or speed_of_kept(setup.model, setup.all_requests) or self._speeds.get(key)
        if found is not None:
            self._speeds[key] = found
        return found


def total(runs: Sequence[Left]) -> Left:
    """All runs together; the cost only where that of each is known. At least one run."""
    usage = Usage()
    for run in runs:
        usage += run.estimate.usage
    asked = [run for run in runs if run.estimate.n_requests] or runs
    how = " or ".join(dict.fromkeys(run.estimate.how for run in asked))
    costs = [run.cost for run in asked]
    known = [cost for cost in costs if cost is not None]
    return Left(
        Estimate(sum(run.estimate.n_requests for run in runs), usage, how),
        sum(known) if len(known) == len(costs) else None,
        sum(run.n_kept for run in runs),
        sum(run.seconds or 0 for run in runs) if all(run.seconds is not None for run in asked) else None,
        " and ".join(dict.fromkeys(run.pace for run in asked)),
    )
