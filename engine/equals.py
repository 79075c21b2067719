"""Points that a Gram matrix cannot tell apart, which must not be told apart by their places in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ROUNDING_UNITS = 64  # of an inner product, in units of the last place: what is less apart is equal


def merge_equals(gram: NDArray[Any]) -> NDArray[Any]:
    """Give points that are equal but for rounding equal rows and columns.

    How an inner product is rounded depends on where in the matrix it stands. Two points are equal where their
    rows are, to within ``ROUNDING_UNITS`` of the matrix's type.

    Parameters
    ----------
    gram : (n_problems, n_points, n_points) float32 or float64
        Inner products. They need not be positive semidefinite.

    Returns
    -------
    (n_problems, n_points, n_points)
        The same array where nothing is to be merged.

    """
    slack = ROUNDING_UNITS * float(np.finfo(gram.dtype).eps)
    own = np.diagonal(gram, axis1=1, axis2=2)
    sizes = np.abs(own)
    with np.errstate(over="ignore", invalid="ignore"):
        squared = own[:, :, np.newaxis] + own[:, np.newaxis] - 2 * gram
        near = np.abs(squared) <= 4 * slack * (sizes[:, :, np.newaxis] + sizes[:, np.newaxis])
    near &= np.isfinite(squared)  # what overflows is compared with what may overflow as well
    first = np.broadcast_to(np.arange(gram.shape[1]), gram.shape[:2]).copy()
    for j in range(gram.shape[1] - 1):
        problem, later = np.nonzero(near[:, j, j + 1 :] & (first[:, j + 1 :] > j))
        if not len(problem):
            continue
        later += j + 1
        alone = (first[problem, later] == later) & (first[problem, j] == j)
        problem, later = problem[alone], later[alone]
        with np.errstate(over="ignore"):
            apart = np.abs(gram[problem, later] - gram[problem, j])
        lengths = np.sqrt(sizes[problem])  # of each point: the product of two of their squares may overflow
        equal = apart <= slack * lengths * lengths[np.arange(len(problem)), j][:, np.newaxis]
        merged = equal.all(axis=1)
        first[problem[merged], later[merged]] = j
    return with_rows_of(gram, first)


def with_rows_of(gram: NDArray[Any], first: NDArray[np.int64]) -> NDArray[Any]:
    """The matrices with each point's row and column those of its point ``first`` (n_problems, n_points)."""
    changed = np.flatnonzero((first != np.arange(first.shape[1])).any(axis=1))
    if not len(changed):
        return gram
    rows = first[changed]
    merged = gram.copy()
    merged[changed] = gram[changed[:, np.newaxis, np.newaxis], rows[:, :, np.newaxis], rows[:, np.newaxis, :]]
    return merged
