"""``--from RECORD``: a record's run again, whatever its kind, and whether it came out equal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...errors import UserError
from .commands import need


def run_again(command: str, folder: Path, words: Sequence[str], walls: str | None) -> int:
    """Repeat a record's run and say whether it is equal; exit code 1 if it is not."""
    from ..runs.kinds import kind_at
    from ..terminal.progress import ProgressBars

    out, cache = repeat_words(words)
    folder = folder.expanduser()
    kind = kind_at(folder)
    need(f"{command} --from", kind.packages, kind.extra_name)
    with ProgressBars() as bars:
        repetition = kind.repeat(folder, bars, walls, out, cache)
    print("\n".join(repetition.lines()))
    return 0 if repetition.equal else 1


def repeat_words(words: Sequence[str]) -> tuple[Path | None, str | None]:
    """The folder of ``out=`` and the value of ``cache=``; UserError on any other word."""
    given: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key not in {"out", "cache"} or not value.strip():
            raise UserError(f"{word}: --from repeats a run as it was, and takes out=FOLDER and cache= alone")
        given[key] = value.strip("'\"")
    return Path(given["out"]).expanduser() if "out" in given else None, given.get("cache")
