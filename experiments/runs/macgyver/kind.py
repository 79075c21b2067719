"""What lists, comparisons and repetitions know of answers to MacGyver's problems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...terminal.writing import counted
from .. import LANGUAGE_PACKAGES
from ..kinds import Kind
from ..settings import flat_settings
from .record import LAYOUT, MacGyverRecord

if TYPE_CHECKING:
    from ...terminal.progress import ProgressBars
    from .repeat import AnswerRepetition

# What has no part in what a model answers.
_NO_MATTER = (
    "cache",
    "problems",
    "model.concurrency",
    "model.timeout",
    "model.attempts",
    "model.key_variable",
)


class MacGyverKind(Kind[MacGyverRecord]):
    """Runs of ``fourfold macgyver solve --records``."""

    name = "macgyver"
    plural = "of MacGyver's problems"
    layout = LAYOUT
    place = 3
    packages = LANGUAGE_PACKAGES
    extra_name = "llm"
    metrics = ("solvable", "unsolvable", "needs_clarification", "unread")
    heads = ("Data (problems)", "Answers")
    caption = ("Percent of the problems by what the answer says of them; mean±spread over several answers.",)

    def title(self, record: MacGyverRecord) -> str:
        """The model's, with the strategy."""
        model = record.config["model"]
        name = model.get("title") or model["name"] if isinstance(model, dict) else "model"
        return f"{Path(str(name)).name}, {record.config['strategy']}"

    def metric_titles(self) -> dict[str, str]:
        """As the answers' file names the verdicts."""
        return {name: name.replace("_", " ") for name in self.metrics}

    def settings(self, record: MacGyverRecord) -> dict[str, Any]:
        """All that the answers depend on, and the problems."""
        flat = {key: value for key, value in flat_settings(record.config).items() if key not in _NO_MATTER}
        return flat | {"problems": record.dataset.fingerprint[:12]}

    def extra(self, record: MacGyverRecord) -> dict[str, Any]:
        """Which models answered."""
        return {"served": record.served}

    def about(self, record: MacGyverRecord) -> str:
        """One line on a record, at the head of a comparison."""
        problems = counted(record.dataset.n_walls, "problem")
        return f"{self.title(record)}, {problems}, {counted(record.n_seeds, 'answer')} each"

    def repeat(
        self, folder: Path, bars: ProgressBars, walls: str | None, out: Path | None, cache: str | None
    ) -> AnswerRepetition:
        """Ask again, or read the stored replies again."""
        from .repeat import repeat_answers

        return repeat_answers(folder, bars, walls, out, cache)


KIND = MacGyverKind()
