"""``lloyd`` by itself, beside one that moves centres and assigns by scipy."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from fourfold.kernels.lloyd import CONVERGED, STOPPED, lloyd
from fourfold.kernels.multistart import equals_within

N, K, SIZE = 12, 3, 4


def squared(points):
    return ((points[:, None] - points[None]) ** 2).sum(axis=-1)


def solve(distances, centres, euclidean=False, max_iter=100):
    """Inertia, iterations, status, whether equals were met, and labels."""
    labels = np.zeros(N, np.int64)
    sizes = np.full(K, SIZE)
    slack = equals_within(distances, euclidean)
    planes, node_floats = np.zeros((2, K, N)), np.zeros((4, K + 1))
    node_ints, point_ints = np.zeros((5, K + 1), np.int64), np.zeros((3, N), np.int64)
    result = lloyd(
        distances, None, np.array(centres), sizes, sizes, euclidean, max_iter, slack,
        planes, node_floats, node_ints, point_ints, np.zeros(N), labels,
    )  # fmt: skip
    return *result, labels


def by_scipy(points, centres, euclidean, max_iter=100):
    """The least inertia of the iterations, each an assignment of each place in a cluster to a point."""
    means, best, before = points[centres], np.inf, None
    for _ in range(max_iter):
        costs = ((points[:, None] - means[None]) ** 2).sum(axis=-1)
        _, places = linear_sum_assignment(np.repeat(np.sqrt(costs) if euclidean else costs, SIZE, axis=1))
        labels = places // SIZE
        if before is not None and (labels == before).all():
            break
        means = np.array([points[labels == j].mean(axis=0) for j in range(K)])
        best = min(best, ((points - means[labels]) ** 2).sum())
        before = labels
    return best


@pytest.mark.parametrize("euclidean", [False, True])
def test_it_finds_what_scipy_finds(euclidean):
    rng = np.random.default_rng(0)
    for _ in range(40):
        points = rng.normal(size=(N, 5))
        centres = rng.choice(N, K, replace=False)
        inertia, _, status, equals, labels = solve(squared(points), centres, euclidean)
        assert inertia == pytest.approx(by_scipy(points, centres, euclidean), rel=1e-9)
        assert status == CONVERGED
        assert not equals
        assert np.bincount(labels).tolist() == [SIZE] * K
        means = np.array([points[labels == j].mean(axis=0) for j in range(K)])
        assert inertia == pytest.approx(((points - means[labels]) ** 2).sum(), rel=1e-9)


def test_iterations_end_at_the_limit():
    points = np.random.default_rng(3).normal(size=(N, 2))
    assert solve(squared(points), [0, 1, 2], max_iter=1)[1:3] == (1, STOPPED)


@pytest.mark.parametrize("euclidean", [False, True])
@pytest.mark.parametrize("power", [-60, 60])
def test_scale_changes_nothing_not_even_what_counts_as_equal(euclidean, power):
    rng = np.random.default_rng(1)
    for tied in (False, True):
        for _ in range(20):
            points = rng.integers(0, 3, size=(N, 2)).astype(float) if tied else rng.normal(size=(N, 5))
            centres = rng.choice(N, K, replace=False)
            plain = solve(squared(points), centres, euclidean)
            scaled = solve(squared(points) * 4.0**power, centres, euclidean)
            assert scaled[0] == plain[0] * 4.0**power
            assert scaled[1:4] == plain[1:4]
            assert (scaled[4] == plain[4]).all()
