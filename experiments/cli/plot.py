"""``fourfold plot``: figures for print, made from records."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UserError
from ..runs import PACKAGES
from ..terminal.writing import tell
from .arguments import Parser, record_folder
from .figure_file import INCH, WIDTHS, file_options, ready, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..metrics.scores import Metric
    from ..plots.wall_view import WallView
    from ..runs.encoder.record import Record


HELP = """\
usage: fourfold plot FIGURE RECORD... [options]

Figures for print, made from records. The file's ending chooses its format: .png, .svg or .pdf.

figures:
  wall        a wall's map: true groups by colour and marker, a run's groups as grey regions
  similarity  the cosine similarity of a wall's clues, sorted by true group
  models      a metric by model with its spread, the paper's beside it
  seeds       how a metric is spread over the runs
  connections what language models reach on Task 2 by the number of examples

'fourfold plot FIGURE --help' shows a figure's own help.

examples:
  fourfold plot wall runs/0123456789abcdef --wall 8cde --out wall.pdf
  fourfold plot wall runs/STATIC runs/CONTEXTUAL --wall 8cde --width page
  fourfold plot similarity runs/0123456789abcdef --wall 8cde
  fourfold plot models runs --metric correct_groups --out models.svg
  fourfold plot seeds runs/0123456789abcdef --metric ari
