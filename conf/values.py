"""What all configurations have, and what a setting's value may be beyond its type.

Messages name the key as the command line has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from ..errors import UserError


@dataclass
class RootConfig:
    """A whole configuration, as a command's words make it of a file of this folder."""

    command: ClassVar[str]  # whose help lists what can be set
    file: ClassVar[str]  # without its ending; the schema is registered under this name
    groups: ClassVar[tuple[str, ...]] = ()  # whose choices its words may name
    experiments: ClassVar[str] = ""  # the group that experiment= names a choice of, if there is one


class NotApplicableError(UserError):
    """A setting that does not apply to what others were set to; a sweep over one of these leaves it out.

    ``key`` is the setting's, and ``others`` are the keys that decide.
    """

    def __init__(self, said: str, key: str, *others: str) -> None:
        super().__init__(said)
        self.key, self.others = key, frozenset(others)


@contextmanager
def named(group: str) -> Iterator[None]:
    """Name a setting of ``group`` as the command line has it, where a constructor's error begins with it.

    What a value may be is up to the constructor of what it configures, whose error about ``pooling='x'`` is
    then one about ``model.pooling='x'``.
    """
    try:
        yield
    except ValueError as error:
        raise UserError(f"{group}.{error}") from error


def at_least(key: str, value: int, least: int) -> None:
    """Raise UserError unless ``value >= least``."""
    if value < least:
        raise UserError(f"{key}={value} is too small: expected a whole number of at least {least}")


def one_of(key: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise UserError unless ``value`` is among ``choices``."""
    if value not in choices:
        raise UserError(f"{key}={value} is not known: expected one of {', '.join(choices)}")
