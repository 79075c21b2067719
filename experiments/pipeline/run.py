"""One run: walls in, vectors, a Gram matrix a wall (or a wall and order), clusters, scores, one record out.

Run r sees each wall's clues in the order ``random.Random(r).sample(clues, n)``, as in the paper. The
clustering's generator has the same seed in every run, so that the runs differ in that order alone. What has
no such order (the exact solver, features, red herrings) meets a wall's clues in its ``wall_order``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...conf.model_schema import ContextualConfig
from ...conf.plain import to_plain
from ...conf.schema import RunConfig
from ...conf.solver_schema import ExactConfig
from ...errors import ModelError, UserError
from ..data.dataset import load_walls
from ..data.wall import WallSet
from ..files.temporary_folder import remove_abandoned
from ..runs.encoder.files import find_record, read_record, write_record
from ..runs.encoder.record import Record, record_name
from ..runs.provenance import make_record
from ..runs.store import check_writable
from ..terminal.progress import ProgressBars
from .blocks import walls_by_id
from .cluster import check_solver, cluster_in_blocks, score_in_blocks
from .encode import Shared, cached, make_encoder, model_identity, unknown_words
from .features import check_features, gram_maker
from .gram import AnyEncoder, Gram, check_memory, equal_clues, wall_grams
from .herrings.measures import MOST_ORDERS, Herrings, measure
from .orders import wall_orders


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run's record, where it lies, and whether this call made it."""

    record: Record
    folder: Path
    fresh: bool


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A run before its work: its walls, its encoder with its model not yet loaded, and its record's name."""

    config: RunConfig
    walls: WallSet
    encoder: AnyEncoder
    name: str


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run came to; ``labels`` and ``inertia`` are as the record's."""

    record: Record
    labels: NDArray[Any]
    inertia: NDArray[np.float64]
    herrings: Herrings


def run(config: RunConfig, bars: ProgressBars, shared: Shared | None = None) -> Outcome:
    """Do a run and write its record, unless the record is there already.

    ``shared`` keeps what the next run of this process may need too.

    Raises
    ------
    UserError
        If the walls cannot be read, the record cannot be written, the model cannot be loaded or a device
        is not there; all of this is found out before the work begins.

    """
    shared = Shared() if shared is None else shared
    out = Path(config.out).expanduser()
    plan = prepare_run(config, bars, shared)
    done = find_record(out, plan.name)
    if done is not None:
        return Outcome(done, out / plan.name, fresh=False)
    check_writable(out)
    remove_abandoned(out)
    check_fits(plan)
    made = compute_run(plan, bars, shared)
    fresh = write_record(out, made.record, made.labels, made.inertia, made.herrings)
    return Outcome(made.record if fresh else read_record(out / plan.name), out / plan.name, fresh)


def prepare_run(
    config: RunConfig, bars: ProgressBars, shared: Shared, walls: WallSet | None = None
) -> PreparedRun:
    """Read a run's walls, unless they are given, and find out its record's name; no model is loaded."""
    encoder = shared.once(
        "encoder",
        encoder_key(config),
        lambda: cached(make_encoder(config.model, config.embedding), config.cache),
    )
    with bars.step("read", "reading walls"):
        if walls is None:
            walls = shared.once("walls", repr(config.dataset), lambda: load_walls(config.dataset))
        name = record_name(to_plain(config) | {"model": model_identity(config.model)}, walls.fingerprint)
    return PreparedRun(config, walls, encoder, name)


def encoder_key(config: RunConfig) -> str:
    """What two runs must have in common to share an encoder."""
    plain = to_plain(replace(config, model=replace(config.model, title="", paper_row=None)))
    return json.dumps([plain["model"], plain["embedding"], plain["cache"]], sort_keys=True)


def check_fits(plan: PreparedRun) -> None:
    """Raise UserError unless the solver can run here, and the walls can have the features and the seeds."""
    check_solver(plan.config.solver)
    n_walls, n_points = plan.walls.truth.shape
    check_features(plan.config.features, n_points)
    if isinstance(plan.config.embedding, ContextualConfig):
        check_memory(n_walls, plan.config.seeds, n_points)


def compute_run(plan: PreparedRun, bars: ProgressBars, shared: Shared) -> RunResult:
    """The work of a run; ModelError if its model cannot be had, UserError if a wall cannot be encoded."""
    config, walls, encoder = plan.config, plan.walls, plan.encoder
    with bars.step("model", "finding the model"):
        try:
            described = encoder.describe()
        except UserError as error:
            raise ModelError(str(error)) from error
    with bars.step("encode", "encoding clues") as update:
        clues = [wall.clues for wall in walls.walls]

        def make_gram() -> Gram:
            return wall_grams(encoder, clues, config.seeds, update, gram_maker(config.features, bars))

        with walls_by_id(walls):
            gram = shared.once("gram", _gram_key(plan), make_gram)
        described |= unknown_words(encoder, clues)
        equal = equal_clues(gram)
        described["equal"] = {
            "clues": int(equal.sum()),
            "of_clues": equal.size,
            "walls": int(equal.any(axis=1).sum()),
        }
    n_orders = gram.shape[1] if isinstance(config.solver, ExactConfig) else min(gram.shape[1], MOST_ORDERS)
    orders = wall_orders(clues, n_orders)
    with bars.step("cluster", "clustering walls") as update, walls_by_id(walls):
        clustered = cluster_in_blocks(config.solver, gram, config.seeds, update, orders)
    with bars.step("score", "scoring runs") as update:
        metrics = score_in_blocks(clustered.labels, walls.truth, update)
    with bars.step("herrings", "measuring red herrings"):
        herrings = measure(gram, walls.truth, clustered.labels, orders)
    record = make_record(config, plan.name, walls, described, clustered, metrics, bars.seconds)
    return RunResult(record, clustered.labels, clustered.inertia, herrings)


def _gram_key(plan: PreparedRun) -> str:
    """What two runs must have in common to share their Gram matrices: in context, the orders too."""
    config = plan.config
    seeds = config.seeds if isinstance(config.embedding, ContextualConfig) else None
    return json.dumps([encoder_key(config), to_plain(config)["features"], plan.walls.fingerprint, seeds])
