"""``fourfold macgyver map``: problems or tools in clusters of bounded size, named by central members."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ....conf.choices import default_choice
from ...runs import PACKAGES
from ..arguments import Parser
from ..commands import need
from ..figure_file import INCH, WIDTHS, file_options, ready, save
from .shared import folder, positive

if TYPE_CHECKING:
    from pathlib import Path

    from ...macgyver.problem_map import Map

DESCRIPTION = """\
Group problems, or the tools that they present, into clusters of bounded size by the meaning of their texts,
and name each cluster by its most central members.
"""

EPILOG = """\
PATH is the folder of the MacGyver files, or a file of problems as 'fourfold macgyver dedupe' reads it. With
--out the clusters are also drawn, with the numbers of the table.

examples:
  fourfold macgyver map --data MacGyver/data
  fourfold macgyver map --data MacGyver/data --of tools --clusters 60 --size-max 40 --json
  fourfold macgyver map --data problems.txt --out map.pdf
"""


def main(words: Sequence[str]) -> int:
    """Print the clusters, and draw them where asked."""
    chosen = _parser().parse_args(words)
    need("macgyver", PACKAGES)
    out = ready(chosen, "map", PACKAGES) if chosen.out else None

    from ...macgyver.problem_map import checked_bounds, encode_texts, make_map, text_encoder
    from ...terminal.progress import ProgressBars
    from .shared import print_json

    encoder = text_encoder(chosen.model, chosen.device, "true" if chosen.cache is None else chosen.cache)
    texts, names, counts, places = _things(chosen)
    checked_bounds(len(texts), chosen.clusters, chosen.size_min, chosen.size_max)
    with ProgressBars() as bars:
        with bars.step("encode", f"encoding {chosen.of}") as update:
            vectors = encode_texts(encoder, texts, update)
        with bars.step("cluster", f"clustering {chosen.of}"):
            made = make_map(vectors, chosen.clusters, chosen.size_min, chosen.size_max, chosen.seed)
    if chosen.json:
        print_json(_json(made, chosen, encoder.name, names, counts, places))
    else:
        print(_text(made, chosen, names, counts))
    if out is not None:
        from ...macgyver.problem_map import draw_map, project

        points = project(vectors, chosen.method)
        width = chosen.width or WIDTHS["page"] * INCH
        title = f"map of {len(texts):,} {chosen.of} in {len(made.clusters)} clusters"
        save(chosen, out, title, [], lambda: draw_map(made, points, width, chosen.height), quiet=chosen.json)
    return 0


def _parser() -> Parser:
    default = default_choice("model")
    parser = Parser(prog="fourfold macgyver map", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--data", type=folder, required=True, metavar="PATH", help="where the problems are")
    parser.add_argument("--of", choices=("problems", "tools"), default="problems", help="(default: problems)")
    parser.add_argument("--field", metavar="NAME", help="the column of the problems in a table")
    parser.add_argument(
        "--clusters", type=positive, default=40, metavar="K", help="how many clusters (default: 40)"
    )
    parser.add_argument("--size-min", type=_size, metavar="N", help="(default: half the mean size)")
    parser.add_argument("--size-max", type=_size, metavar="N", help="(default: 1.5 times the mean size)")
    parser.add_argument(
        "--least", type=positive, default=2, metavar="N", help="problems that a tool must be in (default: 2)"
    )
    parser.add_argument(
        "--model", default=default, metavar="MODEL", help=f"what to encode with (default: {default})"
    )
    parser.add_argument("--device", default="auto", help="where to encode: auto, cpu or cuda (default: auto)")
    parser.add_argument(
        "--cache", metavar="DIR", help="where vectors are kept, or false (default: the cache)"
    )
    parser.add_argument("--seed", type=_size, default=0, metavar="N", help="of the clustering (default: 0)")
    parser.add_argument("--top", type=positive, default=3, metavar="N", help="members to show (default: 3)")
    parser.add_argument(
        "--method", choices=("tsne", "pca"), default="tsne", help="of the figure (default: tsne)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    file_options(parser)
    return parser


def _size(text: str) -> int:
    if not (text.isdecimal() and text.isascii()):
        raise ArgumentTypeError(f"got '{text}', expected a whole number of at least 0")
    return int(text)


def _things(chosen: Namespace) -> tuple[list[str], list[str], list[int], list[int]]:
    """What is encoded, what it is called, how many problems it is in, and a problem's row or line."""
    from ....errors import UserError
    from ...macgyver.problem_map import short_form
    from ...macgyver.problem_texts import check_field, read_texts
    from ...macgyver.readers import PROBLEMS, find_file
    from ...macgyver.tool_statistics import count_tools

    check_field((chosen.data,), chosen.field)
    path: Path = find_file(chosen.data, PROBLEMS) if chosen.data.is_dir() else chosen.data
    read = read_texts(path, chosen.field)
    problems = [problem.text for problem in read]
    if chosen.of == "problems":
        places = [problem.place for problem in read]
        return problems, list(map(short_form, problems)), [1] * len(problems), places
    counts = count_tools(dict(enumerate(problems))).counts
    kept = {tool: count for tool, count in counts.items() if count >= chosen.least}
    if not kept:
        raise UserError(f"{path}: no tool is in {chosen.least} problems: lower --least")
    return list(kept), list(kept), list(kept.values()), []


def _text(made: Map, chosen: Namespace, names: Sequence[str], counts: Sequence[int]) -> str:
    from ...macgyver.problem_map import central
    from .shared import table_text

    tools = chosen.of == "tools"
    rows = [
        [
            str(number),
            ", ".join(central(cluster, names, chosen.top))
            if tools
            else "\n".join(central(cluster, names, chosen.top)),
            str(cluster.size),
            *([f"{sum(counts[member] for member in cluster.members):,}"] if tools else []),
            f"{cluster.cohesion:.2f}",
        ]
        for number, cluster in enumerate(made.clusters, 1)
    ]
    columns = ["", "most central", chosen.of, *(["times"] if tools else []), "cohesion"]
    title = (
        f"{len(names):,} {chosen.of} in clusters of {made.size_min} to {made.size_max},"
        f" {len(made.clusters)} in all; cohesion is the mean cosine to the centre"
    )
    return table_text(title, columns, rows, n_texts=2)


def _json(
    made: Map,
    chosen: Namespace,
    model: str,
    names: Sequence[str],
    counts: Sequence[int],
    places: Sequence[int],
) -> dict[str, Any]:
    from ...macgyver.problem_map import central

    return {
        "of": chosen.of,
        "model": model,
        "size_min": made.size_min,
        "size_max": made.size_max,
        "seed": chosen.seed,
        "clusters": [
            {
                "number": number,
                "name": central(cluster, names, chosen.top),
                "size": cluster.size,
                "times": sum(counts[member] for member in cluster.members),
                "cohesion": cluster.cohesion,
                "members": [names[member] for member in cluster.members],
                # Of problems, the numbers of their rows or lines, from 1.
                **({"places": [places[member] for member in cluster.members]} if places else {}),
            }
            for number, cluster in enumerate(made.clusters, 1)
        ],
    }
