"""The metrics against scikit-learn and SciPy one wall at a time, and what may not change them."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_metrics import naive_agreement, naive_groups, naive_labels
from numpy.typing import NDArray
from shared_data import ocw_2023_05

from fourfold.experiments.data.readers import read_walls
from fourfold.experiments.metrics import METRICS, Scores, score_groups, score_labels

BY_ORDER = {"wd", "wd_matched"}  # the rest depends on the two partitions alone
AGREEMENT = ["fms", "ari", "ami"]
TOLERANCE = {"rtol": 0, "atol": 1e-9}
EXACT = {"rtol": 0, "atol": 1e-12}


def assert_scores(scores: Scores, expected: dict[str, Any], tolerance: dict[str, float] = TOLERANCE) -> None:
    assert set(scores.values) == set(expected)
    for name, values in scores.values.items():
        np.testing.assert_allclose(values, expected[name], err_msg=name, **tolerance)


def swapped(rng: np.random.Generator, truth: NDArray[np.int64], n_swaps: int) -> NDArray[np.int64]:
    """The true labels with some pairs of clues swapped and the clusters renumbered."""
    labels = truth.copy()
    for _ in range(n_swaps):
        a, b = rng.integers(0, len(labels), 2)
        labels[[a, b]] = labels[[b, a]]
    return rng.permutation(truth.max() + 1)[labels]


@pytest.fixture(scope="module")
def walls() -> list[list[list[str]]]:
    """The true groups of the 618 real walls."""
    found = read_walls(ocw_2023_05()).walls
    return [[list(group.clues) for group in wall.groups] for wall in found]


@pytest.fixture(scope="module")
def predictions(walls: list[list[list[str]]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(618, 3, 16) labels: a random partition, one near the truth, one with every second wall solved."""
    rng = np.random.default_rng(7)
    truth = rng.permuted(np.tile(np.arange(16) // 4, (len(walls), 1)), axis=1)
    labels = [
        [rng.permutation(row), swapped(rng, row, int(rng.integers(1, 4))), swapped(rng, row, wall % 2)]
        for wall, row in enumerate(truth)
    ]
    return np.array(labels), truth


def as_texts(
    walls: list[list[list[str]]], truth: NDArray[np.int64], labels: NDArray[np.int64]
) -> list[list[list[str]]]:
    """One run's predicted groups, in cluster order."""
    texts = []
    for groups, row, clusters in zip(walls, truth, labels, strict=True):
        left = [list(group) for group in groups]
        clues = [left[group].pop(0) for group in row]
        texts.append([[clues[i] for i in np.flatnonzero(clusters == k)] for k in range(4)])
    return texts


@pytest.mark.slow
def test_real_walls_by_label(predictions: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
    labels, truth = predictions
    scores = score_labels(labels, truth)
    for seed in range(labels.shape[1]):
        chosen = range(seed, len(truth), labels.shape[1])  # a third, as the oracle is slow
        expected = [naive_labels(labels[w, seed].tolist(), truth[w].tolist()) for w in chosen]
        for name in METRICS:
            column = np.array([row[name] for row in expected])
            np.testing.assert_allclose(scores[name][chosen, seed], column, err_msg=name, **EXACT)
    assert 309 <= scores.per_seed()["solved_walls"][2] < 450  # both kinds are there


@pytest.mark.slow
def test_real_walls_by_text(
    walls: list[list[list[str]]], predictions: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> None:
    labels, truth = predictions
    by_index = score_labels(labels, truth)
    unique = np.array(
        [len({word.lower().strip() for group in wall for word in group}) == 16 for wall in walls]
    )
    assert 610 < unique.sum() < 618  # a few walls hold a clue twice
    rng = np.random.default_rng(8)
    for seed in range(labels.shape[1]):
        texts = as_texts(walls, truth, labels[:, seed])
        by_text = score_groups(texts, walls)
        for name in METRICS:
            np.testing.assert_allclose(by_text[name][unique, 0], by_index[name][unique, seed], **EXACT)
        # Words that are not on the wall, in every fifth wall and those with a clue twice.
        chosen = [w for w in range(len(walls)) if w % 5 == 0 or not unique[w]]
        for w in chosen:
            for _ in range(rng.integers(0, 3)):
                texts[w][rng.integers(4)][rng.integers(4)] = str(
                    rng.choice(["", "Quokka", " zzz", "ångström"])
                )
        expected = [naive_groups(texts[w], walls[w]) for w in chosen]
        got = score_groups([texts[w] for w in chosen], [walls[w] for w in chosen])
        assert_scores(got, {name: [[row[name]] for row in expected] for name in METRICS}, EXACT)


def test_all_walls_and_seeds_score_at_once_and_in_time() -> None:
    rng = np.random.default_rng(9)
    truth = rng.permuted(np.tile(np.arange(16) // 4, (618, 1)), axis=1)
    labels = rng.permuted(np.broadcast_to(truth[:, None], (618, 16, 16)), axis=-1)
    start = time.perf_counter()
    scores = score_labels(labels, truth)
    assert time.perf_counter() - start < 3
    for name, alone in score_labels(labels[100:101, 5:6], truth[100:101]).values.items():
        assert scores[name][100, 5] == alone[0, 0]


@st.composite
def equal_partitions(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Labels (n_walls, n_seeds, n_points) and truth, groups of one size; some clusters not from 0 up."""
    n_groups, size = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    truth = rng.permuted(np.tile(np.arange(n_groups * size) // size, (2, 1)), axis=1)
    names = rng.choice(30, n_groups, replace=False)
    return names[np.array([[swapped(rng, row, n) for n in (0, 2, 9)] for row in truth])], truth


@st.composite
def any_partitions(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Labels and truth, groups of any size and number, from one cluster to a cluster a point."""
    n_points = draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    truth = rng.integers(0, draw(st.integers(1, n_points)), (2, n_points))
    labels = rng.integers(0, draw(st.integers(1, n_points)), (2, 4, n_points))
    labels[:, 1] = truth  # a perfect match
    labels[:, 2] = 5  # one cluster
    labels[:, 3] = np.arange(n_points)  # a cluster a point
    return labels, truth


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(equal_partitions())
def test_equal_groups_as_the_reference(case: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
    labels, truth = case
    expected = [[naive_labels(seed.tolist(), truth[w].tolist()) for seed in labels[w]] for w in range(2)]
    assert_scores(
        score_labels(labels, truth), {name: [[c[name] for c in row] for row in expected] for name in METRICS}
    )


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(any_partitions())
def test_any_groups_as_the_reference(case: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
    labels, truth = case
    names = [name for name in METRICS if name not in BY_ORDER]
    expected = [
        [naive_labels(seed.tolist(), truth[w].tolist(), False) for seed in labels[w]] for w in range(2)
    ]
    scores = score_labels(labels, truth, names)
    assert_scores(scores, {name: [[cell[name] for cell in row] for row in expected] for name in names})
    assert (scores["ami"][:, 1] == 1).all()
    by_default = score_labels(labels, truth)
    sizes = {
        len(np.flatnonzero(row == group))
        for row in (*labels.reshape(-1, truth.shape[1]), *truth)
        for group in set(row)
    }
    assert list(by_default.values) == (list(METRICS) if len(sizes) == 1 else names)
    assert_scores(score_labels(labels, truth, names), {name: by_default[name] for name in names}, EXACT)


def test_many_points_and_groups_of_all_sizes() -> None:
    rng = np.random.default_rng(10)
    truth = rng.integers(0, 40, (2, 1500))
    noise = rng.integers(0, 60, (2, 2, 1500))
    labels = np.where(rng.random(noise.shape) < 0.5, truth[:, None], noise)
    scores = score_labels(labels, truth, AGREEMENT)
    for wall in range(2):
        for seed in range(2):
            for name, value in naive_agreement(truth[wall].tolist(), labels[wall, seed].tolist()).items():
                np.testing.assert_allclose(scores[name][wall, seed], value, err_msg=name, **TOLERANCE)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(equal_partitions(), st.randoms(use_true_random=False))
def test_what_may_not_change_the_scores(
    case: tuple[NDArray[np.int64], NDArray[np.int64]], random: Any
) -> None:
    labels, truth = case
    scores = score_labels(labels, truth).values

    def same(other: Scores, but: set[str]) -> None:
        for name in set(METRICS) - but:
            np.testing.assert_allclose(other[name], scores[name], err_msg=name, **EXACT)

    numbers = list(range(30))
    random.shuffle(numbers)
    same(score_labels(np.array(numbers)[labels], truth), but={"wd"})  # clusters renumbered
    same(score_labels(labels, np.array(numbers)[truth]), but=BY_ORDER)  # true groups renumbered
    points = list(range(truth.shape[1]))
    random.shuffle(points)
    same(score_labels(labels[:, :, points], truth[:, points]), but=set())  # clues reordered on both sides
    for dtype in (np.int8, np.uint16, np.int32):
        same(score_labels(labels.astype(dtype)[..., ::-1], truth.astype(dtype)[..., ::-1]), but=set())
    assert (scores["wd_matched"] <= scores["wd"] + 1e-12).all()
    for name in BY_ORDER:
        assert ((scores[name] >= 0) & (scores[name] <= 1)).all()


@settings(deadline=None, max_examples=20)
@given(equal_partitions())
def test_a_perfect_prediction_in_any_cluster_order(
    case: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> None:
    labels, truth = case
    n_groups = int(truth.max()) + 1
    perfect = score_labels(labels[:, :1], truth)  # no swap, clusters renumbered
    for name in ("wd", "wd_matched"):
        assert (perfect[name] == 0).all()
    for name in ("ari", "ami", "solved_walls"):
        assert (perfect[name] == 1).all()
    assert (perfect["correct_groups"] == n_groups).all()
    one_each = n_groups == truth.shape[1]  # no pair to share, so no FMS, as in scikit-learn
    np.testing.assert_allclose(perfect["fms"], 0.0 if one_each else 1.0, **EXACT)
