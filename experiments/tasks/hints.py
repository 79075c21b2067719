"""What an encoder and the engine make of walls, for a language model to see or to be added to its votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...conf.compose import compose_run, model_words
from ...conf.model_schema import ModelConfig
from ...engine.partition import best_partitions
from ...engine.partition_order import by_smallest_points
from ...errors import UserError
from ..data.wall import GROUP_SIZE, WallSet
from ..pipeline.blocks import walls_by_id
from ..pipeline.encode import cached, make_encoder, model_identity
from ..pipeline.gram import wall_grams
from ..pipeline.orders import clue_order, wall_order
from ..terminal.progress import ProgressBars


@dataclass(frozen=True, slots=True)
class EncoderView:
    """Walls as an encoder sees them, clue by clue."""

    gram: NDArray[np.float64]  # (n_walls, n_points, n_points)
    described: dict[str, Any]  # what the encoder says of itself


@dataclass(frozen=True, slots=True)
class Hint:
    """One of the engine's best partitions of a wall, and how far it is behind the best, in percent."""

    groups: list[list[str]]
    behind: float


def encoder_identity(encoder: str) -> dict[str, Any]:
    """What two encoders must have in common to be the same; UserError if there is none of that name."""
    return model_identity(_model(encoder))


def check_encoder(encoder: str, cache: str) -> None:
    """Raise UserError where an encoder cannot be had; nothing is encoded."""
    cached(make_encoder(_model(encoder)), cache).describe()


def view_walls(encoder: str, walls: WallSet, cache: str, bars: ProgressBars) -> EncoderView:
    """Encode the walls with an encoder named as ``fourfold solve --model`` names it.

    UserError if there is no such encoder, it cannot be loaded, or it cannot encode a clue.
    """
    made = cached(make_encoder(_model(encoder)), cache)
    with bars.step("encode", "encoding clues") as update, walls_by_id(walls):
        gram = wall_grams(made, [wall.clues for wall in walls.walls], 1, update)[:, 0]
    return EncoderView(gram, dict(made.describe()))


def wall_hints(view: EncoderView, walls: WallSet, run: int, top: int) -> list[list[Hint]]:
    """The ``top`` best partitions of each wall, best first, in the order of the clues that a run shows.

    Groups and their clues stand in that order. Between partitions of equal cost an order decides that is the
    wall's own (``wall_order``): the order of the data, which may be that of the solution, has no part in it.
    """
    order = clue_order(run, view.gram.shape[-1])
    shown = [[wall.clues[place] for place in order] for wall in walls.walls]
    ties = np.array([wall_order(clues, run) for clues in shown])
    partitions = best_partitions(view.gram[:, order][:, :, order], GROUP_SIZE, top, orders=ties)
    by_place = by_smallest_points(partitions.labels, (GROUP_SIZE,) * (len(order) // GROUP_SIZE))
    return [
        as_hints(clues, labels, costs)
        for clues, labels, costs in zip(shown, by_place, partitions.cost, strict=True)
    ]


def as_hints(clues: Sequence[str], labels: NDArray[np.int64], costs: NDArray[np.float64]) -> list[Hint]:
    """Partitions (n_found, n_points) of the clues with their costs, best first, as hints."""
    least = max(float(costs[0]), 1e-300)
    return [
        Hint(as_groups(clues, row), 100 * float(cost - costs[0]) / least)
        for row, cost in zip(labels, costs, strict=True)
    ]


def as_groups(clues: Sequence[str], labels: NDArray[np.int64]) -> list[list[str]]:
    """The clues of each label, in the order of the labels."""
    return [[clues[i] for i in np.flatnonzero(labels == g).tolist()] for g in range(int(labels.max()) + 1)]


def _model(encoder: str) -> ModelConfig:
    try:
        return compose_run(model_words(encoder)).model
    except UserError as error:
        raise UserError(f"encoder={encoder}: {error}") from error
