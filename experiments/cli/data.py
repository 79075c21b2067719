"""``fourfold data``: what experiments read. Each of its commands has a module of its own."""

from __future__ import annotations

from collections.abc import Sequence

from .subcommands import dispatch

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
    return dispatch("data", COMMANDS, HELP, words)
