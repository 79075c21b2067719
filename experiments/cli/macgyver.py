"""``fourfold macgyver``: the MacGyver data set. Each of its commands has a module of its own."""

from __future__ import annotations

from collections.abc import Sequence

from .subcommands import dispatch

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
    return dispatch("macgyver", COMMANDS, HELP, words)
