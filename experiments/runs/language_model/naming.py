"""A language model's record by name: a hash of all that its scores depend on, and the title in tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from ....conf.llm_schema import LanguageRunConfig
from ....errors import UserError
from ...llm.chat import ChatModel, Json
from ...metrics.bertscore import BertScore, packaged_stand_in
from ...pipeline.encode import Shared
from ...tables.paper.language_tables import SIDE_BY_SIDE
from ...tasks.prepare import Prepared, asking_of
from ...terminal.writing import counted
from ..encoder.record import CLUSTERING
from ..store import Collected, collect
from .config import is_path
from .record import LAYOUT, LanguageRecord, language_record_name

# Raised when the same replies would be read otherwise: a run is then done anew, from its kept replies.
READING = 2
# What a model says of itself that bears on no answer, or on its last digits alone.
_NOT_IN_NAME = {"device", "batch_size", "torch", "transformers"}


def described_for_name(model: ChatModel) -> dict[str, Json]:
    """What a record's name says of a model: what its answers depend on."""
    described = {key: value for key, value in model.describe().items() if key not in _NOT_IN_NAME}
    if "files" in described:
        del described["name"]  # the files say what it is
    return described


def record_name(prepared: Prepared) -> str:
    """The name of a run's record."""
    bert = bertscore_of(prepared.config, Shared())
    return language_record_name(
        {
            "reading": READING,
            "task": prepared.config.task,
            "model": described_for_name(prepared.model),
            "asking": asdict(asking_of(prepared.config.model)),
            "prompt": sha256(prepared.prompt.text),
            "examples": [
                [[group.connection, *group.clues] for group in wall.groups] for wall in prepared.examples
            ],
            "dataset": prepared.walls.fingerprint,
            "seeds": prepared.config.seeds,
            "bertscore": None if bert is None else bert.hash,
            **_together(prepared),
        }
    )


def _together(prepared: Prepared) -> dict[str, Json]:
    """What a record's name says of withheld answers, samples, hints, candidates and votes, if any.

    Once there were none, and those runs keep their names.
    """
    config = prepared.config
    found: dict[str, Json] = {}
    if config.model.withheld != "failure":
        found["withheld"] = config.model.withheld
    if config.samples > 1:
        found["samples"] = config.samples
    if config.candidates:
        found |= {"candidates": config.candidates, "weight": config.encoder_weight}
    if config.hints:
        found["hints"] = config.hints
    if config.vote != "none":
        found |= {"vote": config.vote, "weight": config.encoder_weight}
    if prepared.encoder is not None:
        found["encoder"] = prepared.encoder
    if config.hints or config.candidates or config.vote != "none":
        found["clustering"] = CLUSTERING
    return found


def bertscore_of(config: LanguageRunConfig, shared: Shared) -> BertScore | None:
    """What scores a run's connections, if anything beside words does; its model is not loaded yet."""
    if config.task == 1 or config.bertscore == "none":
        return None

    def make() -> BertScore:
        if config.bertscore == "paper":
            return BertScore(prefix_space=config.prefix_space)
        return packaged_stand_in()

    return shared.once("bertscore", (config.bertscore, config.prefix_space), make)


def sha256(text: str) -> str:
    """A text's SHA-256, in hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


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
    found = hinted(config.get("hints", 0), config.get("encoder", ""))
    if candidates := config.get("candidates", 0):
        found += f", best of {candidates} candidates{_weighed(record)}"
    if config.get("vote", "none") != "none":
        of = [counted(config["seeds"], "order")] if config["seeds"] > 1 or samples == 1 else []
        of += [counted(samples, "sample")] if samples > 1 else []
        found += f", vote by {config['vote']} of {' × '.join(of)}{_weighed(record)}"
    elif samples > 1:
        found += f", {counted(samples, 'sample')}"
    return found


def _weighed(record: LanguageRecord) -> str:
    config = record.config
    return f" + {config['encoder_weight']:g}×{config['encoder']}" if config["encoder_weight"] else ""


def hinted(hints: int, encoder: str) -> str:
    """What a title says of hints; "" of none."""
    return f", {counted(hints, 'hint')} by {encoder}" if hints else ""


def samples_of(record: LanguageRecord) -> int:
    """How many replies each request of a record got."""
    return int(record.config.get("samples", 1))
