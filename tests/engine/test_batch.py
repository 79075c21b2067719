"""cluster_batch against the slow oracle and k-means-constrained, and what it promises about batches."""

import re

import naive_kmeans
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold import cluster_batch
from fourfold.engine.device import resolve_n_threads

CORNER = [(0, 0), (1, 0), (0, 1), (1, 1), (0.5, 0.5), (0.5, 0)]


def corners():
    """Twenty-four points in four corners of a square, shuffled; the best inertia of sixes is 8.8333."""
    points = [(6 * a + x, 6 * b + y) for a in (0, 1) for b in (0, 1) for x, y in CORNER]
    return np.array([points[(7 * i + 3) % 24] for i in range(24)])


def partition(labels):
    """The groups, whatever their numbers."""
    return {frozenset(np.flatnonzero(labels == j).tolist()) for j in set(labels.tolist())}


BOUNDS = {
    "fixed": ([4, 4, 4, 4], [4, 4, 4, 4]),
    "free": ([0] * 4, [16] * 4),
    "between": ([2] * 4, [6] * 4),
    "each its own": ([1, 2, 3, 4], [4, 5, 5, 6]),
}


@pytest.mark.slow
@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("assignment_cost", ["squared", "euclidean"])
def test_labels_and_inertia_equal_the_oracles(bounds, assignment_cost):
    rng = np.random.default_rng(3)
    points = rng.normal(size=(6, 16, 5))
    size_min, size_max = BOUNDS[bounds]
    seeds = [7, 2**40, 11]
    orders = np.array([rng.permutation(16) for _ in seeds])
    got = cluster_batch(points, 4, size_min, size_max, seeds, 3, orders, assignment_cost)
    for p, X in enumerate(points):
        for s, seed in enumerate(seeds):
            inertia, labels = naive_kmeans.cluster(
                X, 4, size_min, size_max, seed, 3, orders[s], assignment_cost
            )
            np.testing.assert_allclose(got.inertia[p, s], inertia, rtol=1e-9)
            np.testing.assert_array_equal(got.labels[p, s], labels)
    assert (got.status == 0).all()
    assert got.device == "cpu"


def test_inertia_is_that_of_the_labels():
    points = np.random.default_rng(0).normal(size=(20, 12, 3))
    got = cluster_batch(points, 3, 2, 6, seeds=4, n_init=2)
    expected = [
        [naive_kmeans.inertia(X, labels) for labels in row] for X, row in zip(points, got.labels, strict=True)
    ]
    np.testing.assert_allclose(got.inertia, expected, rtol=1e-10)


@pytest.mark.slow
def test_a_batch_equals_a_loop_of_singles_on_any_number_of_threads():
    points = np.random.default_rng(1).normal(size=(70, 16, 8)).astype(np.float32)
    whole = cluster_batch(points, 4, 4, 4, seeds=5, n_jobs=2)
    for n_jobs in (1, 3, 64):
        np.testing.assert_array_equal(
            cluster_batch(points, 4, 4, 4, seeds=5, n_jobs=n_jobs).labels, whole.labels
        )
    singles = [cluster_batch(points[p : p + 1], 4, 4, 4, seeds=5).labels[0] for p in range(70)]
    np.testing.assert_array_equal(singles, whole.labels)
    halves = [cluster_batch(part, 4, 4, 4, seeds=5, n_jobs=2).labels for part in np.split(points, [33])]
    np.testing.assert_array_equal(np.concatenate(halves), whole.labels)


def test_seeds_do_not_depend_on_each_other():
    points = np.random.default_rng(2).normal(size=(8, 16, 4))
    whole = cluster_batch(points, 4, 4, 4, seeds=40)
    single = cluster_batch(points, 4, 4, 4, seeds=[33])
    np.testing.assert_array_equal(whole.labels[:, 33], single.labels[:, 0])


def test_remembering_starts_changes_nothing():
    # So many seeds that every start recurs, against seeds one at a time, where few do.
    points = np.random.default_rng(5).normal(size=(3, 8, 2))
    whole = cluster_batch(points, 3, 2, 4, seeds=600, n_init=3)
    for seed in range(0, 600, 97):
        single = cluster_batch(points, 3, 2, 4, seeds=[seed], n_init=3)
        np.testing.assert_array_equal(whole.labels[:, seed], single.labels[:, 0])
        np.testing.assert_array_equal(whole.inertia[:, seed], single.inertia[:, 0])


