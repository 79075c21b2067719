"""How a comparison with a published table is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..metrics.scores import METRICS
from ..runs.encoder.record import CLUSTERING
from ..runs.envelope import DatasetEntry
from ..terminal.writing import counted
from .comparison import ComparedRow, OwnRow, PaperComparison, share_of
from .paper.encoders import PaperTable
from .sheet import Block, Cell, Line, Sheet

NONE = "–"

Texts = dict[str, str]  # a cell's text by metric
_NO_BEST: Mapping[str, float] = {}


def comparison_sheet(found: PaperComparison) -> Sheet:
    """Each model's published row, the records' below it, and the differences."""
    shares = found.in_shares
    paper = {row.key: _texts(row.paper.values, found.table, shares, 0) for row in found.rows if row.paper}
    ours = {own.folder: _own_texts(own, shares) for own in found.own}
    best_of_paper = _best(found.table.columns, paper.values())
    # The best of ours is the best on the same walls only.
    best_of_ours = _best(found.table.columns, ours.values()) if len(found.walls) == 1 else {}
    blocks = []
    for row in found.rows:
        lines = []
        if row.paper is not None:
            lines.append(Line(row.title, "paper", _cells(found, paper[row.key], best_of_paper)))
            if not row.ours:
                lines.append(Line("  not run", "not run", _cells(found, {}), dim=True))
        for own in row.ours:
            lines += _own_lines(found, row, own, _cells(found, ours[own.folder], best_of_ours))
        blocks.append(Block(row.title, tuple(lines), row.section))
    if people := tuple(_people(found)):
        blocks.append(Block("", people, "People"))
    return Sheet(
        f"Table {found.table.number} of the Only Connect Wall paper: {found.table.about}",
        tuple(
            METRICS[name].title + (" %" if shares and METRICS[name].total else "")
            for name in found.table.columns
        ),
        tuple(blocks),
        tuple(_caption(found)),
    )


def _own_lines(
    found: PaperComparison, row: ComparedRow, own: OwnRow, cells: tuple[Cell, ...]
) -> Iterator[Line]:
    said = own_title(found.table, own, settings=row.paper is not None or len(row.ours) > 1)
    if row.paper is None:
        yield Line(row.title + said.removeprefix("ours"), said, cells)
        return
    yield Line(f"  {said}", said, cells)
    yield Line(
        "  difference",
        "difference",
        tuple(Cell(_signed(own.differences[name])) for name in found.table.columns),
    )


def own_title(table: PaperTable, own: OwnRow, settings: bool = True) -> str:
    """What sets a record apart from the paper's run, in a few words; without ``settings``, but for these."""
    said = ["ours"]
    if not own.on_paper_walls:
        said.append(walls_title(own.record.dataset, table.dataset))
    if own.record.n_seeds != table.n_runs:
        said.append(counted(own.record.n_seeds, "run"))
    if own.record.clustering < CLUSTERING:
        said.append("of an older fourfold")
    return ", ".join([*said, *(item.written(item.ours) for item in own.unlike if settings)])


def walls_title(walls: DatasetEntry, dataset: str = "") -> str:
    """How many walls, of which split, and of which data set if it is not ``dataset``."""
    which = [part for part in (walls.name if walls.name != dataset else "", walls.split) if part]
    return counted(walls.n_walls, "wall") + (f" of {' '.join(which)}" if which else "") + walls.lacks


def _people(found: PaperComparison) -> Iterator[Line]:
    """What people solved of the paper's walls, and of the walls that are shown."""
    if found.table.human is not None:
        yield _person(found, "by the paper", found.table.human, found.table.n_walls, found.table.n_groups)
    for walls, counts in found.solved_by_people:
        known = counts["n_walls"]
        where = walls_title(walls, found.table.dataset)
        if known != walls.n_walls:
            where = f"{known:,} of {where}"
        yield _person(found, f"by the data, {where}", counts, known, known * walls.n_groups // walls.n_walls)


def _person(
    found: PaperComparison, title: str, counts: Mapping[str, int], n_walls: int, n_groups: int
) -> Line:
    totals = {"solved_walls": n_walls, "correct_groups": n_groups}
    texts = {
        name: f"{100 * counts[name] / total:.1f}" if found.in_shares else str(counts[name])
        for name, total in totals.items()
    }
    return Line(title, title, _cells(found, texts))


def _caption(found: PaperComparison) -> Iterator[str]:
    """What the numbers mean, sentence by sentence."""
    table = found.table
    yield (
        f"Mean±population standard deviation over {table.n_runs} runs; the paper's are on {table.n_walls}"
        " walls."
    )
    if any(row.paper and row.ours for row in found.rows):
        yield (
            "Difference: ours less the paper's, which are rounded, in units of the square root of the sum of"
            f" the two variances; {NONE} where neither has a spread."
        )
    others = [walls for walls in found.walls if (walls.name, walls.n_walls) != (table.dataset, table.n_walls)]
    if others:
        yield (
            f"Warning: ours are on {' and on '.join(map(walls_title, others))}, not on the paper's: counts"
            " are shown as shares of all walls or groups, and differences may be due to the walls."
        )
    if found.left_out:
        yield (
            f"{counted(found.left_out, 'more record')} of these rows: shown is the"
            " one on the paper's walls or on nearly as many, then with the fewest settings unlike the"
            " paper's, then with as many runs, then the newest; --all shows every one."
        )
    several = len(list(found.own)) > 1 and len(found.walls) == 1
    yield "Bold: the best of the paper's, and of ours." if several else "Bold: the best of the paper's."


def _own_texts(own: OwnRow, shares: bool) -> Texts:
    """Those of a record; one run has no spread."""
    record = own.record
    values = {name: (entry.mean, entry.std) for name, entry in record.metrics.items()}
    texts = _texts(values, record.dataset, shares, 1)
    return texts if record.n_seeds > 1 else {name: text.split("±")[0] for name, text in texts.items()}


def _texts(
    values: Mapping[str, tuple[float, float]], walls: PaperTable | DatasetEntry, shares: bool, digits: int
) -> Texts:
    """Means with spreads; ``digits`` are those of counts, the others have one, as in the paper."""
    found = {}
    for name, (mean, std) in values.items():
        scale = 100 / share_of(name, walls) if shares and METRICS[name].total else 1
        places = digits if scale == 1 and METRICS[name].total else 1
        found[name] = f"{scale * mean:.{places}f}±{scale * std:.{places}f}"
    return found


def _best(columns: tuple[str, ...], rows: Iterable[Texts]) -> dict[str, float]:
    """The best mean of each column as it is shown, where not all rows have it."""
    found = {}
    shown = list(rows)
    for name in columns:
        means = [_mean(row[name]) for row in shown if name in row]
        if len(set(means)) > 1:
            found[name] = max(means) if METRICS[name].better == "higher" else min(means)
    return found


def _cells(found: PaperComparison, texts: Texts, best: Mapping[str, float] = _NO_BEST) -> tuple[Cell, ...]:
    return tuple(
        Cell(texts[name], best.get(name) == _mean(texts[name])) if name in texts else Cell(NONE)
        for name in found.table.columns
    )


def _mean(text: str) -> float:
    return float(text.split("±", maxsplit=1)[0])


def _signed(value: float | None) -> str:
    return NONE if value is None else f"{value:+.1f}".replace("-", "−")
