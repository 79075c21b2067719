"""``fourfold data wordnet``: the paper's OCW-WordNet, walls of synonyms."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import UserError
from ..terminal.wording import counted
from .arguments import Parser, path
from .data_output import add_strict, print_files
from .extras import need

DESCRIPTION = """\
Make easy walls: four groups of synonyms from WordNet for each wall, found by the wall's clues, as the paper's
appendix C.1.2 describes. Where a wall's clues have too few synonyms, kinds of an everyday thing, such as
furniture, make up the rest.

IN is a file of the Only Connect Wall data set or its official folder, of which all splits are made. OUT is a
file or a folder, as IN.
"""

EPILOG = """\
WordNet's files are those of 'python -m nltk.downloader wordnet'. A folder of them will do as well: Debian's
package wordnet-base has one in /usr/share/wordnet.

examples:
  fourfold data wordnet OCW/dataset OCW_wordnet
  fourfold data wordnet onlyconnect.json easy.json --wordnet /usr/share/wordnet
  fourfold run dataset=ocw_wordnet dataset.path=easy.json
"""


def main(words: Sequence[str]) -> int:
    """Make easy walls of those that are named."""
    parser = Parser(prog="fourfold data wordnet", description=DESCRIPTION, epilog=EPILOG)
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
