"""Which of new vectors are too like an existing one, or an earlier new one that was kept.

Source: Tian et al. (2024), appendix C.4: newly generated problems that are similar to those of the database
are filtered out. The database holds what was kept, so that a new vector is compared with the existing ones
and the kept ones before it, never with one that was dropped itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..terminal.progress import Update
from ..terminal.writing import counted
from .vector_index import VectorIndex, exact_device, make_index

Floats = NDArray[np.float64]
Search = Literal["auto", "exact", "faiss"]

# Cosines count to so many digits, which no order of summing changes: ties are ties at any batch size.
DIGITS = 9
# Pairs of vectors up to which all are compared, which takes a minute or two on two cores.
EXACT_PAIRS = 2_000_000_000
_TILE = 8192  # rows of the database that are compared at a time


@dataclass(frozen=True, slots=True, eq=False)
class Filtered:
    """What became of each new vector.

    Attributes
    ----------
    kept : (n_new,) bool
    neighbour : (n_new,) int64
        The most similar of what it was compared with, the first of equally similar ones: below ``n_existing``
        an existing vector, else ``n_existing`` plus the number of a new one. -1 where there was nothing.
    score : (n_new,) float64
        The cosine to it, to nine digits; NaN where there was nothing. With faiss on a CPU, neighbours and
        scores of those kept may be those of the second nearest.
    n_existing : int
    search : str
        "exact" or "faiss".
    found : float or None
        Where faiss does not compare all: the share of neighbours above the threshold that it finds, as
        estimated on a sample; None where the sample has too few.

    """

    kept: NDArray[np.bool_]
    neighbour: NDArray[np.int64]
    score: Floats
    n_existing: int
    search: str
    found: float | None = None


def filter_near_duplicates(
    new: ArrayLike,
    existing: ArrayLike | None = None,
    threshold: float = 0.7,
    search: Search = "auto",
    device: str = "auto",
    batch_size: int = 1024,
    update: Update | None = None,
) -> Filtered:
    """Keep each new vector whose cosine to all before it is at most the threshold.

    Parameters
    ----------
    new : (n_new, n_features) array
        In the order in which they are taken.
    existing : (n_existing, n_features) array, optional
        What is there already; it may hold near duplicates itself.
    threshold : float
        From -1 to 1.
    search : {"auto", "exact", "faiss"}
        Compare all pairs, or search by faiss; "auto" compares all up to two billion pairs.
    device : {"auto", "cpu", "cuda"}
        Of faiss.
    batch_size : int
        New vectors at a time; the result does not depend on it where all pairs are compared.
    update
        Is told how many new vectors are done.

    Raises
    ------
    ValueError
        On shapes that do not fit, a NaN or infinity (by row), or parameters out of range.

    Notes
    -----
    A vector of zeros has a cosine of 0 to every other.

    """
    if not -1 <= threshold <= 1:
        raise ValueError(f"got threshold={threshold}, expected a cosine from -1 to 1")
    if batch_size < 1:
        raise ValueError(f"got batch_size={batch_size}, expected at least 1")
    if search not in ("auto", "exact", "faiss"):
        raise ValueError(f"got search={search!r}, expected auto, exact or faiss")
    fresh = _checked(new, "new")
    old = np.empty((0, fresh.shape[1]), fresh.dtype) if existing is None else _checked(existing, "existing")
    if old.shape[1] != fresh.shape[1]:
        raise ValueError(
            f"got new vectors of {counted(fresh.shape[1], 'value')} and existing ones of "
            f"{old.shape[1]}, expected equally many"
        )
    pairs = len(fresh) * (len(old) + len(fresh) / 2)
    use_faiss = search == "faiss" or (search == "auto" and pairs > EXACT_PAIRS)
    database: _Database
    found = None
    if use_faiss:
        index = make_index(fresh, old, threshold, device)
        found, database = index.found, _Indexed(index, fresh, old)
    else:
        exact_device(device)
        database = _All(fresh, old)
    kept = np.zeros(len(fresh), bool)
    neighbour = np.full(len(fresh), -1, np.int64)
    score = np.full(len(fresh), np.nan)
    for start in range(0, len(fresh), batch_size):
        if update is not None:
            update(start, len(fresh))
        stop = min(start + batch_size, len(fresh))
        block = unit_rows(fresh[start:stop])
        best, place = database.nearest(block)
        _within(block, best, place, kept[start:stop], threshold, len(old) + start)
        score[start:stop], neighbour[start:stop] = best, place
        database.add(np.flatnonzero(kept[start:stop]) + start)
    if update is not None:
        update(len(fresh), len(fresh))
    score[neighbour < 0] = np.nan
    return Filtered(kept, neighbour, score, len(old), "faiss" if use_faiss else "exact", found)


def _checked(vectors: ArrayLike, name: str) -> NDArray[np.floating]:
    found = np.asarray(vectors)
    if found.ndim != 2 or found.dtype.kind not in "fiu":
        raise ValueError(
            f"got {name} of shape {found.shape} and type {found.dtype}, expected rows of numbers"
        )
    if found.dtype != np.float32:
        found = found.astype(np.float64)
    for start in range(0, len(found), _TILE):
        bad = ~np.isfinite(found[start : start + _TILE]).all(1)
        if bad.any():
            raise ValueError(f"row {start + int(bad.argmax())} of {name} holds a NaN or an infinity")
    return found


def unit_rows(vectors: NDArray[np.floating]) -> Floats:
    """The rows in float64, each of length 1; rows of zeros stay as they are."""
    rows = vectors.astype(np.float64)
    largest = np.abs(rows).max(1, keepdims=True, initial=0.0)
    rows /= np.where(largest > 0, largest, 1.0)  # so that no square is too large or too small for a float
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    rows /= np.where(length > 0, length, 1.0)
    return rows


def _within(
    block: Floats,
    best: Floats,
    place: NDArray[np.int64],
    kept: NDArray[np.bool_],
    threshold: float,
    first: int,
) -> None:
    """Decide on a block in its order; ``best`` and ``place`` are those outside it and become the whole's."""
    cosines = np.round(block @ block.T, DIGITS)
    chosen = np.empty(len(block), np.int64)
    n_chosen = 0
    for row in range(len(block)):
        if n_chosen:
            own = cosines[row, chosen[:n_chosen]]
            nearest = int(own.argmax())
            if own[nearest] > best[row]:
                best[row], place[row] = own[nearest], first + chosen[nearest]
        if not best[row] > threshold:
            kept[row] = True
            chosen[n_chosen] = row
            n_chosen += 1


