"""A text's words, as flair 0.9, the library behind the paper's numbers, splits them. Needs segtok."""

from __future__ import annotations

from .extras import require

# Of no width: flair drops them from each token, and a token of nothing else with them.
_NO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\ufe0f\ufeff"))


def _windows_1252() -> dict[int, str]:
    """Control characters that a Windows-1252 text read as Latin-1 has in the place of quotes and dashes."""
    table = {}
    for code in range(0x80, 0x9A):
        try:
            table[code] = bytes([code]).decode("windows-1252")
        except UnicodeDecodeError:
            table[code] = ""  # Windows-1252 leaves some codes free
    return table


_RESTORED = _windows_1252()


def tokenize(text: str) -> list[str]:
    """The tokens of a text, in its own case; none where it holds nothing but blanks and invisible characters.

    Sentences are split first, then words, then contractions (``don't`` becomes ``do``, ``n't``).
    """
    require("segtok")
    from segtok.segmenter import split_single
    from segtok.tokenizer import split_contractions, word_tokenizer

    tokens: list[str] = []
    for sentence in split_single(text.translate(_RESTORED)):
        tokens += split_contractions(word_tokenizer(sentence))
    return [visible for token in tokens if (visible := token.translate(_NO_WIDTH))]
