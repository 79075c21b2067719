"""What the ``fourfold macgyver`` commands share that ask a language model."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UserError
from ..temporary_folder import try_writing
from .arguments import Parser

if TYPE_CHECKING:
    from ..language_models.chat import ChatRequest

PACKAGES = {
    "hydra": "hydra-core",
    "omegaconf": "omegaconf",
    "rich": "rich",
    "torch": "torch",
    "transformers": "transformers",
    "openai": "openai",
    "jinja2": "jinja2",
}

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


def check_out(chosen: Namespace, out: Path) -> None:
    """Raise UserError unless a file can be written to ``out`` that is not there yet."""
    from ..text_file import check_file

    check_file(out)
    if not out.exists():
        check_folder(out.parent)
    if out.is_file() and not chosen.force and not chosen.dry_run:
        raise UserError(f"{out} is there already: choose another --out, or replace it with --force")


def check_folder(where: Path) -> None:
    """Raise UserError unless a file can be made in the folder: it is found out before it is paid for."""
    try:
        try_writing(where)
    except OSError as error:
        raise UserError(f"{where} cannot be written to ({error.strerror}): choose another --out") from error


def first_prompt(requests: Sequence[ChatRequest]) -> str:
    """The first of the prompts, and how many more there are."""
    parts = [f"[{message.role}]\n{message.content}\n" for message in requests[0].messages]
    if len(requests) > 1:
        parts.append(f"[and {len(requests) - 1:,} more like it]\n")
    return "\n".join(parts)


def json_lines(rows: Sequence[dict[str, Any]]) -> str:
    """A file's content, a row a line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
