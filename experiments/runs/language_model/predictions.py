"""The predictions of language models' records: how far two agree, and a copy for the paper's evaluator."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ....errors import UserError
from ...files.temporary_folder import TemporaryFolder, replace_folder
from ...terminal.writing import counted
from ..comparison import Agreement
from ..encoder.export import ENDING, check_free
from ..store import damaged
from .record import PREDICTIONS, LanguageRecord, read_language_record


@dataclass(frozen=True, slots=True)
class Alike:
    """How far two records answer the same questions alike, over the runs that both have."""

    n_runs: int
    same_walls: float  # the share of walls and runs whose answers are the same altogether
    same_answers: float  # the share of the one's groups or connections that are the other's too
    what: str  # groups or connections


def answered_alike(
    a: tuple[Path, LanguageRecord], b: tuple[Path, LanguageRecord], same_walls: bool
) -> Agreement:
    """Compare the answers of two records; UserError if the predictions of one cannot be read."""
    if not same_walls:
        said = "The walls are others: counts are shown as shares, and answers are not compared."
        return Agreement(None, said)
    if a[1].task != b[1].task:
        return Agreement(None, "The tasks are others: answers are not compared.")
    alike = _alike(a, b)
    return Agreement(
        asdict(alike),
        f"Over {counted(alike.n_runs, 'run')}, {alike.same_walls:.1%} of the walls are answered alike and"
        f" {alike.same_answers:.1%} of the {alike.what} are the same.",
    )


def _alike(a: tuple[Path, LanguageRecord], b: tuple[Path, LanguageRecord]) -> Alike:
    task = a[1].task
    one, two = _answers(*a), _answers(*b)
    both = (len(one), len(two))
    n_runs = max(both) if 1 in both else min(both)  # one run is compared with each of the other's
    one, two = (answers * n_runs if len(answers) == 1 else answers for answers in (one, two))
    walls = [wall for runs in zip(one, two, strict=False) for wall in zip(*runs, strict=True)]
    n_answers = sum(len(theirs) for theirs, _ in walls)
    if task == 1:
        same = sum(len({*theirs} & {*others}) for theirs, others in walls)
        n_alike = sum({*theirs} == {*others} for theirs, others in walls)
    else:
        same = sum(x == y for theirs, others in walls for x, y in zip(theirs, others, strict=True))
        n_alike = sum(theirs == others for theirs, others in walls)
    return Alike(n_runs, n_alike / len(walls), same / n_answers, "groups" if task == 1 else "connections")


def _answers(folder: Path, record: LanguageRecord) -> list[list[list[Any]]]:
    """What a record answered: of each run and wall the groups as sorted clues, or the connections."""
    entry = record.dataset
    runs = _read_answers(folder, record.task)
    if not runs or any(len(run) != entry.n_walls for run in runs):
        raise damaged(folder, f"{PREDICTIONS}: expected runs of {entry.n_walls} walls each")
    if record.task == 2 and any(sum(map(len, run)) != entry.n_groups for run in runs):
        raise damaged(folder, f"{PREDICTIONS}: expected {entry.n_groups} connections in each run")
    return runs


def _read_answers(folder: Path, task: int) -> list[list[list[Any]]]:
    try:
        runs = [
            json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
            for path in sorted((folder / PREDICTIONS).glob("run_*.json"))
        ]
        if task == 2:
            return [
                [[text.strip().casefold() for text in wall["predicted_connections"]] for wall in run]
                for run in runs
            ]
        return [
            [
                [tuple(sorted(clue.casefold() for clue in group)) for group in wall["predicted_groups"]]
                for wall in run
            ]
            for run in runs
        ]
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise damaged(folder, f"{PREDICTIONS}: {error}") from error


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
