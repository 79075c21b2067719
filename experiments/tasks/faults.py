"""What goes wrong in answers, as the paper reports it: shares of all predicted groups or connections."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..data.wall import GROUP_SIZE, N_GROUPS, Wall
from ..llm.chat import Reply
from ..llm.outcomes import CUT, FILTERED, REFUSED, of_finish
from ..llm.parsing.clues import plain
from ..llm.parsing.groups import Groups
from ..llm.parsing.question import Question
from ..llm.parsing.text import answer_text, without_thoughts


def grouping_faults(walls: Sequence[Wall], answers: Sequence[Groups]) -> dict[str, float]:
    """Shares of faulty groups, 0 to 1, over four groups a wall.

    ``misformatted``: groups that are missing or have not exactly four clues. ``hallucinated``: groups that
    hold a text which is not a clue of their wall. ``repeated``: groups that hold a clue which the same answer
    has elsewhere too, oftener than the wall. ``hallucinated_clues`` is the share of such texts among all
    that stand in a clue's place. ``unread``: walls in whose reply no group was found.
    """
    n_groups = N_GROUPS * len(walls)
    misformatted = hallucinated = repeated = strange = written = unread = 0
    for wall, groups in zip(walls, answers, strict=True):
        known = [plain(clue) for clue in wall.clues]
        used = [plain(clue) for group in groups for clue in group]
        unread += not groups
        misformatted += N_GROUPS - sum(len(group) == GROUP_SIZE for group in groups)
        for group in groups:
            texts = [plain(clue) for clue in group]
            unknown = sum(text not in known for text in texts)
            hallucinated += unknown > 0
            strange += unknown
            written += len(texts)
            repeated += any(text in known and used.count(text) > known.count(text) for text in texts)
    return {
        "misformatted": misformatted / n_groups,
        "hallucinated": hallucinated / n_groups,
        "repeated": repeated / n_groups,
        "hallucinated_clues": strange / written if written else 0.0,
        "unread": unread / len(walls),
    }


def connection_faults(walls: Sequence[Wall], answers: Sequence[Sequence[str]]) -> dict[str, float]:
    """Shares of faulty connections, 0 to 1, over all of them.

    ``names_clues``: connections that hold a clue of their group, as words of their own. ``empty``: missing.
    """
    n_connections = sum(map(len, answers))
    names = empty = 0
    for wall, connections in zip(walls, answers, strict=True):
        for group, connection in zip(wall.groups, connections, strict=True):
            empty += not connection.strip()
            names += any(_holds(connection, clue) for clue in group.clues)
    return {"names_clues": names / n_connections, "empty": empty / n_connections}


def copy_faults(
    replies: Sequence[Reply], questions: Sequence[Question], answered: Sequence[bool]
) -> dict[str, float]:
    """The share of ``copied`` replies, 0 to 1: no answer was read, and most of it is the prompt repeated."""
    copied = [
        not read and question.repeats(without_thoughts(reply.text))
        for reply, question, read in zip(replies, questions, answered, strict=True)
    ]
    return {"copied": sum(copied) / len(copied)}


def shown_faults(questions: Sequence[Question], answers: Sequence[Groups]) -> dict[str, float]:
    """The share of answers, 0 to 1, that are as the prompt ``shown`` them: a hint, or the clues as listed."""
    shown = [question.shows(groups) for question, groups in zip(questions, answers, strict=True)]
    return {"shown": sum(shown) / len(shown)}


def reply_faults(replies: Sequence[Reply]) -> dict[str, float]:
    """Shares of replies that ran out of tokens, were refused or held back by a filter, and are empty.

    ``thoughts_alone``: those whose model thought and did not answer, whether its thoughts stand in the reply
    or came beside it; ``thoughts_cut``: those of them that ran out of tokens.
    """
    n_replies = len(replies)
    kinds = [of_finish(reply.finish) for reply in replies]
    thoughts = [_thoughts_alone(reply) for reply in replies]
    return {
        "cut_short": kinds.count(CUT) / n_replies,
        "refused": kinds.count(REFUSED) / n_replies,
        "filtered": kinds.count(FILTERED) / n_replies,
        "empty_replies": sum(not reply.text.strip() for reply in replies) / n_replies,
        "thoughts_alone": sum(thoughts) / n_replies,
        "thoughts_cut": sum(alone and kind is CUT for alone, kind in zip(thoughts, kinds, strict=True))
        / n_replies,
    }


def _thoughts_alone(reply: Reply) -> bool:
    return reply.thoughts or bool(reply.text.strip() and not answer_text(reply).strip())


def _holds(text: str, clue: str) -> bool:
    words = re.escape(plain(clue))
    return re.search(rf"(?<!\w){words}(?!\w)", plain(text)) is not None
