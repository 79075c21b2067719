"""What can become of a request, and what is done about it: the one table, which the help shows too.

How a server's words are recognised as one of these kinds is in ``server_errors`` and ``network``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Then(StrEnum):
    """What follows."""

    DONE = "done"
    ONCE_MORE = "asked once more"
    AGAIN = "asked again"
    WAIT = "waited for"
    NEVER = "not asked again"
    STOP = "stops all"


@dataclass(frozen=True, slots=True)
class FailureKind:
    """One kind of outcome.

    ``when`` says how it shows; ``statuses`` are HTTP's, in the status line or in a body's error, ``codes``
    the words that servers have for them in a body's error, ``finishes`` reasons to stop in a choice, the
    first of which stands for all. Only what is ``stored`` goes into the store of replies, and only what is
    ``scored`` is a model's answer.
    """

    name: str
    when: str
    then: Then
    stored: bool = False
    scored: bool = False
    statuses: frozenset[int] = frozenset()
    codes: frozenset[str] = frozenset()
    finishes: tuple[str, ...] = ()


ANSWER = FailureKind(
    "answer", "a text that ended by itself (finish_reason stop, or none)", Then.DONE,
    stored=True, scored=True,
    finishes=("stop", "", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed", "done"),
)  # fmt: skip
UNKNOWN = FailureKind(
    "other reason", "a text with another finish_reason, which the record counts by its word", Then.DONE,
    stored=True, scored=True,
)  # fmt: skip
CUT = FailureKind(
    "cut short", "it ran out of model.max_tokens= (finish_reason length)", Then.DONE,
    stored=True, scored=True, finishes=("length", "max_tokens", "model_length", "max_output_tokens"),
)  # fmt: skip
EMPTY = FailureKind("empty", "no text, and no reason for that", Then.ONCE_MORE, scored=True)
REFUSED = FailureKind(
    "refused", "the model refuses (message.refusal, finish_reason refusal)", Then.NEVER,
    finishes=("refusal",),
)  # fmt: skip
FILTERED = FailureKind(
    "filtered", "a filter holds it back (content_filter), or choices is empty", Then.NEVER,
    codes=frozenset({"content_filter", "content_policy_violation", "moderation_blocked"}),
    finishes=(
        "content_filter", "sensitive", "safety", "recitation", "blocklist", "prohibited_content", "spii",
        "error_toxic", "guardrail_intervened",
    ),
)  # fmt: skip
BROKEN = FailureKind(
    "broken off", "finish_reason error or network_error, an error in a choice", Then.AGAIN,
    finishes=(
        "error", "network_error", "server_error", "insufficient_system_resource", "abort", "aborted",
        "cancelled", "timeout",
    ),
)  # fmt: skip
BUSY = FailureKind(
    "busy", "429; a Retry-After is followed", Then.AGAIN, statuses=frozenset({429}),
    codes=frozenset({"rate_limit_exceeded", "rate_limit_error", "too_many_requests"}),
)  # fmt: skip
LOADING = FailureKind(
    "loading", "503 with words of loading a model; stops all after model.patience=", Then.WAIT
)
SERVER = FailureKind(
    "server error", "5xx, 408, 409, 425, an error without a status", Then.AGAIN,
    statuses=frozenset({408, 409, 425, *range(500, 600)}),
)  # fmt: skip
REJECTED = FailureKind(
    "rejected", "400, 413, 422 and other 4xx: this request will not do", Then.NEVER,
    statuses=frozenset(range(400, 500)),
    codes=frozenset({"invalid_request_error", "context_length_exceeded", "exceed_context_size_error"}),
)  # fmt: skip
SETTING = FailureKind("refused setting", "the server does not take model.temperature=", Then.STOP)
KEY = FailureKind(
    "key", "401: the key is missing or wrong", Then.STOP, statuses=frozenset({401}),
    codes=frozenset({"invalid_api_key", "authentication_error"}),
)  # fmt: skip
MONEY = FailureKind(
    "money", "402, insufficient_quota", Then.STOP, statuses=frozenset({402}),
    codes=frozenset({"insufficient_quota", "billing_hard_limit_reached"}),
)  # fmt: skip
NOWHERE = FailureKind(
    "no such path", "404: neither model nor path is there", Then.STOP, statuses=frozenset({404}),
    codes=frozenset({"model_not_found", "not_found_error"}),
)  # fmt: skip
UNREADABLE = FailureKind("unreadable", "200 with something else than a reply", Then.AGAIN)
PAGE = FailureKind(
    "web page", "200 with a page of HTML; two stop all where nothing else came",
    Then.AGAIN,
)  # fmt: skip
LATE = FailureKind("late", "no piece of an answer within model.timeout= seconds", Then.AGAIN)
CUT_OFF = FailureKind("connection broke", "after the request was sent", Then.AGAIN)
NOBODY = FailureKind(
    "no connection", "refused twice or not accepted in 10 s; stops all once that is clear",
    Then.AGAIN,
)  # fmt: skip
INSECURE = FailureKind("no secure connection", "https at an http port, a certificate that fails", Then.STOP)
MACHINE = FailureKind("this machine", "too many open files", Then.STOP)

KINDS = (
    ANSWER, UNKNOWN, CUT, EMPTY, REFUSED, FILTERED, BROKEN, BUSY, LOADING, SERVER, REJECTED, SETTING, KEY,
    MONEY, NOWHERE, UNREADABLE, PAGE, LATE, CUT_OFF, NOBODY, INSECURE, MACHINE,
)  # fmt: skip
# What the model or its server does not want to answer: model.withheld= says what such an answer counts as.
WITHHELD = (REFUSED, FILTERED)

# The more particular first: REJECTED holds every 4xx.
_BY_STATUS = (BUSY, SERVER, KEY, MONEY, NOWHERE, REJECTED)


def of_status(status: int) -> FailureKind:
    """The kind of an error with this HTTP status, which may stand in a body too."""
    return next((kind for kind in _BY_STATUS if status in kind.statuses), SERVER)


def of_code(code: str) -> FailureKind | None:
    """The kind that a word in a body's error stands for, if it is known."""
    return next((kind for kind in KINDS if code.lower() in kind.codes), None)


def of_finish(finish: str | None) -> FailureKind:
    """The kind of a choice that stopped for this reason."""
    word = (finish or "").strip().lower()
    return next((kind for kind in KINDS if word in kind.finishes), UNKNOWN)


def of_reply(text: str, finish: str | None) -> FailureKind:
    """The kind of what was said, with the reason to stop."""
    kind = of_finish(finish)
    return EMPTY if kind in (ANSWER, UNKNOWN) and not text.strip() else kind


def kinds_table() -> str:
    """The table as the help shows it, a kind a line."""
    width = max(len(kind.name) for kind in KINDS) + 2
    return "\n".join(f"  {kind.name:<{width}}{_effect(kind)}: {kind.when}" for kind in KINDS)


def _effect(kind: FailureKind) -> str:
    does = [word for word, holds in (("scored", kind.scored), ("stored", kind.stored)) if holds]
    return ", ".join([*([] if kind.then is Then.DONE else [str(kind.then)]), *does])
