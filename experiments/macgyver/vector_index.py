"""faiss indexes that give the nearest vector by cosine: cells on a CPU, everything on a CUDA device.

On a CPU the vectors are put into cells about the centres of a k-means, and a search looks into the cells
whose centres are nearest. How many is chosen on a sample of the data, so that nearly all neighbours above the
threshold are found.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...embeddings.extras import require
from ...errors import UserError

Floats = NDArray[np.float64]

WANTED = 0.99  # share of the neighbours above the threshold that are to be found
_SAMPLE = 2000  # vectors whose neighbours are looked for among all, to choose the number of cells
_LEAST = 30  # neighbours above the threshold by which the number is chosen
_PROBES = 32  # cells, where the sample has fewer
_TILE = 16_384
_SEED = 0


class VectorIndex(Protocol):
    """Vectors by number. ``found`` is the share of close neighbours that a search is estimated to find."""

    found: float | None

    def add(self, rows: Floats, numbers: NDArray[np.int64]) -> None:
        """Take rows of length 1 in, under these numbers."""

    def nearest(self, rows: Floats) -> NDArray[np.int64]:
        """The number of the nearest to each row; -1 where the index has nothing for it."""


def exact_device(device: str) -> None:
    """Raise UserError on a device that a search without faiss does not have."""
    if device not in ("auto", "cpu", "cuda"):
        raise UserError(f"--device {device} is not known: expected one of auto, cpu, cuda")
    if device == "cuda":
        raise UserError("--device cuda is for a search by faiss: add --search faiss, or leave the device out")


def make_index(
    new: NDArray[np.floating], existing: NDArray[np.floating], threshold: float, device: str
) -> VectorIndex:
    """An empty index for these vectors.

    Raises
    ------
    UserError
        If faiss is not installed, or finds no CUDA device where one is asked for.

    """
    if device not in ("auto", "cpu", "cuda"):
        raise UserError(f"--device {device} is not known: expected one of auto, cpu, cuda")
    require("faiss")
    import faiss

    has_cuda = hasattr(faiss, "StandardGpuResources") and faiss.get_num_gpus() > 0
    if device == "cuda" and not has_cuda:
        raise UserError(
            "--device cuda: this faiss finds no CUDA device. Choose --device cpu, or install faiss-gpu"
            " in place of faiss-cpu on a machine with one"
        )
    if has_cuda and device != "cpu":
        return _OnCuda(new.shape[1])
    return _Cells(new, existing, threshold)


class _OnCuda:
    """Compares with everything."""

    def __init__(self, n_features: int) -> None:
        import faiss

        self.found: float | None = 1.0
        self._resources = faiss.StandardGpuResources()
        self._index: Any = faiss.GpuIndexFlatIP(self._resources, n_features)
        self._numbers: list[NDArray[np.int64]] = []

    def add(self, rows: Floats, numbers: NDArray[np.int64]) -> None:
        self._index.add(rows.astype(np.float32))
        self._numbers.append(numbers)

    def nearest(self, rows: Floats) -> NDArray[np.int64]:
        if not self._numbers:
            return np.full(len(rows), -1, np.int64)
        numbers = np.concatenate(self._numbers)
        self._numbers = [numbers]
        _, places = self._index.search(rows.astype(np.float32), 1)
        found: NDArray[np.int64] = numbers[places[:, 0]]
        return found


class _Cells:
    """Looks into the nearest cells only."""

    def __init__(self, new: NDArray[np.floating], existing: NDArray[np.floating], threshold: float) -> None:
        import faiss

        n_vectors, n_features = len(new) + len(existing), new.shape[1]
        n_cells = int(np.clip(4 * np.sqrt(n_vectors), 1, n_vectors / 40 + 1))
        rng = np.random.default_rng(_SEED)
        taken = np.sort(rng.permutation(n_vectors)[: 50 * n_cells])
        quantizer = faiss.IndexFlatIP(n_features)
        self._index: Any = faiss.IndexIVFFlat(quantizer, n_features, n_cells, faiss.METRIC_INNER_PRODUCT)
        self._index.cp.seed = _SEED + 1
        self._index.cp.niter = 8
        self._index.cp.spherical = True
        self._index.cp.min_points_per_centroid = 1
        self._index.train(_unit_float32(_rows(new, existing, taken)))
        self._quantizer = quantizer
        sample = np.sort(rng.permutation(n_vectors)[:_SAMPLE])
        self._index.nprobe, self.found = _probes(quantizer, new, existing, sample, threshold)

    def add(self, rows: Floats, numbers: NDArray[np.int64]) -> None:
        self._index.add_with_ids(rows.astype(np.float32), numbers)

    def nearest(self, rows: Floats) -> NDArray[np.int64]:
        if self._index.ntotal == 0:
            return np.full(len(rows), -1, np.int64)
        _, places = self._index.search(rows.astype(np.float32), 1)
        found: NDArray[np.int64] = places[:, 0]
        return found


def _probes(
    quantizer: Any,
    new: NDArray[np.floating],
    existing: NDArray[np.floating],
    sample: NDArray[np.int64],
    threshold: float,
) -> tuple[int, float | None]:
    """How many cells to look into, and the share of close neighbours that are in so many.

    For each vector of a sample the nearest other one is found among all; if it is close enough, the rank of
    its cell among those of the vector says how many cells must be looked into to find it.
    """
    n_cells = quantizer.ntotal
    asked = _unit_float32(_rows(new, existing, sample))
    best = np.full(len(sample), -np.inf, np.float32)
    place = np.full(len(sample), -1, np.int64)
    first = 0
    for part in (existing, new):
        for start in range(0, len(part), _TILE):
            cosines = asked @ _unit_float32(part[start : start + _TILE]).T
            here = sample - first - start
            own = (here >= 0) & (here < cosines.shape[1])
            cosines[np.flatnonzero(own), here[own]] = -np.inf
            nearest = cosines.argmax(1)
            highest = cosines[np.arange(len(sample)), nearest]
            better = highest > best
            best[better], place[better] = highest[better], nearest[better] + first + start
        first += len(part)
    close = np.flatnonzero(best > threshold)
    if len(close) < _LEAST:
        return min(_PROBES, n_cells), None
    _, cells = quantizer.search(_unit_float32(_rows(new, existing, place[close])), 1)
    _, order = quantizer.search(asked[close], n_cells)
    ranks = np.sort((order == cells).argmax(1))
    probes = int(ranks[int(np.ceil(WANTED * len(ranks))) - 1]) + 1
    return probes, float((ranks < probes).mean())


def _rows(
    new: NDArray[np.floating], existing: NDArray[np.floating], numbers: NDArray[np.int64]
) -> NDArray[np.floating]:
    """Vectors by number, existing ones first."""
    old = numbers < len(existing)
    rows = np.empty((len(numbers), new.shape[1]), np.float32)
    rows[old] = existing[numbers[old]]
    rows[~old] = new[numbers[~old] - len(existing)]
    return rows


def _unit_float32(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    length = np.linalg.norm(rows.astype(np.float32), axis=1, keepdims=True)
    return np.ascontiguousarray(rows / np.where(length > 0, length, 1), np.float32)
