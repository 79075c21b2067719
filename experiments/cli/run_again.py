"""``fourfold run --from RECORD``: a run again, and whether it came out equal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UserError
from ..terminal.messages import counted

if TYPE_CHECKING:
    from ..runs.encoder.repeat import Repetition


def run_again(folder: Path, words: Sequence[str], walls: str | None) -> int:
    """Repeat a record's run and say whether it is equal; exit code 1 if it is not."""
    from ..runs.encoder.repeat import repeat
    from ..terminal.progress import ProgressBars

    out, cache = repeat_words(words)
    with ProgressBars() as bars:
        found = repeat(folder.expanduser(), bars, walls, out, cache)
    print(_said(found))
    return 0 if found.equal else 1


def repeat_words(words: Sequence[str]) -> tuple[Path | None, str | None]:
    """The folder of ``out=`` and the value of ``cache=``; UserError on any other word."""
    given: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key not in {"out", "cache"} or not value.strip():
            raise UserError(f"{word}: --from repeats a run as it was, and takes out=FOLDER and cache= alone")
        given[key] = value.strip("'\"")
    return Path(given["out"]).expanduser() if "out" in given else None, given.get("cache")


def _said(found: Repetition) -> str:
    entry = found.record.dataset
    seeds = counted(found.record.n_seeds, "seed")
    if found.same_fits == found.n_fits:
        walls = "the one wall" if entry.n_walls == 1 else f"all {entry.n_walls:,} walls"
        lines = [f"labels: equal on {walls} in {seeds}"]
    else:
        other = found.n_fits - found.same_fits
        lines = [
            f"labels: other in {other:,} of {found.n_fits:,} fits ({counted(entry.n_walls, 'wall')}, {seeds})"
        ]
    lines.append(
        "inertia: equal" if found.inertia_apart == 0 else f"inertia: up to {found.inertia_apart:.1e} apart"
    )
    if found.metrics_apart:
        apart = ", ".join(f"{name} by up to {value:.2g}" for name, value in found.metrics_apart.items())
        lines.append(f"metrics: {apart}")
    else:
        lines.append("metrics: equal")
    for what, changed in (("version of", found.versions), ("encoder's", found.encoder)):
        lines += [f"{what} {name}: {then} then, {now} now" for name, (then, now) in changed.items()]
    if found.folder is not None:
        lines.append(f"record: {found.folder}")
    if found.equal:
        lines.append("The run came out equal, bit for bit.")
    elif found.versions or found.encoder:
        lines.append("The run came out otherwise.")
    else:
        lines.append(
            "The run came out otherwise, with the same versions and model: the last digits of vectors differ"
            " on another machine or device, and where texts are encoded in other company."
        )
    return "\n".join(lines)
