"""Help at any width of the terminal: the same words, commands whole, and no other line too long."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold.experiments.cli import COMMANDS, main
from fourfold.experiments.cli.help_text import AS_WRITTEN, wrapped

TEXT = """\
A sentence that goes on over a line's end
and ends here.

choices:
  model=  one  two  three  four  five  six  seven  eight  nine  ten
  size=   big

settings:
  seeds=16           how many there are
  launcher.n_jobs=2  jobs at once, of which each does what it has to do
                     and more
  a.very_long_setting.indeed=/a/long/path/to/a/file  what it is for

examples:
  fourfold run --with many words that no one would want to see broken up
"""


def help_of(capsys, command):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_paragraphs_and_entries_are_wrapped_and_commands_are_not():
    assert wrapped(TEXT, 44).splitlines() == [
        "A sentence that goes on over a line's end",
        "and ends here.",
        "",
        "choices:",
        "  model=  one  two  three  four  five  six",
        "          seven  eight  nine  ten",
        "  size=   big",
        "",
        "settings:",
        "  seeds=16           how many there are",
        "  launcher.n_jobs=2  jobs at once, of which",
        "                     each does what it has",
        "                     to do and more",
        "  a.very_long_setting.indeed=/a/long/path/to/a/file",
        "      what it is for",
        "",
        "examples:",
        "  fourfold run --with many words that no one would want to see broken up",
    ]


def test_where_it_fits_it_is_as_written():
    assert wrapped(TEXT, AS_WRITTEN) == TEXT


@settings(deadline=None, max_examples=60)
@given(columns=st.integers(1, 130))
def test_no_word_is_lost_at_any_width(columns):
    assert wrapped(TEXT, columns).split() == TEXT.split()


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in {"data", "plot", "macgyver"}])
def test_every_commands_help_fits_into_eighty_columns(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(AS_WRITTEN))
    wide = help_of(capsys, command)
    monkeypatch.setenv("COLUMNS", "80")
    narrow = help_of(capsys, command)
    assert sorted(narrow.split()) == sorted(wide.split())
    too_long = [line for line in narrow.splitlines() if len(line) > 80]
    assert [line for line in too_long if "fourfold " not in line] == []  # commands are to be copied whole
