"""A run repeated from its record alone, and whether it came out equal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....conf.model_schema import FusedConfig, ModelConfig, TransformerConfig
from ....conf.schema import RunConfig
from ....errors import UserError
from ...pipeline.encode import Shared
from ...pipeline.run import RunResult, check_fits, compute_run, prepare_run
from ...terminal.progress import ProgressBars
from ...terminal.writing import counted
from ..provenance import versions
from ..store import check_writable
from .config import config_of, record_walls
from .files import read_inertia, read_labels, read_record, write_record
from .record import Record


@dataclass(frozen=True, slots=True)
class EncoderRepetition:
    """A run's record and what the same run came to now."""

    record: Record
    same_fits: int  # fits (a wall in a seed) whose labels are the record's
    n_fits: int
    inertia_apart: float  # the largest difference, relative to the greater of the two; 0 if all are equal
    metrics_apart: dict[str, float]  # the largest difference over the seeds, of those that are not equal
    encoder: dict[str, tuple[Any, Any]]  # what the encoder says of itself otherwise: then and now
    versions: dict[str, tuple[str | None, str | None]]  # then and now, where they differ
    folder: Path | None  # the repetition's own record, where it was to be kept

    @property
    def equal(self) -> bool:
        """Whether labels, inertia and metrics are equal, bit for bit."""
        return self.same_fits == self.n_fits and self.inertia_apart == 0 and not self.metrics_apart

    def lines(self) -> list[str]:
        """What is to be said of it."""
        entry = self.record.dataset
        seeds = counted(self.record.n_seeds, "seed")
        if self.same_fits == self.n_fits:
            walls = "the one wall" if entry.n_walls == 1 else f"all {entry.n_walls:,} walls"
            lines = [f"labels: equal on {walls} in {seeds}"]
        else:
            other = self.n_fits - self.same_fits
            lines = [
                f"labels: other in {other:,} of {self.n_fits:,} fits"
                f" ({counted(entry.n_walls, 'wall')}, {seeds})"
            ]
        lines.append(
            "inertia: equal" if self.inertia_apart == 0 else f"inertia: up to {self.inertia_apart:.1e} apart"
        )
        if self.metrics_apart:
            apart = ", ".join(f"{name} by up to {value:.2g}" for name, value in self.metrics_apart.items())
            lines.append(f"metrics: {apart}")
        else:
            lines.append("metrics: equal")
        for what, changed in (("version of", self.versions), ("encoder's", self.encoder)):
            lines += [f"{what} {name}: {then} then, {now} now" for name, (then, now) in changed.items()]
        if self.folder is not None:
            lines.append(f"record: {self.folder}")
        if self.equal:
            lines.append("The run came out equal, bit for bit.")
        elif self.versions or self.encoder:
            lines.append("The run came out otherwise.")
        else:
            lines.append(
                "The run came out otherwise, with the same versions and model: the last digits of vectors"
                " differ on another machine or device, and where texts are encoded in other company."
            )
        return lines


def repeat(
    folder: Path,
    bars: ProgressBars,
    walls_path: str | None = None,
    out: Path | None = None,
    cache: str | None = None,
) -> EncoderRepetition:
    """Do a record's run again and compare.

    Parameters
    ----------
    folder
        The record.
    bars
        Shows progress.
    walls_path
        Where the walls are now, if not where the record says.
    out
        Keep the repetition's record in this folder; otherwise nothing is written.
    cache
        As the setting of that name, in place of the record's.

    Raises
    ------
    UserError
        If the record is damaged, its walls or model cannot be had, or the repetition would lie where the
        record does.

    """
    record = read_record(folder)
    labels, inertia = _arrays(folder, record)
    if out is not None:
        if (out / record.name).exists():
            raise UserError(f"out={out} holds a record {record.name} already: name another folder")
        check_writable(out)
    config = config_of(record)
    if cache is not None:
        config = replace(config, cache=cache)
    plan = prepare_run(_pinned(config, record), bars, Shared(), record_walls(record, walls_path))
    check_fits(plan)
    made = compute_run(replace(plan, config=config, name=record.name), bars, Shared())
    if out is not None:
        write_record(out, made.record, made.labels, made.inertia, made.herrings)
    return _compared(record, labels, inertia, made, None if out is None else out / record.name)


def _arrays(folder: Path, record: Record) -> tuple[NDArray[Any], NDArray[np.float64]]:
    labels, inertia = read_labels(folder), read_inertia(folder)
    expected = (record.dataset.n_walls, record.n_seeds, record.dataset.n_points)
    if labels.shape != expected or inertia.shape != expected[:2]:
        raise UserError(
            f"the record {folder} is damaged (labels of shape {labels.shape}, inertia of {inertia.shape}, not"
            f" {expected} and {expected[:2]}): delete that folder and run again"
        )
    return labels, inertia


def _pinned(config: RunConfig, record: Record) -> RunConfig:
    """The same run with the hub's commits that the record's was made with: a branch may have moved."""
    return replace(config, model=_at_commit(config.model, record.encoder))


def _at_commit(model: ModelConfig, described: dict[str, Any]) -> ModelConfig:
    """A model, or the parts of a fused one, as of the commits in what its encoder said of itself."""
    if isinstance(model, FusedConfig):
        parts = zip(model.models, described.get("parts", [{}] * len(model.models)), strict=True)
        return replace(model, models=[_at_commit(part, its) for part, its in parts])
    commit = described.get("commit")
    if isinstance(model, TransformerConfig) and isinstance(commit, str):
        return replace(model, revision=commit)
    return model


def _compared(
    record: Record, labels: NDArray[Any], inertia: NDArray[np.float64], made: RunResult, folder: Path | None
) -> EncoderRepetition:
    apart = np.abs(inertia - made.inertia)
    greater = np.maximum(np.abs(inertia), np.abs(made.inertia))
    relative = np.divide(apart, greater, out=np.zeros_like(apart), where=greater > 0)
    metrics = {}
    for name, then in record.metrics.items():
        now = made.record.metrics.get(name)
        if now is None:
            continue  # a metric that this version does not have
        if then.per_seed != now.per_seed:
            metrics[name] = float(np.abs(np.subtract(then.per_seed, now.per_seed)).max())
    present = versions()
    return EncoderRepetition(
        record=record,
        same_fits=int((labels == made.labels).all(axis=-1).sum()),
        n_fits=inertia.size,
        inertia_apart=float(relative.max(initial=0.0)),
        metrics_apart=metrics,
        encoder=_changes(record.encoder, made.record.encoder),
        versions=_changes(record.versions, present),
        folder=folder,
    )


def _changes(then: dict[str, Any], now: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    keys = dict.fromkeys([*then, *now])
    return {key: (then.get(key), now.get(key)) for key in keys if then.get(key) != now.get(key)}
