"""How alike an answer and the known solutions of its problem are: BLEU and BERTScore, 0 to 100."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from ...embeddings.extras import require
from ..metrics.bertscore import BertScore, packaged_stand_in

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


def measure(name: str, device: str = "auto") -> tuple[Measure, str]:
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
