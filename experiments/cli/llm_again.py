"""``fourfold llm --from RECORD``: a language model's run again, and whether it came out equal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..terminal.messages import counted
from .run_again import repeat_words

if TYPE_CHECKING:
    from ..runs.language_model.repeat import LanguageRepetition


def llm_again(folder: Path, words: Sequence[str], walls: str | None) -> int:
    """Repeat a record's run and say whether it is equal; exit code 1 if it is not."""
    from ..runs.language_model.repeat import repeat_language_model
    from ..terminal.progress import ProgressBars

    out, cache = repeat_words(words)
    with ProgressBars() as bars:
        found = repeat_language_model(folder.expanduser(), bars, walls, out, cache)
    print(_said(found))
    return 0 if found.equal else 1


def _said(found: LanguageRepetition) -> str:
    total = counted(found.n_replies, "reply", "replies")
    other = found.n_replies - found.same_replies
    how = f"{found.n_kept:,} of them kept, which are not asked for again: cache=false asks for all"
    lines = [f"replies: {f'other in {other:,} of' if other else 'equal in all'} {total}"]
    if found.n_kept:
        lines[0] += f" ({how})"
    if found.metrics_apart:
        apart = ", ".join(f"{name} by up to {value:.2g}" for name, value in found.metrics_apart.items())
        lines.append(f"metrics: {apart}")
    else:
        lines.append("metrics: equal")
    for what, changed in (("version of", found.versions), ("model's", found.model)):
        lines += [f"{what} {name}: {then} then, {now} now" for name, (then, now) in changed.items()]
    if found.folder is not None:
        lines.append(f"record: {found.folder}")
    if found.equal:
        lines.append("The run came out equal.")
    elif found.versions or found.model or not other:
        lines.append("The run came out otherwise.")
    else:
        lines.append(
            "The run came out otherwise, with the same versions: an endpoint may answer otherwise, even at"
            " temperature 0, or have another model behind the same name."
        )
    return "\n".join(lines)