def test_a_table_of_starts_that_overflows_changes_nothing():
    points = np.random.default_rng(6).normal(size=(1, 24, 2))  # 10,626 sets of four centres, 4,096 slots
    whole = cluster_batch(points, 4, 6, 6, seeds=2000, n_init=5)
    single = cluster_batch(points, 4, 6, 6, seeds=[1999], n_init=5)
    np.testing.assert_array_equal(whole.labels[:, 1999], single.labels[:, 0])


TIED = {
    "a grid": np.random.default_rng(0).integers(0, 2, size=(3, 12, 3)).astype(float),
    "all equal": np.full((1, 12, 2), 0.1),
    "equally far": np.eye(12)[np.newaxis],
    "some equal": np.repeat(np.random.default_rng(1).normal(size=(2, 6, 2)), [1, 1, 1, 1, 1, 7], axis=1),
    "no two equal": np.random.default_rng(2).normal(size=(3, 12, 2)),
}
TIED_BOUNDS = [(3, 3), (1, 6), ([1, 2, 3, 4], [4, 4, 4, 4])]


@pytest.mark.slow
@pytest.mark.parametrize("kind", TIED)
@pytest.mark.parametrize("assignment_cost", ["squared", "euclidean"])
def test_points_in_an_order_are_the_points_put_in_this_order(kind, assignment_cost):
    points, rng = TIED[kind], np.random.default_rng(3)
    for low, high in TIED_BOUNDS:
        orders = np.array([rng.permutation(12) for _ in range(40)])
        seeds = [5] * 20 + list(range(20))
        arguments = (4, low, high, seeds, 3)
        got = cluster_batch(points, *arguments, orders, assignment_cost)
        for s, order in enumerate(orders):
            put = cluster_batch(
                points[:, order], 4, low, high, [seeds[s]], 3, [np.arange(12)], assignment_cost
            )
            np.testing.assert_array_equal(got.labels[:, s, order], put.labels[:, 0])
            np.testing.assert_array_equal(got.inertia[:, s], put.inertia[:, 0])
            np.testing.assert_array_equal(got.n_iter[:, s], put.n_iter[:, 0])


@pytest.mark.parametrize("kind", TIED)
def test_remembering_starts_brings_no_place_back(kind, monkeypatch):
    from fourfold.engine import batch

    rng = np.random.default_rng(4)
    orders = np.array([rng.permutation(12) for _ in range(200)])
    for cost in ("squared", "euclidean"):
        arguments = (TIED[kind], 4, 3, 3, [7] * 200, 4, orders, cost)
        remembered = cluster_batch(*arguments)
        with monkeypatch.context() as context:
            context.setattr(batch, "_n_slots", lambda *_: 1)
            afresh = cluster_batch(*arguments)
        np.testing.assert_array_equal(remembered.labels, afresh.labels)
        np.testing.assert_array_equal(remembered.inertia, afresh.inertia)


def right_groups(labels):
    """How many of the groups 0 to 3, 4 to 7 and so on each row of labels (n, 16) has."""
    truth = [np.arange(16) // 4 == group for group in range(4)]
    return np.array([sum(((row == row[4 * g]) == truth[g]).all() for g in range(4)) for row in labels])


def check_chance(right):
    """A group is one of 1,820: four are right in 0.0088 of them, within three standard errors."""
    error = max(right.std(), 0.09) / np.sqrt(len(right))
    assert abs(right.mean() - 16 / 1820) < 3 * error, right.mean()


@pytest.mark.parametrize("assignment_cost", ["squared", "euclidean"])
@pytest.mark.parametrize("use_gram", [False, True])
def test_groups_of_equal_points_are_right_by_chance(assignment_cost, use_gram):
    points = np.full((1, 16, 3), 0.1, dtype=np.float32)
    data = {"gram": points @ points.transpose(0, 2, 1)} if use_gram else {"points": points}
    rng = np.random.default_rng(0)
    orders = np.array([rng.permutation(16) for _ in range(5000)])
    sizes = {"n_clusters": 4, "size_min": 4, "size_max": 4}
    arguments = {**data, **sizes, "assignment_cost": assignment_cost, "n_init": 2}
    check_chance(right_groups(cluster_batch(**arguments, seeds=[42] * 5000, orders=orders).labels[0]))
    check_chance(right_groups(cluster_batch(**arguments, seeds=5000).labels[0]))


def test_equal_rows_of_a_gram_matrix_are_equal_whatever_their_rounding():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(4, 300)), np.repeat(rng.normal(size=(1, 300)), 12, axis=0)])
    gram = points @ points.T
    noise = rng.normal(size=gram.shape) * 1e-16 * np.abs(gram).max()
    noisy = gram + noise + noise.T
    arguments = {"n_clusters": 4, "size_min": 4, "size_max": 4, "seeds": 200}
    expected = cluster_batch(gram=gram[np.newaxis], **arguments)
    got = cluster_batch(gram=noisy[np.newaxis], **arguments)
    np.testing.assert_array_equal(got.labels, expected.labels)


