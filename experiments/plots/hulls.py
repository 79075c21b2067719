"""The outline of a group of points: their convex hull, grown by a margin and rounded."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

N_ROUND = 48  # corners of the polygon that stands for a circle


def rounded_hull(points: NDArray[Any], margin: float) -> NDArray[np.float64]:
    """The corners (n_corners, 2) of the hull of ``points`` (n_points, 2), counter-clockwise.

    It is the hull of circles of radius ``margin`` about the points: of one point a circle, of two or of
    points in a row a capsule.
    """
    from scipy.spatial import ConvexHull

    angles = np.arange(N_ROUND) * (2 * np.pi / N_ROUND)
    circle = margin * np.column_stack([np.cos(angles), np.sin(angles)])
    around = (np.asarray(points, np.float64)[:, np.newaxis] + circle).reshape(-1, 2)
    corners: NDArray[np.float64] = around[ConvexHull(around).vertices]
    return corners
