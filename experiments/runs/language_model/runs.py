"""Runs of language models, as a sweep does them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ....conf.compose import compose_language_run
from ....conf.llm_schema import LanguageRunConfig
from ....conf.words import shown_word
from ...pipeline.encode import Shared
from ...tasks.prepare import model_key, prepare_language_run
from ...tasks.run import check_ready, run_language_model
from ...terminal.progress import ProgressBars
from ..sweep_plan import Done, Known
from .config import with_absolute_paths
from .naming import record_name
from .record import find_language_record


@dataclass(frozen=True, slots=True)
class LanguageRuns:
    """Runs of ``fourfold llm``; those of a job share a model, loaded once, and its kept replies.

    Of a ``dry`` sweep nothing is asked, and it is not checked whether it could be: no key is needed.
    """

    dry: bool = False

    def compose(self, words: Sequence[str]) -> LanguageRunConfig:
        """One run's configuration."""
        return with_absolute_paths(compose_language_run(words, swept=True))

    def shown(self, word: str) -> str:
        """The word, without what may be a key."""
        return shown_word(word)

    def look(self, config: LanguageRunConfig, shared: Shared) -> Known:
        """Read walls, examples and template, and make the model, which is not loaded and not asked."""
        prepared = prepare_language_run(config, shared=shared)
        return Known(
            record_name(prepared),
            model_key(config),
            f"{config.dataset}, {config.limit}, {config.encoder}",
            lambda: None if self.dry else check_ready(prepared, shared),
        )

    def is_done(self, config: LanguageRunConfig, name: str) -> bool:
        """Whether the record is there."""
        return find_language_record(Path(config.out), name) is not None

    def do(self, config: LanguageRunConfig, bars: ProgressBars, shared: Shared) -> Done:
        """Do the run."""
        outcome = run_language_model(prepare_language_run(config, shared=shared), bars, shared)
        return Done(outcome.folder, outcome.fresh)
