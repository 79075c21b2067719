"""The paper's tables of language models beside records: pure functions of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..metrics.scores import METRICS
from ..runs.language_model.record import LanguageRecord
from ..runs.language_model.titles import COUNTS, FoundLanguageRecord, check_dataset, samples_of, title_of
from ..terminal.writing import counted
from .paper.encoders import COLUMNS
from .paper.language_models import ABOUT_SIDE_BY_SIDE, LANGUAGE_TABLES, SIDE_BY_SIDE, LanguageTable
from .record_choice import Chosen, about, choose_records
from .sheet import Block, Cell, Line, Sheet

NONE = "–"
_MOST_LISTED = 8
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
        Those of task 1 on the table's data set are shown; of a model and number of examples the one that is
        nearest to the paper's run.
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
    chosen = choose_records(grouping, dataset or table.dataset, every)
    ours = chosen.shown
    shares = any(_other_walls(table, record, dataset) for record in ours)
    blocks = [*_paper_blocks(table, shares), *_own_blocks(ours, shares)]
    if people := tuple(_people(table, ours, shares)):
        blocks.append(Block("", people, "People"))
    titles = [METRICS[name].title + (" %" if shares and name in COUNTS else "") for name in COLUMNS]
    return Sheet(
        f"Table {number} of the Only Connect Wall paper: {table.about}",
        tuple(titles),
        tuple(blocks),
        tuple(_caption(chosen, shares)),
    )


def _side_by_side(grouping: Sequence[LanguageRecord]) -> Sheet:
    tables = tuple(LANGUAGE_TABLES.values())
    chosen = {table.dataset: choose_records(grouping, table.dataset) for table in tables}
    ours = {name: each.shown for name, each in chosen.items()}
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
            own = [
                next(
                    (e for e in ours[table.dataset] if (title_of(e), len(e.examples)) == (title, examples)),
                    None,
                )
                for table in tables
            ]
            cells = [
                NONE if each is None else _own_value(each, name, shares) for each in own for name in COUNTS
            ]
            lines.append(_line(examples, cells, _walls_of(own)))
        blocks.append(Block(title, tuple(lines), f"{title} (ours)"))
    return Sheet(
        f"Table {SIDE_BY_SIDE} of the Only Connect Wall paper: {ABOUT_SIDE_BY_SIDE}",
        columns,
        tuple(blocks),
        tuple(
            _caption(
                Chosen(
                    [record for each in chosen.values() for record in each.shown],
                    [record for each in chosen.values() for record in each.others],
                ),
                shares,
            )
        ),
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
            _named_line(about(record), [_own_value(record, name, shares) for name in COLUMNS])
            for record in ours
            if title_of(record) == title
        ]
        yield Block(title, tuple(lines), f"{title} (ours)")


def _line(examples: int, cells: Sequence[str], walls: str = "") -> Line:
    return _named_line(counted(examples, "example") + (f", {walls}" if walls else ""), cells)


def _named_line(head: str, cells: Sequence[str]) -> Line:
    return Line(f"  {head}", head, tuple(map(Cell, cells)))


def _walls_of(records: Sequence[LanguageRecord | None]) -> str:
    """How many walls the records of one line are on, each if they differ."""
    numbers = [None if record is None else record.dataset.n_walls for record in records]
    known = {number for number in numbers if number is not None}
    if len(known) == 1:
        return counted(known.pop(), "wall")
    return "/".join(NONE if number is None else f"{number:,}" for number in numbers) + " walls"


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
                yield _person(f"by the data, {counted(known, 'wall')}", entry.human, known, groups, shares)


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


def _caption(chosen: Chosen, shares: bool) -> Iterator[str]:
    ours = chosen.shown
    yield "Examples: solved walls in the prompt."
    yield "The paper's models were asked once for each of 494 walls, at temperature 0."
    if any(record.n_seeds > 1 for record in ours):
        several = " and the samples of each" if any(samples_of(record) > 1 for record in ours) else ""
        yield f"Mean±population standard deviation over the orders of the clues{several}."
    if shares:
        walls = sorted(
            {
                f"{counted(each.dataset.n_walls, 'wall')} of {each.dataset.name}{each.dataset.lacks}"
                for each in ours
            }
        )
        yield (
            f"Warning: ours are on {' and on '.join(walls)}, not on the paper's 494: counts are shown as"
            " shares of all walls or groups, and differences may be due to the walls."
        )
    if chosen.others:
        named = [f"{title_of(each)}, {about(each)} ({each.name})" for each in chosen.others[:_MOST_LISTED]]
        more = len(chosen.others) - len(named)
        yield (
            f"Of each row the run that is nearest to the paper's is shown. Not shown: {'; '.join(named)}"
            f"{f'; and {more} more' if more else ''}."
        )
