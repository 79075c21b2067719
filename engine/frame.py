"""The coordinates a fit computes in: around zero, of a size whose squares float holds, or of length 1."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .centre_costs import BLOCK, moments

Array = NDArray[Any]
Floats = NDArray[np.float64]

TOO_SMALL = (
    "the inertia is smaller than float64 can hold and loses digits, or is 0; labels are not affected: "
    "scale the data up to have it"
)

# Mean squares of the features between which no square, product or sum comes near an end of the type.
_PLAIN = {4: (1e-20, 1e20), 8: (1e-200, 1e200)}


@dataclass(frozen=True, slots=True)
class Frame:
    """A fit's own coordinates: ``(x - offset) * scale``, or for cosine ``x / |x|``."""

    offset: Floats  # (n_features,)
    scale: float  # a power of two, which changes no digit
    cosine: bool

    @property
    def unit(self) -> float:
        """What a squared distance of 1 in the frame is outside of it."""
        return 1.0 / self.scale / self.scale

    def squared_outside(self, squared: float) -> float:
        """A sum of squared distances as the caller sees it; a warning where float64 cannot hold it."""
        outside = squared / self.scale / self.scale
        if squared > 0 and outside < np.finfo(np.float64).tiny:
            warnings.warn(TOO_SMALL, RuntimeWarning, stacklevel=4)
        return outside

    def points(self, X: Array) -> Array:
        """Rows as the fit sees them, in the type of X. Raises ValueError for a cosine of a row of zeros."""
        if self.cosine:
            return _directions(X)
        points = np.empty_like(X)
        for begin in range(0, len(X), BLOCK):
            block = X[begin : begin + BLOCK] - self.offset
            if self.scale != 1.0:
                block *= self.scale
            points[begin : begin + BLOCK] = block
        return points

    def centres(self, centres: Array) -> Floats:
        """Centres as the fit sees them; for cosine they must have length 1."""
        return np.asarray((centres - self.offset) * self.scale, np.float64)

    def outside(self, centres: Floats) -> Floats:
        """Centres of the fit, as the caller sees them."""
        return np.asarray(centres / self.scale + self.offset)


def frame_of(X: Array, weights: Floats | None, cosine: bool) -> tuple[Frame, Array]:
    """The frame for some rows, and the rows in it."""
    if cosine:
        frame = Frame(np.zeros(X.shape[1]), 1.0, cosine)
        return frame, frame.points(X)
    frame = Frame(moments(X, weights)[0], 1.0, cosine)
    points = frame.points(X)
    least, most = _PLAIN[X.dtype.itemsize]
    if not least < moments(points, weights)[1].max() < most:
        size = float(np.abs(X - frame.offset).max())
        if 0 < size < math.inf:
            exponent = min(max(math.frexp(size)[1], -1000), 1000)
            frame = Frame(frame.offset, math.ldexp(1.0, -exponent), cosine)
            points = frame.points(X)
    return frame, points


def _directions(X: Array) -> Array:
    lengths = np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
    odd = np.flatnonzero(~((lengths > 1e-100) & (lengths < 1e100)))
    if len(odd):  # squares that vanished or overflowed: bring those rows near 1 first
        X = X.copy()
        X[odd] = np.ldexp(X[odd], -np.frexp(np.abs(X[odd]).max(axis=1, keepdims=True))[1])
        lengths[odd] = np.sqrt(np.einsum("ij,ij->i", X[odd], X[odd], dtype=np.float64))
    if np.any(lengths == 0):
        row = int(np.flatnonzero(lengths == 0)[0])
        raise ValueError(f"the cosine of a row of zeros is undefined, got one in row {row}")
    return np.asarray(X / lengths[:, None]).astype(X.dtype, copy=False)
