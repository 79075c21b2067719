"""Games played again from their record alone, and whether every guess came out equal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ....conf.json_types import Json, typed
from ....conf.llm_schema import LanguageRunConfig
from ....conf.plain import from_plain
from ....conf.play_schema import GameConfig
from ....conf.schema import DatasetConfig
from ....errors import UserError
from ...data.dataset import load_walls, test_walls
from ...games.play import limited, play_encoder, play_language_model
from ...terminal.progress import ProgressBars
from ...terminal.writing import counted
from ..comparison import version_differences
from ..provenance import versions
from ..store import check_writable, damaged
from .record import GAMES, PlayRecord, read_play_record

_SAME = ("wall_id", "guesses", "groups", "solved", "lives_left")  # of a wall's game; its replies may differ


@dataclass(frozen=True, slots=True)
class GameRepetition:
    """A record of games, and how the same games went now."""

    n_games: int
    same_games: int  # walls with the same guesses in the same order
    versions: dict[str, tuple[str | None, str | None]]  # then and now, where they differ
    folder: Path | None  # the repetition's own record, where it was asked for

    @property
    def equal(self) -> bool:
        """Whether every guess on every wall is the same."""
        return self.same_games == self.n_games

    def lines(self) -> list[str]:
        """What is to be said of it."""
        said = f"games: the same guesses on {self.same_games:,} of {counted(self.n_games, 'wall')}"
        lines = [said, *(f"version of {name}: {a} then, {b} now" for name, (a, b) in self.versions.items())]
        if self.folder is not None:
            lines.append(f"record: {self.folder}")
        return [*lines, "The games came out equal." if self.equal else "The games came out otherwise."]


def repeat_games(
    folder: Path,
    bars: ProgressBars,
    walls: str | None = None,
    out: Path | None = None,
    cache: str | None = None,
) -> GameRepetition:
    """Play a record's games again and compare; parameters and errors as of ``Kind.repeat``."""
    record = read_play_record(folder)
    before = _games(folder)
    config, game = _settings(record, walls)
    _check_walls(record, config, game)
    if out is not None:
        if (out / record.name).exists():
            raise UserError(f"out={out} holds a record {record.name} already: name another folder")
        check_writable(out)
    with TemporaryDirectory() as temporary:
        place = Path(temporary) if out is None else out
        config = replace(config, out=str(place), cache=config.cache if cache is None else cache)
        play = play_encoder if record.player == "encoder" else play_language_model
        played = play(config, game, bars)
        now = _games(played.folder)
    same = sum(_played(a) == _played(b) for a, b in zip(before, now, strict=True))
    changed = version_differences(record.versions, versions())
    return GameRepetition(len(before), same, changed, None if out is None else played.folder)


def _settings(record: PlayRecord, walls: str | None) -> tuple[Any, GameConfig]:
    """The player's and the game's configuration, with the walls where they are now."""
    try:
        rules = {**record.rules, "order": record.order, "limit": record.dataset.n_walls}
        game: GameConfig = typed(GameConfig, rules, "rules")
        config: Any = (
            from_plain(record.config)
            if record.player == "encoder"
            else typed(LanguageRunConfig, record.config, "config")
        )
    except UserError:
        raise
    except ValueError as error:
        raise UserError(f"the record {record.name} is damaged ({error}): play again") from error
    return replace(config, dataset=_dataset(config.dataset, walls)), game


def _check_walls(record: PlayRecord, config: Any, game: GameConfig) -> None:
    """Raise UserError unless the walls are those of the record."""
    dataset = test_walls(config.dataset)
    if dataset.path is not None and not Path(dataset.path).expanduser().exists():
        raise UserError(f"the record's walls are not at {dataset.path}: say where they are with --walls PATH")
    if limited(load_walls(dataset), game.limit).fingerprint != record.dataset.fingerprint:
        raise UserError(
            f"the walls in {dataset.path or 'the bundled data'} are not those of the record: name the right"
            " ones with --walls PATH, or play again"
        )


def _dataset(dataset: DatasetConfig, walls: str | None) -> DatasetConfig:
    if walls is None:
        return dataset
    split = dataset.split if Path(walls).expanduser().is_dir() else None
    return replace(dataset, path=walls, split=split)


def _games(folder: Path) -> list[Mapping[str, Json]]:
    try:
        games = json.loads((folder / GAMES).read_text(encoding="utf-8", errors="surrogatepass"))
    except (OSError, ValueError, RecursionError) as error:
        raise damaged(folder, f"{GAMES}: {error}") from error
    if not isinstance(games, list) or not all(isinstance(game, dict) for game in games):
        raise damaged(folder, f"{GAMES}: expected a list of games")
    return games


def _played(game: Mapping[str, Json]) -> list[Json]:
    return [game.get(key) for key in _SAME]
