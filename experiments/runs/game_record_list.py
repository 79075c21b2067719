"""The records of games in some folders."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...errors import UserError
from .game_record import GAMES, RECORD, PlayRecord, read_play_record


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
