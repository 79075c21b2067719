"""The table of one run of a language model, made from its record alone, and the estimate before one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from ..llm.served import served_text
from ..metrics.connection_metrics import CONNECTION_METRICS
from ..metrics.scores import METRICS
from ..runs.envelope import UsageEntry
from ..runs.language_model.record import LanguageRecord
from ..runs.language_model.titles import samples_of, title_of
from ..terminal.progress import time_text
from ..terminal.writing import cell, counted
from .paper.encoders import shown_to_people

if TYPE_CHECKING:
    from ..tasks.dry_run import Left

NONE = "–"
_FAULTS = {
    "misformatted": "misformatted groups",
    "hallucinated": "groups with a clue that is not on the wall",
    "repeated": "groups with a clue that is used twice",
    "unread": "replies without groups",
    "copied": "replies that only repeat the prompt",
    "shown": "answers that are a hint, or the clues as listed",
    "missed": "true groups that are not among the candidates",
    "completed": "groups of the answers that are not among them",
    "names_clues": "connections that repeat a clue",
    "empty": "missing connections",
    "cut_short": "replies that ran out of tokens",
    "refused": "answers that the model refused",
    "filtered": "answers held back by a filter",
    "empty_replies": "empty replies",
    "thoughts_alone": "replies of thoughts alone",
}
_ALWAYS = ("misformatted", "hallucinated", "names_clues", "missed")  # the paper's, and one of candidates


def results_table(record: LanguageRecord) -> Table:
    """The run's metrics, as mean ± spread where there are several runs, and people's."""
    entry = record.dataset
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    titles = {name: metric.title for name, metric in METRICS.items()}
    if record.task == 2:
        titles = {name: metric.title for name, metric in CONNECTION_METRICS.items() if name in record.metrics}
    table.add_column("Model", overflow="fold")
    for title in titles.values():
        head = title.replace(" ", "\n", 1) if title.count(" ") > 1 else title
        table.add_column(head, justify="right", no_wrap=True)
    people = entry.human is not None and shown_to_people(entry.name)
    if record.task == 2 and people:
        table.add_column("Correct", justify="right", no_wrap=True)
    ours = [_value(record, name) for name in titles]
    if record.task == 2 and people:
        ours.append(NONE)
    table.add_row(cell(title_of(record)), *map(cell, ours), style="bold")
    if people:
        table.add_row(cell("people"), *map(cell, _people(record, list(titles))))
    return table


def heading(record: LanguageRecord) -> str:
    """What the table is of; it stands above the table, which may be narrower."""
    entry = record.dataset
    split = f" {entry.split}" if entry.split else ""
    what = "grouping" if record.task == 1 else "connections"
    samples = samples_of(record)
    n_orders = max(record.n_seeds // samples, record.config.get("seeds", 1))  # those of a vote are one answer
    orders = f", {counted(n_orders, 'order')}" if record.task == 1 else ""
    orders += f", {counted(samples, 'sample')}{' of each' if n_orders > 1 else ''}" if samples > 1 else ""
    return (
        f"Task {record.task} ({what}), {entry.name}{split}: {entry}, "
        f"{counted(len(record.examples), 'example')}{orders}"
    )


def footer(record: LanguageRecord, folder: Path) -> str:
    """Faults, tokens and money, time, and where the record is."""
    shares = [
        f"{label} {record.faults[name]:.1%}"
        for name, label in _FAULTS.items()
        if name in record.faults and (name in _ALWAYS or record.faults[name])
    ]
    tokens = tokens_text([record.usage])
    lines = ["; ".join(shares)]
    if record.faults.get("thoughts_alone"):
        lines += thoughts_advice(record.faults)
    elif record.faults.get("empty_replies"):
        lines.append(f"empty replies are not kept: delete the record {folder.name} to have them asked again")
    lines += served_text(record.served, record.config["model"]["name"])
    if record.failures:
        failed = ", ".join(f"{count:,} {kind}" for kind, count in record.failures.items())
        lines.append(f"attempts that failed: {failed} ('fourfold llm --help' says what each is)")
    lines.append(tokens)
    if record.bertscore is not None:
        lines.append(f"BERTScore: {record.bertscore}")
    spent = ", ".join(f"{step} {seconds:.1f} s" for step, seconds in record.timings.items())
    return "\n".join([*lines, *([spent] if spent else []), f"record: {folder}"])


def thoughts_advice(faults: Mapping[str, float]) -> list[str]:
    """What to do about replies that are thoughts and no answer, by what ended them."""
    cut = faults.get("thoughts_cut", faults["thoughts_alone"])  # earlier records do not tell them apart
    lines = []
    if cut:
        lines.append("the model was still thinking when it ran out of tokens: raise model.max_tokens=")
    if faults["thoughts_alone"] > cut:
        lines.append(
            "the model ended by itself with thoughts and no answer, and more tokens do not mend that: have "
            "the server leave all in the text (llama.cpp: --reasoning-format none; vLLM: without "
            "--reasoning-parser), or switch thinking off, as in "
            """'model.extra={"chat_template_kwargs": {"enable_thinking": false}}'"""
        )
    return lines


def tokens_text(usages: Sequence[UsageEntry]) -> str:
    """Tokens and money of one run, or of several together; the money where that of each is known."""
    read, written = sum(each.read for each in usages), sum(each.written for each in usages)
    paid = (sum(each.paid_read for each in usages), sum(each.paid_written for each in usages))
    tokens = f"tokens: {read:,} read, {written:,} written"
    if paid != (read, written):
        runs = "this run" if len(usages) == 1 else "these runs"
        tokens += f"; in {runs} {paid[0]:,} and {paid[1]:,}, the others were kept"
    if unknown := sum(each.unknown for each in usages):
        tokens += f"; {counted(unknown, 'reply', 'replies')} told no numbers"
    costs = [each.cost for each in usages if each.cost is not None]
    if len(costs) == len(usages):
        tokens += f"; cost {sum(costs):.4g}"
    return tokens


def estimate_text(found: Left) -> str:
    """What requests would cost at most, how that is known, and how long they take."""
    usage = found.estimate.usage
    text = (
        f"{counted(found.estimate.n_requests, 'request')}: {usage.prompt:,} tokens to read "
        f"({found.estimate.how}), at most {usage.completion:,} to write"
    )
    text += (
        "; no cost without model.price_in= and model.price_out= (for a million tokens)"
        if found.cost is None
        else f"; cost at most {found.cost:.4g}"
    )
    if found.seconds is not None and found.estimate.n_requests:
        text += f"\nabout {time_text(found.seconds)}, at the pace of {found.pace}"
    if found.n_kept:
        kept = counted(found.n_kept, "reply is", "replies are")
        text += f"\n{kept} kept already at no cost, and not counted above"
    return text


def left_line(found: Left) -> str:
    """What one run of several would cost at most, in one line."""
    n_kept = f"{counted(found.n_kept, 'reply is', 'replies are')} kept by then"
    if not found.estimate.n_requests:
        return f"nothing to ask, {n_kept}"
    usage = found.estimate.usage
    said = [
        counted(found.estimate.n_requests, "request"),
        f"{usage.prompt:,} tokens to read",
        f"at most {usage.completion:,} to write",
        *([] if found.cost is None else [f"cost at most {found.cost:.4g}"]),
        *([] if found.seconds is None else [f"about {time_text(found.seconds)}"]),
        *([n_kept] if found.n_kept else []),
    ]
    return ", ".join(said)


def _value(record: LanguageRecord, name: str) -> str:
    metric = record.metrics.get(name)
    if metric is None:
        return NONE
    if record.n_seeds > 1:
        return f"{metric.mean:.1f}±{metric.std:.1f}"
    return f"{metric.mean:.0f}" if name in METRICS and METRICS[name].total else f"{metric.mean:.1f}"


def _people(record: LanguageRecord, names: list[str]) -> list[str]:
    entry = record.dataset
    human = entry.human or {}
    if record.task == 1:
        return [str(human[name]) if name in ("solved_walls", "correct_groups") else NONE for name in names]
    share = human["correct_connections"] / (4 * human["n_walls"])
    return [*(NONE for _ in names), f"{100 * share:.1f}%"]
