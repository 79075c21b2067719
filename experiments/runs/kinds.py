"""Kinds of runs: what lists, comparisons, repetitions, exports and sweeps know of a run, whatever it is.

Each kind is a folder beside this file with a module ``kind`` that holds its ``KIND``: a folder that is added
is found. A kind describes its records; ``Kind`` has a default for everything else, so that a new one starts
with a record's class, its ``Layout`` and a title.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from ...errors import UserError
from .envelope import MeasuredRecord
from .settings import flat_settings, value_is
from .store import RecordLayout, list_records

if TYPE_CHECKING:
    from ..tables.sheet import Sheet
    from ..terminal.progress import ProgressBars
    from .comparison import Agreement, RecordComparison
    from .sweep_plan import RunKind

R = TypeVar("R", bound=MeasuredRecord)


class Repetition(Protocol):
    """A record's run, done again, and whether it came out equal."""

    @property
    def equal(self) -> bool:
        """Whether it did, bit for bit or letter by letter."""
        ...

    def lines(self) -> list[str]:
        """What is to be said of it."""
        ...


class Kind(Generic[R]):
    """One kind of run; subclasses override what differs from the defaults."""

    name: ClassVar[str]  # as in JSON: "encoder"
    plural: ClassVar[str]  # what its records are of, in a heading after their number; may be empty
    layout: RecordLayout[R]
    place: ClassVar[int] = 9  # among the kinds: the first is listed first
    packages: ClassVar[Mapping[str, str]] = {}  # what a run needs: import names, and what pip calls them
    extra_name: ClassVar[str] = "experiments"  # the extra of fourfold that brings these
    metrics: ClassVar[tuple[str, ...]] = ()  # those that a list shows, in this order; () for all
    heads: ClassVar[tuple[str, ...]] = ("Data (walls)", "Seeds")  # the columns of ``cells``
    caption: ClassVar[tuple[str, ...]] = ("Mean±population standard deviation over the seeds.",)

    # What lists show.

    def title(self, record: R) -> str:
        """What lists and tables call a record's model."""
        raise NotImplementedError

    def cells(self, record: R) -> tuple[str, ...]:
        """What stands beside the title in a list, by the columns of ``heads``."""
        from .listing import data_shown

        return data_shown(record.dataset), f"{record.n_seeds:,}"

    def metric_titles(self) -> dict[str, str]:
        """The heading of each metric that lists and comparisons show."""
        from ..metrics.connection_metrics import CONNECTION_METRICS
        from ..metrics.scores import METRICS

        titles = {name: metric.title for name, metric in METRICS.items()}
        return titles | {name: metric.title for name, metric in CONNECTION_METRICS.items()}

    def extra(self, record: R) -> dict[str, Any]:
        """What ``fourfold runs --json`` says of a record beside what it says of every record."""
        return {}

    def sheet(self, records: Sequence[tuple[Path, R]], title: str) -> Sheet:
        """A row a record: its title, data, metrics as mean ± spread, date, the beginning of its name."""
        from .listing import list_sheet

        return list_sheet(self, records, title)

    # What filters and comparisons look at.

    def settings(self, record: R) -> dict[str, Any]:
        """Every setting that says what a run was, by its key on the command line."""
        return flat_settings(record.config) | {"dataset.walls": record.dataset.fingerprint[:12]}

    def keys(self, record: R) -> Iterable[str]:
        """The settings by which a record can be chosen."""
        return flat_settings(record.config)

    def test(self, word: str) -> Callable[[R], bool]:
        """Whether a record fits ``key=value``; UserError on a word that is no such filter."""
        key, value = split_filter(word)

        def fits(record: R) -> bool:
            if key == "model":
                return self.title(record).casefold() == value.casefold()
            if key == "dataset":
                return record.dataset.name == value
            settings = flat_settings(record.config)
            return key in settings and value_is(settings[key], value)

        return fits

    def about(self, record: R) -> str:
        """One line on a record, at the head of a comparison."""
        return f"{self.title(record)}, {record.dataset.name}, seeds={record.n_seeds}"

    def compare(self, a: tuple[Path, R], b: tuple[Path, R]) -> RecordComparison:
        """Two records side by side; UserError where the files of one cannot be read."""
        from .comparison import compare_records

        return compare_records(self, a, b)

    def agreement(self, a: tuple[Path, R], b: tuple[Path, R], same_walls: bool) -> Agreement:
        """How far two records give the same answers."""
        from .comparison import Agreement

        return Agreement(None, "")

    # What is done with a record or with settings.

    def repeat(
        self, folder: Path, bars: ProgressBars, walls: str | None, out: Path | None, cache: str | None
    ) -> Repetition:
        """Do a record's run again and compare.

        Parameters
        ----------
        folder
            The record.
        bars
            Shows progress.
        walls
            Where the walls are now, if not where the record says.
        out
            The folder for the repetition's own record; otherwise nothing is written.
        cache
            As the setting of that name, in place of the record's.

        Raises
        ------
        UserError
            If the record is damaged, its walls or model are missing, or the repetition would lie where the
            record does.

        """
        raise UserError(f"{folder} is the record of {self.layout.noun}, and such runs cannot be repeated")

    def export(self, folder: Path, out: Path | None, walls: str | None, force: bool) -> Path:
        """Write a record's predictions as the paper's evaluator reads them; the folder that holds them."""
        raise UserError(f"{folder} is the record of {self.layout.noun}, which has no predictions to export")

    def spent(self, records: Sequence[R]) -> str:
        """What the runs of these records cost, in a line; "" where they cost nothing but time."""
        return ""

    def runs(self) -> RunKind[Any]:
        """What a sweep needs to know to do such runs."""
        raise UserError(f"runs of {self.layout.noun} cannot be swept")


