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
from ....errors import UserError
from ...files.temporary_folder import TemporaryFolder, folder_to_disk, put_unless_there, to_disk
from ...tables.paper.row import COLUMNS
from ..checksums import check_files, write_checksums
from ..envelope import (
    DatasetEntry,
    MetricEntry,
    UsageEntry,
    check_dataset,
    check_metrics,
    check_name,
    json_object,
)
from ..store import damaged, other_kind, unreadable

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
        found = json_object(text)
        if found.get("schema") != SCHEMA:
            raise ValueError(f"expected an object of schema {SCHEMA}")
        record: LanguageRecord = typed(cls, found, "the record")
        check_language_record(record)
        return record


def language_record_name(content: Mapping[str, Json]) -> str:
    """16 hex digits that stand for everything that a run's result depends on."""
    text = json.dumps({"language_model": SCHEMA, **content}, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def find_language_record(out: Path, name: str) -> LanguageRecord | None:
    """The record of that name in the folder ``out``, or None; UserError if it is damaged."""
    folder = out / name
    return read_language_record(folder) if folder.is_dir() else None


def read_language_record(folder: Path) -> LanguageRecord:
    """Read a record's folder; UserError if it is none or damaged."""
    try:
        record = LanguageRecord.from_json((folder / RECORD).read_text(encoding="utf-8"))
        check_files(folder)
        return record
    except FileNotFoundError as error:
        if other := other_kind(folder, RECORD):
            raise UserError(f"{folder} is no record of a language model, but of {other}") from error
        if (folder / REPLIES).exists():
            raise damaged(folder, f"{RECORD} is missing") from error
        raise UserError(f"{folder} is no record of a language model: it has no {RECORD}") from error
    except OSError as error:
        raise unreadable(folder, error) from error
    except ValueError as error:
        raise damaged(folder, str(error)) from error


def write_language_record(
    out: Path,
    record: LanguageRecord,
    replies: Sequence[Sequence[Mapping[str, Json]]],
    predictions: Sequence[Sequence[Mapping[str, Json]]],
) -> bool:
    """Write a record into ``out``; False if another process finished the same run first.

    ``replies`` and ``predictions`` are (n_runs, n_walls). UserError if the folder cannot be written to.
    """
    target = out / record.name
    digits = max(2, len(str(len(predictions) - 1)))
    try:
        out.mkdir(parents=True, exist_ok=True)
        with TemporaryFolder(target) as folder:
            (folder / PREDICTIONS).mkdir()
            _write(folder / RECORD, record.to_json())
            _write(folder / REPLIES, _text(replies))
            for run, of_run in enumerate(predictions):
                _write(folder / PREDICTIONS / f"run_{run:0{digits}}_predictions.json", _text(of_run))
            folder_to_disk(folder / PREDICTIONS)
            write_checksums(folder)
            return put_unless_there(folder, target, RECORD)
    except OSError as error:
        raise UserError(
            f"the record {target} could not be written ({error.strerror}): make room or choose another out="
        ) from error


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _write(path: Path, text: str) -> None:
    with path.open("wb") as file:
        file.write(text.encode("utf-8", "surrogatepass"))
        to_disk(file)


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
