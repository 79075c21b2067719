"""Damaged files of walls: one line of error, or walls with their own clues, each one used or listed."""

import copy
import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from damage import damage
from wall_documents import newspaper_puzzle, nyt_puzzle, ocw_document, ocw_wall

from fourfold.errors import UserError
from fourfold.experiments.data.readers import read_walls
from fourfold.experiments.data.wall import WallSet

KINDS = ("ocw", "bare", "nyt", "newspaper")
N_WALLS = 5
ODD = [
    None, True, 0, -1, 3.5, 10**400, float("nan"), "", " ", "\u200b", "\ud800", "x" * 5000, "\x1b[31m",
    "a\nb", [], {}, [[]], {"a": {}}, "a1", "A1", "w0",
]  # fmt: skip


def documents() -> dict[str, tuple[Any, list[Any]]]:
    """A document of each layout, and the list of walls in it."""
    walls = [ocw_wall(f"w{number}", str(number)) for number in range(N_WALLS)]
    whole = ocw_document(*walls)
    archive = [nyt_puzzle(number) for number in range(N_WALLS)]
    newspaper = [newspaper_puzzle(number) for number in range(N_WALLS)]
    return {
        "ocw": (whole, whole["dataset"]),
        "bare": (walls, walls),
        "nyt": (archive, archive),
        "newspaper": (newspaper, newspaper),
    }


def places(value: Any, found: list[tuple[Any, Any]] | None = None) -> list[tuple[Any, Any]]:
    """Every container of a document with each of its keys."""
    found = [] if found is None else found
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        found.append((value, key))
        if isinstance(value[key], dict | list):
            places(value[key], found)
    return found


def damage_values(document: Any, generator: Random) -> None:
    """Change one to three places of a document."""
    for _ in range(generator.randint(1, 3)):
        container, key = generator.choice(places(document))
        kind = generator.randrange(5)
        if kind == 0:
            del container[key]
        elif kind == 1:
            container[key] = generator.choice(ODD)
        elif kind == 2:
            other, from_key = generator.choice(places(document))
            container[key] = copy.deepcopy(other[from_key])
        elif kind == 3 and isinstance(container, list):
            container.insert(key, copy.deepcopy(container[key]))
        elif isinstance(container, dict):
            container[generator.choice(["", "id", "words", "\ud800", "x" * 300])] = container.pop(key)
        if not places(document):
            return


def read(path: Path) -> WallSet | None:
    """What is read, checked; None for an error, which must be one bounded line."""
    try:
        found = read_walls(path)
    except UserError as error:
        said = str(error)
        assert said.isprintable(), said
        assert len(said) < 600 + len(str(path)), said
        return None
    for wall in found.walls:
        assert len(wall.clues) == 16
        assert [len(group.clues) for group in wall.groups] == [4] * 4
        assert Counter(wall.clues) == Counter(clue for group in wall.groups for clue in group.clues)
        assert all(clue.strip() for clue in wall.clues)
    assert len({wall.wall_id for wall in found.walls}) == len(found.walls) > 0
    for left_out in found.left_out:
        assert (left_out.wall + left_out.reason).isprintable()
        assert len(left_out.wall) < 100
        assert len(left_out.reason) < 500
    assert len(found.fingerprint) == 64
    return found


def trial(seed: int, folder: Path) -> Counter[str]:
    """Damage one file of one layout, in its values or in its bytes, and read it."""
    generator = Random(seed)
    kind = generator.choice(KINDS)
    lines = generator.random() < 0.5
    how = "values" if generator.random() < 0.7 else "bytes"
    path = folder / ("walls.jsonl" if lines else "walls.json")
    document, walls = documents()[kind]
    if how == "bytes":
        text = "\n".join(map(json.dumps, walls)) if lines else json.dumps(document, indent=1)
        path.write_text(text, encoding="utf-8")
        damage(path, generator)
        found = read(path)
    else:
        sound = set(map(in_one_form, walls))
        damage_values(walls if lines else document, generator)
        text = "\n".join(map(json.dumps, walls)) if lines else json.dumps(document)
        path.write_text(text, encoding="utf-8")
        found = read(path)
        now = document.get("dataset") if isinstance(document, dict) and not lines else walls
        if found is not None and isinstance(now, list):
            assert len(found.walls) + len(found.left_out) == len(now)
            assert len(found.walls) >= len(sound & set(map(in_one_form, now)))
    if found is None:
        return Counter({f"{how} refused": 1})
    return Counter({f"{how} read": 1, "walls used": len(found.walls), "left out": len(found.left_out)})


def in_one_form(wall: Any) -> str:
    """The text of a wall, whatever the order of its keys."""
    return json.dumps(wall, sort_keys=True)
