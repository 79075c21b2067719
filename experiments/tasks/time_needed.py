"""How long requests take, as far as earlier replies of the same model tell: of records, or kept ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from ...conf.llm_schema import LanguageRunConfig
from ..llm.chat import ChatModel, ChatRequest, Json
from ..llm.replies import CachedChat
from ..runs.language_model.record import LanguageRecord
from ..runs.language_model.titles import find_language_records, samples_of

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
