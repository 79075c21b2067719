"""New problems from a language model, made harder step by step, in batches.

Step 1 asks for vanilla problems about a tag; step 2 for a solution to each, and then for constraints that
veto it; step 3 for objects that do not help, in another order. A batch is one question a step, since problems
of one batch differ more than those that are asked for one by one.

Source: Tian et al. (2024), section 2.1 and appendix C.4. The prompts are our own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ..llm.chat import Json, Message, Reply
from ..llm.outcomes import CUT, of_finish
from ..llm.parsing.lists import read_list
from ..llm.parsing.text import answer_text, without_thoughts
from ..llm.prompt import Prompt
from ..llm.served import served_entry
from ..terminal.progress import Update
from .asking import ModelClient, Turns, model_name, text_sha256, tokens
from .references import plain_text, same_text
from .tools import tools_of

BATCH = 15  # appendix C.4
DISTRACTORS = 5  # section 2.1, as its figure 2 shows
TRIES = 3  # of a list that comes back incomplete
STEPS = ("problems", "solutions", "constraints", "distractors")
CHANGING = ("problems", "constraints", "distractors")  # the steps that write the problem anew
_PROBLEM_TOKENS = 110  # the released ones have 416 letters on average


@dataclass(frozen=True, slots=True)
class MakingPlan:
    """What is made: batches of so many problems, their tags, the templates by step."""

    prompts: Mapping[str, Prompt]
    tags: tuple[str, ...]
    batches: int
    size: int = BATCH
    distractors: int = DISTRACTORS
    tries: int = TRIES
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a text of one step comes from: the reply, its key in the cache, and after how many tries."""

    key: str
    tries: int
    reply: Reply


@dataclass(slots=True)
class Draft:
    """One problem under way: its text after each step, and where it stopped."""

    batch: int
    place: int  # within its batch, from 1
    tag: str | None
    texts: dict[str, str] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)
    note: str | None = None

    @property
    def unchanged(self) -> list[str]:
        """The steps that were to change it and left it as it was."""
        steps = [step for step in CHANGING if step in self.texts]
        return [step for before, step in pairwise(steps) if same_text(self.texts[before], self.texts[step])]

    @property
    def id(self) -> str:
        """Its batch and place."""
        return f"{self.batch}-{self.place}"

    @property
    def problem(self) -> str:
        """The problem as it stands."""
        return next(
            self.texts[step] for step in ("distractors", "constraints", "problems") if step in self.texts
        )


@dataclass(slots=True)
class Batch:
    """Problems that are asked for together."""

    number: int  # from 1
    tag: str | None  # None where the template does not show it
    drafts: list[Draft] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def open_batches(plan: MakingPlan) -> list[Batch]:
    """The batches with their tags: every tag once in an order of its own, then all again in another."""
    if "tags" not in plan.prompts["problems"].used:
        return [Batch(number, None) for number in range(1, plan.batches + 1)]
    found = []
    n_tags = len(plan.tags)
    for number in range(plan.batches):
        turn, place = divmod(number, n_tags)
        order = random.Random(f"{plan.seed}/{turn}").sample(plan.tags, n_tags)
        found.append(Batch(number + 1, order[place]))
    return found


def first_questions(plan: MakingPlan, batches: Sequence[Batch]) -> list[tuple[Message, ...]]:
    """The questions of step 1."""
    return [_question(plan, "problems", batch, []) for batch in batches]


def make(
    asked: ModelClient,
    plan: MakingPlan,
    batches: Sequence[Batch],
    done: Callable[[str], None],
    update: Callable[[str], Update] | None = None,
) -> None:
    """Bring every batch through all steps; ``done`` is told each step that all batches are through.

    A question depends on nothing but earlier replies, so that those which were kept bring a run that was
    stopped back to where it was.

    Raises
    ------
    UserError
        If requests failed.

    """
    for step in STEPS:
        _take_step(asked, plan, step, batches, None if update is None else update(step))
        done(step)


def _question(plan: MakingPlan, step: str, batch: Batch, drafts: Sequence[Draft]) -> tuple[Message, ...]:
    problems = [draft.problem for draft in drafts]
    variables: dict[str, dict[str, Json]] = {
        "problems": {"tags": [] if batch.tag is None else [batch.tag], "number": plan.size},
        "solutions": {"problems": problems},
        "constraints": {
            "problems": problems,
            "solutions": [draft.texts.get("solutions", "") for draft in drafts],
        },
        "distractors": {"problems": problems, "number": plan.distractors},
    }
    return plan.prompts[step].messages(**variables[step])


@dataclass(slots=True)
class _Asking:
    """A batch's question of one step, until its list is complete."""

    batch: Batch
    drafts: list[Draft]  # those that the list is about; none in step 1
    wanted: int
    messages: list[Message]
    best: dict[int, str] = field(default_factory=dict)
    origin: Origin | None = None

    @property
    def complete(self) -> bool:
        return all(number in self.best for number in range(1, self.wanted + 1))


def _take_step(
    asked: ModelClient, plan: MakingPlan, step: str, batches: Sequence[Batch], update: Update | None
) -> None:
    askings = []
    for batch in batches:
        drafts = [draft for draft in batch.drafts if draft.note is None]
        if step == "problems" or drafts:
            wanted = plan.size if step == "problems" else len(drafts)
            askings.append(_Asking(batch, drafts, wanted, list(_question(plan, step, batch, drafts))))
    left = askings
    for number in range(1, plan.tries + 1):
        if not left:
            break
        requests = asked.drawn(each.messages for each in left)
        names = [str(each.batch.number) for each in left]
        replies = asked.ask(requests, names, "batch", update)
        for each, request, reply in zip(left, requests, replies, strict=True):
            _read(each, Origin(asked.key(request), number, reply))
        left = [each for each in left if not each.complete]
        for each in left:
            _ask_again(plan, each, replies[names.index(str(each.batch.number))])
    for each in askings:
        _keep(plan, step, each)


