"""``fourfold llm``: a language model on the paper's two tasks."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UserError
from ..runs import LANGUAGE_PACKAGES
from .arguments import Parser, add_repeating
from .commands import need
from .run import run_again

if TYPE_CHECKING:
    from ..runs.language_model.record import LanguageRecord
    from ..tasks.prepare import Setup

DESCRIPTION = """\
Ask a language model to group the clues of every wall (task=1) or to name the connections of its solved groups
(task=2), score what it answers as the paper does, and keep one record. As there, no more than four clues of a
group and four groups count: one of five clues is right if its first four are. Replies are kept: a run that
was stopped goes on with the same command, and what was paid for is not paid for again.

The model is behind an OpenAI-compatible server (OpenAI's own without model.base_url=), or a folder or hub id
that transformers loads on this machine. A key is read from the environment variable OPENAI_API_KEY, or the
one that model.key_variable= names; servers of one's own often need none.

'fourfold sweep llm' does many runs with one command: examples=0,1,3 task=1,2 and so on.

settings, with an example each:
  task=2                          1 groups the clues, 2 names the connections
  model.name=MODEL                as the server calls it; a folder is loaded by transformers
  model.base_url=http://localhost:8000/v1  where the server is
  model.backend=transformers      load a model of the hub on this machine
  examples=3                      solved walls in the prompt
  example_walls=FILE              where they are drawn from, if not from train.json beside the test walls
  dataset=ocw dataset.path=FOLDER  the walls, as for 'fourfold run'; of a folder of splits, test.json
  hints=3 encoder=minilm          task=1: so many of the engine's best partitions under an encoder are shown
  vote=pairs                      task=1: the replies on a wall (seeds= times samples=) vote, by pairs of
                                  clues or by groups, and the engine takes the partition that costs least,
                                  exactly
  candidates=10 model.max_tokens=360  task=1: one reply names up to so many groups and how likely each is,
                                  and the engine puts the likeliest solution together, exactly
  encoder_weight=0.5              what the encoder's group costs count beside votes or candidates
  seeds=16                        orders of the clues (task=1), each a pass over all walls
  samples=5 model.temperature=0.7  replies to each request, drawn one by one: each is a run, so that
                                  means and spreads are over orders and samples, or they all vote
  limit=20                        the first so many walls, for a trial
  prompt=FILE                     a Jinja template of one's own
  model.max_tokens=4096           for models that think before they answer (144, as in the paper)
  model.temperature=null          for models that take none (0, as in the paper)
  model.structured=true           ask for JSON where the server can be held to it; the packaged prompts say
                                  so too, one of your own may use the variable structured
  'model.extra={"top_p": 0.9}'    a JSON object of what else each request holds; for transformers: min_p,
                                  top_k, top_p, typical_p, epsilon_cutoff, eta_cutoff, repetition_penalty,
                                  no_repeat_ngram_size, min_new_tokens
  model.seed=1                    of replies at a temperature; sample k is asked for with seed + k
  model.concurrency=8             requests at once; also model.attempts= and model.timeout= (seconds
                                  without any piece of an answer)
  model.patience=600              seconds to wait for a server that loads its model, or at most where one
                                  asks for a pause
  model.withheld=empty            count an answer that is refused or filtered as an empty one; a run with
                                  one fails by default
  model.price_in=2.5 model.price_out=10  money for a million tokens read and written
  model.tokenizer=FOLDER          count the tokens of the dry run with a model's own tokenizer
  bertscore=minilm                of task=2: paper (roberta-large), minilm (packaged) or none
  prefix_space=false              of bertscore=paper: no blank before a text's first word, as in the paper's
                                  released evaluator (use_fast_tokenizer=True of 2023); true is the
                                  package's own default
  out=runs cache=FOLDER           the folders of records and of replies

shares that are recorded and shown below the results:
  misformatted groups             the paper's measure (4.4% for GPT-4 with 3 examples): of four groups a wall,
                                  those that are missing or have more or fewer than four clues. What is too
                                  much is cut and what lacks is left empty, which is never right. A reply
                                  in which no group was read counts as four.
  groups with a clue that is not on the wall  the paper's hallucinated clues (6.6%)
  replies that only repeat the prompt  no answer was read, and most words, or the clues as listed, stand in
                                  the prompt in the same order
  answers that are a hint, or the clues as listed  counted as answers all the same

what can become of a request, and what is done then ('asked again' is model.attempts= times in all):
{kinds}
A run whose requests fail keeps the replies that came and writes no record.
"""

EXAMPLES = """\
examples:
  fourfold llm model.name=gpt-4o examples=3 dataset=ocw dataset.path=OCW/dataset --dry-run
  fourfold llm task=1 model.base_url=http://localhost:8000/v1 model.name=qwen dataset=ocw dataset.path=OCW
  fourfold llm model.name=gpt-4o hints=3 encoder=all_mpnet_base_own dataset=ocw dataset.path=OCW
  fourfold llm model.name=gpt-4o seeds=16 vote=groups encoder_weight=0.5 dataset=ocw dataset.path=OCW
  fourfold llm --from runs/RECORD
  fourfold llm task=2 model.name=/models/chat examples=3 dataset=ocw dataset.path=OCW bertscore=minilm
"""


def description() -> str:
    """The help's text, with the table of what can become of a request."""
    from ..llm.outcomes import kinds_table

    return DESCRIPTION.replace("{kinds}", kinds_table())


def main(words: Sequence[str]) -> int:
    """Do the run that the overrides describe and print its table."""
    parser = Parser(prog="fourfold llm", description=description(), epilog=EXAMPLES)
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="a setting")
    parser.add_argument("--dry-run", action="store_true", help="show the first prompt and the cost, and stop")
    add_repeating(parser)
    chosen = parser.parse_intermixed_args(words)
    if chosen.record is not None:
        if chosen.dry_run:
            raise UserError("--from repeats a run: leave out --dry-run")
        return run_again("llm", chosen.record, chosen.overrides, chosen.walls)
    need("llm", LANGUAGE_PACKAGES, "llm")
    if chosen.walls is not None:
        raise UserError("--walls is for --from: name a data set's walls with dataset.path=PATH")

    from ...conf.compose import compose_language_run
    from ..tasks.prepare import prepare_language_run, set_up
    from ..tasks.run import run_language_model
    from ..terminal.progress import ProgressBars

    config = compose_language_run(chosen.overrides)
    with ProgressBars() as bars:
        prepared = prepare_language_run(config)
        if chosen.dry_run:
            setup = set_up(prepared, bars)
        else:
            outcome = run_language_model(prepared, bars)
    if chosen.dry_run:
        _show(setup)
        return 0
    if not outcome.fresh:
        print(f"this run is already done: {outcome.folder}", file=sys.stderr)
    _print(outcome.record, outcome.folder)
    return 0


def _show(setup: Setup) -> None:
    """The first prompt, and what the run would cost."""
    from ..tables.language_results import estimate_text
    from ..tasks.dry_run import DryRun

    requests = setup.all_requests
    for message in requests[0].messages:
        print(f"[{message.role}]\n{message.content}\n")
    if len(requests) > 1:
        print(f"[and {len(requests) - 1:,} more like it]\n")
    print(estimate_text(DryRun().left(setup)))


def _print(record: LanguageRecord, folder: Path) -> None:
    """The run's table and what else its record says."""
    from ..tables.language_results import footer, heading, results_table
    from .table_output import rendered

    print(heading(record))
    print(rendered(results_table(record)))
    print(footer(record, folder))
