"""Many small size-constrained k-means problems at once."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels.batch import Best, Starts, empty_best
from ..kernels.limits import FAILED, MAX_SHARED_POINTS
from ..memory import free_bytes
from .array_types import Bound
from .bounds import check_bounds, check_n_clusters
from .device import resolve_device, resolve_n_threads
from .equals import merge_equals
from .frame import TOO_SMALL
from .masks import as_array
from .orders import refuse_other_rows
from .symmetry import check_symmetric
from .threads import run_chunks

ASSIGNMENT_COSTS = ("squared", "euclidean")
MAX_POINTS = 4096  # of a problem: its distances, twice, take 256 MiB for each thread
_MAX_SLOTS = 4096
_BLOCK_BYTES = 1 << 18  # distances computed before they are used: they stay in the second cache
_ALWAYS_FITS = 1 << 28  # bytes: less is not compared with the free memory
_LEAST_INERTIA, _LEAST_SIZE = 1e-260, 1e-120  # below, what is squared nears the end of float64


@dataclass(frozen=True, slots=True)
class BatchSolution:
    """The best clustering of each problem for each seed.

    Attributes
    ----------
    labels : (n_problems, n_seeds, n_points) int64
        Cluster of each point, in the problem's own order of the points.
    inertia : (n_problems, n_seeds) float64
        Sum of the squared distances of the points to their cluster's mean.
    n_iter : (n_problems, n_seeds) int64
        Iterations of the start that was kept.
    status : (n_problems, n_seeds) int64
        0 where the kept start converged, 1 where ``max_iter`` ended it.
    device : str
        What did the work, ``"cpu"`` or ``"cuda"``.
    """

    labels: NDArray[np.int64]
    inertia: NDArray[np.float64]
    n_iter: NDArray[np.int64]
    status: NDArray[np.int64]
    device: str


def check_search(n_init: object, max_iter: object, assignment_cost: object) -> tuple[int, int]:
    """``n_init`` and ``max_iter`` as integers; ValueError on what ``cluster_batch`` cannot search by."""
    if assignment_cost not in ASSIGNMENT_COSTS:
        raise ValueError(
            f"assignment_cost must be one of {', '.join(ASSIGNMENT_COSTS)}, got {assignment_cost!r}"
        )
    return _check_count(n_init, "n_init"), _check_count(max_iter, "max_iter")


def _check_count(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
    return int(value)


def _check_data(points: ArrayLike | None, gram: ArrayLike | None) -> NDArray[Any]:
    if (points is None) == (gram is None):
        raise TypeError("give either points or gram, got " + ("neither" if points is None else "both"))
    name, axes = ("points", "n_features") if gram is None else ("gram", "n_points")
    data = as_array(points if gram is None else gram, name)
    if data.ndim != 3:
        hint = f": for one data set take ConstrainedKMeans, or give {name}[None]" if data.ndim == 2 else ""
        raise ValueError(
            f"{name} must have shape (n_problems, n_points, {axes}), got shape {data.shape}{hint}"
        )
    if data.shape[1] > MAX_POINTS:
        raise ValueError(
            f"{name} has problems of {data.shape[1]} points; cluster_batch works on the distances of all "
            f"pairs and takes at most {MAX_POINTS}: take ConstrainedKMeans for each problem"
        )
    if data.dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold real numbers, got dtype {data.dtype}")
    if data.dtype not in (np.float32, np.float64):
        data = data.astype(np.float64)
    if gram is not None and data.shape[1] != data.shape[2]:
        raise ValueError(f"each Gram matrix must be square, got shape {data.shape}")
    if 0 in data.shape[1:]:
        raise ValueError(f"each problem needs points and features, got {name} of shape {data.shape}")
    # A sum is finite only if all its terms are, or if it overflows: look closer only then.
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = not np.isfinite(data.sum())
    if suspicious and not (finite := np.isfinite(data)).all():
        problem, point = np.argwhere(~finite.all(axis=2))[0]
        raise ValueError(f"{name} of problem {problem} have a NaN or an infinity in row {point}")
    if gram is not None:
        check_symmetric(data)
        data = merge_equals(data)
    return data


def _check_seeds(seeds: int | Sequence[int], n_problems: int, n_points: int) -> NDArray[np.uint64]:
    if isinstance(seeds, (int, np.integer)) and not isinstance(seeds, bool):
        n_seeds = _check_count(seeds, "seeds")
        needed = 8 * n_seeds * (n_points + (n_points + 3) * n_problems)  # orders and results
        if needed > _ALWAYS_FITS and needed > (free := free_bytes()):
            raise ValueError(
                f"seeds={seeds} for {n_problems} problems of {n_points} points takes {needed:,} bytes, "
                f"and {free:,} are free: ask for fewer seeds, or call several times with sequences of seeds"
            )
        return np.arange(n_seeds, dtype=np.uint64)
    values = list(np.asarray(seeds, dtype=object).ravel())
    if not values:
        raise ValueError("seeds must be a count or a sequence of integers, got an empty sequence")
    for seed in values:
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**64:
            raise ValueError(f"seeds must be integers from 0 to 2**64 - 1, got {seed!r}")
    return np.array(values, dtype=np.uint64)


def _check_orders(orders: ArrayLike | None, seeds: NDArray[np.uint64], n_points: int) -> NDArray[np.int64]:
    n_seeds = len(seeds)
    if orders is None:
        from ..kernels.ordering import draw_orders

        drawn = np.empty((n_seeds, n_points), dtype=np.int64)
        draw_orders(seeds, drawn)
        return drawn
    array = as_array(orders, "orders")
    if array.shape != (n_seeds, n_points) or array.dtype.kind not in "iu":
        raise ValueError(
            f"orders must be integers of shape (n_seeds, n_points) = {(n_seeds, n_points)}, "
            f"got {array.dtype} of shape {array.shape}"
        )
    refuse_other_rows(array)
    return np.ascontiguousarray(array, dtype=np.int64)


def _n_slots(n_starts: int, n_points: int, n_clusters: int) -> int:
    """How many solved starts to remember: as many as can recur, within reason; 1 for none."""
    n_sets = float(n_points) ** n_clusters
    if n_starts == 1 or n_sets > 64.0 * 64.0 * n_starts or n_sets >= 2.0**62:
        return 1
    slots = 2
    while slots < min(2 * n_starts, _MAX_SLOTS):
        slots *= 2
    return slots


def _too_small(points: NDArray[Any], inertia: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which problems have such small numbers that squares of differences lose digits or vanish."""
    small: NDArray[np.bool_] = inertia.min(axis=1) < _LEAST_INERTIA  # few are: the rest need no look
    for p in np.flatnonzero(small):
        small[p] = 0 < np.abs(points[p]).max() < _LEAST_SIZE
    return small


