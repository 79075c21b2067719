"""``fourfold table``: a table of the paper beside what records say."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..files.text_file import check_file, write_text
from ..runs.encoder.files import find_records
from ..tables.comparison import compare_with_paper
from ..tables.paper.encoders import TABLES
from ..tables.paper.language_models import ABOUT_SIDE_BY_SIDE, LANGUAGE_TABLES, SIDE_BY_SIDE
from ..tables.paper.language_models import NUMBERS as LANGUAGE_NUMBERS
from ..terminal.writing import print_data, tell
from .arguments import RUNS, Parser, path
from .commands import need

if TYPE_CHECKING:
    from ..runs.encoder.record import Record
    from ..runs.language_model.titles import FoundLanguageRecord
    from ..tables.comparison import PaperComparison

DESCRIPTION = """\
Set a table of the Only Connect Wall paper beside your records: its rows, yours below them, and the
difference in units of the spread over the runs.

tables:
{tables}

A record stands in the row that its model names. Of several, the one nearest to the paper's run is shown: on
the paper's walls or on nearly as many, then with the fewest settings unlike the paper's, then with as many
runs, then the newest.
Models that the paper does not have come last. Tables 4, 5, 9 and 10 take the records of 'fourfold llm', one
for each model and number of examples, chosen in the same way; the others are listed below the table.
"""

EXAMPLES = """\
examples:
  fourfold table 3
  fourfold table 7 runs other/runs --all
  fourfold table 3 --dataset bundled
  fourfold table 4 runs
  fourfold table 6 --format latex --out table6.tex
