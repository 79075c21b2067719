"""BLEU and BERTScore of an answer and the known solutions of its problem, and Pearson's correlations."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ...embeddings.extras import require
from ..metrics.bertscore import BertScore, packaged_stand_in
from ..terminal.writing import counted

Measure: TypeAlias = Callable[[Sequence[str], Sequence[Sequence[str]]], list[float]]
"""Texts and the references of each in, a score each out."""


def bleu(texts: Sequence[str], references: Sequence[Sequence[str]], order: int) -> list[float]:
    """Each text's BLEU up to ``order`` words against all its references, by the package sacrebleu.

    Sentence BLEU with its tokenizer ``13a``, small letters, ``exp`` smoothing (a precision of 0 becomes half,
    a quarter and so on of one match) and no order that is longer than the text.

    Source: Papineni et al. (2002); Post (2018) for the package.
    """
    metric = _bleu(order)
    return [
        float(metric.sentence_score(text, list(known)).score)
        for text, known in zip(texts, references, strict=True)
    ]


def bleu_signature(order: int) -> str:
    """The settings of ``bleu`` and the package's version, as the package says them."""
    metric = _bleu(order)
    metric.sentence_score("a", ["a"])
    parts = str(metric.get_signature()).split("|")
    # Answers have as many references as their problem has solutions.
    return "|".join(["nrefs:var", *(part for part in parts if not part.startswith("nrefs:"))])


def _bleu(order: int) -> Any:
    require("sacrebleu")
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(max_ngram_order=order, lowercase=True, effective_order=True, smooth_method="exp")


def bert(texts: Sequence[str], references: Sequence[Sequence[str]], scorer: BertScore) -> list[float]:
    """Each text's best BERTScore F1 over its references, times 100."""
    pairs = [
        (text, one) for text, known in zip(texts, references, strict=True) for one in dict.fromkeys(known)
    ]
    scores = iter(scorer.f1([text for text, _ in pairs], [one for _, one in pairs]))
    return [100 * max(next(scores) for _ in dict.fromkeys(known)) for known in references]


def text_measure(name: str, device: str = "auto") -> tuple[Measure, str]:
    """The measure of that name, and its settings in words.

    Parameters
    ----------
    name
        ``bleu2``, ``bleu3``, ``bertscore`` (over roberta-large) or ``minilm`` (the same matching over the
        packaged MiniLM).
    device
        Where the last two run.

    """
    if name in _ORDERS:
        order = _ORDERS[name]
        return lambda texts, known: bleu(texts, known, order), bleu_signature(order)
    if name not in ("bertscore", "minilm"):
        raise ValueError(f"name is {name!r}, expected bleu2, bleu3, bertscore or minilm")
    scorer = BertScore(device=device) if name == "bertscore" else packaged_stand_in(device)
    scorer.f1(["a"], ["a"])  # what cannot be loaded is told before the work
    return lambda texts, known: bert(texts, known, scorer), scorer.hash


_ORDERS = {"bleu2": 2, "bleu3": 3}
TITLES: Mapping[str, str] = MappingProxyType(
    {
        "bleu2": "BLEU-2",
        "bleu3": "BLEU-3",
        "bertscore": "BERTScore",
        "minilm": "MiniLM matching",
        "judge": "Judge",
    }
)


Floats = NDArray[np.float64]
LEVEL = 0.95
_AT_ONCE = 100  # draws


@dataclass(frozen=True, slots=True)
class PearsonCorrelation:
    """Pearson's r over ``n`` pairs, and its intervals at 95%; None where a side does not vary.

    ``fisher`` takes the pairs for independent. ``bootstrap`` draws whole groups of them, since answers to
    one problem share what they are compared with.
    """

    n: int
    r: float | None
    fisher: tuple[float, float] | None = None
    bootstrap: tuple[float, float] | None = None


def correlation(
    scores: Sequence[float], labels: Sequence[float], groups: Sequence[Hashable], draws: int, seed: int = 0
) -> PearsonCorrelation:
    """Pearson's r of scores and labels.

    Parameters
    ----------
    scores, labels
        The pairs.
    groups
        The group of each, such as its problem.
    draws
        Draws of the bootstrap; 0 for none.
    seed
        Of the draws.

    Raises
    ------
    ValueError
        If there are not as many of each, or no pairs.

    """
    if not len(scores) == len(labels) == len(groups) or not len(scores):
        raise ValueError(
            f"got {counted(len(scores), 'score')}, {counted(len(labels), 'label')} and "
            f"{counted(len(groups), 'group')}, expected as many of each, and some"
        )
    x, y = np.array(scores, np.float64), np.array(labels, np.float64)
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return PearsonCorrelation(len(x), None)
    found = stats.pearsonr(x, y)
    fisher = None
    if len(x) > 3:
        low, high = found.confidence_interval(LEVEL)
        fisher = (float(low), float(high))
    bootstrap = None
    if draws:
        _, members = np.unique([str(group) for group in groups], return_inverse=True)
        bootstrap = _bootstrap(x, y, members, draws, seed)
    return PearsonCorrelation(len(x), float(found.statistic), fisher, bootstrap)


def _bootstrap(
    x: Floats, y: Floats, members: NDArray[np.intp], draws: int, seed: int
) -> tuple[float, float] | None:
    """The percentile interval over draws of groups, each as often as it is drawn."""
    x, y = x - x.mean(), y - y.mean()
    n_groups = int(members.max()) + 1
    sums = np.stack(
        [np.bincount(members, values, n_groups) for values in (np.ones_like(x), x, y, x * x, y * y, x * y)]
    )
    rng = np.random.default_rng(seed)
    found: list[Floats] = []
    for start in range(0, draws, _AT_ONCE):
        size = min(_AT_ONCE, draws - start)
        weights = rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=size)
        n, sx, sy, sxx, syy, sxy = (weights @ sums.T).T
        with np.errstate(divide="ignore", invalid="ignore"):
            found.append((n * sxy - sx * sy) / np.sqrt((n * sxx - sx**2) * (n * syy - sy**2)))
    values = np.concatenate(found)
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return None
    low, high = np.quantile(np.clip(values, -1, 1), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
