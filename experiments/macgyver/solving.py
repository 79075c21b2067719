"""A language model solves problems: at once, by reflecting on its steps, or by first exploring its tools.

Source: Tian et al. (2024), sections 4.2 and 6.2 and appendix D.3. The prompts are our own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..llm.chat import ChatRequest, Json, Message, Reply
from ..llm.outcomes import CUT, of_finish
from ..llm.parsing.judgements import read_reflection
from ..llm.parsing.verdicts import Solvability, answer_of, read_solvability
from ..llm.prompt import Prompt
from ..llm.served import served_entry
from ..terminal.progress import Update
from .asking import ModelClient, Turns, model_name, recorded, tokens
from .references import same_text

STRATEGIES = ("vanilla", "reflection", "divergent")
ROUNDS = 4  # of reflection, at most


@dataclass(frozen=True, slots=True)
class OpenProblem:
    """A problem to be solved, by whatever ID it has."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class SolvingPlan:
    """How problems are asked: a strategy, its templates, and the instructions, one for each answer."""

    strategy: str
    first: Prompt
    reflection: Prompt | None
    instructions: tuple[str, ...]
    answers: int = 1
    rounds: int = ROUNDS


@dataclass(slots=True)
class Attempt:
    """One answer to one problem under way: what was said, and the answer that stands."""

    question: OpenProblem
    number: int  # of the answer, from 1
    instruction: str | None  # None where the template does not show it
    messages: list[Message]
    requests: list[ChatRequest] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    answer: str = ""
    solvability: Solvability = Solvability.UNREAD
    settled: bool = True
    changes: int = 0  # rounds of reflection that put another answer in its place
    contradictions: int = 0  # rounds that said that no change is needed, and gave another answer

    def read(self, text: str) -> Solvability:
        """What a text says of the problem, beside what it copies from what the model was asked."""
        asked = "\n".join(message.content for message in self.messages if message.role != "assistant")
        return read_solvability(text, self.question.text, asked)


def open_attempts(plan: SolvingPlan, questions: Sequence[OpenProblem]) -> list[Attempt]:
    """Each problem's attempts with their first question: answer i takes instruction i, then begins again."""
    n_instructions = len(plan.instructions)
    shown = "instruction" in plan.first.used
    return [
        Attempt(
            question,
            number + 1,
            plan.instructions[number % n_instructions] if shown else None,
            list(
                plan.first.messages(
                    problem=question.text, instruction=plan.instructions[number % n_instructions]
                )
            ),
        )
        for question in questions
        for number in range(plan.answers)
    ]


def solve_attempts(
    asked: ModelClient,
    plan: SolvingPlan,
    attempts: Sequence[Attempt],
    update: Callable[[int], Update] | None = None,
) -> None:
    """Bring every attempt to its answer; ``update`` gives what is told of a round's progress, from round 0.

    Each question depends on nothing but what was said before it, so that replies which were kept bring a
    run that was stopped back to where it was.

    Raises
    ------
    UserError
        If requests failed.

    """
    _turn(asked, attempts, None if update is None else update(0))
    for attempt in attempts:
        attempt.answer = answer_of(attempt.replies[0]).strip()
        attempt.solvability = attempt.read(attempt.answer)
    if plan.reflection is None:
        return
    open_ones = list(attempts)
    for attempt in attempts:
        attempt.settled = False
    for number in range(1, plan.rounds + 1):
        if not open_ones:
            break
        for attempt in open_ones:
            attempt.messages.append(Message("assistant", attempt.answer or "(no answer)"))
            attempt.messages += plan.reflection.messages(problem=attempt.question.text, round=number)
        _turn(asked, open_ones, None if update is None else update(number))
        for attempt in open_ones:
            _reflect(attempt)
        open_ones = [attempt for attempt in open_ones if not attempt.settled]


def _turn(asked: ModelClient, attempts: Sequence[Attempt], update: Update | None) -> None:
    requests = asked.drawn(attempt.messages for attempt in attempts)
    replies = asked.ask(requests, [attempt.question.id for attempt in attempts], "problem", update)
    for attempt, request, reply in zip(attempts, requests, replies, strict=True):
        attempt.requests.append(request)
        attempt.replies.append(reply)


def _reflect(attempt: Attempt) -> None:
    """Take what the last reply says of the answer that stands."""
    text = answer_of(attempt.replies[-1])
    reflection = read_reflection(text)
    verdict = attempt.read(text)
    attempt.settled = bool(text.strip()) and not reflection.needs_change  # nothing is not a conclusion
    attempt.contradictions += bool(reflection.ignored) and not same_text(reflection.ignored, attempt.answer)
    new, before = reflection.answer, attempt.answer
    if new:
        attempt.answer = new
        own = attempt.read(new)
        says_less = own in (Solvability.SOLVABLE, Solvability.UNREAD) and verdict is not Solvability.UNREAD
        attempt.solvability = verdict if says_less else own
    elif verdict in (Solvability.UNSOLVABLE, Solvability.UNCLEAR) and verdict is not attempt.solvability:
        # The checks themselves are the answer, as where the problem is found to be unsolvable after all.
        attempt.answer = text.strip() or attempt.answer
    if verdict is not Solvability.UNREAD and not new:
        attempt.solvability = verdict
    attempt.changes += not same_text(attempt.answer, before)


def later_turns(asked: ModelClient, plan: SolvingPlan, attempts: Sequence[Attempt]) -> list[Turns]:
    """The reflections that may follow, each with all that was said before it."""
    if plan.reflection is None or not attempts:
        return []
    first = sum(tokens(message.content) for attempt in attempts for message in attempt.messages)
    sample = plan.reflection.messages(problem=attempts[0].question.text, round=1)
    step = asked.asking.max_tokens + sum(tokens(message.content) for message in sample)
    mean = first // len(attempts)
    return [Turns(len(attempts), mean + number * step) for number in range(1, plan.rounds + 1)]


def answer_rows(asked: ModelClient, plan: SolvingPlan, attempts: Sequence[Attempt]) -> list[dict[str, Json]]:
    """What the file of answers holds, a row an attempt."""
    templates = [plan.first] if plan.reflection is None else [plan.first, plan.reflection]
    name = model_name(asked.model)
    return [
        {
            "id": attempt.question.id,
            "problem": attempt.question.text,
            "answer": attempt.answer,
            "solvability": attempt.solvability.value,
            "strategy": plan.strategy,
            "number": attempt.number,
            "instruction": attempt.instruction,
            "rounds": len(attempt.replies) - 1,
            "settled": attempt.settled,
            "changes": attempt.changes,
            "contradictions": attempt.contradictions,
            "cut_short": of_finish(attempt.replies[-1].finish) is CUT,
            "replies": [reply.text for reply in attempt.replies],
            "keys": [asked.key(request) for request in attempt.requests],
            "model": name,
            "served": served_entry(attempt.replies),
            "prompts": {template.task: recorded(template) for template in templates},
        }
        for attempt in attempts
    ]
