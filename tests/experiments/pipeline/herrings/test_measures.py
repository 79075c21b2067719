"""Red herrings: a wall worked by hand, a slow oracle, and what must not change them."""

import naive_herrings
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import silhouette_samples

from fourfold.engine import partition
from fourfold.experiments.pipeline.herrings.matching import placed
from fourfold.experiments.pipeline.herrings.measures import Herrings, measure, squared_distances

# A wall of two groups on a line; the clue at 7 is of the first, and lies among the second.
LINE = np.array([[0.0], [1.0], [7.0], [6.0], [8.0], [9.0]])
LINE_TRUTH = np.array([0, 0, 0, 1, 1, 1])


def measured(points, truth, labels=None):
    """Of one wall with one order."""
    points, truth = np.asarray(points, dtype=float), np.asarray(truth)
    labels = truth[np.newaxis] if labels is None else np.asarray(labels)
    return measure((points @ points.T)[np.newaxis, np.newaxis], truth[np.newaxis], labels[np.newaxis])


def walls(n_points=6, n_features=2):
    """Points on a coarse grid, so that there are ties and clues that are there twice."""
    return st.lists(
        st.lists(st.integers(-3, 3), min_size=n_features, max_size=n_features),
        min_size=n_points,
        max_size=n_points,
    ).map(lambda rows: np.array(rows, dtype=float))


def test_a_wall_by_hand():
    found = measured(LINE, LINE_TRUTH, [[0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]])
    # {0, 1, 7} about 8/3 and {6, 8, 9} about 23/3; {0, 1, 6} about 7/3 and {7, 8, 9} about 8 are the best.
    assert found.cost_true[0, 0] == pytest.approx(86 / 3 + 14 / 3)
    assert found.cost_best[0, 0] == pytest.approx(62 / 3 + 2)
    # The squares about the mean of all are 231 - 31**2 / 6; 4 / 5 of them are within groups on average.
    total = 231 - 31**2 / 6
    assert found.cost_mean[0, 0] == pytest.approx(total * 4 / 5)
    assert found.margin[0] == pytest.approx((100 / 3 - 68 / 3) / (total * 4 / 5 - 68 / 3))
    assert len(set(found.best[0, [0, 1, 3]])) == 1
    # The clue at 7 is 6.5 from its own on average, and 4/3 from the others.
    assert found.silhouette[0, 2] == pytest.approx((4 / 3 - 6.5) / 6.5)
    # At 6 a clue is 2.5 from its own and 12/3 from the others.
    assert found.silhouette[0, 3] == pytest.approx((4 - 2.5) / 4)
    assert found.drawn_to[0].tolist() == [1, 1, 1, 0, 0, 0]
    # The clue at 6 is nearest to that at 7, of the other group; the clue at 8 as near to 7 as to 9.
    assert found.astray[0].tolist() == [0, 0, 1, 1, 0.5, 0]
    # Of the two nearest: 0 has 1 and 6; 7 has 6 and 8; 6 has 7 and 8; 8 has 7 and 9 (6 is as near as none).
    assert found.strangers[0].tolist() == [1, 1, 2, 1, 1, 1]
    assert found.neighbours[0, 0].tolist() == [1, 3]
    # In one of two runs the clue at 7 is with the others.
    assert found.placed[0, 2].tolist() == [0.5, 0.5]
    assert found.misplaced(LINE_TRUTH[np.newaxis])[0].tolist() == [0, 0, 0.5, 0, 0, 0]


def test_the_true_groups_are_the_best():
    points = np.repeat(np.eye(4) * 10, 4, axis=0) + np.arange(16)[:, np.newaxis] / 100
    found = measured(points, np.repeat(np.arange(4), 4))
    assert found.margin[0] == 0
    assert found.best[0].tolist() == np.repeat(np.arange(4), 4).tolist()
    assert not found.astray.any()
    assert not found.strangers.any()
    assert (found.silhouette > 0.9).all()


def test_true_groups_that_cost_as_much_as_the_best_have_no_margin():
    # The corners of a square: two of three ways to pair them cost the same.
    square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert measured(square, [0, 0, 1, 1]).margin[0] == 0
    assert measured(square, [0, 1, 0, 1]).margin[0] == 0
    assert measured(square, [0, 1, 1, 0]).margin[0] > 1


def test_equal_costs_that_rounding_sets_apart_have_no_margin():
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    for angle in np.linspace(0.1, 1.5, 15):
        turned = square @ [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]] / 3
        assert measured(turned, [0, 0, 1, 1]).margin[0] == 0
        assert measured(turned, [0, 1, 0, 1]).margin[0] == 0


