"""``fourfold macgyver``: the MacGyver data set. Each of its commands has a module of its own."""

from __future__ import annotations

from collections.abc import Sequence

from ..commands import dispatch

# Command: the module of this folder whose ``main`` takes the words after it, and what it does.
COMMANDS = {
    "stats": ("stats", "count the release's problems and answers, beside the paper's Table 1"),
    "table5": ("table5", "how often models and people are right, beside the paper's Table 5"),
    "tools": ("tools", "the tools that problems present, beside the paper's Tables 8 and 4"),
    "plot": ("plot", "draw the paper's figures 5, 6, 7 and 10"),
    "dedupe": ("dedupe", "drop new problems that are too like one that is there"),
    "map": ("map", "clusters of problems or tools, named by their most central members"),
    "make": ("make", "have a language model make problems, harder step by step"),
    "solve": ("solve", "have a language model solve problems, by one of three strategies"),
    "evaluate": ("evaluate", "how well automatic measures of answers follow people's labels"),
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
    return dispatch("macgyver", COMMANDS, HELP, words, __name__)
