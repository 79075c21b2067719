"""What every encoder asks of the texts it is given."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import UserError


def check_texts(texts: Sequence[str]) -> list[str]:
    """The texts as a list.

    Raises
    ------
    TypeError
        If ``texts`` is one text, or holds something else than texts.
    UserError
        If a text is blank or is not valid Unicode.

    """
    if isinstance(texts, str):
        raise TypeError(f"expected a sequence of texts, not one text ({excerpt(texts)}): put it in a list")
    for position, text in enumerate(texts):
        _check_text(f"texts[{position}]", text)
    return list(texts)


def check_sentences(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    """The texts of each sentence as a list.

    Raises
    ------
    TypeError
        If ``sentences`` or one of them is a text, or a text is none.
    ValueError
        If a sentence has no texts, or another number of them than the first.
    UserError
        If a text is blank or is not valid Unicode.

    """
    if isinstance(sentences, str):
        raise TypeError(f"expected a sequence of sentences, not one text ({excerpt(sentences)})")
    for number, texts in enumerate(sentences):
        if isinstance(texts, str):
            raise TypeError(
                f"sentences[{number}] is one text ({excerpt(texts)}): expected a sequence of texts"
            )
        if len(texts) != len(sentences[0]) or not texts:
            raise ValueError(
                f"sentences[{number}] has {len(texts)} texts and sentences[0] has {len(sentences[0])}: "
                "expected one or more, as many in each sentence"
            )
        for place, text in enumerate(texts):
            _check_text(f"sentences[{number}][{place}]", text)
    return [list(texts) for texts in sentences]


def _check_text(where: str, text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{where} is {text!r}, a {type(text).__name__}: expected a str")
    if not text.strip():
        raise UserError(f"{where} is blank ({text!r}): every text needs something to encode")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UserError(
            f"{where} is not valid Unicode ({excerpt(text)} holds half a surrogate pair): "
            "read its file as UTF-8"
        ) from error


def excerpt(text: str, width: int = 40) -> str:
    """A text's beginning in quotes, for a message."""
    return repr(text if len(text) <= width else text[: width - 1] + "…")
