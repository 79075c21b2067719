"""Records of every kind as one pandas DataFrame, and CSV in which no text becomes a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ..runs.envelope import DatasetEntry, MeasuredRecord, UsageEntry
from ..runs.kinds import Kind, listed

if TYPE_CHECKING:
    import pandas as pd


_PARTS = ("", "metric", "seconds", "usage", "setting", "version")  # in the order of the columns
_COLUMNS = ("seed", "seeds")  # which stand with what a record is, and are settings too
Listed = tuple[Kind[Any], Sequence[tuple[Path, Any]]]  # a kind, and some of its records with their folders


def read_frame(folder: str | Path, per_seed: bool = False) -> pd.DataFrame:
    """The records of a folder, as ``records_frame``; records that cannot be read are left out.

    Raises
    ------
    UserError
        If there is no such folder.

    """
    of_kinds = listed(Path(folder).expanduser())
    return records_frame(((kind, records) for kind, records, _ in of_kinds), per_seed)


def records_frame(records: Iterable[Listed], per_seed: bool = False) -> pd.DataFrame:
    """One row a record or, with ``per_seed``, one a record and seed.

    Columns are ``kind``, ``record`` (its name), ``folder``, ``title``, ``made``, the data set and its sizes,
    ``seeds`` (or ``seed``), each metric (its mean, and ``<metric>_std``; with ``per_seed`` its value),
    seconds of each step (``seconds.<step>``), tokens and cost of language models (``usage.<what>``), every
    other setting by its key on the command line, and versions (``version.<package>``). What a record does
    not have is missing.
    """
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for kind, folders in records:
        for folder, record in folders:
            rows += _rows(kind, folder, record, per_seed)
    frame = pd.DataFrame(rows)
    columns = sorted(frame.columns, key=lambda column: _PARTS.index(column[0]))  # stable: as they came
    settings = [column for column in columns if column[0] == "setting"]
    frame[settings] = frame[settings].convert_dtypes()  # where some lack a whole number, it stays one
    frame = frame.reindex(columns=columns)
    frame.columns = pd.Index([name for _, name in columns], dtype=object)
    return frame


def csv_of(frame: pd.DataFrame) -> str:
    """A frame as CSV without a newline at the end; a text that a spreadsheet would calculate stays a text."""
    text: str = frame.map(no_formula).to_csv(index=False, lineterminator="\n")
    return text.removesuffix("\n")


def _rows(kind: Kind[Any], folder: Path, record: MeasuredRecord, per_seed: bool) -> Iterator[dict[Any, Any]]:
    """Rows whose keys say to which part of the frame a column belongs, and what it is called."""
    whole: dict[tuple[str, str], Any] = {
        ("", "kind"): kind.name,
        ("", "record"): record.name,
        ("", "folder"): str(folder),
        ("", "title"): kind.title(record),
        ("", "made"): record.created,
        **_of_dataset(record.dataset),
    }
    after = _part("seconds", record.timings, "seconds.")
    after |= _of_usage(getattr(record, "usage", None))
    settings = {key: _cell(value) for key, value in kind.settings(record).items()}
    after |= _part("setting", {key: value for key, value in settings.items() if key not in _COLUMNS})
    after |= _part("version", record.versions, "version.")
    if not per_seed:
        metrics: dict[tuple[str, str], Any] = {("", "seeds"): record.n_seeds}
        for name, entry in record.metrics.items():
            metrics |= {("metric", name): entry.mean, ("metric", f"{name}_std"): entry.std}
        yield whole | metrics | after
        return
    for seed in range(record.n_seeds):
        values = {("metric", name): entry.per_seed[seed] for name, entry in record.metrics.items()}
        yield whole | {("", "seed"): seed} | values | after


def _of_dataset(entry: DatasetEntry) -> dict[tuple[str, str], Any]:
    sizes = {"walls": entry.n_walls, "clues": entry.n_points, "groups": entry.n_groups}
    named = {"dataset": entry.name, "split": entry.split, "fingerprint": entry.fingerprint}
    return _part("", named | sizes | {"left_out": len(entry.left_out)})


def _of_usage(usage: UsageEntry | Sequence[UsageEntry] | None) -> dict[tuple[str, str], Any]:
    """Sums over the runs; a cost that is not known of one is not known of all."""
    entries = [usage] if isinstance(usage, UsageEntry) else list(usage or ())
    if not entries:
        return {}
    sums = {
        name: sum(getattr(entry, name) for entry in entries)
        for name in ("read", "written", "paid_read", "paid_written", "unknown")
    }
    costs = [entry.cost for entry in entries]
    known = [cost for cost in costs if cost is not None]
    return _part("usage", sums | {"cost": sum(known) if len(known) == len(costs) else None}, "usage.")


def _part(name: str, values: Mapping[str, Any], prefix: str = "") -> dict[tuple[str, str], Any]:
    return {(name, f"{prefix}{key}"): value for key, value in values.items()}


def _cell(value: Any) -> Any:
    return str(value) if isinstance(value, list | dict) else value


# What a spreadsheet takes for the beginning of a formula, in half width and in full.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv_text(heads: Sequence[str], lines: Iterable[Mapping[str, Any]]) -> str:
    """The lines under their heads, without a newline at the end; what a line lacks, or is None, is empty.

    A text that a spreadsheet would calculate, such as a title of ``=1+1``, has an apostrophe before it, as
    spreadsheets write text themselves. Numbers stay numbers.
    """
    written: list[str] = []
    # With this end of a line, a carriage return in a text is quoted too.
    end = "\r\n"
    writer = csv.DictWriter(SimpleNamespace(write=written.append), heads, restval="", lineterminator=end)
    writer.writeheader()
    writer.writerows({head: no_formula(value) for head, value in line.items()} for line in lines)
    return "\n".join(line.removesuffix(end) for line in written)


def no_formula(value: Any) -> Any:
    """A text that a spreadsheet would calculate with an apostrophe before it; None is an empty text."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return "" if value is None else value
