"""Games as a table: walls solved and groups found by the number of guesses; a pure function of records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..runs.game.record import PlayRecord
from .sheet import Block, Cell, Line, Sheet

FoundPlayRecord = tuple[Path, PlayRecord]

_SHOWN = (3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)  # guesses


def play_sheet(records: Sequence[FoundPlayRecord]) -> Sheet:
    """A block a record: solved walls, and below them groups found, with at most so many guesses."""
    most = max(len(record.solved) for _, record in records)
    shown = [number for number in _SHOWN if number < most] + [most]
    blocks = []
    for _, record in records:
        walls, all_groups = record.dataset.n_walls, record.dataset.n_groups
        rows = (
            (f"{record.title}: walls solved", "walls", record.solved, f"of {walls:,}"),
            ("  groups found", "groups", record.groups, f"of {all_groups:,}"),
        )
        lines = []
        for head, short, counts, total in rows:
            cells = [f"{counts[min(number, len(counts)) - 1]:,}" for number in shown]
            lines.append(Line(head, short, tuple(map(Cell, [*cells, total]))))
        section = f"{dataset_title(record)}: {rules_text(record)}"
        blocks.append(Block(record.title, tuple(lines), section))
    heads = [f"≤{number}" for number in shown]
    return Sheet(
        "Walls solved and groups found with at most so many guesses",
        (*heads, "All"),
        tuple(blocks),
        tuple(_caption([record for _, record in records])),
    )


def _caption(records: Sequence[PlayRecord]) -> Iterator[str]:
    """What the rules are, sentence by sentence."""
    yield "With its third group found, a wall is solved: the fourth is left over."
    if any(record.rules["free_groups"] for record in records):
        yield "Lives after so many groups: a wrong guess costs none until these are found."
    if any(record.rules["one_away"] for record in records):
        yield "One away: a player is told when three of a wrong guess's clues belong together."


def dataset_title(record: PlayRecord) -> str:
    """Which walls were played, and how many were left out."""
    entry = record.dataset
    return f"{entry.name}{f' {entry.split}' if entry.split else ''}{entry.lacks}"


def rules_text(record: PlayRecord) -> str:
    """The rules in a few words; ``play_sheet`` says below what they mean."""
    rules = record.rules
    text = f"{rules['lives']} {'life' if rules['lives'] == 1 else 'lives'}"
    if rules["free_groups"]:
        text += f" after {rules['free_groups']} group{'' if rules['free_groups'] == 1 else 's'}"
    return text + (", one away" if rules["one_away"] else "")


def play_footer(record: PlayRecord, folder: Path) -> str:
    """How the games ended, what a language model's cost, the time and where the record is."""
    ended = record.ended
    lines = [
        f"ended solved {ended['solved']:,}, without lives {ended['lives']:,}, without guesses"
        f" {ended['guesses']:,}; wrong guesses {record.wrong:,}, void ones {record.void:,}"
    ]
    if record.usage is not None:
        usage = record.usage
        cost = "" if usage.cost is None else f"; cost {usage.cost:.4g}"
        lines.append(
            f"tokens: {usage.read:,} read, {usage.written:,} written; in this call {usage.paid_read:,} and"
            f" {usage.paid_written:,}{cost}"
        )
    spent = ", ".join(f"{step} {seconds:.1f} s" for step, seconds in record.timings.items())
    return "\n".join([*lines, *([spent] if spent else []), f"record: {folder}"])


def play_json(records: Sequence[FoundPlayRecord]) -> list[dict[str, Any]]:
    """What a program wants to know of each record; every guess is in the record itself."""
    return [
        {
            "folder": str(folder),
            "kind": "play",
            "name": record.name,
            "created": record.created,
            "player": record.player,
            "title": record.title,
            "dataset": {
                "name": record.dataset.name,
                "split": record.dataset.split,
                "fingerprint": record.dataset.fingerprint,
                "n_walls": record.dataset.n_walls,
                "n_groups": record.dataset.n_groups,
                "left_out": [asdict(wall) for wall in record.dataset.left_out],
            },
            "rules": record.rules,
            "order": record.order,
            "examples": len(record.examples),
            "solved": record.solved,
            "groups": record.groups,
            "ended": record.ended,
            "wrong": record.wrong,
            "void": record.void,
            "timings": record.timings,
            "config": record.config,
        }
        for folder, record in records
    ]
