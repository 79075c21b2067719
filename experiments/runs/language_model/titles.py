"""The records of language models in some folders, and what tables call them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ....errors import UserError
from ...tables.paper.language_models import SIDE_BY_SIDE
from ...terminal.writing import counted
from ..store import Collected, collect
from .config import is_path
from .record import LAYOUT, LanguageRecord

COUNTS = ("solved_walls", "correct_groups")

FoundLanguageRecord = tuple[Path, LanguageRecord]


def find_language_records(folders: Iterable[Path]) -> Collected[LanguageRecord]:
    """Read every language model's record of some folders, as ``store.collect``."""
    return collect(LAYOUT, folders)


def check_dataset(number: int, dataset: str | None) -> None:
    """Raise UserError where a data set is named for Table 5, which has three."""
    if number == SIDE_BY_SIDE and dataset is not None:
        raise UserError(f"--dataset={dataset} does not apply to table 5, which shows three: leave it out")


def title_of(record: LanguageRecord) -> str:
    """What the table calls a record's model."""
    model = record.config["model"]
    return shown_name(str(model.get("title") or model["name"])) + together_text(record)


def shown_name(name: str) -> str:
    """A model's name, of a folder's path its last part; a hub id stays whole."""
    return (Path(name).name or name) if is_path(name) else name


def together_text(record: LanguageRecord) -> str:
    """Samples, and what the engine had to do with a record's answers; "" if there is nothing to say."""
    config = record.config
    samples = samples_of(record)
    text = hinted(config.get("hints", 0), config.get("encoder", ""))
    if candidates := config.get("candidates", 0):
        text += f", best of {candidates} candidates{_weighed(record)}"
    if config.get("vote", "none") != "none":
        of = [counted(config["seeds"], "order")] if config["seeds"] > 1 or samples == 1 else []
        of += [counted(samples, "sample")] if samples > 1 else []
        text += f", vote by {config['vote']} of {' × '.join(of)}{_weighed(record)}"
    elif samples > 1:
        text += f", {counted(samples, 'sample')}"
    return text


def _weighed(record: LanguageRecord) -> str:
    config = record.config
    return f" + {config['encoder_weight']:g}×{config['encoder']}" if config["encoder_weight"] else ""


def hinted(hints: int, encoder: str) -> str:
    """What a title says of hints; "" of none."""
    return f", {counted(hints, 'hint')} by {encoder}" if hints else ""


def samples_of(record: LanguageRecord) -> int:
    """How many replies each request of a record got."""
    return int(record.config.get("samples", 1))
