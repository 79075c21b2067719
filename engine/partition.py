"""Exact partitions of small problems: the best one, and the next best.

Where ``cluster_batch`` searches from many starts, this proves: the result depends on no seed and no start,
and on an order of the points only where partitions cost the same. The loops are in ``kernels.partition_cpu``.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, factorial, prod
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..memory import free_bytes
from .device import resolve_device, resolve_n_threads
from .equals import merge_equals
from .masks import as_array
from .partition_order import (
    by_smallest_points,
    check_orders,
    costs_in_order,
    grams_in_order,
    labels_in_place,
)
from .symmetry import check_symmetric

_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True)
class Partitions:
    """The ``top`` best partitions of each problem, best first."""

    labels: NDArray[np.int64]  # (n_problems, top, n_points)
    cost: NDArray[np.float64]  # (n_problems, top), rising
    device: str  # what was used


def list_groups(n_points: int, size: int) -> NDArray[np.int64]:
    """Every group of ``size`` of the points 0 to ``n_points - 1``, in the order that ``group_cost`` has.

    Returns (n_groups, size) int64, the rows of ``itertools.combinations(range(n_points), size)``.
    """
    if not 1 <= size <= n_points:
        raise ValueError(f"got size={size} for {n_points} points; it must be from 1 to {n_points}")
    members = itertools.chain.from_iterable(itertools.combinations(range(n_points), size))
    return np.fromiter(members, np.int64, comb(n_points, size) * size).reshape(-1, size)


def count_partitions(group_size: Sequence[int]) -> int:
    """How many partitions there are into groups of these sizes."""
    alike = prod(factorial(times) for times in Counter(group_size).values())
    return factorial(sum(group_size)) // prod(map(factorial, group_size)) // alike


def best_partitions(
    gram: ArrayLike | None = None,
    group_size: int | Sequence[int] | None = None,
    top: int = 1,
    *,
    group_cost: ArrayLike | Mapping[int, ArrayLike] | None = None,
    orders: ArrayLike | None = None,
    device: str = "auto",
    n_jobs: int | None = None,
) -> Partitions:
    """Find the ``top`` partitions of least cost, exactly.

    Parameters
    ----------
    gram : (n_problems, n_points, n_points) or (n_points, n_points)
        Inner products of the points of each problem, symmetric; a single matrix is a batch of one. The
        cost of a group is the sum of the squared distances g[i,i] + g[j,j] - 2 g[i,j] between its points,
        over its size: together the objective of k-means, the inertia of ``ConstrainedKMeans``. The
        matrix need not be positive semidefinite.
    group_size : int or sequence of int
        The size of every group, or the size of each; together all points.
    top : int
        How many partitions to find.
    group_cost : (n_problems, n_groups) or (n_groups,), or a mapping from each size to such an array
        In place of ``gram``: the cost of every group of that size, in the order of ``list_groups``; inf
        forbids a group. With several sizes, a mapping with one array each.
    orders : (n_problems, n_points) or (n_points,) ints, optional
        The order in which each problem's points are met, which decides between partitions of equal cost: the
        partitions of points in an order are those of the points put in this order. By default one drawn at
        random, the same in every call: where points stand in the data has no part in it.
    device : str
        "auto", "cpu" or "cuda"; "auto" takes a CUDA device if there is one and the shape fits it.
    n_jobs : int or None
        Threads; None and -1 take every core that this process may use.

    Returns
    -------
    Partitions
        ``labels`` (n_problems, top, n_points) and ``cost`` (n_problems, top), rising. Group g has the g-th of
        the sizes; groups of one size are numbered by their first points in the order that is given, or by
        their smallest points. Partitions of equal cost come in an order that depends only on that problem's
        costs and order.

    Raises
    ------
    TypeError
        If neither or both of ``gram`` and ``group_cost`` are given, or a number is not a whole one.
    ValueError
        If the arguments do not fit together, an entry is NaN or -inf (in ``gram``: not finite), a matrix
        is not symmetric, a row of ``orders`` is not an order, a problem has fewer than ``top`` partitions
        without a forbidden group, or the shape takes more memory than there is; the message names the
        problem or the bytes.

    Notes
    -----
    Dynamic programming over subsets, where the smallest point left always gets the next group: four
    groups of four take 180,180 additions. From 34 million on, a search goes first, among the groups that
    prices of the points leave (the dual of set partitioning's linear relaxation); it proves as much, most
    often within a second, and leaves the rest to dynamic programming: five groups of five take 613 million
    additions and 10 MB.
    """
    if group_size is None:
        raise TypeError("group_size must be given: how many points a group has, or each group's number")
    wanted = _size_or_sizes(group_size)
    threads = resolve_n_threads(n_jobs)
    matrices: NDArray[np.float64] | None = None
    given: dict[int, NDArray[np.float64]] = {}
    if gram is not None and group_cost is not None:
        raise TypeError("give either gram or group_cost, got both")
    if gram is not None:
        matrices = _gram(gram)
        n_problems, n_points = matrices.shape[:2]
        sizes = _sizes(wanted, n_points)
    elif group_cost is not None:
        sizes, given = _group_costs(group_cost, wanted)
        n_problems, n_points = len(next(iter(given.values()))), sum(sizes)
    else:
        raise TypeError("give either gram or group_cost, got neither")
    top = _whole(top, "top")
    if top > count_partitions(sizes):
        raise ValueError(
            f"got top={top}, but {n_points} points have only {count_partitions(sizes)} partitions into "
            f"groups of {_text(sizes)}"
        )
    order_of, drawn = check_orders(orders, n_problems, n_points), orders is None
    in_order = sum(each.nbytes for each in (*given.values(), *([] if matrices is None else [matrices])))
    too_large = _beyond_memory(sizes, n_problems, top, threads, in_order)

    from ..kernels.partition_plan import cuda_obstacle, plan
    from .partition_solver import Problems, Solutions, listed_ways, solve

    shape = plan(sizes)
    used = resolve_device(device, cuda_obstacle(shape))
    if matrices is not None:
        matrices = grams_in_order(merge_equals(matrices), order_of)
    given = {size: costs_in_order(costs, order_of, size) for size, costs in given.items()}
    problems = Problems(shape, matrices, given)
    if used == "cuda":
        from ..kernels.cuda_partition import solve_on_cuda

        best = Solutions.empty(n_problems, top, n_points)
        solve_on_cuda(shape, matrices, given, listed_ways(sizes), best.labels, best.costs, best.counts)
    else:
        best = solve(problems, top, threads, layers_fit=too_large is None)
    for problem in np.flatnonzero(best.counts < top)[:1]:
        if best.counts[problem] < 0:
            raise ValueError(
                f"problem {problem} has too many partitions of nearly equal cost, and {too_large}"
            )
        raise ValueError(
            f"problem {problem} has {best.counts[problem]} partitions without a forbidden group (cost inf), "
            f"and top={top} were asked for"
        )
    labels = labels_in_place(best.labels, order_of)
    if drawn:
        labels = by_smallest_points(labels, sizes)
    return Partitions(labels=labels, cost=best.costs, device=used)


def _whole(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"got {name}={value!r}; it must be a whole number")
    if value < 1:
        raise ValueError(f"got {name}={value}; it must be at least 1")
    return int(value)


def _text(sizes: tuple[int, ...]) -> str:
    return str(sizes[0]) if len(set(sizes)) == 1 else ", ".join(map(str, sizes))


def _gram(gram: ArrayLike) -> NDArray[np.float64]:
    """The Gram matrices as one writable float64 batch, so that kernels compile for one type only."""
    matrices = np.require(as_array(gram, "gram"), np.float64, ["C", "W"])
    if matrices.ndim == 2:
        matrices = matrices[np.newaxis]
    if matrices.ndim != 3 or matrices.shape[1] != matrices.shape[2] or matrices.shape[1] == 0:
        raise ValueError(
            f"got gram of shape {np.shape(gram)}; expected (n_problems, n_points, n_points) or one "
            "(n_points, n_points): for points use points @ points.T"
        )
    bad = np.argwhere(~np.isfinite(matrices))
    if len(bad):
        problem, i, j = bad[0]
        raise ValueError(
            f"gram of problem {problem} is {matrices[problem, i, j]} at ({i}, {j}); it must be finite"
        )
    largest = np.abs(matrices).max(axis=(1, 2), initial=0.0)
    bad = np.argwhere(largest > _LARGEST / (4 * matrices.shape[1] ** 2))
    if len(bad):
        raise ValueError(
            f"gram of problem {bad[0, 0]} has an entry of size {largest[bad[0, 0]]:.3g}, too large to add up "
            "in float64; scale it down"
        )
    check_symmetric(matrices)
    return matrices


def _size_or_sizes(group_size: int | Sequence[int]) -> int | tuple[int, ...]:
    if isinstance(group_size, Integral):
        return _whole(group_size, "group_size")
    if isinstance(group_size, (str, float)) or not np.iterable(group_size):
        raise TypeError(f"got group_size={group_size!r}; it must be a whole number or a sequence of them")
    sizes = tuple(_whole(size, f"group_size[{group}]") for group, size in enumerate(group_size))
    if not sizes:
        raise ValueError("got group_size with no sizes; it must name at least one")
    return sizes


def _sizes(wanted: int | tuple[int, ...], n_points: int) -> tuple[int, ...]:
    """The size of each group."""
    if isinstance(wanted, tuple):
        if sum(wanted) != n_points:
            raise ValueError(f"got {n_points} points and group_size={wanted}, which sum to {sum(wanted)}")
        return wanted
    if n_points % wanted:
        raise ValueError(
            f"got {n_points} points and group_size={wanted}, which does not divide them; give the size of "
            "each group instead"
        )
    return (wanted,) * (n_points // wanted)


def _group_costs(
    group_cost: ArrayLike | Mapping[int, ArrayLike], wanted: int | tuple[int, ...]
) -> tuple[tuple[int, ...], dict[int, NDArray[np.float64]]]:
    """The size of each group, and the costs of all groups by size, each (n_problems, n_groups)."""
    different = set(wanted) if isinstance(wanted, tuple) else {wanted}
    by_size: dict[int, ArrayLike]
    if isinstance(group_cost, Mapping):
        by_size = dict(group_cost)
    elif len(different) == 1:
        by_size = {min(different): group_cost}
    else:
        raise ValueError(f"with group_size={wanted}, group_cost must map each size to its array")
    if set(by_size) != different:
        raise ValueError(f"got group_cost for sizes {sorted(by_size)}; group_size has {sorted(different)}")
    arrays: dict[int, NDArray[np.float64]] = {}
    for size, costs in by_size.items():
        array = np.require(as_array(costs, "group_cost"), np.float64, ["C"])
        if array.ndim not in (1, 2) or array.shape[-1] == 0:
            raise ValueError(f"got group_cost of shape {array.shape}; expected (n_problems, n_groups)")
        arrays[int(size)] = np.atleast_2d(array)
    if isinstance(wanted, tuple):
        n_points = sum(wanted)
    else:
        n_points = wanted
        while comb(n_points, wanted) < arrays[wanted].shape[1]:
            n_points += wanted
    sizes = _sizes(wanted, n_points)
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) > 1:
        raise ValueError(f"got group_cost for {sorted(lengths)} problems; each size must have as many rows")
    for size, array in arrays.items():
        if array.shape[1] != comb(n_points, size):
            raise ValueError(
                f"got group_cost with {array.shape[1]} costs for groups of {size}; {n_points} points have "
                f"{comb(n_points, size)} such groups"
            )
        bad = np.argwhere(np.isnan(array) | (array == -np.inf))
        if len(bad):
            problem, group = bad[0]
            members = list_groups(n_points, size)[group].tolist()
            raise ValueError(
                f"group_cost of problem {problem} is {array[problem, group]} for the group {members}; "
                "it must be a number, or inf to forbid the group"
            )
        largest = np.max(np.abs(array), where=np.isfinite(array), initial=0.0)
        if largest > _LARGEST / (4 * n_points):
            raise ValueError(
                f"group_cost reaches {largest:.3g}, too large to add up in float64; scale it down"
            )
    return sizes, arrays


def _beyond_memory(
    sizes: tuple[int, ...], n_problems: int, top: int, threads: int, in_order: int
) -> str | None:
    """Why dynamic programming has no room, or None if it has; a ValueError if nothing else has either.

    ``in_order`` are the bytes of the data, of which a copy in the points' order is made.
    """
    from ..kernels.limits import MOST_POINTS, MOST_TOP
    from ..kernels.partition_plan import count_values

    free = free_bytes()
    n_points = sum(sizes)
    results = 8 * top * (n_points + 2) * (n_problems + 3 * threads) + in_order
    lists = 16 * threads * max(comb(n_points - 1, size - 1) for size in sizes)
    needed = 8 * count_values(sizes, free // 8) + lists + results
    if needed <= free:
        return None
    text = (
        f"the exact partition of {n_points} points into groups of {_text(sizes)} with top={top} takes "
        f"{needed:,} bytes or more, and {free:,} are free; cluster_batch has no such limit"
    )
    searched = 40 * min(threads, n_problems) * sum(comb(n_points, size) for size in set(sizes)) + results
    if searched > free or n_points > MOST_POINTS or top > MOST_TOP:
        raise ValueError(text)
    return text
