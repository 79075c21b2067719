"""The arguments that several ``fourfold macgyver`` commands take."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path

from ..arguments import Parser


def data_parser(command: str, description: str, epilog: str) -> Parser:
    """A parser with ``--data`` and ``--json``."""
    parser = Parser(prog=f"fourfold macgyver {command}", description=description, epilog=epilog)
    parser.add_argument(
        "--data", type=folder, required=True, metavar="DIR", help="the folder of the MacGyver files"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def folder(text: str) -> Path:
    """A path whose ~ is written out."""
    return Path(text).expanduser()


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not (text.isdecimal() and text.isascii() and int(text) > 0):
        raise ArgumentTypeError(f"got '{text}', expected a whole number of at least 1")
    return int(text)


def whole(text: str) -> int:
    """A whole number of at least 0."""
    if not (text.isdecimal() and text.isascii()):
        raise ArgumentTypeError(f"got '{text}', expected a whole number of at least 0")
    return int(text)
