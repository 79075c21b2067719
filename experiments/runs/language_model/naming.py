"""The name of a language model's record: a hash of everything that its answers and their scores depend on."""

from __future__ import annotations

import hashlib
from dataclasses import asdict

from ....conf.llm_schema import LanguageRunConfig
from ...llm.chat import ChatModel, Json
from ...metrics.bertscore import BertScore, packaged_stand_in
from ...pipeline.encode import Shared
from ...tasks.prepare import Prepared, asking_of
from ..encoder.record import CLUSTERING
from .record import language_record_name

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
    settings: dict[str, Json] = {}
    if config.model.withheld != "failure":
        settings["withheld"] = config.model.withheld
    if config.samples > 1:
        settings["samples"] = config.samples
    if config.candidates:
        settings |= {"candidates": config.candidates, "weight": config.encoder_weight}
    if config.hints:
        settings["hints"] = config.hints
    if config.vote != "none":
        settings |= {"vote": config.vote, "weight": config.encoder_weight}
    if prepared.encoder is not None:
        settings["encoder"] = prepared.encoder
    if config.hints or config.candidates or config.vote != "none":
        settings["clustering"] = CLUSTERING
    return settings


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
