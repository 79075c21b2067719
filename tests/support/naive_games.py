"""The best partitions that fit what was told, by trying every partition."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations


def every_partition(places, size) -> Iterator[list[tuple[int, ...]]]:
    """All partitions of ``places`` into groups of ``size``."""
    if not places:
        yield []
        return
    first, *rest = places
    for others in combinations(rest, size - 1):
        left = [place for place in rest if place not in others]
        for more in every_partition(left, size):
            yield [(first, *others), *more]


def fits(partition, guesses, one_away) -> bool:
    """Whether a partition would have had the same verdicts, were it the solution."""
    for guess, verdict in guesses:
        shared = max(len(set(guess) & set(group)) for group in partition)
        if shared == len(guess):
            said = "right"
        elif shared == len(guess) - 1 and one_away:
            said = "one away"
        else:
            said = "wrong"
        if said != verdict:
            return False
    return True


def costs_of_fitting(cost, n_points, size, guesses, one_away) -> list[float]:
    """The sums of ``cost(group)`` over the partitions that fit, rising."""
    return sorted(
        sum(map(cost, partition))
        for partition in every_partition(list(range(n_points)), size)
        if fits(partition, guesses, one_away)
    )
