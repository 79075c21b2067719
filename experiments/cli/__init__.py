"""The command line. Each subcommand has a module of its own, which loads only when it is called.

What the user can mend is one line on stderr and exit code 2. Any other failure is one line and exit code 1;
``--debug`` shows its traceback.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from typing import TextIO

from ... import __version__
from ...errors import UserError
from ...masking import secrets_of
from ..files.machine_causes import machine_cause
from ..terminal.writing import ClosedOutput, safe_streams, tell
from .commands import logged_on_stderr

COMMANDS = {
    "run": "cluster a data set's walls with a model, score them and keep a record",
    "sweep": "do many runs: every combination of models, embeddings, data sets and so on",
    "runs": "list, choose and compare the records of runs",
    "solve": "group the clues of one wall, with runners-up and red herrings",
    "data": "make easier walls, get word vectors, list and clear what is kept",
    "table": "set a table of the Only Connect Wall paper beside your records",
    "plot": "draw a wall, its similarities, models or seeds, for print",
    "herrings": "show the red herrings of a record's walls",
    "llm": "ask a language model to group clues or to name connections",
    "play": "guess the groups of walls with lives, as in the show",
    "macgyver": "the MacGyver data set: counts, judgements, tools; make, filter and solve problems",
    "warmup": "compile everything for this machine beforehand",
    "export": "write a record's predictions as the paper's evaluator reads them",
}

HELP = """\
usage: fourfold COMMAND [arguments]

Clusters the clues of walls into groups of fixed size, by the meaning of their names.

commands:
{commands}

options:
  -h, --help   show this help; 'fourfold COMMAND --help' shows a command's own
  --version    show the version
  --debug      show the traceback of an error

examples:
  fourfold run
  fourfold run model=minilm dataset=ocw dataset.path=FOLDER_OR_FILE
  fourfold sweep model=minilm embedding=static,contextual solver=kmeans,exact
  fourfold runs --sort ari
  fourfold solve --file wall.txt
  fourfold table 3
  fourfold export runs/RECORD --out predictions
"""

_CANNOT_BE_WRITTEN = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    _open_what_is_closed()
    _never_fail_to_encode(sys.stdout)
    _never_fail_to_encode(sys.stderr)
    with secrets_of(words), safe_streams(), logged_on_stderr():
        return _exit_code(words, debug)


def _exit_code(words: list[str], debug: bool) -> int:
    try:
        code = _dispatch(words)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has gone
        _drop_output()
        return 141
    except (Exception, KeyboardInterrupt) as error:
        if debug:
            print(traceback.format_exc(), end="", file=sys.stderr)
        message, code = _explain(error)
        tell(message, getattr(error, "longest", UserError.longest))
        with suppress(OSError):
            sys.stdout.flush()
            return code
        _drop_output()
    return code


def _open_what_is_closed() -> None:
    """Python has None in place of a stream that was closed by whoever called (``>&-``).

    The first file that is opened would have its number, and what is printed would go there: something else
    takes the number first. To print to a closed stdout is an error, as it is for other programs.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: PTH123, SIM115 - stays open
            setattr(sys, name, ClosedOutput(stream) if name == "stdout" else stream)


def _drop_output() -> None:
    """Python would fail once more when it flushes stdout at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(words: list[str]) -> int:
    for word in words:
        if not word.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in word):
            shown = word.encode("utf-8", "backslashreplace").decode()
            raise UserError(f"the argument {shown} is not UTF-8: rename the file, or set a UTF-8 locale")
    if not words or words[0] in {"-h", "--help"}:
        listed = "\n".join(f"  {name:<11}  {what}" for name, what in COMMANDS.items())
        print(HELP.format(commands=listed), end="", file=sys.stdout if words else sys.stderr)
        return 0 if words else 2
    if words[0] == "--version":
        print(f"fourfold {__version__}")
        return 0
    if words[0] not in COMMANDS:
        from ...conf.choices import other_command

        if instead := other_command(words[0]):
            raise UserError(f"'{words[0]}' is not a command: {instead}")
        near = get_close_matches(words[0], COMMANDS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(COMMANDS)}"
        raise UserError(f"'{words[0]}' is not a command: {hint} ('fourfold --help' says what each does)")
    code: int = import_module(f".{words[0]}", __name__).main(words[1:])
    return code


def _explain(error: BaseException) -> tuple[str, int]:
    """What to say of an error, and the exit code."""
    if isinstance(error, KeyboardInterrupt):
        return str(error) or "stopped; nothing was left half-written", 130
    if cause := machine_cause(error):
        return cause, 2
    if isinstance(error, UserError):
        return str(error), 2
    if isinstance(error, OSError) and not error.filename and error.errno in _CANNOT_BE_WRITTEN:
        return f"the output could not be written ({error.strerror}): write it elsewhere", 1
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}: name another file or folder, or make it usable", 2
    if isinstance(error, RuntimeError) and "home directory" in str(error):
        return "a path begins with ~ and a user who has no home here: write the path out", 2
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{what} (this should not happen: --debug shows where)", 1


def _never_fail_to_encode(stream: TextIO) -> None:
    """Print a question mark for what the terminal's encoding lacks, such as a clue's accents."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