def split_filter(word: str) -> tuple[str, str]:
    """The key and the value of ``key=value``; UserError on any other word."""
    key, equals, value = word.partition("=")
    if not equals or not key or not value:
        raise UserError(f"'{word}' is not a filter: write key=value, as in model=minilm or seeds=16")
    return key, value.strip("'\"")


_ADDED: list[Kind[Any]] = []


def add_kind(kind: Kind[Any]) -> None:
    """Add a kind that is not in a folder of this package, such as another package's."""
    _ADDED.append(kind)


def kinds() -> tuple[Kind[Any], ...]:
    """All kinds, encoders first: in the order in which lists show them."""
    return (*_own(), *_ADDED)


@cache
def _own() -> tuple[Kind[Any], ...]:
    folder = Path(__file__).parent
    names = sorted(module.name for module in iter_modules([str(folder)]) if module.ispkg)
    own = [import_module(f".{name}.kind", __package__).KIND for name in names]
    return tuple(sorted(own, key=lambda kind: kind.place))


def kind_of(folder: Path) -> Kind[Any] | None:
    """The kind of the record that a folder holds, or None where it holds none."""
    return next((kind for kind in kinds() if kind.layout.is_at(folder)), None)


def kind_at(folder: Path) -> Kind[Any]:
    """The kind of the record that a folder holds; UserError where it holds none."""
    kind = kind_of(folder)
    if kind is not None:
        return kind
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder: name the folder of a record, as in runs/0123456789abcdef")
    if any(each.layout.is_at(inner) for inner in folder.glob("[!.]*") for each in kinds()):
        raise UserError(
            f"{folder} holds records and is not one: name one of them ('fourfold runs {folder}' lists them)"
        )
    files = " nor ".join(each.layout.file for each in kinds())
    raise UserError(f"{folder} is not a record: it has no {files}")


def listed(folder: Path) -> list[tuple[Kind[Any], list[tuple[Path, Any]], list[str]]]:
    """Of each kind the records of a folder, and what is to be said of those that cannot be read."""
    lists = []
    for kind in kinds():
        records, problems = [], []
        for each in list_records(kind.layout, folder):
            if each.record is None:
                problems.append(each.problem)
            else:
                records.append((each.folder, each.record))
        lists.append((kind, records, problems))
    return lists


def check_filters(
    words: Sequence[str], keys: Mapping[str, Any] | Iterable[str], known: Iterable[str]
) -> None:
    """Raise UserError on a filter by a setting that no record has."""
    from difflib import get_close_matches

    every = {*known, *keys}
    for word in words:
        key, _ = split_filter(word)
        if [*keys] and key not in every:
            near = get_close_matches(key, every, n=1)
            hint = f"did you mean {near[0]}=?" if near else "as in model=minilm, dataset=ocw or seeds=16"
            raise UserError(f"{word}: no record has a setting {key}: {hint}")
