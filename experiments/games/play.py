"""Games on all walls of a data set, by an encoder or by a language model, and their record."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from ...conf.json_types import Json
from ...conf.llm_schema import LanguageRunConfig
from ...conf.model_schema import ContextualConfig
from ...conf.plain import to_plain
from ...conf.play_schema import GameConfig
from ...conf.schema import DatasetConfig, RunConfig
from ..data.dataset import load_walls, test_walls
from ..data.wall import GROUP_SIZE, N_GROUPS, Wall, WallSet
from ..files.temporary_folder import remove_abandoned
from ..llm.endpoint import Endpoint
from ..llm.prompt import Prompt
from ..llm.replies import CachedChat
from ..llm.retries import Retries
from ..llm.served import served_entry
from ..llm.usage import Following, Prices, counts_of, spent
from ..pipeline.blocks import walls_by_id
from ..pipeline.encode import Shared
from ..pipeline.orders import clue_order, wall_order
from ..pipeline.run import prepare_run
from ..runs.encoder.config import with_absolute_paths
from ..runs.encoder.record import CLUSTERING
from ..runs.envelope import UsageEntry
from ..runs.game.record import (
    SCHEMA,
    PlayRecord,
    endings,
    find_play_record,
    read_play_record,
    tallies,
    write_play_record,
)
from ..runs.language_model.config import with_absolute_paths as with_absolute_language_paths
from ..runs.language_model.naming import READING, described_for_name
from ..runs.language_model.titles import hinted, shown_name
from ..runs.provenance import dataset_entry, versions
from ..runs.store import check_writable
from ..tasks.hints import EncoderView, encoder_identity, view_walls, wall_hints
from ..tasks.prepare import Given, asking_of, check_walls, read_given
from ..tasks.wall_prompt import prompt_of
from ..terminal.progress import ProgressBars
from ..terminal.writing import counted
from .chat_player import first_requests, open_conversations, play_with_model
from .engine_player import Adviser, play_with_gram
from .rules import Game, Rules, Verdict

N_CLUES = N_GROUPS * GROUP_SIZE


@dataclass(frozen=True, slots=True)
class Played:
    """The games' record, where it lies, and whether this call made it."""

    record: PlayRecord
    folder: Path
    fresh: bool


def play_encoder(config: RunConfig, game: GameConfig, bars: ProgressBars) -> Played:
    """Play with the engine's best partitions of an encoder's vectors, unless the record is there already.

    Raises
    ------
    UserError
        If the walls or the model cannot be read, or the record cannot be written.

    """
    from ..pipeline.features import check_features, gram_maker
    from ..pipeline.gram import wall_grams

    config = replace(config, dataset=test_walls(config.dataset))
    out = Path(config.out).expanduser()
    with bars.step("read", "reading walls"):
        walls = limited(load_walls(config.dataset), game.limit)
        check_walls(walls)
    plan = prepare_run(config, bars, Shared(), walls)
    name = _name({"run": plan.name, **_of_game(game)})
    if (done := find_play_record(out, name)) is not None:
        return Played(done, out / name, fresh=False)
    check_writable(out)
    remove_abandoned(out)
    check_features(config.features, N_CLUES)
    with bars.step("encode", "encoding clues") as update:
        clues = [wall.clues for wall in walls.walls]
        with walls_by_id(walls):
            gram = wall_grams(plan.encoder, clues, [game.order], update, gram_maker(config.features, bars))
        described = plan.encoder.describe()
    orders = np.array([wall_order(each, game.order) for each in clues])
    with bars.step("play", "playing") as update:
        games = play_with_gram(gram[:, 0], walls.truth, rules_of(game), orders, update)
    record = _record(
        name, "encoder", _encoder_title(config), to_plain(with_absolute_paths(config)), game, walls,
        config.dataset, dict(described), games, bars.seconds,
    )  # fmt: skip
    return _written(out, record, walls, games, orders.tolist())


