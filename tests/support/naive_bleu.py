"""Sentence BLEU written as its definition reads, for texts that are split at blanks alone."""

from math import exp, log


def naive_bleu(text: str, references: list[str], order: int) -> float:
    """0 to 100, with ``exp`` smoothing and no order longer than the text."""
    words, known = text.lower().split(), [reference.lower().split() for reference in references]
    if not words:
        return 0.0
    logs, halvings, any_right = [], 1, False
    for n in range(1, order + 1):
        mine = [tuple(words[place : place + n]) for place in range(len(words) - n + 1)]
        if not mine:
            break
        right = 0
        for gram in sorted(set(mine)):
            there = [
                sum(tuple(one[place : place + n]) == gram for place in range(len(one) - n + 1))
                for one in known
            ]
            right += min(mine.count(gram), max(there))
        any_right = any_right or right > 0
        if right == 0:
            halvings *= 2
        logs.append(log((right or 1 / halvings) / len(mine)))
    if not any_right:
        return 0.0
    nearest = min((abs(len(one) - len(words)), len(one)) for one in known)[1]
    brevity = 1.0 if len(words) >= nearest else exp(1 - nearest / len(words))
    return 100 * brevity * exp(sum(logs) / len(logs))
