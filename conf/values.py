"""What a setting's value may be, beyond its type; messages name the key as the command line has it."""

from __future__ import annotations

from ..errors import UserError


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
