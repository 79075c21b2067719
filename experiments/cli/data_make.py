"""``fourfold data randomize`` and ``data wordnet``: the paper's easier walls, made of any walls."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...errors import UserError
from ..terminal.writing import counted
from .arguments import Parser, path
from .commands import need

if TYPE_CHECKING:
    from ..data.derived import DerivedFile


RANDOMIZE_DESCRIPTION = """\
Make walls without red herrings: each keeps its first group and gets three others, drawn from three other
walls. For the same seed and walls, the result is that of the paper's script.

IN is a file of the Only Connect Wall data set or its official folder. Of a folder the test split is
randomized, and the training and validation splits are copied as they are. OUT is a file or a folder, as IN.
"""

RANDOMIZE_EPILOG = """\
examples:
  fourfold data randomize OCW/dataset OCW_randomized
  fourfold run dataset=ocw_randomized dataset.path=OCW_randomized dataset.split=test
  fourfold data randomize onlyconnect.json randomized_7.json --seed 7
"""


def randomize(words: Sequence[str]) -> int:
    """Randomize the walls that are named."""
    parser = Parser(
        prog="fourfold data randomize", description=RANDOMIZE_DESCRIPTION, epilog=RANDOMIZE_EPILOG
    )
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


WORDNET_DESCRIPTION = """\
Make easy walls: four groups of synonyms from WordNet for each wall, found by the wall's clues, as the paper's
appendix C.1.2 describes. Where a wall's clues have too few synonyms, kinds of an everyday thing, such as
furniture, make up the rest.

IN is a file of the Only Connect Wall data set or its official folder, of which all splits are made. OUT is a
file or a folder, as IN.
"""

WORDNET_EPILOG = """\
WordNet's files are those of 'python -m nltk.downloader wordnet'. A folder of them will do as well: Debian's
package wordnet-base has one in /usr/share/wordnet.

examples:
  fourfold data wordnet OCW/dataset OCW_wordnet
  fourfold data wordnet onlyconnect.json easy.json --wordnet /usr/share/wordnet
  fourfold run dataset=ocw_wordnet dataset.path=easy.json
"""


def wordnet(words: Sequence[str]) -> int:
    """Make easy walls of those that are named."""
    parser = Parser(prog="fourfold data wordnet", description=WORDNET_DESCRIPTION, epilog=WORDNET_EPILOG)
    parser.add_argument("source", type=path, metavar="IN", help="the walls: a file, or the official folder")
    parser.add_argument("out", type=path, metavar="OUT", help="the file or folder to write")
    parser.add_argument("--seed", type=int, default=42, help="of the draws (default: 42)")
    parser.add_argument("--wordnet", type=path, metavar="FOLDER", help="where WordNet's files are")
    parser.add_argument("--force", action="store_true", help="replace OUT if it is there")
    add_strict(parser)
    chosen = parser.parse_args(words)
    if chosen.seed < 0:
        raise UserError(f"--seed {chosen.seed} is too small: expected a whole number of at least 0")
    need("data wordnet", {"nltk": "nltk"}, "wordnet")

    from ..data.derived import check_out, derive
    from ..data.wordnet import WallMaker
    from ..data.wordnet_files import WordNet

    check_out(chosen.source, chosen.out, chosen.force)  # before WordNet's files are read, which takes seconds
    with WordNet(chosen.wordnet) as wordnet:
        maker = WallMaker(wordnet, chosen.seed)
        notes = {"command": "fourfold data wordnet", "seed": chosen.seed, "wordnet": wordnet.version}
        made = derive(
            chosen.source,
            chosen.out,
            maker,
            notes,
            only_test=False,
            force=chosen.force,
            strict=chosen.strict,
        )
    print_files(made, "of synonyms")
    if maker.n_kinds:
        print(
            f"too few synonyms for {counted(maker.n_mixed, 'wall')}:"
            f" {counted(maker.n_kinds, 'group')} made of kinds of things"
        )
    return 0


_LISTED = 10  # walls left out that are named; the file's provenance has all


def add_strict(parser: Parser) -> None:
    """The option that refuses walls which would be left out."""
    parser.add_argument(
        "--strict", action="store_true", help="refuse a wall that cannot be used; otherwise it is left out"
    )


def print_files(files: Sequence[DerivedFile], done: str) -> None:
    """A line for each file, and one for each wall of its source that was left out."""
    for file in files:
        print(
            f"{file.path}: {counted(file.n_walls, 'wall')}, {'copied as they are' if file.copied else done}"
        )
        if not file.left_out:
            continue
        print(f"  left out, since they cannot be used: {counted(len(file.left_out), 'wall')} of the source")
        for wall in file.left_out[:_LISTED]:
            print(f"    {wall.wall}: {wall.reason}")
        if len(file.left_out) > _LISTED:
            print(f"    and {len(file.left_out) - _LISTED:,} more, which its provenance lists")
