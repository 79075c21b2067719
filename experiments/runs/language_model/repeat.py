"""A language model's run repeated from its record alone, and whether it came out equal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ....conf.llm_schema import LanguageRunConfig
from ....errors import UserError
from ...pipeline.encode import Shared
from ...tasks.prepare import Prepared, prepare_language_run
from ...tasks.run import LanguageResult, compute_language_run
from ...terminal.progress import ProgressBars
from ...terminal.writing import counted
from ..provenance import versions
from ..store import check_writable, damaged
from .config import language_config_of
from .naming import sha256
from .record import REPLIES, LanguageRecord, read_language_record, write_language_record


@dataclass(frozen=True, slots=True)
class LanguageRepetition:
    """A run's record and what the same run came to now."""

    record: LanguageRecord
    same_replies: int
    n_replies: int
    n_kept: int  # replies that were kept, not asked for again
    metrics_apart: dict[str, float]  # the largest difference over the runs, of those that are not equal
    model: dict[str, tuple[Any, Any]]  # what the model says of itself otherwise: then and now
    versions: dict[str, tuple[str | None, str | None]]  # then and now, where they differ
    folder: Path | None  # the repetition's own record, where it was to be kept

    @property
    def equal(self) -> bool:
        """Whether all replies are the same, letter by letter, and all metrics and faults equal."""
        return self.same_replies == self.n_replies and not self.metrics_apart

    def lines(self) -> list[str]:
        """What is to be said of it."""
        total = counted(self.n_replies, "reply", "replies")
        other = self.n_replies - self.same_replies
        how = f"{self.n_kept:,} of them kept, which are not asked for again: cache=false asks for all"
        lines = [f"replies: {f'other in {other:,} of' if other else 'equal in all'} {total}"]
        if self.n_kept:
            lines[0] += f" ({how})"
        if self.metrics_apart:
            apart = ", ".join(f"{name} by up to {value:.2g}" for name, value in self.metrics_apart.items())
            lines.append(f"metrics: {apart}")
        else:
            lines.append("metrics: equal")
        for what, changed in (("version of", self.versions), ("model's", self.model)):
            lines += [f"{what} {name}: {then} then, {now} now" for name, (then, now) in changed.items()]
        if self.folder is not None:
            lines.append(f"record: {self.folder}")
        if self.equal:
            lines.append("The run came out equal.")
        elif self.versions or self.model or not other:
            lines.append("The run came out otherwise.")
        else:
            lines.append(
                "The run came out otherwise, with the same versions: an endpoint may answer otherwise,"
                " even at temperature 0, or have another model behind the same name."
            )
        return lines


def repeat_language_model(
    folder: Path,
    bars: ProgressBars,
    walls_path: str | None = None,
    out: Path | None = None,
    cache: str | None = None,
) -> LanguageRepetition:
    """Do a record's run again and compare; parameters as of ``repeat`` for encoders.

    With the record's own cache, replies that are kept are not asked for again.

    Raises
    ------
    UserError
        If the record is damaged, its walls, examples or template are not what they were, its model cannot be
        had, requests fail, or the repetition would lie where the record does.

    """
    record = read_language_record(folder)
    replies = _replies(folder)
    if out is not None:
        if (out / record.name).exists():
            raise UserError(f"out={out} holds a record {record.name} already: name another folder")
        check_writable(out)
    config = language_config_of(record)
    if walls_path is not None:
        config = _with_walls(config, walls_path)
    if cache is not None:
        config = replace(config, cache=cache)
    shared = Shared()
    prepared = prepare_language_run(config, shared=shared)
    _check_same(record, prepared)
    made = compute_language_run(prepared, record.name, bars, shared)
    if out is not None:
        write_language_record(out, made.record, made.replies, made.predictions)
    return _compared(record, replies, made, None if out is None else out / record.name)


def _replies(folder: Path) -> list[str]:
    """The texts of a record's replies, one run after the other."""
    try:
        runs = json.loads((folder / REPLIES).read_text(encoding="utf-8", errors="surrogatepass"))
        return [str(reply["text"]) for run in runs for reply in run]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise damaged(folder, f"{REPLIES}: {error}") from error


def _with_walls(config: LanguageRunConfig, path: str) -> LanguageRunConfig:
    """The same run with its walls elsewhere, in a folder of splits or in one file."""
    split = config.dataset.split if Path(path).expanduser().is_dir() else None
    return replace(config, dataset=replace(config.dataset, path=path, split=split))


def _check_same(record: LanguageRecord, prepared: Prepared) -> None:
    """Raise UserError where the model would be asked other questions than then."""
    walls, entry = prepared.walls, record.dataset
    if walls.fingerprint != entry.fingerprint:
        raise UserError(
            f"the walls in {prepared.config.dataset.path or 'the bundled data'} are not those of the record"
            f" (their fingerprint is {walls.fingerprint[:12]}, the record's {entry.fingerprint[:12]}): name"
            " the right ones with --walls PATH, or run again"
        )
    if [wall.wall_id for wall in prepared.examples] != record.examples:
        raise UserError(
            "the solved walls that would stand in the prompt are not those of the record: put the training"
            " walls that it names back, or run again"
        )
    now, then = sha256(prepared.prompt.text), record.prompt["sha256"]
    if now != then:
        raise UserError(
            f"{prepared.prompt.source} is not that of the record (its SHA-256 is {now[:12]}, the record's"
            f" {then[:12]}): put it back, or run again"
        )


def _compared(
    record: LanguageRecord, replies: list[str], made: LanguageResult, folder: Path | None
) -> LanguageRepetition:
    now = [str(reply["text"]) for run in made.replies for reply in run]
    if len(now) != len(replies):
        raise UserError(
            f"the record {record.name} is damaged ({counted(len(replies), 'reply', 'replies')}, "
            f"not {len(now)}): run again"
        )
    metrics = {}
    for name, then in record.metrics.items():
        other = made.record.metrics.get(name)
        if other is not None and other.per_seed != then.per_seed:
            metrics[name] = float(np.abs(np.subtract(then.per_seed, other.per_seed)).max())
    for name, share in record.faults.items():
        if made.record.faults.get(name, share) != share:
            metrics[name] = abs(share - made.record.faults[name])
    return LanguageRepetition(
        record=record,
        same_replies=sum(one == other for one, other in zip(replies, now, strict=True)),
        n_replies=len(replies),
        n_kept=made.n_kept,
        metrics_apart=metrics,
        model=_changes(*_named(record, made.record)),
        versions=_changes(record.versions, versions() | made.record.versions),
        folder=folder,
    )


def _named(then: LanguageRecord, now: LanguageRecord) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the model says of itself, then and now, and its server of it, where both records have that."""
    models = [{"served as": sorted(each.served.get("models", {}))} for each in (then, now)]
    if not all(each["served as"] for each in models):
        return then.model, now.model
    return then.model | models[0], now.model | models[1]


def _changes(then: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    keys = dict.fromkeys([*then, *now])
    return {key: (then.get(key), now.get(key)) for key in keys if then.get(key) != now.get(key)}
