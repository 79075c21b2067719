"""From a configuration to what a run needs: walls, examples, template, model. Nothing is asked here."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...conf.llm_schema import LanguageModelConfig, LanguageRunConfig
from ...errors import UserError
from ..data.dataset import load_walls, say_left_out, test_walls
from ..data.readers import read_walls
from ..data.wall import GROUP_SIZE, N_GROUPS, Wall, WallSet
from ..llm.chat import Asking, ChatModel, ChatRequest, Json, sampled
from ..llm.endpoint import OPENAI_URL, Endpoint
from ..llm.local import LocalChat
from ..llm.prompt import Prompt
from ..llm.replies import CachedChat
from ..llm.retries import Retries
from ..llm.sampling import check_extra
from ..pipeline.encode import Shared
from ..runs.language_model.config import absolute, is_local, is_path, with_absolute_paths
from ..terminal.progress import ProgressBars
from .connections import connection_requests
from .grouping import grouping_requests
from .wall_prompt import draw_examples, prompt_of

if TYPE_CHECKING:
    from .hints import EncoderView


@dataclass(frozen=True, slots=True)
class Given:
    """What a configuration names: walls, solved walls for the prompt, and a model with its replies kept."""

    config: LanguageRunConfig  # with the split of its data set filled in
    walls: WallSet
    examples: list[Wall]
    model: ChatModel


TASKS = {1: "grouping", 2: "connections"}


@dataclass(frozen=True, slots=True)
class Prepared(Given):
    """A run before its work. ``encoder`` identifies that of hints and votes, where they need one."""

    prompt: Prompt
    encoder: dict[str, Json] | None


@dataclass(frozen=True, slots=True)
class Setup(Prepared):
    """What a run asks whom. ``requests`` is (n_seeds * n_samples, n_walls), an order's samples together."""

    requests: list[list[ChatRequest]]
    view: EncoderView | None

    @property
    def all_requests(self) -> list[ChatRequest]:
        """The requests of all runs, one run after the other."""
        return [request for run in self.requests for request in run]


def prepare_language_run(
    config: LanguageRunConfig, retries: Retries | None = None, shared: Shared | None = None
) -> Prepared:
    """Read and check what a run needs. Nothing is loaded or encoded, and nobody is asked.

    Raises
    ------
    UserError
        If the walls, the examples' walls or the template cannot be read or used, or the model is named in a
        way that cannot be.

    """
    prompt = prompt_of(config, "candidates" if config.candidates else TASKS[config.task])
    if config.samples > 1 and config.model.temperature is None and is_local(config.model):
        raise UserError(
            f"samples={config.samples} are all the same where transformers loads the model and it has no "
            "temperature: add model.temperature=0.7"
        )
    given = read_given(config, retries, shared)
    encoder = None
    if config.hints or config.encoder_weight:
        from .hints import encoder_identity

        encoder = encoder_identity(config.encoder)
    config = replace(with_absolute_paths(given.config), out=config.out)
    return Prepared(config, given.walls, given.examples, given.model, prompt, encoder)


def set_up(prepared: Prepared, bars: ProgressBars | None = None, shared: Shared | None = None) -> Setup:
    """Write a run's requests, and encode its walls where an encoder has a part in it.

    Raises
    ------
    UserError
        If the template fails, or the encoder cannot be had.

    """
    config, walls, examples, prompt = prepared.config, prepared.walls, prepared.examples, prepared.prompt
    asking = asking_of(config.model)
    view = None
    if config.hints or config.encoder_weight:
        from .hints import view_walls, wall_hints

        shown = ProgressBars(shown=False) if bars is None else bars
        view = (Shared() if shared is None else shared).once(
            "view",
            (config.encoder, walls.fingerprint, config.cache),
            lambda: view_walls(config.encoder, walls, config.cache, shown),
        )
    if config.task == 1:
        orders = []
        for run in range(config.seeds):
            hints = wall_hints(view, walls, run, config.hints) if view is not None and config.hints else None
            orders.append(
                grouping_requests(prompt, walls.walls, examples, run, asking, hints, config.candidates)
            )
    else:
        orders = [connection_requests(prompt, walls.walls, examples, asking)]
    requests = [
        [sampled(request, sample) for request in order]
        for order in orders
        for sample in range(config.samples)
    ]
    return Setup(
        config, walls, examples, prepared.model, prompt, prepared.encoder, requests=requests, view=view
    )


