"""The check that Gram matrices are symmetric, for every problem that takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_ROUNDING = 1e-5  # of the largest entry: what float32 products leave between g[i, j] and g[j, i]


def check_symmetric(matrices: NDArray[Any]) -> None:
    """Raise ValueError, with the entries, unless all ``matrices`` (n_problems, n, n) are symmetric."""
    largest = np.abs(matrices).max(axis=(1, 2), initial=0.0)
    apart = np.abs(matrices - matrices.transpose(0, 2, 1))
    bad = np.argwhere(apart > _ROUNDING * largest[:, np.newaxis, np.newaxis])
    if len(bad):
        problem, i, j = bad[0]
        raise ValueError(
            f"gram of problem {problem} is not symmetric: {matrices[problem, i, j]} at ({i}, {j}) and "
            f"{matrices[problem, j, i]} at ({j}, {i}): give inner products, such as points @ points.T"
        )
