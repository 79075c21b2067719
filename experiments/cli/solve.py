"""``fourfold solve``: one wall from the command line, a file or standard input."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path

from ...conf.choices import choices, default_choice
from ...errors import UserError
from .arguments import Parser
from .extras import need
from .run import PACKAGES

DESCRIPTION = """\
Group the clues of one wall: the partition of least k-means cost, found exactly, whatever the clues' order.
Then the next best partitions, how far behind they are, and the clues that move between them.

models (the default is marked *):
  {models}
or a hub id, or a folder that holds a model.
"""

EXAMPLES = """\
A file has one clue a line; one line alone is split at its commas.

examples:
  fourfold solve red blue green pink one two six ten cat dog cow pig oak elm ash yew
  fourfold solve --file wall.txt --top 10
  echo 'red,blue,green,one,two,three' | fourfold solve - --groups 2
  fourfold solve --file clues.txt --group-size 3,4,5 --model all_mpnet_base --json
  fourfold solve --file wall.txt --model minilm --model e5_base_own --weights 1,2
"""


def main(words: Sequence[str]) -> int:
    """Solve the wall that is given and print what was found."""
    chosen = _parser().parse_args(words)
    clues = read_clues(chosen.clues, chosen.file)

    from ..solve import group_sizes

    sizes = group_sizes(len(clues), chosen.group_size, chosen.groups)
    models, weights = chosen.model or [default_choice("model")], chosen.weights or []
    if weights and len(weights) != len(models):
        raise UserError(f"got {len(weights)} --weights and {len(models)} --model: give one for each model")
    need("solve", PACKAGES)

    from ...conf.compose import compose_run
    from ...conf.fused import fused_words
    from ..encoders import make_encoder
    from ..gram import wall_grams
    from ..progress import ProgressBars
    from ..solve import solve
    from .solve_output import report

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


def read_clues(arguments: Sequence[str], file: str | None = None) -> list[str]:
    """The clues from the command line, a file, or standard input where either is ``-``.

    Raises UserError where there are none or one is empty, or the file cannot be read.
    """
    if arguments and file is not None:
        raise UserError(f"got both --file {file} and the clue '{arguments[0]}': give one of the two")
    if list(arguments) == ["-"]:
        file = "-"
    if file is None:
        clues = [clue.strip() for clue in arguments]
        if not clues:
            raise UserError("got no clues: name them, or use --file FILE, or - for standard input")
        if "" in clues:
            raise UserError(f"clue {clues.index('') + 1} of {len(clues)} is empty: every clue needs a text")
        return clues
    source = "standard input" if file == "-" else file
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).expanduser().read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read {source}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UserError(
            f"{source} is no UTF-8 text (byte {error.start} is {data[error.start]:#04x}): save it as UTF-8"
        ) from error
    if text.lstrip()[:1] in ("{", "["):
        _refuse_json(text, source)
    lines = [line.strip() for line in text.splitlines()]
    clues = [line for line in lines if line]
    if len(clues) == 1:
        clues = [clue.strip() for clue in clues[0].split(",") if clue.strip()]
    if not clues:
        raise UserError(f"{source} holds no clues: expected one a line, or one line with commas")
    return clues


def _refuse_json(text: str, source: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        return  # a clue may begin with a bracket
    raise UserError(
        f"{source} is JSON: expected one clue a line, or one line with commas; a file of walls goes to "
        "'fourfold run dataset=ocw dataset.path=FILE'"
    )


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
