"""Which points of a Gram matrix are equal but for rounding."""

import numpy as np
import pytest

from fourfold.engine.equals import merge_equals


@pytest.mark.parametrize("scale", [2.0**-600, 1.0, 2.0**600])
def test_points_are_merged_where_they_are_equal_but_for_rounding_at_any_scale(scale):
    points = np.random.default_rng(0).normal(size=(1, 6, 3))
    points[0, 1] = points[0, 0] + 1e-9  # near, and told apart by the inner products
    points[0, 4] = points[0, 3]
    gram = points @ points.transpose(0, 2, 1)
    gram[0, 4, 2] = gram[0, 2, 4] = np.nextafter(gram[0, 3, 2], np.inf)
    merged = merge_equals(gram * scale) / scale
    first = [0, 1, 2, 3, 3, 5]
    np.testing.assert_array_equal(merged, gram[:, first][:, :, first])


@pytest.mark.filterwarnings("error")
def test_points_whose_distances_overflow_are_not_equal():
    gram = np.diag(np.full(4, 1.7e308))[np.newaxis]
    assert merge_equals(gram) is gram
