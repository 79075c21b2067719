"""One run: walls in, vectors, clusters of every wall in every clue order, scores, one record out.

Run r sees each wall's clues in the order ``random.Random(r).sample(clues, n)``, as in the paper. The
clustering's generator has the same seed in every run, so that the runs differ in that order alone.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..conf.model_schema import ModelConfig
from ..conf.schema import DatasetConfig, ExactConfig, KMeansConfig, RunConfig, SolverConfig
from ..errors import UserError
from .data.readers import bundled_walls, read_walls
from .data.wall import Wall, WallSet
from .progress import ProgressBars, Update
from .provenance import make_record
from .record import Record, record_name
from .record_store import check_writable, find_record, read_record, write_record

if TYPE_CHECKING:
    from ..embeddings.encoder import Encoder
    from ..engine import BatchSolution

N_CLUSTERS = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run's record, where it lies, and whether this call made it."""

    record: Record
    folder: Path
    fresh: bool


def run(config: RunConfig, bars: ProgressBars) -> Outcome:
    """Do a run and write its record, unless the record is there already.

    Raises
    ------
    UserError
        If the walls cannot be read, the record cannot be written, the model cannot be loaded or a device
        is not there; all of this is found out before the work begins.

    """
    out = Path(config.out).expanduser()
    encoder = make_encoder(config.model)
    with bars.step("read", "reading walls"):
        walls = load_walls(config.dataset)
        name = record_name(asdict(config), walls.fingerprint, model_files(config.model))
    done = find_record(out, name)
    if done is not None:
        return Outcome(done, out / name, fresh=False)
    check_writable(out)
    check_device(config.solver)
    with bars.step("model", "finding the model"):
        described = encoder.describe()
    with bars.step("encode", "encoding clues") as update:
        points = wall_points(encoder, walls.walls, update)
    with bars.step("cluster", "clustering"):
        solution = cluster(config.solver, points, config.seeds)
    with bars.step("score", "scoring"):
        from .metrics import score_labels

        scores = score_labels(solution.labels, walls.truth)
    made = make_record(config, name, walls, described, solution, scores, bars.seconds)
    fresh = write_record(out, made, solution.labels, solution.inertia)
    return Outcome(made if fresh else read_record(out / name), out / name, fresh)


def load_walls(dataset: DatasetConfig) -> WallSet:
    """The walls that a configuration names; UserError if they cannot be read."""
    if dataset.layout == "bundled":
        return bundled_walls()
    return read_walls(dataset.path or "", split=dataset.split, layout=dataset.layout, name=dataset.name)


def clue_order(run: int, n_points: int) -> list[int]:
    """The places of a wall's clues in one run's order."""
    return random.Random(run).sample(range(n_points), n_points)


def wall_points(encoder: Encoder, walls: Sequence[Wall], update: Update | None = None) -> NDArray[np.float32]:
    """The vector of each clue of each wall, (n_walls, n_points, n_features); each text is encoded once."""
    place: dict[str, int] = {}
    for wall in walls:
        for clue in wall.clues:
            place.setdefault(clue, len(place))
    vectors = encoder.encode(list(place), progress=update)
    rows = np.array([[place[clue] for clue in wall.clues] for wall in walls])
    points: NDArray[np.float32] = vectors[rows]
    return points


def cluster(solver: SolverConfig, points: NDArray[np.float32], n_runs: int) -> BatchSolution:
    """Cluster every wall in each of ``n_runs`` clue orders."""
    if isinstance(solver, KMeansConfig):
        return _k_means(solver, points, n_runs)
    if isinstance(solver, ExactConfig):
        return _exact(solver, points)
    raise TypeError(f"no way to run a {type(solver).__name__}")


def _k_means(solver: KMeansConfig, points: NDArray[np.float32], n_runs: int) -> BatchSolution:
    from ..engine import cluster_batch

    n_points = points.shape[1]
    size = n_points // N_CLUSTERS
    orders = np.array([clue_order(run, n_points) for run in range(n_runs)], dtype=np.int64)
    return cluster_batch(
        points,
        N_CLUSTERS,
        size_min=size,
        size_max=size,
        seeds=[solver.random_state] * n_runs,
        orders=orders,
        n_init=solver.n_init,
        max_iter=solver.max_iter,
        assignment_cost=solver.assignment_cost,
        device=solver.device,
    )


def _exact(solver: ExactConfig, points: NDArray[np.float32]) -> BatchSolution:
    """One run, in the order of run 0: groups are numbered by it, and some files list clues by group."""
    from ..engine import BatchSolution
    from ..engine.partition import best_partitions
    from .gram import centred_gram

    n_walls, n_points = points.shape[:2]
    order = clue_order(0, n_points)
    found = best_partitions(centred_gram(points[:, order]), n_points // N_CLUSTERS, device=solver.device)
    labels = np.empty_like(found.labels)
    labels[:, :, order] = found.labels
    none = np.zeros((n_walls, 1), np.int64)
    return BatchSolution(labels, found.cost, n_iter=none, status=none, device=found.device)


def check_device(solver: SolverConfig) -> None:
    """Raise UserError unless the solver's device can be used."""
    from ..engine.device import resolve_device

    try:
        resolve_device(solver.device)
    except ValueError as error:
        raise UserError(f"solver.device={solver.device}: {error}") from error


def make_encoder(model: ModelConfig) -> Encoder:
    """The encoder that a configuration names; it loads its model when it is first used."""
    from ..embeddings.transformer import TransformerEncoder

    return TransformerEncoder(
        model.name,
        pooling=model.pooling,
        lower_case=model.lower_case,
        prefix=model.prefix,
        normalize=model.normalize,
        device=model.device,
        dtype=model.dtype,
        batch_size=model.batch_size,
        revision=model.revision,
    )


def model_files(model: ModelConfig) -> dict[str, str] | None:
    """The hashes of a model's files if it is a folder of the user's, which may change under its name."""
    if not Path(model.name).expanduser().is_dir():
        return None
    from ..embeddings.find_model import find_model

    return find_model(model.name).digests()