def check_prompt(prepared: Prepared) -> None:
    """Raise UserError where a run's template fails on its first wall."""
    config, first = prepared.config, prepared.walls.walls[:1]
    asking = asking_of(config.model)
    if config.task == 2:
        connection_requests(prepared.prompt, first, prepared.examples, asking)
        return
    hints = None
    if config.hints:
        from .hints import Hint

        hints = [[Hint([list(group.clues) for group in first[0].groups], 0.0)] * config.hints]
    grouping_requests(prepared.prompt, first, prepared.examples, 0, asking, hints, config.candidates)


def read_given(
    config: LanguageRunConfig, retries: Retries | None = None, shared: Shared | None = None
) -> Given:
    """Read and check the walls and the examples, and make the model; UserError as of ``prepare``."""
    shared = Shared() if shared is None else shared
    config = replace(config, dataset=test_walls(config.dataset))
    if is_local(config.model):
        check_extra(config.model.extra_parameters(), config.model.max_tokens)
    model = shared.once(
        "chat", model_key(config), lambda: cached(make_model(config.model, retries), config.cache)
    )
    walls = shared.once("walls", f"{config.dataset}, {config.limit}", lambda: _walls(config))
    examples = []
    if config.examples:
        training = shared.once(
            "training", (config.example_walls, repr(config.dataset)), lambda: _training(config)
        )
        examples = draw_examples(training, config.examples, config.example_seed, walls)
    return Given(config, walls, examples, model)


def model_key(config: LanguageRunConfig) -> str:
    """What two runs must have in common to share a model and its kept replies."""
    any_model = LanguageModelConfig(name="any")  # how a model is asked is each run's own
    own = ("title", "max_tokens", "temperature", "seed", "structured", "extra", "price_in", "price_out")
    same = {key: getattr(any_model, key) for key in (*own, "tokenizer")}
    return f"{replace(config.model, **same)}, {config.cache}"


def make_model(config: LanguageModelConfig, retries: Retries | None = None) -> ChatModel:
    """The model that a configuration names. Nothing is loaded, and nobody is asked."""
    if is_local(config):
        check_extra(config.extra_parameters(), config.max_tokens)
        there = Path(config.name).expanduser().is_dir()  # its replies are kept by its path from the root on
        name = absolute(config.name) if there else config.name
        return LocalChat(name, config.device, config.dtype, config.batch_size, config.revision)
    if config.base_url is None and is_path(config.name):
        raise UserError(
            f"model.name={config.name} is not a folder: give a folder that holds a model, or the name of a "
            "model at an endpoint"
        )
    return Endpoint(
        config.name,
        base_url=OPENAI_URL if config.base_url is None else config.base_url,
        key_variable=config.key_variable,
        concurrency=config.concurrency,
        timeout=config.timeout,
        retries=Retries(attempts=config.attempts, patience=config.patience) if retries is None else retries,
        withheld=config.withheld,
    )


def asking_of(config: LanguageModelConfig) -> Asking:
    """How a configuration has its model asked."""
    return Asking(
        config.max_tokens, config.temperature, config.seed, config.structured, config.extra_parameters()
    )


def cached(model: ChatModel, cache: str) -> ChatModel:
    """The model with its replies kept, unless ``cache`` is false: in the user's cache or a folder."""
    chosen = cache.strip()
    if chosen.lower() == "false":
        return model
    return CachedChat(model, None if chosen.lower() == "true" else Path(chosen), _say)


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _walls(config: LanguageRunConfig) -> WallSet:
    """The walls that are to be solved."""
    walls = load_walls(config.dataset)
    if config.limit is not None:
        walls = replace(walls, walls=walls.walls[: config.limit])
    check_walls(walls)
    return walls


def _training(config: LanguageRunConfig) -> WallSet:
    """The walls that examples are drawn from."""
    named = config.example_walls
    path = config.dataset.path if named is None else named
    folder = None if path is None else Path(path).expanduser()
    split = "train" if folder is not None and folder.is_dir() else None
    if folder is not None and (split or named is not None):
        walls = read_walls(folder, split=split, strict=config.dataset.strict)
        say_left_out(walls, f"examples of {path}")
        return walls
    raise UserError(
        f"examples={config.examples} needs training walls, and dataset={config.dataset.name} has none apart: "
        "name a folder with train.json, or add example_walls=FILE"
    )


def check_walls(walls: WallSet) -> None:
    """Raise UserError unless all walls have four groups of four."""
    for wall in walls.walls:
        sizes = [len(group.clues) for group in wall.groups]
        if sizes != [GROUP_SIZE] * N_GROUPS:
            raise UserError(f"wall {wall.wall_id} has groups of {sizes} clues: expected four groups of four")
