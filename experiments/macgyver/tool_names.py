"""One tool under its several spellings, and how well tools are found against those written down by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import UserError
from ..data.document import one_line


@dataclass(frozen=True, slots=True)
class ToolScore:
    """Tools found, tools written down, and how many of the ones are among the others.

    ``exact`` have the same name, but for number and spelling as in ``tool_number.py``. ``same`` also counts
    those whose names end in one word, such as "rope" and "climbing rope", each once.
    """

    found: int
    labelled: int
    exact: int
    same: int

    @property
    def precision(self) -> float:
        """Share of the tools found that are tools, whatever exactly their names."""
        return self.same / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Share of the tools written down that are found, whatever exactly their names."""
        return self.same / self.labelled if self.labelled else 0.0

    @property
    def exact_precision(self) -> float:
        """Share of the tools found that are written down by that name, number and spelling aside."""
        return self.exact / self.found if self.found else 0.0

    @property
    def exact_recall(self) -> float:
        """Share of the tools written down that are found by that name, number and spelling aside."""
        return self.exact / self.labelled if self.labelled else 0.0


def score_tools(found: Mapping[int, Sequence[str]], labelled: Mapping[int, Sequence[str]]) -> ToolScore:
    """Compare tools, problem by problem, on the problems that are labelled."""
    counts = [0, 0, 0, 0]
    for problem_id, names in labelled.items():
        got = {tool_key(name): name for name in found.get(problem_id, ())}
        wanted = {tool_key(name): name for name in names}
        left = [name for key, name in wanted.items() if key not in got]
        exact = len(wanted) - len(left)
        same = exact
        for key, name in got.items():
            if key in wanted:
                continue
            match = next((one for one in left if _head(one) == _head(name)), None)
            if match is not None:
                left.remove(match)
                same += 1
        for place, value in enumerate((len(got), len(wanted), exact, same)):
            counts[place] += value
    return ToolScore(*counts)


def _head(name: str) -> str:
    """The last word of a name, before "of" where there is one, in the singular."""
    return singular(name.split(" of ", maxsplit=1)[0].rsplit(maxsplit=1)[-1])


def read_labelled_tools(path: Path) -> dict[int, tuple[str, ...]]:
    """Tools written down by hand: a line ``ID: tool; tool`` for each problem, empty lines left out.

    Raises
    ------
    UserError
        In one line, if the file cannot be read or a line is of another form.

    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UserError(
            f"{path} cannot be read ({reason}): name a file of lines such as '541: a; b'"
        ) from error
    labels: dict[int, tuple[str, ...]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        key, _, names = line.partition(":")
        tools = tuple(name.strip().casefold() for name in names.split(";") if name.strip())
        if not (key.strip().isdecimal() and tools):
            raise UserError(
                f"{path}, line {number}: got '{one_line(line[:60])}', expected such as '541: a; b'"
            )
        if int(key) in labels:
            raise UserError(f"{path}, line {number}: got problem {int(key)} again, expected each once")
        labels[int(key)] = tools
    if not labels:
        raise UserError(f"{path}: got no tools, expected lines such as '541: a; b'")
    return labels


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
