"""What is printed cannot steer the terminal that it is printed on.
Counts as they are said: one of anything has no s.
"""

import io
import json
import os
import pty
import re
import sys
from pathlib import Path

import pytest

from fourfold.experiments.cli import main
from fourfold.experiments.cli.macgyver.shared import table_text
from fourfold.experiments.cli.table_output import sheet_text
from fourfold.experiments.files.text_file import write_text
from fourfold.experiments.tables.sheet import Block, Cell, Line, Sheet
from fourfold.experiments.terminal import writing as terminal
from fourfold.experiments.terminal.progress import ProgressBars
from fourfold.experiments.terminal.writing import (
    SafeStream,
    counted,
    one_line,
    print_data,
    safe_streams,
    visible,
)

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31mred\x7f\u202egnp.\u2066\u200f\r\t[bold]x[/bold]"
SHOWN = r"\u001b]0;owned\u0007\u001b[2J\u009b31mred\u007f\u202egnp.\u2066\u200f\u000d\u0009[bold]x[/bold]"
STEERING = [chr(code) for code in (*range(10), *range(11, 32), *range(127, 160), 0x202E, 0x2067, 0x200E)]


def test_controls_are_visible_and_words_stay():
    assert visible(HOSTILE) == SHOWN
    assert all(visible(letter).isprintable() for letter in STEERING)
    words = "naïve\n日本語 👩‍👩‍👧 می‌خواهم"  # the joiners of emoji and of Persian reorder nothing
    assert visible(words) == words


def test_json_on_a_terminal_is_the_same_json():
    text = json.dumps({"clue": HOSTILE}, ensure_ascii=False)
    assert json.loads(visible(text)) == {"clue": HOSTILE}


def test_streams_are_put_back_and_wrapped_once(capsys):
    before = sys.stdout, sys.stderr
    with safe_streams(), safe_streams():
        print(HOSTILE)
        print("a\rb", "\x1b[A", sep="\n", file=sys.stderr)
        sys.stdout.writelines(["\x1b", "\n"])
    assert (sys.stdout, sys.stderr) == before
    assert capsys.readouterr() == (SHOWN + "\n\\u001b\n", "a\\u000db\n\\u001b[A\n")


def test_own_styles_pass_and_those_of_data_do_not(monkeypatch):
    screen = io.StringIO()
    screen.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    cells = (Cell(HOSTILE, best=True), Cell("1"))
    sheet = Sheet(HOSTILE, ("[red]a", HOSTILE), (Block(HOSTILE, (Line(HOSTILE, "x", cells),)),), (HOSTILE,))
    with safe_streams():
        print(sheet_text(sheet))
        print(table_text(HOSTILE, [HOSTILE, "[red]n"], [[HOSTILE, "1"]]))
    shown = screen.getvalue()
    assert "\x1b[1m" in shown or "\x1b[1;" in shown  # the bold of the best
    assert SHOWN in shown
    assert "[red]a" in shown
    assert not set("\x07\x9b\x7f\u202e\u2066\u200f\r\t") & set(shown)
    assert "\x1b]" not in shown
    assert "\x1b[2J" not in shown


def test_bars_show_labels_and_lines_as_they_are(capsys, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    bars = ProgressBars(shown=True)
    with bars, bars.step("a", f"[red]{HOSTILE}") as update:
        update(1, 2)
        bars.say(HOSTILE)
        print(HOSTILE)  # of a library
        print(HOSTILE, file=sys.stderr)
    shown = capsys.readouterr().err
    assert "[red]" in shown
    assert "\\u001b]0;owned\\u0007" in shown.replace("\n", "")
    assert "\x1b]0" not in shown
    assert not set("\x07\x9b\x7f\u202e") & set(shown)


def test_bars_of_the_hubs_client_stay_bars():
    from tqdm import tqdm

    screen = io.StringIO()
    with tqdm(total=2, file=SafeStream(screen), position=1, desc="a\x1b[2J", ascii=True) as bar:
        bar.update(2)
    assert "\r" in screen.getvalue()
    assert "\x1b[A" in screen.getvalue()
    assert "\x1b[2J" not in screen.getvalue()


def test_data_in_a_pipe_is_as_it_is(capsys):
    with safe_streams():
        print_data(HOSTILE)
    assert capsys.readouterr().out == HOSTILE + "\n"


def test_a_message_is_one_line_of_bounded_length():
    name = "n" * 5_000
    line = one_line(f"got seeds={'9' * 100_000} in\n{name}, expected 1 to 5: write seeds=16")
    assert len(line) <= 400
    assert line.startswith("got seeds=999")
    assert line.endswith("expected 1 to 5: write seeds=16")
    assert len(one_line("a b " * 10_000)) <= 400
    assert len(one_line("x" * 10_000_000)) <= 400
    assert one_line("a\n  b") == "a b"
    assert one_line("w " * 600, longest=2_000) == ("w " * 600).strip()


def test_an_error_shows_controls_and_is_bounded(capsys):
    assert main(["solve", "--file", f"no\x1b[2J{'x' * 5_000}"]) == 2
    shown = capsys.readouterr().err
    assert "\x1b" not in shown
    assert "\\u001b[2J" in shown
    assert len(shown) < 400
    assert main(["--debug", "solve", "--file", "no\x1b[2J"]) == 2
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of Unix")
def test_a_terminal_as_a_file_is_a_terminal(tmp_path):
    ours, theirs = pty.openpty()
    try:
        write_text(Path(os.ttyname(theirs)), "\x1b[2J\n")
        assert b"\x1b" not in os.read(ours, 100)
    finally:
        os.close(ours)
        os.close(theirs)
    write_text(tmp_path / "file", "\x1b[2J\n")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "\x1b[2J\n"


def test_nothing_else_prints_past_the_streams():
    """Whoever keeps a stream from before, or writes to the file's number, would go past them."""
    past = re.compile(r"os\.write\(|sys\.__std|(stdout|stderr)\.buffer|print_exc\(|[^_]Console\(")
    package = Path(terminal.__file__).parents[2]
    files = [
        file
        for folder in ("experiments", "embeddings", "engine", "conf")
        for file in (package / folder).rglob("*.py")
    ]
    assert files
    assert [file.name for file in files if past.search(file.read_text(encoding="utf-8"))] == ["writing.py"]


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 walls"), (1, "1 wall"), (2, "2 walls"), (1_976, "1,976 walls")]
)
def test_one_is_one(number, said):
    assert counted(number, "wall") == said
