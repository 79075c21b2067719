"""Laying out numbers: no digit is lost on a narrow terminal, and Markdown and LaTeX are whole."""

import re
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from fourfold.experiments.tables.sheet import Block, Cell, Line, Sheet, fitted, latex, markdown

COLUMNS = ("WD ↓", "FMS ↑", "Solved walls ↑")


def made(first="GloVe", blocks=2):
    lines = (
        Line(first, "paper", (Cell("84.9±0.4"), Cell("31.5±0.3", best=True), Cell("1,234±56"))),
        Line("  ours, 618 walls", "ours", (Cell("85.1±0.5"), Cell("30.9±0.3"), Cell("1,200±49"))),
        Line("  not run", "not run", (Cell("–"),) * 3, dim=True),
    )
    return Sheet(
        "A title", COLUMNS, (Block(first, lines, "Words"),) * blocks, ("What it means.", "And more.")
    )


def shown(sheet, width):
    console = Console(width=width, force_terminal=False)
    with console.capture() as text:
        console.print(fitted(sheet, console))
    return text.get()


@pytest.mark.parametrize("width", [120, 80, 60, 44, 38])
def test_no_cell_is_cut(width):
    text = shown(made(), width)
    assert max(map(len, text.splitlines())) <= width
    for cell in ("84.9±0.4", "31.5±0.3", "1,234±56", "85.1±0.5", "30.9±0.3", "1,200±49"):
        assert text.count(cell) == 2


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(width=st.integers(8, 140), first=st.text("Gé o-", min_size=1, max_size=40))
def test_every_digit_is_shown_at_any_width(width, first):
    digits = re.sub(r"\D", "", "84.9±0.4 31.5±0.3 1,234±56 85.1±0.5 30.9±0.3 1,200±49 618" * 2)
    found = re.sub(r"\D", "", shown(made(first), width))
    # On its side a sheet calls a line by its short name, which has no number here.
    assert sorted(found) in (sorted(digits), sorted(digits.replace("618", "", 2)))


def test_a_sheet_stands_upright_where_it_fits():
    lines = shown(made(), 80).splitlines()
    assert lines[0] == "A title"
    assert lines[1].split()[:2] == ["Model", "WD"] or lines[2].split()[:2] == ["Model", "WD"]
    assert any(line.split() == ["GloVe", "84.9±0.4", "31.5±0.3", "1,234±56"] for line in lines)
    assert [line.strip() for line in lines].count("Words") == 1
    assert lines[-1].rstrip() == "What it means. And more."


def test_on_its_side_each_block_has_a_column_a_line():
    lines = [line.split() for line in shown(made(), 40).splitlines()]
    assert lines.count(["paper", "ours", "not", "run"]) == 2
    assert lines.count(["FMS", "↑", "31.5±0.3", "30.9±0.3", "–"]) == 2
    assert lines.count(["GloVe"]) == 2


def listed(again=0):
    lines = [
        Line("GloVe\nn_init=3", "0a", (Cell("ocw (618)"), *(Cell("84.9±0.4"),) * 3, Cell("0a1b"))),
        Line("MiniLM", "3c", (Cell("nyt (1,000)"), *(Cell("9.1±0.3"),) * 3, Cell("3c4d"))),
        *(Line("MiniLM", "5d", (Cell("nyt (1,000)"), *(Cell("7.1±0.2"),) * 3, Cell("5d6e"))),) * again,
    ]
    blocks = tuple(Block(line.head, (line,)) for line in lines)
    return Sheet("A list", ("Data", *COLUMNS, "Record"), blocks, ("What it means.",), aside=(0,))


def test_a_list_that_is_too_wide_has_its_words_above_its_numbers():
    assert [line.split() for line in shown(listed(), 44).splitlines()] == [
        ["A", "list"],
        ["Solved"],
        ["WD", "↓", "FMS", "↑", "walls", "↑", "Record"],
        ["GloVe,", "n_init=3,", "ocw", "(618)"],
        ["84.9±0.4", "84.9±0.4", "84.9±0.4", "0a1b"],
        ["MiniLM,", "nyt", "(1,000)"],
        ["9.1±0.3", "9.1±0.3", "9.1±0.3", "3c4d"],
        ["What", "it", "means."],
    ]
    words = ["MiniLM,", "nyt", "(1,000)"]  # said once above the numbers that they hold for
    assert [line.split() for line in shown(listed(again=2), 44).splitlines()].count(words) == 1
    assert shown(listed(again=2), 44).count("7.1±0.2") == 6
    assert "MiniLM" in shown(listed(), 80).splitlines()[-2]  # all side by side
    assert ["Record", "0a1b"] in [line.split() for line in shown(listed(), 30).splitlines()]  # on its side


@settings(deadline=None, max_examples=30)
@given(width=st.integers(12, 100))
def test_a_list_shows_every_digit_at_any_width(width):
    text = shown(listed(), width)
    assert sorted(re.sub(r"\D", "", text)).count("9") == 3 + 3
    assert text.count("±") == 6


def test_markdown_is_a_whole_table():
    text = markdown(made("a|b_c"))
    lines = text.splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {len(COLUMNS) + 2}
    assert r"| a\|b\_c | 84.9±0.4 | **31.5±0.3** | 1,234±56 |" in table
    assert "| ours, 618 walls | 85.1±0.5 | 30.9±0.3 | 1,200±49 |" in table
    assert lines[0] == "**A title**"
    assert lines[-1] == "What it means. And more."


def test_latex_is_a_whole_table():
    text = latex(made("50% of A&B_{c}~#$^\\"), "tab:x")
    assert (
        r"50\% of A\&B\_\{c\}\textasciitilde{}\#\$\textasciicircum{}\textbackslash{} & 84.9$\pm$0.4" in text
    )
    assert r"\textbf{31.5$\pm$0.3}" in text
    assert r"\quad ours, 618 walls & " in text
    assert text.count(r"\textit{Words}") == 1
    for name in ("table", "tabular"):
        assert text.count(rf"\begin{{{name}}}") == text.count(rf"\end{{{name}}}") == 1
    assert [text.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]
    rows = [line for line in text.splitlines() if line.endswith(r" \\") and "multicolumn" not in line]
    assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(COLUMNS)}
    assert "Solved" in rows[0]
    assert r"walls $\uparrow$" in rows[1]


def test_latex_keeps_two_hyphens_two():
    assert "-{}-all" in latex(Sheet("x", ("a",), (), ("use --all",)), "l")


def test_latex_compiles(tmp_path):
    if shutil.which("pdflatex") is None or shutil.which("kpsewhich") is None:
        pytest.skip("no pdflatex here")
    if subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False).returncode:
        pytest.skip("no booktabs here")
    document = r"\documentclass{article}\usepackage{booktabs}\begin{document}%s\end{document}"
    text = latex(made("50% of A&B_{c}~#$^\\ café <a|b>"), "tab:x")
    (tmp_path / "t.tex").write_text(document % f"\n{text}\n", encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]


def test_the_column_of_heads_is_as_wide_as_the_heads():
    lines = (Line("MiniLM", "ours", (Cell("84.9±0.4"), Cell("31.5±0.3"), Cell("0"))),)
    text = shown(Sheet("A title", COLUMNS, (Block("", lines),), ()), 80)
    assert "MiniLM 84.9±0.4 31.5±0.3" in text
