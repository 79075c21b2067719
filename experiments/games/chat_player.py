"""A language model plays: a conversation a wall, each guess an answer and each verdict a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..data.wall import GROUP_SIZE, Wall
from ..llm.chat import Asking, ChatModel, ChatRequest, Keep, Message, Reply
from ..llm.parsing.clues import WallClues
from ..llm.parsing.groups import read_groups
from ..llm.parsing.question import Question
from ..llm.parsing.text import answer_text, without_thoughts
from ..llm.prompt import Prompt
from ..llm.replies import all_replied
from ..tasks.grouping import groups_schema
from ..tasks.wall_prompt import as_variables
from ..terminal.progress import Update
from .rules import Game, Rules, Verdict

if TYPE_CHECKING:
    from ..tasks.hints import Hint
    from .engine_player import Adviser


@dataclass(slots=True)
class Conversation:
    """One wall under way: its clues in the order that the model sees, the game, and what was said."""

    wall_id: str
    clues: tuple[str, ...]
    game: Game
    messages: list[Message]
    replies: list[Reply]


def open_conversations(
    prompt: Prompt,
    walls: Sequence[Wall],
    examples: Sequence[Wall],
    rules: Rules,
    order: Sequence[int],
    hints: Sequence[Sequence[Hint]] | None = None,
    structured: bool = False,
) -> list[Conversation]:
    """A conversation a wall with its first question; all walls show their clues in ``order``.

    ``hints`` are shown with them, wall by wall. Where answers are ``structured``, JSON is asked for.
    """
    conversations = []
    for number, wall in enumerate(walls):
        clues = tuple(wall.clues[place] for place in order)
        messages = prompt.messages(
            clues=list(clues),
            examples=as_variables(examples),
            hints=[] if hints is None else list(hints[number]),
            lives=rules.lives,
            free_groups=rules.free_groups,
            one_away=rules.one_away,
            structured=structured,
        )
        game = Game([wall.truth[place] for place in order], rules)
        conversations.append(Conversation(wall.wall_id, clues, game, list(messages), []))
    return conversations


def first_requests(conversations: Sequence[Conversation], asking: Asking) -> list[ChatRequest]:
    """What is asked before any guess is made."""
    return [asking.request(tuple(each.messages), groups_schema(1)) for each in conversations]


def play_with_model(
    model: ChatModel,
    conversations: Sequence[Conversation],
    asking: Asking,
    update: Update | None = None,
    adviser: Adviser | None = None,
    keep: Keep | None = None,
) -> None:
    """Hold every conversation to its end, turn by turn, those under way at once.

    ``update`` is called with the number of games that are over, ``keep`` with each answer.

    A conversation's next question depends on nothing but what was said in it, so that replies which were
    kept bring a game that was stopped back to where it was. An ``adviser`` knows the walls in the
    conversations' order, and adds its hints to each question after the first.

    Raises
    ------
    UserError
        If requests failed.

    """
    while under_way := [place for place, each in enumerate(conversations) if not each.game.over]:
        conversing = [conversations[place] for place in under_way]
        requests = first_requests(conversing, asking)
        n_before = sum(len(each.replies) for each in conversations)
        answers = model.complete(requests, keep)
        replies = all_replied(answers, [each.wall_id for each in conversing], model, n_before=n_before)
        said = [_take(each, reply) for each, reply in zip(conversing, replies, strict=True)]
        hints = _advice(adviser, conversations, under_way)
        for place, each, verdict in zip(under_way, conversing, said, strict=True):
            if not each.game.over:
                each.messages.append(Message("user", _next_question(each, verdict, hints.get(place, []))))
        if update is not None:
            update(sum(each.game.over for each in conversations), len(conversations))


def _take(each: Conversation, reply: Reply) -> str:
    """Judge the reply's guess, and return the words that say the verdict to the model."""
    game = each.game
    places = read_guess(answer_text(reply), each.clues, game.left, each.messages)
    repeated = game.tried(places)
    verdict = game.guess(places)
    each.replies.append(reply)
    # Some servers refuse an empty turn.
    each.messages.append(Message("assistant", without_thoughts(reply.text).strip() or "(no answer)"))
    return _in_words(game, verdict, repeated)


def _advice(
    adviser: Adviser | None, conversations: Sequence[Conversation], judged: Sequence[int]
) -> dict[int, list[Hint]]:
    """The hints for the conversations that go on, after the last guesses of those that were judged."""
    if adviser is None:
        return {}
    for place in judged:
        guess = conversations[place].game.guesses[-1]
        adviser.learn(place, guess.places, guess.verdict)
    going_on = [place for place in judged if not conversations[place].game.over]
    if not going_on:
        return {}
    clues = [conversations[place].clues for place in going_on]
    left = [conversations[place].game.left for place in going_on]
    return dict(zip(going_on, adviser.hints(going_on, clues, left), strict=True))


def read_guess(
    reply: str, clues: Sequence[str], left: Sequence[int], messages: Sequence[Message] = ()
) -> tuple[int, ...]:
    """The places of the clues that a reply guesses, of those that are left.

    Of several groups the first that is whole counts, else the first. A clue that is not left has no place,
    so that the guess is too short. What a reply repeats of the conversation's questions is not a guess.
    """
    shown = [clues[place] for place in left]
    groups = read_groups(reply, shown, Question(messages, shown) if messages else None)
    if not groups:
        return ()
    wall = WallClues(shown)
    chosen = [_places(group, wall, clues, left) for group in groups]
    whole = [places for places, group in zip(chosen, groups, strict=True) if _whole(places, group)]
    if whole:
        return whole[0]
    return chosen[0] if len(groups[0]) <= GROUP_SIZE else ()


def _whole(places: Sequence[int], group: Sequence[str]) -> bool:
    return len(places) == len(group) == GROUP_SIZE


def _places(
    group: Sequence[str], wall: WallClues, clues: Sequence[str], left: Sequence[int]
) -> tuple[int, ...]:
    """A place for each text that is a clue; the same text twice takes both, if there are two."""
    places: list[int] = []
    for text in group:
        clue = wall.find(text)
        free = [place for place in left if clues[place] == clue and place not in places]
        places += free[:1]
    return tuple(sorted(places))


def _in_words(game: Game, verdict: Verdict, repeated: bool) -> str:
    if verdict is Verdict.RIGHT:
        said = "Right."
    elif verdict is Verdict.ONE_AWAY:
        said = "Wrong, but one away: three of these clues belong together."
    elif verdict is Verdict.WRONG:
        said = "Wrong."
    elif repeated:
        said = "You have guessed that before, and it is wrong."
    else:
        said = "That is no guess: name four different clues of those that are left."
    if verdict is not Verdict.RIGHT and len(game.found) >= game.rules.free_groups:
        said += f" {game.lives_left} {'life' if game.lives_left == 1 else 'lives'} left."
    return said


def _next_question(each: Conversation, said: str, hints: Sequence[Hint]) -> str:
    left = ", ".join(each.clues[place] for place in each.game.left)
    parts = [said, f"Clues that are left: {left}"]
    for number, hint in enumerate(hints, start=1):  # in the form that the packaged template gives them
        behind = f" ({hint.behind:.1f}% behind)" if number > 1 else ""
        parts.append("\n".join([f"Proposal {number}{behind}:", *map(", ".join, hint.groups)]))
    return "\n\n".join([*parts, "Guess:"])
