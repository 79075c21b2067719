"""Whether every request has its reply; if not, what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...errors import UserError
from ..terminal.wording import counted
from .chat import Answer, ChatModel, Failure, Reply
from .reply_cache import CachedChat

_SHOWN = 3  # walls that a failure is shown for
_LONGEST = 2_000  # letters: what a server says of money or limits is shown whole


def all_replied(
    answers: Sequence[Answer],
    wall_ids: Sequence[str],
    model: ChatModel,
    about: str = "wall",
    n_before: int = 0,
) -> list[Reply]:
    """The replies, if there is one for each request.

    ``about`` is what the requests are about, where they are not about walls but have IDs of another kind;
    ``n_before`` how many replies led to these requests.

    Raises
    ------
    UserError
        If there is not: each kind of failure with its number and some of its walls.

    """
    failed: dict[str, list[str]] = {}
    sent: dict[str, str] = {}
    unsent: Counter[str] = Counter()
    for answer, wall_id in zip(answers, wall_ids, strict=True):
        if isinstance(answer, Failure):
            failed.setdefault(answer.reason, []).append(wall_id)
            unsent[answer.reason] += answer.attempts == 0
            if answer.sent:
                sent.setdefault(answer.reason, f"; it sent {answer.sent}")
    if not failed:
        return [answer for answer in answers if isinstance(answer, Reply)]
    n_failed = sum(map(len, failed.values()))
    shown = "; ".join(
        f"{reason}{sent.get(reason, '')} ({_named(about, ids, unsent[reason])})"
        for reason, ids in failed.items()
    )
    kept, n_kept = "", n_before + len(answers) - n_failed
    if isinstance(model, CachedChat) and (n_kept := n_kept - model.store.n_lost) > 0:
        are = "is" if n_kept == 1 else "are"
        kept = (
            f" {counted(n_kept, 'reply', 'replies')} {are} kept: the same command asks for the others alone."
        )
    kinds = Counter(answer.kind for answer in answers if isinstance(answer, Failure) and answer.kind)
    counts = f" ({', '.join(f'{n:,} {kind}' for kind, n in kinds.most_common())})" if len(kinds) > 1 else ""
    error = UserError(f"{n_failed} of {len(answers)} requests failed{counts}: {shown}.{kept}")
    error.longest = _LONGEST
    raise error


def _named(about: str, ids: Sequence[str], n_unsent: int) -> str:
    named = ", ".join(ids[:_SHOWN])
    more = len(ids) - _SHOWN
    text = f"{about}{'s' if len(ids) > 1 else ''} {named}" + (f" and {more} more" if more > 0 else "")
    return f"{text}; {n_unsent} of them not sent" if n_unsent else text
