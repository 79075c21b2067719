"""What all configurations have, and what a setting's value may be beyond its type.

Messages name the key as the command line has it.
"""

from __future__ import annotations

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


class NoUseError(UserError):
    """A setting that has no use with what others were set to; a sweep over one of these leaves it out.

    ``key`` is the setting's, and ``others`` are the keys that decide.
    """

    def __init__(self, said: str, key: str, *others: str) -> None:
        super().__init__(said)
        self.key, self.others = key, frozenset(others)


def at_least(key: str, value: int, least: int) -> None:
    """Raise UserError unless ``value >= least``."""
    if value < least:
        raise UserError(f"{key}={value} is too small: expected a whole number of at least {least}")


def one_of(key: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise UserError unless ``value`` is among ``choices``."""
    if value not in choices:
        raise UserError(f"{key}={value} is not known: expected one of {', '.join(choices)}")
