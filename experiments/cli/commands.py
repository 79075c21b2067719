"""What all commands share: the call of a command's commands, the packages that one needs, and log lines."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec

from ...errors import UserError
from ..terminal.writing import tell


def dispatch(
    command: str,
    commands: Mapping[str, tuple[str, str]],
    help_text: str,
    words: Sequence[str],
    package: str = __package__,
) -> int:
    """Run one of a command's commands and return its exit code.

    Parameters
    ----------
    command
        The command's name, such as ``data``.
    commands
        By name, what takes the words after it, and what it does: a module of ``package`` with ``main``, or
        one with another function, as in ``data_make:wordnet``.
    help_text
        The command's help, with ``{commands}`` where they are listed.
    words
        What follows the command's name.
    package
        Where the modules are.

    """
    if not words or words[0] in {"-h", "--help"}:
        width = max(map(len, commands))
        listed = "\n".join(f"  {name:<{width}}  {what}" for name, (_, what) in commands.items())
        print(help_text.format(commands=listed), end="", file=sys.stdout if words else sys.stderr)
        raise SystemExit(0 if words else 2)
    name, *rest = words
    if name not in commands:
        near = get_close_matches(name, commands, n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(commands)}"
        raise UserError(
            f"'{command} {name}' is not a command: {hint} ('fourfold {command} --help' says what each does)"
        )
    module, _, function = commands[name][0].partition(":")
    code: int = getattr(import_module(f".{module}", package), function or "main")(rest)
    return code


def need(command: str, packages: Mapping[str, str], extra: str = "experiments") -> None:
    """Raise UserError if a package is missing.

    Parameters
    ----------
    command
        What needs them.
    packages
        Import names and what pip calls them.
    extra
        The extra of fourfold that brings them.

    """
    missing = [pip for module, pip in packages.items() if not _is_there(module)]
    if missing:
        raise UserError(
            f"'fourfold {command}' needs {', '.join(missing)}, which the base install leaves out:"
            f" pip install 'fourfold[{extra}]'"
        )


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of a module within a package, when the package is not there
        return False


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        tell(record.getMessage())


@contextmanager
def logged_on_stderr() -> Iterator[None]:
    """Show what the package logs, from INFO on, until the block ends; as a library it is quieter."""
    logger = logging.getLogger(__name__.partition(".")[0])
    handler, level = _Lines(), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
