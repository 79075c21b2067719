"""What a run of ``fourfold macgyver solve`` leaves behind where ``--records`` asks for it.

A record is a folder that holds ``macgyver.json`` and every answer in ``answers.jsonl``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ....conf.json_types import Json, typed
from .. import store
from ..envelope import (
    DatasetEntry,
    MetricEntry,
    UsageEntry,
    check_dataset,
    check_metrics,
    check_name,
    json_object,
)
from ..store import RecordLayout, check_schema, write_file

SCHEMA = 1  # raised when the layout changes, or when the same replies would be read otherwise
RECORD, ANSWERS = "macgyver.json", "answers.jsonl"


@dataclass(frozen=True, slots=True)
class MacGyverRecord:
    """Answers to problems, as ``macgyver.json`` holds them; its data set's walls are problems."""

    schema: int
    name: str
    created: str  # ISO 8601, UTC
    config: dict[str, Json]
    dataset: DatasetEntry
    model: dict[str, Json]  # what the model says of itself
    prompts: dict[str, Json]  # of each template its SHA-256
    versions: dict[str, str | None]
    platform: str
    timings: dict[str, float]  # seconds
    n_seeds: int  # answers to each problem
    metrics: dict[str, MetricEntry]  # percent of the problems by verdict, for each answer
    usage: UsageEntry
    served: dict[str, Json] = field(default_factory=dict)  # as of ``served_entry``

    def to_json(self) -> str:
        """The text of ``macgyver.json``."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> MacGyverRecord:
        """Read what ``to_json`` wrote; ValueError where it is damaged or of another schema."""
        content = json_object(text)
        check_schema(content, SCHEMA)
        record: MacGyverRecord = typed(cls, content, "the record")
        check_name(record.name, record.created)
        check_dataset(record.dataset)
        check_metrics(record.metrics, record.n_seeds)
        return record


LAYOUT: RecordLayout[MacGyverRecord] = RecordLayout(
    file=RECORD,
    payload=ANSWERS,
    noun="answers to MacGyver's problems",
    commands="'fourfold run --from' and 'runs' take it",
    parse=MacGyverRecord.from_json,
)


def macgyver_name(content: Mapping[str, Json]) -> str:
    """16 hex digits that stand for everything that the answers depend on."""
    text = json.dumps({"macgyver": SCHEMA, **content}, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def problems_fingerprint(problems: Sequence[tuple[str, str]]) -> str:
    """64 hex digits that stand for problems, each an ID and a text."""
    return hashlib.sha256(json.dumps(list(problems), ensure_ascii=True).encode()).hexdigest()


def verdict_shares(
    verdicts: Sequence[tuple[int, str]], names: Sequence[str], n_answers: int
) -> dict[str, MetricEntry]:
    """Percent of the problems whose answers 1 to ``n_answers`` have each verdict."""
    metrics = {}
    for name in names:
        shares = []
        for number in range(1, n_answers + 1):
            of_number = [verdict for place, verdict in verdicts if place == number]
            shares.append(100 * of_number.count(name) / len(of_number))
        mean = sum(shares) / n_answers
        spread = (sum((share - mean) ** 2 for share in shares) / n_answers) ** 0.5
        metrics[name] = MetricEntry(shares, mean, spread)
    return metrics


def write_macgyver_record(out: Path, record: MacGyverRecord, answers: str) -> bool:
    """Write a record into ``out``, as ``store.write``; ``answers`` are JSON lines."""

    def add(folder: Path) -> None:
        write_file(folder / ANSWERS, answers.encode("utf-8", "surrogatepass"))

    return store.write(LAYOUT, out, record, add)


def read_macgyver_record(folder: Path) -> MacGyverRecord:
    """Read a record's folder, as ``store.read``."""
    return store.read(LAYOUT, folder)
