"""Which installed fonts draw a figure's texts, and which letters none of them has."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

BASE = "DejaVu Sans"  # comes with matplotlib

# It has a placeholder for every letter, which says nothing to a reader.
_NO_FONTS = {"Last Resort High-Efficiency", "Last Resort"}
_UPRIGHT = ("normal", "roman")


@dataclass(frozen=True, slots=True)
class FontChoice:
    """Families in the order in which a letter is looked up, and what none of them has, by text."""

    families: tuple[str, ...]
    missing: dict[str, tuple[str, ...]]


def printable(text: str) -> str:
    """The text in one line, without what has no shape of its own, such as joiners and variation selectors."""
    kept = (c for c in unicodedata.normalize("NFC", text) if not _shapeless(c))
    # Letters newer than this Python's tables, or of private use, are for the fonts to know.
    return " ".join("".join("\ufffd" if _is_control(c) else c for c in kept).split())


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter) in {"Cc", "Cs"} and not letter.isspace()


def _shapeless(letter: str) -> bool:
    return unicodedata.category(letter) == "Cf" or 0xFE00 <= ord(letter) <= 0xFE0F


def choose_fonts(texts: Iterable[str]) -> FontChoice:
    """The fonts for texts that ``printable`` has made: DejaVu Sans, then as few others as they need."""
    from matplotlib.font_manager import findfont, fontManager

    texts = list(dict.fromkeys(texts))
    wanted = {letter for text in texts for letter in text if not letter.isspace()}
    wanted -= _letters(findfont(BASE))
    families = [BASE]
    if wanted:
        _find_new_fonts()
        rest = [
            font
            for font in fontManager.ttflist
            if font.name not in {BASE, *_NO_FONTS} and font.style in _UPRIGHT
        ]
        # The regular face of each family is what will be drawn with.
        rest.sort(key=lambda font: (font.name, abs(_weight(font.weight) - 400), font.fname))
        faces = {font.name: font.fname for font in reversed(rest)}
        held = {name: _letters(path) & wanted for name, path in sorted(faces.items())}
        while wanted and any(held.values()):
            best = max(held, key=lambda name: len(held[name]))
            families.append(best)
            wanted -= held[best]
            held = {name: letters & wanted for name, letters in held.items()}
    missing = {text: tuple(dict.fromkeys(c for c in text if c in wanted)) for text in texts}
    return FontChoice(tuple(families), {text: letters for text, letters in missing.items() if letters})


def _find_new_fonts() -> None:
    """Let matplotlib know fonts that were installed since it made its list, which it keeps in a file."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    known = {font.fname for font in fontManager.ttflist}
    for path in sorted(set(findSystemFonts()) - known):
        try:
            fontManager.addfont(path)
        except (OSError, RuntimeError, NotImplementedError, ValueError, KeyError):  # bitmaps, damaged files
            continue


def _letters(path: str) -> set[str]:
    from matplotlib.ft2font import FT2Font

    try:
        return {chr(code) for code in FT2Font(path).get_charmap()}
    except (OSError, RuntimeError):  # a font file that was removed or cannot be read
        return set()


def _weight(weight: str | int) -> int:
    from matplotlib.font_manager import weight_dict

    return weight if isinstance(weight, int) else weight_dict.get(weight, 400)
