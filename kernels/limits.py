"""Constants that the engine needs too, in a module that imports no numba."""

from __future__ import annotations

# How a start of k-means ended.
CONVERGED = 0
STOPPED = 1  # at max_iter
FAILED = 2  # the costs or the inertia are not finite

# How a call that settles a flow ended.
DONE = 0
PAUSED = 1  # after so many augmentations: call again
STUCK = 2  # no path is left among the moves at hand
BEYOND = 3  # prices would leave the reach of the lists

MAX_SHARED_POINTS = 76  # of which the distances, float64, fit into 48 KiB of a CUDA block's shared memory
CUDA_POINTS = 64  # of an exact partition: what a CUDA thread has room for
MOST_POINTS = 62  # of a search for partitions: a group is a mask of bits
MOST_TOP = 1000  # partitions that are searched for: their list is kept in order as it grows