"""

_METHODS = ("tsne", "pca", "kernel_pca")


def main(words: Sequence[str]) -> int:
    """Draw the figure that is named and say where it went."""
    if not words or words[0] in {"-h", "--help"}:
        print(HELP, end="", file=sys.stdout if words else sys.stderr)
        raise SystemExit(0 if words else 2)
    name, *rest = words
    if name not in FIGURES:
        near = get_close_matches(name, FIGURES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(FIGURES)}"
        raise UserError(
            f"'plot {name}' is not a figure: {hint} ('fourfold plot --help' says what each shows)"
        )
    FIGURES[name](rest)
    return 0


def _wall(words: Sequence[str]) -> None:
    parser = _parser(
        "wall",
        "A wall's map: its clues in two dimensions, colour and marker by true group, grey regions around\n"
        "the groups that a run predicted. Of several records, one map each, side by side.",
    )
    parser.add_argument(
        "records", nargs="+", type=record_folder, metavar="RECORD", help="as in runs/0123456789abcdef"
    )
    _wall_options(parser, "whose groups are shown")
    parser.add_argument(
        "--method",
        choices=_METHODS,
        default="tsne",
        help="what makes two dimensions of the vectors (default: tsne)",
    )
    file_options(parser)
    chosen = parser.parse_args(words)
    method = "" if chosen.method == "tsne" else f"_{chosen.method}"
    out = ready(chosen, f"wall_{_wall_name(chosen)}{method}", PACKAGES)

    from ..plots.wall_map import draw_wall_map

    views = _views(chosen)
    texts = [text for view in views for text in (*view.wall.clues, view.title)]
    texts += [group.connection for group in views[0].wall.groups]
    width = chosen.width or (WIDTHS["text"] if len(views) == 1 else WIDTHS["page"]) * INCH
    title = f"wall {chosen.wall}, run {chosen.run}, of {_names(chosen.records)}"
    save(chosen, out, title, texts, lambda: draw_wall_map(views, chosen.method, width, chosen.height))


def _similarity(words: Sequence[str]) -> None:
    parser = _parser(
        "similarity", "The cosine similarity of a wall's clues as a heat map, sorted by true group."
    )
    parser.add_argument("record", type=record_folder, metavar="RECORD", help="as in runs/0123456789abcdef")
    _wall_options(parser, "whose order of the clues they were encoded in, if in context")
    file_options(parser)
    chosen = parser.parse_args(words)
    chosen.records = [chosen.record]
    out = ready(chosen, f"similarity_{_wall_name(chosen)}", PACKAGES)

    from ..plots.similarity import draw_similarity

    (view,) = _views(chosen)
    texts = [*view.wall.clues, view.title, *(group.connection for group in view.wall.groups)]
    width = chosen.width or WIDTHS["text"] * INCH
    title = f"similarity of wall {chosen.wall}, run {chosen.run}, of {_names(chosen.records)}"
    save(chosen, out, title, texts, lambda: draw_similarity(view, width, chosen.height))


def _models(words: Sequence[str]) -> None:
    parser = _parser(
        "models",
        "A metric by model, each with its mean and population standard deviation over the runs, the paper's\n"
        "beside it; chance and people as lines where they are known.",
    )
    _comparison(parser, words, "models")


def _seeds(words: Sequence[str]) -> None:
    parser = _parser("seeds", "How a metric is spread over the runs of each record.")
    _comparison(parser, words, "seeds")


def _comparison(parser: Parser, words: Sequence[str], figure: str) -> None:
    parser.add_argument(
        "records",
        nargs="+",
        type=record_folder,
        metavar="RECORD_OR_FOLDER",
        help="records, or folders of them",
    )
    parser.add_argument("--metric", default="correct_groups", help="(default: correct_groups)")
    parser.add_argument(
        "--dataset", metavar="NAME", help="only records of this data set: its name or fingerprint begins so"
    )
    file_options(parser)
    chosen = parser.parse_args(words)

    from ..plots.yardsticks import chosen_metric

    metric = chosen_metric(chosen.metric)
    out = ready(chosen, f"{figure}_{metric.name}", {"rich": "rich"})

    from ..plots.scores import draw_models, draw_seeds
    from ..plots.source import comparable_records
    from ..plots.yardsticks import titles

    records = comparable_records(chosen.records, tell, metric, chosen.dataset)
    if figure == "seeds":
        records = _with_spread(records)
    draw: Callable[[Sequence[Record], Metric, float, float | None], Figure]
    draw = draw_models if figure == "models" else draw_seeds
    texts = [*titles(records), records[0].dataset.name]
    title = f"{metric.name} of {', '.join(record.name for record in records)}"
    width = chosen.width or WIDTHS["text"] * INCH
    save(chosen, out, title, texts, lambda: draw(records, metric, width, chosen.height))


def _connections(words: Sequence[str]) -> None:
    parser = _parser(
        "connections",
        "Task 2 of language models by the number of examples in the prompt, a panel a metric, as in the\n"
        "paper's Figure 6; people as a line where they are known. From the records of 'fourfold llm'.",
    )
    parser.add_argument(
        "records",
        nargs="+",
        type=record_folder,
        metavar="RECORD_OR_FOLDER",
        help="records, or folders of them",
    )
    file_options(parser)
    chosen = parser.parse_args(words)
    out = ready(chosen, "connections", {"rich": "rich"})

    from ..plots.connections import comparable, draw_connections
    from ..runs.language_model.titles import find_language_records, title_of

    collected = find_language_records([folder.expanduser() for folder in chosen.records])
    for problem in collected.damaged:
        tell(f"left out: {problem}")
    records = comparable([record for _, record in collected.records])
    title = f"connections of {', '.join(record.name for record in records)}"
    width = chosen.width or WIDTHS["text"] * INCH
    texts = [*map(title_of, records), records[0].dataset.name]
    save(chosen, out, title, texts, lambda: draw_connections(records, width, chosen.height))


def _with_spread(records: Sequence[Record]) -> list[Record]:
    """The records of several runs; what is left out is told."""
    spread = [record for record in records if record.n_seeds > 1]
    if not spread:
        raise UserError("every record has one run, which has no spread: name records of several runs")
    for record in records:
        if record.n_seeds == 1:
            tell(f"left out: the record {record.name} has one run, which has no spread")
    return spread


FIGURES: dict[str, Callable[[Sequence[str]], None]] = {
    "wall": _wall,
    "similarity": _similarity,
    "models": _models,
    "seeds": _seeds,
    "connections": _connections,
}


def _parser(figure: str, description: str) -> Parser:
    return Parser(prog=f"fourfold plot {figure}", description=description)


def _wall_options(parser: Parser, run: str) -> None:
    parser.add_argument("--wall", required=True, metavar="ID", help="the wall's id")
    parser.add_argument("--run", "--seed", type=_run, default=0, metavar="N", help=f"{run} (default: 0)")
    parser.add_argument("--walls", metavar="PATH", help="where the walls are, if not where the record says")


def _views(chosen: Namespace) -> list[WallView]:
    from ..plots.source import wall_views
    from ..terminal.progress import ProgressBars

    with ProgressBars() as bars:
        return wall_views(chosen.records, chosen.wall, chosen.run, bars, tell, chosen.walls)


def _names(folders: Sequence[Path]) -> str:
    return " and ".join(folder.resolve().name for folder in folders)


def _wall_name(chosen: Namespace) -> str:
    """The part of a file's name that says which wall, records and run."""
    parts = [chosen.wall, *(folder.resolve().name for folder in chosen.records)]
    safe = "_".join(re.sub(r"[^\w.-]", "-", part) for part in parts)
    return safe[:150] + (f"_run{chosen.run}" if chosen.run else "")


def _run(text: str) -> int:
    if not text.isdecimal() or not text.isascii():
        raise ArgumentTypeError(f"got '{text}', expected a run's number, from 0 up")
    return int(text)