def test_the_order_of_a_seed_is_its_own_and_even():
    from fourfold.kernels.ordering import draw_orders

    orders = np.empty((4000, 16), np.int64)
    draw_orders(np.arange(4000, dtype=np.uint64), orders)
    np.testing.assert_array_equal(np.sort(orders, axis=1), np.broadcast_to(np.arange(16), orders.shape))
    single = np.empty((1, 16), np.int64)
    draw_orders(np.array([77], np.uint64), single)
    np.testing.assert_array_equal(orders[77], single[0])
    counts = np.stack([np.bincount(column, minlength=16) for column in orders.T])
    chi_squared = ((counts - 250) ** 2 / 250).sum()  # of about 225 degrees of freedom
    assert 150 < chi_squared < 310


def test_gram_and_points_agree():
    points = np.random.default_rng(4).normal(size=(10, 16, 6))
    gram = points @ points.transpose(0, 2, 1)
    np.testing.assert_allclose(
        cluster_batch(gram=gram, n_clusters=4, size_min=4, size_max=4, seeds=3).inertia,
        cluster_batch(points, 4, size_min=4, size_max=4, seeds=3).inertia,
        rtol=1e-9,
    )


def test_more_starts_never_raise_the_inertia():
    points = np.random.default_rng(8).normal(size=(30, 16, 4))
    runs = [cluster_batch(points, 4, 4, 4, seeds=2, n_init=n).inertia for n in (1, 3, 10)]
    assert (runs[0] >= runs[1]).all()
    assert (runs[1] >= runs[2]).all()
    assert (runs[0] > runs[2]).any()


@pytest.mark.slow
def test_inertia_is_near_that_of_k_means_constrained():
    from k_means_constrained import KMeansConstrained

    rng = np.random.default_rng(9)
    points = rng.normal(size=(40, 16, 50)) + np.repeat(rng.normal(size=(40, 4, 50)), 4, axis=1) * 0.5
    ours = cluster_batch(points, 4, 4, 4, seeds=[42]).inertia[:, 0]
    peer = [
        KMeansConstrained(4, size_min=4, size_max=4, n_init=10, random_state=42).fit(X).inertia_
        for X in points
    ]
    assert ours.mean() <= np.mean(peer) * 1.01


@pytest.mark.slow
def test_real_walls_are_near_k_means_constrained_too(ocw_points):
    from k_means_constrained import KMeansConstrained

    points = ocw_points[:40]
    ours = cluster_batch(points, 4, 4, 4, seeds=[42]).inertia[:, 0]
    peer = [
        KMeansConstrained(4, size_min=4, size_max=4, n_init=10, random_state=42).fit(X).inertia_
        for X in points
    ]
    assert ours.mean() <= np.mean(peer) * 1.01


@pytest.fixture(scope="module")
def ocw_points():
    """Bags of letters of the real clues: real walls without an encoder."""
    import json

    from shared_data import ocw_2023_05

    walls = json.loads(ocw_2023_05().read_text(encoding="utf-8"))["dataset"]
    letters = "abcdefghijklmnopqrstuvwxyz '-"
    return np.array(
        [[[str(w).lower().count(c) for c in letters] for w in wall["words"]] for wall in walls], dtype=float
    )


@pytest.mark.parametrize(("scale", "offset"), [(1e-6, 0.0), (1.0, 0.0), (1.0, 1e10), (1e6, 0.0), (1e6, 1e10)])
def test_scale_and_offset_change_nothing(scale, offset):
    X = corners() * scale + offset
    got = cluster_batch(X[None], 4, 6, 6)
    np.testing.assert_allclose(got.inertia, 53 / 6 * scale**2, rtol=1e-5)
    assert partition(got.labels[0, 0]) == partition(cluster_batch(corners()[None], 4, 6, 6).labels[0, 0])


