"""Colours that the colour-blind can tell apart, each with a marker of its own for print in grey.

Source: M. Okabe, K. Ito, "Color Universal Design", 2008 (https://jfly.uni-koeln.de/color/).
"""

from __future__ import annotations

BLACK = "#000000"
BLUE = "#0072B2"
ORANGE = "#E69F00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
VERMILION = "#D55E00"
SKY = "#56B4E9"
YELLOW = "#F0E442"

GROUP_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY, YELLOW, BLACK)
GROUP_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

# The grey regions of predicted groups are told apart by their outlines where they overlap.
HULL_FILL = "0.82"
HULL_EDGE = "0.35"
FADE = (1.0, 1.0, 1.0, 0.7)  # about a label, over the regions
HULL_LINES = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))

# Source: J. R. Nuñez, C. R. Anderton, R. S. Renslow, "Optimizing colormaps with consideration for color
# vision deficiency to enable accurate interpretation of scientific data", PLOS ONE 13(7), 2018.
SIMILARITY_MAP = "cividis"
