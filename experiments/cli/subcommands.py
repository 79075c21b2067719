"""A command of commands, such as ``fourfold data``: which of them was called, and the call."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module

from ...errors import UserError


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
        By name, the module of ``package`` whose ``main`` takes the words after it, and what it does.
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
            f"'{command} {name}' is no command: {hint} ('fourfold {command} --help' says what each does)"
        )
    code: int = import_module(f".{commands[name][0]}", package).main(rest)
    return code
