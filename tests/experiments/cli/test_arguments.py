"""Paths on the command line: records by the beginning of their names, and empty words that are no paths.
Help at any width of the terminal: the same words, commands whole, and no other line too long.
"""

from argparse import ArgumentTypeError
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold.experiments.cli import COMMANDS, main
from fourfold.experiments.cli.arguments import AS_WRITTEN, path, record_folder, wrapped
from fourfold.experiments.runs.encoder import files as encoders
from fourfold.experiments.runs.game import record as games
from fourfold.experiments.runs.language_model import record as language_models

NAMES = ("0a11", "0a22", "1b33", "1b")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Records in the folder ``runs`` and one beside it, and folders that hold none."""
    for name, file in zip(
        NAMES, [encoders.RECORD, encoders.RECORD, language_models.RECORD, games.RECORD], strict=True
    ):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / file).touch()
    (tmp_path / "7c44").mkdir()
    (tmp_path / "7c44" / encoders.RECORD).touch()
    (tmp_path / "runs" / "9d").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("runs/0a1", "runs/0a11"),
        ("runs/1b", "runs/1b"),  # a whole name is that record, whatever else begins with it
        ("runs/1b3", "runs/1b33"),
        ("0a22", "runs/0a22"),
        ("7", "7c44"),
        ("runs/9", "runs/9"),
        ("runs/f", "runs/f"),
        ("runs", "runs"),
        ("no/such/0a", "no/such/0a"),
        ("runs/0a11/record.json/x", "runs/0a11/record.json/x"),
        ("..", ".."),
    ],
)
def test_the_beginning_of_a_records_name_will_do(here, text, found):
    assert record_folder(text) == Path(found)
    assert record_folder(str(here / text)) == here / found or "/" not in text


def test_a_beginning_of_several_is_refused(here):
    for text in ("runs/0", "0a", str(here / "runs" / "0a")):
        with pytest.raises(ArgumentTypeError, match=f"2 records begin with {text}: write more of the name"):
            record_folder(text)


@settings(deadline=None, max_examples=30)
@given(text=st.text(" \t\n", max_size=3))
def test_an_empty_text_is_no_path(text):
    for read in (path, record_folder):
        with pytest.raises(ArgumentTypeError, match="got an empty text, expected a path"):
            read(text)


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--from", ""],
        ["runs", ""],
        ["herrings", ""],
        ["export", ""],
        ["export", "runs", "--out", ""],
        ["table", "3", ""],
        ["plot", "wall", "", "--wall", "a"],
        ["plot", "models", ""],
        ["plot", "models", "runs", "--out", ""],
        ["data", "randomize", "", "out"],
        ["data", "randomize", "in", ""],
        ["data", "wordnet", "in", "out", "--wordnet", ""],
        ["data", "cache", "--folder", ""],
        ["play", "--records", ""],
    ],
)
def test_no_command_takes_an_empty_text_for_this_folder(words, here, capsys):
    before = sorted(here.rglob("*"))
    assert main(words) == 2
    printed = capsys.readouterr()
    assert (
        "got an empty text, expected a path" in printed.err
        or "got an empty text: expected a folder" in printed.err
    )
    assert printed.err.count("\n") == 1
    assert sorted(here.rglob("*")) == before


@pytest.mark.parametrize(
    ("word", "hint"),
    [("--seeds=3", "as in seeds=VALUE"), ("--seeds", "as in seeds=VALUE"), ("--no-such", None)],
)
def test_an_option_that_may_be_a_setting_is_shown_as_one(word, hint, capsys):
    assert main(["sweep", word]) == 2
    error = capsys.readouterr().err
    assert (hint or f"unrecognized arguments: {word}: 'fourfold sweep --help'") in error


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
