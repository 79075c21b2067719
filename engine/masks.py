"""Masked values: nothing here knows what to do with them, and numpy would pass on what lies beneath."""

from __future__ import annotations

from typing import Any

import numpy as np


def refuse_masked(data: Any, name: str) -> None:
    """Raise ValueError for a masked array, or a list with one, that masks anything."""
    parts = enumerate(data) if isinstance(data, (list, tuple)) else [(None, data)]
    for place, part in parts:
        if isinstance(part, np.ma.MaskedArray) and (masked := np.ma.getmaskarray(part)).any():
            first = tuple(np.argwhere(masked)[0].tolist())
            where = first if place is None else (place, *first)
            raise ValueError(
                f"{name} must have no masked values, got {masked.sum()} of them, the first at {where}: "
                "fill them in or leave them out"
            )
