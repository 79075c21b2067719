"""``ConstrainedKMeans``: scikit-learn's conventions, and inputs that make other tools fail."""

from __future__ import annotations

import pickle
import re

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from naive_assignment import least_cost
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from fourfold import ConstrainedKMeans, assign
from fourfold.engine.iterations import Problem

PATTERN = np.array([(0, 0), (1, 0), (0, 1), (1, 1), (0.5, 0.5), (0.5, 0)])
CORNERS = np.concatenate([PATTERN + corner for corner in [(0, 0), (5, 0), (0, 5), (5, 5)]])
PLACES = (7 * np.arange(24) + 3) % 24
X24 = CORNERS[PLACES]
GROUPS = PLACES // 6


@pytest.mark.slow
@parametrize_with_checks([ConstrainedKMeans(n_clusters=3, n_init=2)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def same_partition(a, b):
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


def blobs(n_points=300, n_features=3, n_blobs=4, seed=0):
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(n_points, n_features))
        + 3 * rng.normal(size=(n_blobs, n_features))[rng.integers(n_blobs, size=n_points)]
    )


def squared_distances(X, centres):
    return ((X[:, None] - centres) ** 2).sum(axis=2)


@st.composite
def fits(draw):
    """Points and a model whose bounds fit them."""
    n_clusters = draw(st.integers(1, 6))
    n_points = draw(st.integers(n_clusters, 150))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = rng.normal(size=(n_points, draw(st.integers(1, 4))))
    if draw(st.booleans()):
        X = np.round(X)  # ties
    sizes = np.bincount(rng.integers(n_clusters, size=n_points), minlength=n_clusters)
    low, high = draw(
        st.sampled_from(
            [
                (None, None),
                (n_points // n_clusters, -(-n_points // n_clusters)),
                (n_points // n_clusters // 2, None),
                (None, -(-n_points // n_clusters) + 1),
                (np.maximum(sizes - 2, 0), sizes + rng.integers(0, 3, n_clusters)),
            ]
        )
    )
    model = ConstrainedKMeans(
        n_clusters,
        low,
        high,
        n_init=draw(st.sampled_from([1, 3])),
        init=draw(st.sampled_from(["k-means++", "random"])),
        max_iter=draw(st.sampled_from([1, 3, 300])),
        tol=draw(st.sampled_from([0, 1e-4])),
        random_state=draw(st.integers(0, 1000)),
    )
    return X, model, rng


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(fits())
def test_labels_centres_and_inertia_agree(case):
    X, model, _ = case
    model.fit(X)
    costs = squared_distances(X, model.cluster_centers_)
    sizes = np.bincount(model.labels_, minlength=model.n_clusters)
    assert np.all(sizes >= (0 if model.size_min is None else model.size_min))
    assert np.all(sizes <= (len(X) if model.size_max is None else model.size_max))
    own = costs[np.arange(len(X)), model.labels_].sum()
    np.testing.assert_allclose(model.inertia_, own, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(own, least_cost(costs, model.size_min, model.size_max), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.predict(X, model.size_min, model.size_max), model.labels_)
    np.testing.assert_allclose(model.transform(X) ** 2, costs, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(-model.score(X), costs.min(axis=1).sum(), rtol=1e-9, atol=1e-9)
    nearest = costs[np.arange(len(X)), model.predict(X, size_min=None, size_max=None)]
    np.testing.assert_allclose(nearest, costs.min(axis=1), rtol=1e-9, atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(fits(), st.sampled_from(["squared", "euclidean"]), st.sampled_from(["sqeuclidean", "cosine"]))
def test_5_the_fits_own_rows_get_its_labels(case, cost, metric):
    X, model, rng = case
    X = X + 0.25  # no row of zeros, which has no direction
    weights = rng.integers(0, 3, len(X)) if rng.integers(2) else None
    if weights is not None:
        weights[0] = 1
    model.set_params(assignment_cost=cost, metric=metric).fit(X, sample_weight=weights)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X.tolist()), model.labels_)
    # Others are assigned within the same bounds, and those bounds are the fit's, whatever is set later.
    low, high = model.size_min, model.size_max
    others = X + 1e-3 * rng.normal(size=X.shape)
    want = model.predict(others, low, high)
    model.set_params(size_min=None, size_max=None)
    np.testing.assert_array_equal(model.predict(others), want)


@settings(deadline=None, max_examples=30)
@given(fits())
def test_converged_centres_are_means(case):
    X, model, rng = case
    weights = rng.integers(1, 5, len(X)) / 2
    model.set_params(max_iter=300, tol=0, n_init=1).fit(X, sample_weight=weights)
    for c in np.unique(model.labels_):
        mine = model.labels_ == c
        mean = np.average(X[mine], axis=0, weights=weights[mine])
        np.testing.assert_allclose(model.cluster_centers_[c], mean, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_points", [90, 3000])
def test_no_iteration_raises_the_objective(metric, weighted, n_points, capsys):
    X = blobs(n_points, n_blobs=3)
    weights = np.random.default_rng(1).random(n_points) * 3 if weighted else None
    model = ConstrainedKMeans(
        10, n_points // 12, n_points // 9, n_init=1, metric=metric, random_state=0, verbose=1, tol=0
    ).fit(X, sample_weight=weights)
    lines = [line for line in capsys.readouterr().out.splitlines() if "Iteration" in line]
    values = np.array([float(line.split()[-1]) for line in lines])
    assert len(values) == model.n_iter_ > 3
    assert np.all(np.diff(values) <= 1e-5 * values[:-1])
    assert model.inertia_ <= values[-1] * (1 + 1e-5)


def test_free_sizes_are_plain_k_means():
    X = blobs()
    init = X[:4]
    ours = ConstrainedKMeans(4, init=init, tol=0).fit(X)
    plain = KMeans(4, init=init, n_init=1, tol=0).fit(X)
    np.testing.assert_array_equal(ours.labels_, plain.labels_)
    np.testing.assert_allclose(ours.inertia_, plain.inertia_, rtol=1e-12)


@pytest.mark.parametrize("n_points", [60, 400])
def test_as_good_as_k_means_constrained_with_its_costs(n_points):
    peer = pytest.importorskip("k_means_constrained").KMeansConstrained
    for seed in range(5):
        X = blobs(n_points, seed=seed)
        init = X[:5]
        size = n_points // 5
        theirs = peer(5, size, size, init=init.copy(), n_init=1, tol=0).fit(X)
        same = ConstrainedKMeans(5, size, size, init=init, tol=0, assignment_cost="euclidean").fit(X)
        np.testing.assert_allclose(same.inertia_, theirs.inertia_, rtol=2e-2)
        ours = ConstrainedKMeans(5, size, size, init=init, tol=0).fit(X)
        assert ours.inertia_ <= theirs.inertia_ * 1.05


def test_every_call_of_k_means_constrained_works():
    X = blobs()
    model = ConstrainedKMeans(4, 60, 90, "k-means++", 2, 50, 1e-3, False, 0, True, 1)
    labels = model.fit_predict(X)
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_array_equal(model.predict(X, size_min="init", size_max="init"), labels)
    np.testing.assert_array_equal(model.predict(X), labels)
    assert model.fit_transform(X).shape == (300, 4)
    assert model.labels_.dtype == np.int32
    assert np.bincount(model.predict(X[:100], size_min=20, size_max=30), minlength=4).min() >= 20


# Cases by number in the shared list of inputs that make other tools fail.


def test_2_a_row_far_away():
    X = np.vstack([X24, [3e6, 3e6]])
    model = ConstrainedKMeans(5, 1, 6, random_state=0).fit(X)
    assert np.bincount(model.labels_)[model.labels_[-1]] == 1
    assert model.inertia_ == pytest.approx(8.8333, abs=1e-3)
    assert same_partition(model.labels_[:-1], GROUPS)


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1, 1e6, 1e12])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_3_any_scale(scale, dtype):
    model = ConstrainedKMeans(4, 6, 6, random_state=0).fit((X24 * scale).astype(dtype))
    assert same_partition(model.labels_, GROUPS)
    assert model.inertia_ == pytest.approx(8.8333 * scale**2, rel=1e-4)
    assert model.cluster_centers_.dtype == dtype


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "scale"), [(float, 1e-160), (float, 1e-290), (float, 1e150), ("f4", 1e-30), ("f4", 1e18)]
)
@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine"])
@pytest.mark.filterwarnings("ignore:the inertia is smaller than float64")
def test_3_scales_whose_squares_no_float_holds(dtype, scale, metric, capsys):
    X, new = blobs(200), blobs(50, seed=1)
    scaled, scaled_new = (X * scale).astype(dtype), (new * scale).astype(dtype)
    arguments = {"n_init": 3, "random_state": 0, "metric": metric}
    plain = ConstrainedKMeans(4, 40, 60, **arguments).fit(X.astype(dtype))
    model = ConstrainedKMeans(4, 40, 60, verbose=1, **arguments).fit(scaled)
    assert same_partition(model.labels_, plain.labels_)
    np.testing.assert_array_equal(model.predict(scaled, 40, 60), model.labels_)
    nearest = model.predict(scaled_new, size_min=None, size_max=None)
    assert same_partition(nearest, plain.predict(new.astype(dtype), size_min=None, size_max=None))
    unit = 1.0 if metric == "cosine" else scale
    tolerance = {"rtol": 1e-4 if dtype == "f4" else 1e-9, "atol": 1e-5 if metric == "cosine" else 1e-320}
    order = [plain.labels_[list(model.labels_).index(c)] for c in range(4)]
    distances = plain.transform(new.astype(dtype))[:, order] * unit
    np.testing.assert_allclose(model.transform(scaled_new), distances, **tolerance)
    inertia = plain.inertia_ * unit * unit
    np.testing.assert_allclose(model.inertia_, inertia, **tolerance)
    np.testing.assert_allclose(model.score(scaled), -model.inertia_, rtol=0.5, atol=1e-320)
    printed = [float(line.split()[-1]) for line in capsys.readouterr().out.splitlines() if "inertia" in line]
    assert min(printed) == pytest.approx(inertia, rel=1e-3, abs=1e-320)


def test_3_an_inertia_that_no_float_holds_is_an_error():
    with pytest.raises(ValueError, match="scale the data down"):
        ConstrainedKMeans(4, 6, 6, random_state=0).fit(X24 * 1e200)


@pytest.mark.parametrize("offset", [1e10, -1e10, (1e10, 3)])
def test_4_any_offset(offset):
    X = X24 + offset
    model = ConstrainedKMeans(4, 6, 6, random_state=0).fit(X)
    assert same_partition(model.labels_, GROUPS)
    np.testing.assert_array_equal(model.predict(X, None, None), model.labels_)
    np.testing.assert_array_equal(model.predict(X, 6, 6), model.labels_)
    assert model.inertia_ == pytest.approx(8.8333, rel=1e-3)


def test_5_prediction_with_and_without_bounds():
    model = ConstrainedKMeans(4, 6, 6, random_state=0).fit(X24)
    np.testing.assert_array_equal(model.predict(X24), model.labels_)
    np.testing.assert_array_equal(model.predict(X24[:5], size_min=None, size_max=None), model.labels_[:5])
    crowd = X24[GROUPS == 0] + 0.01  # six rows at one corner: the sizes scatter them
    assert np.bincount(model.predict(crowd, size_min=1), minlength=4).min() == 1
    assert len(set(model.predict(crowd, None, None))) == 1
    for bounds in ({}, {"size_min": None}, {"size_max": None}):
        with pytest.raises(ValueError, match=r"bounds of the fit.*n_samples=(5|25), n_clusters=4") as caught:
            model.predict(np.resize(X24, (25 if "size_min" in bounds else 5, 2)), **bounds)
        assert "predict(X, size_min=None, size_max=None)" in str(caught.value)
    with pytest.raises(ValueError, match="n_samples=5") as caught:
        model.predict(X24[:5], 6, 6)
    assert "fit" not in str(caught.value)
    weights = np.ones(24)
    weights[[list(GROUPS).index(group) for group in range(4)]] = 0  # these rows have a nearest centre too
    free = ConstrainedKMeans(4, random_state=0).fit(X24, sample_weight=weights)
    assert same_partition(free.labels_, GROUPS)
    assert sorted(model.predict(np.tile(X24[:1], (4, 1)), 1, 1)) == [0, 1, 2, 3]
    one_each = ConstrainedKMeans(2, [2, 4], [2, 4], random_state=0).fit(X24[:6])
    np.testing.assert_array_equal(np.bincount(one_each.labels_), [2, 4])


@pytest.mark.parametrize(
    ("n_points", "model", "numbers"),
    [
        (48, ConstrainedKMeans(4, None, 6), ["n_samples=48", "n_clusters=4", "size_max=6"]),
        (7, ConstrainedKMeans(2, 3, 3), ["n_samples=7", "n_clusters=2", "size_min=3", "size_max=3"]),
        (48, ConstrainedKMeans(4, 5.5), ["n_samples=48", "n_clusters=4", "size_min=5.5", "size_max=None"]),
        (48, ConstrainedKMeans(4, -1, 20), ["n_samples=48", "n_clusters=4", "size_min=-1", "size_max=20"]),
        (
            48,
            ConstrainedKMeans(4, None, [9]),
            ["n_samples=48", "n_clusters=4", "size_min=None", "size_max=[9]"],
        ),
        (3, ConstrainedKMeans(4), ["n_samples=3", "n_clusters=4"]),
        (9, ConstrainedKMeans(4, n_init=0), ["n_init", "0"]),
        (9, ConstrainedKMeans(4, n_init="Auto"), ['or "auto", got', "'Auto'"]),
        (9, ConstrainedKMeans(4, max_iter=-1), ["max_iter", "-1"]),
        (9, ConstrainedKMeans(4, tol=-0.5), ["tol", "-0.5"]),
        (9, ConstrainedKMeans(4, metric="l1"), ["metric", "l1"]),
        (9, ConstrainedKMeans(4, assignment_cost="x"), ["assignment_cost", "x"]),
        (9, ConstrainedKMeans(4, init="x"), ["init", "x"]),
        (9, ConstrainedKMeans(4, init=np.zeros((3, 2))), ["(4, 2)", "(3, 2)"]),
        (9, ConstrainedKMeans(4, init=np.full((4, 2), np.nan)), ["row 0"]),
        (9, ConstrainedKMeans(4, init=lambda X, k, random_state: X[:3]), ["(4, 2)", "(3, 2)"]),
        (9, ConstrainedKMeans(4, device="cuda"), ["cuda"]),
        (9, ConstrainedKMeans(4, device="tpu"), ["tpu"]),
        (9, ConstrainedKMeans(4, n_jobs=0), ["n_jobs", "0"]),
    ],
)
def test_6_what_cannot_be_is_an_error(n_points, model, numbers):
    with pytest.raises(ValueError, match=re.escape(numbers[0])) as caught:
        model.fit(np.resize(X24, (n_points, 2)))
    assert all(number in str(caught.value) for number in numbers)


@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_7_a_bad_number_is_named_by_row(value, name):
    X = X24.copy()
    X[13, 1] = value
    for metric in ("sqeuclidean", "cosine"):
        with pytest.raises(ValueError, match=f"{name} in row 13"):
            ConstrainedKMeans(4, metric=metric).fit(X)
    with pytest.raises(ValueError, match=f"{name} in row 13"):
        ConstrainedKMeans(4, random_state=0).fit(X24).predict(X)


def test_masked_values_are_not_unmasked():
    X = np.ma.masked_array(X24, mask=False)
    model = ConstrainedKMeans(4, 6, 6, random_state=0)
    np.testing.assert_array_equal(model.fit(X).labels_, model.fit(X24).labels_)
    X[13, 1] = np.ma.masked
    weights = np.ma.masked_equal(np.arange(24), 5)
    for call in (model.fit, model.predict, model.transform, model.score):
        with pytest.raises(
            ValueError, match=r"X must have no masked values, got 1 of them, the first at \(13, 1\)"
        ):
            call(X)
    for call in (model.fit, model.score):
        with pytest.raises(ValueError, match=r"sample_weight must have no masked .* \(5,\)"):
            call(X24, sample_weight=weights)
    with pytest.raises(ValueError, match=r"init must have no masked .* \(0, 0\)"):
        ConstrainedKMeans(4, init=np.ma.masked_array(X24[:4], mask=True)).fit(X24)


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_8_equal_rows(init):
    model = ConstrainedKMeans(4, 4, 4, init=init, random_state=0).fit(np.ones((16, 3)))
    np.testing.assert_array_equal(np.bincount(model.labels_), [4] * 4)
    np.testing.assert_array_equal(model.cluster_centers_, np.ones((4, 3)))
    assert model.inertia_ == 0
    few = np.resize(np.array([(0.0, 0), (1, 0), (0, 1), (5, 5)]), (17, 2))
    model = ConstrainedKMeans(10, 1, init=init, random_state=0).fit(few)
    assert np.bincount(model.labels_, minlength=10).min() >= 1
    assert model.inertia_ == pytest.approx(0, abs=1e-12)
    model = ConstrainedKMeans(24, 1, init=init, random_state=0).fit(X24)
    assert sorted(model.labels_) == list(range(24))
    assert model.inertia_ == pytest.approx(0, abs=1e-12)


def test_empty_clusters_take_far_points():
    X = np.concatenate([np.zeros((20, 2)), [(9, 0), (0, 9), (9, 9.0)]])
    start = np.array([(0, 0), (1e3, 1e3), (2e3, 2e3), (3e3, 3e3)])
    model = ConstrainedKMeans(4, init=start).fit(X)
    assert model.inertia_ == pytest.approx(0, abs=1e-12)
    weights = np.ones(23)
    weights[20] = 0
    light = ConstrainedKMeans(4, init=start).fit(X, sample_weight=weights)
    assert np.isfinite(light.cluster_centers_).all()
    assert light.inertia_ == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine"])
def test_9_any_kind_of_data(metric):
    base = np.round(blobs(120, 2) * 100)  # whole, below 2,048: exact in every type
    assert np.abs(base).max() < 2048
    want = ConstrainedKMeans(4, 30, 30, metric=metric, random_state=0, n_init=3).fit(base).labels_
    frozen = base.copy()
    frozen.setflags(write=False)
    others = [
        frozen,
        np.asfortranarray(base),
        np.repeat(base, 2, axis=0)[::2],
        np.repeat(base, 2, axis=1)[:, ::2],
        base.astype(np.float32),
        base.astype(np.float16),
        base.astype(int),
        base.tolist(),
        pytest.importorskip("pandas").DataFrame(base, columns=["a", "b"]),
    ]
    for other in others:
        model = ConstrainedKMeans(4, 30, 30, metric=metric, random_state=0, n_init=3).fit(other)
        assert same_partition(model.labels_, want), type(other)
        np.testing.assert_array_equal(model.predict(other, "init", "init"), model.labels_)
    torch = pytest.importorskip("torch")
    tensor = ConstrainedKMeans(4, 30, 30, metric=metric, random_state=0, n_init=3).fit(torch.from_numpy(base))
    assert same_partition(tensor.labels_, want)


@pytest.mark.slow
@pytest.mark.parametrize(("n_points", "n_clusters", "n_init"), [(400, 5, 4), (90_000, 40, 1)])
def test_10_threads_change_nothing(n_points, n_clusters, n_init):
    X = blobs(n_points)
    size = n_points // n_clusters
    results = [
        ConstrainedKMeans(
            n_clusters, size, size, n_init=n_init, max_iter=2, random_state=3, n_jobs=n_jobs
        ).fit(X)
        for n_jobs in (1, 2, 3)
    ]
    for other in results[1:]:
        np.testing.assert_array_equal(other.labels_, results[0].labels_)
        np.testing.assert_array_equal(other.cluster_centers_, results[0].cluster_centers_)
        assert other.inertia_ == results[0].inertia_


def test_the_best_start_is_kept_and_starts_are_their_own():
    X = blobs(200, n_blobs=6)
    state = np.random.RandomState(5)
    several = ConstrainedKMeans(6, 30, 40, n_init=6, random_state=np.random.RandomState(5)).fit(X)
    shuffled = ConstrainedKMeans(6, 30, 40, n_init=6, random_state=state).fit(X[::-1])
    np.testing.assert_array_equal(shuffled.labels_[::-1], several.labels_)
    single = [ConstrainedKMeans(6, 30, 40, n_init=1, random_state=seed).fit(X).inertia_ for seed in range(30)]
    assert several.inertia_ <= np.median(single)


def test_14_cosine():
    X = np.array([(1, 0), (50, 20), (0, 1), (20, 50)])
    cosine = ConstrainedKMeans(2, 2, 2, metric="cosine", random_state=0).fit(X)
    assert same_partition(cosine.labels_, [0, 0, 1, 1])
    assert same_partition(ConstrainedKMeans(2, 2, 2, random_state=0).fit(X).labels_, [0, 1, 0, 1])
    np.testing.assert_allclose(np.linalg.norm(cosine.cluster_centers_, axis=1), 1)
    unit = X / np.linalg.norm(X, axis=1)[:, None]
    own = 1 - (unit * cosine.cluster_centers_[cosine.labels_]).sum(axis=1)
    assert cosine.inertia_ == pytest.approx(own.sum())
    np.testing.assert_allclose(cosine.transform(X), 1 - unit @ cosine.cluster_centers_.T)
    with pytest.raises(ValueError, match="row 1"):
        cosine.fit([(1, 1), (0, 0), (1, 0), (0, 1)])
    with pytest.raises(ValueError, match="init gives"):
        cosine.set_params(init=np.zeros((2, 2))).fit(X)


def test_1_squared_or_plain_distances_in_the_assignment():
    X, centres = np.array([(11.0, 0), (20, 5)]), np.array([(0.0, 0), (10, 0)])
    squared = ConstrainedKMeans(2, 1, 1, init=centres, max_iter=1).fit(X)
    assert squared.labels_.tolist() == [0, 1]
    plain = ConstrainedKMeans(2, 1, 1, init=centres, max_iter=1, assignment_cost="euclidean").fit(X)
    assert plain.labels_.tolist() == [1, 0]


def test_given_and_made_starts():
    X = blobs()
    drawn = []

    def init(X, n_clusters, random_state):
        drawn.append(random_state.randint(100))
        return X[:n_clusters]

    made = ConstrainedKMeans(4, 60, 90, init=init, n_init=3, random_state=0, n_jobs=1).fit(X)
    given = ConstrainedKMeans(4, 60, 90, init=X[:4].tolist()).fit(X)
    np.testing.assert_array_equal(made.labels_, given.labels_)
    assert len(set(drawn)) == 3


@pytest.mark.parametrize(
    ("init", "n_init"),
    [("k-means++", 1), (X24[:4], 1), ("random", 10), (lambda X, k, random_state: X[:k], 10)],
)
def test_39_auto_starts_as_often_as_in_scikit_learn(init, n_init, capsys):
    ConstrainedKMeans(4, n_init="auto", init=init, random_state=0, n_jobs=1, verbose=1).fit(X24)
    printed = capsys.readouterr().out
    ConstrainedKMeans(4, n_init=n_init, init=init, random_state=0, n_jobs=1, verbose=1).fit(X24)
    assert printed == capsys.readouterr().out
    assert len({line.split(":")[0] for line in printed.splitlines()}) == n_init


def test_lines_of_several_threads_are_written_whole(monkeypatch):
    written = []

    class Terminal:
        write = written.append

        def flush(self):
            pass

    monkeypatch.setattr("sys.stdout", Terminal())
    model = ConstrainedKMeans(6, 30, 60, n_init=8, random_state=0, verbose=1, n_jobs=3).fit(blobs())
    lines = list(filter(None, written))
    assert len({line.split(":")[0] for line in lines}) == 8
    assert all(line.startswith("Start ") and line.index("\n") == len(line) - 1 for line in lines)
    monkeypatch.setattr("sys.stdout", None)  # as Python has it where the stream was closed
    model.fit(blobs())


def test_sample_weights_pull_centres_but_count_as_one():
    X = np.arange(12.0)[:, None]
    weights = np.ones(12)
    weights[5] = 1e6
    model = ConstrainedKMeans(2, 6, 6, random_state=0).fit(X, sample_weight=weights)
    np.testing.assert_array_equal(np.bincount(model.labels_), [6, 6])
    assert np.abs(model.cluster_centers_ - 5).min() < 1e-3
    with pytest.raises(ValueError, match="non-zero"):
        model.fit(X, sample_weight=np.zeros(12))
    with pytest.raises(ValueError, match="egative"):
        model.fit(X, sample_weight=-weights)


def test_pipelines_clones_pickles_and_names():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(blobs(), columns=["a", "b", "c"])
    model = ConstrainedKMeans(4, 70, 80, random_state=0)
    pipe = make_pipeline(StandardScaler(), clone(model)).fit(X)
    assert pipe.transform(X).shape == (300, 4)
    model.fit(X)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.get_feature_names_out().tolist() == [f"constrainedkmeans{i}" for i in range(4)]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X, "init", "init"), model.labels_)
    assert clone(model).get_params() == model.get_params()
    before = X.copy()
    model.set_params(copy_x=False).fit(X)
    pandas.testing.assert_frame_equal(X, before)


