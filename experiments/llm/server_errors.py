"""What a server says of an error, in the status line or in a body, and which kind of outcome that is."""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC

from .chat import Json, Usage
from .outcomes import (
    BROKEN,
    FILTERED,
    KEY,
    LOADING,
    MONEY,
    NOWHERE,
    REJECTED,
    SERVER,
    SETTING,
    WITHHELD,
    FailureKind,
    of_code,
    of_status,
)
from .secret import Secret

SHOWN = 1_000  # letters of a server's own words: enough for what vendors say of money and limits
_LOADING = re.compile(
    r"\b(re)?load(s|ing|ed)\b|\bwarm(ing)?[- ]up\b|\bstarting( up)?\b|not (yet )?ready", re.I
)
_SYSTEM = re.compile(
    r"\bsystem\b.{0,80}\b(roles?|prompts?|messages?|instructions?|turns?)\b|\broles?\b.{0,80}\bsystem\b"
    r"|developer instruction|\broles?\b.{0,40}\b(user|assistant)\b|\buser and assistant roles",
    re.I,
)
_NOT_KNOWN = re.compile(
    r"\bnot (supported|allowed|enabled|permitted|one of|valid)|n.t support|not support|unsupported"
    r"|must alternate"
    r"|\bonly\b|invalid|unexpected|unknown|should be|expected|must be",
    re.I,
)
_NOT_TAKEN = re.compile(
    r"support|default|deprecat|allow|unknown|unrecogni|invalid|not permitted|must be", re.I
)


@dataclass
class AttemptError(Exception):
    """Why an attempt brought no reply. ``words`` are the server's, ``sent`` what came in a reply's place.

    ``status`` is HTTP's, in the status line or in the body; ``wait`` is what the server asks for, in seconds.
    ``in_status_line`` says where the status stood.
    """

    kind: FailureKind
    reason: str
    words: str = ""
    status: int | None = None
    wait: float | None = None
    sent: str = ""
    usage: Usage | None = field(default=None)

    def __str__(self) -> str:
        return self.reason


def retry_after(headers: Mapping[str, str]) -> float | None:
    """What the server asks for, in seconds, from ``retry-after-ms`` or ``retry-after``; else None.

    The second is a number of seconds or an HTTP date.
    """
    for header, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(header, "")) / unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        date = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, date.timestamp() - time.time())


def from_status(status: int, body: Json, words: str, wait: float | None) -> AttemptError:
    """The trouble of an HTTP status: ``body`` is JSON or a text, ``words`` what it says in one line."""
    error = _error_of(body)
    kind = _kind(status, error, words)
    return AttemptError(
        kind, f"the endpoint answered {status}" + (f": {words}" if words else ""), words, status, wait
    )


def from_body(error: Json, words: str, wait: float | None, otherwise: FailureKind = SERVER) -> AttemptError:
    """The trouble of an error inside an answer of status 200; ``otherwise`` where it has no known code."""
    status = _status_of(error)
    kind = otherwise if status is None else _kind(status, error, words)
    if status is None:
        kind = next((known for code in _codes(error) if (known := of_code(code))), otherwise)
        if kind is otherwise and _LOADING.search(words) and "model" in words.lower():
            kind = LOADING
    shown = f" {status}" if status is not None else ""
    where = "broke its answer off with an error" if otherwise is BROKEN else "answered 200 with an error"
    return AttemptError(
        kind, f"the endpoint {where}{shown}" + (f": {words}" if words else ""), words, status, wait
    )


def error_in(body: Json) -> Json:
    """The error that an answer, a choice or its message holds, or is, or None."""
    if not isinstance(body, Mapping):
        return None
    if error := body.get("error"):
        return error if isinstance(error, Mapping) else body  # whose code may stand beside the text
    is_one = body.get("object") == "error" or ("choices" not in body and _status_of(body) is not None)
    return body if is_one else None


def masked_line(text: str, secret: Secret, most: int = SHOWN) -> str:
    """A server's text in one line, without the key and not without end."""
    line = " ".join(secret.hide(text).split())
    return line if len(line) <= most else line[:most] + "…"


def words_of(body: Json, text: str, secret: Secret) -> str:
    """What a body says of its error, in one line; ``text`` is the body where it is not JSON."""
    error = _error_of(body)
    said: Json = error.get("message", error) if isinstance(error, Mapping) else error
    if said is None:
        said = text
    return masked_line(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False), secret)


def says_no_system(trouble: AttemptError) -> bool:
    """Whether a server refuses a system's turn: as a bad request, or as an error of its chat template."""
    return (
        trouble.status in {400, 422, 500, 501}
        and _SYSTEM.search(trouble.words) is not None
        and _NOT_KNOWN.search(trouble.words) is not None
    )


def says_new_limit(trouble: AttemptError) -> bool:
    """Whether a server knows the limit of an answer by its later name alone, as OpenAI's later models do."""
    return trouble.status in {400, 422} and "max_completion_tokens" in trouble.words


def hint(trouble: AttemptError, name: str, has_key: bool, key_variable: str) -> str:
    """What to do about it, where that is more than to read the server's words; begins with a sign."""
    if trouble.kind is KEY or (trouble.status == 403 and not has_key):
        if not has_key:
            return (
                f" (no key was sent: put it into the environment variable {key_variable}, or name the one "
                "that holds it with model.key_variable=)"
            )
        return f" (is the key in {key_variable} this server's?)"
    if trouble.kind is NOWHERE:
        if name.lower() in trouble.words.lower():
            return " (is model.name= what the server calls the model?)"
        return " (is model.base_url= right? It mostly ends in /v1; and does the server have model.name=?)"
    if trouble.kind in WITHHELD:
        return " (model.withheld=empty counts that as an empty answer)"
    if trouble.kind is SETTING:
        return " (model.temperature=null leaves it to the server)"
    return ""


def _kind(status: int, error: Json, words: str) -> FailureKind:
    kind = of_status(status)
    known = [named for code in _codes(error) if (named := of_code(code))]
    if MONEY in known and kind is not SERVER:
        return MONEY
    if FILTERED in known and status in {400, 403, 422}:
        return FILTERED
    if status == 503 and _LOADING.search(words):
        return LOADING
    if (
        kind is REJECTED
        and status in {400, 422}
        and "temperature" in words.lower()
        and _NOT_TAKEN.search(words)
    ):
        return SETTING
    return kind


def _error_of(body: Json) -> Json:
    """What of a body is the error: what is in ``error``, else the body itself."""
    if isinstance(body, Mapping):
        return body.get("error") or body
    return body if isinstance(body, list | str) else None


def _status_of(error: Json) -> int | None:
    """The HTTP status that an error names."""
    if not isinstance(error, Mapping):
        return None
    for name in ("code", "status", "status_code"):
        value = error.get(name)
        if isinstance(value, str) and re.fullmatch(r"[45]\d\d", value.strip()):
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600:
            return value
    return None


def _codes(error: Json) -> list[str]:
    """The words that an error has for what it is."""
    if not isinstance(error, Mapping):
        return []
    inner = error.get("innererror")
    codes = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, Mapping) else None]
    return [code for code in codes if isinstance(code, str)]
