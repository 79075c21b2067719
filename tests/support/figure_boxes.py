"""Where the texts and markers of a figure are, in points from its lower left corner."""

import numpy as np

from fourfold.experiments.plots.sheet import DPI, POINTS


def text_boxes(figure, gid):
    """(text, (left, bottom, right, top)) of every text of that kind."""
    renderer = figure.canvas.get_renderer()
    found = []
    for text in figure.findobj(lambda artist: artist.get_gid() == gid):
        found.append((text.get_text(), points(text.get_window_extent(renderer))))
    return found


def points(box):
    return tuple(value * POINTS / DPI for value in (box.x0, box.y0, box.x1, box.y1))


def overlap(a, b, slack=0.0):
    """Whether boxes overlap by more than ``slack`` points."""
    return min(a[2], b[2]) - max(a[0], b[0]) > slack and min(a[3], b[3]) - max(a[1], b[1]) > slack


def inside(a, b):
    """Whether box ``a`` is within ``b``."""
    return a[0] >= b[0] and a[1] >= b[1] and a[2] <= b[2] and a[3] <= b[3]


def contains(corners, points, slack=1e-9):
    """Which points (n, 2) are within the convex polygon of ``corners``, counter-clockwise."""
    edges = np.roll(corners, -1, axis=0) - corners
    towards = points[:, np.newaxis] - corners
    return (edges[:, 0] * towards[..., 1] - edges[:, 1] * towards[..., 0] >= -slack).all(axis=1)
