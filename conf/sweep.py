"""A sweep's words in, the words of each of its runs out: Hydra's multirun, spelt out before anything runs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hydra.core.override_parser.types import Glob, Override, QuotedString, Transformer
from hydra.errors import HydraException

from ..errors import UserError
from .choices import EXPERIMENT, LAUNCHER, choices
from .compose import composed, experiment_sweep
from .launcher_schema import JobConfig, LauncherConfig
from .schema import RunConfig
from .values import RootConfig
from .words import check_group, parsed, plain_word

# Beyond this many runs, what was meant was probably another range.
MOST_RUNS = 10_000


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a sweep's words come to."""

    runs: tuple[tuple[str, ...], ...]  # the words of each run
    swept: tuple[str, ...]  # the keys that have several values
    whichever: bool  # an experiment chose the models: those that are not to hand are left out
    launcher: LauncherConfig
    launcher_words: tuple[str, ...]


def read_sweep(words: Sequence[str], schema: type[RootConfig] = RunConfig) -> Sweep:
    """Spell out ``key=value`` words, in which a value may be several: ``a,b``, ``range(1,4)``, ``glob(e5*)``.

    ``schema`` is that of its runs; ``launcher=`` goes with every kind.

    Raises
    ------
    UserError
        On a word that is not a setting, a sweep that has no list of values, or too many runs.

    """
    of_launcher = [word for word in words if word.partition("=")[0].partition(".")[0] == LAUNCHER]
    own = [word for word in words if word not in of_launcher]
    for word in own:
        key, _, value = word.partition("=")
        check_group(key, value, schema)
    launcher_words = tuple(plain_word(word, JobConfig) for word in of_launcher)
    launcher = composed([*launcher_words, "folder=''"], JobConfig).launcher
    given = {word.partition("=")[0] for word in own}
    added = [
        f"{key}={values}"
        for word in own
        if word.startswith(f"{EXPERIMENT}=")
        for key, values in _experiment(word, schema).items()
        if key not in given
    ]
    lists = [_values(word, schema.groups) for word in [*own, *added]]
    count = 1
    for values in lists:
        count *= len(values)
    if count > MOST_RUNS:
        raise UserError(f"that is {count:,} runs: expected at most {MOST_RUNS:,}; name fewer values")
    return Sweep(
        runs=tuple(itertools.product(*lists)),
        swept=tuple(values[0].partition("=")[0] for values in lists if len(values) > 1),
        whichever=any(word.startswith("model=") for word in added),
        launcher=launcher,
        launcher_words=launcher_words,
    )


def _experiment(word: str, schema: type[RootConfig]) -> dict[str, str]:
    """What the experiment of a word sweeps over."""
    chosen = [plain_word(each, schema) for each in _values(word, schema.groups)]
    names = [each.partition("=")[2].strip("'\"") for each in chosen]
    sweeps = [experiment_sweep(name, schema) for name in names]
    if len(names) > 1 and any(sweeps):
        raise UserError(f"{word}: one of them is a sweep itself: name one experiment")
    return sweeps[0]


def _values(word: str, groups: Sequence[str]) -> list[str]:
    """The word with each of its values; the word itself where it has one."""
    key, equals, value = word.partition("=")
    override = parsed(word)
    if override is None:
        return [word]  # a path, perhaps; plain_word says whether it will do
    if not equals or not override.is_sweep_override():
        return [word]
    if not override.is_discrete_sweep():
        raise UserError(f"{word} is not a list of values: expected a,b or range(1,4), as in {key}=1,2,3")
    chosen: Any = override.value()
    values = _matching(key, value, chosen, groups) if isinstance(chosen, Glob) else _listed(override)
    if not values:
        raise UserError(f"{word} has no values: choose from {', '.join(choices(key))}")
    return [f"{key}={item}" for item in values]


def _listed(override: Override) -> list[str]:
    try:
        values = list(itertools.islice(override.sweep_iterator(Transformer.identity), MOST_RUNS + 1))
    except (HydraException, ValueError) as error:
        said = " ".join(str(error).split())
        raise UserError(f"{override.input_line}: {said}: name a list of values, as in a,b") from error
    if len(values) > MOST_RUNS:
        raise UserError(
            f"{override.input_line} is more than {MOST_RUNS:,} runs, which is the most: name fewer values"
        )
    return list(dict.fromkeys(map(_text, values)))


def _text(value: Any) -> str:
    """One value as the user wrote it: of a text, the letters themselves."""
    if isinstance(value, QuotedString):
        return value.with_quotes()
    return value if isinstance(value, str) else str(Transformer.encode(value))


def _matching(key: str, value: str, glob: Glob, groups: Sequence[str]) -> list[str]:
    if key not in groups:
        raise UserError(
            f"{key}={value}: glob(...) is for the choices of a group, one of {', '.join(groups)}: name values"
        )
    return list(glob.filter(list(choices(key))))
