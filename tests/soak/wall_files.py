"""Damaged files of walls in every layout: each is read, or refused in one line that names the file."""

import contextlib
import io
import json
from collections import Counter
from pathlib import Path
from random import Random

from damage import damage
from wall_documents import newspaper_puzzle, nyt_puzzle, ocw_document, ocw_wall

from fourfold.conf.schema import DatasetConfig
from fourfold.errors import UserError
from fourfold.experiments.data.dataset import load_walls
from fourfold.experiments.terminal.writing import one_line, visible


def trial(seed: int, folder: Path) -> Counter[str]:
    """Fifty files of one layout, each damaged once or several times."""
    random = Random(seed)
    counts: Counter[str] = Counter(trials=1)
    for _ in range(50):
        name, document = random.choice(_documents())
        path = folder / "walls.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        how = [damage(path, random) for _ in range(random.choice([1, 1, 3])) if _is_there(path)]
        counts["files"] += 1
        try:
            with contextlib.redirect_stderr(io.StringIO()):  # what is left out is listed there
                walls = load_walls(DatasetConfig(name=name, path=str(path), layout=_LAYOUTS[name]))
        except UserError as error:
            said = visible(one_line(str(error)))
            assert path.name in said, f"seed {seed}: {how}: {said}"
            counts["refused"] += 1
        else:
            for wall in walls.walls:
                assert len(wall.clues) == 16, f"seed {seed}: {how}"
                assert all(clue.strip() for clue in wall.clues), f"seed {seed}: {how}"
            counts["read"] += 1
    return counts


_LAYOUTS = {"ocw": "ocw", "nyt": "nyt"}


def _documents() -> list[tuple[str, object]]:
    return [
        ("ocw", ocw_document(ocw_wall("w1"), ocw_wall("w2", "b"))),
        ("nyt", [nyt_puzzle(1), nyt_puzzle(2)]),
        ("nyt", [newspaper_puzzle(1), newspaper_puzzle(2)]),
    ]


def _is_there(path: Path) -> bool:
    """Whether there is JSON left to be damaged further."""
    try:
        json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return True
