"""Several encoders as one. It has no vectors of its own: what is added are its parts' Gram matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .encoder import JSON, ContextualEncoder, Encoder

# A spread below this share of the greatest entry is rounding: all points are equally far apart.
_NO_SPREAD = 1e-12


@dataclass(frozen=True, slots=True)
class FusedEncoder:
    """Encoders and the weight of each."""

    parts: tuple[Encoder | ContextualEncoder, ...]
    weights: tuple[float, ...]

    @property
    def name(self) -> str:
        """The parts' names."""
        return " + ".join(part.name for part in self.parts)

    def describe(self) -> dict[str, JSON]:
        """What each part says of itself, and its weight."""
        parts: list[dict[str, JSON]] = [part.describe() for part in self.parts]
        devices = dict.fromkeys(str(part.get("device", "unknown")) for part in parts)
        return {
            "encoder": "fused",
            "name": self.name,
            "weights": list(self.weights),
            "parts": [*parts],
            "device": ", ".join(devices),
        }


def unit_spread(gram: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centred Gram matrices (..., n_points, n_points), each divided by its spread.

    The spread is the population standard deviation of the entries off the diagonal. Where it is 0, all points
    are equally far apart and the matrix says nothing of them: it becomes 0.
    """
    n_points = gram.shape[-1]
    between = gram[..., ~np.eye(n_points, dtype=bool)]
    if between.shape[-1] == 0:
        return np.zeros_like(gram)
    spread = np.sort(between, axis=-1).std(axis=-1)  # sorted: the points' order must not change a digit
    spreads = spread > _NO_SPREAD * np.abs(gram).max(axis=(-1, -2))
    scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=spreads)
    scaled: NDArray[np.float64] = gram * scale[..., np.newaxis, np.newaxis]
    return scaled
