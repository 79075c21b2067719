"""The words in which a judge's template describes the six categories, and where a text repeats them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...macgyver.problem import Category

Words = tuple[str, ...]

_ENTRY = re.compile(r"^[ \t]*([A-F])[ \t]*[:.)–—-][ \t]*(\S[^\n]*?)[ \t]*$", re.MULTILINE)
_EXAMPLE = re.compile(r",?\s+(?:such\s+as|for\s+example|e\.g\.)\s.*", re.IGNORECASE)
_MARKER = re.compile(r"^\W*(?:(?:option|categor(?:y|ie))\s+)?(?:\d{1,2}\b|[A-Fa-f]\b(?=\W*[:.)–—-]))?[^\w]*")
_LEAST = 0.5  # of a category's words, without which a part of them is not taken for it
_CLAUSE_END = re.compile(r"[.;!?\n]")


def _words(text: str) -> Words:
    return tuple(re.findall(r"\w+", text.casefold()))


@dataclass(frozen=True, slots=True)
class Rubric:
    """What a template says of each category, in words; empty where it does not list all six.

    A template lists them a line each, as ``A: the problem is solvable, and …``. Examples ("such as …") at an
    entry's end do not count.
    """

    words: Mapping[Category, Words] = field(default_factory=dict)

    @classmethod
    def of(cls, template: str) -> Rubric:
        """The rubric that a template's text holds."""
        found = {
            Category[letter]: _words(_EXAMPLE.sub("", said)) for letter, said in _ENTRY.findall(template)
        }
        distinct = set(found.values())
        return cls(found) if len(found) == len(distinct) == len(Category) and () not in distinct else cls()

    def all_in(self, text: str) -> set[Category]:
        """The categories whose words a text holds in full."""
        spaced = f" {' '.join(_words(text))} "
        return {category for category, words in self.words.items() if f" {' '.join(words)} " in spaced}

    def named(self, text: str, whole: bool = False) -> Category | None:
        """The one category in whose words a text begins, in full or for the best part of its first clause.

        ``whole`` wants the words in full. None where there is none, or the words of two.
        """
        if len(self.all_in(text)) > 1:
            return None
        plain = _MARKER.sub("", text, count=1)
        words = _words(plain)
        for category, full in self.words.items():
            if words[: len(full)] == full:
                return category
        clause = _words(_CLAUSE_END.split(plain, maxsplit=1)[0])
        if whole or not clause:
            return None
        partly = [category for category, full in self.words.items() if _is_part(clause, full)]
        return partly[0] if len(partly) == 1 else None


def _is_part(clause: Words, full: Words) -> bool:
    """Whether a clause is made of these words in their order, and of enough of them."""
    rest = iter(full)
    return len(clause) >= _LEAST * len(full) and all(word in rest for word in clause)
