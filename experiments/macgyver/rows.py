"""Rows of a table in a file, whatever its format: Excel, JSON, JSON lines, Parquet or CSV.

What the columns mean is said in ``readers.py``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from ...errors import UserError
from ..data.document import Json, Node, Number, listed, load, one_line, parse
from ..files.text_file import check_zip, reading
from ..terminal.writing import counted

ENDINGS = (".xlsx", ".json", ".jsonl", ".parquet", ".csv")

_COLUMN = "fetch the file again, or write this column as text"

Row = tuple[int, dict[str, Json]]  # its number in the file, and its values by column


def read_rows(path: Path, columns: Sequence[str]) -> Iterator[Node]:
    """The rows of a file, each with its place in it; rows without any value are left out.

    Parameters
    ----------
    path
        What to read; its ending says how.
    columns
        What every row must have, found whatever the case of its letters and with or without a question mark
        at its end. A row has its values under these names.

    Raises
    ------
    UserError
        In one line, if the file cannot be read or lacks a column.

    """
    for node, row, _ in raw_rows(path):
        yield Node(_renamed(path, node.wall, row, columns), node.file, node.wall)


def raw_rows(path: Path) -> Iterator[tuple[Node, dict[str, Json], int]]:
    """The rows of a file as they are, each with its place, its values by column, and its number.

    Raises UserError as ``read_rows`` does.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise UserError(f"{path}: got a file that ends in '{path.suffix}', expected {_either(ENDINGS)}")
    if not path.is_file():
        what = "a folder" if path.is_dir() else "no such file"
        raise UserError(f"{path}: got {what}, expected a file of rows; check the path")
    for number, row in reader(path):
        if any(value is not None for value in row.values()):
            place = f"{'line' if path.suffix.lower() == '.jsonl' else 'row'} {number}"
            yield Node(row, str(path), place), row, number


def _renamed(path: Path, place: str, row: dict[str, Json], columns: Sequence[str]) -> dict[str, Json]:
    names = {_plain(name): name for name in row}
    missing = [column for column in columns if _plain(column) not in names]
    if missing:
        raise UserError(
            one_line(
                f"{path}, {place}: got the columns {listed(row)}, expected {listed(missing)} too; "
                "add what is missing, or correct its spelling"
            )
        )
    return {column: row[names[_plain(column)]] for column in columns}


def _plain(name: str) -> str:
    return name.strip().rstrip("?").casefold()


def _excel(path: Path) -> Iterator[Row]:
    _need("openpyxl", path)
    import openpyxl

    with reading(path, "an Excel workbook"), catch_warnings():
        simplefilter("ignore")  # of styles, dates and the like that openpyxl does not keep
        check_zip(path)
        with path.open("rb") as file:
            sheet = openpyxl.load_workbook(file, read_only=True, data_only=True).worksheets[0]
            sheet.reset_dimensions()  # some programs write the size of an empty sheet
            lines = list(sheet.iter_rows(values_only=True))
    if not lines:
        raise UserError(f"{path}: got an empty sheet, expected a row of column names; check the file")
    header = _header(path, lines[0])
    for number, line in enumerate(lines[1:], 2):
        yield number, dict(zip(header, map(_json, line), strict=False))


def _header(path: Path, line: Sequence[object]) -> list[str]:
    # A cell without a name still takes its place; no column is asked for by such a name.
    names = ["" if name is None else str(name) for name in line]
    given = [_plain(name) for name in names if name.strip()]
    twice = [name for name in given if given.count(name) > 1]
    if twice:
        raise UserError(f"{path}: got the column {listed(twice[:1])} twice, expected each once; rename one")
    return [name or f" {place}" for place, name in enumerate(names)]


def _json_lines(path: Path) -> Iterator[Row]:
    with reading(path, "JSON lines"), path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            node = parse(line, f"{path}, line {number}")
            node.keys("an object")
            if isinstance(node.value, dict):
                yield number, node.value


def _json_list(path: Path) -> Iterator[Row]:
    for number, node in enumerate(load(path).items("objects, one a row"), 1):
        node.keys("an object")
        if isinstance(node.value, dict):
            yield number, node.value


def _parquet(path: Path) -> Iterator[Row]:
    _need("pyarrow", path)
    import pyarrow.parquet as pq

    number = 0
    with (
        reading(path, "a Parquet file"),
        path.open("rb") as raw,
        pq.ParquetFile(raw, page_checksum_verification=True) as file,
    ):
        _header(path, file.schema_arrow.names)
        for batch in file.iter_batches():
            values = {}
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                with reading(path, "a Parquet file", _COLUMN, f'column "{one_line(name)}"'):
                    values[name] = [_json(value) for value in column.to_pylist()]
            for row in zip(*values.values(), strict=True):
                number += 1
                yield number, dict(zip(values, row, strict=True))


def _csv(path: Path) -> Iterator[Row]:
    header: list[str] | None = None
    with (
        reading(path, "a CSV file in UTF-8"),
        path.open("rb") as raw,
        io.TextIOWrapper(raw, "utf-8-sig", newline="") as file,
    ):
        reader = csv.reader(file, strict=True)
        for line in reader:
            if header is None:
                header = _header(path, line)
            elif line:
                if len(line) != len(header):
                    advice = (
                        "put quotation marks around values with commas"
                        if len(line) > len(header)
                        else "fetch the file again if it is cut off there, or write every comma"
                    )
                    raise UserError(
                        f"{path}, line {reader.line_num}: got {counted(len(line), 'value')}, expected "
                        f"{len(header)}; {advice}"
                    )
                values = [value or None for value in line]
                yield reader.line_num, dict(zip(header, map(_number_or_text, values), strict=True))
    if header is None:
        raise UserError(f"{path}: got an empty file, expected a row of column names; check the file")


def _number_or_text(value: str | None) -> Json:
    return Number(value) if value is not None and value.isdecimal() else value


def _json(value: Any) -> Json:
    """A cell's value as a JSON value; a whole number stored as a float is a whole number."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return None if isnan(value) else Number(int(value) if value.is_integer() else value)
    if isinstance(value, int):
        return Number(value)
    if isinstance(value, list):
        return [_json(member) for member in value]
    if isinstance(value, dict):
        return {str(key): _json(member) for key, member in value.items()}
    return str(value)


def _need(package: str, path: Path) -> None:
    if find_spec(package) is None:
        raise UserError(f"{path} needs {package}: pip install 'fourfold[macgyver]'")


def _either(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


_READERS: dict[str, Callable[[Path], Iterator[Row]]] = {
    ".xlsx": _excel,
    ".json": _json_list,
    ".jsonl": _json_lines,
    ".parquet": _parquet,
    ".csv": _csv,
}
