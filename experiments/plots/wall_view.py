"""What a figure of one wall shows: its clues, true groups, the groups of one run, and the clues' vectors.

The labels come from the record; of the run, only the vectors of this wall's clues are made again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...conf.features_schema import FeaturesConfig, PCAConfig, SimilarityConfig, TSNEConfig
from ...embeddings.encoder import ContextualEncoder
from ...embeddings.fused import FusedEncoder, unit_spread
from ...errors import ItemError, UserError
from ..data.wall import Wall, WallSet
from ..pipeline.features import cosine_similarities, tsne
from ..pipeline.gram import AnyEncoder, centred_gram, equal_to
from ..pipeline.orders import clue_order, wall_order
from ..terminal.progress import ProgressBars


@dataclass(frozen=True, slots=True)
class WallView:
    """One wall in one run.

    ``truth`` and ``labels`` are (n_points,), the true and the predicted group of each clue; ``vectors``
    (n_points, n_features). All follow the wall's own order of clues.
    """

    wall: Wall
    run: int
    title: str  # of the model
    truth: NDArray[np.int64]
    labels: NDArray[np.int64]
    vectors: NDArray[np.float64]
    in_context: bool = False  # whether the vectors are those of this run alone

    @property
    def n_correct(self) -> int:
        """How many predicted groups are true ones."""
        true = {frozenset(np.flatnonzero(self.truth == group).tolist()) for group in set(self.truth.tolist())}
        found = {frozenset(np.flatnonzero(self.labels == one).tolist()) for one in set(self.labels.tolist())}
        return len(true & found)


def find_wall(walls: WallSet, wall_id: str) -> int:
    """The place of a wall in its set; UserError with near matches if it is not there."""
    ids = [wall.wall_id for wall in walls.walls]
    if wall_id in ids:
        return ids.index(wall_id)
    folded = [place for place, known in enumerate(ids) if known.lower() == wall_id.lower()]
    near = [ids[place] for place in folded] or get_close_matches(wall_id, ids, n=3, cutoff=0.5)
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    else:
        shown = ", ".join(ids[:4])
        hint = f"choose among its {len(ids)}: {shown}{', ...' if len(ids) > 4 else ''}"
    raise UserError(f"the data set {walls.name} has no wall {wall_id}: {hint}")


def check_run(record: Path, run: int, n_runs: int) -> None:
    """Raise UserError unless the record has that run."""
    if not 0 <= run < n_runs:
        runs = "run 0 alone" if n_runs == 1 else f"runs 0 to {n_runs - 1}"
        raise UserError(f"--run {run} is not in the record {record}: it has {runs}")


def wall_vectors(
    encoder: AnyEncoder, features: FeaturesConfig, wall: Wall, run: int, bars: ProgressBars
) -> NDArray[np.float64]:
    """What a run clustered of a wall, (n_points, n_features): its clues' vectors, or features made of them.

    Of a fused model, the parts' vectors stand side by side, each scaled so that inner products are the sum
    that was clustered.

    Raises
    ------
    UserError
        If the model cannot be loaded, or a wall's vectors depend on the walls before it.

    """
    try:
        if isinstance(encoder, FusedEncoder):
            parts = []
            for part, weight in zip(encoder.parts, encoder.weights, strict=True):
                vectors = _clustered(part, wall, run, features, bars)
                parts.append(_to_unit_spread(vectors) * np.sqrt(weight))
            return np.concatenate(parts, axis=1)
        return _clustered(encoder, wall, run, features, bars)
    except ItemError as error:
        raise UserError(f"wall {wall.wall_id}: {error.reason}") from error


def _clustered(
    encoder: Any, wall: Wall, run: int, features: FeaturesConfig, bars: ProgressBars
) -> NDArray[np.float64]:
    """As a run makes it: in the order in which the run meets the clues, with equal rows for equal clues."""
    order = (
        clue_order(run, len(wall.clues)) if isinstance(encoder, ContextualEncoder) else wall_order(wall.clues)
    )
    vectors = _encode(encoder, [wall.clues[place] for place in order])
    first = equal_to(vectors[np.newaxis])[0]
    made: NDArray[np.float64] = _features(vectors[first], features, bars)[first]
    return made[np.argsort(order)]


def _encode(encoder: Any, clues: Sequence[str]) -> NDArray[Any]:
    if not isinstance(encoder, ContextualEncoder):
        texts = sorted(set(clues))
        rows = [texts.index(clue) for clue in clues]
        return np.asarray(encoder.encode(texts))[rows]
    if getattr(encoder, "carry_state", False):
        raise UserError(
            "model.carry_state=true lets a wall's vectors depend on the walls before it, so one wall cannot"
            " be drawn by itself: draw a record of a run without it"
        )
    return np.asarray(encoder.encode_in_context([list(clues)])[0])


def _features(vectors: NDArray[Any], features: FeaturesConfig, bars: ProgressBars) -> NDArray[np.float64]:
    if isinstance(features, SimilarityConfig):
        return cosine_similarities(vectors)
    if isinstance(features, TSNEConfig):
        with bars.step("features", "t-SNE"):
            # As the run made it, from vectors of the same type: where t-SNE ends hangs on the last digit.
            embedded: NDArray[np.float64] = tsne(vectors[np.newaxis], features)[0]
        return embedded
    wide = vectors.astype(np.float64)
    if not isinstance(features, PCAConfig):
        return wide
    left, scale, _ = np.linalg.svd(wide - wide.mean(axis=0), full_matrices=False)
    components: NDArray[np.float64] = (left * scale)[:, : features.n_components]
    return components


def _to_unit_spread(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    gram = centred_gram(vectors)
    trace = float(np.trace(gram))
    scale = float(np.trace(unit_spread(gram))) / trace if trace > 0 else 0.0
    scaled: NDArray[np.float64] = (vectors - vectors.mean(axis=0)) * np.sqrt(scale)
    return scaled
