"""``assign`` against SciPy, OR-Tools and its own proof of optimality."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from naive_assignment import check_optimal, least_cost

from fourfold import Assignment, assign
from fourfold.engine.costs import HeldCosts
from fourfold.engine.prices import find_prices
from fourfold.engine.threads import run_in_threads

GENEROUS = settings(deadline=None, max_examples=60)


def distances(n_points, n_clusters, n_features=4, seed=0):
    """Squared distances of points to some of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_points, n_features))
    centres = X[rng.choice(n_points, n_clusters, replace=n_clusters > n_points)]
    return ((X[:, None] - centres) ** 2).sum(axis=2)


def close(cost, want, costs):
    finite = np.abs(np.asarray(costs, float)[np.isfinite(costs)])
    return abs(cost - want) <= 1e-9 * finite.max(initial=0.0) * len(costs)


@st.composite
def problems(draw, max_points=120, max_clusters=6):
    """Costs of several kinds and magnitudes, and bounds that fit."""
    n_clusters = draw(st.integers(1, max_clusters))
    n_points = draw(st.integers(1, max_points))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["normal", "distances", "few values", "equal rows", "all equal", "heavy"]))
    shape = (n_points, n_clusters)
    costs = {
        "normal": lambda: rng.normal(size=shape),
        "distances": lambda: distances(*shape, seed=rng.integers(2**32)),
        "few values": lambda: rng.integers(0, 3, shape).astype(float),
        "equal rows": lambda: rng.normal(size=(2, n_clusters))[rng.integers(2, size=n_points)],
        "all equal": lambda: np.full(shape, 2.5),
        "heavy": lambda: np.exp(3 * rng.normal(size=shape)),
    }[kind]()
    costs = costs * 10.0 ** draw(st.integers(-12, 12))
    bounds = draw(st.sampled_from(["equal", "scalar", "one each", "min", "max", "none"]))
    low: object = None
    high: object = None
    if bounds == "equal":
        low, high = n_points // n_clusters, -(-n_points // n_clusters)
    elif bounds == "scalar":
        low = draw(st.integers(0, n_points // n_clusters))
        high = draw(st.integers(-(-n_points // n_clusters), n_points))
    elif bounds == "one each":
        sizes = np.bincount(rng.integers(n_clusters, size=n_points), minlength=n_clusters)
        low = np.maximum(0, sizes - rng.integers(0, 5, n_clusters))
        high = sizes + rng.integers(0, 5, n_clusters) * rng.integers(0, 2)
    elif bounds == "min":
        low = draw(st.integers(0, n_points // n_clusters))
    elif bounds == "max":
        high = draw(st.integers(-(-n_points // n_clusters), n_points))
    return costs, low, high


@GENEROUS
@given(problems())
def test_costs_what_scipy_finds(problem):
    costs, low, high = problem
    found = assign(costs, low, high)
    check_optimal(costs, low, high, found, 1e-11 * np.abs(costs).max())
    assert close(found.cost, least_cost(costs, low, high), costs)


@GENEROUS
@given(problems(), st.integers(0, 2**32), st.integers(-14, 14))
def test_any_prices_to_start_from_give_the_same_cost(problem, seed, magnitude):
    costs, low, high = problem
    prices = np.random.default_rng(seed).normal(size=costs.shape[1]) * 10.0**magnitude
    found = assign(costs, low, high, prices=prices)
    check_optimal(costs, low, high, found, 1e-11 * np.abs(costs).max())
    assert close(found.cost, assign(costs, low, high).cost, costs)


@GENEROUS
@given(problems(max_points=40), st.integers(0, 2**32))
def test_forbidden_pairs(problem, seed):
    costs, low, high = problem
    rng = np.random.default_rng(seed)
    costs = np.where(rng.random(costs.shape) < rng.choice([0.1, 0.5, 0.8]), np.inf, costs)
    want = least_cost(costs, low, high)
    if want == np.inf:
        with pytest.raises(ValueError, match="no assignment satisfies the bounds"):
            assign(costs, low, high)
    else:
        found = assign(costs, low, high)
        assert close(found.cost, want, costs)


@GENEROUS
@given(problems(), st.integers(0, 2**32))
def test_offsets_of_rows_scaling_and_relabelling_change_nothing(problem, seed):
    costs, low, high = problem
    n_points, n_clusters = costs.shape
    rng = np.random.default_rng(seed)
    cost = assign(costs, low, high).cost
    shift = rng.integers(-3, 4, (n_points, 1)) * np.abs(costs).max()
    assert close(assign(costs + shift, low, high).cost - shift.sum(), cost, costs)
    assert close(assign(costs * 8, low, high).cost / 8, cost, costs)
    order = rng.permutation(n_clusters)
    bounds = [b[order] if isinstance(b, np.ndarray) else b for b in (low, high)]
    assert close(assign(costs[:, order], *bounds).cost, cost, costs)
    assert close(assign(costs[rng.permutation(n_points)], low, high).cost, cost, costs)


@pytest.mark.parametrize(
    ("n_points", "n_clusters", "low", "high"),
    [
        (4000, 20, 200, 200),
        (4000, 20, 150, 260),
        (4000, 20, 190, None),
        (4000, 20, None, 230),
        (4000, 20, np.arange(20) * 10, np.arange(20) * 10 + 250),
        (2500, 250, 10, 10),
        (3000, 2, 1500, 1500),
        (30000, 100, 300, 300),
    ],
)
def test_large_problems_prove_themselves(n_points, n_clusters, low, high):
    costs = distances(n_points, n_clusters, seed=n_points)
    found = assign(costs, low, high)
    check_optimal(costs, low, high, found, 1e-12 * costs.max())
    again = assign(costs, low, high, prices=found.prices)
    check_optimal(costs, low, high, again, 1e-12 * costs.max())
    assert close(again.cost, found.cost, costs)
    narrow = costs.astype(np.float32)
    check_optimal(narrow, low, high, assign(narrow, low, high), 1e-12 * costs.max())


def tied_problems():
    rng = np.random.default_rng(5)
    yield "all equal", np.ones((3000, 30))
    yield "equal rows", np.repeat(rng.random((1, 30)), 3000, axis=0)
    yield "four rows", rng.random((4, 30))[rng.integers(4, size=3000)]
    yield "few values", rng.integers(0, 4, (3000, 30)).astype(float)
    yield (
        "tight groups",
        distances(3000, 30) * 0
        + 1e-9 * rng.random((3000, 30))
        + rng.random((5, 30))[rng.integers(5, size=3000)],
    )
    line = rng.normal(size=3000)
    yield "on a line", (line[:, None] - line[:30]) ** 2


@pytest.mark.parametrize(
    ("name", "costs"), list(tied_problems()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_masses_of_ties(name, costs):
    check_optimal(costs, 100, 100, assign(costs, 100, 100), 1e-11)
    check_optimal(costs, 50, 120, assign(costs, 50, 120), 1e-11)
    tiny = costs * 1e-12
    check_optimal(tiny, 100, 100, assign(tiny, 100, 100), 1e-23)


def tied_costs(n_tied: int, n_other: int) -> np.ndarray:
    """Costs in two clusters: rows that are sure of one, then rows to which both are the same."""
    side = np.linspace(1.0, 5.0, n_other // 2)
    sure = np.concatenate([np.stack([0 * side, side], axis=1), np.stack([side, 0 * side], axis=1)])
    return np.concatenate([sure, np.zeros((n_tied, 2))])


@pytest.mark.parametrize(
    ("costs", "size", "n_tied"),
    [
        (np.zeros((16, 4)), 4, 16),  # searched whole
        (np.zeros((400, 4)), 100, 400),
        (tied_costs(1000, 9000), 5000, 1000),  # too few for noise
    ],
    ids=["16 rows", "400 rows", "a tenth of 10,000"],
)
def test_equal_rows_are_not_dealt_out_by_their_places(costs, size, n_tied):
    labels = assign(costs, size, size).labels
    assert (np.bincount(labels) == size).all()
    # Dealt out by place, equal rows make runs: k - 1 changes in all.
    changes = np.count_nonzero(np.diff(labels[-n_tied:]))
    assert changes > n_tied / 3


def test_costs_what_or_tools_finds():
    flow = pytest.importorskip("ortools.graph.python.min_cost_flow").SimpleMinCostFlow()
    n_points, n_clusters, low, high = 2000, 15, 120, 140
    costs = np.round(distances(n_points, n_clusters) * 1000)
    points, clusters = (a.ravel() for a in np.mgrid[:n_points, n_points : n_points + n_clusters])
    flow.add_arcs_with_capacity_and_unit_cost(
        points, clusters, np.ones(points.size, int), costs.ravel().astype(int)
    )
    ends = np.arange(n_points, n_points + n_clusters)
    sink = np.full(n_clusters, n_points + n_clusters)
    flow.add_arcs_with_capacity_and_unit_cost(
        ends, sink, np.full(n_clusters, high - low), np.zeros(n_clusters, int)
    )
    supplies = np.concatenate([np.ones(n_points), np.full(n_clusters, -low), [low * n_clusters - n_points]])
    flow.set_nodes_supplies(np.arange(supplies.size), supplies.astype(int))
    assert flow.solve() == flow.OPTIMAL
    assert assign(costs, low, high).cost == flow.optimal_cost()


def test_unsquared_costs_are_not_assumed():
    # Two centres (0, 0) and (10, 0), rows (11, 0) and (20, 5): 121 + 125 beats 1 + 425.
    found = assign([[121.0, 1.0], [425.0, 125.0]], 1, 1)
    assert found.labels.tolist() == [0, 1]
    assert found.cost == 246


def test_one_cluster_one_point_each_and_no_points():
    costs = distances(60, 60)
    assert assign(costs[:, :1], 60, 60).labels.tolist() == [0] * 60
    assert sorted(assign(costs, 1, 1).labels) == list(range(60))
    assert assign(costs[:3], 0, 1).labels.shape == (3,)
    empty = assign(np.empty((0, 3)), 0, 5)
    assert (empty.labels.shape, empty.cost, empty.prices.shape) == ((0,), 0.0, (3,))


@pytest.mark.parametrize("n_points", [60, 6000])
def test_any_kind_of_array(n_points):
    costs = np.round(distances(n_points, 6) * 8)
    want = assign(costs, n_points // 6, n_points // 6)
    frozen = costs.copy()
    frozen.setflags(write=False)
    for other in (
        frozen,
        np.asfortranarray(costs),
        np.repeat(costs, 2, axis=0)[::2],
        costs.astype(np.float32),
        costs.astype(int),
        costs.astype(np.uint16),
        costs.astype(">f8"),
        costs.tolist(),
    ):
        found = assign(other, n_points // 6, n_points // 6)
        assert isinstance(found, Assignment)
        assert found.cost == want.cost
        np.testing.assert_array_equal(found.labels, want.labels)


def test_float32_costs_are_not_copied():
    costs = distances(500, 5).astype(np.float32)
    assert HeldCosts(np.ascontiguousarray(costs)).block(0, 500).base is costs


@pytest.mark.parametrize(
    ("shape", "low", "high", "numbers"),
    [
        ((48, 4), None, 6, ["48", "4", "6"]),
        ((7, 2), 3, 3, ["7", "2", "3"]),
        ((7, 2), 5.5, None, ["5.5"]),
        ((7, 2), 4, None, ["7", "2", "4"]),
        ((7, 2), [5, 1], [4, 7], ["cluster 0", "5", "4"]),
        ((7, 2), [1, 1, 1], None, ["2", "3"]),
        ((7, 2), -1, None, ["-1"]),
        ((0, 2), 1, None, ["0", "2", "1"]),
    ],
)
def test_bounds_that_cannot_be(shape, low, high, numbers):
    with pytest.raises(ValueError, match=".*".join(numbers[:1])) as caught:
        assign(np.zeros(shape), low, high)
    assert all(number in str(caught.value) for number in numbers)


@pytest.mark.parametrize("n_points", [50, 5000])
@pytest.mark.parametrize("bad", [np.nan, -np.nan, -np.inf])
def test_a_bad_number_is_an_error_that_names_its_row(bad, n_points):
    costs = distances(n_points, 4)
    costs[37, 2] = bad
    with pytest.raises(ValueError, match=r"row 37\b"):
        assign(costs, 1, None)


@pytest.mark.parametrize("n_points", [50, 5000])
def test_forbidden_pairs_that_leave_nothing(n_points):
    costs = distances(n_points, 5)
    costs[:, 3] = np.inf
    with pytest.raises(ValueError, match=f"no assignment satisfies the bounds: n_samples={n_points}"):
        assign(costs, 1, None)
    assert np.all(assign(costs, None, None).labels != 3)
    costs[12] = np.inf
    with pytest.raises(ValueError, match="row 12 has no finite cost"):
        assign(costs, None, None)


@pytest.mark.parametrize("seed", range(6))
def test_forbidden_pairs_that_leave_just_enough(seed):
    # As many points may enter the last cluster as it needs: a sample of them may well hold too few.
    rng = np.random.default_rng(seed)
    costs = distances(5000, 5, seed=seed)
    allowed = rng.choice(5000, 1000, replace=False)
    costs[np.setdiff1d(np.arange(5000), allowed), 4] = np.inf
    found = assign(costs, 1000, 1000)
    check_optimal(costs, 1000, 1000, found, 1e-11)
    np.testing.assert_array_equal(np.sort(allowed), np.flatnonzero(found.labels == 4))
    costs[allowed[0], 4] = np.inf
    with pytest.raises(ValueError, match="no assignment satisfies the bounds"):
        assign(costs, 1000, 1000)


@pytest.mark.parametrize(
    ("argument", "error", "text"),
    [
        ({"costs": np.zeros(3)}, ValueError, r"\(3,\)"),
        ({"costs": np.zeros((3, 0))}, ValueError, r"\(3, 0\)"),
        ({"costs": [["a"]]}, TypeError, "<U1"),
        ({"costs": np.zeros((3, 2)) + 1j}, TypeError, "complex128"),
        ({"costs": np.ma.masked_equal(np.eye(3, 2), 1)}, ValueError, r"2 of them, the first at \(0, 0\)"),
        ({"prices": np.ma.masked_equal([0.0, 1.0], 1)}, ValueError, r"prices must have no masked.*\(1,\)"),
        ({"prices": [0.0]}, ValueError, r"2 finite numbers.*\(1,\)"),
        ({"prices": [0.0, np.nan]}, ValueError, "nan"),
    ],
)
def test_wrong_arguments(argument, error, text):
    with pytest.raises(error, match=text):
        assign(**({"costs": np.zeros((3, 2))} | argument))


def test_the_number_of_threads_changes_nothing(monkeypatch):
    costs = distances(50000, 100)
    found = assign(costs, 500, 500)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    alone = assign(costs, 500, 500)
    np.testing.assert_array_equal(found.labels, alone.labels)
    np.testing.assert_array_equal(found.prices, alone.prices)


def test_an_error_in_a_thread_is_raised():
    def work(task):
        if task == 5:
            raise ZeroDivisionError(task)

    with pytest.raises(ZeroDivisionError):
        run_in_threads(work, 9, 3)


def test_prices_may_be_as_far_as_they_like_from_the_costs_digits():
    costs = distances(2000, 8) * 1e-12
    found = find_prices(HeldCosts(costs), *np.full((2, 8), 250), prices=np.full(8, 1e9) + np.arange(8))
    assert close(costs[np.arange(2000), found.labels].sum(), assign(costs, 250, 250).cost, costs)


@pytest.mark.parametrize("prices", [None, [1e308, -1e308], [1e-320, 0]])
def test_39_differences_that_no_float_holds(prices):
    found = assign([[1.7e308, -1.7e308], [1.6e308, -1.6e308]], 1, 1, prices=prices)
    assert found.labels.tolist() == [1, 0]
    assert found.cost == pytest.approx(-1e307)
    assert 0.8e308 <= found.prices[1] / 4 - found.prices[0] / 4 <= 0.85e308  # their proof


@pytest.mark.parametrize("bounds", [(None, None), (0, 1)])
def test_39_a_sum_or_prices_that_no_float_holds(bounds):
    with pytest.raises(ValueError, match=r"reach 1\.7e\+308.*scale the costs down"):
        assign([[1.7e308, -1.7e308], [1.6e308, -1.6e308]], *bounds)


@GENEROUS
@given(problems(), st.sampled_from([-1064, -1022, -830, 700, 830, 980]), st.integers(0, 2**32))
def test_39_any_power_of_two(problem, exponent, seed):
    costs, low, high = problem
    rng = np.random.default_rng(seed)
    costs = np.round(np.ldexp(costs, 20 - np.frexp(np.abs(costs).max())[1]))  # whole: any scale is exact
    start = np.ldexp(rng.normal(size=costs.shape[1]), exponent) if rng.integers(2) else None
    found = assign(np.ldexp(costs, exponent), low, high, prices=start)
    unit = Assignment(found.labels, np.ldexp(found.cost, -exponent), np.ldexp(found.prices, -exponent))
    spacing = 2.0 ** (-1074 - exponent)  # of the numbers next to zero
    check_optimal(costs, low, high, unit, 1e-11 * np.abs(costs).max() + 2 * spacing)
    assert close(unit.cost, least_cost(costs, low, high), costs)
