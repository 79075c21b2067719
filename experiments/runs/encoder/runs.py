"""Runs of encoders, as a sweep does them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ....conf.compose import compose_run
from ....conf.schema import RunConfig
from ....errors import ModelError, UserError
from ...data.dataset import load_walls
from ...pipeline.encode import Shared
from ...pipeline.run import check_fits, encoder_key, prepare_run, run
from ...terminal.progress import ProgressBars
from ..sweep_plan import Done, Known
from .config import with_absolute_paths
from .files import find_record


class EncoderRuns:
    """Runs of ``fourfold run``; those of a job share model and embedding."""

    def compose(self, words: Sequence[str]) -> RunConfig:
        """One run's configuration."""
        return with_absolute_paths(compose_run(words, swept=True))

    def shown(self, word: str) -> str:
        """The word itself."""
        return word

    def look(self, config: RunConfig, shared: Shared) -> Known:
        """Read the walls and make the encoder, whose model is not loaded."""
        walls = shared.once("walls", repr(config.dataset), lambda: load_walls(config.dataset))
        try:
            plan = prepare_run(config, ProgressBars(shown=False), shared, walls)
        except UserError as error:
            raise ModelError(str(error)) from error
        # Those that share walls and features share their Gram matrices too.
        beside = f"{config.dataset}, {config.features}"
        return Known(plan.name, encoder_key(config), beside, lambda: check_fits(plan))

    def is_done(self, config: RunConfig, name: str) -> bool:
        """Whether the record is there."""
        return find_record(Path(config.out), name) is not None

    def do(self, config: RunConfig, bars: ProgressBars, shared: Shared) -> Done:
        """Do the run."""
        outcome = run(config, bars, shared)
        return Done(outcome.folder, outcome.fresh)