def _enlarge(points: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Problems times powers of two, which change no digit, so that their largest numbers are about 1."""
    exponents = -np.frexp(np.abs(points).max(axis=(1, 2)))[1].astype(np.int64)
    return np.ldexp(points.astype(np.float64), exponents[:, None, None]), exponents


def in_float_range(inertia: NDArray[np.float64], exponents: NDArray[np.int64]) -> NDArray[np.float64]:
    """``inertia * 2**exponents``, with a warning where float64 holds fewer digits of it, or none."""
    scaled = np.ldexp(inertia, exponents)
    if np.any((inertia > 0) & (scaled < np.finfo(np.float64).tiny)):
        warnings.warn(TOO_SMALL, RuntimeWarning, stacklevel=3)
    return scaled


def _cuda_obstacle(n_points: int) -> str | None:
    if n_points > MAX_SHARED_POINTS:
        return (
            f"problems of {n_points} points exceed the {MAX_SHARED_POINTS} that fit a block's shared memory"
        )
    return None


def _solve_on_cpu(
    data: NDArray[Any], is_gram: bool, starts: Starts, best: Best, n_slots: int, n_threads: int
) -> None:
    """Solve all problems; the arguments are those of ``fill_distances`` and ``solve_problems``."""
    from ..kernels.cpu import fill_distances, solve_problems

    n_points = data.shape[1]
    at_once = max(1, _BLOCK_BYTES // (8 * n_points * n_points))

    def work(first: int, last: int, cancelled: NDArray[np.bool_]) -> None:
        for begin in range(first, last, at_once):
            distances = np.empty((min(at_once, last - begin), n_points, n_points))
            fill_distances(data, is_gram, begin, distances)
            solve_problems(distances, begin, cancelled, starts, n_slots, best)

    run_chunks(work, len(data), n_threads)


def cluster_batch(
    points: ArrayLike | None = None,
    n_clusters: int | None = None,
    size_min: Bound = None,
    size_max: Bound = None,
    seeds: int | Sequence[int] = 1,
    n_init: int = 10,
    orders: ArrayLike | None = None,
    assignment_cost: Literal["squared", "euclidean"] = "squared",
    device: str = "auto",
    *,
    gram: ArrayLike | None = None,
    max_iter: int = 300,
    n_jobs: int | None = None,
) -> BatchSolution:
    """Cluster each of many small problems under size bounds, for each of many seeds.

    Every start draws its centres by k-means++ and iterates exact minimum-cost-flow assignments and means
    until the labels stay. The work is done on the squared distances between a problem's points, which are
    computed once. A problem's solution depends on its own data, the seed and its order alone: not on the
    other problems of the batch, nor on the number of threads, nor, but for ties in floating point, on the
    device.

    A seed meets the points in an order of its own, and what is equal (points, pairs equally far) is told
    apart by that order: the solution for points in an order is that for the points put in this order. Where
    points stand in the data has no part in it.

    Parameters
    ----------
    points : (n_problems, n_points, n_features) array of real numbers
        The problems, unless ``gram`` is given; of at most 4,096 points.
    n_clusters : int
        Clusters of each problem.
    size_min, size_max : int, (n_clusters,) ints or None
        Least and greatest number of points in a cluster. None means unbounded.
    seeds : int or sequence of ints
        How many seeds (0, 1, ...), or the seeds themselves, each from 0 to 2**64 - 1.
    n_init : int
        Starts for each seed; the one of least inertia is kept.
    orders : (n_seeds, n_points) ints, optional
        For each seed, the order in which points are met: drawn from, assigned, and preferred where they are
        equal. By default drawn at random by the seed. Labels come back in the points' own order.
    assignment_cost : {"squared", "euclidean"}
        What an assignment minimises: the squared distances to the centres, so that no iteration raises
        the inertia, or the distances, as k-means-constrained does.
    device : {"auto", "cpu", "cuda"}
        Where to compute; "auto" takes a CUDA device if there is one and the problems fit it.
    gram : (n_problems, n_points, n_points) array of real numbers
        Inner products of the points, in place of ``points``. Points whose rows are equal but for rounding, to
        64 units in the last place, are equal.
    max_iter : int
        Most iterations of a start.
    n_jobs : int, optional
        Threads; all that the process may use by default.

    Returns
    -------
    BatchSolution

    Raises
    ------
    ValueError, TypeError
        For data, bounds, seeds or orders that fit no problem, before any work.

    References
    ----------
    Bradley, Bennett, Demiriz, "Constrained k-means clustering", MSR-TR-2000-65.

    Examples
    --------
    >>> import numpy as np
    >>> walls = np.random.default_rng(0).normal(size=(100, 16, 384))
    >>> cluster_batch(walls, 4, size_min=4, size_max=4, seeds=16).labels.shape
    (100, 16, 16)
    """
    data = _check_data(points, gram)
    if n_clusters is None:
        raise TypeError("n_clusters must be given: how many clusters each problem has")
    n_points = data.shape[1]
    n_clusters = check_n_clusters(n_clusters, n_points)
    lower, upper = check_bounds(size_min, size_max, n_points, n_clusters)
    seed_values = _check_seeds(seeds, len(data), n_points)
    n_seeds = len(seed_values)
    order_values = _check_orders(orders, seed_values, n_points)
    n_init, max_iter = check_search(n_init, max_iter, assignment_cost)
    used_device = resolve_device(device, _cuda_obstacle(n_points))
    n_threads = resolve_n_threads(n_jobs)

    alike = bool((lower == lower[0]).all() and (upper == upper[0]).all())
    n_slots = _n_slots(n_seeds * n_init, n_points, n_clusters)

    starts = Starts(
        seed_values, order_values, n_init, lower, upper, alike, assignment_cost == "euclidean", max_iter
    )

    def solve(data: NDArray[Any]) -> Best:
        best = empty_best(len(data), n_seeds, n_points)
        if used_device == "cuda":
            from ..kernels.cuda import solve_on_cuda

            solve_on_cuda(data, gram is not None, starts, best)
        else:
            _solve_on_cpu(data, gram is not None, starts, best, n_slots, n_threads)
        return best

    best = solve(data)
    if gram is None and (small := _too_small(data, best.inertia)).any():
        enlarged, exponents = _enlarge(data[small])
        for whole, again in zip(best, solve(enlarged), strict=True):
            whole[small] = again
        best.inertia[small] = in_float_range(best.inertia[small], -2 * exponents[:, None])
    if (failed := np.argwhere(best.status == FAILED)).size:
        raise ValueError(
            f"the squared distances of problem {failed[0, 0]} are beyond what float64 holds: "
            "scale the data down"
        )
    return BatchSolution(*best, used_device)
