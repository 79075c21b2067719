"""``fourfold data randomize``: the paper's OCW-Randomized from its test set, or from any walls."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...errors import UserError
from .arguments import Parser, path
from .data_output import add_strict, print_files

DESCRIPTION = """\
Make walls without red herrings: each keeps its first group and gets three others, drawn from three other
walls. For the same seed and walls, the result is that of the paper's script.

IN is a file of the Only Connect Wall data set or its official folder. Of a folder the test split is
randomized, and the training and validation splits are copied as they are. OUT is a file or a folder, as IN.
"""

EPILOG = """\
examples:
  fourfold data randomize OCW/dataset OCW_randomized
  fourfold run dataset=ocw_randomized dataset.path=OCW_randomized dataset.split=test
  fourfold data randomize onlyconnect.json randomized_7.json --seed 7
"""


def main(words: Sequence[str]) -> int:
    """Randomize the walls that are named."""
    parser = Parser(prog="fourfold data randomize", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("source", type=path, metavar="IN", help="the walls: a file, or the official folder")
    parser.add_argument("out", type=path, metavar="OUT", help="the file or folder to write")
    parser.add_argument("--seed", type=int, default=42, help="of the draws (default: 42, as in the paper)")
    parser.add_argument("--force", action="store_true", help="replace OUT if it is there")
    add_strict(parser)
    chosen = parser.parse_args(words)
    if chosen.seed < 0:
        raise UserError(f"--seed {chosen.seed} is too small: expected a whole number of at least 0")

    from ..data.derived import derive
    from ..data.randomized import randomize

    made = derive(
        chosen.source,
        chosen.out,
        partial(randomize, seed=chosen.seed),
        {"command": "fourfold data randomize", "seed": chosen.seed},
        only_test=True,
        force=chosen.force,
        strict=chosen.strict,
    )
    print_files(made, "randomized")
    return 0
