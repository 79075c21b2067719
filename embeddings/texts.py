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
        _check_text(f"texts[{position}]", text)
    return list(texts)


def check_walls(walls: Sequence[Sequence[str]]) -> list[list[str]]:
    """The clues of each wall as a list.

    Raises
    ------
    TypeError
        If ``walls`` or one of them is a text, or a clue is none.
    ValueError
        If a wall has no clues, or another number of them than the first.
    UserError
        If a clue is blank or is no valid Unicode.

    """
    if isinstance(walls, str):
        raise TypeError(f"expected a sequence of walls, not one text ({excerpt(walls)})")
    for number, clues in enumerate(walls):
        if isinstance(clues, str):
            raise TypeError(f"walls[{number}] is one text ({excerpt(clues)}): expected a sequence of clues")
        if len(clues) != len(walls[0]) or not clues:
            raise ValueError(
                f"walls[{number}] has {len(clues)} clues and walls[0] has {len(walls[0])}: "
                "expected one or more, as many in each wall"
            )
        for place, clue in enumerate(clues):
            _check_text(f"walls[{number}][{place}]", clue)
    return [list(clues) for clues in walls]


def _check_text(where: str, text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{where} is {text!r}, a {type(text).__name__}: expected a str")
    if not text.strip():
        raise UserError(f"{where} is blank ({text!r}): every text needs something to encode")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UserError(
            f"{where} is no valid Unicode ({excerpt(text)} holds half a surrogate pair): "
            "read its file as UTF-8"
        ) from error


def excerpt(text: str, width: int = 40) -> str:
    """A text's beginning in quotes, for a message."""
    return repr(text if len(text) <= width else text[: width - 1] + "…")