@pytest.mark.parametrize("scale", [1e-100, 1e-140, 1e-200, 1e-300])
@pytest.mark.parametrize("assignment_cost", ["squared", "euclidean"])
@pytest.mark.filterwarnings("ignore:the inertia is smaller than float64")
def test_points_whose_squares_vanish_are_told_apart(scale, assignment_cost):
    points = np.random.default_rng(1).normal(size=(4, 24, 3))
    points[1] = corners()[:, [0, 1, 1]]
    points[2] = 1.0
    expected = cluster_batch(points, 4, 5, 7, seeds=2, assignment_cost=assignment_cost)
    scales = np.array([1.0, scale, scale, scale])  # problems of one batch do not share a scale
    got = cluster_batch(points * scales[:, None, None], 4, 5, 7, seeds=2, assignment_cost=assignment_cost)
    for labels, others in zip(got.labels.reshape(8, 24), expected.labels.reshape(8, 24), strict=True):
        assert partition(labels) == partition(others)
    wanted = expected.inertia * scales[:, None] * scales[:, None]
    np.testing.assert_allclose(got.inertia, wanted, rtol=1e-9, atol=1e-320)


def test_masked_arrays_that_mask_nothing_are_arrays():
    points = np.random.default_rng(1).normal(size=(2, 16, 3))
    expected = cluster_batch(points, 4, 4, 4)
    np.testing.assert_array_equal(cluster_batch(np.ma.masked_array(points), 4, 4, 4).labels, expected.labels)


def test_a_far_row_is_alone():
    X = np.vstack([corners(), [[3e6, 3e6]]])
    got = cluster_batch(X[None], 5, 1, 6)
    np.testing.assert_allclose(got.inertia, 53 / 6, rtol=1e-5)
    assert frozenset([24]) in partition(got.labels[0, 0])


def test_equal_rows_and_as_many_clusters_as_points():
    for X, k, low, high in [
        (np.ones((16, 3)), 4, 4, 4),
        (np.repeat(np.eye(4), [5, 4, 4, 4], axis=0), 10, 1, None),
        (np.random.default_rng(0).normal(size=(7, 2)), 7, 1, None),
    ]:
        got = cluster_batch(X[None], k, low, high)
        sizes = np.bincount(got.labels[0, 0], minlength=k)
        assert sizes.min() >= low
        assert high is None or sizes.max() <= high
        assert got.inertia[0, 0] == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "convert",
    [
        lambda X: X.astype(np.float32),
        lambda X: X.astype(np.float16),
        lambda X: X.tolist(),
        lambda X: (X * 2).astype(int),
        np.asfortranarray,
        lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        lambda X: X[:, :, ::-1],
    ],
)
def test_any_kind_of_array_gives_the_same_partition(convert):
    X = corners()[None]
    data = convert(X)
    if isinstance(data, np.ndarray):
        data.setflags(write=False)
    assert partition(cluster_batch(data, 4, 6, 6).labels[0, 0]) == partition(
        cluster_batch(X, 4, 6, 6).labels[0, 0]
    )


def test_an_empty_batch_gives_empty_results():
    assert cluster_batch(np.empty((0, 16, 8)), 4, 4, 4, seeds=3).labels.shape == (0, 3, 16)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 14), k=st.integers(1, 4), slack=st.integers(0, 3))
