"""A published table beside what records say: which record stands in which row, and how far off it is.

Pure functions of records; ``comparison_sheet`` shows what they return.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import hypot
from pathlib import Path
from typing import Any

from ..metrics.scores import METRICS
from ..runs.encoder.record import CLUSTERING, Record
from ..runs.envelope import DatasetEntry
from ..runs.settings import written
from .paper.encoders import TABLES, PaperRow, PaperTable, shown_to_people

NOT_IN_PAPER = "Not in the paper"

_DEFAULTS = {"embedding": "static", "features": "none", "solver": "kmeans"}


@dataclass(frozen=True, slots=True)
class Unlike:
    """A setting that the paper's code had otherwise."""

    group: str
    key: str
    ours: Any
    paper: Any

    def written(self, value: Any) -> str:
        """The setting with a value, its own or the paper's, about as the command line takes it."""
        return f"{self.group if self.key == 'name' else self.key}={written(value)}"


@dataclass(frozen=True, slots=True)
class OwnRow:
    """A record in a row. ``differences`` are those of ``difference``, None where there is none to state."""

    record: Record
    folder: Path
    on_paper_walls: bool
    unlike: tuple[Unlike, ...]
    differences: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A row of the paper, or a model that it does not have, and the records that stand in it, best first."""

    key: str | None
    title: str
    section: str
    paper: PaperRow | None
    ours: tuple[OwnRow, ...]


@dataclass(frozen=True, slots=True)
class PaperComparison:
    """A table with all its rows; ``left_out`` counts the records that others in their rows stand for."""

    table: PaperTable
    dataset: str
    rows: tuple[ComparedRow, ...]
    left_out: int

    @property
    def own(self) -> Iterator[OwnRow]:
        """Every record that is shown."""
        return (own for row in self.rows for own in row.ours)

    @property
    def in_shares(self) -> bool:
        """Whether counts must be shown as shares, since some are of other walls than the paper's."""
        return not all(own.on_paper_walls for own in self.own)

    @property
    def walls(self) -> tuple[DatasetEntry, ...]:
        """The different walls that the records shown are on."""
        return tuple({own.record.dataset.fingerprint: own.record.dataset for own in self.own}.values())

    @property
    def solved_by_people(self) -> tuple[tuple[DatasetEntry, Mapping[str, int]], ...]:
        """Those of the walls of which the data says what people solved, with these counts."""
        return tuple(
            (walls, walls.human)
            for walls in self.walls
            if walls.human is not None and shown_to_people(walls.name)
        )


def compare_with_paper(
    table: PaperTable,
    records: Iterable[tuple[Path, Record]],
    dataset: str | None = None,
    every: bool = False,
) -> PaperComparison:
    """Put records into a table's rows.

    A record belongs to the table if its data set and embedding are the table's. It stands in the row that
    its model names, if what is clustered are the vectors as they are; otherwise in a row of its own below.

    Parameters
    ----------
    table
        The published table.
    records
        Records with their folders.
    dataset
        The name of another data set than the table's to take records from.
    every
        Keep all records of a row. Otherwise the one that is nearest to the paper's run: of this version's
        clustering, on the paper's walls, or on nearly as many, then with the fewest settings unlike its own,
        then with as many runs, then the newest.

    """
    wanted = table.dataset if dataset is None else dataset
    found: dict[str | None, dict[str, list[OwnRow]]] = {}
    for folder, record in sorted(records, key=lambda pair: pair[1].created, reverse=True):
        if record.dataset.name == wanted and choice(record, "embedding") == table.embedding:
            key = row_key(table, record)
            title = "" if key else model_title(record)
            found.setdefault(key, {}).setdefault(title, []).append(_own_row(table, key, folder, record))
    shown = {
        key: {title: _nearest(table, rows, every) for title, rows in titles.items()}
        for key, titles in found.items()
    }
    rows = [
        ComparedRow(key, row.title, row.section, row, shown.get(key, {}).get("", ()))
        for key, row in table.rows.items()
    ]
    rows += [
        ComparedRow(None, title, NOT_IN_PAPER, None, own)
        for title, own in sorted(shown.get(None, {}).items(), key=lambda item: item[0].casefold())
    ]
    n_found = sum(len(own) for titles in found.values() for own in titles.values())
    return PaperComparison(table, wanted, tuple(rows), n_found - sum(len(row.ours) for row in rows))


