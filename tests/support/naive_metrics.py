"""A slow oracle of the Task 1 metrics: one wall at a time, in plain Python over scikit-learn and SciPy."""

from __future__ import annotations

from itertools import permutations

from scipy.stats import wasserstein_distance
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score, fowlkes_mallows_score


def naive_agreement(true: list[int], predicted: list[int]) -> dict[str, float]:
    """FMS, ARI and AMI of two labelings."""
    return {
        "fms": float(fowlkes_mallows_score(true, predicted)),
        "ari": float(adjusted_rand_score(true, predicted)),
        "ami": float(adjusted_mutual_info_score(true, predicted)),
    }


def naive_distances(true_slices: list[list[int]], predicted_slices: list[list[int]]) -> dict[str, float]:
    """WD and WD matched of two lists of slices of labels."""
    n_groups = len(true_slices)
    true_left, predicted_left = list(true_slices), list(predicted_slices)
    for piece in predicted_slices:
        if piece in true_left:
            true_left.remove(piece)
            predicted_left.remove(piece)
    ordered = sum(
        min(wasserstein_distance(a, b), 1.0) for a, b in zip(predicted_left, true_left, strict=True)
    )
    cost = [[min(wasserstein_distance(a, b), 1.0) for b in true_slices] for a in predicted_slices]
    matched = min(
        sum(cost[i][j] for i, j in enumerate(matching)) for matching in permutations(range(n_groups))
    )
    return {"wd": float(ordered) / n_groups, "wd_matched": float(matched) / n_groups}


def naive_labels(labels: list[int], truth: list[int], distances: bool = True) -> dict[str, float]:
    """All metrics of one wall by index, but for the distances if they are not wanted."""
    groups = [{i for i, t in enumerate(truth) if t == group} for group in sorted(set(truth))]
    clusters = [[i for i, c in enumerate(labels) if c == cluster] for cluster in sorted(set(labels))]
    correct = sum(group in [set(cluster) for cluster in clusters] for group in groups)
    values = naive_agreement(truth, labels)
    values |= {"correct_groups": float(correct), "solved_walls": float(correct == len(groups))}
    if distances:
        number = {point: group for group, points in enumerate(groups) for point in points}
        values |= naive_distances(
            [[group] * len(points) for group, points in enumerate(groups)],
            [[number[point] for point in cluster] for cluster in clusters],
        )
    return values


def naive_groups(predicted: list[list[str]], true: list[list[str]]) -> dict[str, float]:
    """All metrics of one wall by text, as the paper's evaluator computes them."""
    n_groups, size = len(true), len(true[0])
    sides = {
        side: [sorted(word.lower().strip() for word in group) for group in groups]
        for side, groups in (("true", true), ("predicted", predicted))
    }
    label: dict[str, int] = {}
    for number, group in enumerate(sides["true"]):
        for word in group:
            label[word] = number  # the last occurrence wins
    sequences: dict[str, list[int]] = {}
    for side, groups in sides.items():
        unused = list(range(n_groups, n_groups + n_groups * size))
        sequences[side] = [
            label[word] if word in label else unused.pop(0) for group in groups for word in group
        ]
    slices = {
        side: [sequence[start : start + size] for start in range(0, n_groups * size, size)]
        for side, sequence in sequences.items()
    }
    correct = sum(group in sides["predicted"] for group in sides["true"])
    return {
        **naive_agreement(sequences["true"], sequences["predicted"]),
        **naive_distances(slices["true"], slices["predicted"]),
        "correct_groups": float(correct),
        "solved_walls": float(correct == n_groups),
    }