"""

FORMATS = {"text": ".txt", "markdown": ".md", "latex": ".tex", "csv": ".csv", "json": ".json"}


def main(words: Sequence[str]) -> int:
    """Print the table, or write it to a file."""
    chosen = _parser().parse_args(words)
    style = chosen.format or _style_of(chosen.out)
    if style in ("text", "markdown", "latex"):
        need("table", {"rich": "rich"})
    out = chosen.out and chosen.out.expanduser()
    if out is not None:
        check_file(out, chosen.force)
    if chosen.number in LANGUAGE_NUMBERS:
        return _language_table(chosen, style, out)
    table = TABLES[chosen.number]
    folders = chosen.folders or ([Path(RUNS)] if Path(RUNS).is_dir() else [])
    collected = find_records([folder.expanduser() for folder in folders])
    for problem in collected.damaged:
        tell(f"left out: {problem}")
    comparison = compare_with_paper(table, collected.records, chosen.dataset, chosen.all)
    if not any(comparison.own):
        tell(_nothing(comparison, folders, collected.records))
    text = _rendered(comparison, style, to_file=out is not None)
    if out is None:
        (print_data if style == "csv" else print)(text)
    else:
        write_text(out, text + "\n")
        print(out)
    return 0


def _language_table(chosen: Namespace, style: str, out: Path | None) -> int:
    """The same for a table of language models, from the records of 'fourfold llm'."""
    from ..runs.language_model.titles import check_dataset, find_language_records
    from ..tables.language_table_data import language_csv, language_json
    from ..tables.record_choice import choose_records

    check_dataset(chosen.number, chosen.dataset)
    folders = chosen.folders or ([Path(RUNS)] if Path(RUNS).is_dir() else [])
    collected = find_language_records([folder.expanduser() for folder in folders])
    for problem in collected.damaged:
        tell(f"left out: {problem}")
    number, every = chosen.number, list(LANGUAGE_TABLES.values())
    tables = every if number == SIDE_BY_SIDE else [LANGUAGE_TABLES[number]]
    ours = [record for _, record in collected.records]
    if not any(choose_records(ours, chosen.dataset or table.dataset).shown for table in tables):
        where = ", ".join(map(str, folders)) or f"there is no folder {RUNS}"
        tell(f"{where}: no record of 'fourfold llm task=1' on its walls")
    if style in ("csv", "json"):
        make = language_csv if style == "csv" else language_json
        text = make(number, collected.records, chosen.dataset, chosen.all)
    else:
        text = _language_sheet(chosen, collected.records, style, out)
    if out is None:
        (print_data if style == "csv" else print)(text)
    else:
        write_text(out, text + "\n")
        print(out)
    return 0


def _language_sheet(
    chosen: Namespace, records: Sequence[FoundLanguageRecord], style: str, out: Path | None
) -> str:
    from ..tables.language_tables import language_sheet
    from ..tables.sheet import latex, markdown
    from .table_output import sheet_text

    sheet = language_sheet(chosen.number, records, chosen.dataset, chosen.all)
    if style == "text":
        return sheet_text(sheet, colour=out is None)
    return markdown(sheet) if style == "markdown" else latex(sheet, f"tab:ocw-{chosen.number}")


def _about() -> dict[int, str]:
    """What each table is about, by its number."""
    about = {number: table.about for number, table in TABLES.items()}
    about |= {number: table.about for number, table in LANGUAGE_TABLES.items()}
    return dict(sorted((about | {SIDE_BY_SIDE: ABOUT_SIDE_BY_SIDE}).items()))


def _parser() -> Parser:
    listed = "\n".join(f"  {number:<3} {about}" for number, about in _about().items())
    parser = Parser(prog="fourfold table", description=DESCRIPTION.format(tables=listed), epilog=EXAMPLES)
    parser.add_argument("number", type=_number, metavar="N", help="the table's number in the paper")
    parser.add_argument(
        "folders",
        nargs="*",
        default=[],  # without it argparse says that folders are required
        type=path,
        metavar="DIR",
        help=f"folders of records (default: {RUNS})",
    )
    parser.add_argument("--all", action="store_true", help="show every record of a row")
    parser.add_argument("--dataset", metavar="NAME", help="take records on another data set than the table's")
    parser.add_argument(
        "--format", choices=tuple(FORMATS), help="how to write it (default: by the ending of --out, or text)"
    )
    parser.add_argument("--out", type=path, metavar="FILE", help="write to a file, whole or not at all")
    parser.add_argument("--force", action="store_true", help="replace that file if it is there")
    return parser


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) not in _about():
        *first, last = map(str, _about())
        raise ArgumentTypeError(f"got '{text}', expected table {', '.join(first)} or {last}")
    return int(text)


def _style_of(out: Path | None) -> str:
    """The format that a file's ending names; text if it names none."""
    endings = {ending: style for style, ending in FORMATS.items()}
    return "text" if out is None else endings.get(out.suffix.lower(), "text")


def _nothing(
    comparison: PaperComparison, folders: Sequence[Path], records: Sequence[tuple[Path, Record]]
) -> str:
    """Why no record is shown, and what would show some."""
    if not folders:
        return f"there is no folder {RUNS}, so nothing of yours is shown: name the folders of your records"
    where = ", ".join(map(str, folders))
    chosen = f"embedding={comparison.table.embedding} and dataset={comparison.dataset}"
    others = sorted({record.dataset.name for _, record in records} - {comparison.dataset})
    if not others:
        return f"{where}: no record with {chosen}"
    return (
        f"{where}: no record with {chosen}, but some on {', '.join(others)}: --dataset {others[0]} would show"
        " what there is on it"
    )


def _rendered(comparison: PaperComparison, style: str, to_file: bool) -> str:
    if style in ("csv", "json"):
        from ..tables.comparison_data import to_csv, to_json

        return to_csv(comparison) if style == "csv" else to_json(comparison)

    from ..tables.comparison_sheet import comparison_sheet
    from ..tables.sheet import latex, markdown
    from .table_output import sheet_text

    sheet = comparison_sheet(comparison)
    if style == "text":
        return sheet_text(sheet, colour=not to_file)
    return markdown(sheet) if style == "markdown" else latex(sheet, f"tab:ocw-{comparison.table.number}")
