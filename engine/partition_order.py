"""The order in which an exact partition meets the points: problems put in order, labels put back."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .orders import refuse_other_rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def check_orders(orders: ArrayLike | None, n_problems: int, n_points: int) -> Ints:
    """The order for each problem, (n_problems or 1, n_points); ValueError where a row is none.

    Without ``orders``, one drawn at random that is the same for all problems and calls.
    """
    if orders is None:
        from ..kernels.ordering import draw_orders

        drawn = np.empty((1, n_points), dtype=np.int64)
        draw_orders(np.zeros(1, dtype=np.uint64), drawn)
        return drawn
    array = np.asarray(orders)
    if array.shape not in ((n_points,), (n_problems, n_points)) or array.dtype.kind not in "iu":
        raise ValueError(
            f"orders must be integers of shape {(n_problems, n_points)} or {(n_points,)}, got {array.dtype} "
            f"of shape {array.shape}"
        )
    array = np.ascontiguousarray(np.atleast_2d(array), dtype=np.int64)
    refuse_other_rows(array)
    return array


def grams_in_order(gram: Floats, orders: Ints) -> Floats:
    """Gram matrices (n_problems, n_points, n_points) of the points put in order."""
    rows = np.take_along_axis(gram, orders[:, :, np.newaxis], axis=1)
    return np.ascontiguousarray(np.take_along_axis(rows, orders[:, np.newaxis, :], axis=2))


def costs_in_order(costs: Floats, orders: Ints, size: int) -> Floats:
    """The costs (n_problems, n_groups) of all groups of one size, of the points put in order."""
    from ..kernels.subsets import binomials, places_in_order

    n_points = orders.shape[1]
    if (orders == np.arange(n_points)).all():
        return costs
    binomial = binomials(n_points)
    places = np.empty(comb(n_points, size), dtype=np.int64)
    members = np.empty((2, n_points), dtype=np.int64)
    ordered = np.empty_like(costs)
    for problem in range(len(costs)):
        if problem < len(orders):
            places_in_order(orders[problem], size, binomial, members, places)
        ordered[problem] = costs[problem, places]
    return ordered


def labels_in_place(labels: Ints, orders: Ints) -> Ints:
    """Labels (n_problems, top, n_points) of the points put in order, as those of the points themselves."""
    back = np.argsort(orders, axis=1)[:, np.newaxis]
    return np.take_along_axis(labels, back, axis=2)


def by_smallest_points(labels: Ints, sizes: tuple[int, ...]) -> Ints:
    """The same partitions, groups of one size numbered by their smallest points."""
    first = np.stack([(labels == group).argmax(axis=2) for group in range(len(sizes))], axis=2)
    numbers = np.empty_like(first)
    for size in set(sizes):
        alike = np.flatnonzero(np.equal(sizes, size))
        places = np.argsort(np.argsort(first[:, :, alike], axis=2), axis=2)
        numbers[:, :, alike] = alike[places]
    return np.take_along_axis(numbers, labels, axis=2)