def test_sizes_are_honoured(seed, n, k, slack):
    points = np.random.default_rng(seed).normal(size=(2, n, 2))
    low, high = max(0, n // k - slack), -(-n // k) + slack
    got = cluster_batch(points, k, low, high, seeds=[seed], n_init=2)
    sizes = np.array([np.bincount(labels, minlength=k) for labels in got.labels[:, 0]])
    assert sizes.min() >= low
    assert sizes.max() <= high


def test_max_iter_says_that_it_stopped():
    points = np.random.default_rng(0).normal(size=(20, 30, 1))
    assert (cluster_batch(points, 3, None, None, max_iter=1, n_init=1).status == 1).any()


WALLS = np.zeros((2, 16, 3))
BAD = [
    ({"points": None}, TypeError, "neither"),
    ({"gram": WALLS}, TypeError, "both"),
    (
        {"points": WALLS[0]},
        ValueError,
        "shape (16, 3): for one data set take ConstrainedKMeans, or give points[N",
    ),
    ({"points": WALLS[0, 0]}, ValueError, "shape (3,)"),
    (
        {"points": np.zeros((1, 5000, 2))},
        ValueError,
        "5000 points; cluster_batch works on the distances of all",
    ),
    (
        {"points": np.ma.masked_greater(WALLS + np.arange(3), 1)},
        ValueError,
        "got 32 of them, the first at (0, 0, 2)",
    ),
    ({"points": [WALLS[0], np.ma.masked_equal(WALLS[1], 0)]}, ValueError, "the first at (1, 0, 0)"),
    ({"size_max": np.ma.masked_less([2, 8, 8, 8], 4)}, ValueError, "size_max must have no masked values"),
    ({"points": None, "gram": WALLS}, ValueError, "square, got shape (2, 16, 3)"),
    ({"points": WALLS.astype(complex)}, TypeError, "complex128"),
    ({"points": WALLS + np.nan}, ValueError, "problem 0"),
    ({"n_clusters": 17}, ValueError, "n_clusters=17"),
    ({"n_clusters": 2.5}, TypeError, "2.5"),
    ({"size_max": 3}, ValueError, "size_max=3"),
    ({"size_min": 5}, ValueError, "size_min=5"),
    ({"size_min": 5.5}, ValueError, "5.5 (n_samples=16, n_clusters=4, size_min=5.5, size_max=None)"),
    ({"size_min": [1, 2]}, ValueError, "shape (2,)"),
    ({"size_min": -1}, ValueError, "-1"),
    ({"size_min": 5, "size_max": 3}, ValueError, "at least 5 and at most 3"),
    ({"seeds": 0}, ValueError, "got 0"),
    ({"seeds": [-1]}, ValueError, "got -1"),
    ({"seeds": []}, ValueError, "empty"),
    ({"seeds": [1.5]}, ValueError, "1.5"),
    ({"n_init": 0}, ValueError, "got 0"),
    ({"max_iter": 0}, ValueError, "got 0"),
    ({"orders": [[0] * 16]}, ValueError, "row 0"),
    ({"orders": [[0]]}, ValueError, "(1, 16)"),
    ({"assignment_cost": "cubed"}, ValueError, "cubed"),
    ({"device": "tpu"}, ValueError, "tpu"),
    ({"n_jobs": 0}, ValueError, "got 0"),
]


@pytest.mark.parametrize(("change", "error", "text"), BAD)
def test_bad_arguments_are_named(change, error, text):
    with pytest.raises(error, match=re.escape(text)):
        cluster_batch(**{"points": WALLS, "n_clusters": 4} | change)


def test_a_nan_in_one_row_is_found_and_overflow_is_not_silent():
    points = np.zeros((3, 16, 2))
    points[2, 5, 1] = np.inf
    with pytest.raises(ValueError, match=r"problem 2 have a NaN or an infinity in row 5"):
        cluster_batch(points)
    with pytest.raises(ValueError, match="scale the data down"):
        cluster_batch(np.random.default_rng(0).normal(size=(1, 16, 2)) * 1e200, 4, 4, 4)
    # Without bounds every assignment succeeds, so that the inertia alone tells.
    with pytest.raises(ValueError, match="squared distances of problem 0 are beyond"):
        cluster_batch(np.random.default_rng(0).normal(size=(1, 16, 2)) * 1e200, 4)


def test_an_asymmetric_gram_matrix_is_refused():
    gram = np.zeros((2, 16, 16))
    gram[1, 2, 5] = 3.0
    with pytest.raises(ValueError, match=r"gram of problem 1 is not symmetric: 3.0 at \(2, 5\)"):
        cluster_batch(gram=gram)


def test_constants_that_stand_twice_are_equal():
    # Each stands a second time where importing the first would load numba, or turn a dependency round.
    from fourfold.conf import schema
    from fourfold.experiments.data import readers

    assert set(schema.SPLITS) == {"all", *readers.SPLITS}
    assert set(schema.LAYOUTS) == {"bundled", *readers.LAYOUTS}


def test_threads(monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert resolve_n_threads(None) == 1
    assert resolve_n_threads(5) == 5
    assert resolve_n_threads(np.int64(3)) == 3
    assert resolve_n_threads(-1) == 1
    assert resolve_n_threads(-9) == 1


def test_seeds_beyond_the_memory_and_ragged_points_are_refused():
    points = np.zeros((1, 16, 2))
    with pytest.raises(
        ValueError, match=r"seeds=1000000000000 for 1 problems of 16 points takes .* are free: ask"
    ):
        cluster_batch(points, 4, seeds=10**12)
    with pytest.raises(ValueError, match="points must be an array of numbers, got rows of different lengths"):
        cluster_batch([[[1, 2], [3]]], 1)
    with pytest.raises(TypeError, match="n_clusters must be given"):
        cluster_batch(points)


@pytest.mark.parametrize("scale", [1e-160, 1e-200])
def test_an_inertia_that_float64_cannot_hold_is_said(scale):
    points = np.random.default_rng(0).normal(size=(2, 16, 3))
    expected = cluster_batch(points, 4, 4, 4, seeds=3)
    with pytest.warns(RuntimeWarning, match="smaller than float64 can hold"):
        tiny = cluster_batch(points * scale, 4, 4, 4, seeds=3)
    np.testing.assert_array_equal(tiny.labels, expected.labels)
