"""The table of one run, made from its record alone: its row, the paper's and people's."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table
from rich.text import Text

from .metrics.scores import METRICS
from .paper import row as published
from .paper import table3
from .record import Record

NONE = "–"

_DEFAULTS = {"embedding": "static", "features": "none", "solver": "kmeans"}


def results_table(record: Record) -> Table:
    """The run's metrics as mean ± spread, beside the paper's row of the model where there is one."""
    walls, groups = record.dataset.n_walls, record.dataset.n_groups
    split = f" {record.dataset.split}" if record.dataset.split else ""
    table = Table(
        title=f"{record.dataset.name}{split}: {_count(walls, 'wall')}, {_count(record.n_seeds, 'run')}",
        title_justify="left",
        caption=caption(record),
        caption_justify="left",
        box=None,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    table.add_column("Model", overflow="fold")  # the one column that gives way on a narrow terminal
    for metric in METRICS.values():
        head = metric.title.replace(" ", "\n", 1) if metric.title.count(" ") > 1 else metric.title
        table.add_column(head, justify="right", no_wrap=True)

    ours = {
        name: _spread(entry.mean, entry.std, 1) if record.n_seeds > 1 else f"{entry.mean:.1f}"
        for name, entry in record.metrics.items()
    }
    means = {name: entry.mean for name, entry in record.metrics.items()}
    _add(table, model_title(record), ours, _shares(means, walls, groups), style="bold")

    paper = paper_row(record)
    if paper is not None:
        cells = {
            name: _spread(mean, spread, 0 if METRICS[name].total else 1)
            for name, (mean, spread) in paper.values.items()
        }
        totals = {name: mean for name, (mean, _) in paper.values.items()}
        notes = [f"with {difference}" for difference in settings_unlike_ours(record)]
        if not on_paper_walls(record):
            notes.append(f"on its {published.N_WALLS} walls")
        shares = _shares(totals, published.N_WALLS, published.N_GROUPS)
        _add(table, "\n".join([f"paper: {paper.title}", *notes]), cells, shares)

    human = record.dataset.human
    if human is not None:
        counts = {name: human[name] for name in ("solved_walls", "correct_groups")}
        known = human["n_walls"]
        where = "" if known == walls else f"\non {_count(known, 'wall')}"
        shares = _shares(counts, known, known * groups // walls)
        _add(table, f"people{where}", {name: str(count) for name, count in counts.items()}, shares)
    return table


def model_title(record: Record) -> str:
    """The model as a table names it, with what else is not as it is by default."""
    model = record.config["model"]
    chosen = [_chosen(record, group) for group in _DEFAULTS]
    return ", ".join([str(model.get("title") or model["name"]), *(name for name in chosen if name)])


def _chosen(record: Record, group: str) -> str | None:
    """The record's choice of a group, if it is not the default."""
    name = record.config.get(group, {}).get("name", _DEFAULTS[group])
    return None if name == _DEFAULTS[group] else str(name)


def paper_row(record: Record) -> published.PaperRow | None:
    """The published row of the record's model, if the paper has one."""
    key = record.config["model"].get("paper_row")
    # Its Table 3 is on static embeddings as they are.
    if not key or _chosen(record, "embedding") or _chosen(record, "features"):
        return None
    return table3.ROWS.get(key)


def settings_unlike_ours(record: Record) -> list[str]:
    """The paper's settings of a model where the record's are others."""
    model = record.config["model"]
    return [f"{key}={value}" for key, value in table3.SETTINGS.items() if model.get(key, value) != value]


def on_paper_walls(record: Record) -> bool:
    """Whether the run was on the test split that the paper's rows are on."""
    return record.dataset.name == "ocw" and record.dataset.n_walls == published.N_WALLS


def caption(record: Record) -> str:
    """What the table's numbers mean."""
    text = "% is the share of all walls or groups."
    if record.n_seeds > 1:
        text = (
            "Mean±population standard deviation over the runs, each with its own order of the clues; " + text
        )
    if paper_row(record) is not None and not on_paper_walls(record):
        text += (
            f" The paper's row is on the {published.N_WALLS} walls of its test split, not on these:"
            " compare the shares, not the counts."
        )
    return text


def footer(record: Record, folder: Path) -> str:
    """Where the time went, what ran where, and where the record is."""
    spent = ", ".join(f"{step} {seconds:.1f} s" for step, seconds in record.timings.items())
    lines = [f"{spent} (encoder on {record.device['encoder']}, solver on {record.device['solver']})"]
    if record.unfinished:
        lines.append(
            f"{_count(record.unfinished, 'fit')} of {record.n_seeds * record.dataset.n_walls} stopped before"
            " they had converged: raise solver.max_iter"
        )
    unknown = record.encoder.get("unknown", {})
    # One count, or where models are fused one for each that has words.
    parts = {"the word vectors": unknown} if isinstance(unknown.get("clues"), int) else unknown
    lines += [
        f"unknown to {name}: {counts['clues']:,} of {_count(counts['of_clues'], 'clue')}"
        f" ({counts['words']:,} of {_count(counts['of_words'], 'word')})"
        for name, counts in parts.items()
        if counts["words"]
    ]
    lines.append(f"record: {folder}")
    return "\n".join(lines)


def _add(table: Table, title: str, cells: dict[str, str], shares: dict[str, str], style: str = "") -> None:
    def cell(name: str) -> Text:
        share = shares.get(name)
        return Text(cells.get(name, NONE) + (f"\n{share}" if share else ""), justify="right")

    table.add_row(Text(title), *map(cell, METRICS), style=style)


def _shares(counts: dict[str, float] | dict[str, int], n_walls: int, n_groups: int) -> dict[str, str]:
    totals = {"solved_walls": n_walls, "correct_groups": n_groups}
    return {name: f"{counts[name] / total:.1%}" for name, total in totals.items() if name in counts}


def _spread(mean: float, spread: float, digits: int) -> str:
    return f"{mean:.{digits}f}±{spread:.{digits}f}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