def play_language_model(
    config: LanguageRunConfig, game: GameConfig, bars: ProgressBars, retries: Retries | None = None
) -> Played:
    """Play by conversations with a language model, unless the record is there already.

    Raises
    ------
    UserError
        As of ``play_encoder``, or if requests failed: then no record is written, and what was answered is
        kept for the next time.

    """
    given, prompt = given_for_model(config, game, retries)
    config, out = given.config, Path(config.out).expanduser()
    asking = asking_of(config.model)
    view = _view(config, given.walls, bars)
    name = _name(
        {
            "reading": READING,
            "model": described_for_name(given.model),
            "asking": asdict(asking),
            "prompt": hashlib.sha256(prompt.text.encode()).hexdigest(),
            "examples": [[[g.connection, *g.clues] for g in wall.groups] for wall in given.examples],
            "dataset": given.walls.fingerprint,
            **({} if config.model.withheld == "failure" else {"withheld": config.model.withheld}),
            **({} if view is None else _of_hints(config)),
            **_of_game(game),
        }
    )
    if (done := find_play_record(out, name)) is not None:
        return Played(done, out / name, fresh=False)
    check_writable(out)
    remove_abandoned(out)
    inner = given.model.model if isinstance(given.model, CachedChat) else given.model
    if isinstance(inner, Endpoint):
        inner.check()
    order = clue_order(game.order, N_CLUES)
    hints, adviser = None, None
    if view is not None:
        hints = wall_hints(view, given.walls, game.order, config.hints)
        adviser = Adviser(view.gram, order, config.hints, game.one_away)
    before = counts_of(given.model)
    conversations = open_conversations(
        prompt, given.walls.walls, given.examples, rules_of(game), order, hints, asking.structured
    )
    prices = Prices(config.model.price_in, config.model.price_out)
    following = Following(None, given.model, prices)
    with bars.step("play", "playing") as update:
        update.aside = following.text
        play_with_model(given.model, conversations, asking, update, adviser, following.keep)
    replies = [reply for each in conversations for reply in each.replies]
    cost = spent(replies)
    usage = UsageEntry(
        cost.usage.prompt, cost.usage.completion, cost.paid.prompt, cost.paid.completion, cost.unknown,
        prices.cost(cost.paid),
    )  # fmt: skip
    games = [each.game for each in conversations]
    plain = json.loads(json.dumps(asdict(with_absolute_language_paths(config))))
    record = _record(
        name, "language_model", _model_title(config), plain, game, given.walls,
        config.dataset, given.model.describe(), games, bars.seconds,
        [wall.wall_id for wall in given.examples], usage, {} if view is None else view.described,
    )  # fmt: skip
    failures = counts_of(given.model).failed_since(before)
    record = replace(record, served=served_entry(replies), failures=failures)
    return _written(
        out,
        record,
        given.walls,
        games,
        [order] * len(games),
        [[r.text for r in each.replies] for each in conversations],
    )


def given_for_model(
    config: LanguageRunConfig, game: GameConfig, retries: Retries | None = None
) -> tuple[Given, Prompt]:
    """What a language model's games need; nobody is asked."""
    prompt = prompt_of(config, "guessing")
    return read_given(replace(config, limit=game.limit), retries), prompt


def first_question(given: Given, prompt: Prompt, game: GameConfig) -> str:
    """The first wall's question, for a dry run."""
    walls = limited(given.walls, 1)
    view = _view(given.config, walls, ProgressBars(shown=False))
    hints = None if view is None else wall_hints(view, walls, game.order, given.config.hints)
    order = clue_order(game.order, N_CLUES)
    asking = asking_of(given.config.model)
    conversations = open_conversations(
        prompt, walls.walls, given.examples, rules_of(game), order, hints, asking.structured
    )
    (request,) = first_requests(conversations, asking)
    return "\n".join(f"[{message.role}]\n{message.content}\n" for message in request.messages)


