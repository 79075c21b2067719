"""``fourfold play``: walls guessed group by group, with lives, as in the show."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UserError
from ..runs import LANGUAGE_PACKAGES, PACKAGES
from ..terminal.writing import counted, tell
from .arguments import Parser, path
from .commands import need

if TYPE_CHECKING:
    from ...conf.compose import PlayConfig
    from ..tables.game_sheet import FoundPlayRecord

DESCRIPTION = """\
Play every wall as in the show: guess four clues, be told right or wrong, and go on until the wall is solved
or lives or guesses are out. The engine plays with the vectors of an encoder: before each guess it finds,
exactly, the fifty best partitions that fit all it was told, and guesses the group that most of them hold. A
language model (player=llm) plays by a conversation, whose replies are kept: games that were stopped go on
with the same command.

the rules (the defaults are Only Connect's: wrong guesses are free until two groups are found, then the third
wrong one ends the game; NYT Connections has lives=4 free_groups=0 one_away=true):
  lives=3                         wrong guesses that end a game, among those that count
  free_groups=2                   they count once so many groups are found
  one_away=false                  whether a player is told when three of the four clues belong together
  guesses=20                      of whatever kind, in place of the show's two and a half minutes

other settings:
  player=llm                      a language model; model.name= and so on as for 'fourfold llm'
  model=minilm                    of an encoder: model, embedding and features as for 'fourfold run'
  dataset=ocw dataset.path=FOLDER  the walls; of a folder of splits, test.json, whoever plays
  order=0                         of the clues: that of random.Random(order)
  limit=20                        the first so many walls, for a trial
  examples=3 prompt=FILE          of a language model: solved walls in the prompt, a template of one's own
  hints=3 encoder=minilm          of a language model: it sees so many of the engine's best partitions under
                                  an encoder, and after each guess anew those that fit all it was told
  out=runs cache=FOLDER           the folders of records, and of vectors or replies
"""

EXAMPLES = """\
examples:
  fourfold play
  fourfold play model=all_mpnet_base_own dataset=ocw dataset.path=OCW lives=4 free_groups=0 one_away=true
  fourfold play player=llm model.base_url=http://localhost:8000/v1 model.name=qwen limit=20
  fourfold play --records runs --json
"""


def main(words: Sequence[str]) -> int:
    """Play, or show the records of games."""
    parser = Parser(prog="fourfold play", description=DESCRIPTION, epilog=EXAMPLES)
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="a setting")
    parser.add_argument("--dry-run", action="store_true", help="show a language model's prompt, and stop")
    parser.add_argument(
        "--records", nargs="+", type=path, metavar="DIR", help="show the games in folders of records"
    )
    parser.add_argument("--json", action="store_true", help="for programs, with all numbers of guesses")
    chosen = parser.parse_intermixed_args(words)
    if chosen.records is not None:
        if chosen.overrides or chosen.dry_run:
            raise UserError("--records shows what is there: leave out settings and --dry-run")
        return _list(chosen.records, chosen.json)
    model_plays = "player=llm" in chosen.overrides
    need("play", LANGUAGE_PACKAGES if model_plays else PACKAGES, "llm" if model_plays else "experiments")

    from ...conf.compose import compose_play
    from ...conf.llm_schema import LanguageRunConfig
    from ..games.play import play_encoder, play_language_model
    from ..tables.game_sheet import play_footer
    from ..terminal.progress import ProgressBars

    config = compose_play(chosen.overrides)
    if chosen.dry_run:
        return _dry_run(config)
    with ProgressBars() as bars:
        if isinstance(config.player, LanguageRunConfig):
            played = play_language_model(config.player, config.game, bars)
        else:
            played = play_encoder(config.player, config.game, bars)
    if not played.fresh:
        print(f"these games are already played: {played.folder}", file=sys.stderr)
    _print([(played.folder, played.record)], chosen.json)
    if not chosen.json:
        print(play_footer(played.record, played.folder))
    return 0


def _dry_run(config: PlayConfig) -> int:
    from ...conf.llm_schema import LanguageRunConfig
    from ..games.play import first_question, given_for_model

    if not isinstance(config.player, LanguageRunConfig):
        raise UserError("--dry-run shows a language model's prompt: add player=llm, or leave it out")
    given, prompt = given_for_model(config.player, config.game)
    print(first_question(given, prompt, config.game))
    n_walls, n_guesses = len(given.walls), config.game.guesses
    most = n_walls * n_guesses
    print(
        f"[{counted(n_walls, 'wall')}; 3 to {n_guesses} requests each, at most {most:,}, "
        f"each with what was said]"
    )
    return 0


def _list(folders: Sequence[Path], as_json: bool) -> int:
    need("play", {"rich": "rich", "omegaconf": "omegaconf"})
    from ..runs.game.record import find_play_records

    records, damaged = find_play_records([folder.expanduser() for folder in folders])
    for problem in damaged:
        tell(f"left out: {problem}")
    if not records and not as_json:
        print(f"no records of games in {', '.join(map(str, folders))}")
        return 0
    _print(records, as_json)
    return 0


def _print(records: Sequence[FoundPlayRecord], as_json: bool) -> None:
    from ..tables.game_sheet import play_json, play_sheet
    from .table_output import sheet_text

    if as_json:
        print(json.dumps(play_json(records), ensure_ascii=False, indent=1))
    else:
        print(sheet_text(play_sheet(records)))
