"""The cost of every group of a wall's clues, as ``best_partitions`` takes it in place of a Gram matrix."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...engine.partition import list_groups

Costs = NDArray[np.float64]


@lru_cache(maxsize=8)
def group_members(n_points: int, size: int) -> NDArray[np.float64]:
    """Which points each group of ``size`` holds, 1 or 0, (n_groups, n_points), in ``list_groups``' order."""
    groups = list_groups(n_points, size)
    members = np.zeros((len(groups), n_points))
    members[np.arange(len(groups))[:, np.newaxis], groups] = 1.0
    members.flags.writeable = False
    return members


def gram_group_costs(gram: NDArray[np.float64], size: int) -> Costs:
    """Squared distances within each group over its size, (n_problems, n_groups), as in k-means.

    ``gram`` is (n_problems, n_points, n_points). A partition's costs add up to what ``best_partitions`` finds
    for the matrix itself.
    """
    members = group_members(gram.shape[-1], size)
    squares = np.diagonal(gram, axis1=1, axis2=2) @ members.T
    within = np.einsum("gi,wij,gj->wg", members, gram, members, optimize=True)
    costs: Costs = squares - within / size
    return costs


def pair_group_costs(pairs: NDArray[np.float64], size: int) -> Costs:
    """The mean over the pairs in each group, (n_problems, n_groups); ``pairs`` is symmetric."""
    members = group_members(pairs.shape[-1], size)
    within = np.einsum("gi,wij,gj->wg", members, pairs, members, optimize=True)
    within -= np.diagonal(pairs, axis1=1, axis2=2) @ members.T
    costs: Costs = within / (size * (size - 1))
    return costs
