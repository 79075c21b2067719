"""k-means with bounds on the sizes of clusters, as a scikit-learn estimator."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .array_types import Bound, Matrix
from .blas import one_blas_thread
from .bounds import check_bounds, check_n_clusters
from .centre_costs import moments
from .device import resolve_device, resolve_n_threads
from .frame import frame_of
from .iterations import Fit, Problem, iterate
from .masks import as_array, refuse_masked
from .starts import Drawer, check_centres, check_init
from .threads import run_chunks

Array = NDArray[Any]
Init = Literal["k-means++", "random"] | Matrix | Callable[..., Matrix]

METRICS = ("sqeuclidean", "cosine")
ASSIGNMENT_COSTS = ("squared", "euclidean")


class ConstrainedKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """k-means clustering with a minimum and a maximum number of points in each cluster.

    Every iteration assigns the points at the least total cost that the bounds allow, by an exact
    minimum-cost flow, and moves each centre to its cluster's mean.

    Parameters
    ----------
    n_clusters : int, default=8
    size_min, size_max : int, (n_clusters,) ints or None, default=None
        Bounds on the number of points in a cluster, for all clusters or one a cluster; None means unbounded.
    init : {"k-means++", "random"}, (n_clusters, n_features) array or callable, default="k-means++"
        Centres to start from. A callable gets ``(X, n_clusters, random_state=...)``.
    n_init : int or "auto", default=10
        Starts, of which the one with the least inertia is kept; one where centres are given. "auto" is
        as in scikit-learn: 1 for "k-means++" and given centres, 10 for "random" and a callable.
    max_iter : int, default=300
        Most iterations of a start.
    tol : float, default=1e-4
        A start ends when the centres' squared moves add up to at most this times the mean variance of
        the features, or when no point changes its cluster.
    verbose : int, default=0
        Print the inertia of each iteration.
    random_state : int, RandomState instance or None, default=None
    copy_x : bool, default=True
        Kept for compatibility: the data is never changed.
    n_jobs : int or None, default=None
        Threads; None and -1 are all that the process may use. Results do not depend on it.
    metric : {"sqeuclidean", "cosine"}, default="sqeuclidean"
        Cosine: rows count by their direction alone, centres have length 1, costs are ``1 - cos``.
    assignment_cost : {"squared", "euclidean"}, default="squared"
        What an assignment minimises: the squared distances, so that no iteration raises the inertia, or
        the distances themselves, as k-means-constrained does.
    device : {"auto", "cpu"}, default="auto"
        Always the CPU for now; "cuda" is an error.

    Attributes
    ----------
    cluster_centers_ : (n_clusters, n_features) array
    labels_ : (n_samples,) int32 array
        The assignment of least cost to ``cluster_centers_``.
    inertia_ : float
        The sum of the points' squared distances (or cosine ones) to their centres, times their weights.
    n_iter_ : int
    converged_ : bool
        Whether the start that is kept ended because its labels stayed or its centres moved by no more than
        ``tol``; False where ``max_iter`` ended it.
    n_features_in_ : int
    feature_names_in_ : (n_features_in_,) array of str, where X has names

    References
    ----------
    Bradley, Bennett, Demiriz, "Constrained k-means clustering", MSR-TR-2000-65.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0]])
    >>> ConstrainedKMeans(2, size_min=2, size_max=5, random_state=0).fit(X).cluster_centers_.tolist()
    [[1.0, 2.0], [4.0, 2.0]]
    """

    cluster_centers_: Array
    labels_: NDArray[np.int32]
    inertia_: float
    n_iter_: int
    converged_: bool

    def __init__(
        self,
        n_clusters: int = 8,
        size_min: Bound = None,
        size_max: Bound = None,
        init: Init = "k-means++",
        n_init: int | Literal["auto"] = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        verbose: int | bool = 0,
        random_state: int | np.random.RandomState | None = None,
        copy_x: bool = True,
        n_jobs: int | None = None,
        metric: Literal["sqeuclidean", "cosine"] = "sqeuclidean",
        assignment_cost: Literal["squared", "euclidean"] = "squared",
        device: Literal["auto", "cpu", "cuda"] = "auto",
    ) -> None:
        self.n_clusters = n_clusters
        self.size_min = size_min
        self.size_max = size_max
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.n_jobs = n_jobs
        self.metric = metric
        self.assignment_cost = assignment_cost
        self.device = device

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find clusters.

        Parameters
        ----------
        X : (n_samples, n_features) array of real numbers
            float32 is computed as float32, all else as float64.
        y : object
            Ignored.
        sample_weight : (n_samples,) array, optional
            How much each point counts in the objective and the means; in sizes each counts as one.

        Raises
        ------
        ValueError
            NaN or infinity, by row; bounds that no assignment can meet; parameters out of range.
        """
        self._check_parameters()
        X = self._check_data(X, reset=True)
        n_clusters = check_n_clusters(self.n_clusters, len(X))
        low, high = check_bounds(self.size_min, self.size_max, len(X), n_clusters)
        check_init(self.init, n_clusters, X.shape[1])
        weights = None
        if sample_weight is not None:
            refuse_masked(sample_weight, "sample_weight")
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            if not weights.any():
                raise ValueError("sample_weight must hold at least one non-zero number")
            weights = None if np.all(weights == 1) else weights
        with one_blas_thread():
            self._fit(X, weights, low, high)
        return self

    def fit_predict(
        self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None
    ) -> NDArray[np.int32]:
        """``fit``, then ``labels_``."""
        return self.fit(X, y, sample_weight).labels_

    def _fit(self, X: Array, weights: Array | None, low: NDArray[np.int64], high: NDArray[np.int64]) -> None:
        self._frame, points = frame_of(X, weights, self.metric == "cosine")
        mean, square = moments(points, weights)
        tolerance = self.tol * float(np.mean(square - mean**2))
        starts = self._starts(X, points, weights)
        inner, outer = self._threads(len(X), len(starts))
        problem = Problem(
            points, weights, low, high, self.metric == "cosine", self.assignment_cost == "euclidean", inner
        )
        fits: list[Fit | None] = [None] * len(starts)

        def work(first: int, last: int, cancelled: NDArray[np.bool_]) -> None:
            for s in range(first, last):
                if cancelled[0]:
                    return
                report = partial(_print, f"Start {s}: ", self._frame.unit) if self.verbose else None
                fits[s] = iterate(
                    problem, starts[s](), self.max_iter, tolerance, report, cancelled, len(starts) == 1
                )

        if len(starts) == 1:  # the threads of a pool would take longer to start than a small fit takes
            work(0, 1, np.zeros(1, np.bool_))
        else:
            run_chunks(work, len(starts), outer)
        best = min((fit for fit in fits if fit is not None), key=lambda fit: fit.inertia)
        # What is kept are the labels and inertia of the centres as they can be written.
        self.cluster_centers_ = self._frame.outside(best.centres).astype(X.dtype)
        centres = self._frame.centres(self.cluster_centers_)
        labels = problem.label(centres, best.prices)
        self.inertia_ = self._frame.squared_outside(problem.move(labels, centres)[2])
        if not self.inertia_ < np.inf:
            raise ValueError("the sum of squared distances is beyond what float64 holds: scale the data down")
        self.labels_ = labels.astype(np.int32)
        self.n_iter_ = best.n_iter
        self.converged_ = best.converged
        self._prices = best.prices
        self._bounds = self.size_min, self.size_max
        self._rows = None if weights is None else _digest(X)  # without weights, predict gives labels_ anyway

    def predict(
        self,
        X: ArrayLike,
        size_min: Bound | Literal["init"] = "init",
        size_max: Bound | Literal["init"] = "init",
    ) -> NDArray[np.int32]:
        """The assignment of least cost within bounds, or where there are none, the nearest centres.

        By default the bounds are those of the fit, as in k-means-constrained, and count these rows alone;
        the fit's own rows, in their order, get ``labels_``, sample weights included. The nearest centre of
        each row, whatever the sizes, is ``predict(X, size_min=None, size_max=None)``.

        Parameters
        ----------
        X : (n_samples, n_features) array of real numbers
            The rows.
        size_min : int, (n_clusters,) ints, None or "init", default="init"
            Fewest of these rows in a cluster; "init" is the fit's bound, None means unbounded.
        size_max : int, (n_clusters,) ints, None or "init", default="init"
            Most of these rows in a cluster.

        Returns
        -------
        (n_samples,) int32 array

        Raises
        ------
        ValueError
            Bounds that so many rows cannot meet; NaN or infinity, by row.
        """
        check_is_fitted(self)
        X = self._check_data(X, reset=False)
        of_fit = [isinstance(bound, str) and bound == "init" for bound in (size_min, size_max)]
        if self._rows is not None and all(of_fit) and _digest(X) == self._rows:
            return self.labels_.copy()
        size_min = self._bounds[0] if of_fit[0] else size_min
        size_max = self._bounds[1] if of_fit[1] else size_max
        try:
            low, high = check_bounds(size_min, size_max, len(X), len(self.cluster_centers_))
        except ValueError as error:
            if not any(of_fit):
                raise
            raise ValueError(
                f"these rows cannot meet the bounds of the fit: {error}. For the nearest centre of each row "
                "call predict(X, size_min=None, size_max=None), or give other bounds"
            ) from None
        return self._label(X, low, high).astype(np.int32)

    def _label(self, X: Array, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64]:
        """The assignment of least cost of checked rows to the centres."""
        centres = self._frame.centres(self.cluster_centers_)
        threads = resolve_n_threads(self.n_jobs)
        root = self.assignment_cost == "euclidean"
        problem = Problem(self._frame.points(X), None, low, high, self.metric == "cosine", root, threads)
        with one_blas_thread():
            return problem.label(centres, self._prices)

    def transform(self, X: ArrayLike) -> Array:
        """Distances ``(n_samples, n_clusters)`` to the centres: Euclidean ones, or ``1 - cos``."""
        check_is_fitted(self)
        X = self._check_data(X, reset=False)
        points = self._frame.points(X)
        centres = self._frame.centres(self.cluster_centers_)
        if self.metric == "cosine":
            return np.asarray(1 - points @ centres.T.astype(X.dtype))
        from sklearn.metrics.pairwise import euclidean_distances

        return np.asarray(euclidean_distances(points, centres.astype(X.dtype)) / self._frame.scale)

    def score(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the inertia of the rows at their nearest centres."""
        check_is_fitted(self)
        X = self._check_data(X, reset=False)
        labels = self._label(X, *check_bounds(None, None, len(X), len(self.cluster_centers_)))
        weights = None
        if sample_weight is not None:
            refuse_masked(sample_weight, "sample_weight")
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        none = np.empty(0, np.int64)
        problem = Problem(
            self._frame.points(X),
            weights,
            none,
            none,
            self.metric == "cosine",
            False,
            resolve_n_threads(self.n_jobs),
        )
        centres = self._frame.centres(self.cluster_centers_)
        return -self._frame.squared_outside(problem.move(labels, centres)[2])

    @property
    def _n_features_out(self) -> int:
        return int(self.cluster_centers_.shape[0])

    def _check_parameters(self) -> None:
        for name, other in (("n_init", ' or "auto"'), ("max_iter", "")):
            value = getattr(self, name)
            if other and isinstance(value, str) and value == "auto":
                continue
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1{other}, got {value!r}")
        if (
            isinstance(self.tol, bool)
            or not isinstance(self.tol, (int, float, np.number))
            or not self.tol >= 0
        ):
            raise ValueError(f"tol must be a number of at least 0, got {self.tol!r}")
        for name, choices in (("metric", METRICS), ("assignment_cost", ASSIGNMENT_COSTS)):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, got {getattr(self, name)!r}")
        resolve_device(self.device, "ConstrainedKMeans has no CUDA kernels (cluster_batch has)")

    def _check_data(self, X: ArrayLike, reset: bool) -> Array:
        """Rows as a C-contiguous float32 or float64 array; errors name the first row that is not finite."""
        X = as_array(X, "X") if X is None or isinstance(X, list | tuple) else X
        refuse_masked(X, "X")
        checked: Array = validate_data(
            self, X, reset=reset, dtype=[np.float64, np.float32], order="C", ensure_all_finite=False
        )
        with np.errstate(over="ignore", invalid="ignore"):
            suspicious = not np.isfinite(checked.sum())
        if suspicious and not (finite := np.isfinite(checked)).all():
            row = int(np.flatnonzero(~finite.all(axis=1))[0])
            what = "NaN" if np.isnan(checked[row]).any() else "infinity"
            raise ValueError(f"X must be finite, got {what} in row {row}")
        return checked

    def _starts(
        self, X: Array, points: Array, weights: Array | None
    ) -> list[Callable[[], NDArray[np.float64]]]:
        """One function a start, each with its own seed, so that starts do not depend on their order."""
        k, n_features = self.n_clusters, X.shape[1]
        state = check_random_state(self.random_state)
        init = self.init
        n_init = self.n_init
        if isinstance(n_init, str):  # "auto"
            n_init = 10 if callable(init) or (isinstance(init, str) and init == "random") else 1
        seeds = state.randint(np.iinfo(np.int32).max, size=n_init)
        if isinstance(init, str):
            drawer = Drawer(points, weights)
            draw = drawer.random if init == "random" else drawer.plus_plus
            return [partial(draw, k, int(seed)) for seed in seeds]
        if not callable(init):
            return [lambda: self._given(check_centres(init, k, n_features, "init"))]

        def made(seed: int) -> NDArray[np.float64]:
            centres = init(X, k, random_state=np.random.RandomState(seed))
            return self._given(check_centres(centres, k, n_features, "init"))

        return [partial(made, int(seed)) for seed in seeds]

    def _given(self, centres: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.metric != "cosine":
            return self._frame.centres(centres)
        lengths = np.sqrt((centres**2).sum(axis=1, keepdims=True))
        if np.any(lengths == 0):
            raise ValueError("the cosine of a centre of zeros is undefined, init gives one")
        return np.asarray(centres / lengths)

    def _threads(self, n_points: int, n_starts: int) -> tuple[int, int]:
        """Threads inside a start and threads over starts: the former where a pass is worth sharing."""
        threads = resolve_n_threads(self.n_jobs)
        if n_starts > 1 and n_points * self.n_clusters < 1 << 22:
            return 1, threads
        return threads, 1


def _digest(X: Array) -> bytes:
    """What tells rows, checked and C-contiguous, from all others."""
    digest = hashlib.blake2b(repr((X.shape, X.dtype.str)).encode(), digest_size=16)
    digest.update(X.reshape(-1).data)
    return digest.digest()


def _print(start: str, unit: float, turn: int, inertia: float, shift: float | None = None) -> None:
    """Print an iteration, or where there is a ``shift`` the last one, in the caller's unit."""
    text = f"Iteration {turn:2d}, inertia {inertia * unit:.6g}"
    if shift is not None:
        text = f"Converged at iteration {turn}: centres moved by {shift * unit:.3g} (squared)"
    # In one text with its end, which print writes in a second call: lines of threads would mix.
    print(f"{start}{text}\n", end="", flush=True)