def _view(config: LanguageRunConfig, walls: WallSet, bars: ProgressBars) -> EncoderView | None:
    """The walls as the encoder of the hints sees them; None without hints."""
    return view_walls(config.encoder, walls, config.cache, bars) if config.hints else None


def rules_of(game: GameConfig) -> Rules:
    """The rules alone."""
    return Rules(game.lives, game.free_groups, game.guesses, game.one_away)


def _encoder_title(config: RunConfig) -> str:
    """The encoder as a table names it, with what else is not as it is by default."""
    chosen = [config.embedding.name] if isinstance(config.embedding, ContextualConfig) else []
    if config.features.name != "none":
        chosen.append(config.features.name)
    return ", ".join([config.model.title or config.model.name, *chosen])


def _model_title(config: LanguageRunConfig) -> str:
    """The language model as a table names it, with its examples and hints."""
    title = shown_name(config.model.title or config.model.name)
    examples = f", {counted(config.examples, 'example')}" if config.examples else ""
    return title + examples + hinted(config.hints, config.encoder)


def limited(walls: WallSet, limit: int | None) -> WallSet:
    """The first ``limit`` walls, or all."""
    return walls if limit is None else replace(walls, walls=walls.walls[:limit])


def _of_game(game: GameConfig) -> dict[str, Json]:
    return {"rules": asdict(rules_of(game)), "order": game.order}


def _of_hints(config: LanguageRunConfig) -> dict[str, Json]:
    return {
        "hints": config.hints,
        "encoder": encoder_identity(config.encoder),
        "clustering": CLUSTERING,
    }


def _name(content: Mapping[str, Json]) -> str:
    """16 hex digits that stand for everything that the games depend on."""
    text = json.dumps({"play": SCHEMA, **content}, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _record(
    name: str,
    player: str,
    title: str,
    config: dict[str, Json],
    game: GameConfig,
    walls: WallSet,
    dataset: DatasetConfig,
    model: dict[str, Json],
    games: Sequence[Game],
    seconds: dict[str, float],
    examples: Sequence[str] = (),
    usage: UsageEntry | None = None,
    encoder: dict[str, Json] | None = None,
) -> PlayRecord:
    rules: Rules = rules_of(game)
    solved, groups = tallies(games, rules.guesses)
    verdicts = [guess.verdict for each in games for guess in each.guesses]
    return PlayRecord(
        schema=SCHEMA,
        name=name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        player=player,
        title=title,
        config=config,
        rules=asdict(rules),
        order=game.order,
        dataset=dataset_entry(dataset, walls),
        model=model,
        examples=list(examples),
        versions=versions(),
        platform=platform.platform(),
        timings={step: round(taken, 4) for step, taken in seconds.items()},
        solved=solved,
        groups=groups,
        ended=endings(games),
        wrong=sum(verdict in (Verdict.WRONG, Verdict.ONE_AWAY) for verdict in verdicts),
        void=verdicts.count(Verdict.VOID),
        usage=usage,
        encoder={} if encoder is None else encoder,
    )


def _written(
    out: Path,
    record: PlayRecord,
    walls: WallSet,
    games: Sequence[Game],
    orders: Sequence[Sequence[int]],
    replies: Sequence[Sequence[str]] | None = None,
) -> Played:
    entries = [_kept(wall, each, order) for wall, each, order in zip(walls.walls, games, orders, strict=True)]
    for each, texts in zip(entries, replies or (), strict=False):
        each["replies"] = list(texts)
    fresh = write_play_record(out, record, entries)
    return Played(record if fresh else read_play_record(out / record.name), out / record.name, fresh)


def _kept(wall: Wall, game: Game, order: Sequence[int]) -> dict[str, Json]:
    """One wall's game as the record keeps it."""
    return {
        "wall_id": wall.wall_id,
        "guesses": [
            {
                "clues": [wall.clues[order[place]] for place in guess.places],
                "verdict": str(guess.verdict),
            }
            for guess in game.guesses
        ],
        "groups": game.n_groups,
        "solved": game.solved,
        "lives_left": game.lives_left,
    }
