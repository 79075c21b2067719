"""What the package logs is a line on stderr of the command line, and only there."""

import logging

import pytest

from fourfold.experiments import cli
from fourfold.experiments.cli.commands import logged_on_stderr


def log():
    logging.getLogger("fourfold.kernels").info("compiling\nonce")
    logging.getLogger("fourfold.embeddings.cache").warning("no room in %s", "a\x1b[2Jb")
    logging.getLogger("somebody.else").info("chatter")


def test_each_is_one_line_until_the_command_ends(monkeypatch, capsys):
    def dispatch(words):
        log()
        return 0

    monkeypatch.setattr(cli, "_dispatch", dispatch)
    assert cli.main(["run"]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "fourfold: compiling once\nfourfold: no room in a\\u001b[2Jb\n"
    log()
    assert capsys.readouterr().err == ""


def test_an_error_ends_it_too():
    logger = logging.getLogger("fourfold")
    before = logger.level, list(logger.handlers)
    with pytest.raises(KeyError), logged_on_stderr():
        raise KeyError
    assert (logger.level, logger.handlers) == before
