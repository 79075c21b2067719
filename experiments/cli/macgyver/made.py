"""The folder that ``fourfold macgyver make`` writes to: whether it may, and what it held before."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....errors import UserError
from ...terminal.writing import counted
from .asking import json_lines

if TYPE_CHECKING:
    from ...macgyver.asking import ModelClient
    from ...macgyver.making import Batch, MakingPlan

SETTINGS_FILE, PROBLEMS_FILE = "making.json", "problems.jsonl"
_OTHERWISE = "choose another --out, or replace what was made there with --force"


def made_settings(found: ModelClient, plan: MakingPlan) -> dict[str, Any]:
    """What all problems of a folder have in common; more batches may come to them."""
    from ...macgyver.asking import recorded
    from ...runs.language_model.naming import described_for_name

    asking = asdict(found.asking)
    return {
        "model": described_for_name(found.model),
        "asking": {**asking, "extra": dict(asking["extra"])},
        "prompts": {name: recorded(prompt) for name, prompt in plan.prompts.items()},
        "tags": list(plan.tags),
        "size": plan.size,
        "distractors": plan.distractors,
        "tries": plan.tries,
        "seed": plan.seed,
    }


def claim(out: Path, found: ModelClient, plan: MakingPlan, batches: Sequence[Batch], force: bool) -> None:
    """Make the folder and write the settings; with ``force``, what is there stays until step 1 is through.

    Raises
    ------
    UserError
        If it cannot be written to or holds something else; without ``force`` also if it holds problems that
        were made otherwise, more batches, or some whose replies are not kept, since these would be lost.

    """
    from .shared import check_folder

    settings = made_settings(found, plan)
    if out.exists() and not out.is_dir():
        raise UserError(f"--out {out} is a file: name a folder")
    path = out / SETTINGS_FILE
    if path.is_file():
        check_folder(out, path)
        if _made(out):
            if force:
                return
            _check_settings(path, settings)
            _check_batches(out, found, plan, batches)
    elif out.is_dir() and any(out.iterdir()):
        raise UserError(f"--out {out} holds other files already: choose a new folder")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"--out {out} cannot be made ({error.strerror}): choose another folder") from error
    _write_settings(out, settings)


def _write_settings(out: Path, settings: Mapping[str, Any]) -> None:
    from ...files.text_file import write_text

    write_text(out / SETTINGS_FILE, json.dumps(settings, ensure_ascii=False, indent=1) + "\n")


def write_step(
    out: Path, step: str, found: ModelClient, plan: MakingPlan, batches: Sequence[Batch], force: bool
) -> None:
    """Write the file of one step; with ``force``, the first takes the place of all that was made before."""
    from ...files.text_file import write_text
    from ...macgyver.making import STEPS, step_rows

    if force and step == STEPS[0]:
        for file in _made(out):
            file.unlink()
        _write_settings(out, made_settings(found, plan))
    write_text(_step_file(out, step), json_lines(step_rows(step, batches)))


def _step_file(out: Path, step: str) -> Path:
    from ...macgyver.making import STEPS

    return out / f"{STEPS.index(step) + 1}_{step}.jsonl"


def _made(out: Path) -> list[Path]:
    """The files of steps and problems that are there."""
    from ...macgyver.making import STEPS

    return [
        file for file in (*(_step_file(out, step) for step in STEPS), out / PROBLEMS_FILE) if file.is_file()
    ]


def _check_settings(path: Path, settings: Mapping[str, Any]) -> None:
    try:
        there = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {_OTHERWISE}") from error
    if there != settings:
        told = ", ".join(_changes(there if isinstance(there, dict) else {}, settings))
        raise UserError(f"{path.parent} holds problems that were made otherwise ({told}): {_OTHERWISE}")


def _changes(there: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs, as it stands on the command line."""
    found = []
    for key, value in now.items():
        old = there.get(key)
        if old == value:
            continue
        if isinstance(value, int):
            found.append(f"--{key} {old}, not {value}")
        elif key in ("asking", "prompts") and isinstance(old, dict):
            inner = [name for name in value if old.get(name) != value[name]]
            if key == "prompts":
                found += [f"another {name}.jinja" for name in inner]
            else:
                found += [
                    f"model.{name}={json.dumps(old.get(name))}, not {json.dumps(value[name])}"
                    for name in inner
                ]
        else:
            found.append("other tags" if key == "tags" else "another model" if key == "model" else key)
    return found or ["with settings of another version"]


def _check_batches(out: Path, found: ModelClient, plan: MakingPlan, batches: Sequence[Batch]) -> None:
    """Raise UserError if batches would be lost that are there."""
    from ...llm.replies import CachedChat
    from ...macgyver.asking import ModelClient
    from ...macgyver.making import first_questions

    there = _batches(_made(out)[0])
    if there and max(there) > len(batches):
        raise UserError(
            f"{out} holds {counted(max(there), 'batch', 'batches')}, and --batches {len(batches)} would "
            f"leave some out: ask for at least as many, {_OTHERWISE}"
        )
    requests = ModelClient(found.model, found.asking, found.likeliest).drawn(first_questions(plan, batches))
    asked_before = [requests[number - 1] for number in sorted(there)]
    if not isinstance(found.model, CachedChat) or None in found.model.kept(asked_before):
        raise UserError(
            f"the replies are not kept that the problems in {out} were made of, so that all would be asked "
            f"anew: name the cache= of before, {_OTHERWISE}"
        )


def _batches(path: Path) -> set[int]:
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return {int(row["batch"]) for row in rows}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path} cannot be read: {_OTHERWISE}") from error
