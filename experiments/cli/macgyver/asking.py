"""What the ``fourfold macgyver`` commands share that ask a language model."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...runs import LANGUAGE_PACKAGES
from ..arguments import Parser

if TYPE_CHECKING:
    from ....conf.llm_schema import AskConfig
    from ...llm.chat import ChatRequest
    from ...macgyver.asking import ModelClient, Turns

# Of what fourfold llm needs, all but what scores connections.
_SCORING = ("rouge_score", "bert_score")
PACKAGES = {package: name for package, name in LANGUAGE_PACKAGES.items() if package not in _SCORING}

SETTINGS = """\
The model is named by settings, as for 'fourfold llm': model.name=MODEL, model.base_url=URL of its server
(OpenAI's without it), model.backend=transformers, model.max_tokens=, model.temperature=, 'model.extra={...}',
model.concurrency=, model.price_in= and model.price_out=, cache=FOLDER of the replies. A request without an
answer is given up after model.timeout=300 seconds and tried model.attempts=6 times.

The prompts are in the project's own words, after the paper's. Replies are kept: a run that was stopped goes
on with the same command, which asks again only for what was under way when it stopped.
"""


def model_arguments(parser: Parser) -> None:
    """The settings of the model, and ``--dry-run``."""
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="a setting of the model")
    parser.add_argument(
        "--dry-run", action="store_true", help="show the first prompt and what it would cost, and stop"
    )


def say_who(config: AskConfig, found: ModelClient) -> None:
    """Say on stderr whom a run asks and for how long, where no bar shows that it goes on."""
    from ...macgyver.asking import model_name
    from ...runs.language_model.config import is_local

    if sys.stderr.isatty():
        return
    waits = (
        ""
        if is_local(config.model)
        else (
            f"; a request without an answer is given up after {config.model.timeout:g} s (model.timeout=) "
            f"and tried {config.model.attempts} times (model.attempts=)"
        )
    )
    print(f"asking {model_name(found.model)}{waits}", file=sys.stderr)


def show_cost(
    chosen: Namespace,
    config: AskConfig,
    found: ModelClient,
    requests: Sequence[ChatRequest],
    later: Sequence[Turns] = (),
) -> None:
    """Print the first prompt and what all requests would cost at most, with ``--json`` as one JSON object."""
    from ...macgyver.asking import bound, bound_text

    most = bound(config, found, requests, later)
    if chosen.json:
        prompt = [{"role": each.role, "content": each.content} for each in requests[0].messages]
        print(json.dumps({**asdict(most), "prompt": prompt}, ensure_ascii=False))
        return
    print(_first_prompt(requests))
    print(bound_text(most))


def _first_prompt(requests: Sequence[ChatRequest]) -> str:
    """The first of the prompts, and how many more there are."""
    parts = [f"[{message.role}]\n{message.content}\n" for message in requests[0].messages]
    if len(requests) > 1:
        parts.append(f"[and {len(requests) - 1:,} more like it]\n")
    return "\n".join(parts)


def json_lines(rows: Sequence[dict[str, Any]]) -> str:
    """A file's content, a row a line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
