"""The table of one run, made from its record alone: its row, the paper's and people's."""

from __future__ import annotations

from pathlib import Path

from ..metrics.scores import METRICS
from ..runs.encoder.record import Record
from ..terminal.writing import counted
from .comparison import model_title, on_paper_walls, row_key, settings_unlike, table_of
from .paper.encoders import PaperRow, PaperTable, shown_to_people
from .sheet import Block, Cell, Line, Sheet

NONE = "–"


def results_sheet(record: Record) -> Sheet:
    """The run's metrics as mean ± spread, beside the paper's row of the model where there is one."""
    walls, groups = record.dataset.n_walls, record.dataset.n_groups
    ours = {
        name: _spread(entry.mean, entry.std, 1) if record.n_seeds > 1 else f"{entry.mean:.1f}"
        for name, entry in record.metrics.items()
    }
    means = {name: entry.mean for name, entry in record.metrics.items()}
    title = model_title(record)
    lines = [Line(title, title, _cells(ours, _shares(means, walls, groups)), bold=True)]

    published = paper_row(record)
    if published is not None:
        table, row = published
        cells = {
            name: _spread(mean, spread, 0 if METRICS[name].total else 1)
            for name, (mean, spread) in row.values.items()
        }
        totals = {name: mean for name, (mean, _) in row.values.items()}
        notes = [f"with {unlike.written(unlike.paper)}" for unlike in settings_unlike(table, record)]
        if not on_paper_walls(table, record):
            notes.append(f"on its {table.n_walls} walls")
        head = "\n".join([f"paper: {row.title}", *notes])
        lines.append(Line(head, head, _cells(cells, _shares(totals, table.n_walls, table.n_groups))))

    human = record.dataset.human
    if human is not None and shown_to_people(record.dataset.name):
        counts = {name: human[name] for name in ("solved_walls", "correct_groups")}
        known = human["n_walls"]
        head = "people" if known == walls else f"people\non {counted(known, 'wall')}"
        shares = _shares(counts, known, known * groups // walls)
        lines.append(Line(head, head, _cells({name: str(count) for name, count in counts.items()}, shares)))
    return Sheet(
        title=walls_heading(record),
        columns=tuple(metric.title for metric in METRICS.values()),
        blocks=(Block("", tuple(lines)),),
        caption=tuple(_caption(record)),
    )


def walls_heading(record: Record) -> str:
    """What a run was on, and how often it was done."""
    walls = record.dataset
    split = f" {walls.split}" if walls.split else ""
    return f"{walls.name}{split}: {walls}, {counted(record.n_seeds, 'run')}"


def paper_row(record: Record) -> tuple[PaperTable, PaperRow] | None:
    """The published row of the record's model and the table that it is from, if the paper has one."""
    table = table_of(record)
    key = None if table is None else row_key(table, record)
    return None if table is None or key is None else (table, table.rows[key])


def _caption(record: Record) -> list[str]:
    """What the table's numbers mean."""
    said = ["% is the share of all walls or groups."]
    if record.n_seeds > 1:
        said.insert(
            0,
            "Mean±population standard deviation over the runs, each with its own order of the clues;",
        )
    published = paper_row(record)
    if published is not None and not on_paper_walls(published[0], record):
        said.append(
            f"The paper's row is on the {published[0].n_walls} walls of its test split, not on these:"
            " compare the shares, not the counts."
        )
    return said


def footer(record: Record, folder: Path, fresh: bool = True) -> str:
    """Where the time went, what ran where, and where the record is.

    Without ``fresh`` it was not this call that took the time, but the one that made the record.
    """
    spent = ", ".join(f"{step} {seconds:.1f} s" for step, seconds in record.timings.items())
    when = "" if fresh else f"when it was run, {record.created}: "
    lines = [f"{when}{spent} (encoder on {record.device['encoder']}, solver on {record.device['solver']})"]
    if record.unfinished:
        lines.append(
            f"{counted(record.unfinished, 'fit')} of {record.n_seeds * record.dataset.n_walls} stopped before"
            " they had converged: raise solver.max_iter"
        )
    unknown = record.encoder.get("unknown", {})
    # One count, or where models are fused one for each that has words.
    parts = {"the word vectors": unknown} if isinstance(unknown.get("clues"), int) else unknown
    lines += [
        f"unknown to {name}: {counts['clues']:,} of {counted(counts['of_clues'], 'clue')}"
        f" ({counts['words']:,} of {counted(counts['of_words'], 'word')})"
        for name, counts in parts.items()
        if counts["words"]
    ]
    equal = record.encoder.get("equal", {})
    if equal.get("clues"):
        lines.append(
            f"not told apart from another clue of their wall: {equal['clues']:,} of"
            f" {counted(equal['of_clues'], 'clue')}, on {counted(equal['walls'], 'wall')}"
        )
    lines.append(f"record: {folder}")
    return "\n".join(lines)


def _cells(texts: dict[str, str], shares: dict[str, str]) -> tuple[Cell, ...]:
    """A cell a metric; under a count its share."""
    return tuple(
        Cell(texts.get(name, NONE) + (f"\n{shares[name]}" if name in texts and name in shares else ""))
        for name in METRICS
    )


def _shares(counts: dict[str, float] | dict[str, int], n_walls: int, n_groups: int) -> dict[str, str]:
    totals = {"solved_walls": n_walls, "correct_groups": n_groups}
    return {name: f"{counts[name] / total:.1%}" for name, total in totals.items() if name in counts}


def _spread(mean: float, spread: float, digits: int) -> str:
    return f"{mean:.{digits}f}±{spread:.{digits}f}"
