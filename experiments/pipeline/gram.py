"""Gram matrices: all that the solvers see of a wall's vectors.

One a wall where each clue is encoded alone, one a wall and order where it is encoded among the others. Rows
follow the wall's own order of clues, whatever the order that an encoder read them in. That order has no part
in the numbers: texts are encoded in the order of the alphabet, and matrices are computed in ``wall_order`` or
in the run's.

A Gram matrix also gives the cost of every group of a wall's clues, which ``best_partitions`` takes in its
place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...embeddings.encoder import ContextualEncoder, Encoder, Unloads
from ...embeddings.fused import FusedEncoder, unit_spread
from ...engine.equals import with_rows_of
from ...engine.partition import list_groups
from ...errors import UserError
from ...memory import free_bytes
from ..terminal.progress import Update
from .blocks import each_block
from .orders import clue_order, wall_orders

Gram = NDArray[np.float64]
ToGram = Callable[[NDArray[Any]], Gram]
AnyEncoder = Encoder | ContextualEncoder | FusedEncoder

BLOCK_VALUES = 1 << 23  # of static vectors in float64 at a time: 64 MiB
BLOCK_SENTENCES = 1024  # of contextual vectors at a time: 64 MiB in float32 with 1,024 features and 16 clues

# Vectors less apart than this share of their length are equal: in float32, what a text's place in a batch
# changes is below it, and what tells two texts apart far above.
EQUAL = 1e-5


def centred_gram(points: NDArray[Any]) -> Gram:
    """Inner products of the points (..., n_points, n_features) about their mean, (..., n_points, n_points).

    The mean changes no distance, and taken off in float64 it leaves small distances their digits. Where all
    points are equal, the matrix is 0.
    """
    centred = points.astype(np.float64)
    centred -= centred[..., :1, :].copy()
    centred -= centred.mean(axis=-2, keepdims=True)
    gram: Gram = np.matmul(centred, centred.swapaxes(-1, -2))
    return gram


def equal_to(points: NDArray[Any]) -> NDArray[np.int64]:
    """For each point of (n_walls, n_points, n_features), the first of its wall that is equal to it."""
    own = centred_gram(points)
    squares = np.diagonal(own, axis1=1, axis2=2)
    squared = squares[:, :, np.newaxis] + squares[:, np.newaxis] - 2 * own
    lengths = np.square(points, dtype=np.float64).sum(axis=-1)
    longer = np.maximum(lengths[:, :, np.newaxis], lengths[:, np.newaxis])
    first = (squared <= EQUAL**2 * longer).argmax(axis=2)
    while True:  # what is equal to an equal is equal
        further = np.take_along_axis(first, first, axis=1)
        if (further == first).all():
            return np.asarray(first)
        first = further


def equal_clues(gram: Gram) -> NDArray[np.bool_]:
    """Which clues have the vector of another clue of their wall, in every order that was read.

    ``gram`` is (n_walls, n_orders, n_points, n_points); the answer (n_walls, n_points).
    """
    own = np.diagonal(gram, axis1=2, axis2=3)
    squared = own[..., :, np.newaxis] + own[..., np.newaxis, :] - (gram + gram.swapaxes(-1, -2))
    apart = np.where(np.eye(gram.shape[-1], dtype=bool), np.inf, squared).min(axis=-1)
    return np.asarray((apart == 0).all(axis=1))


def check_memory(n_walls: int, n_runs: int, n_points: int) -> None:
    """Raise UserError where a Gram matrix a wall and order is more than the memory that is free."""
    needed, free = 8 * n_walls * n_runs * n_points**2, free_bytes()
    if needed > free:
        raise UserError(
            f"seeds={n_runs} in context is a matrix for each of {n_walls:,} walls in each order, together"
            f" {needed / 1e9:,.0f} GB, and {free / 1e9:,.0f} GB of memory are free: choose fewer seeds"
        )


def wall_grams(
    encoder: AnyEncoder,
    walls: Sequence[Sequence[str]],
    runs: int | Sequence[int],
    update: Update | None = None,
    to_gram: ToGram = centred_gram,
) -> Gram:
    """The centred Gram matrix of every wall, (n_walls, 1 or n_runs, n_points, n_points).

    Parameters
    ----------
    encoder
        One that encodes in context makes a matrix for each run's order of the clues, another makes one.
        A fused one makes its parts' weighted sum, each scaled to unit spread.
    walls
        The clues of each, equally many.
    runs
        How many runs there are, each with its order of the clues, or which runs' orders are wanted. No other
        is read, but by an encoder that goes on from wall to wall, to which the runs before are context.
    update
        Is called with how many texts, or walls in an order, are encoded.
    to_gram
        Makes centred Gram matrices of vectors (n_some, n_points, n_features).

    """
    if isinstance(encoder, FusedEncoder):
        return _fused(encoder, walls, runs, update, to_gram)
    if isinstance(encoder, ContextualEncoder):
        wanted = range(runs) if isinstance(runs, int) else runs
        return _contextual(encoder, walls, wanted, update, to_gram)
    return _static(encoder, walls, update, to_gram)


def _static(encoder: Encoder, walls: Sequence[Sequence[str]], update: Update | None, to_gram: ToGram) -> Gram:
    """Each distinct text is encoded once."""
    place = {clue: row for row, clue in enumerate(sorted({clue for wall in walls for clue in wall}))}
    orders = wall_orders(walls)[:, 0]
    vectors = encoder.encode(list(place), progress=update)
    rows = np.array([[place[clue] for clue in wall] for wall in walls])
    n_walls, n_points = rows.shape
    gram = np.empty((n_walls, 1, n_points, n_points))
    at_once = max(1, BLOCK_VALUES // (n_points * vectors.shape[1]))

    def work(block: slice, _: Update) -> Gram:
        read = np.take_along_axis(rows[block], orders[block], axis=1)
        return _in_place(_gram_of(vectors[read], to_gram), orders[block])

    for block, made in each_block(n_walls, at_once, work):
        gram[block, 0] = made
    return gram


def _gram_of(points: NDArray[Any], to_gram: ToGram) -> Gram:
    """Gram matrices of points (n_some, n_points, n_features), with equal rows for equal points."""
    first = equal_to(points)
    if (first == np.arange(first.shape[1])).all():
        return to_gram(points)
    merged: Gram = with_rows_of(to_gram(np.take_along_axis(points, first[..., np.newaxis], axis=1)), first)
    # Features such as t-SNE's place equal points apart: with one's rows for all, the centre is another.
    changed = (first != np.arange(first.shape[1])).any(axis=1)
    part = merged[changed]
    means = part.mean(axis=1, keepdims=True)
    merged[changed] = part - means - means.swapaxes(1, 2) + part.mean(axis=(1, 2), keepdims=True)
    return merged


def _in_place(gram: Gram, orders: NDArray[np.int64]) -> Gram:
    """Gram matrices (n_some, n_points, n_points) of clues in orders, as those of the walls' own order."""
    back = np.argsort(orders, axis=1)
    rows = np.take_along_axis(gram, back[:, :, np.newaxis], axis=1)
    return np.take_along_axis(rows, back[:, np.newaxis], axis=2)


