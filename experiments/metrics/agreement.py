"""How far two partitions of the same points agree: FMS, ARI, AMI and the groups that are in both.

All functions work on many pairs at once, ``(..., n_points)`` labels with broadcast leading axes, and on
groups of any size and number. No contingency table is built: each point knows the size of its group on
both sides and of the cell where the two meet, and every metric is a sum over points of a function of these.
Labels are names only here; what depends on their order is in ``slices.py``.

Sources: Fowlkes and Mallows 1983; Hubert and Arabie 1985; Vinh, Epps and Bailey 2010 (eq. 24, arithmetic
mean of the entropies). Degenerate partitions follow scikit-learn: FMS is 0 where no pair of points shares a
group on both sides, ARI and AMI are 1 for equal partitions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from .scores import FloatArray, IntArray


def dense_ranks(labels: IntArray) -> IntArray:
    """Each row's labels replaced by their rank among the row's distinct labels: 0, 1, ... by value."""
    order = np.argsort(labels, axis=-1, kind="stable")
    ordered = np.take_along_axis(labels, order, axis=-1)
    ranks = np.zeros_like(ordered)
    np.cumsum(ordered[..., 1:] != ordered[..., :-1], axis=-1, out=ranks[..., 1:])
    out = np.empty_like(ranks)
    np.put_along_axis(out, order, ranks, axis=-1)
    return out


def own_group_sizes(ranks: IntArray) -> IntArray:
    """For each point, how many points of its row share its label. ``ranks`` are those of ``dense_ranks``."""
    n_points = ranks.shape[-1]
    rows = ranks.reshape(-1, n_points)
    cells = rows + np.arange(len(rows))[:, None] * n_points
    sizes: IntArray = np.bincount(cells.ravel(), minlength=cells.size)[cells].reshape(ranks.shape)
    return sizes


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two partitions side by side; see ``overlap``. Each array is (..., n_points) int64."""

    true_sizes: IntArray  # of the point's true group
    predicted_sizes: IntArray  # of its predicted group
    cell_sizes: IntArray  # of the points that share both with it

    @property
    def equal(self) -> NDArray[np.bool_]:
        """(...,): whether the two partitions are the same."""
        same = (self.cell_sizes == self.true_sizes) & (self.cell_sizes == self.predicted_sizes)
        return np.asarray(same.all(axis=-1))


def overlap(true_ranks: IntArray, predicted_ranks: IntArray) -> Overlap:
    """Sizes of groups and cells for partitions given as dense ranks, ``(..., n_points)`` each."""
    n_points = true_ranks.shape[-1]
    cells = dense_ranks(true_ranks * n_points + predicted_ranks)
    return Overlap(own_group_sizes(true_ranks), own_group_sizes(predicted_ranks), own_group_sizes(cells))


def correct_groups(pair: Overlap) -> FloatArray:
    """(...,): how many groups are in both partitions."""
    hit = (pair.cell_sizes == pair.true_sizes) & (pair.cell_sizes == pair.predicted_sizes)
    # A group of s points is counted s times, as 1/s; the sum is whole but for rounding.
    return np.asarray(np.rint((hit / pair.cell_sizes).sum(axis=-1)))


def solved_walls(pair: Overlap) -> FloatArray:
    """(...,): 1 where the two partitions are the same, else 0."""
    return pair.equal.astype(np.float64)


