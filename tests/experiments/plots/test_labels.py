"""Labels beside their markers."""

import numpy as np
import pytest
from figure_boxes import overlap
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold.experiments.plots.labels import place_labels

RADIUS = 3.75


def boxes_of(placed, sizes):
    return np.concatenate([placed.middles - sizes / 2, placed.middles + sizes / 2], axis=1)


def check(placed, markers, sizes, page):
    boxes = boxes_of(placed, sizes)
    assert (boxes[:, :2] >= 0).all()
    assert (boxes[:, 2:] <= np.array(page)).all()
    for i in range(len(boxes)):
        for j in range(i):
            assert not overlap(boxes[i], boxes[j])
        nearest = np.clip(markers, boxes[i, :2], boxes[i, 2:])
        assert np.hypot(*(nearest - markers).T).min() >= RADIUS


@pytest.mark.slow
@settings(deadline=None, max_examples=8)
@given(seed=st.integers(0, 10_000), crowd=st.sampled_from([1.0, 0.4, 0.15]))
def test_no_label_overlaps_another_or_a_marker_or_leaves_the_page(seed, crowd):
    random = np.random.default_rng(seed)
    page = (400.0, 300.0)
    markers = np.array(page) / 2 + crowd * (random.uniform(size=(16, 2)) - 0.5) * [330, 260]
    sizes = np.column_stack([random.uniform(10, 75, 16), random.choice([9.0, 18.0], 16)])
    placed = place_labels(markers, sizes, page, RADIUS)
    assert placed is not None
    check(placed, markers, sizes, page)
    again = place_labels(markers, sizes, page, RADIUS)
    assert np.array_equal(placed.middles, again.middles)


def test_a_label_with_room_is_right_beside_its_marker_and_has_no_line():
    markers = np.array([[100.0, 100.0], [300.0, 100.0]])
    sizes = np.array([[30.0, 9.0]] * 2)
    placed = place_labels(markers, sizes, (400, 200), RADIUS)
    assert np.allclose(placed.middles[:, 1], 100)
    assert (placed.middles[:, 0] - markers[:, 0]).tolist() == pytest.approx([RADIUS + 2 + 15] * 2)
    assert np.isnan(placed.ends).all()


@pytest.mark.slow
def test_a_label_far_from_its_marker_has_a_line_that_ends_at_the_label():
    ring = np.column_stack([np.cos(np.arange(15) * 0.42), np.sin(np.arange(15) * 0.42)]) * 12
    markers = np.vstack([[200.0, 150.0], ring + [200, 150]])
    sizes = np.full((16, 2), [40.0, 9.0])
    placed = place_labels(markers, sizes, (400, 300), RADIUS)
    check(placed, markers, sizes, (400, 300))
    led = ~np.isnan(placed.ends[:, 0])
    assert led.any()
    boxes = boxes_of(placed, sizes)[led]
    ends = placed.ends[led]
    assert (ends >= boxes[:, :2] - 1e-9).all()
    assert (ends <= boxes[:, 2:] + 1e-9).all()


def test_labels_keep_off_outlines_where_they_can():
    markers = np.array([[100.0, 100.0]])
    sizes = np.array([[30.0, 9.0]])
    wall = np.array([[110.0, 0.0], [111.0, 0.0], [111.0, 200.0], [110.0, 200.0]])
    free = place_labels(markers, sizes, (200, 200), RADIUS)
    kept = place_labels(markers, sizes, (200, 200), RADIUS, [wall])
    assert free.middles[0, 0] > 110
    assert kept.middles[0, 0] + 15 < 110


@pytest.mark.parametrize("page", [(60.0, 40.0), (20.0, 400.0)])
def test_none_where_there_is_no_place(page):
    markers = np.array(page) / 2 + np.random.default_rng(0).uniform(-5, 5, (16, 2))
    assert place_labels(markers, np.full((16, 2), [30.0, 9.0]), page, RADIUS) is None
