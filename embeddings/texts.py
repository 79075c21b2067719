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
        If a text is blank or is no valid Unicode.

    """
    if isinstance(texts, str):
        raise TypeError(f"expected a sequence of texts, not one text ({excerpt(texts)}): put it in a list")
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"texts[{position}] is {text!r}, a {type(text).__name__}: expected a str")
        if not text.strip():
            raise UserError(f"texts[{position}] is blank ({text!r}): every text needs something to encode")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UserError(
                f"texts[{position}] is no valid Unicode ({excerpt(text)} holds half a surrogate pair): "
                "read its file as UTF-8"
            ) from error
    return list(texts)


def excerpt(text: str, width: int = 40) -> str:
    """A text's beginning in quotes, for a message."""
    return repr(text if len(text) <= width else text[: width - 1] + "…")
