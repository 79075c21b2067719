"""What games on a data set's walls leave behind, beside the other records in the same folder.

A record is a folder that holds ``play.json`` and every guess in ``games.json``. It is made under a temporary
name and then renamed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ....conf.json_types import Json, typed
from ...games.rules import Game, Rules
from .. import store
from ..envelope import DatasetEntry, MetricEntry, UsageEntry, check_dataset, check_name, json_object
from ..store import RecordLayout, check_schema, write_file

# Raised when the layout changes, or when the same games would be played otherwise.
SCHEMA = 1
RECORD, GAMES = "play.json", "games.json"


@dataclass(frozen=True, slots=True)
class PlayRecord:
    """The games of one player, as ``play.json`` holds them.

    ``solved`` and ``groups`` are how many walls were solved and how many groups found with at most 1, 2 and
    so on guesses; ``ended`` is how many games ended solved, without lives, and without guesses.
    """

    schema: int
    name: str
    created: str  # ISO 8601, UTC
    player: str  # encoder or language_model
    title: str
    config: dict[str, Json]
    rules: dict[str, Json]
    order: int
    dataset: DatasetEntry
    model: dict[str, Json]  # what the encoder or the model says of itself
    examples: list[str]  # the ids of the solved walls in a language model's prompt
    versions: dict[str, str | None]
    platform: str
    timings: dict[str, float]  # seconds
    solved: list[int]
    groups: list[int]
    ended: dict[str, int]
    wrong: int
    void: int
    usage: UsageEntry | None
    encoder: dict[str, Json] = field(default_factory=dict)  # of a language model's hints
    served: dict[str, Json] = field(default_factory=dict)  # which models answered
    failures: dict[str, int] = field(default_factory=dict)  # attempts without a reply, by kind

    @property
    def n_seeds(self) -> int:
        """Each wall is played once."""
        return 1

    @property
    def metrics(self) -> dict[str, MetricEntry]:
        """None of the paper's: games have a table of their own."""
        return {}

    def to_json(self) -> str:
        """The text of ``play.json``."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> PlayRecord:
        """Read what ``to_json`` wrote; ValueError where it is damaged or of another schema."""
        content = json_object(text)
        check_schema(content, SCHEMA)
        record: PlayRecord = typed(cls, content, "the record")
        if not record.solved or len(record.solved) != len(record.groups):
            raise ValueError("solved and groups: expected a number each for each number of guesses")
        check_name(record.name, record.created)
        check_dataset(record.dataset)
        typed(Rules, record.rules, "rules")
        if missing := {"solved", "lives", "guesses"} - record.ended.keys():
            raise ValueError(f"ended lacks {', '.join(sorted(missing))}")
        return record


def tallies(games: Sequence[Game], n_guesses: int) -> tuple[list[int], list[int]]:
    """Walls solved and groups found with at most 1 to ``n_guesses`` guesses."""
    solved, groups = [0] * n_guesses, [0] * n_guesses
    for game in games:
        n_groups, n_all = 0, len(game.found)
        for place in range(n_guesses):
            if place < len(game.guesses):
                n_groups += game.guesses[place].verdict == "right"
            complete = game.solved and n_groups == n_all
            solved[place] += complete
            groups[place] += game.n_groups if complete else n_groups
    return solved, groups


def endings(games: Iterable[Game]) -> dict[str, int]:
    """How many games ended solved, without lives, and without guesses."""
    ended = {"solved": 0, "lives": 0, "guesses": 0}
    for game in games:
        ended["solved" if game.solved else "lives" if game.lives_left == 0 else "guesses"] += 1
    return ended


LAYOUT: RecordLayout[PlayRecord] = RecordLayout(
    file=RECORD,
    payload=GAMES,
    noun="games",
    commands="'fourfold run --from', 'runs' and 'play --records' take it",
    parse=PlayRecord.from_json,
)


def find_play_record(out: Path, name: str) -> PlayRecord | None:
    """The record of that name in the folder ``out``, as ``store.find``."""
    return store.find(LAYOUT, out, name)


def read_play_record(folder: Path) -> PlayRecord:
    """Read a record's folder, as ``store.read``."""
    return store.read(LAYOUT, folder)


def write_play_record(out: Path, record: PlayRecord, games: Sequence[Mapping[str, Json]]) -> bool:
    """Write a record into ``out``, as ``store.write``; ``games`` is what is recorded of each wall's."""
    text = json.dumps(games, ensure_ascii=False, indent=1) + "\n"

    def add(folder: Path) -> None:
        write_file(folder / GAMES, text.encode("utf-8", "surrogatepass"))

    return store.write(LAYOUT, out, record, add)


def find_play_records(folders: Iterable[Path]) -> tuple[list[tuple[Path, PlayRecord]], list[str]]:
    """Every record of games in some folders, newest first, and what is to be said of damaged ones.

    Each folder may hold records or be one; UserError as of ``store.collect``.
    """
    collected = store.collect(LAYOUT, folders)
    newest = sorted(collected.records, key=lambda each: each[1].created, reverse=True)
    return newest, list(collected.damaged)
