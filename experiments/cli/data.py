"""``fourfold data``: what experiments read. Each of its commands has a module of its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

from ...errors import UserError

# Command: the module beside this one whose ``main`` takes the words after it, and what it does.
COMMANDS = {
    "get": ("data_get", "download published word vectors and ELMo: glove, crawl, news, bpemb, elmo"),
    "randomize": ("data_randomize", "make walls without red herrings of the groups of other walls"),
    "wordnet": ("data_wordnet", "make easy walls of synonyms from WordNet"),
    "cache": ("data_cache", "list the vectors that earlier runs left, or clear them"),
}

HELP = """\
usage: fourfold data COMMAND [arguments]

What experiments read, and what they keep to read again.

commands:
{commands}

'fourfold data COMMAND --help' shows a command's own help.
"""


def main(words: Sequence[str]) -> int:
    """Run one of the commands and return its exit code."""
    if not words or words[0] in {"-h", "--help"}:
        listed = "\n".join(f"  {name:<9}  {what}" for name, (_, what) in COMMANDS.items())
        print(HELP.format(commands=listed), end="", file=sys.stdout if words else sys.stderr)
        raise SystemExit(0 if words else 2)
    name, *rest = words
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(COMMANDS)}"
        raise UserError(f"'data {name}' is no command: {hint} ('fourfold data --help' says what each does)")
    code: int = import_module(f".{COMMANDS[name][0]}", __package__).main(rest)
    return code
