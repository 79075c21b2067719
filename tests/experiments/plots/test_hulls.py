"""The outline of a group."""

import numpy as np
import pytest
from figure_boxes import contains

from fourfold.experiments.plots.wall_map import rounded_hull


def area(corners):
    x, y = corners.T
    return (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2


@pytest.mark.parametrize("n_points", range(1, 9))
def test_it_holds_its_points_and_what_is_within_the_margin(n_points):
    random = np.random.default_rng(n_points)
    points = random.uniform(-50, 50, (n_points, 2))
    corners = rounded_hull(points, 9)
    angles = random.uniform(0, 2 * np.pi, (40, 1))
    near = points[random.integers(0, n_points, 40)] + 8.9 * np.column_stack([np.cos(angles), np.sin(angles)])
    assert contains(corners, points).all()
    assert contains(corners, near).all()
    assert not contains(corners, points.max(axis=0, keepdims=True) + 10).any()


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([[5, 5]], np.pi * 81),
        ([[5, 5], [5, 5], [5, 5]], np.pi * 81),
        ([[0, 0], [30, 0]], np.pi * 81 + 30 * 18),
        ([[0, 0], [10, 0], [30, 0]], np.pi * 81 + 30 * 18),
        ([[0, 0], [40, 0], [40, 30], [0, 30]], np.pi * 81 + 2 * 9 * 70 + 1200),
    ],
)
def test_its_area_is_that_of_the_hull_grown_by_the_margin(points, expected):
    assert area(rounded_hull(np.array(points), 9)) == pytest.approx(expected, rel=0.01)
