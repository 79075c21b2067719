"""The file of a figure: its options on the command line, whether it can be written, and writing it."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..terminal.writing import tell
from .arguments import Parser, path
from .commands import need

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Inches: a column of two, the text of one, a page of two columns.
WIDTHS = {"column": 3.35, "text": 5.5, "page": 7.0}
INCH = 72.0
_LEAST, _MOST = 1.5, 40.0


def file_options(parser: Parser) -> None:
    """The options of every figure."""
    parser.add_argument("--out", type=path, metavar="FILE", help="what to write (default: a .png here)")
    parser.add_argument("--force", action="store_true", help="replace the file if it is there")
    parser.add_argument(
        "--width",
        type=_width,
        metavar="WIDTH",
        help="inches, or column (3.35), text (5.5) or page (7); letters keep their size",
    )
    parser.add_argument("--height", type=_inches, metavar="INCHES", help="(default: what the content needs)")
    parser.add_argument(
        "--dpi", type=_dpi, default=300, metavar="N", help="dots an inch of a PNG (default: 300)"
    )


def ready(chosen: Namespace, default: str, packages: dict[str, str]) -> Path:
    """Where the figure goes; UserError if it cannot be written or a package is missing."""
    from ..plots.save import check_target

    out: Path = (chosen.out or Path(f"{default}.png")).expanduser()
    check_target(out, chosen.force)
    need("plot", {"matplotlib": "matplotlib"}, extra="plot")
    need("plot", packages)
    return out


def save(
    chosen: Namespace,
    out: Path,
    title: str,
    texts: Iterable[str],
    draw: Callable[[], Figure],
    quiet: bool = False,
) -> None:
    """Draw and write the figure and say where it went, unless ``quiet``; ``texts`` are what it shows."""
    from ..plots.fonts import choose_fonts, printable
    from ..plots.save import save_figure
    from ..plots.sheet import print_style

    with print_style():
        fonts = choose_fonts(map(printable, texts))
    for text, letters in fonts.missing.items():
        named = ", ".join(f"{letter} (U+{ord(letter):04X})" for letter in letters)
        tell(
            f"no installed font has {named} of '{text}', which is drawn as a box: install a font that has it"
        )
    with print_style(fonts.families):
        save_figure(draw(), out, f"fourfold: {title}", chosen.force, chosen.dpi)
    if not quiet:
        print(out)


def _dpi(text: str) -> int:
    if not (text.isdecimal() and text.isascii() and 50 <= int(text) <= 2400):
        raise ArgumentTypeError(f"got '{text}', expected a whole number from 50 to 2400")
    return int(text)


def _width(text: str) -> float:
    return WIDTHS[text] * INCH if text in WIDTHS else _inches(text, f", {', '.join(WIDTHS)}")


def _inches(text: str, others: str = "") -> float:
    """A length in points."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not _LEAST <= value <= _MOST:
        raise ArgumentTypeError(f"got '{text}', expected inches from {_LEAST:g} to {_MOST:g}{others}")
    return value * INCH
