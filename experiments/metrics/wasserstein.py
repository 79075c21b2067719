"""The paper's WD and its order-free variant, on sequences of labels cut into slices.

Both sides are sequences of true labels: the true one group after group, the predicted one cluster after
cluster. Each is cut into ``n_groups`` slices of the same length. The Wasserstein distance of two slices
treats the labels as positions on a line, as in the paper: a clue of group 3 in a slice of group 0 is three
times as far off as one of group 1. The cap at 1 hides much of that, but WD is not a measure of partitions: it
depends on the order of the true groups, and ``ordered_distance`` on that of the predicted ones as well.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from scipy.optimize import linear_sum_assignment

from .scores import FloatArray, IntArray

_MATCHINGS_LISTED = 5  # groups up to which all matchings are tried at once: 120 of them


def slice_distances(true: IntArray, predicted: IntArray) -> FloatArray:
    """min(Wasserstein distance, 1) of each predicted slice to each true slice.

    ``true`` and ``predicted`` are (n_rows, n_groups, n_in_group) label sequences; the result is
    (n_rows, n_groups, n_groups), [row, predicted slice, true slice]. Two samples of one size are best
    transported in sorted order, so the distance is the mean difference of the sorted labels.
    """
    true, predicted = np.sort(true, axis=-1), np.sort(predicted, axis=-1)
    n_rows, n_groups, n_in_group = predicted.shape
    distances = np.empty((n_rows, n_groups, n_groups))
    for group in range(n_groups):
        moved = np.abs(predicted - true[:, group : group + 1]).sum(axis=-1)
        distances[:, :, group] = np.minimum(moved, n_in_group) / n_in_group
    return distances


def ordered_distance(true: IntArray, predicted: IntArray, distances: FloatArray) -> FloatArray:
    """(n_rows,): the paper's WD, 0 to 1.

    Slices that are on both sides, label for label, are taken out in pairs; what is left is paired by
    position. ``true`` and ``predicted`` are as for ``slice_distances``, whose result is ``distances``.
    """
    same = (predicted[:, :, None] == true[:, None]).all(axis=-1)
    # The i-th of equal slices on one side goes with the i-th on the other.
    pairs = same & (_earlier_equals(predicted)[:, :, None] == _earlier_equals(true)[:, None])
    gone_predicted, gone_true = pairs.any(axis=2), pairs.any(axis=1)
    left_predicted = np.argsort(gone_predicted, axis=1, kind="stable")
    left_true = np.argsort(gone_true, axis=1, kind="stable")
    n_groups = predicted.shape[1]
    left = np.arange(n_groups) < n_groups - gone_true.sum(axis=1)[:, None]
    paired = distances[np.arange(len(distances))[:, None], left_predicted, left_true]
    return np.asarray(np.where(left, paired, 0.0).sum(axis=1) / n_groups)


def _earlier_equals(slices: IntArray) -> IntArray:
    """(n_rows, n_groups): how many earlier slices of the row are equal to this one."""
    equal = (slices[:, :, None] == slices[:, None]).all(axis=-1)
    return np.asarray(np.tril(equal, -1).sum(axis=-1))


def matched_distance(distances: FloatArray) -> FloatArray:
    """(n_rows,): the least mean distance over all matchings of predicted to true slices, 0 to 1."""
    n_rows, n_groups, _ = distances.shape
    if n_groups <= _MATCHINGS_LISTED:
        matchings = np.array(list(permutations(range(n_groups))))
        sums = np.zeros((n_rows, len(matchings)))
        for group in range(n_groups):
            sums += distances[:, group, matchings[:, group]]
        return np.asarray(sums.min(axis=1) / n_groups)
    best = np.empty(n_rows)
    for row, costs in enumerate(distances):
        best[row] = costs[linear_sum_assignment(costs)].mean()
    return best