def _read(each: _Asking, origin: Origin) -> None:
    """Take a reply's list if it has more of what is wanted than the one before."""
    reply = origin.reply
    found = read_list(answer_text(reply), each.wanted)
    if of_finish(reply.finish) is CUT and found:
        del found[max(found)]  # cut off in its midst
    found = {number: text for number, text in found.items() if 1 <= number <= each.wanted}
    if each.origin is None or len(found) > len(each.best):
        each.best, each.origin = found, origin


def _ask_again(plan: MakingPlan, each: _Asking, reply: Reply) -> None:
    found = read_list(answer_text(reply), each.wanted)
    missing = [number for number in range(1, each.wanted + 1) if number not in found]
    each.messages.append(Message("assistant", without_thoughts(reply.text).strip() or "(no answer)"))
    each.messages += plan.prompts["recount"].messages(
        got=each.wanted - len(missing), wanted=each.wanted, missing=missing
    )


def _keep(plan: MakingPlan, step: str, each: _Asking) -> None:
    """Put what was read into the batch's drafts, and say what is missing."""
    assert each.origin is not None
    if not each.complete:
        each.batch.notes.append(
            f"{step}: {len(each.best)} of {each.wanted} after {plan.tries} "
            f"{'try' if plan.tries == 1 else 'tries'}"
        )
    if step == "problems":
        for number, text in sorted(each.best.items()):
            draft = Draft(each.batch.number, number, each.batch.tag, {step: text}, {step: each.origin})
            each.batch.drafts.append(draft)
        return
    for number, draft in enumerate(each.drafts, 1):
        if number in each.best:
            draft.texts[step], draft.origins[step] = each.best[number], each.origin
        else:
            draft.note = f"not in the list of {step} after {plan.tries} tries"


def later_turns(plan: MakingPlan, batches: Sequence[Batch], most_tokens: int) -> list[Turns]:
    """What may follow on the first questions, for problems as long as the released ones are on average.

    That is each step as often as it is tried: a try holds the lists of those before it, which may be as long
    as ``most_tokens`` lets them be.
    """
    recount = plan.prompts["recount"].messages(got=0, wanted=plan.size, missing=list(range(1, plan.size + 1)))
    again = most_tokens + sum(tokens(message.content) for message in recount)
    empty = Draft(0, 0, "", {"problems": "x", "solutions": "x"})
    made = []
    for step, texts in (("problems", 0), ("solutions", 1), ("constraints", 2), ("distractors", 1)):
        question = _question(plan, step, batches[0], [] if step == "problems" else [empty])
        words = sum(tokens(message.content) for message in question) + texts * plan.size * _PROBLEM_TOKENS
        first = 1 if step == "problems" else 0
        made += [Turns(len(batches), words + number * again) for number in range(first, plan.tries)]
    return made


def step_rows(step: str, batches: Sequence[Batch]) -> list[dict[str, Json]]:
    """What the file of one step holds, a row a problem that is through it."""
    return [
        {
            "id": draft.id,
            "batch": draft.batch,
            "place": draft.place,
            "tag": draft.tag,
            "text": draft.texts[step],
            "key": draft.origins[step].key,
            "tries": draft.origins[step].tries,
        }
        for batch in batches
        for draft in batch.drafts
        if step in draft.texts
    ]


def problem_rows(asked: ModelClient, plan: MakingPlan, batches: Sequence[Batch]) -> list[dict[str, Json]]:
    """What the file of problems holds: each with all steps, and what the last one did to its tools.

    ``tools_added`` and ``shuffled`` are read from the texts by ``tools_of``. ``unchanged`` lists the steps
    that gave a problem back as it was, and ``duplicate_of`` names the first one of the same text. ``note``
    says at which step a problem was left as it stands.
    """
    drafts = [draft for batch in batches for draft in batch.drafts]
    first: dict[str, str] = {}
    for draft in drafts:
        first.setdefault(plain_text(draft.problem).casefold(), draft.id)
    name = model_name(asked.model)
    prompts = {step: text_sha256(plan.prompts[step].text) for step in STEPS}
    return [
        {
            "id": draft.id,
            "problem": draft.problem,
            "tag": draft.tag,
            "batch": draft.batch,
            "place": draft.place,
            "steps": {
                step: {
                    "text": draft.texts[step],
                    "key": draft.origins[step].key,
                    "tries": draft.origins[step].tries,
                    "prompt": prompts[step],
                }
                for step in STEPS
                if step in draft.texts
            },
            **tool_changes(draft),
            "unchanged": draft.unchanged,
            "duplicate_of": None
            if (twin := first[plain_text(draft.problem).casefold()]) == draft.id
            else twin,
            "model": name,
            "served": served_entry([origin.reply for origin in draft.origins.values()]),
            "note": draft.note,
        }
        for draft in drafts
    ]


def tool_changes(draft: Draft) -> dict[str, Json]:
    """How many tools the last step added, and whether old and new are mixed or in another order.

    Neither is known where no tools are read from one of the texts.
    """
    before, after = (tools_of(draft.texts.get(step, "")) for step in ("constraints", "distractors"))
    if not before or not after:
        return {"tools_added": None, "shuffled": None}
    stayed = [tool for tool in before if tool in after]
    added = [tool for tool in after if tool not in before]
    order = [tool for tool in after if tool in stayed]
    mixed = list(after[len(after) - len(added) :]) != added
    return {"tools_added": len(added), "shuffled": order != stayed or mixed}
