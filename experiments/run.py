"""One run: walls in, vectors, a Gram matrix a wall (or a wall and order), clusters, scores, one record out.

Run r sees each wall's clues in the order ``random.Random(r).sample(clues, n)``, as in the paper. The
clustering's generator has the same seed in every run, so that the runs differ in that order alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..conf.plain import to_plain
from ..conf.schema import RunConfig
from ..errors import UserError, WallError
from .clustering import check_solver, cluster
from .dataset import load_walls
from .encoders import cached, make_encoder, model_identity, unknown_words
from .features import check_features, gram_maker
from .gram import wall_grams
from .herrings import measure
from .progress import ProgressBars
from .provenance import make_record
from .record import Record, record_name
from .record_store import check_writable, find_record, read_record, write_record
from .temporary_folder import remove_abandoned


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
    encoder = cached(make_encoder(config.model, config.embedding), config.cache)
    with bars.step("read", "reading walls"):
        walls = load_walls(config.dataset)
        name = record_name(to_plain(config) | {"model": model_identity(config.model)}, walls.fingerprint)
    done = find_record(out, name)
    if done is not None:
        return Outcome(done, out / name, fresh=False)
    check_writable(out)
    remove_abandoned(out)
    check_solver(config.solver)
    check_features(config.features, walls.truth.shape[1])
    with bars.step("model", "finding the model"):
        described = encoder.describe()
    with bars.step("encode", "encoding clues") as update:
        clues = [wall.clues for wall in walls.walls]
        try:
            gram = wall_grams(encoder, clues, config.seeds, update, gram_maker(config.features, bars))
        except WallError as error:
            raise UserError(f"wall {walls.walls[error.wall].wall_id}: {error.said}") from error
        described |= unknown_words(encoder, clues)
    with bars.step("cluster", "clustering") as update:
        try:
            solution = cluster(config.solver, gram, config.seeds, update)
        except WallError as error:
            raise UserError(f"wall {walls.walls[error.wall].wall_id}: {error.said}") from error
    with bars.step("score", "scoring"):
        from .metrics import score_labels

        scores = score_labels(solution.labels, walls.truth)
    with bars.step("herrings", "measuring red herrings"):
        herrings = measure(gram, walls.truth, solution.labels)
    made = make_record(config, name, walls, described, solution, scores, bars.seconds)
    fresh = write_record(out, made, solution.labels, solution.inertia, herrings)
    return Outcome(made if fresh else read_record(out / name), out / name, fresh)
