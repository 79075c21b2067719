"""Red herrings the slow way: from points, clue by clue and partition by partition."""

from itertools import permutations

import numpy as np


def partitions(sizes):
    """Every way to give points numbers of groups of these sizes, as tuples; groups of one size may swap."""
    numbers = [group for group, size in enumerate(sizes) for _ in range(size)]
    return sorted(set(permutations(numbers)))


def cost(points, labels):
    """The k-means objective, from the groups' means."""
    total = 0.0
    for group in set(labels):
        members = points[[place for place, label in enumerate(labels) if label == group]]
        total += ((members - members.mean(axis=0)) ** 2).sum()
    return total


def margin(points, truth):
    """Of one wall, by listing all partitions."""
    sizes = [list(truth).count(group) for group in sorted(set(truth))]
    costs = [cost(points, labels) for labels in partitions(sizes)]
    best, mean = min(costs), sum(costs) / len(costs)
    return 1.0 if mean - best <= 1e-9 * mean else (cost(points, list(truth)) - best) / (mean - best)


def placed(runs, truth):
    """(n_points, n_groups) of one wall: for each run, the mean over the best matchings."""
    truth = list(truth)
    groups = sorted(set(truth))
    total = np.zeros((len(truth), len(groups)))
    for run in runs:
        clusters = sorted(set(run))
        # More clusters than groups: some are matched to none. Fewer: some groups have none.
        names = groups + [None] * max(0, len(clusters) - len(groups))
        matchings = {matching[: len(clusters)] for matching in permutations(names)}

        def agreeing(matching, clusters=clusters, run=run):
            name = dict(zip(clusters, matching, strict=True))
            return sum(name[label] == group for label, group in zip(run, truth, strict=True))

        most = max(map(agreeing, matchings))
        best = [matching for matching in sorted(matchings, key=str) if agreeing(matching) == most]
        for matching in best:
            name = dict(zip(clusters, matching, strict=True))
            for place, label in enumerate(run):
                if name[label] is not None:
                    total[place, groups.index(name[label])] += 1 / len(best)
    return total / len(runs)
