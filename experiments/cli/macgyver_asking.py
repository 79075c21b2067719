"""What the ``fourfold macgyver`` commands share that ask a language model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .arguments import Parser
from .run import LANGUAGE_PACKAGES

if TYPE_CHECKING:
    from ..language_models.chat import ChatRequest

# Of what fourfold llm needs, all but what scores connections.
_SCORING = ("rouge_score", "bert_score")
PACKAGES = {package: name for package, name in LANGUAGE_PACKAGES.items() if package not in _SCORING}

SETTINGS = """\
The model is named by settings, as for 'fourfold llm': model.name=MODEL, model.base_url=URL of its server
(OpenAI's without it), model.backend=transformers, model.max_tokens=, model.temperature=, 'model.extra={...}',
model.concurrency=, model.price_in= and model.price_out=, cache=FOLDER of the replies. Replies are kept: a run
that was stopped goes on with the same command, and nothing is asked twice.
"""


def model_arguments(parser: Parser) -> None:
    """The settings of the model, and ``--dry-run``."""
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="a setting of the model")
    parser.add_argument(
        "--dry-run", action="store_true", help="show the first prompt and what it would cost, and stop"
    )


def first_prompt(requests: Sequence[ChatRequest]) -> str:
    """The first of the prompts, and how many more there are."""
    parts = [f"[{message.role}]\n{message.content}\n" for message in requests[0].messages]
    if len(requests) > 1:
        parts.append(f"[and {len(requests) - 1:,} more like it]\n")
    return "\n".join(parts)


def json_lines(rows: Sequence[dict[str, Any]]) -> str:
    """A file's content, a row a line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
