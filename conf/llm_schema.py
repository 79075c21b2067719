"""The types of what a language model is asked: ``fourfold llm``'s tasks on walls, and MacGyver's problems."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, ClassVar

from ..errors import UserError
from ..masking import looks_like_a_key, names_a_secret
from .schema import MOST_SEEDS, DatasetConfig, PathsConfig
from .values import NotApplicableError, RootConfig, at_least, one_of

BACKENDS = ("auto", "endpoint", "transformers")
# What a request holds without being told so.
_OWN = {"model", "messages", "max_tokens", "max_completion_tokens", "temperature", "seed", "stream", "n"}
WITHHELD = ("failure", "empty")
VOTES = ("none", "groups", "pairs")
MOST_HINTS = 100
LEAST_CANDIDATES, MOST_CANDIDATES = 4, 100
_TOKENS_A_GROUP = 36  # the paper's limit of 144 for four
ENCODER = "minilm"
MOST_TOKENS = 10_000_000  # beyond what any model writes
BERTSCORES = ("paper", "minilm", "none")
_SECRET_TEXT = re.compile(r"key|token|secret|password|auth|bearer|header", re.IGNORECASE)


def _secret_name(value: Any) -> str | None:
    """The first name in a JSON value, however deep, that is one of a key or the like."""
    if isinstance(value, dict):
        for name, inner in value.items():
            secret = name if names_a_secret(str(name)) else _secret_name(inner)
            if secret is not None:
                return str(secret)
    elif isinstance(value, list):
        return next((secret for each in value if (secret := _secret_name(each)) is not None), None)
    return None


@dataclass
class LanguageModelConfig:
    """Which model is asked, and how."""

    name: str = ""  # as the endpoint calls it; for transformers a folder or a hub id
    title: str = ""  # what tables call it
    backend: str = "auto"  # auto: an endpoint if base_url is set or name is not a folder
    base_url: str | None = None  # OpenAI's if it is null
    key_variable: str = "OPENAI_API_KEY"  # the environment variable that holds the key
    concurrency: int = 8  # requests under way at once
    timeout: float = 300.0  # seconds without any piece of an answer
    attempts: int = 6  # of one request
    patience: float = 600.0  # seconds: for a server that loads its model, and at most for a Retry-After
    withheld: str = "failure"  # what an answer counts as that is refused or filtered: failure or empty
    max_tokens: int = 144  # of an answer, as in the paper; models that think aloud need more
    temperature: float | None = 0.0  # null leaves it to the endpoint
    seed: int | None = None  # sent along, where the endpoint knows it
    structured: bool = False  # ask for JSON where the endpoint can be held to it
    extra: str = ""  # a JSON object of what else is sent along
    price_in: float | None = None  # money for a million tokens read
    price_out: float | None = None  # and written
    tokenizer: str | None = None  # a folder or hub id of the model behind an endpoint, to count tokens
    device: str = "auto"  # of transformers: auto, cpu, cuda, cuda:N or mps
    dtype: str = "auto"
    batch_size: int = 8
    revision: str | None = None

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise UserError(
                "a language model is needed: add model.name=MODEL, and model.base_url=URL of its server"
            )
        for key in ("name", "title", "extra", "tokenizer", "revision"):
            if looks_like_a_key(getattr(self, key) or ""):
                raise UserError(
                    f"model.{key} holds what looks like a key, and would be recorded: put a key into the "
                    "environment variable that model.key_variable= names"
                )
        one_of("model.backend", self.backend, BACKENDS)
        if self.backend == "transformers" and self.base_url is not None:
            # The address is not shown: it is not checked yet, and a key may stand in it.
            raise NotApplicableError(
                "model.base_url= does not apply to model.backend=transformers: leave one of them out",
                "model.base_url",
                "model.backend",
            )
        for key in ("concurrency", "attempts", "max_tokens", "batch_size"):
            at_least(f"model.{key}", getattr(self, key), 1)
        if self.max_tokens > MOST_TOKENS:
            raise UserError(
                f"model.max_tokens={self.max_tokens} is too large: expected at most {MOST_TOKENS:,}"
            )
        if not (isfinite(self.timeout) and self.timeout > 0):
            raise UserError(f"model.timeout={self.timeout:g} is not a time: expected seconds above 0")
        if not (isfinite(self.patience) and self.patience >= 0):
            raise UserError(
                f"model.patience={self.patience:g} is not a time: expected seconds, and 0 not to wait"
            )
        one_of("model.withheld", self.withheld, WITHHELD)
        self.extra_parameters()
        for key in ("temperature", "price_in", "price_out"):
            value = getattr(self, key)
            if value is not None and not (isfinite(value) and value >= 0):
                raise UserError(f"model.{key}={value:g} is too small: expected a number of at least 0")

    def extra_parameters(self) -> dict[str, Any]:
        """``extra`` as values; UserError if it is not a JSON object."""
        if not self.extra.strip():
            return {}
        try:
            values = json.loads(self.extra)
        except ValueError:
            values = None
        if not isinstance(values, dict):
            shown = "model.extra" if _SECRET_TEXT.search(self.extra) else f"model.extra={self.extra}"
            raise UserError(
                f"{shown} is not a JSON object: expected one, as in "
                """'model.extra={"reasoning_effort": "low"}'"""
            )
        if secret := _secret_name(values):
            raise UserError(
                f"model.extra holds {secret}, which would be recorded: put a key into the environment "
                "variable that model.key_variable= names"
            )
        if taken := sorted(values.keys() & _OWN):
            raise UserError(f"model.extra holds {taken[0]}, which has a setting of its own: leave it out")
        return values


@dataclass
class LanguageRunConfig(RootConfig):
    """One run of a language model: a task, walls, and examples before each."""

    command: ClassVar[str] = "llm"
    file: ClassVar[str] = "llm"
    groups: ClassVar[tuple[str, ...]] = ("dataset",)
    experiments: ClassVar[str] = "experiment/llm"

    dataset: DatasetConfig
    model: LanguageModelConfig
    task: int = 1  # 1: group the clues; 2: name the connections
    examples: int = 0  # solved walls in the prompt
    example_seed: int = 42
    example_walls: str | None = None  # where they are drawn from, if not from the data set's training walls
    prompt: str | None = None  # a Jinja template of one's own
    seeds: int = 1  # orders of the clues, of task 1
    samples: int = 1  # replies to each request, at a temperature above 0
    hints: int = 0  # of task 1: so many of the engine's best partitions are shown with each wall
    candidates: int = 0  # of task 1: so many groups in a reply, of which the engine takes four
    vote: str = "none"  # of task 1: by groups or by pairs, all replies on a wall make one answer
    encoder: str = ENCODER  # whose vectors the engine takes for hints and vote
    encoder_weight: float = 0.0  # what its group costs count beside the votes
    limit: int | None = None  # so many walls, the first ones, for a trial
    bertscore: str = "paper"  # of task 2: the paper's, over the packaged MiniLM (minilm), or none
    prefix_space: bool = True  # of bertscore=paper: the first word is cut as any other
    out: str = "runs"
    cache: str = "true"
    paths: PathsConfig = field(default_factory=PathsConfig)

    def __post_init__(self) -> None:
        if self.task not in (1, 2):
            raise UserError(
                f"task={self.task} is not known: expected 1 (group the clues) or 2 (name connections)"
            )
        at_least("examples", self.examples, 0)
        at_least("seeds", self.seeds, 1)
        if self.seeds > MOST_SEEDS:
            raise UserError(f"seeds={self.seeds} is too large: expected at most {MOST_SEEDS:,}")
        if self.task == 2 and self.seeds != 1:
            raise NotApplicableError(
                f"seeds={self.seeds} does not apply to task=2, whose groups have no order: leave it out",
                "seeds",
                "task",
            )
        self._check_samples()
        self._check_together()
        if self.limit is not None:
            at_least("limit", self.limit, 1)
        one_of("bertscore", self.bertscore, BERTSCORES)
        if not self.prefix_space and (self.task == 1 or self.bertscore != "paper"):
            raise NotApplicableError(
                "prefix_space=false is for task=2 with bertscore=paper alone: leave it out",
                "prefix_space",
                "task",
                "bertscore",
            )
        if not self.cache.strip():
            raise UserError("cache= is empty: expected true, false or a folder")
        if not self.out.strip():
            raise UserError("out= is empty: name the folder in which records are kept, as in out=runs")

    def _check_samples(self) -> None:
        """Raise UserError on samples that would all be the same, or are too many."""
        at_least("samples", self.samples, 1)
        if self.seeds * self.samples > MOST_SEEDS:
            raise UserError(
                f"samples={self.samples} for each of seeds={self.seeds} are too many: expected at most "
                f"{MOST_SEEDS:,} together"
            )
        if self.samples > 1 and self.model.temperature == 0:
            raise NotApplicableError(
                f"samples={self.samples} are all the same at model.temperature=0: add model.temperature=0.7, "
                "or null for a model that takes none",
                "samples",
                "model.temperature",
            )

    def _check_together(self) -> None:
        """Raise UserError on hints and votes that cannot be."""
        at_least("hints", self.hints, 0)
        if self.hints > MOST_HINTS:
            raise UserError(f"hints={self.hints} is too large: expected at most {MOST_HINTS}")
        one_of("vote", self.vote, VOTES)
        if not (isfinite(self.encoder_weight) and self.encoder_weight >= 0):
            raise UserError(
                f"encoder_weight={self.encoder_weight:g} is too small: expected a number of at least 0"
            )
        self._check_candidates()
        if self.task == 2 and (self.hints or self.vote != "none"):
            key = "hints" if self.hints else "vote"
            raise NotApplicableError(
                f"{key}={getattr(self, key)} does not apply to task=2, whose groups are known: leave it out",
                key,
                "task",
            )
        if self.vote == "none" and not self.candidates and self.encoder_weight:
            raise NotApplicableError(
                f"encoder_weight={self.encoder_weight:g} does nothing without votes or candidates: "
                "add vote=pairs",
                "encoder_weight",
                "vote",
                "candidates",
                "task",
            )
        if self.vote != "none" and self.seeds * self.samples == 1 and not self.encoder_weight:
            raise NotApplicableError(
                f"vote={self.vote} needs several replies: add seeds=16, samples=5 or encoder_weight=1",
                "vote",
                "seeds",
                "samples",
                "encoder_weight",
            )
        if not self.encoder.strip():
            raise UserError("encoder= is empty: name an encoder, as in encoder=minilm")
        if self.encoder != ENCODER and not self.hints and not self.encoder_weight:
            raise NotApplicableError(
                f"encoder={self.encoder} does nothing without hints or a weight: add hints=3 or "
                "encoder_weight=0.5, or leave it out",
                "encoder",
                "hints",
                "encoder_weight",
                "task",
            )

    def _check_candidates(self) -> None:
        """Raise UserError on candidates that cannot be."""
        if not self.candidates:
            return
        at_least("candidates", self.candidates, LEAST_CANDIDATES)
        if self.candidates > MOST_CANDIDATES:
            raise UserError(f"candidates={self.candidates} is too large: expected at most {MOST_CANDIDATES}")
        if self.task == 2:
            raise NotApplicableError(
                f"candidates={self.candidates} does not apply to task=2, whose groups are known: "
                "leave it out",
                "candidates",
                "task",
            )
        if self.vote != "none":
            raise UserError(
                f"candidates={self.candidates} is another way to an answer than vote={self.vote}: "
                "leave one of them out"
            )
        room = _TOKENS_A_GROUP * self.candidates
        if self.model.max_tokens < room:
            raise UserError(
                f"candidates={self.candidates} has no room in model.max_tokens={self.model.max_tokens}: "
                f"add model.max_tokens={room}"
            )


@dataclass
class AskConfig(RootConfig):
    """Which model is asked, and how."""

    command: ClassVar[str] = "macgyver solve"
    file: ClassVar[str] = "ask"

    model: LanguageModelConfig
    cache: str = "true"

    def __post_init__(self) -> None:
        if not self.cache.strip():
            raise UserError("cache= is empty: expected true, false or a folder")
        if self.model.structured:
            raise UserError("model.structured=true does not apply here: answers are texts, leave it out")


@dataclass
class MakeConfig(AskConfig):
    """As above, of ``fourfold macgyver make``."""

    command: ClassVar[str] = "macgyver make"


@dataclass
class JudgeConfig(AskConfig):
    """As above, of ``fourfold macgyver evaluate``."""

    command: ClassVar[str] = "macgyver evaluate"
