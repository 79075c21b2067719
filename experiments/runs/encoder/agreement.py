"""How far two records of encoders group the same walls alike."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...metrics.agreement import adjusted_rand, correct_groups, dense_ranks, overlap
from ..comparison import Agreement
from .files import read_labels
from .record import Record

BLOCK_LABELS = 1 << 20  # compared at a time


@dataclass(frozen=True, slots=True)
class GroupAgreement:
    """Over the seeds that both records have."""

    n_seeds: int
    same_walls: float  # the share of walls and seeds that are grouped alike altogether
    same_groups: float  # the share of groups that are in both
    ari: float  # the mean adjusted Rand index of the one against the other, at most 1


def grouped_alike(a: tuple[Path, Record], b: tuple[Path, Record], same_walls: bool) -> Agreement:
    """Compare the labels of two records; UserError if those of one cannot be read."""
    if not same_walls:
        return Agreement(
            None, "The walls are others: counts are shown as shares, and labels are not compared."
        )
    alike = compare_labels(read_labels(*a), read_labels(*b))
    return Agreement(
        asdict(alike),
        f"Over {alike.n_seeds:,} seeds, {alike.same_walls:.1%} of the walls are grouped alike and"
        f" {alike.same_groups:.1%} of the groups are the same (ARI {100 * alike.ari:.1f}).",
    )


def compare_labels(a: NDArray[Any], b: NDArray[Any]) -> GroupAgreement:
    """Compare labels (n_walls, n_seeds, n_points); one seed is compared with each of the other's."""
    of_both = (a.shape[1], b.shape[1])
    n_seeds = max(of_both) if 1 in of_both else min(of_both)
    a, b = (labels[:, :n_seeds] for labels in (a, b))
    shape = (a.shape[0], n_seeds, a.shape[2])
    a, b = (np.broadcast_to(labels, shape) for labels in (a, b))
    at_once = max(1, BLOCK_LABELS // (n_seeds * shape[2]))
    n_same = n_groups = of_groups = 0
    ari = 0.0
    for start in range(0, shape[0], at_once):
        ranks = [dense_ranks(labels[start : start + at_once].astype(np.int64)) for labels in (a, b)]
        pair = overlap(*ranks)
        n_same += int(pair.equal.sum())
        n_groups += int(correct_groups(pair).sum())
        of_groups += int((ranks[0].max(axis=-1) + 1).sum())
        ari += float(adjusted_rand(pair).sum())
    n_fits = shape[0] * n_seeds
    return GroupAgreement(n_seeds, n_same / n_fits, n_groups / of_groups, ari / n_fits)