class _Database(Protocol):
    def nearest(self, block: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """The highest cosine of each row and whose it is; -inf and -1 where there is nothing."""

    def add(self, rows: NDArray[np.int64]) -> None:
        """Take these new vectors in."""


class _All:
    """Compares with every vector, in the order existing, then kept."""

    def __init__(self, new: NDArray[np.floating], existing: NDArray[np.floating]) -> None:
        self._new, self._existing = new, existing
        self._kept: list[NDArray[np.int64]] = []

    def nearest(self, block: Floats) -> tuple[Floats, NDArray[np.int64]]:
        best = np.full(len(block), -np.inf)
        place = np.full(len(block), -1, np.int64)
        for rows, places in self._tiles():
            cosines = np.round(block @ unit_rows(rows).T, DIGITS)
            nearest = cosines.argmax(1)  # the first of several
            highest = cosines[np.arange(len(block)), nearest]
            better = highest > best
            best[better], place[better] = highest[better], places[nearest[better]]
        return best, place

    def _tiles(self) -> Iterator[tuple[NDArray[np.floating], NDArray[np.int64]]]:
        for start in range(0, len(self._existing), _TILE):
            rows = self._existing[start : start + _TILE]
            yield rows, np.arange(start, start + len(rows))
        if self._kept:
            kept = np.concatenate(self._kept)
            self._kept = [kept]
            for start in range(0, len(kept), _TILE):
                chosen = kept[start : start + _TILE]
                yield self._new[chosen], chosen + len(self._existing)

    def add(self, rows: NDArray[np.int64]) -> None:
        if len(rows):
            self._kept.append(rows)


class _Indexed:
    """Asks an index, and takes the cosine to what it finds in full precision."""

    def __init__(self, index: VectorIndex, new: NDArray[np.floating], existing: NDArray[np.floating]) -> None:
        self._index, self._new, self._existing = index, new, existing
        for start in range(0, len(existing), _TILE):
            rows = existing[start : start + _TILE]
            index.add(unit_rows(rows), np.arange(start, start + len(rows)))

    def nearest(self, block: Floats) -> tuple[Floats, NDArray[np.int64]]:
        place = self._index.nearest(block)
        best = np.full(len(block), -np.inf)
        known = place >= 0
        rows = unit_rows(self._rows(place[known]))
        best[known] = np.round(np.einsum("ij,ij->i", block[known], rows), DIGITS)
        return best, place

    def _rows(self, places: NDArray[np.int64]) -> NDArray[np.floating]:
        rows = np.empty((len(places), self._new.shape[1]), np.float64)
        old = places < len(self._existing)
        rows[old] = self._existing[places[old]]
        rows[~old] = self._new[places[~old] - len(self._existing)]
        return rows

    def add(self, rows: NDArray[np.int64]) -> None:
        if len(rows):
            self._index.add(unit_rows(self._new[rows]), rows + len(self._existing))
