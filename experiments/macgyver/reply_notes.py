"""What is to be said of a run's replies beside what they cost: those that are no answer, and who answered."""

from __future__ import annotations

from collections.abc import Sequence

from ..llm.chat import Json, Reply
from ..llm.served import served_entry, served_text
from ..tables.language_results import thoughts_advice
from ..tasks.faults import reply_faults
from ..terminal.writing import counted


def reply_notes(replies: Sequence[Reply], name: str) -> list[str]:
    """A line each on replies without an answer, and on models other than the one that was asked for."""
    if not replies:
        return []
    faults = reply_faults(replies)
    alone, cut = (round(faults[key] * len(replies)) for key in ("thoughts_alone", "cut_short"))
    lines = []
    if alone:
        lines.append(f"{counted(alone, 'reply is', 'replies are')} thoughts alone, without an answer")
        lines += thoughts_advice(faults)
    if cut and faults["cut_short"] > faults["thoughts_cut"]:
        lines.append(f"{counted(cut, 'reply', 'replies')} ran out of tokens: raise model.max_tokens=")
    return lines + served_text(served_entry(replies), name)


def reply_counts(replies: Sequence[Reply]) -> dict[str, Json]:
    """The same as numbers, for JSON."""
    faults = reply_faults(replies) if replies else {}
    counts = {key: round(faults.get(key, 0.0) * len(replies)) for key in ("cut_short", "thoughts_alone")}
    return {**counts, "served": served_entry(replies)}
