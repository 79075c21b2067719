"""The command line in this process: what it prints, and its exit codes."""

import json
import re
from pathlib import Path

import pytest

from fourfold import __version__
from fourfold.errors import UserError
from fourfold.experiments import cli
from fourfold.experiments.cli import commands as extras
from fourfold.experiments.cli import main


@pytest.fixture
def words(walls_file, tmp_path):
    """A run of the three walls."""
    return ["run", "dataset=ocw", f"dataset.path={walls_file}", f"out={tmp_path / 'runs'}", "seeds=2"]


def complaint(capsys):
    """The one line on stderr; nothing else was printed."""
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("fourfold: ")
    return printed.err


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"fourfold {__version__}\n"


def test_help_lists_the_commands(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in cli.COMMANDS)
    assert main([]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == text


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_each_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as exit_:
        main([command, "--help"])
    assert exit_.value.code == 0
    assert f"usage: fourfold {command}" in capsys.readouterr().out


def test_the_help_of_run_lists_the_choices(capsys):
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    text = capsys.readouterr().out
    for word in ("minilm*", "e5_base", "bundled*", "ocw", "nyt", "kmeans*", "seeds=16", "examples:"):
        assert word in text


def test_a_run_prints_its_table_and_then_says_that_it_is_done(words, encoder, capsys):
    assert main(words) == 0
    first = capsys.readouterr()
    notices = [line for line in first.err.splitlines() if not line.startswith("fourfold: compiling")]
    assert not notices  # compiling is announced where nothing is stored yet
    assert "ocw: 3 walls, 2 runs" in first.out
    assert "12.0±0.0" in first.out
    assert "people" in first.out
    folder = first.out.splitlines()[-1].removeprefix("record: ")
    assert main(words) == 0
    second = capsys.readouterr()
    before = re.search(r"^when it was run, .*: (?=read )", second.out, flags=re.MULTILINE)
    assert second.out.replace(before[0], "") == first.out
    assert second.err == f"this run is already done: {folder}\n"
    assert main(["export", folder]) == 0
    out = capsys.readouterr().out.strip()
    assert out == f"{folder}/predictions"
    assert len(json.loads((Path(out) / "run_01_predictions.json").read_text(encoding="utf-8"))) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rnu"], r"'rnu' is not a command: did you mean run\?"),
        (["xyzzy"], f"'xyzzy' is not a command: choose from {', '.join(cli.COMMANDS)}"),
        (["run", "--fast"], "unrecognized arguments: --fast: .*'fourfold run --help'"),
        (["run", "modle=minilm"], r"modle= is not a setting: did you mean model=\?"),
        (["minilm"], "'minilm' is not a command: write 'fourfold run model=minilm'"),
        (["model=minilm"], "'model=minilm' is not a command: write 'fourfold run model=minilm'"),
        (
            ["walls.json"],
            "write 'fourfold run dataset=ocw dataset.path=walls.json' .*solve --file walls.json",
        ),
        (["run", "minilm"], "'minilm' is not a setting: write model=minilm"),
        (["run", "walls.json"], "is not a setting: write dataset=ocw dataset.path=walls.json .dataset=nyt"),
        (["run", "org/name"], "is not a setting: write model.name=org/name"),
        (["run", "dataset=walls.json"], "is not a choice: write dataset=ocw dataset.path=walls.json"),
        (["run", "dataset=OCW"], r"dataset=OCW is not known: did you mean ocw\?"),
        (["run", "model=org/name"], "is not a choice: write model.name=org/name for a hub id or a folder"),
        (["sweep", "model=minilm,org/name"], "model=org/name is not a choice: write model.name=org/name"),
        (
            ["run", "model=sentence-transformers/all-MiniLM-L6-v2"],
            "write model=minilm, or model.name=sentence",
        ),
        (["run", "model=minilm-l6"], r"model=minilm-l6 is not known: did you mean minilm\?"),
        (["run", "--model", "minilm"], "settings are written without dashes, as in model=VALUE"),
        (["run", "seeds=0"], "seeds=0 is too small: expected a whole number of at least 1"),
        (["run", "model=foo"], "model=foo is not known: choose from .*minilm"),
        (["run", "seeds=many"], "seeds=many: expected a whole number"),
        (["run", "dataset=ocw", "dataset.path=/no/such/file.json"], "/no/such/file.json"),
        (["run", "out=/dev/null/runs"], "out=/dev/null/runs cannot be a folder, since /dev/null is a file"),
        (["export"], "required: record"),
        (["export", "/no/such/record"], "/no/such/record is not a folder"),
    ],
)
def test_what_the_user_can_mend_is_one_line_and_exit_code_2(arguments, said, encoder, capsys):
    assert main(arguments) == 2
    assert re.search(said, complaint(capsys))
    assert encoder.calls == []


def test_a_wrong_layout_is_one_line(words, walls_file, encoder, capsys):
    walls_file.write_text('{"dataset": [{"wall_id": "w1", "words": ["only one"]}]}', encoding="utf-8")
    assert main(words) == 2
    assert "walls.json" in complaint(capsys)


def test_the_other_layout_names_its_data_set(words, walls_file, encoder, capsys):
    assert main([word.replace("dataset=ocw", "dataset=nyt") for word in words]) == 2
    assert "choose dataset=ocw" in complaint(capsys)
    walls_file.write_text('[{"id": 1, "answers": []}]', encoding="utf-8")
    assert main(words) == 2
    assert "choose dataset=nyt" in complaint(capsys)


def test_an_unexpected_error_is_one_line_and_exit_code_1(words, encoder, capsys, monkeypatch):
    monkeypatch.setattr(encoder, "describe", lambda: 1 // 0)
    assert main(words) == 1
    assert "ZeroDivisionError" in complaint(capsys)
    assert main([*words, "--debug"]) == 1
    text = capsys.readouterr().err
    assert "Traceback" in text
    assert text.splitlines()[-1].startswith("fourfold: ZeroDivisionError")


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("out=" + "n" * 300, "File name too long"),
        ("out=~no_such_user_here/x", "a user who has no home here"),
        ("out=odd\udcff", r"odd\\udcff is not UTF-8"),
    ],
)
def test_a_path_that_cannot_be_is_the_users_to_mend(out, said, words, encoder, capsys):
    assert main([*words, out]) == 2
    assert re.search(said, complaint(capsys))


def test_debug_shows_where_a_mistake_was_found(capsys):
    assert main(["--debug", "run", "seeds=0"]) == 2
    assert "Traceback" in capsys.readouterr().err
    assert main(["run", "seeds=0"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_an_interrupt_is_one_line_and_exit_code_130(words, encoder, capsys, monkeypatch, tmp_path):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(encoder, "encode", interrupt)
    assert main(words) == 130
    assert "stopped" in complaint(capsys)
    assert not (tmp_path / "runs").exists()


def test_a_command_without_its_packages_names_the_extra(capsys, monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda module: None if module in {"hydra", "torch"} else module)
    assert main(["run"]) == 2
    said = complaint(capsys)
    assert "'fourfold run' needs hydra-core, torch" in said
    assert "pip install 'fourfold[experiments]'" in said


def test_nothing_is_needed_that_is_there():
    extras.need("x", {"json": "json"})
    with pytest.raises(UserError, match=r"needs no-such-package, .*fourfold\[plots\]"):
        extras.need("x", {"json": "json", "no_such_module": "no-such-package"}, extra="plots")
