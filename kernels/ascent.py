"""A Newton step on the prices: how much to raise and lower them to even out cluster sizes.

The number of points that change sides when a price moves follows from how many are nearly indifferent
between two clusters; that makes the second derivative of the dual a weighted Laplacian on the graph of
the clusters (Kitagawa, Mérigot, Thibert, "Convergence of a Newton algorithm for semi-discrete optimal
transport", 2019, section 1). No exactness here: it only brings prices near.
"""

from __future__ import annotations

from typing import Any

from .jit import kernel

Array = Any


@kernel
def newton_step(
    labels: Array,  # (n_points,) int64: the cheapest cluster  IN
    seconds: Array,  # (n_points,) int64: the next cheapest  IN
    gaps: Array,  # (n_points,) float64  IN
    window: float,  # points with a gap up to this count as nearly indifferent
    excess: Array,  # (k,) int64: points too many  IN
    pinned: Array,  # (k,) bool: prices that stay  IN
    ends: Array,  # (n_edges, 2) int64  SCRATCH
    residual: Array,  # (k,) float64  SCRATCH
    direction: Array,  # (k,) float64  SCRATCH
    image: Array,  # (k,) float64  SCRATCH
    scale: Array,  # (k,) float64  SCRATCH
    step: Array,  # (k,) float64: what to add to the prices  OUT
) -> int:
    """Conjugate gradients on the Laplacian; returns the number of nearly indifferent points seen.

    Where more are found than ``ends`` holds, every second, fourth, ... point stands for the rest.
    """
    n_points = labels.shape[0]
    n_clusters = step.shape[0]
    found = 0
    for i in range(n_points):
        if gaps[i] <= window:
            found += 1
    every = 1
    while found > every * ends.shape[0]:
        every *= 2
    n_edges = 0
    seen = 0
    for i in range(n_points):
        if gaps[i] <= window:
            if seen % every == 0:
                ends[n_edges, 0] = labels[i]
                ends[n_edges, 1] = seconds[i]
                n_edges += 1
            seen += 1
    weight = every / (2.0 * window)
    tiny = 1e-3 * weight
    for c in range(n_clusters):
        scale[c] = tiny
        step[c] = 0.0
    for e in range(n_edges):
        scale[ends[e, 0]] += weight
        scale[ends[e, 1]] += weight
    rho = 0.0
    for c in range(n_clusters):
        residual[c] = 0.0 if pinned[c] else float(excess[c])
        direction[c] = residual[c] / scale[c]
        rho += residual[c] * direction[c]
    goal = 1e-4 * rho
    for _ in range(60):
        if rho <= goal:
            break
        for c in range(n_clusters):
            image[c] = tiny * direction[c]
        for e in range(n_edges):
            a = ends[e, 0]
            b = ends[e, 1]
            flow = weight * (direction[a] - direction[b])
            image[a] += flow
            image[b] -= flow
        curve = 0.0
        for c in range(n_clusters):
            if pinned[c]:
                image[c] = 0.0
            curve += direction[c] * image[c]
        length = rho / curve
        before = rho
        rho = 0.0
        for c in range(n_clusters):
            step[c] += length * direction[c]
            residual[c] -= length * image[c]
            rho += residual[c] * residual[c] / scale[c]
        for c in range(n_clusters):
            direction[c] = residual[c] / scale[c] + rho / before * direction[c]
    return found
