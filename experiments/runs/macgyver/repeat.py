"""MacGyver's problems solved again from a record alone, and whether the answers came out equal."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ....conf.json_types import typed
from ....errors import UserError
from ...macgyver.solve_run import SolveSettings, prepare_solving, solve_run, written_answers
from ...terminal.progress import ProgressBars
from ...terminal.writing import counted
from ..comparison import version_differences
from ..provenance import versions
from ..store import check_writable, damaged
from .record import ANSWERS, read_macgyver_record, write_macgyver_record


@dataclass(frozen=True, slots=True)
class AnswerRepetition:
    """A record's answers, and how many are the same now."""

    n_answers: int
    same_texts: int
    same_verdicts: int
    versions: dict[str, tuple[str | None, str | None]]  # then and now, where they differ
    folder: Path | None  # the repetition's own record, where it was asked for

    @property
    def equal(self) -> bool:
        """Whether all answers are the same, letter by letter, and read as before."""
        return self.same_texts == self.same_verdicts == self.n_answers

    def lines(self) -> list[str]:
        """What is to be said of it."""
        total = counted(self.n_answers, "answer")
        lines = [f"answers: {self.same_texts:,} of {total} the same, {self.same_verdicts:,} read as before"]
        lines += [f"version of {name}: {a} then, {b} now" for name, (a, b) in self.versions.items()]
        if self.folder is not None:
            lines.append(f"record: {self.folder}")
        return [*lines, "The answers came out equal." if self.equal else "The answers came out otherwise."]


def repeat_answers(
    folder: Path,
    bars: ProgressBars,
    problems: str | None = None,
    out: Path | None = None,
    cache: str | None = None,
) -> AnswerRepetition:
    """Solve a record's problems again; parameters and errors as of ``Kind.repeat``, ``problems`` as walls."""
    record = read_macgyver_record(folder)
    before = _answers(folder)
    if out is not None:
        if (out / record.name).exists():
            raise UserError(f"out={out} holds a record {record.name} already: name another folder")
        check_writable(out)
    try:
        settings: SolveSettings = typed(SolveSettings, record.config, "config")
    except UserError:
        raise
    except ValueError as error:
        raise UserError(f"the record {record.name} is damaged ({error}): solve again") from error
    if problems is not None:
        settings = replace(settings, problems=problems)
    if cache is not None:
        settings = replace(settings, cache=cache)
    prepared = prepare_solving(settings)
    if prepared.fingerprint != record.dataset.fingerprint:
        raise UserError(
            f"the problems in {settings.problems} are not those of the record: name the right ones with"
            " --walls PATH, or solve again"
        )
    made = solve_run(prepared, bars)
    now = [json.loads(line) for line in written_answers(made).splitlines()]
    if out is not None:
        write_macgyver_record(out, made.record, written_answers(made))
    pairs = list(zip(before, now, strict=True))
    return AnswerRepetition(
        len(before),
        sum(a["answer"] == b["answer"] for a, b in pairs),
        sum(a["solvability"] == b["solvability"] for a, b in pairs),
        version_differences(record.versions, versions()),
        None if out is None else out / made.record.name,
    )


def _answers(folder: Path) -> list[dict[str, Any]]:
    try:
        text = (folder / ANSWERS).read_text(encoding="utf-8", errors="surrogatepass")
        answers = [json.loads(line) for line in text.splitlines()]
        if not all({"answer", "solvability"} <= answer.keys() for answer in answers):
            raise ValueError("an answer lacks its text or what was read")
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise damaged(folder, f"{ANSWERS}: {error}") from error
    return answers
