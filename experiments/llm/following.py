"""How far a model's requests are: answers, tokens and money so far, and those to be asked again."""

from __future__ import annotations

from ..terminal.progress import Step, Update
from ..terminal.wording import counted
from .chat import Answer, ChatModel, Reply, Usage
from .costs import Prices
from .traffic import counts_of


class Following:
    """Reports a model's answers to a step of progress as they come; give ``keep`` to ``complete``.

    Parameters
    ----------
    update
        What is told how many are answered, if anything is. Of a ``Step``, kept replies count as done and not
        towards its rate, and tokens, money and waiting requests are shown beside it.
    model
        Who is asked.
    prices
        What tokens cost, where the user has said so.

    """

    def __init__(self, update: Update | None, model: ChatModel, prices: Prices | None = None) -> None:
        self._update, self._model = update, model
        self._prices = Prices() if prices is None else prices
        self._paid = Usage()
        self._done = self._total = 0
        if isinstance(update, Step):
            update.aside = self.text

    def begin(self, total: int) -> Following:
        """Begin with so many requests; tokens and money go on from what they were."""
        self._done, self._total = 0, total
        if isinstance(self._update, Step):
            self._update(0, total)
        return self

    def keep(self, _: int, answer: Answer) -> None:
        """Take in an answer."""
        self._done += 1
        cached = isinstance(answer, Reply) and answer.cached
        if isinstance(answer, Reply) and answer.usage is not None and not cached:
            self._paid += answer.usage
        if cached and isinstance(self._update, Step):
            self._update.skip(self._done, self._total)
        elif self._update is not None:
            self._update(self._done, self._total)

    def text(self) -> str:
        """Tokens and money so far, and how many requests wait."""
        parts = []
        if self._paid != Usage():
            parts.append(f"{self._paid.prompt:,} tokens read, {self._paid.completion:,} written")
            if (cost := self._prices.cost(self._paid)) is not None:
                parts.append(f"cost {cost:.4g}")
        if waiting := counts_of(self._model).waiting:
            parts.append(f"{counted(waiting, 'request')} to be asked again")
        return ", ".join(parts)
