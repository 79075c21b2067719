"""ConstrainedKMeans, whole fits, beside k-means-constrained and beside scikit-learn's KMeans without sizes.

Run: pytest benchmarks/bench_estimator.py
One million points, and the memory they take (minutes), by the same with FOURFOLD_BENCH_LARGE=1 set, and
options -s -k million.

Random points, equal sizes, one start from the same rows and the same number of iterations for all. Quality
is the inertia; without sizes it is lower.
"""

from __future__ import annotations

import os
import resource
import time
import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans

from fourfold import ConstrainedKMeans

SHAPES = [(10_000, 16, 100), (23_000, 50, 10), (4_000, 10, 10)]
N_ITER = 20


def data(n_points, n_features, n_clusters, dtype=np.float64):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_points, n_features)).astype(dtype)
    return X, X[rng.choice(n_points, n_clusters, replace=False)]


def sizes(n_points, n_clusters):
    return n_points // n_clusters, -(-n_points // n_clusters)


def group(n_points, n_features, n_clusters, n_iter):
    return f"n={n_points:,} d={n_features} k={n_clusters}, {n_iter} iterations (quality: inertia)"


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("assignment_cost", ["squared", "euclidean"])
def test_constrained_k_means(compare, shape, assignment_cost):
    X, init = data(*shape)
    model = ConstrainedKMeans(
        shape[2],
        *sizes(shape[0], shape[2]),
        init=init,
        max_iter=N_ITER,
        tol=0,
        assignment_cost=assignment_cost,
    )
    name = f"ConstrainedKMeans, {assignment_cost}"
    compare(group(*shape, N_ITER), name, lambda: model.fit(X), 1, lambda fit: fit.inertia_)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_k_means_constrained(compare, shape):
    from k_means_constrained import KMeansConstrained

    X, init = data(*shape)
    low, high = sizes(shape[0], shape[2])

    def fit():
        model = KMeansConstrained(shape[2], low, high, init=init.copy(), n_init=1, max_iter=N_ITER, tol=0)
        return model.fit(X)

    name = "k-means-constrained"
    compare(group(*shape, N_ITER), name, fit, 1, lambda fit: fit.inertia_, peer=True, rounds=1)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", ["ours", "plain"])
def test_beside_plain_k_means(compare, kind, dtype):
    shape = (50_000, 16, 50)
    X, init = data(*shape, dtype)
    name = group(*shape, 60) + f" {dtype}"
    if kind == "ours":
        ours = ConstrainedKMeans(50, 1000, 1000, init=init, max_iter=60, tol=0)
        compare(name, "ConstrainedKMeans", lambda: ours.fit(X), 1, lambda fit: fit.inertia_)
        return
    plain = KMeans(50, init=init, n_init=1, max_iter=60, tol=0)

    def fit():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it did not converge
            return plain.fit(X)

    compare(name, "scikit-learn's KMeans, no sizes", fit, 1, lambda fit: fit.inertia_, peer=True)


@pytest.mark.skipif(
    "FOURFOLD_BENCH_LARGE" not in os.environ, reason="set FOURFOLD_BENCH_LARGE=1: it takes minutes"
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_one_million_points(dtype):
    X, init = data(1_000_000, 16, 100, dtype)
    small = X[:20_000]
    ConstrainedKMeans(100, 200, 200, init=init, max_iter=2).fit(small)  # compile
    begin = time.perf_counter()
    fit = ConstrainedKMeans(100, 10_000, 10_000, init=init, max_iter=20, tol=0).fit(X)
    ours = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begin = time.perf_counter()
        plain = KMeans(100, init=init, n_init=1, max_iter=20, tol=0).fit(X)
        theirs = time.perf_counter() - begin
    print(
        f"\nn=1,000,000 d=16 k=100 {dtype}, {fit.n_iter_} iterations: {ours:.1f} s, {peak:.2f} GB at most; "
        f"plain KMeans {theirs:.1f} s ({ours / theirs:.2f} x); "
        f"inertia {fit.inertia_:.6g} and {plain.inertia_:.6g}"
    )
    assert peak < 4
