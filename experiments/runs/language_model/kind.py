"""What lists, comparisons, repetitions and sweeps know of the runs of a language model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....conf.schema import PathsConfig
from ....errors import UserError
from .. import LANGUAGE_PACKAGES
from ..kinds import Kind, split_filter
from ..listing import data_shown
from ..settings import flat_settings, value_is
from .config import language_config_of
from .record import LAYOUT, LanguageRecord
from .titles import samples_of, title_of

if TYPE_CHECKING:
    from ...terminal.progress import ProgressBars
    from ..comparison import Agreement
    from .repeat import LanguageRepetition
    from .runs import LanguageRuns

# Settings of a run that have no part in what its model answers.
_NO_MATTER = {"out", "cache", "dataset.path", "example_walls", "dataset.name", "dataset.split"}
_NO_MATTER |= {f"paths.{item.name}" for item in fields(PathsConfig)}
_NO_MATTER |= {
    "model.concurrency",
    "model.timeout",
    "model.attempts",
    "model.key_variable",
    "model.tokenizer",
}
_NO_MATTER |= {"model.price_in", "model.price_out", "model.batch_size", "dataset.folder_split"}


class LanguageKind(Kind[LanguageRecord]):
    """Runs of ``fourfold llm``."""

    name = "language_model"
    plural = "of language models"
    layout = LAYOUT
    place = 1
    packages = LANGUAGE_PACKAGES
    extra_name = "llm"
    metrics = (
        *("wd", "fms", "ari", "ami", "solved_walls", "correct_groups"),  # of task 1
        *("exact_match", "rouge1", "bertscore", "minilm_match"),  # of task 2
    )
    heads = ("Task", "Data (walls)", "Examples", "Orders")
    caption = ()

    def title(self, record: LanguageRecord) -> str:
        """The model's title, with what the engine had to do with its answers."""
        return title_of(record)

    def cells(self, record: LanguageRecord) -> tuple[str, ...]:
        """Task, data, examples, and orders with the samples of each."""
        return str(record.task), data_shown(record.dataset), str(len(record.examples)), orders_shown(record)

    def extra(self, record: LanguageRecord) -> dict[str, Any]:
        """The model, the task, its examples, and the shares of faults."""
        return {
            "model": record.config["model"]["name"],
            "task": record.task,
            "examples": len(record.examples),
            "faults": record.faults,
        }

    def settings(self, record: LanguageRecord) -> dict[str, Any]:
        """Every setting that says what a run was; not where things lie, nor how fast it went."""
        return telling_settings(record)

    def keys(self, record: LanguageRecord) -> dict[str, Any]:
        """Every setting as the command line takes it, ``dataset`` by name too."""
        settings = flat_settings(record.config)
        return settings | {"dataset": record.dataset.name, "examples": len(record.examples)}

    def test(self, word: str) -> Callable[[LanguageRecord], bool]:
        """As in ``task=2``, ``examples=3`` or ``model=NAME_OR_TITLE``."""
        key, wanted = split_filter(word)

        def fits(record: LanguageRecord) -> bool:
            if key == "model":
                name = str(record.config["model"]["name"])
                called = {name.casefold(), Path(name).name.casefold(), title_of(record).casefold()}
                return wanted.casefold() in called
            settings = self.keys(record)
            return key in settings and value_is(settings[key], wanted)

        return fits

    def about(self, record: LanguageRecord) -> str:
        """The title and what the run was asked."""
        from ...tables.language_results import heading

        return f"{title_of(record)}. {heading(record)}"

    def agreement(
        self, a: tuple[Path, LanguageRecord], b: tuple[Path, LanguageRecord], same_walls: bool
    ) -> Agreement:
        """How far the same questions are answered alike."""
        from .predictions import answered_alike

        return answered_alike(a, b, same_walls)

    def repeat(
        self, folder: Path, bars: ProgressBars, walls: str | None, out: Path | None, cache: str | None
    ) -> LanguageRepetition:
        """Ask again, but for the replies that are stored."""
        from .repeat import repeat_language_model

        return repeat_language_model(folder, bars, walls, out, cache)

    def export(self, folder: Path, out: Path | None, walls: str | None, force: bool) -> Path:
        """The record's own folder of predictions, or a copy."""
        from .predictions import export_language_record

        if walls is not None:
            raise UserError(f"--walls={walls} does not apply to {folder}, which holds its own: leave it out")
        return export_language_record(folder, out, force)

    def spent(self, records: Sequence[LanguageRecord]) -> str:
        """Tokens, and money where its price is known."""
        from ...tables.language_results import tokens_text

        return tokens_text([record.usage for record in records])

    def runs(self) -> LanguageRuns:
        """Runs of one model share a job."""
        from .runs import LanguageRuns

        return LanguageRuns()


def orders_shown(record: LanguageRecord) -> str:
    """The orders of the clues whose runs a record's metrics are of, with the samples of each: 16×5."""
    samples = samples_of(record) if record.n_seeds > 1 else 1
    return f"{record.n_seeds // samples:,}" + (f"×{samples:,}" if samples > 1 else "")


def telling_settings(record: LanguageRecord) -> dict[str, Any]:
    """Every setting that says what a run was, and its walls; not where things lie, nor how fast it went."""
    try:
        config: dict[str, Any] = asdict(language_config_of(record))  # with what an older record does not name
    except UserError:
        config = record.config
    settings = {key: value for key, value in flat_settings(config).items() if key not in _NO_MATTER}
    return settings | {"dataset.walls": record.dataset.fingerprint[:12]}


KIND = LanguageKind()