def _contextual(
    encoder: ContextualEncoder,
    walls: Sequence[Sequence[str]],
    wanted: Sequence[int],
    update: Update | None,
    to_gram: ToGram,
) -> Gram:
    """Each wall is encoded once an order; vectors become Gram matrices block by block."""
    n_points = len(walls[0])
    # An encoder that goes on from wall to wall reads them as the paper's code did, run after run.
    run_after_run = getattr(encoder, "carry_state", False)
    read = range(max(wanted) + 1) if run_after_run else wanted
    column = np.array([wanted.index(run) if run in wanted else -1 for run in read])
    orders = np.array([clue_order(run, n_points) for run in read])
    places = np.arange(len(walls) * len(read))
    if run_after_run:
        run, wall = np.divmod(places, len(walls))
    else:
        wall, run = np.divmod(places, len(read))
    gram = np.empty((len(walls), len(wanted), n_points, n_points))

    def work(block: slice, progress: Update) -> NDArray[np.float32]:
        pairs = zip(wall[block].tolist(), run[block].tolist(), strict=True)
        return encoder.encode_in_context([[walls[w][i] for i in orders[r]] for w, r in pairs], progress)

    for block, vectors in each_block(len(places), BLOCK_SENTENCES, work, update, wall):
        used = column[run[block]] >= 0
        if used.any():
            of_wall, of_run = wall[block][used], run[block][used]
            made = _gram_of(vectors[used], to_gram)
            gram[of_wall, column[of_run]] = _in_place(made, orders[of_run])
    return gram


def _fused(
    encoder: FusedEncoder,
    walls: Sequence[Sequence[str]],
    runs: int | Sequence[int],
    update: Update | None,
    to_gram: ToGram,
) -> Gram:
    n_parts = len(encoder.parts)
    gram: Gram | float = 0.0
    for place, (part, weight) in enumerate(zip(encoder.parts, encoder.weights, strict=True)):
        progress = None if update is None else partial(_of_part, update, place, n_parts)
        gram = gram + weight * unit_spread(wall_grams(part, walls, runs, progress, to_gram))
        if isinstance(part, Unloads):
            part.unload()  # several large models do not fit into the memory of one card at once
    return np.asarray(gram)


def _of_part(update: Update, place: int, n_parts: int, done: int, total: int) -> None:
    """Call ``update`` from one of several parts of equal work."""
    update(place * total + done, n_parts * total)


Costs = NDArray[np.float64]


@lru_cache(maxsize=8)
def group_members(n_points: int, size: int) -> NDArray[np.float64]:
    """Which points each group of ``size`` holds, 1 or 0, (n_groups, n_points), in ``list_groups``' order."""
    groups = list_groups(n_points, size)
    members = np.zeros((len(groups), n_points))
    members[np.arange(len(groups))[:, np.newaxis], groups] = 1.0
    members.flags.writeable = False
    return members


def gram_group_costs(gram: NDArray[np.float64], size: int) -> Costs:
    """Squared distances within each group over its size, (n_problems, n_groups), as in k-means.

    ``gram`` is (n_problems, n_points, n_points). A partition's costs add up to what ``best_partitions`` finds
    for the matrix itself.
    """
    members = group_members(gram.shape[-1], size)
    squares = np.diagonal(gram, axis1=1, axis2=2) @ members.T
    within = np.einsum("gi,wij,gj->wg", members, gram, members, optimize=True)
    costs: Costs = squares - within / size
    return costs


def pair_group_costs(pairs: NDArray[np.float64], size: int) -> Costs:
    """The mean over the pairs in each group, (n_problems, n_groups); ``pairs`` is symmetric."""
    members = group_members(pairs.shape[-1], size)
    within = np.einsum("gi,wij,gj->wg", members, pairs, members, optimize=True)
    within -= np.diagonal(pairs, axis1=1, axis2=2) @ members.T
    costs: Costs = within / (size * (size - 1))
    return costs
