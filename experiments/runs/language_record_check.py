"""What a language model's record must hold, so that it can be listed, compared and set into tables."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from ...conf.json_types import typed
from ..tables.paper.row import COLUMNS
from .checks import check_dataset, check_metrics, check_name

if TYPE_CHECKING:
    from .language_record import LanguageRecord


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
