"""``fourfold run``: one model on one data set."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from ...conf.choices import EXPERIMENT, GROUPS, choices, default_choice
from ...errors import UserError
from ..runs import PACKAGES
from .arguments import Parser, add_repeating
from .commands import need

DESCRIPTION = """\
Encode the clues of every wall, cluster them into groups of four in each of 16 clue orders (with
solver=exact, once), score the groups and keep one record. A run whose record is there already is not
repeated.

choices (the default is marked *):
{choices}

other settings, with an example each:
  seeds=16                      how many runs, each with its own clue order
  dataset.path=FOLDER_OR_FILE   where the walls are (all data sets but bundled)
  dataset.split=test            one split of a folder of train.json, validation.json and test.json
  dataset.strict=true           refuse a file with a wall that cannot be used; otherwise it is left out
  model.name=MODEL              a hub id, or a folder that holds a model; with model=CHOICE the choice's
                                settings, and its title and the paper's row where the folder's
                                configuration has the published sizes and its card, configuration or
                                own name says that it is that model
  paths.models=FOLDER           where models are by their names: FOLDER/all-mpnet-base-v2,
                                FOLDER/sentence-transformers/all-mpnet-base-v2 or as in the hub's cache
  model.parts=[minilm,e5_base]  with model=fused: the models whose Gram matrices are added
  model.weights=[1,2]           and what each of them counts (1 each)
  model.byte_pairs=null         word vectors without BPEmb beside them
  model.pooling=cls             how a text's tokens become one vector: mean, cls, last, max, weighted,
                                mean_sqrt_len, or auto, as the files of a sentence-transformers
                                model say (its prompt, Dense layers and normalization too), else
                                mean; auto is the default of model.name= without model=
  model.prefix='query: '        what goes before each text
  embedding.subtoken=first      which subtokens of a clue in context: first, mean, last or first_last
  embedding.layers=all          layers that are averaged: all, last or a list such as [0,-1]
  features.n_components=2       of features=pca and tsne; features.perplexity=3 of tsne
  solver.n_init=10              starts of k-means; the best one counts
  solver.assignment_cost=squared  k-means proper; euclidean is what the paper's library minimises
                                (that library itself is solver=peer; faiss is k-means without sizes)
  device=auto                   auto, cpu or cuda; also model.device and solver.device by themselves
  out=runs                      the folder of the records
  cache=false                   keep no vectors for later runs; cache=FOLDER keeps them there
"""

EXAMPLES = """\
examples:
  fourfold run
  fourfold run model=minilm dataset=ocw dataset.path=OCW/dataset dataset.split=test
  fourfold run solver=exact
  fourfold run model=all_mpnet_base model.name=/models/all-mpnet-base-v2 dataset=ocw paths.ocw=OCW/dataset
  fourfold run model=glove model.name=/vectors/glove.840B.300d.txt
  fourfold run model=all_mpnet_base model.pooling=mean dataset=nyt dataset.path=connections.json
  fourfold run model=fused 'model.parts=[minilm,all_mpnet_base_own]'
  fourfold run experiment=exact dataset=ocw paths.ocw=OCW/dataset
  fourfold run --from runs/RECORD
  fourfold run model.name=/models/mine dataset=ocw dataset.path=walls.json seeds=100 out=results
"""


def main(words: Sequence[str]) -> int:
    """Do the run that the overrides describe and print its table."""
    parser = Parser(prog="fourfold run", description=_description(), epilog=EXAMPLES)
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="a choice or a setting")
    add_repeating(parser)
    chosen = parser.parse_intermixed_args(words)
    if chosen.record is not None:
        return run_again("run", chosen.record, chosen.overrides, chosen.walls)
    need("run", PACKAGES)
    if chosen.walls is not None:
        raise UserError("--walls is for --from: name a data set's walls with dataset.path=PATH")

    from ...conf.compose import compose_run
    from ..pipeline.run import run
    from ..terminal.progress import ProgressBars
    from .table_output import print_table

    config = compose_run(chosen.overrides)
    with ProgressBars() as bars:
        outcome = run(config, bars)
    if not outcome.fresh:
        print(f"this run is already done: {outcome.folder}", file=sys.stderr)
    print_table(outcome.record, outcome.folder, outcome.fresh)
    return 0


def _description() -> str:
    lines = []
    for group in (*GROUPS, EXPERIMENT):
        default = default_choice(group)
        names = "  ".join(f"{name}{'*' if name == default else ''}" for name in choices(group))
        lines.append(f"  {group + '=':<11} {names}")
    return DESCRIPTION.format(choices="\n".join(lines))


def run_again(command: str, folder: Path, words: Sequence[str], walls: str | None) -> int:
    """Repeat a record's run and say whether it is equal; exit code 1 if it is not."""
    from ..runs.kinds import kind_at
    from ..terminal.progress import ProgressBars

    out, cache = repeat_words(words)
    folder = folder.expanduser()
    kind = kind_at(folder)
    need(f"{command} --from", kind.packages, kind.extra_name)
    with ProgressBars() as bars:
        repetition = kind.repeat(folder, bars, walls, out, cache)
    print("\n".join(repetition.lines()))
    return 0 if repetition.equal else 1


def repeat_words(words: Sequence[str]) -> tuple[Path | None, str | None]:
    """The folder of ``out=`` and the value of ``cache=``; UserError on any other word."""
    given: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key not in {"out", "cache"} or not value.strip():
            raise UserError(f"{word}: --from repeats a run as it was, and takes out=FOLDER and cache= alone")
        given[key] = value.strip("'\"")
    return Path(given["out"]).expanduser() if "out" in given else None, given.get("cache")