def test_a_distance_that_rounds_below_nought_is_nought():
    above = 1 + 2**-50
    gram = np.array([[1.0, above, 0.0], [above, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert squared_distances(gram).tolist() == [[0, 0, 2], [0, 0, 2], [2, 2, 0]]


def test_measures_of_clues_that_are_all_equal_are_those_of_chance():
    found = measured(np.ones((6, 3)) * 0.1, [0, 0, 1, 1, 2, 2])
    assert found.margin[0] == 1
    assert not found.silhouette.any()
    np.testing.assert_allclose(found.astray, 4 / 5)
    np.testing.assert_allclose(found.strangers, 4 / 5)
    # Three in a group: of the two nearest, drawn at random, 2 * 3 / 5 are of the other.
    np.testing.assert_allclose(measured(np.ones((6, 3)), [0, 0, 0, 1, 1, 1]).strangers, 6 / 5)


def test_places_among_the_nearest_are_shared_by_those_that_are_equally_far():
    # The clue at 0 has one mate at 1, and for the second place one of its own and two others at 2.
    found = measured([[0.0], [1.0], [2.0], [2.0], [2.0], [50.0]], [0, 0, 0, 1, 1, 1])
    assert found.strangers[0, 0] == pytest.approx(2 / 3)


def test_the_order_alone_decides_which_of_equal_clues_are_named():
    gram = np.zeros((1, 1, 16, 16))
    truth = np.repeat(np.arange(4), 4)[np.newaxis]
    order = np.random.default_rng(0).permutation(16)
    found = measure(gram, truth, truth[:, np.newaxis], order[np.newaxis, np.newaxis])
    assert found.neighbours[0, order[5]].tolist() == order[:3].tolist()
    assert {frozenset(np.flatnonzero(found.best[0] == g).tolist()) for g in range(4)} == {
        frozenset(part.tolist()) for part in np.split(order, 4)
    }


def test_the_same_clue_in_two_groups_is_astray_in_both():
    points = np.array([[0, 0.1], [0.3, 0], [0, 0.5], [5, 0], [0.3, 0], [5, 1]]) * 1.1
    found = measured(points, [0, 0, 0, 1, 1, 1])
    assert found.astray[0, [1, 4]].all()
    assert found.neighbours[0, 1, 0] == 4
    assert found.neighbours[0, 4, 0] == 1


def test_a_clue_that_is_as_near_to_its_own_as_to_another_is_half_astray():
    # 0.1 and its doubles are not exact in binary.
    assert measured([[0.1], [0.2], [0.3], [0.9]], [0, 0, 1, 1]).astray[0, 1] == 0.5


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(points=walls(), truth=st.permutations([0, 0, 1, 1, 2, 2]))
def test_as_the_slow_way(points, truth):
    found = measured(points, truth)
    assert found.margin[0] == pytest.approx(naive_herrings.margin(points, truth), abs=1e-9)
    distances = np.sqrt(((points[:, np.newaxis] - points) ** 2).sum(axis=-1))
    expected = silhouette_samples(distances, truth, metric="precomputed")
    np.testing.assert_allclose(found.silhouette[0], expected, rtol=0, atol=1e-9)
    for clue in range(len(points)):
        mate = next(place for place in range(6) if truth[place] == truth[clue] and place != clue)
        others = [distances[clue, place] for place in range(6) if truth[place] != truth[clue]]
        ties = sum(other <= min(others) + 1e-6 for other in others)
        share = ties / (ties + 1) if abs(min(others) - distances[clue, mate]) < 1e-6 else 1
        expected_share = share if min(others) < distances[clue, mate] + 1e-6 else 0
        assert found.astray[0, clue] == pytest.approx(expected_share)
        assert found.strangers[0, clue] == found.astray[0, clue]  # in a group of two


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(points=walls(), truth=st.permutations([0, 0, 0, 1, 1, 2]))
def test_groups_of_unequal_sizes_as_the_slow_way(points, truth):
    found = measured(points, truth)
    assert found.margin[0] == pytest.approx(naive_herrings.margin(points, truth), abs=1e-9)
    assert found.margin[0] >= 0
    assert found.silhouette[0, truth.index(2)] == 0  # alone in its group
    assert not found.astray[0, truth.index(2)]
    assert found.strangers[0, truth.index(2)] == 0


@settings(deadline=None, max_examples=60)
@given(
    truth=st.permutations([0, 0, 0, 1, 1, 1]) | st.permutations([0, 1, 1, 1, 2, 2]),
    runs=st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=1, max_size=4),
)
def test_clues_are_placed_as_the_slow_way(truth, runs):
    found = placed(np.array([runs]), np.array([truth]))[0]
    np.testing.assert_allclose(found, naive_herrings.placed(runs, truth), rtol=0, atol=1e-12)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(
    points=walls(8, 3),
    truth=st.permutations([0, 0, 0, 0, 1, 1, 1, 1]),
    order=st.permutations(range(8)),
    scale=st.sampled_from([1e-6, 1.0, 1e6]),
    run=st.permutations([0, 0, 0, 0, 1, 1, 1, 1]),
)
def test_names_order_and_scale_change_nothing(points, truth, order, scale, run):
    truth, run = np.array(truth), np.array(run)
    one = measured(points, truth, [run, truth])
    other = measured(points[order] * scale, 1 - truth[order], [truth[order], 1 - run[order]])
    assert other.margin[0] == pytest.approx(one.margin[0], abs=1e-9)
    assert one.margin[0] >= 0
    np.testing.assert_allclose(other.silhouette[0], one.silhouette[0, order], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(other.astray[0], one.astray[0, order])
    np.testing.assert_array_equal(other.strangers[0], one.strangers[0, order])
    np.testing.assert_allclose(other.placed[0], one.placed[0, order][:, ::-1], rtol=0, atol=1e-12)


def test_several_orders_are_averaged_and_no_more_than_sixteen_looked_at():
    generator = np.random.default_rng(3)
    points = generator.normal(size=(2, 20, 16, 5))
    gram = points @ points.swapaxes(-1, -2)
    truth = np.repeat(np.arange(4), 4)[np.newaxis].repeat(2, axis=0)
    found = measure(gram, truth, truth[:, np.newaxis])
    assert found.cost_true.shape == (2, 16)
    alone = [measure(gram[:, [place]], truth, truth[:, np.newaxis]) for place in range(16)]
    np.testing.assert_allclose(found.margin, np.mean([one.margin for one in alone], axis=0), atol=1e-12)
    distances = np.sqrt(squared_distances(gram[:, :16])).mean(axis=1)
    expected = [silhouette_samples(wall, truth[0], metric="precomputed") for wall in distances]
    np.testing.assert_allclose(found.silhouette, expected, atol=1e-9)
    np.testing.assert_array_equal(found.best, alone[0].best)


def test_a_batch_is_a_loop_of_singles():
    generator = np.random.default_rng(5)
    points = generator.normal(size=(5, 1, 16, 4))
    gram = points @ points.swapaxes(-1, -2)
    truth = np.array([generator.permutation(np.repeat(np.arange(4), [4, 4, 4, 4])) for _ in range(5)])
    truth[3] = generator.permutation(np.repeat(np.arange(4), [1, 5, 5, 5]))
    labels = generator.permuted(np.repeat(truth[:, np.newaxis], 3, axis=1), axis=2)
    together = measure(gram, truth, labels).arrays()
    for wall in range(5):
        alone = measure(gram[[wall]], truth[[wall]], labels[[wall]]).arrays()
        for name, array in alone.items():
            # There are as many neighbours as the largest group of any wall has.
            same = together[name][wall][..., : array.shape[-1]]
            np.testing.assert_allclose(same, array[0], atol=1e-12)


def test_many_runs_are_matched_in_blocks(monkeypatch):
    generator = np.random.default_rng(7)
    truth = np.array([generator.permutation(16) % 4 for _ in range(5)])
    labels = generator.permuted(np.repeat(truth[:, np.newaxis], 30, axis=1), axis=2)
    whole = placed(labels, truth)
    monkeypatch.setattr("fourfold.experiments.pipeline.herrings.matching._BLOCK_RUNS", 60)
    np.testing.assert_allclose(placed(labels, truth), whole, rtol=0, atol=1e-12)
    np.testing.assert_allclose(whole.sum(axis=2), 1)


def test_a_shape_whose_best_partition_cannot_be_found_has_no_margin(monkeypatch):
    def refuse(*_, **__):
        raise ValueError("16 points take 10 TB")

    monkeypatch.setattr(partition, "best_partitions", refuse)
    found = measured(LINE, LINE_TRUTH)
    assert np.isnan(found.margin).all()
    assert (found.best == -1).all()
    assert found.silhouette[0, 2] < 0


def test_more_groups_than_can_be_matched_are_refused():
    with pytest.raises(ValueError, match="got 7 groups or clusters on a wall, expected at most 6"):
        placed(np.arange(7)[np.newaxis, np.newaxis], np.zeros((1, 7), dtype=int))


def test_what_is_kept_is_what_was_measured():
    found = measured(LINE, LINE_TRUTH)
    kept = Herrings.from_arrays(found.arrays())
    assert kept.margin.tolist() == found.margin.tolist()
    np.testing.assert_allclose(kept.silhouette, found.silhouette, rtol=1e-6)
    np.testing.assert_array_equal(kept.neighbours, found.neighbours)
    np.testing.assert_allclose(kept.astray, found.astray, rtol=1e-6)
    arrays = found.arrays()
    del arrays["astray"]
    with pytest.raises(ValueError, match="no array astray"):
        Herrings.from_arrays(arrays)
    with pytest.raises(ValueError, match=r"astray has shape \(1, 3\)"):
        Herrings.from_arrays(found.arrays() | {"astray": np.zeros((1, 3))})