def test_float32_is_as_good_as_float64():
    X = blobs(5000, 8, 20)
    wide = ConstrainedKMeans(20, 250, 250, init=X[:20]).fit(X)
    narrow = ConstrainedKMeans(20, 250, 250, init=X[:20]).fit(X.astype(np.float32))
    np.testing.assert_allclose(narrow.inertia_, wide.inertia_, rtol=1e-3)
    assert narrow.transform(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("kind", ["squared", "cosine", "euclidean", "weighted", "float32", "far apart"])
def test_leaving_out_rows_that_cannot_move_changes_nothing(kind, monkeypatch):
    X = blobs(4000, 3, 40 if kind == "far apart" else 5) * (20 if kind == "far apart" else 1)
    X = X.astype(np.float32 if kind == "float32" else np.float64)
    weights = np.random.default_rng(1).random(4000) if kind == "weighted" else None
    model = ConstrainedKMeans(
        16,
        240,
        260,
        init=X[:16],
        tol=0,
        max_iter=60,
        metric="cosine" if kind == "cosine" else "sqeuclidean",
        assignment_cost="euclidean" if kind == "euclidean" else "squared",
    )
    quick = clone(model).fit(X, sample_weight=weights)
    left_out = []
    still_known = Problem.still_known

    def count(*args):
        known = still_known(*args)
        if known is not None:
            left_out.append(np.mean(known.gaps > 0))
        return known

    monkeypatch.setattr(Problem, "still_known", count)
    clone(model).fit(X, sample_weight=weights)
    assert kind == "far apart" or np.max(left_out) > 0.5
    monkeypatch.setattr(Problem, "still_known", lambda *args: None)
    thorough = model.fit(X, sample_weight=weights)
    if kind == "float32":  # costs within rounding of each other may fall either way
        np.testing.assert_allclose(quick.inertia_, thorough.inertia_, rtol=1e-4)
        return
    assert quick.n_iter_ == thorough.n_iter_
    np.testing.assert_array_equal(quick.labels_, thorough.labels_)
    np.testing.assert_allclose(quick.cluster_centers_, thorough.cluster_centers_, rtol=1e-12)


def test_an_inertia_that_float64_cannot_hold_is_said():
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = ConstrainedKMeans(4, size_min=8, size_max=12, random_state=0).fit(X)
    with pytest.warns(RuntimeWarning, match="smaller than float64 can hold"):
        tiny = ConstrainedKMeans(4, size_min=8, size_max=12, random_state=0).fit(X * 1e-200)
    np.testing.assert_array_equal(tiny.labels_, model.labels_)
    with pytest.warns(RuntimeWarning, match="smaller than float64 can hold"):
        tiny.score(X * 1e-200)
    ConstrainedKMeans(4, random_state=0).fit(np.ones((8, 2)))  # an inertia of 0 that is one: no warning


def test_whether_it_converged():
    X = np.random.default_rng(0).normal(size=(200, 3))
    assert ConstrainedKMeans(4, size_min=40, random_state=0).fit(X).converged_
    assert not ConstrainedKMeans(4, size_min=40, max_iter=1, tol=0, random_state=0).fit(X).converged_


def test_what_is_no_array_of_numbers_is_named():
    with pytest.raises(ValueError, match="X must be an array of numbers, got rows of different lengths"):
        ConstrainedKMeans(2).fit([[1, 2], [3]])
    with pytest.raises(TypeError, match="X must be an array of numbers, got None"):
        ConstrainedKMeans(2).fit(None)
    with pytest.raises(ValueError, match="costs must be an array of numbers, got rows of different lengths"):
        assign([[1, 2], [3]], 1, 1)
