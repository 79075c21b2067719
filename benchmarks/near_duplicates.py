"""Near duplicates among many vectors: time, memory, and what the search misses.

Run: python benchmarks/near_duplicates.py [N_VECTORS] [N_FEATURES]

The vectors, a million of 384 values by default, are drawn about 2,000 centres, so that those about one centre
have cosines of about 0.3, and a fifth of them are earlier ones with noise, at cosines from 0.55 to 1. What
the search misses is counted by comparing 2,000 of them with all that were kept before them.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
from numpy.typing import NDArray

from fourfold.experiments.macgyver.near_duplicates import filter_near_duplicates, unit_rows

THRESHOLD = 0.7
N_CENTRES, N_CHECKED, BLOCK = 2000, 2000, 50_000


def make_vectors(n_vectors: int, n_features: int, seed: int = 0) -> NDArray[np.float32]:
    """(n_vectors, n_features) rows about centres, a fifth of them near an earlier one."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((N_CENTRES, n_features), np.float32)
    vectors = np.empty((n_vectors, n_features), np.float32)
    for start in range(0, n_vectors, BLOCK):
        stop = min(start + BLOCK, n_vectors)
        rows = vectors[start:stop]
        rng.standard_normal(out=rows, dtype=np.float32)
        rows += 0.65 * centres[rng.integers(0, N_CENTRES, len(rows))]
        if start:
            copied = np.flatnonzero(rng.random(len(rows)) < 0.2)
            noise = rng.uniform(0, 1.8, (len(copied), 1)).astype(np.float32)
            noise = noise * rng.standard_normal((len(copied), n_features), np.float32)
            rows[copied] = vectors[rng.integers(0, start, len(copied))] + noise
    return vectors


def missed(
    vectors: NDArray[np.float32], kept: NDArray[np.bool_], checked: NDArray[np.int64]
) -> tuple[int, int]:
    """How many of those checked are near one that was kept before them, and how many of these were kept."""
    asked = unit_rows(vectors[checked]).astype(np.float32)
    best = np.full(len(checked), -1.0, np.float32)
    for start in range(0, len(vectors), BLOCK):
        places = start + np.flatnonzero(kept[start : start + BLOCK])
        cosines = asked @ unit_rows(vectors[places]).astype(np.float32).T
        cosines[places[None, :] >= checked[:, None]] = -1.0
        best = np.maximum(best, cosines.max(1, initial=-1.0))
    near = best > THRESHOLD
    return int(near.sum()), int((near & kept[checked]).sum())


def main() -> None:
    """Make the vectors, filter them and print what it took."""
    n_vectors, n_features = (int(word) for word in (sys.argv[1:] + ["1000000", "384"][len(sys.argv) - 1 :]))
    vectors = make_vectors(n_vectors, n_features)
    start = time.perf_counter()
    last = [start]

    def show(done: int, total: int) -> None:
        if time.perf_counter() - last[0] > 30:
            last[0] = time.perf_counter()
            print(f"  {done:,} of {total:,} after {last[0] - start:.0f} s", flush=True)

    found = filter_near_duplicates(vectors, threshold=THRESHOLD, update=show)
    taken = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    share = "all" if found.search == "exact" else "unknown" if found.found is None else f"{found.found:.1%}"
    what = f"{n_vectors:,} vectors of {n_features} values, by {found.search}"
    print(f"{what}: {taken:.0f} s, {memory:.1f} GB at most")
    print(f"dropped {int((~found.kept).sum()):,}; share of neighbours found, by its own estimate: {share}")
    checked = np.sort(np.random.default_rng(1).permutation(n_vectors)[:N_CHECKED])
    near, overlooked = missed(vectors, found.kept, checked)
    print(
        f"of {len(checked):,} compared with all kept before them, {near:,} are near one; missed {overlooked}"
    )


if __name__ == "__main__":
    main()
