"""Counter-based random numbers: Philox-4x32-10.

A draw is a function of (seed, counter) alone, so that it does not depend on threads, on how a batch is
split, or on what was drawn before.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel

_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_11 = np.uint64(11)
_TO_UNIT = 1.0 / 9007199254740992.0  # 2**-53
_ROUNDS = 10


@kernel
def philox(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Four random words for a counter of four words and a key of two; all are uint64 below 2**32."""
    for _ in range(_ROUNDS):
        product_0 = _MULTIPLIER_0 * c0
        product_1 = _MULTIPLIER_1 * c2
        c0, c1, c2, c3 = (
            (product_1 >> _32) ^ c1 ^ k0,
            product_1 & _LOW,
            (product_0 >> _32) ^ c3 ^ k1,
            product_0 & _LOW,
        )
        k0 = (k0 + _WEYL_0) & _LOW
        k1 = (k1 + _WEYL_1) & _LOW
    return c0, c1, c2, c3


@kernel
def uniform_pair(seed: int | np.uint64, start: int | np.uint64, draw: int) -> tuple[float, float]:
    """Two doubles in [0, 1) for the 64-bit ``seed``, the start's number and the number of the draw."""
    key = np.uint64(seed)
    stream = np.uint64(start)
    a, b, c, d = philox(np.uint64(draw), np.uint64(0), stream & _LOW, stream >> _32, key & _LOW, key >> _32)
    return (
        float(((a << _32) | b) >> _11) * _TO_UNIT,
        float(((c << _32) | d) >> _11) * _TO_UNIT,
    )
