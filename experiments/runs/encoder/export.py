"""A record's predictions in the JSON that the paper's evaluator reads, one file a run."""

from __future__ import annotations

import json
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import UserError
from ...data.wall import Wall, WallSet
from ...files.temporary_folder import TemporaryFolder, replace_folder, to_disk
from ...pipeline.orders import clue_order
from .config import record_walls
from .files import read_labels, read_record

ENDING = "_predictions.json"  # by which the paper's evaluator finds the files of a folder


def export(folder: Path, out: Path | None = None, walls_path: str | None = None, force: bool = False) -> Path:
    """Write ``run_00_predictions.json`` and so on, and return the folder that holds them.

    Parameters
    ----------
    folder
        A record.
    out
        The folder to make; ``predictions`` inside the record by default.
    walls_path
        Where the walls are now, if not where the record says.
    force
        Replace ``out`` if it is there and holds nothing but an earlier export.

    Raises
    ------
    UserError
        If the record or its walls cannot be read, the walls are others than the record's, or ``out`` is
        there already or cannot be written.

    """
    record = read_record(folder)
    out = folder / "predictions" if out is None else out.expanduser()
    check_free(out, force)
    walls = record_walls(record, walls_path)
    labels = read_labels(folder)
    expected = (record.dataset.n_walls, record.n_seeds, record.dataset.n_points)
    if labels.shape != expected:
        raise UserError(
            f"the record {folder} is damaged (labels of shape {labels.shape}, not {expected}):"
            " delete that folder and run again"
        )
    digits = max(2, len(str(record.n_seeds - 1)))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryFolder(out) as made:
            for run in range(record.n_seeds):
                text = json.dumps(predictions(walls, labels[:, run], run), ensure_ascii=False, indent=1)
                with (made / f"run_{run:0{digits}}{ENDING}").open("wb") as file:
                    file.write(text.encode() + b"\n")
                    to_disk(file)
            replace_folder(made, out)
    except OSError as error:
        raise UserError(f"{out} cannot be written ({error.strerror}): choose another --out") from error
    return out


def predictions(walls: WallSet, labels: NDArray[Any], run: int) -> list[dict[str, Any]]:
    """One run's predictions, the groups in cluster order and their clues in the order that the run saw.

    ``labels`` is (n_walls, n_points).
    """
    return [_prediction(wall, chosen, run) for wall, chosen in zip(walls.walls, labels, strict=True)]


def _prediction(wall: Wall, labels: NDArray[Any], run: int) -> dict[str, Any]:
    order = clue_order(run, len(wall.clues))
    clusters = np.unique(labels)
    return {
        "wall_id": wall.wall_id,
        "predicted_groups": [
            [wall.clues[place] for place in order if labels[place] == cluster] for cluster in clusters
        ],
        "predicted_connections": None,
        "gt_groups": [list(group.clues) for group in wall.groups],
        "gt_connections": [group.connection for group in wall.groups],
    }


def check_free(out: Path, force: bool) -> None:
    """Raise UserError where something is in the way that no earlier export left."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not force:
        raise UserError(f"{out} is there already: choose another --out, or replace it with --force")
    held = [path.name for path in out.iterdir()] if out.is_dir() else [out.name]
    strange = sorted(name for name in held if not out.is_dir() or not fnmatch(name, "run_*.json"))
    if strange:
        raise UserError(
            f"{out} is not an earlier export (it holds {strange[0]}), and --force replaces nothing else:"
            " choose another --out"
        )
