"""What lists, comparisons, repetitions and sweeps know of the runs of an encoder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...tables.comparison import model_title
from .. import PACKAGES
from ..kinds import Kind
from ..settings import record_test, settings_of
from .files import LAYOUT
from .record import Record

if TYPE_CHECKING:
    from ...terminal.progress import ProgressBars
    from ..comparison import Agreement
    from .repeat import EncoderRepetition
    from .runs import EncoderRuns


class EncoderKind(Kind[Record]):
    """Runs of ``fourfold run``."""

    name = "encoder"
    plural = ""
    layout = LAYOUT
    place = 0
    packages = PACKAGES
    metrics = ("wd", "fms", "ari", "ami", "solved_walls", "correct_groups")

    def title(self, record: Record) -> str:
        """The model's title, with what the paper's row has otherwise."""
        return model_title(record)

    def extra(self, record: Record) -> dict[str, Any]:
        """The devices, and the fits that stopped early."""
        return {"unfinished": record.unfinished, "device": record.device}

    def settings(self, record: Record) -> dict[str, Any]:
        """Every setting that says what a run was."""
        return settings_of(record)

    def test(self, word: str) -> Callable[[Record], bool]:
        """A model is a choice of the group ``model``, of which every setting counts, or a name or title."""
        return record_test(word)

    def agreement(self, a: tuple[Path, Record], b: tuple[Path, Record], same_walls: bool) -> Agreement:
        """How far the same walls are grouped alike."""
        from .agreement import grouped_alike

        return grouped_alike(a, b, same_walls)

    def repeat(
        self, folder: Path, bars: ProgressBars, walls: str | None, out: Path | None, cache: str | None
    ) -> EncoderRepetition:
        """Encode and cluster again."""
        from .repeat import repeat

        return repeat(folder, bars, walls, out, cache)

    def export(self, folder: Path, out: Path | None, walls: str | None, force: bool) -> Path:
        """Write one file a run."""
        from .export import export

        return export(folder, out=out, walls_path=walls, force=force)

    def runs(self) -> EncoderRuns:
        """Runs of one model and embedding share a job."""
        from .runs import EncoderRuns

        return EncoderRuns()


KIND = EncoderKind()
