"""Places for labels beside their markers, so that none overlaps another or a marker or leaves the page.

Every label has a few hundred places to choose from, on rings about its marker; the search is for the choice
of least cost, in which an overlap costs more than all else together. Everything is in points, and the same
input gives the same places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

GAP = 1.2  # at least this much between a label and what is beside it
LEADER_FROM = 6.0  # a label farther away than this has a line to its marker
_RINGS = (2.0, 4.0, 7.0, 11.0, 16.0, 22.0, 30.0, 40.0, 52.0, 66.0, 84.0, 105.0)
_ANGLES = 24
_KEPT = 90  # places of a label that are searched
_KICKS = 200

_OVERLAP = 1e4
_LINE_OVER_LABEL = 60.0
_LINES_CROSS = 40.0
_LINE_OVER_MARKER = 25.0
_LABELS_MEET, _APART = 4.0, 4.5  # two labels so near that they may be read as one
_ACROSS_OUTLINE = 2.0
_OTHER_MARKER = 7.0  # a label that stands as near to another marker as to its own
_CLEAR = 6.0  # nearer to its own by this much, it cannot be mistaken


@dataclass(frozen=True, slots=True)
class Placed:
    """The middles of the labels (n, 2), and where the line to each ends at the label, nan where none is."""

    middles: Floats
    ends: Floats


def place_labels(
    markers: Floats, sizes: Floats, page: tuple[float, float], radius: float, outlines: Sequence[Floats] = ()
) -> Placed | None:
    """Find a place for each label; None if there is none without an overlap.

    Parameters
    ----------
    markers
        (n, 2), the middle of each.
    sizes
        (n, 2), width and height of each label.
    page
        Width and height of where labels may be.
    radius
        Of the markers.
    outlines
        Polygons (n_corners, 2) that labels should not lie across, where they can do otherwise.

    """
    n = len(markers)
    boxes, costs, ends = _candidates(markers, sizes, page, radius)
    for corners in outlines:
        across = _line_meets_box(corners, np.roll(corners, -1, axis=0), boxes.reshape(-1, 4))
        costs += _ACROSS_OUTLINE * across.any(axis=0).reshape(costs.shape)
    if np.isinf(costs).all(axis=1).any():
        return None
    order = np.argsort(costs, axis=1, kind="stable")[:, :_KEPT]
    rows = np.arange(n)[:, np.newaxis]
    boxes, costs, ends = boxes[rows, order], costs[rows, order], ends[rows, order]
    chosen = _search(np.minimum(costs, 1e9), _conflicts(boxes, ends, markers))
    pairs = boxes[np.arange(n), chosen]
    if np.triu(_overlap(pairs[:, np.newaxis], pairs), 1).any() or np.isinf(costs[np.arange(n), chosen]).any():
        return None
    middles = (pairs[:, :2] + pairs[:, 2:]) / 2
    return Placed(middles, ends[np.arange(n), chosen])


def _candidates(
    markers: Floats, sizes: Floats, page: tuple[float, float], radius: float
) -> tuple[Floats, Floats, Floats]:
    """Boxes (n, k, 4) as left, bottom, right, top; their cost alone (n, k); the ends of lines (n, k, 2)."""
    ring, angle = (
        part.ravel()
        for part in np.meshgrid(_RINGS, np.arange(_ANGLES) * (2 * np.pi / _ANGLES), indexing="ij")
    )
    way = np.column_stack([np.cos(angle), np.sin(angle)])
    # The side of the box towards the marker moves along its edge as the angle turns.
    shift = np.clip(way * 1.5, -1, 1)
    half = sizes[:, np.newaxis] / 2
    middles = markers[:, np.newaxis] + way * (radius + ring[:, np.newaxis]) + shift * half
    boxes = np.concatenate([middles - half, middles + half], axis=-1)

    inside = (boxes[..., :2] >= GAP).all(axis=-1) & (boxes[..., 2:] <= np.array(page) - GAP).all(axis=-1)
    distances = _distance(boxes[:, :, np.newaxis], markers)  # (n, k, n)
    free = (distances >= radius + GAP).all(axis=-1)
    own = np.take_along_axis(distances, np.arange(len(markers))[:, np.newaxis, np.newaxis], axis=-1)[..., 0]
    mistaken = np.clip((own[..., np.newaxis] + _CLEAR - distances) / _CLEAR, 0, 2).sum(axis=-1) - 1
    # Beside a marker reads better than above or below it, and that better than askew.
    askew = np.abs(np.sin(2 * angle)) + 0.4 * np.abs(np.sin(angle)) + 0.3 * (np.cos(angle) < -0.5)
    costs = own - radius + askew + _OTHER_MARKER * mistaken

    nearest = np.clip(markers[:, np.newaxis], boxes[..., :2], boxes[..., 2:])
    ends = np.where((own - radius > LEADER_FROM)[..., np.newaxis], nearest, np.nan)
    crossed = _segment_distance(markers[:, np.newaxis, np.newaxis], ends[:, :, np.newaxis], markers)
    others = ~np.eye(len(markers), dtype=bool)[:, np.newaxis]
    costs += _LINE_OVER_MARKER * ((crossed < radius + 1) & others).sum(axis=-1)
    return boxes, np.where(inside & free, costs, np.inf), ends


def _conflicts(boxes: Floats, ends: Floats, markers: Floats) -> NDArray[np.float32]:
    """What each pair of candidates costs together, (n, k, n, k)."""
    n, k, _ = boxes.shape
    flat, lines = boxes.reshape(n * k, 4), ends.reshape(n * k, 2)
    starts = np.repeat(markers, k, axis=0)
    costs = _OVERLAP * _overlap(flat[:, np.newaxis], flat).astype(np.float32)
    costs += _LABELS_MEET * _overlap(flat[:, np.newaxis], flat, _APART)
    led = np.flatnonzero(~np.isnan(lines[:, 0]))
    if led.size:
        through = _line_meets_box(starts[led], lines[led], flat).astype(np.float32)
        costs[led] += _LINE_OVER_LABEL * through
        costs[:, led] += _LINE_OVER_LABEL * through.T
        crossing = _lines_cross(starts[led], lines[led])
        costs[np.ix_(led, led)] += _LINES_CROSS * crossing
    costs = costs.reshape(n, k, n, k)
    costs[np.arange(n), :, np.arange(n)] = 0
    found: NDArray[np.float32] = costs
    return found


def _search(costs: Floats, together: NDArray[np.float32]) -> NDArray[np.int64]:
    """The choice (n,) of least cost that many short descents find, each from the best one, shaken."""
    n, k = costs.shape
    random = np.random.default_rng(0)
    everyone = np.arange(n)

    def cost_of(chosen: NDArray[np.int64]) -> float:
        pairs = together[everyone, chosen][:, everyone, chosen]
        return float(costs[everyone, chosen].sum() + pairs.sum() / 2)

    def descend(chosen: NDArray[np.int64]) -> float:
        while True:
            moved = False
            for i in everyone:
                here = costs[i] + together[i][:, everyone, chosen].sum(axis=1)
                best = int(here.argmin())
                if here[best] < here[chosen[i]] - 1e-6:
                    chosen[i], moved = best, True
            if not moved:
                return cost_of(chosen)

    best = np.zeros(n, np.int64)
    least = descend(best)
    for _ in range(_KICKS):
        tried = best.copy()
        shaken = random.choice(n, size=min(n, 3), replace=False)
        tried[shaken] = random.integers(0, k, len(shaken))
        cost = descend(tried)
        if cost < least - 1e-6:
            best, least = tried, cost
    return best


def _overlap(a: Floats, b: Floats, gap: float = GAP) -> NDArray[np.bool_]:
    """Whether boxes come nearer to each other than ``gap``; both broadcast."""
    return (
        (a[..., 0] < b[..., 2] + gap)
        & (b[..., 0] < a[..., 2] + gap)
        & (a[..., 1] < b[..., 3] + gap)
        & (b[..., 1] < a[..., 3] + gap)
    )


def _distance(boxes: Floats, points: Floats) -> Floats:
    """From boxes (..., 4) to points (..., 2), 0 inside."""
    outside = np.maximum(np.maximum(boxes[..., :2] - points, points - boxes[..., 2:]), 0)
    distances: Floats = np.hypot(outside[..., 0], outside[..., 1])
    return distances


def _segment_distance(starts: Floats, ends: Floats, points: Floats) -> Floats:
    """From segments to points, inf where a segment's end is nan."""
    along = ends - starts
    length = np.maximum((along**2).sum(axis=-1), 1e-12)
    share = np.clip(((points - starts) * along).sum(axis=-1) / length, 0, 1)
    gap = points - starts - share[..., np.newaxis] * along
    distances: Floats = np.nan_to_num(np.hypot(gap[..., 0], gap[..., 1]), nan=np.inf)
    return distances


def _line_meets_box(starts: Floats, ends: Floats, boxes: Floats) -> NDArray[np.bool_]:
    """Whether lines (n, 2) to (n, 2) run through boxes (m, 4): (n, m), by cutting each line at the sides."""
    low, high = np.zeros((len(starts), len(boxes))), np.ones((len(starts), len(boxes)))
    for axis in (0, 1):
        step = (ends - starts)[:, axis]
        step = np.where(np.abs(step) < 1e-9, 1e-9, step)[:, np.newaxis]
        first = (boxes[:, axis] - starts[:, axis, np.newaxis]) / step
        last = (boxes[:, axis + 2] - starts[:, axis, np.newaxis]) / step
        low, high = np.maximum(low, np.minimum(first, last)), np.minimum(high, np.maximum(first, last))
    return low < high


def _lines_cross(starts: Floats, ends: Floats) -> NDArray[np.bool_]:
    """Whether the lines (n, 2) to (n, 2) cross each other, (n, n)."""

    def side(a: Floats, b: Floats, c: Floats) -> Floats:
        return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (
            c[..., 0] - a[..., 0]
        )

    a, b, c, d = starts[:, np.newaxis], ends[:, np.newaxis], starts, ends
    return (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)
