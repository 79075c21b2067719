"""Problems of anyone's: texts from a table or a text file, and files of what was chosen among them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import UserError
from ..data.document import Json, Node, Number, listed, one_line
from ..files.text_file import read_text
from .rows import ENDINGS, raw_rows

# Columns that are taken for the problems where none is named, in this order.
COLUMNS = ("problem", "text", "question", "prompt")
TEXT_ENDINGS = (".txt", "")


@dataclass(frozen=True, slots=True)
class ProblemText:
    """A problem, where it stands, and its whole row where it is from a table."""

    text: str
    path: Path
    place: int  # the number of its line or row
    row: dict[str, Json] | None = None

    def written(self) -> str:
        """A line of the file of kept problems: the text, or its row as JSON."""
        if self.row is None:
            return self.text
        return json.dumps({name: json_value(value) for name, value in self.row.items()}, ensure_ascii=False)


def read_texts(path: Path, field: str | None = None) -> list[ProblemText]:
    """The problems of a file: a line each of a text file, a row each of a table.

    Parameters
    ----------
    path
        A text file (.txt, or without an ending), or .xlsx, .jsonl, .parquet or .csv.
    field
        The column of a table; by default Problem, text, question or prompt.

    Raises
    ------
    UserError
        In one line, if the file cannot be read, has no such column, an empty problem or none at all.

    """
    if path.suffix.lower() in TEXT_ENDINGS:
        found = _lines(path)
    else:
        if path.suffix.lower() not in ENDINGS:
            raise UserError(
                f"{path}: got a file that ends in '{path.suffix}', expected {', '.join((*ENDINGS, '.txt'))}"
            )
        found = []
        for node, row, number in raw_rows(path):
            text = node.get(_column(node, field)).text("a problem")
            found.append(ProblemText(text, path, number, row))
    if not found:
        raise UserError(f"{path}: got no problems, expected at least one")
    return found


def check_field(paths: Sequence[Path], field: str | None) -> None:
    """Raise UserError on a column that is named where no path is a table."""
    if field is not None and all(path.suffix.lower() in TEXT_ENDINGS and not path.is_dir() for path in paths):
        raise UserError(
            f"--field {field} is for tables, and {paths[0]} has a problem a line: leave it out, or end the "
            f"file's name in {', '.join(ENDINGS)}"
        )


def _column(node: Node, field: str | None) -> str:
    names = node.keys("an object")
    if field is not None:
        if field not in names:
            raise UserError(
                one_line(
                    f"{node.file}, {node.wall}: got the columns {listed(names)}, expected --field {field}"
                )
            )
        return field
    plain = {name.strip().casefold(): name for name in names}
    for column in COLUMNS:
        if column in plain:
            return plain[column]
    if len(names) == 1:
        return names[0]
    raise UserError(
        one_line(
            f"{node.file}, {node.wall}: got the columns {listed(names)}, expected one called problem or text:"
            " name that of the problems with --field"
        )
    )


def _lines(path: Path) -> list[ProblemText]:
    lines = read_text(path).splitlines()
    return [ProblemText(line.strip(), path, number) for number, line in enumerate(lines, 1) if line.strip()]


def json_value(value: Json) -> object:
    """A cell's value for ``json.dumps``: numbers as numbers, where JSON has them."""
    if isinstance(value, Number):
        try:
            return json.loads(value, parse_constant=lambda _: str(value))
        except ValueError:
            return str(value)
    if isinstance(value, list):
        return [json_value(member) for member in value]
    if isinstance(value, dict):
        return {name: json_value(member) for name, member in value.items()}
    return value


def written(problems: Sequence[ProblemText]) -> str:
    """A file's content: the problems as they were, a line each."""
    return "".join(f"{problem.written()}\n" for problem in problems)
