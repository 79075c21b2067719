"""The predictions of a language model's record, which are in the paper's evaluator's layout already."""

from __future__ import annotations

import shutil
from pathlib import Path

from ....errors import UserError
from ...files.temporary_folder import TemporaryFolder, replace_folder
from ..encoder.export import ENDING, check_free
from .record import PREDICTIONS, read_language_record


def export_language_record(folder: Path, out: Path | None = None, force: bool = False) -> Path:
    """The folder of the predictions, ``run_00_predictions.json`` and so on: the record's own, or a copy.

    Raises
    ------
    UserError
        If the record cannot be read or lacks its predictions, or ``out`` is there already (unless ``force``
        and it is an earlier export) or cannot be written.

    """
    read_language_record(folder)
    held = folder / PREDICTIONS
    if not any(held.glob("run_*.json")):
        raise UserError(
            f"the record {folder} is damaged (no {PREDICTIONS}): delete that folder and run again"
        )
    if out is None:
        return held
    out = out.expanduser()
    check_free(out, force)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryFolder(out) as made:
            for file in held.glob("run_*.json"):  # records of before have no such ending
                shutil.copy(
                    file, made / f"{file.name.removesuffix('.json').removesuffix('_predictions')}{ENDING}"
                )
            replace_folder(made, out)
    except OSError as error:
        raise UserError(f"{out} cannot be written ({error.strerror}): choose another --out") from error
    return out
