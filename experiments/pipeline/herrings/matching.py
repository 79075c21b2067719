"""Which true group a predicted one stands for: the best matchings of the two, over all runs of a wall."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ...metrics.scores import FloatArray, IntArray

MOST_GROUPS = 6  # for which all matchings can be tried: 720 of them
_BLOCK_RUNS = 1 << 16  # walls times runs that are looked at at once


def placed(labels: IntArray, groups: IntArray) -> FloatArray:
    """The share of runs in which each clue's cluster is matched to each true group.

    In each run clusters are matched to groups so that as many clues as possible agree. Where several
    matchings are as good, each counts an equal part.

    Parameters
    ----------
    labels : (n_walls, n_runs, n_points) integers, 0 or above
        The cluster of each clue, of any number and sizes.
    groups : (n_walls, n_points)
        The true group of each clue, as dense ranks.

    Returns
    -------
    (n_walls, n_points, n_groups) float64
        The sum over the groups is below 1 where there are more clusters than groups, since some match none.

    Raises
    ------
    ValueError
        If a wall has more than ``MOST_GROUPS`` groups or clusters.

    """
    n_walls, n_runs, n_points = labels.shape
    n_groups = int(groups.max()) + 1
    placements = np.zeros((n_walls, n_points, n_groups))
    at_once = max(1, _BLOCK_RUNS // n_runs)
    for start in range(0, n_walls, at_once):
        block = slice(start, start + at_once)
        wall, clusters, times = _distinct(labels[block])
        wall += start
        # How many can be matched, which is up to the run and its wall alone, not to others beside them.
        sides = np.maximum(clusters.max(axis=1), groups[wall].max(axis=1)) + 1
        if (most := sides.max()) > MOST_GROUPS:
            raise ValueError(f"got {most} groups or clusters on a wall, expected at most {MOST_GROUPS}")
        for k in np.unique(sides).tolist():
            rows = np.flatnonzero(sides == k)
            pairs = _matched(clusters[rows], groups[wall[rows]], k)
            of_clue = np.take_along_axis(pairs, clusters[rows][..., np.newaxis], axis=1)
            of_clue *= (times[rows] / n_runs)[:, np.newaxis, np.newaxis]
            np.add.at(placements[..., :k], wall[rows], of_clue[..., :n_groups])
    return placements


def _distinct(labels: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The different partitions of each wall: (n,) its wall, (n, n_points) clusters, (n,) in how many runs.

    Many runs find the same few partitions, and matching them takes most of the time.
    """
    n_walls, _, n_points = labels.shape
    numbered = _by_first_clue(labels.reshape(-1, n_points)).reshape(labels.shape)
    distinct, times = [], []
    for runs in numbered:
        rows, counts = np.unique(runs.view(f"V{n_points}").ravel(), return_counts=True)
        distinct.append(rows.view(np.int8).reshape(-1, n_points))
        times.append(counts)
    wall = np.repeat(np.arange(n_walls), [len(rows) for rows in distinct])
    return wall, np.concatenate(distinct).astype(np.int64), np.concatenate(times)


def _by_first_clue(rows: IntArray) -> NDArray[np.int8]:
    """Each row's clusters numbered in the order of their first clues, (n_rows, n_points)."""
    every = np.arange(len(rows))
    number = np.full((len(rows), int(rows.max()) + 1), -1, dtype=np.int8)
    used = np.zeros(len(rows), dtype=np.int8)
    numbered = np.empty(rows.shape, dtype=np.int8)
    for point in range(rows.shape[1]):
        cluster = rows[:, point]
        known = number[every, cluster]
        fresh = known < 0
        number[every, cluster] = numbered[:, point] = np.where(fresh, used, known)
        used += fresh
    return numbered


def _matched(clusters: IntArray, groups: IntArray, k: int) -> FloatArray:
    """(n_rows, k clusters, k groups): the part of the best matchings in which the two are a pair."""
    n_rows = len(clusters)
    cells = (np.arange(n_rows)[:, np.newaxis] * k + clusters) * k + groups
    shared = np.bincount(cells.ravel(), minlength=n_rows * k * k).reshape(n_rows, k * k)
    matchings = np.array([np.eye(k)[list(matching)].ravel() for matching in permutations(range(k))])
    agreeing = shared @ matchings.T
    as_good = agreeing == agreeing.max(axis=1, keepdims=True)
    return np.asarray((as_good @ matchings / as_good.sum(axis=1, keepdims=True)).reshape(n_rows, k, k))
