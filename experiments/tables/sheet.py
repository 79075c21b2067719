"""Numbers in rows and columns, as text for a terminal, as Markdown and as LaTeX.

What stands in the cells is made elsewhere; here it is laid out, so that no digit is lost however narrow the
terminal: where the columns do not fit side by side, a list has its heads above its rows, and what is too wide
for that too is turned on its side, block by block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ..terminal.writing import visible

HEAD_WIDTH = 14  # the least width of the column of heads, where one is as long


@dataclass(frozen=True, slots=True)
class Cell:
    """A number as it is shown, over several lines where it has newlines; ``best`` is set in bold."""

    text: str
    best: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A row: its head, what to call it among the other lines of its block, and a cell for each column."""

    head: str
    short: str
    cells: tuple[Cell, ...]
    bold: bool = False
    dim: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together. A section's name is shown above the first of its blocks."""

    title: str
    lines: tuple[Line, ...]
    section: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: what its columns are called, its blocks and what is said above and below.

    Of a list, ``aside`` are the columns of words that stand beside a line's head, above its numbers, where
    not all columns fit side by side.
    """

    title: str
    columns: tuple[str, ...]
    blocks: tuple[Block, ...]
    caption: tuple[str, ...]  # sentences
    aside: tuple[int, ...] = ()


def fitted(sheet: Sheet, console: Console) -> RenderableType:
    """The sheet for a console: upright where that fits, else a list stacked, else on its side."""
    sheet = _visible(sheet)
    upright = _upright(sheet)
    unlimited = console.options.update(max_width=1_000)  # at its own width all would fit
    least = Measurement.get(console, unlimited, upright).minimum
    parts: list[RenderableType] = [upright]
    if least > console.width:
        stacked = sheet.aside and _stacked_width(sheet) <= console.width
        parts = _stacked(sheet) if stacked else _sideways(sheet)
    return Group(Text(sheet.title, style="italic"), *parts, Text(" ".join(sheet.caption), style="dim italic"))


def _visible(sheet: Sheet) -> Sheet:
    """The sheet as a terminal may show it, so that columns are as wide as what is shown."""

    def line(given: Line) -> Line:
        cells = tuple(replace(each, text=visible(each.text)) for each in given.cells)
        return replace(given, head=visible(given.head), short=visible(given.short), cells=cells)

    blocks = tuple(
        Block(visible(block.title), tuple(map(line, block.lines)), visible(block.section))
        for block in sheet.blocks
    )
    columns, caption = tuple(map(visible, sheet.columns)), tuple(map(visible, sheet.caption))
    return replace(sheet, title=visible(sheet.title), columns=columns, blocks=blocks, caption=caption)


def _upright(sheet: Sheet) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    heads = [line.head for block in sheet.blocks for line in block.lines]
    longest = max(cell_len(part) for head in ["Model", *heads] for part in head.split("\n"))
    table.add_column("Model", overflow="fold", min_width=min(HEAD_WIDTH, longest))
    for place in range(len(sheet.columns)):
        head, least = _column(sheet, place)
        table.add_column(head, justify="right", no_wrap=True, min_width=least)
    section = ""
    for block in sheet.blocks:
        if block.section != section:
            section = block.section
            table.add_row(Text(section, style="italic"))
        for line in block.lines:
            table.add_row(Text(line.head), *map(_text, line.cells), style=_style(line))
    return table


def _column(sheet: Sheet, place: int) -> tuple[str, int]:
    """A column's head, over two lines if it is of several words, and the width that shows all of it."""
    column = sheet.columns[place]
    head = column.replace(" ", "\n", 1) if column.count(" ") > 1 else column
    # Of a cell with blanks, rich takes the longest word for the least width, wrapped or not.
    texts = [head, *(line.cells[place].text for block in sheet.blocks for line in block.lines)]
    return head, max(cell_len(part) for text in texts for part in text.split("\n"))


def _stacked(sheet: Sheet) -> list[RenderableType]:
    """Each line's head, and what stands beside it, above its numbers; once where lines have the same."""
    kept = [place for place in range(len(sheet.columns)) if place not in sheet.aside]

    def table(header: bool) -> Table:
        made = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, show_header=header)
        for place in kept:
            head, width = _column(sheet, place)
            made.add_column(head, justify="right", no_wrap=True, width=width)
        return made

    parts: list[RenderableType] = [table(header=True)]
    above = ""
    for line in (line for block in sheet.blocks for line in block.lines):
        beside = (line.cells[place].text for place in sheet.aside)
        words = ", ".join([*line.head.strip().split("\n"), *beside])
        if words != above:
            parts.append(Text(words, style="bold"))
            above = words
        numbers = table(header=False)
        numbers.add_row(*(_text(line.cells[place]) for place in kept), style=_style(line))
        parts.append(numbers)
    return parts


