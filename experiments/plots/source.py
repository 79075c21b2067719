"""From records on disk to what figures show; says what a reader of a figure should know of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...conf.model_schema import ContextualConfig
from ...errors import UserError
from ..metrics.scores import Metric
from ..pipeline import encode as encoders
from ..runs.encoder.config import config_of, record_walls
from ..runs.encoder.files import find_records, read_labels, read_record
from ..runs.encoder.record import Record, record_name
from ..terminal.progress import ProgressBars
from .wall_view import WallView, check_run, find_wall, wall_vectors
from .yardsticks import check_one_data_set, data_set_title, shown_title

Tell = Callable[[str], None]


def wall_views(
    folders: Sequence[Path],
    wall_id: str,
    run: int,
    bars: ProgressBars,
    tell: Tell,
    walls_path: str | None = None,
) -> list[WallView]:
    """One wall in one run of each record.

    Parameters
    ----------
    folders
        The records.
    wall_id
        Of the wall.
    run
        Whose labels, and whose order of clues where they are encoded in context.
    bars
        Show what is going on.
    tell
        Is given a line where a model's files are others than those of the run.
    walls_path
        Where the walls are now, if not where the records say.

    Raises
    ------
    UserError
        If a record or its walls cannot be read, a wall or run is not there, the records' walls of that name
        differ, or a model cannot be loaded.

    """
    views: list[WallView] = []
    for folder in folders:
        record = read_record(folder)
        check_run(folder, run, record.n_seeds)
        config = config_of(record)
        with bars.step("read", "reading walls"):
            walls = record_walls(record, walls_path)
        place = find_wall(walls, wall_id)
        wall = walls.walls[place]
        if views and wall.groups != views[0].wall.groups:
            raise UserError(
                f"wall {wall_id} of {folder} has other groups than that of {folders[0]}: draw them one by one"
            )
        labels = read_labels(folder, record)[place, run].astype(np.int64)
        model = {"model": encoders.model_identity(config.model)}
        if record_name(record.config | model, walls.fingerprint) != record.name:
            tell(
                f"{folder}: the model's files, or fourfold's, are not those of the run: vectors and predicted"
                " groups may not go together"
            )
        encoder = encoders.cached(encoders.make_encoder(config.model, config.embedding), config.cache)
        with bars.step("encode", "encoding clues"):
            vectors = wall_vectors(encoder, config.features, wall, run, bars)
        in_context = isinstance(config.embedding, ContextualConfig)
        truth = np.array(wall.truth, np.int64)
        views.append(WallView(wall, run, shown_title(record), truth, labels, vectors, in_context))
    return _told_apart(views)


def _told_apart(views: list[WallView]) -> list[WallView]:
    """Beside a model in context, one that is not is called static."""
    if not any(view.in_context for view in views):
        return views
    return [view if view.in_context else replace(view, title=f"{view.title}, static") for view in views]


def comparable_records(
    paths: Iterable[Path], tell: Tell, metric: Metric, dataset: str | None = None
) -> list[Record]:
    """The records at these paths, each a record or a folder of records; each record once.

    Parameters
    ----------
    paths
        Where to look.
    tell
        Is given a line for each record of a folder that cannot be read; it is left out.
    metric
        What each must have.
    dataset
        Keep those of the data set of this name, or whose data set's name or fingerprint begins like this.

    Raises
    ------
    UserError
        If there is none, one that is named itself cannot be read, or they are of several data sets.

    """
    places = [path.expanduser() for path in paths]
    found = find_records(places)
    for problem in found.damaged:
        tell(f"left out: {problem}")
    every = [record for _, record in found.records]
    if not every:
        where = ", ".join(map(str, places))
        raise UserError(f"there is no record in {where}: name records or the folder that a run's out= named")
    records = every if dataset is None else _of_data_set(every, dataset)
    if not records:
        known = sorted({f"{data_set_title(one)} ({one.dataset.fingerprint[:8]})" for one in every})
        raise UserError(f"--dataset {dataset} is that of no record: they are of {'; '.join(known)}")
    check_one_data_set(records)
    for record in records:
        if metric.name not in record.metrics:
            raise UserError(
                f"the record {record.name} has no {metric.name}, which is defined for groups of one size:"
                " choose another --metric, or leave the record out"
            )
    return records


def _of_data_set(records: Sequence[Record], dataset: str) -> list[Record]:
    """Those of the data set of that name; if there is none, those whose name or fingerprint begins so."""
    named = [record for record in records if record.dataset.name == dataset]
    return named or [
        record
        for record in records
        if record.dataset.name.startswith(dataset) or record.dataset.fingerprint.startswith(dataset)
    ]
