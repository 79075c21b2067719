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
from ....errors import UserError
from ...files.temporary_folder import TemporaryFolder, put_unless_there, to_disk
from ...games.rules import Game, Rules
from ..checksums import check_files, write_checksums
from ..envelope import DatasetEntry, UsageEntry, check_dataset, check_name, json_object
from ..store import unreadable

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

    def to_json(self) -> str:
        """The text of ``play.json``."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> PlayRecord:
        """Read what ``to_json`` wrote; ValueError where it is damaged or of another schema."""
        found = json_object(text)
        if found.get("schema") != SCHEMA:
            raise ValueError(f"expected an object of schema {SCHEMA}")
        record: PlayRecord = typed(cls, found, "the record")
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
        found, n_all = 0, len(game.found)
        for place in range(n_guesses):
            if place < len(game.guesses):
                found += game.guesses[place].verdict == "right"
            complete = game.solved and found == n_all
            solved[place] += complete
            groups[place] += game.n_groups if complete else found
    return solved, groups


def endings(games: Iterable[Game]) -> dict[str, int]:
    """How many games ended solved, without lives, and without guesses."""
    ended = {"solved": 0, "lives": 0, "guesses": 0}
    for game in games:
        ended["solved" if game.solved else "lives" if game.lives_left == 0 else "guesses"] += 1
    return ended


def find_play_record(out: Path, name: str) -> PlayRecord | None:
    """The record of that name in the folder ``out``, or None; UserError if it is damaged."""
    folder = out / name
    return read_play_record(folder) if folder.is_dir() else None


def read_play_record(folder: Path) -> PlayRecord:
    """Read a record's folder; UserError if it is none or damaged."""
    try:
        record = PlayRecord.from_json((folder / RECORD).read_text(encoding="utf-8"))
        check_files(folder)
        return record
    except FileNotFoundError as error:
        if (folder / GAMES).exists():
            raise UserError(
                f"the record {folder} is damaged ({RECORD} is missing): delete that folder and play again"
            ) from error
        raise UserError(f"{folder} is no record of games: it has no {RECORD}") from error
    except OSError as error:
        raise unreadable(folder, error) from error
    except ValueError as error:
        said = " ".join(str(error).split())
        raise UserError(
            f"the record {folder} is damaged ({said}): delete that folder and play again"
        ) from error


def write_play_record(out: Path, record: PlayRecord, games: Sequence[Mapping[str, Json]]) -> bool:
    """Write a record into ``out``; False if another process finished the same games first.

    ``games`` is what is kept of each wall's. UserError if the folder cannot be written to.
    """
    target = out / record.name
    text = json.dumps(games, ensure_ascii=False, indent=1) + "\n"
    try:
        out.mkdir(parents=True, exist_ok=True)
        with TemporaryFolder(target) as folder:
            for name, content in ((RECORD, record.to_json()), (GAMES, text)):
                with (folder / name).open("wb") as file:
                    file.write(content.encode("utf-8", "surrogatepass"))
                    to_disk(file)
            write_checksums(folder)
            return put_unless_there(folder, target, RECORD)
    except OSError as error:
        raise UserError(
            f"the record {target} could not be written ({error.strerror}): make room or choose another out="
        ) from error


def find_play_records(folders: Iterable[Path]) -> tuple[list[tuple[Path, PlayRecord]], list[str]]:
    """Every record of games in some folders, newest first, and what is to be said of damaged ones.

    Each folder may hold records or be one.

    Raises
    ------
    UserError
        If one of the folders is none.

    """
    records: dict[str, tuple[Path, PlayRecord]] = {}
    damaged = []
    for folder in folders:
        if not folder.is_dir():
            raise UserError(f"{folder} is no folder of records: name the one that out= named")
        places = [folder] if (folder / RECORD).exists() else sorted(folder.iterdir())
        for place in places:
            try:
                if place.name.startswith(".") or not any((place / file).exists() for file in (RECORD, GAMES)):
                    continue
                record = read_play_record(place)
            except (UserError, OSError) as error:
                damaged.append(str(error))
            else:
                records.setdefault(record.name, (place, record))
    found = sorted(records.values(), key=lambda each: each[1].created, reverse=True)
    return found, damaged
