"""The sum of scaled Gram matrices, entry by entry."""

from math import sqrt

import numpy as np


def naive_scaled(points):
    """The inner products of ``points`` about their mean over the spread of those of different points."""
    points = [[float(value) for value in row] for row in points]
    n = len(points)
    mean = [sum(column) / n for column in zip(*points, strict=True)]
    away = [[value - middle for value, middle in zip(row, mean, strict=True)] for row in points]
    gram = [[sum(a * b for a, b in zip(one, other, strict=True)) for other in away] for one in away]
    between = [gram[i][j] for i in range(n) for j in range(n) if i != j]
    centre = sum(between) / len(between)
    spread = sqrt(sum((value - centre) ** 2 for value in between) / len(between))
    return [[value / spread for value in row] for row in gram]


def naive_fused(parts, weights):
    """``parts`` are the vectors of one wall by each model."""
    scaled = [naive_scaled(points) for points in parts]
    n = len(scaled[0])
    return np.array(
        [
            [sum(w * one[i][j] for w, one in zip(weights, scaled, strict=True)) for j in range(n)]
            for i in range(n)
        ]
    )
