"""Red herrings, measured: how far a model's view of each wall is from the true groups, and by which clues.

Everything here is made of Gram matrices, true groups and predicted labels, all walls at once; nothing is read
or shown. A wall's measures do not depend on the numbers of its groups or clusters (but for ``drawn_to`` where
distances are equal), on the order of its clues or on the scale of its vectors. Where clues are equally near,
shares are those of a random choice among them; ``best`` and ``neighbours`` follow an order that is given.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...metrics.agreement import dense_ranks, own_group_sizes
from ...metrics.scores import FloatArray, IntArray
from ..orders import clue_orders
from .matching import placed

MOST_ORDERS = 16  # of contextual Gram matrices that are looked at
_ROUNDING = 1e-12  # of a cost: what is less apart is equal


@dataclass(frozen=True, slots=True)
class Herrings:
    """What is measured of each wall and clue, as arrays; clues are in the data set's order.

    Costs are the k-means objective: squared distances within groups, over the group's size. Where a clue is
    encoded in context there is one for each of the first orders; distances between clues are then their
    means over these orders.
    """

    cost_true: FloatArray  # (n_walls, n_orders) of the true groups
    cost_best: FloatArray  # (n_walls, n_orders) of the best groups of the same sizes; NaN if unknown
    cost_mean: FloatArray  # (n_walls, n_orders) mean over all partitions into groups of the same sizes
    best: IntArray  # (n_walls, n_points) groups of the best partition in the first order; -1 if unknown
    silhouette: FloatArray  # (n_walls, n_points) of the true groups, -1 to 1 (Rousseeuw 1987)
    drawn_to: IntArray  # (n_walls, n_points) the nearest other true group by mean distance
    astray: FloatArray  # (n_walls, n_points) 1 where the nearest clue is in another group; a share of several
    strangers: FloatArray  # (n_walls, n_points) of its s - 1 nearest clues, in a group of s, those of others
    neighbours: IntArray  # (n_walls, n_points, greatest s - 1) the nearest clues, nearest first
    placed: FloatArray  # (n_walls, n_points, n_groups) share of runs with its cluster matched to this group

    @property
    def margin(self) -> FloatArray:
        """(n_walls,): how far the true groups are from the model's best, as the mean over the orders.

        (cost_true - cost_best) / (cost_mean - cost_best): 0 where the true groups are a best partition, 1
        where they cost as much as a partition at random, as they do where all partitions cost the same. NaN
        where the best one is not known.
        """
        slack = _ROUNDING * self.cost_mean
        above, range_ = self.cost_true - self.cost_best, self.cost_mean - self.cost_best
        flat = range_ <= slack
        margin = np.where(flat, 1.0, np.where(above <= slack, 0.0, above) / np.where(flat, 1.0, range_))
        return np.asarray(np.where(np.isnan(self.cost_best), np.nan, margin).mean(axis=1))

    def misplaced(self, truth: IntArray) -> FloatArray:
        """(n_walls, n_points): the share of runs in which a clue is not in the group matched to its own."""
        own = np.take_along_axis(self.placed, dense_ranks(truth)[..., np.newaxis], axis=2)
        return np.asarray(1.0 - own[..., 0])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name, as small as they can be stored: all but costs have three digits to spare."""
        arrays: dict[str, NDArray[Any]] = {item.name: getattr(self, item.name) for item in fields(self)}
        for name, array in arrays.items():
            if array.dtype == np.int64:
                arrays[name] = array.astype(np.int16)
            elif array.dtype == np.float64 and not name.startswith("cost"):
                arrays[name] = array.astype(np.float32)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> Herrings:
        """What ``arrays`` gave. ValueError where one is missing or the shapes do not fit together."""
        names = [item.name for item in fields(cls)]
        if missing := [name for name in names if name not in arrays]:
            raise ValueError(f"no array {missing[0]}")
        walls, points = arrays["silhouette"].shape[:1], arrays["silhouette"].shape[:2]
        for name in names:
            expected = walls if name.startswith("cost") else points
            if arrays[name].shape[: len(expected)] != expected:
                raise ValueError(f"{name} has shape {arrays[name].shape}")
        wide = {"b": np.bool_, "i": np.int64, "f": np.float64}
        return cls(**{name: arrays[name].astype(wide[arrays[name].dtype.kind]) for name in names})


def measure(gram: FloatArray, truth: IntArray, labels: IntArray, orders: IntArray | None = None) -> Herrings:
    """Measure the red herrings of every wall.

    Parameters
    ----------
    gram : (n_walls, n_orders, n_points, n_points)
        Inner products of the clues' vectors.
    truth : (n_walls, n_points)
        The true group of each clue.
    labels : (n_walls, n_runs, n_points)
        The predicted clusters of each run, of any number and sizes.
    orders : (n_walls, 1 or n_orders, n_points)
        What decides between equally good partitions and equally near clues, as ``wall_orders`` draws it; by
        default the runs' orders.

    Notes
    -----
    Memory and time grow with the runs only in ``matching.placed``, which bounds its memory.

    Raises
    ------
    ValueError
        If there are more groups or clusters on a wall than ``matching.placed`` takes.

    """
    groups = dense_ranks(np.asarray(truth))
    gram = gram[:, :MOST_ORDERS]
    if orders is None:
        orders = clue_orders(gram.shape[1], gram.shape[-1])[np.newaxis]
    orders = np.broadcast_to(orders[:, :MOST_ORDERS], gram.shape[:3])
    squared = squared_distances(gram)
    costs = partition_costs(squared, groups[:, np.newaxis])
    best, best_costs = _best(gram, squared, groups, orders)
    distances = np.sqrt(squared).mean(axis=1)
    n_points, n_groups = groups.shape[1], _n_groups(groups)
    # Every pair is together in as many partitions as any other, so of all squared distances about the mean
    # this part is within groups.
    together = (n_points - n_groups) / max(1, n_points - 1)
    mean = squared.sum(axis=(2, 3)) / (2 * n_points) * together[:, np.newaxis]
    return Herrings(
        costs, best_costs, mean, best, *_clues(distances, groups, orders[:, 0]), placed(labels, groups)
    )


