"""How a model on this machine picks its next token, and what ``model.extra`` may say of that.

Above temperature 0 each request has random numbers of its own, one for each token that it may write, which
follow from its messages, its seed and its number among several samples. A token is where the number lies in
the cumulated probabilities. So an answer depends neither on what else is in its batch nor on torch's
generator. (Arithmetic rounds a little otherwise in another batch; where that moves an edge across a number,
another token is picked, as at temperature 0 where two are all but equally likely.)
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...errors import UserError
from .chat import ChatRequest, Json

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class _Known:
    """A name in ``model.extra``: whole numbers or any, which values it may have, and who applies it."""

    whole: bool
    fits: Callable[[float], bool]
    said: str
    applied_by: str = ""  # a class of transformers; "" where generate() does it itself


# transformers' own names; those from top_k on shape the probabilities that are drawn from.
_KNOWN: Mapping[str, _Known] = {
    "min_new_tokens": _Known(True, lambda x: x >= 0, "a whole number of at least 0"),
    "repetition_penalty": _Known(
        False, lambda x: x > 0, "a number above 0", "RepetitionPenaltyLogitsProcessor"
    ),
    "no_repeat_ngram_size": _Known(
        True, lambda x: x >= 1, "a whole number of at least 1", "NoRepeatNGramLogitsProcessor"
    ),
    "top_k": _Known(True, lambda x: x >= 1, "a whole number of at least 1", "TopKLogitsWarper"),
    "top_p": _Known(False, lambda x: 0 < x <= 1, "a number above 0, at most 1", "TopPLogitsWarper"),
    "min_p": _Known(False, lambda x: 0 <= x <= 1, "a number from 0 to 1", "MinPLogitsWarper"),
    "typical_p": _Known(False, lambda x: 0 < x < 1, "a number between 0 and 1", "TypicalLogitsWarper"),
    "epsilon_cutoff": _Known(False, lambda x: 0 < x < 1, "a number between 0 and 1", "EpsilonLogitsWarper"),
    "eta_cutoff": _Known(False, lambda x: 0 < x < 1, "a number between 0 and 1", "EtaLogitsWarper"),
}
_MOST = 1e9
# Those that look at what stands there already, with the value that changes nothing.
_OF_TEXT: Mapping[str, float] = {"repetition_penalty": 1.0, "no_repeat_ngram_size": 0}


def check_extra(extra: Mapping[str, Json], max_tokens: int) -> None:
    """Raise UserError where ``model.extra`` holds what a model on this machine does not take."""
    for name, value in extra.items():
        known = _KNOWN.get(name)
        if known is None:
            raise UserError(
                f"model.extra holds {name}, which is not a setting of a model that transformers loads: "
                "expected " + ", ".join(_KNOWN)
            )
        number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST
        if not number or (known.whole and value != int(value)) or not known.fits(value):
            shown = json.dumps(value, ensure_ascii=False)
            raise UserError(f"model.extra has {name}={shown}: expected {known.said}")
        if name == "min_new_tokens" and value > max_tokens:
            raise UserError(
                f"model.extra has {name}={value}, which is more than model.max_tokens={max_tokens}: "
                "make one of them other"
            )


def drawn_numbers(request: ChatRequest, n: int) -> list[float]:
    """``n`` numbers in [0, 1) that follow from the request's messages, seed and sample alone."""
    content = request.content()
    key = json.dumps([content["messages"], request.seed or 0, request.sample], ensure_ascii=True)
    generator = random.Random(int.from_bytes(hashlib.sha256(key.encode()).digest()))
    return [generator.random() for _ in range(n)]


def processors(
    requests: Sequence[ChatRequest], lengths: Sequence[int], own: Mapping[str, Json], device: Any
) -> list[Any]:
    """What ``generate`` is to do to the scores of each next token, in this order.

    Parameters
    ----------
    requests
        Those of one batch, of one temperature, ``max_tokens`` and ``extra``.
    lengths
        How many tokens each prompt has; the shorter ones are padded on the left.
    own
        The model's own settings, where ``extra`` does not say otherwise.
    device
        The model's.

    """
    classes = import_module("transformers")
    first, longest = requests[0], max(lengths)
    settings = dict(first.extra)
    made: list[Any] = []
    for name, nothing in _OF_TEXT.items():
        settings.setdefault(name, nothing if own.get(name) is None else own[name])
        if settings[name] != nothing:
            inner = getattr(classes, _KNOWN[name].applied_by)(_value(name, settings))
            made.append(_WithoutPadding(inner, [longest - length for length in lengths]))
    if not first.temperature:
        return made
    made.append(classes.TemperatureLogitsWarper(float(first.temperature)))
    for name, known in _KNOWN.items():
        if name in settings and known.applied_by and name not in _OF_TEXT:
            more = {"device": str(device)} if name == "eta_cutoff" else {}
            made.append(getattr(classes, known.applied_by)(_value(name, settings), **more))
    numbers = [drawn_numbers(request, request.max_tokens) for request in requests]
    return [*made, _Draw(numbers, longest)]


def _value(name: str, settings: Mapping[str, Json]) -> float:
    return int(settings[name]) if _KNOWN[name].whole else float(settings[name])


class _WithoutPadding:
    """Lets a processor see each text without what fills it up, so that its batch has no part in it."""

    def __init__(self, inner: Any, padded: Sequence[int]) -> None:
        self._inner = inner
        self._padded = padded

    def __call__(self, ids: Tensor, scores: Tensor) -> Tensor:
        import torch

        return torch.cat(
            [
                self._inner(ids[row : row + 1, start:], scores[row : row + 1])
                for row, start in enumerate(self._padded)
            ]
        )


class _Draw:
    """Leaves to each row the one token in whose share of the probabilities its number lies."""

    def __init__(self, numbers: Sequence[Sequence[float]], n_before: int) -> None:
        self._numbers = numbers  # (n_rows, n_steps)
        self._n_before = n_before

    def __call__(self, ids: Tensor, scores: Tensor) -> Tensor:
        import torch

        step = ids.shape[1] - self._n_before
        # Apple's devices have no float64, in which a vocabulary's cumulated shares keep their digits.
        exact = scores.to("cpu" if scores.device.type == "mps" else scores.device, torch.float64)
        cumulated = exact.softmax(-1).cumsum(-1)
        total = cumulated[:, -1:]
        number = torch.tensor([[row[step]] for row in self._numbers], dtype=torch.float64).to(total.device)
        place = torch.searchsorted(cumulated, number * total, right=True)
        last = torch.searchsorted(cumulated, total)  # where the last token is that has a share
        place = torch.minimum(place, last).to(scores.device)
        return torch.full_like(scores, -torch.inf).scatter_(1, place, 0.0)
