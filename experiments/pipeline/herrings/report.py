"""What a record says of red herrings: its walls by margin, their misleading clues, and how people fared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.wall import Wall, WallSet
from ...metrics.agreement import dense_ranks, own_group_sizes
from ...metrics.correlation import RankCorrelation, rank_correlation
from ...metrics.scores import FloatArray, IntArray
from .matching import placed
from .measures import Herrings

_DEALT = 20_000  # walls that are dealt out at random


@dataclass(frozen=True, slots=True)
class ClueHerring:
    """One clue among the true groups, as the model sees it; see ``herrings.Herrings``."""

    clue: str
    group: int
    drawn_to: int  # the nearest other group
    silhouette: float
    misplaced: float  # the share of runs
    astray: float  # a share where several clues are nearest
    strangers: tuple[str, ...]  # those of its nearest clues that are in other groups, nearest first


@dataclass(frozen=True, slots=True)
class WallHerrings:
    """One wall. Costs are means over the orders; what is not known is None."""

    wall_id: str
    margin: float | None
    cost_true: float
    cost_best: float | None
    cost_mean: float
    found: tuple[int, ...] | None  # 1 for each group that people found, 0 for each that they missed
    misplaced: float
    connections: tuple[str, ...]
    clues: tuple[ClueHerring, ...]  # in the wall's order
    best: tuple[tuple[str, ...], ...]  # the groups of the model's best partition

    @property
    def misleading(self) -> list[ClueHerring]:
        """Its clues, the most misleading first: those with the lowest silhouettes."""
        return sorted(self.clues, key=lambda clue: clue.silhouette)


@dataclass(frozen=True, slots=True)
class HerringReport:
    """A whole data set; walls by falling margin, correlations by what is set beside what people found."""

    walls: tuple[WallHerrings, ...]
    margin: float | None  # mean over the walls
    n_best: int  # walls whose true groups are the best partition; of several that are best, one was drawn
    astray: float  # shares of all clues
    astray_by_chance: float  # were the clues dealt out at random
    misplaced: float  # shares of all clues in all runs
    misplaced_by_chance: float  # were groups of the true sizes made at random
    correlations: dict[str, RankCorrelation | None]

    def to_json(self) -> dict[str, Any]:
        """The same as dicts, lists, strings and numbers; groups of clues by their index."""
        return asdict(self)


def herring_report(walls: WallSet, measured: Herrings) -> HerringReport:
    """Put a record's measures beside its walls.

    ValueError where they are not of these walls.
    """
    if measured.silhouette.shape != walls.truth.shape:
        raise ValueError(f"measures of shape {measured.silhouette.shape} for clues of {walls.truth.shape}")
    misplaced = np.clip(measured.misplaced(walls.truth), 0.0, 1.0)
    margin = measured.margin
    made = [_wall(wall, row, measured, margin, misplaced) for row, wall in enumerate(walls.walls)]
    order = np.lexsort((np.arange(len(margin)), -np.nan_to_num(margin, nan=-1.0)))
    known = margin[~np.isnan(margin)]
    return HerringReport(
        walls=tuple(made[row] for row in order),
        margin=float(known.mean()) if len(known) else None,
        n_best=int(np.count_nonzero((margin == 0) & _same_partition(measured.best, walls.truth))),
        astray=float(measured.astray.mean()),
        astray_by_chance=_astray_by_chance(walls.truth),
        misplaced=float(misplaced.mean()),
        misplaced_by_chance=_misplaced_by_chance(walls.truth),
        correlations=_correlations(walls, margin, measured.silhouette, misplaced),
    )


def _same_partition(first: IntArray, second: IntArray) -> NDArray[np.bool_]:
    """Row by row of (n_walls, n_points), whether two labellings are one partition."""
    pairs = [each[:, :, np.newaxis] == each[:, np.newaxis] for each in (first, second)]
    return np.asarray((pairs[0] == pairs[1]).all(axis=(1, 2)))


def _astray_by_chance(truth: IntArray) -> float:
    """The share of clues of other groups among the others, over all clues."""
    n_points = truth.shape[1]
    return float((n_points - own_group_sizes(dense_ranks(truth))).mean() / (n_points - 1))


def _misplaced_by_chance(truth: IntArray) -> float:
    """What is misplaced of random groups, estimated from a fixed seed to about 0.1%."""
    dealt = np.repeat(truth[:, np.newaxis], math.ceil(_DEALT / len(truth)), axis=1)
    labels = np.random.default_rng(0).permuted(dealt, axis=2)
    groups = dense_ranks(truth)
    own = np.take_along_axis(placed(dense_ranks(labels), groups), groups[..., np.newaxis], axis=2)
    return float(1.0 - own.mean())


def _wall(
    wall: Wall, row: int, measured: Herrings, margin: FloatArray, misplaced: FloatArray
) -> WallHerrings:
    truth = wall.truth
    clues = tuple(
        ClueHerring(
            clue=clue,
            group=truth[place],
            drawn_to=int(measured.drawn_to[row, place]),
            silhouette=float(measured.silhouette[row, place]),
            misplaced=float(misplaced[row, place]),
            astray=float(measured.astray[row, place]),
            strangers=tuple(
                wall.clues[other]
                for other in measured.neighbours[row, place].tolist()
                if truth[other] != truth[place]
            ),
        )
        for place, clue in enumerate(wall.clues)
    )
    best = measured.best[row]
    groups = [
        tuple(wall.clues[place] for place in np.flatnonzero(best == group)) for group in range(best.max() + 1)
    ]
    solved = tuple(group.human_grouping for group in wall.groups)
    return WallHerrings(
        wall_id=wall.wall_id,
        margin=_known(margin[row]),
        cost_true=float(measured.cost_true[row].mean()),
        cost_best=_known(measured.cost_best[row].mean()),
        cost_mean=float(measured.cost_mean[row].mean()),
        found=None if None in solved else tuple(int(one or 0) for one in solved),
        misplaced=float(misplaced[row].mean()),
        connections=tuple(group.connection for group in wall.groups),
        clues=clues,
        best=tuple(groups),
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _correlations(
    walls: WallSet, margin: FloatArray, silhouette: FloatArray, misplaced: FloatArray
) -> dict[str, RankCorrelation | None]:
    """Of walls and of groups, each with what people found; nothing where the data does not say it."""
    rows = [
        row
        for row, wall in enumerate(walls.walls)
        if all(group.human_grouping is not None for group in wall.groups)
    ]
    if not rows:
        return {}
    solved = np.array([[group.human_grouping for group in walls.walls[row].groups] for row in rows], float)
    truth = walls.truth[rows]
    known = ~np.isnan(margin[rows])
    return {
        "margin of a wall": rank_correlation(margin[rows][known], solved.sum(axis=1)[known]),
        "share of a wall's clues misplaced": rank_correlation(
            misplaced[rows].mean(axis=1), solved.sum(axis=1)
        ),
        "mean silhouette of a group": rank_correlation(_by_group(silhouette[rows], truth), solved),
        "share of a group's clues misplaced": rank_correlation(_by_group(misplaced[rows], truth), solved),
    }


def _by_group(values: FloatArray, truth: IntArray) -> FloatArray:
    """(n_walls, n_groups): the mean of clues' values over each true group."""
    member = truth[..., np.newaxis] == np.arange(truth.max() + 1)
    return np.asarray((values[..., np.newaxis] * member).sum(axis=1) / member.sum(axis=1))


def find_wall(walls: Sequence[WallHerrings], wall_id: str) -> WallHerrings | None:
    """The wall of that id."""
    return next((wall for wall in walls if wall.wall_id == wall_id), None)
