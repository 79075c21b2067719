"""What a run of a language model leaves behind, beside the records of ``fourfold run`` in the same folder.

A record is a folder that holds ``language_model.json``, every reply in ``replies.json`` and the predictions
in ``predictions`` as the paper's evaluator reads them. It is made under a temporary name and then renamed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from ....conf.json_types import Json, typed
from ...files.temporary_folder import folder_to_disk
from ...tables.paper.encoders import COLUMNS
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

# Raised when the layout changes, or when the same replies would be read or scored otherwise.
SCHEMA = 1
RECORD, REPLIES, PREDICTIONS = "language_model.json", "replies.json", "predictions"


@dataclass(frozen=True, slots=True)
class LanguageRecord:
    """One run, as ``language_model.json`` holds it."""

    schema: int
    name: str
    created: str  # ISO 8601, UTC
    task: int
    config: dict[str, Json]
    dataset: DatasetEntry
    model: dict[str, Json]  # what the model says of itself
    prompt: dict[str, str]  # source and SHA-256 of the template
    examples: list[str]  # the ids of the walls in the prompt
    versions: dict[str, str | None]
    platform: str
    timings: dict[str, float]  # seconds
    n_seeds: int  # runs that are scored: orders times samples, or 1 where they vote
    metrics: dict[str, MetricEntry]
    faults: dict[str, float]  # shares, 0 to 1
    structured: float  # the share of replies whose endpoint took the request's schema
    usage: UsageEntry
    bertscore: str | None  # the package's hash of settings and versions
    encoder: dict[str, Json] = field(default_factory=dict)  # of hints and votes: what it says of itself
    served: dict[str, Json] = field(default_factory=dict)  # as of ``served_entry``
    failures: dict[str, int] = field(default_factory=dict)  # attempts without a reply, by kind

    def to_json(self) -> str:
        """The text of ``language_model.json``."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> LanguageRecord:
        """Read what ``to_json`` wrote; ValueError where it is damaged or of another schema."""
        content = json_object(text)
        check_schema(content, SCHEMA)
        record: LanguageRecord = typed(cls, content, "the record")
        check_language_record(record)
        return record


def language_record_name(content: Mapping[str, Json]) -> str:
    """16 hex digits that stand for everything that a run's result depends on."""
    text = json.dumps({"language_model": SCHEMA, **content}, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


LAYOUT: RecordLayout[LanguageRecord] = RecordLayout(
    file=RECORD,
    payload=REPLIES,
    noun="a language model",
    commands="'fourfold llm --from', 'runs', 'table 4', 'plot connections' and 'export' take it",
    parse=LanguageRecord.from_json,
)


def find_language_record(out: Path, name: str) -> LanguageRecord | None:
    """The record of that name in the folder ``out``, as ``store.find``."""
    return store.find(LAYOUT, out, name)


def read_language_record(folder: Path) -> LanguageRecord:
    """Read a record's folder, as ``store.read``."""
    return store.read(LAYOUT, folder)


def write_language_record(
    out: Path,
    record: LanguageRecord,
    replies: Sequence[Sequence[Mapping[str, Json]]],
    predictions: Sequence[Sequence[Mapping[str, Json]]],
) -> bool:
    """Write a record into ``out``, as ``store.write``.

    ``replies`` and ``predictions`` are (n_runs, n_walls).
    """
    digits = max(2, len(str(len(predictions) - 1)))

    def add(folder: Path) -> None:
        (folder / PREDICTIONS).mkdir()
        write_file(folder / REPLIES, _text(replies))
        for run, of_run in enumerate(predictions):
            write_file(folder / PREDICTIONS / f"run_{run:0{digits}}_predictions.json", _text(of_run))
        folder_to_disk(folder / PREDICTIONS)

    return store.write(LAYOUT, out, record, add)


def _text(value: Json) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class _Model:
    """What a table calls it by."""

    name: str
    title: str | None = None


@dataclass(frozen=True, slots=True)
class _Settings:
    """What a table says of a run; older records lack some."""

    seeds: int = 1
    samples: int = 1
    hints: int = 0
    encoder: str = ""
    candidates: int = 0
    vote: str = "none"
    encoder_weight: float = 0.0


def check_language_record(record: LanguageRecord) -> None:
    """Raise ValueError where fields contradict each other, or hold what no run writes."""
    check_name(record.name, record.created)
    check_dataset(record.dataset)
    check_metrics(record.metrics, record.n_seeds)
    if record.task not in (1, 2):
        raise ValueError(f"task: expected 1 or 2, got {record.task}")
    if record.task == 1 and (missing := [name for name in COLUMNS if name not in record.metrics]):
        raise ValueError(f"metrics lack {', '.join(missing)}")
    config = record.config
    model = config.get("model")
    if not isinstance(model, dict):
        raise ValueError("config lacks model")
    shown = {item.name: model[item.name] for item in fields(_Model) if item.name in model}
    typed(_Model, shown, "config.model")
    given = {item.name: config[item.name] for item in fields(_Settings) if item.name in config}
    settings: _Settings = typed(_Settings, given, "config")
    if settings.samples < 1 or settings.seeds < 1:
        raise ValueError("config: expected at least 1 as seeds and as samples")
    together = settings.candidates or settings.vote != "none"
    if together and not {"seeds", "encoder", "encoder_weight"} <= config.keys():
        raise ValueError("config lacks seeds, encoder or encoder_weight")