def _shared_pairs(pair: Overlap) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(...,): ordered pairs of points together on both sides, in the true groups, in the predicted ones."""
    together, in_true, in_predicted = (
        (sizes.sum(axis=-1) - sizes.shape[-1]).astype(np.float64)
        for sizes in (pair.cell_sizes, pair.true_sizes, pair.predicted_sizes)
    )
    return together, in_true, in_predicted


def fowlkes_mallows(pair: Overlap) -> FloatArray:
    """(...,): the Fowlkes-Mallows score, 0 to 1."""
    together, in_true, in_predicted = _shared_pairs(pair)
    return np.sqrt(together / np.maximum(in_predicted, 1.0)) * np.sqrt(together / np.maximum(in_true, 1.0))


def adjusted_rand(pair: Overlap) -> FloatArray:
    """(...,): the adjusted Rand index, at most 1."""
    n_points = pair.cell_sizes.shape[-1]
    both, in_true, in_predicted = _shared_pairs(pair)
    only_true, only_predicted = in_true - both, in_predicted - both
    neither = n_points * (n_points - 1) - both - only_true - only_predicted
    above = 2.0 * (both * neither - only_true * only_predicted)
    below = in_true * (only_true + neither) + in_predicted * (only_predicted + neither)
    equal = (only_true == 0) & (only_predicted == 0)
    return np.where(equal, 1.0, above / np.where(equal, 1.0, below))


def adjusted_mutual_information(pair: Overlap) -> FloatArray:
    """(...,): the adjusted mutual information with the arithmetic mean of the entropies, at most 1."""
    n_points = pair.cell_sizes.shape[-1]
    ratio = n_points * pair.cell_sizes / (pair.true_sizes * pair.predicted_sizes)
    information = np.log(ratio).mean(axis=-1)
    entropy = (np.log(n_points / pair.true_sizes) + np.log(n_points / pair.predicted_sizes)).mean(axis=-1) / 2
    expected = expected_information(pair.true_sizes, pair.predicted_sizes)
    # Equal partitions are 1 by definition; theirs may be 0 / 0 (one group, or every point alone).
    equal = pair.equal
    return np.where(equal, 1.0, (information - expected) / np.where(equal, 1.0, entropy - expected))


def expected_information(true_sizes: IntArray, predicted_sizes: IntArray) -> FloatArray:
    """(...,): mutual information in nats to expect of random partitions with these group sizes.

    It is a sum over pairs of groups of a function of their two sizes, so that function is tabulated once
    for the distinct sizes that occur anywhere: one pair of sizes for walls of four groups of four.
    """
    n_points = true_sizes.shape[-1]
    sizes_a, numbers_a = _groups_by_size(true_sizes)
    sizes_b, numbers_b = _groups_by_size(predicted_sizes)
    table = _pair_information(sizes_a, sizes_b, n_points)
    return np.asarray(((numbers_a @ table) * numbers_b).sum(axis=-1))


def _groups_by_size(own_sizes: IntArray) -> tuple[IntArray, FloatArray]:
    """The distinct group sizes (n_sizes,), and how many groups of each a row has (..., n_sizes)."""
    n_points = own_sizes.shape[-1]
    rows = own_sizes.reshape(-1, n_points)
    present = np.bincount(rows.ravel(), minlength=n_points + 1)
    sizes = np.flatnonzero(present)
    column = np.zeros(n_points + 1, dtype=np.int64)
    column[sizes] = np.arange(len(sizes))
    cells = column[rows] + np.arange(len(rows))[:, None] * len(sizes)
    points = np.bincount(cells.ravel(), minlength=len(rows) * len(sizes)).reshape(len(rows), len(sizes))
    return sizes, (points // sizes).astype(np.float64).reshape(*own_sizes.shape[:-1], len(sizes))


def _pair_information(sizes_a: IntArray, sizes_b: IntArray, n_points: int) -> FloatArray:
    """(n_sizes_a, n_sizes_b): what a pair of groups of these sizes adds to the expected information.

    The overlap of a group of a points with a random group of b is hypergeometric; an overlap of c adds
    c/n log(n c / (a b)).
    """
    log_factorial = gammaln(np.arange(n_points + 1) + 1.0)
    table = np.zeros((len(sizes_a), len(sizes_b)))
    b = sizes_b[:, None]
    for row, a in enumerate(sizes_a):
        overlaps = np.arange(1, a + 1)
        possible = (overlaps <= b) & (overlaps >= a + b - n_points)
        c = np.where(possible, overlaps, np.minimum(a, b))  # any valid overlap where there is none
        log_probability = (
            log_factorial[a]
            + log_factorial[b]
            + log_factorial[n_points - a]
            + log_factorial[n_points - b]
            - log_factorial[n_points]
            - log_factorial[c]
            - log_factorial[a - c]
            - log_factorial[b - c]
            - log_factorial[n_points - a - b + c]
        )
        terms = c / n_points * np.log(n_points * c / (a * b)) * np.exp(log_probability)
        table[row] = np.where(possible, terms, 0.0).sum(axis=-1)
    return table
