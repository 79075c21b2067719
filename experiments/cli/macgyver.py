"""``fourfold macgyver``: the MacGyver data set. Each of its commands has a module of its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

from ...errors import UserError

# Command: the module beside this one whose ``main`` takes the words after it, and what it does.
COMMANDS = {
    "stats": ("macgyver_stats", "count the release's problems and answers, beside the paper's Table 1"),
    "table5": ("macgyver_table5", "how often models and people are right, beside the paper's Table 5"),
    "tools": ("macgyver_tools", "the tools that problems present, beside the paper's Tables 8 and 4"),
    "plot": ("macgyver_plot", "draw the paper's figures 5, 6, 7 and 10"),
    "dedupe": ("macgyver_dedupe", "drop new problems that are too like one that is there"),
    "map": ("macgyver_map", "clusters of problems or tools, named by their most central members"),
    "make": ("macgyver_make", "have a language model make problems, harder step by step"),
    "solve": ("macgyver_solve", "have a language model solve problems, by one of three strategies"),
    "evaluate": ("macgyver_evaluate", "how well automatic measures of answers follow people's labels"),
}

HELP = """\
usage: fourfold macgyver COMMAND [arguments]

The MacGyver data set of everyday problems: its files, how people and models did on it, its tools, and new
problems: made, filtered, solved and judged.

commands:
{commands}

'fourfold macgyver COMMAND --help' shows a command's own help. The files are at
https://github.com/allenai/MacGyver.
"""


def main(words: Sequence[str]) -> int:
    """Run one of the commands and return its exit code."""
    if not words or words[0] in {"-h", "--help"}:
        listed = "\n".join(f"  {name:<8}  {what}" for name, (_, what) in COMMANDS.items())
        print(HELP.format(commands=listed), end="", file=sys.stdout if words else sys.stderr)
        raise SystemExit(0 if words else 2)
    name, *rest = words
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(COMMANDS)}"
        raise UserError(
            f"'macgyver {name}' is no command: {hint} ('fourfold macgyver --help' says what each does)"
        )
    code: int = import_module(f".{COMMANDS[name][0]}", __package__).main(rest)
    return code