def _nearest(table: PaperTable, rows: list[OwnRow], every: bool) -> tuple[OwnRow, ...]:
    """The rows of one place, newest first, by how near they are to the paper's run; one unless ``every``."""
    ranked = sorted(
        rows,
        key=lambda own: (
            own.record.clustering != CLUSTERING,  # its scores may be of a fault that is mended
            not own.on_paper_walls,
            abs(own.record.dataset.n_walls - table.n_walls),
            len(own.unlike),
            own.record.n_seeds != table.n_runs,
            -own.record.n_seeds,
        ),
    )
    return tuple(ranked if every else ranked[:1])


def _own_row(table: PaperTable, key: str | None, folder: Path, record: Record) -> OwnRow:
    differences: dict[str, float | None] = dict.fromkeys(table.columns)
    if key is not None:
        differences = {name: difference(table, table.rows[key], record, name) for name in table.columns}
    return OwnRow(
        record, folder, on_paper_walls(table, record), tuple(settings_unlike(table, record)), differences
    )


def difference(table: PaperTable, row: PaperRow, record: Record, metric: str) -> float | None:
    """Ours less the paper's, in units of the square root of the sum of both variances over the runs.

    Counts are compared as shares of all walls or groups. None where the record lacks the metric, or the
    two differ and neither has a spread.
    """
    if metric not in record.metrics:
        return None
    entry = record.metrics[metric]
    of_paper, of_ours = share_of(metric, table), share_of(metric, record.dataset)
    paper, paper_std = (value / of_paper for value in row.values[metric])
    apart = entry.mean / of_ours - paper
    spread = hypot(entry.std / of_ours, paper_std)
    if spread == 0:
        return 0.0 if apart == 0 else None
    return apart / spread


def share_of(metric: str, walls: PaperTable | DatasetEntry) -> int:
    """What a count is a share of: all walls or all groups. 1 for what is not a count."""
    if not METRICS[metric].total:
        return 1
    return walls.n_walls if METRICS[metric].unit == "walls" else walls.n_groups


def table_of(record: Record) -> PaperTable | None:
    """The table that a run is to be read beside: that of its embedding and, if there is one, its data set."""
    embedding = choice(record, "embedding")
    fitting = [table for table in TABLES.values() if table.embedding == embedding]
    own = [table for table in fitting if table.dataset == record.dataset.name]
    # What the paper has on its own walls is the yardstick for any other walls.
    return next(iter(own or [table for table in fitting if table.dataset == "ocw"]), None)


def row_key(table: PaperTable, record: Record) -> str | None:
    """The key of the row that a record stands in; None if the table has none for it."""
    key = record.config["model"].get("paper_row")
    return key if key in table.rows and choice(record, "features") == _DEFAULTS["features"] else None


def on_paper_walls(table: PaperTable, record: Record) -> bool:
    """Whether a run was on as many walls of the table's data set as the paper's."""
    return record.dataset.name == table.dataset and record.dataset.n_walls == table.n_walls


def settings_unlike(table: PaperTable, record: Record) -> Iterator[Unlike]:
    """The settings of a record that the paper's code had otherwise; of another solver, its name alone."""
    for group, settings in table.settings.items():
        ours = record.config.get(group, {})
        for key, paper in settings.items():
            if ours.get(key, paper) != paper:
                yield Unlike(group, key, ours[key], paper)
                if key == "name":
                    break


def choice(record: Record, group: str) -> str:
    """What a record chose of a group of the configuration."""
    return str(record.config.get(group, {}).get("name", _DEFAULTS[group]))


def model_title(record: Record) -> str:
    """The model as a table names it, with what else is not as it is by default."""
    model = record.config["model"]
    chosen = [name for group, default in _DEFAULTS.items() if (name := choice(record, group)) != default]
    return ", ".join([str(model.get("title") or model["name"]), *chosen])
