"""Partitions the slow way: list them all, and look."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


def all_partitions(points: Sequence[int], sizes: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Every partition of ``points`` into groups of these sizes, each once; the groups in any order."""
    if not sizes:
        yield []
        return
    for size in sorted(set(sizes)):
        later = list(sizes)
        later.remove(size)
        for others in itertools.combinations(points[1:], size - 1):
            group = (points[0], *others)
            rest = [point for point in points if point not in group]
            for partition in all_partitions(rest, later):
                yield [group, *partition]


def inertia(points: NDArray[np.float64], groups: Sequence[Sequence[int]]) -> float:
    """The sum of squared distances to the groups' means: the textbook's words."""
    return float(sum(((points[list(g)] - points[list(g)].mean(axis=0)) ** 2).sum() for g in groups))


def inertia_of_labels(points: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    return inertia(points, [np.flatnonzero(labels == label) for label in np.unique(labels)])


def group_inertia(points: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sum of squared distances to the mean of every group, (n_groups,)."""
    members = points[groups]
    return ((members - members.mean(axis=1, keepdims=True)) ** 2).sum(axis=(1, 2))


def four_by_four(costs: NDArray[np.float64], top: int) -> NDArray[np.float64]:
    """The ``top`` least costs of splitting 16 points into fours, ``costs`` being of the 1,820 groups.

    By halves: every split of the points into eight and eight, every split of each half into two fours.
    Each partition turns up three times, once for each way to pair its groups.
    """
    place = {group: i for i, group in enumerate(itertools.combinations(range(16), 4))}
    local = [(0, *others) for others in itertools.combinations(range(1, 8), 3)]
    in_half = np.array([[*g, *(p for p in range(8) if p not in g)] for g in local])  # (35, 8)
    least = []
    for others in itertools.combinations(range(1, 16), 7):
        half = np.array((0, *others))
        rest = np.setdiff1d(np.arange(16), half)
        sums = []
        for eight in (half, rest):
            rows = eight[in_half]
            sums.append(
                np.array(
                    [costs[place[tuple(row[:4])]] + costs[place[tuple(row[4:])]] for row in rows.tolist()]
                )
            )
        both = np.add.outer(*sums).ravel()
        least.append(np.partition(both, min(3 * top, 1224))[: 3 * top])
    return np.sort(np.concatenate(least))[: 3 * top : 3]
