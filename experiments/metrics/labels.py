"""Scoring clusters of clues by index, all walls and seeds at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .agreement import (
    Overlap,
    adjusted_mutual_information,
    adjusted_rand,
    correct_groups,
    dense_ranks,
    fowlkes_mallows,
    overlap,
    solved_walls,
)
from .scores import FloatArray, IntArray, Scores, chosen_metrics
from .wasserstein import matched_distance, ordered_distance, slice_distances

_AGREEMENT: dict[str, Callable[[Overlap], FloatArray]] = {
    "fms": fowlkes_mallows,
    "ari": adjusted_rand,
    "ami": adjusted_mutual_information,
    "solved_walls": solved_walls,
    "correct_groups": correct_groups,
}


def score_labels(labels: ArrayLike, truth: ArrayLike, metrics: Iterable[str] | None = None) -> Scores:
    """Score the clusters of every wall and seed.

    Parameters
    ----------
    labels : (n_walls, n_seeds, n_points) integers, 0 or above
        The cluster of each clue. The clusters' numbers matter only to ``wd``, which takes them in rising
        order; they need not be 0 to k-1.
    truth : (n_walls, n_points) integers, 0 or above
        The true group of each clue, in the wall's order of groups.
    metrics : names of ``METRICS``, optional
        By default all that are defined. ``wd`` and ``wd_matched`` cut each wall into slices of one size,
        and are defined where every group of every wall and seed, true and predicted, has that size; the
        others take groups of any size and number. A mean over those walls alone whose groups happen to be
        equal would compare no two solvers, so there is none.

    Returns
    -------
    Scores
        Arrays (n_walls, n_seeds) by metric. Clues count by position, not by text, so a wall that holds one
        clue twice is scored as it should be; where no clue repeats, the values are those of the paper's
        evaluator.

    Raises
    ------
    TypeError
        ``labels`` or ``truth`` are not integers.
    ValueError
        The shapes do not fit, there is nothing to score, a label is negative, a metric is unknown, or
        ``wd`` or ``wd_matched`` is asked for groups of unequal sizes.
    """
    names = chosen_metrics(metrics)
    label_array, truth_array = _integers("labels", labels, 3), _integers("truth", truth, 2)
    n_walls, _, n_points = label_array.shape
    if truth_array.shape != (n_walls, n_points):
        raise ValueError(
            f"truth has shape {truth_array.shape}, expected (n_walls, n_points) = {(n_walls, n_points)} "
            f"to go with labels of shape {label_array.shape}"
        )
    true_ranks = dense_ranks(truth_array)[:, None]
    predicted_ranks = dense_ranks(label_array)
    pair = overlap(true_ranks, predicted_ranks)
    if metrics is None and not _of_one_size(pair):
        names = tuple(name for name in names if name in _AGREEMENT)
    values = agreement_values(names, pair)
    if "wd" in names or "wd_matched" in names:
        size = _equal_size(pair)
        by_cluster = np.argsort(predicted_ranks, axis=-1, kind="stable")
        predicted = np.take_along_axis(np.broadcast_to(true_ranks, label_array.shape), by_cluster, axis=-1)
        true = np.broadcast_to(np.arange(n_points) // size, predicted.shape)
        values |= slice_values(names, true, predicted, size)
    return Scores(MappingProxyType({name: values[name] for name in names}))


def agreement_values(names: Iterable[str], pair: Overlap) -> dict[str, FloatArray]:
    """Those of ``names`` that depend on the two partitions alone; each array has ``pair``'s leading axes."""
    return {name: _AGREEMENT[name](pair) for name in names if name in _AGREEMENT}


def slice_values(
    names: Iterable[str], true: IntArray, predicted: IntArray, size: int
) -> dict[str, FloatArray]:
    """``wd`` and ``wd_matched``, as far as in ``names``, of label sequences (..., n_points)."""
    shape = predicted.shape[:-1]
    rows = (-1, predicted.shape[-1] // size, size)
    true, predicted = true.reshape(rows), predicted.reshape(rows)
    distances = slice_distances(true, predicted)
    values: dict[str, FloatArray] = {}
    if "wd" in names:
        values["wd"] = ordered_distance(true, predicted, distances).reshape(shape)
    if "wd_matched" in names:
        values["wd_matched"] = matched_distance(distances).reshape(shape)
    return values


def _of_one_size(pair: Overlap) -> bool:
    """Whether all groups on both sides are equally large."""
    size = pair.true_sizes.flat[0]
    return bool((pair.true_sizes == size).all() and (pair.predicted_sizes == size).all())


def _equal_size(pair: Overlap) -> int:
    """The one size of all groups on both sides."""
    size = int(pair.true_sizes.flat[0])
    for side, sizes in (("true", pair.true_sizes), ("predicted", pair.predicted_sizes)):
        if (sizes != size).any():
            wall, seed = (int(axis[0]) for axis in np.nonzero((sizes != size).any(axis=-1)))
            other = int(sizes[wall, seed][sizes[wall, seed] != size][0])
            where = f"wall {wall}" if side == "true" else f"wall {wall}, seed {seed}"
            raise ValueError(
                f"wd and wd_matched cut each wall into slices of one size, but there are groups of {size} "
                f"and, {side} in {where}, of {other} clues; "
                "leave the two out with metrics=[...] to score unequal groups"
            )
    return size


def _integers(name: str, given: ArrayLike, n_axes: int) -> IntArray:
    array: np.ndarray[Any, np.dtype[Any]] = np.asarray(given)
    axes = "(n_walls, n_seeds, n_points)" if n_axes == 3 else "(n_walls, n_points)"
    if array.ndim != n_axes or array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}, expected {axes}, none of them 0")
    if not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} has dtype {array.dtype}, expected integers")
    if array.min() < 0:
        place = tuple(int(axis[0]) for axis in np.nonzero(array < 0))
        raise ValueError(
            f"{name}{list(place)} is {array[place]}, expected 0 or above: a clue without a group has no score"
        )
    return array.astype(np.int64, copy=False)
