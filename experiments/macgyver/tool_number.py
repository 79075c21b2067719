"""One tool under its several spellings: number ("rubber bands") and where words part ("shoe box").

The rules say which names go together, not what the tool is called: that is the form met most often. So a
singular that nobody uses, such as "scissor", does no harm, and the rules have to beware only of making one
word of two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_IRREGULAR = {
    "children": "child",
    "dominoes": "domino",
    "feet": "foot",
    "geese": "goose",
    "loaves": "loaf",
    "mangoes": "mango",
    "men": "man",
    "mice": "mouse",
    "potatoes": "potato",
    "teeth": "tooth",
    "tomatoes": "tomato",
    "torpedoes": "torpedo",
    "women": "woman",
}
# Plurals that are other things than their singulars.
_OTHER_THINGS = {"arms", "briefs", "clothes", "glasses", "goods", "news", "shorts", "spectacles", "trunks"}
# Before "glasses" that are drunk from, or looked through in one piece.
_GLASSES = {"beer", "champagne", "cocktail", "drinking", "magnifying", "measuring", "shot", "water", "wine"}
_SINGULAR = re.compile(
    r"ss$|(?<!men)(?<!tut)us$|(?<!sk)(?<!kin)(?<!tax)(?<!kiw)is$|gas$|canvas$|atlas$|christmas$|lens$|"
    r"thermos$|gps$|series$|species$"
)
_FE = re.compile(r"(?:kni|wi|(?<!o)li)ves$")
_F = re.compile(r"(?:^|(?<=\W)|book|over|after|tea)(?:cal|hal|lea|scar|sel|shel|thie|wol)ves$")
_IES = re.compile(
    r"(?:\b|neck|bow|zip)ties$|(?:\b|mag)pies$|(?:cook|brown|hood|mov|self|smooth|bean|gen|float|bird)ies$"
)
_ES = re.compile(r"(?:ss|sh|ch|x|zz|us|atlas|canvas|gas|lens)es$")
_E_STAYS = re.compile(r"(?:ach|(?:\b|pick)ax|cach|fus|hous|mous|blous|caus|creas)es$")


def singular(word: str, before: str = "") -> str:
    """The singular of an English noun in small letters, or what does for it; ``before`` stands before it."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word == "glasses" and before in _GLASSES:
        return "glass"
    if len(word) < 3 or not word.endswith("s") or word in _OTHER_THINGS or _SINGULAR.search(word):
        return word
    if _FE.search(word) or _F.search(word):
        return word[:-3] + ("fe" if _FE.search(word) else "f")
    if _ES.search(word) and not _E_STAYS.search(word):
        return word[:-2]
    if word.endswith("ies") and len(word) > 4 and not _IES.search(word):
        return f"{word[:-3]}y"
    return word[:-1].removesuffix("'")


def tool_key(name: str) -> str:
    """What the spellings of a tool have in common: singulars, without blanks and hyphens.

    The singular is that of the head, and of what "of" brings: a box of matches, bottles of water.
    """
    parts = []
    for part in name.split(" of "):
        *before, last = part.split() or [""]
        parts.append("".join([*before, singular(last, before[-1] if before else "")]))
    return " of ".join(parts).replace("-", "")


def spellings(counts: Mapping[str, int]) -> dict[str, str]:
    """For each name the most frequent of those with the same key; of equally frequent ones the singular.

    ``counts`` says how often each name is met.
    """
    best: dict[str, str] = {}
    for name in sorted(counts, key=lambda name: (-counts[name], len(name), name)):
        best.setdefault(tool_key(name), name)
    return {name: best[tool_key(name)] for name in counts}
