"""The paper's tables of language models beside records: pure functions of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..metrics.scores import METRICS
from ..paper.language_tables import (
    ABOUT_SIDE_BY_SIDE,
    LANGUAGE_TABLES,
    SIDE_BY_SIDE,
    LanguageTable,
)
from ..paper.row import COLUMNS
from ..tables.sheet import Block, Cell, Line, Sheet
from .record import LanguageRecord
from .record_list import COUNTS, FoundLanguageRecord, check_dataset, chosen_records, samples_of, title_of

NONE = "–"
_TITLES = {"ocw": "OCW", "ocw_randomized": "Randomized", "ocw_wordnet": "WordNet"}


def language_sheet(
    number: int, records: Sequence[FoundLanguageRecord], dataset: str | None = None, every: bool = False
) -> Sheet:
    """A table of the paper with the records' rows below its own.

    Parameters
    ----------
    number
        4, 5, 9 or 10.
    records
        Those of task 1 on the table's data set are shown; of a model and number of examples the newest.
    dataset
        Take the records on this data set instead.
    every
        Show all records.

    Raises
    ------
    UserError
        Where ``dataset`` is given for Table 5, which has three.

    """
    check_dataset(number, dataset)
    grouping = [record for _, record in records]
    if number == SIDE_BY_SIDE:
        return _side_by_side(grouping)
    table = LANGUAGE_TABLES[number]
    ours = chosen_records(grouping, dataset or table.dataset, every)
    shares = any(_other_walls(table, record, dataset) for record in ours)
    blocks = [*_paper_blocks(table, shares), *_own_blocks(ours, shares)]
    if people := tuple(_people(table, ours, shares)):
        blocks.append(Block("", people, "People"))
    titles = [METRICS[name].title + (" %" if shares and name in COUNTS else "") for name in COLUMNS]
    return Sheet(
        f"Table {number} of the Only Connect Wall paper: {table.about}",
        tuple(titles),
        tuple(blocks),
        tuple(_caption(ours, shares)),
    )


def _side_by_side(grouping: Sequence[LanguageRecord]) -> Sheet:
    tables = tuple(LANGUAGE_TABLES.values())
    ours = {table.dataset: chosen_records(grouping, table.dataset) for table in tables}
    shares = any(_other_walls(table, each, None) for table in tables for each in ours[table.dataset])
    columns = tuple(
        f"{_TITLES[table.dataset]} {what}{' %' if shares else ''}"
        for table in tables
        for what in ("walls", "groups")
    )
    blocks = []
    for model in dict.fromkeys(model for model, _ in tables[0].rows):
        lines = [
            _line(
                examples,
                [_paper_count(table, (model, examples), name, shares) for table in tables for name in COUNTS],
            )
            for owner, examples in tables[0].rows
            if owner == model
        ]
        blocks.append(Block(model, tuple(lines), f"{model} (paper)"))
    titled = {(title_of(each), len(each.examples)): None for found in ours.values() for each in found}
    for title in dict.fromkeys(title for title, _ in titled):
        lines = []
        for examples in sorted(number for owner, number in titled if owner == title):
            cells = []
            for table in tables:
                alike = [
                    e for e in ours[table.dataset] if (title_of(e), len(e.examples)) == (title, examples)
                ]
                cells += [_own_value(alike[0], name, shares) if alike else NONE for name in COUNTS]
            lines.append(_line(examples, cells))
        blocks.append(Block(title, tuple(lines), f"{title} (ours)"))
    return Sheet(
        f"Table {SIDE_BY_SIDE} of the Only Connect Wall paper: {ABOUT_SIDE_BY_SIDE}",
        columns,
        tuple(blocks),
        tuple(_caption([each for found in ours.values() for each in found], shares)),
    )


def _other_walls(table: LanguageTable, record: LanguageRecord, dataset: str | None) -> bool:
    return dataset not in (None, table.dataset) or record.dataset.n_walls != table.n_walls


def _paper_blocks(table: LanguageTable, shares: bool) -> Iterator[Block]:
    for model in dict.fromkeys(model for model, _ in table.rows):
        lines = [
            _line(examples, [_paper_cell(table, (owner, examples), name, shares) for name in COLUMNS])
            for owner, examples in table.rows
            if owner == model
        ]
        yield Block(model, tuple(lines), f"{model} (paper)")


def _own_blocks(ours: Sequence[LanguageRecord], shares: bool) -> Iterator[Block]:
    for title in dict.fromkeys(map(title_of, ours)):
        lines = [
            _line(len(record.examples), [_own_value(record, name, shares) for name in COLUMNS])
            for record in ours
            if title_of(record) == title
        ]
        yield Block(title, tuple(lines), f"{title} (ours)")


def _line(examples: int, cells: Sequence[str]) -> Line:
    head = f"  {examples} example{'' if examples == 1 else 's'}"
    return Line(head, head.strip(), tuple(map(Cell, cells)))


def _paper_cell(table: LanguageTable, row: tuple[str, int], name: str, shares: bool) -> str:
    if name in COUNTS:
        return _paper_count(table, row, name, shares)
    return f"{table.rows[row][name]:g}" if table.rows[row][name] < 10 else f"{table.rows[row][name]:.1f}"


def _paper_count(table: LanguageTable, row: tuple[str, int], name: str, shares: bool) -> str:
    value = table.rows[row][name]
    return f"{100 * value / _total(name, table):.1f}" if shares else f"{value:.0f}"


def _own_value(record: LanguageRecord, name: str, shares: bool) -> str:
    metric = record.metrics[name]
    scale, digits = 1.0, 1
    if name in COUNTS:
        scale = 100 / _total(name, record.dataset) if shares else 1.0
        digits = 1 if shares or record.n_seeds > 1 else 0
    text = f"{scale * metric.mean:.{digits}f}"
    return text if record.n_seeds == 1 else f"{text}±{scale * metric.std:.{digits}f}"


def _total(name: str, walls: object) -> int:
    total: int = getattr(walls, "n_walls" if name == "solved_walls" else "n_groups")
    return total


def _people(table: LanguageTable, ours: Sequence[LanguageRecord], shares: bool) -> Iterator[Line]:
    if table.human is not None:
        yield _person("by the paper", table.human, table.n_walls, table.n_groups, shares)
        seen = set()
        for record in ours:
            entry = record.dataset
            if entry.human is not None and entry.fingerprint not in seen:
                seen.add(entry.fingerprint)
                known = entry.human["n_walls"]
                groups = known * entry.n_groups // entry.n_walls
                yield _person(f"by the data, {known:,} walls", entry.human, known, groups, shares)


def _person(title: str, counts: Mapping[str, int], n_walls: int, n_groups: int, shares: bool) -> Line:
    totals = {"solved_walls": n_walls, "correct_groups": n_groups}
    cells = [
        NONE
        if name not in totals
        else f"{100 * counts[name] / totals[name]:.1f}"
        if shares
        else str(counts[name])
        for name in COLUMNS
    ]
    return Line(title, title, tuple(map(Cell, cells)))


def _caption(ours: Sequence[LanguageRecord], shares: bool) -> Iterator[str]:
    yield "Examples: solved walls in the prompt. The paper's models were asked once a wall, at temperature 0."
    if any(record.n_seeds > 1 for record in ours):
        several = " and the samples of each" if any(samples_of(record) > 1 for record in ours) else ""
        yield f"Mean±population standard deviation over the orders of the clues{several}."
    if shares:
        walls = sorted(
            {f"{each.dataset.n_walls:,} walls of {each.dataset.name}{each.dataset.lacks}" for each in ours}
        )
        yield (
            f"Warning: ours are on {' and on '.join(walls)}, not on the paper's 494: counts are shown as"
            " shares of all walls or groups, and differences may be due to the walls."
        )