def _stacked_width(sheet: Sheet) -> int:
    kept = [place for place in range(len(sheet.columns)) if place not in sheet.aside]
    return sum(_column(sheet, place)[1] + 1 for place in kept)


def _sideways(sheet: Sheet) -> list[RenderableType]:
    """A table for each block, with a column for each of its lines."""
    parts: list[RenderableType] = []
    section = ""
    for block in sheet.blocks:
        if block.section != section:
            section = block.section
            parts.append(Text(f"\n{section}", style="italic"))
        if block.title:
            parts.append(Text(f"\n{block.title}", style="bold"))
        table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
        table.add_column("", overflow="fold")
        for line in block.lines:
            table.add_column(line.short, justify="right", overflow="fold", style=_style(line))
        for place, column in enumerate(sheet.columns):
            table.add_row(column, *(_text(line.cells[place]) for line in block.lines))
        parts.append(table)
    return parts


def _text(cell: Cell) -> Text:
    return Text(cell.text, style="bold" if cell.best else "", justify="right")


def _style(line: Line) -> str:
    return "bold" if line.bold else "dim" if line.dim else ""


def markdown(sheet: Sheet) -> str:
    """The sheet as a Markdown table with its title above and its caption below."""
    lines = [
        f"**{_plain(sheet.title)}**",
        "",
        _row(["Model", *map(_plain, sheet.columns)]),
        "|" + "|".join([":--", *["--:"] * len(sheet.columns)]) + "|",
    ]
    section = ""
    for block in sheet.blocks:
        if block.section != section:
            section = block.section
            lines.append(_row([f"*{_plain(section)}*", *[""] * len(sheet.columns)]))
        for line in block.lines:
            cells = [f"**{_plain(cell.text)}**" if cell.best else _plain(cell.text) for cell in line.cells]
            lines.append(_row([_plain(line.head.strip()), *cells]))
    return "\n".join([*lines, "", _plain(" ".join(sheet.caption))])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _plain(text: str) -> str:
    """Text with what Markdown would take for its own escaped, on one line."""
    for sign in "\\`*_{}[]<>|":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def latex(sheet: Sheet, label: str) -> str:
    """The sheet as a LaTeX table for the package booktabs."""
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"  \centering",
        r"  \footnotesize",
        r"  \setlength{\tabcolsep}{3pt}",
        rf"  \caption{{{_tex(sheet.title)}. {_tex(' '.join(sheet.caption))}}}",
        rf"  \label{{{label}}}",
        rf"  \begin{{tabular}}{{l{'r' * len(sheet.columns)}}}",
        r"    \toprule",
        *_tex_heads(sheet.columns),
    ]
    section = None
    for block in sheet.blocks:
        if block.section != section:
            section = block.section
            lines.append(r"    \midrule")
            if section:
                lines.append(
                    rf"    \multicolumn{{{len(sheet.columns) + 1}}}{{l}}{{\textit{{{_tex(section)}}}}} \\"
                )
        for line in block.lines:
            indent = r"\quad " if line.head.startswith(" ") else ""
            cells = [
                rf"\textbf{{{_tex(cell.text)}}}" if cell.best else _tex(cell.text) for cell in line.cells
            ]
            lines.append("    " + " & ".join([indent + _tex(line.head), *cells]) + r" \\")
    return "\n".join([*lines, r"    \bottomrule", r"  \end{tabular}", r"\end{table}"])


def _tex_heads(columns: Sequence[str]) -> list[str]:
    """Two rows: a head of several words takes both."""
    upper = [head.partition(" ")[0] if head.count(" ") > 1 else "" for head in columns]
    lower = [
        head.removeprefix(f"{first} ") if first else head for head, first in zip(columns, upper, strict=True)
    ]
    return ["    " + " & ".join(map(_tex, row)) + r" \\" for row in (["", *upper], ["Model", *lower])]


_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "↓": r"$\downarrow$",
    "↑": r"$\uparrow$",
    "√": r"$\surd$",
    "−": r"$-$",
    "–": "--",
    "²": r"$^2$",
}


def _tex(text: str) -> str:
    """Text with what LaTeX would take for its own escaped, two hyphens kept from becoming a dash."""
    signs = "".join(_TEX.get(sign, sign) for sign in text.replace("--", "-\0-"))
    return " ".join(signs.replace("\0", "{}").split())
