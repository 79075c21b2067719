"""What users give as arrays: masked values and rows of different lengths are refused by the array's name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def as_array(data: Any, name: str) -> NDArray[Any]:
    """``data`` as an array; ValueError where values are masked or rows have different lengths."""
    refuse_masked(data, name)
    if data is None:
        raise TypeError(f"{name} must be an array of numbers, got None")
    try:
        return np.asarray(data)
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        raise ValueError(
            f"{name} must be an array of numbers, got rows of different lengths: make them equally long"
        ) from None


def refuse_masked(data: Any, name: str) -> None:
    """Raise ValueError for a masked array, or a list with one, that masks anything.

    Nothing here knows what to do with masked values, and numpy would pass on what lies beneath.
    """
    parts = enumerate(data) if isinstance(data, (list, tuple)) else [(None, data)]
    for place, part in parts:
        if isinstance(part, np.ma.MaskedArray) and (masked := np.ma.getmaskarray(part)).any():
            first = tuple(np.argwhere(masked)[0].tolist())
            where = first if place is None else (place, *first)
            raise ValueError(
                f"{name} must have no masked values, got {masked.sum()} of them, the first at {where}: "
                "fill them in or leave them out"
            )