def squared_distances(gram: FloatArray) -> FloatArray:
    """Squared distances of points given by inner products, (..., n_points, n_points)."""
    own = np.einsum("...ii->...i", gram)
    squared = own[..., :, np.newaxis] + own[..., np.newaxis, :] - 2 * gram
    # The same clue twice is at no distance, and not at that of a rounding error.
    least = _ROUNDING * squared.max(axis=(-2, -1), keepdims=True)
    return np.asarray(np.where(squared > least, squared, 0.0))


def partition_costs(squared: FloatArray, groups: IntArray) -> FloatArray:
    """(...,): the k-means objective of partitions given as dense ranks (..., n_points)."""
    together = groups[..., :, np.newaxis] == groups[..., np.newaxis, :]
    within = np.where(together, squared, 0.0).sum(axis=-1)
    return np.asarray((within / (2 * own_group_sizes(groups))).sum(axis=-1))


def _best(
    gram: FloatArray, squared: FloatArray, groups: IntArray, orders: IntArray
) -> tuple[IntArray, FloatArray]:
    """The best partition of every wall in the first order, and its cost in every order."""
    from ....engine.partition import best_partitions
    from ....engine.partition_order import by_smallest_points

    n_walls, n_orders, n_points, _ = gram.shape
    best = np.full((n_walls, n_orders, n_points), -1, dtype=np.int64)
    sizes = np.sort(_sizes(groups), axis=1)
    kinds, kind_of_wall = np.unique(sizes, axis=0, return_inverse=True)
    for kind, row in enumerate(kinds):
        walls = np.flatnonzero(kind_of_wall.ravel() == kind)
        matrices = gram[walls].reshape(-1, n_points, n_points)
        try:
            met = orders[walls].reshape(-1, n_points)
            partitions = best_partitions(matrices, row[row > 0].tolist(), orders=met)
        except ValueError:  # the matrices have been clustered, so it is the shape that memory does not hold
            continue
        labels = by_smallest_points(partitions.labels, tuple(row[row > 0].tolist()))
        best[walls] = labels[:, 0].reshape(len(walls), n_orders, n_points)
    costs = partition_costs(squared, dense_ranks(best))
    return best[:, 0], np.where(best[..., 0] < 0, np.nan, costs)


def _clues(
    distances: FloatArray, groups: IntArray, orders: IntArray
) -> tuple[FloatArray, IntArray, FloatArray, FloatArray, IntArray]:
    """What is measured of each clue by its distances to the others; see ``Herrings``."""
    n_points = groups.shape[1]
    sizes = _sizes(groups)
    member = groups[..., np.newaxis] == np.arange(sizes.shape[1])
    sums = np.matmul(distances, member.astype(np.float64))
    own_size = own_group_sizes(groups)
    alone = own_size == 1
    to_own = np.where(member, sums, 0.0).sum(axis=-1) / np.where(alone, 1, own_size - 1)
    means = sums / np.maximum(sizes, 1)[:, np.newaxis]
    means[member | (sizes == 0)[:, np.newaxis]] = np.inf
    drawn_to = means.argmin(axis=-1)
    to_other = means.min(axis=-1)
    wider = np.maximum(to_own, to_other)
    defined = ~alone & (wider > 0) & np.isfinite(to_other)
    silhouette = np.where(defined, to_other - to_own, 0.0) / np.where(defined, wider, 1.0)

    slack = 1e-9 * distances.max(axis=(1, 2))[:, np.newaxis]  # what is less apart is equally near
    same = groups[:, :, np.newaxis] == groups[:, np.newaxis]
    itself = np.eye(n_points, dtype=bool)
    others = np.where(itself, np.inf, distances)
    near = others <= others.min(axis=-1, keepdims=True) + slack[..., np.newaxis]
    astray = np.where(alone, 0.0, (near & ~same).sum(axis=-1) / np.maximum(near.sum(axis=-1), 1))
    met = np.broadcast_to(orders[:, np.newaxis], others.shape)
    nearest = np.take_along_axis(
        met, np.argsort(np.take_along_axis(others, met, axis=-1), axis=-1, kind="stable"), axis=-1
    )
    reach = np.take_along_axis(
        np.take_along_axis(others, nearest, axis=-1), np.maximum(own_size - 2, 0)[..., np.newaxis], axis=-1
    )
    nearer = others < reach - slack[..., np.newaxis]
    at_reach = (others <= reach + slack[..., np.newaxis]) & ~nearer
    left = own_size - 1 - nearer.sum(axis=-1)  # places among its nearest for those that are equally far
    share = (at_reach & ~same).sum(axis=-1) / np.maximum(at_reach.sum(axis=-1), 1)
    strangers = np.where(alone, 0.0, (nearer & ~same).sum(axis=-1) + left * share)
    return silhouette, drawn_to, astray, strangers, nearest[..., : max(1, int(sizes.max()) - 1)]


def _n_groups(groups: IntArray) -> IntArray:
    return np.asarray(groups.max(axis=1) + 1)


def _sizes(groups: IntArray) -> IntArray:
    """(n_walls, most groups of a wall): how many clues each group has, 0 for a group that a wall lacks."""
    n_walls, k = len(groups), int(groups.max()) + 1
    cells = groups + np.arange(n_walls)[:, np.newaxis] * k
    return np.asarray(np.bincount(cells.ravel(), minlength=n_walls * k).reshape(n_walls, k))
