"""Gram matrices of clues' vectors, for solvers that need no more than inner products."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def centred_gram(points: NDArray[Any]) -> NDArray[np.float64]:
    """Inner products of the points (..., n_points, n_features) about their mean, (..., n_points, n_points).

    The mean changes no distance, and taken off in float64 it leaves small distances their digits.
    """
    centred = points.astype(np.float64)
    centred -= centred.mean(axis=-2, keepdims=True)
    gram: NDArray[np.float64] = np.matmul(centred, centred.swapaxes(-1, -2))
    return gram
