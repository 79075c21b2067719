"""Scoring groups of texts as the paper's evaluator does, predictions with words of their own included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from ...errors import UserError
from ..terminal.writing import counted
from .agreement import dense_ranks, overlap
from .labels import agreement_values, slice_values
from .scores import FloatArray, Scores, chosen_metrics

Groups: TypeAlias = Sequence[Sequence[str]]


def score_groups(
    predicted: Sequence[Groups], true: Sequence[Groups], metrics: Iterable[str] | None = None
) -> Scores:
    """Score one run's predicted groups by their texts, the paper's way.

    Words are compared lower-cased and without blanks at their ends, and each group's words are sorted.
    A word's label is the number of its true group, that of the last one where it is in several. The true
    groups, one after the other, give the true sequence of labels, the predicted groups the predicted one;
    each word that is not on the wall takes the next unused label. FMS, ARI and AMI compare the two
    sequences place by place, WD slice by slice. A true group is correct if it is among the predicted ones.

    Parameters
    ----------
    predicted, true : n_walls lists of groups, each a list of words
        The true groups of all walls are equal in number and size (four of four in the paper). The
        predicted groups of a wall may be of any sizes, but hold as many words as the wall: their sequence
        is cut where the true groups' is. Fill up what is short, with "" for instance: a word that is not
        on the wall.
    metrics : names of ``METRICS``, optional
        All by default.

    Returns
    -------
    Scores
        Arrays (n_walls, 1) by metric. Where a predicted group of right words is there twice, the second is
        paired as any other slice; the paper's evaluator stops with an error.

    Raises
    ------
    UserError
        The two sides differ in walls or words, the true groups in number or size, or a word is not a text.
    """
    names = chosen_metrics(metrics)
    if len(predicted) != len(true) or not true:
        raise UserError(
            f"got predictions for {counted(len(predicted), 'wall')} and true groups for {len(true)}; "
            "expected one prediction for each wall, and at least one wall"
        )
    n_groups, size = len(true[0]), len(true[0][0]) if true[0] else 0
    true_labels, predicted_labels, hits = [], [], []
    for number, (wall_predicted, wall_true) in enumerate(zip(predicted, true, strict=True)):
        true_groups = [_normalised(group, number) for group in wall_true]
        predicted_groups = [_normalised(group, number) for group in wall_predicted]
        _check_sizes(number, predicted_groups, true_groups, n_groups, size)
        label_of = {word: label for label, group in enumerate(true_groups) for word in group}
        true_labels.append(_sequence(true_groups, label_of, n_groups))
        predicted_labels.append(_sequence(predicted_groups, label_of, n_groups))
        hits.append(sum(group in predicted_groups for group in true_groups))
    true_array, predicted_array = np.array(true_labels), np.array(predicted_labels)
    pair = overlap(dense_ranks(true_array), dense_ranks(predicted_array))
    values: dict[str, FloatArray] = agreement_values(names, pair)
    values |= slice_values(names, true_array, predicted_array, size)
    # By text, not by the sequences: these do not show which predicted group a word is in.
    values["correct_groups"] = np.array(hits, dtype=np.float64)
    values["solved_walls"] = (values["correct_groups"] == n_groups).astype(np.float64)
    return Scores(MappingProxyType({name: values[name][:, None] for name in names}))


def _normalised(group: Sequence[str], wall: int) -> list[str]:
    if isinstance(group, str):
        raise UserError(f"wall {wall}: got {group!r} as a group, expected a list of words")
    words = []
    for word in group:
        if not isinstance(word, str):
            raise UserError(f"wall {wall}: got {word!r} in a group, expected a text; write numbers as texts")
        words.append(word.lower().strip())
    return sorted(words)


def _sequence(groups: list[list[str]], label_of: dict[str, int], unused: int) -> list[int]:
    """The words' labels in order; each unknown word takes the next label from ``unused`` up, every time."""
    labels = []
    for group in groups:
        for word in group:
            if word in label_of:
                labels.append(label_of[word])
            else:
                labels.append(unused)
                unused += 1
    return labels


def _check_sizes(
    wall: int, predicted: list[list[str]], true: list[list[str]], n_groups: int, size: int
) -> None:
    true_sizes = [len(group) for group in true]
    if size == 0 or true_sizes != [size] * n_groups:
        raise UserError(
            f"wall {wall}: got true groups of {true_sizes} words, expected {n_groups} groups of "
            f"{max(size, 1)} as in wall 0: the paper's metrics take groups of one size"
        )
    n_predicted = sum(len(group) for group in predicted)
    if n_predicted != n_groups * size:
        raise UserError(
            f"wall {wall}: got {n_predicted} predicted words, expected {n_groups * size} as on the wall; "
            'cut what is too much and fill up what is short, with "" for instance'
        )
