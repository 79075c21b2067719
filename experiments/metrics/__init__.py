"""The metrics of the paper's Task 1 (grouping), for all walls and seeds at once.

``score_labels`` scores clusters of clues by index, ``score_groups`` scores groups of texts as the paper's
evaluator does. Nothing here clusters, reads files or prints.
"""

from .labels import score_labels
from .scores import METRICS, Metric, Scores
from .texts import score_groups

__all__ = ["METRICS", "Metric", "Scores", "score_groups", "score_labels"]
