"""``fourfold solve``: one wall from the command line, a file or standard input."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...conf.choices import choices, default_choice
from ...errors import UserError
from ..runs import PACKAGES
from .arguments import Parser
from .commands import need
from .solve_clues import read_clues

if TYPE_CHECKING:
    from ..pipeline.solve import RunnerUp, Solved

DESCRIPTION = """\
Group the clues of one wall: the partition of least k-means cost, found exactly, whatever the clues' order.
Then the next best partitions, how far behind they are, and the clues that move between them.

models (the default is marked *):
  {models}
or a hub id, or a folder that holds a model.
"""

EXAMPLES = """\
A file has one clue a line, or a group a line, or all clues in one line, with commas, semicolons, bars or tabs
between clues. A clue with a comma of its own may stand between quotes. What can be read in two ways is an
error. Write -- before clues of which one begins with a dash.

examples:
  fourfold solve red blue green pink one two six ten cat dog cow pig oak elm ash yew
  fourfold solve --file wall.txt --top 10
  fourfold solve 'red, blue, green, pink' 'one, two, six, ten' 'cat, dog, cow, pig' 'oak, elm, ash, yew'
  fourfold solve --groups 2 -- -ism -ness -hood un- re- dis-
  echo 'red,blue,green,one,two,three' | fourfold solve - --groups 2
  fourfold solve --file clues.txt --group-size 3,4,5 --model all_mpnet_base --json
  fourfold solve --file wall.txt --model minilm --model e5_base_own --weights 1,2
"""


def main(words: Sequence[str]) -> int:
    """Solve the wall that is given and print what was found."""
    chosen = _chosen(words)

    from ..pipeline.solve import group_sizes

    def fits(n_clues: int) -> bool:
        try:
            sizes = group_sizes(n_clues, chosen.group_size, chosen.groups)
        except UserError:
            return False
        return max(sizes) > 1

    clues = read_clues(chosen.clues, chosen.file, fits)
    sizes = group_sizes(len(clues), chosen.group_size, chosen.groups)
    models, weights = chosen.model or [default_choice("model")], chosen.weights or []
    if weights and len(weights) != len(models):
        raise UserError(f"got {len(weights)} --weights and {len(models)} --model: give one for each model")
    need("solve", PACKAGES)

    from ...conf.compose import compose_run, fused_words
    from ..pipeline.encode import make_encoder
    from ..pipeline.gram import wall_grams
    from ..pipeline.solve import solve
    from ..terminal.progress import ProgressBars

    words = fused_words(models, weights)
    model = compose_run([*words, f"device={chosen.device}"]).model
    encoder = make_encoder(model)
    with ProgressBars() as bars:
        with bars.step("encode", "encoding clues") as update:
            gram = wall_grams(encoder, [clues], 1, update)[0, 0]
        with bars.step("solve", "comparing partitions"):
            solved = solve(clues, gram=gram, sizes=sizes, runners_up=chosen.top - 1)
    if chosen.json:
        print(json.dumps({"model": encoder.name, **solved.to_json()}, ensure_ascii=False, indent=1))
    else:
        print(report(solved, model.title or encoder.name))
    return 0


def _chosen(words: Sequence[str]) -> Namespace:
    """The arguments; a clue that begins with a dash is not an option, which the error says."""
    try:
        return _parser().parse_args(words)
    except UserError as error:
        known = _parser()._option_string_actions
        dashed = [word for word in words if word.startswith("-") and word.partition("=")[0] not in known]
        if "--" in words or not dashed or dashed == ["-"]:
            raise
        raise UserError(
            f"{error}; for clues that begin with a dash, such as {dashed[0]}, write -- before the clues and"
            " options before that, as in 'fourfold solve --top 3 -- -ism -ness'"
        ) from error


def _parser() -> Parser:
    default = default_choice("model")
    names = [name for name in choices("model") if name != "fused"]
    models = "  ".join(f"{name}{'*' if name == default else ''}" for name in names)
    parser = Parser(prog="fourfold solve", description=DESCRIPTION.format(models=models), epilog=EXAMPLES)
    parser.add_argument("clues", nargs="*", metavar="CLUE", help="a clue; - alone reads standard input")
    parser.add_argument("--file", metavar="FILE", help="read the clues from a file")
    parser.add_argument(
        "--model",
        action="append",
        metavar="MODEL",
        help=f"what to encode with (default: {default}); of several, the Gram matrices are added",
    )
    parser.add_argument(
        "--weights", type=_weights, metavar="W,W", help="what each of several models counts (default: 1)"
    )
    parser.add_argument("--groups", type=_positive, metavar="N", help="how many groups, all of one size")
    parser.add_argument(
        "--group-size",
        type=_group_size,
        metavar="N",
        help="the size of every group, or of each as in 3,4,5 (default: 16 clues in fours, 25 in fives)",
    )
    parser.add_argument(
        "--top", type=_positive, default=6, metavar="N", help="partitions to show (default: 6)"
    )
    parser.add_argument("--device", default="auto", help="where to encode: auto, cpu or cuda (default: auto)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _positive(text: str) -> int:
    if not (text.isdecimal() and int(text) > 0):
        raise ArgumentTypeError(f"got '{text}', expected a whole number of at least 1")
    return int(text)


def _group_size(text: str) -> int | tuple[int, ...]:
    sizes = tuple(_positive(part.strip()) for part in text.split(","))
    return sizes if len(sizes) > 1 else sizes[0]


def _weights(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ArgumentTypeError(f"got '{text}', expected numbers with commas, as in 1,2") from None


def report(solved: Solved, model: str) -> str:
    """The groups, the runners-up with their distance and moves, and the red herrings."""
    lines = [f"{model}, {len(solved.clues)} clues, cost {solved.cost:.4g}", ""]
    if solved.equal:
        lines[1:1] = [
            f"{len(solved.equal)} clues that it cannot tell apart, placed at random among each other: "
            + ", ".join(solved.clues[place] for place in solved.equal)
        ]
    width = max(len(clue) for clue in solved.clues) + 2
    for number, group in enumerate(solved.groups, start=1):
        lines.append(f"{number}  " + "".join(clue.ljust(width) for clue in group).rstrip())
    if solved.runners_up:
        lines += ["", "runners-up (cost above the best, and what moves)"]
        rows = [(_gap(solved, other.gap), _moves(other)) for other in solved.runners_up]
        lines += _columns([(f"{place}.", *row) for place, row in enumerate(rows, start=2)])
    if solved.red_herrings:
        lines += ["", "red herrings: the clues that move between these partitions, the nearest first"]
        lines += _columns(
            [
                (
                    herring.clue,
                    f"in {herring.home + 1}, could be in {_either([to + 1 for to in herring.others])}",
                    _gap(solved, herring.gap),
                    f"{herring.times} of {len(solved.runners_up)}",
                )
                for herring in solved.red_herrings
            ]
        )
    return "\n".join(lines)


def _gap(solved: Solved, gap: float) -> str:
    """A distance from the best cost, as a share of it where that has a meaning."""
    return f"+{gap / solved.cost:.2%}" if solved.cost > 0 else f"+{gap:.3g}"


def _moves(other: RunnerUp) -> str:
    return ", ".join(f"{move.clue} {move.home + 1}→{move.to + 1}" for move in other.moves)


def _either(numbers: Sequence[int]) -> str:
    texts = [str(number) for number in numbers]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
