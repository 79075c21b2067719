"""Keys, tokens and passwords: what looks like one, and texts without those that this process knows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

HIDDEN = "[key]"
SHORTEST = 12  # shorter ones are placeholders such as EMPTY: hiding them would eat words out of texts

# How names of what nobody may read end, without - and _; prompt_cache_key and stop_token_ids are none.
_NAMES = (
    "apikey", "accesskey", "secretkey", "privatekey", "accesstoken", "authtoken", "apitoken", "bearertoken",
    "authorization", "authorisation", "bearer", "secret", "password", "credential", "credentials", "headers",
    "header", "cookie", "cookies",
)  # fmt: skip
_NAMES_ALONE = {"key", "token", "auth", "pwd"}
_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
# How vendors' keys begin.
_VENDORS = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:sk|pk|rk|gsk|xai|hf|nvapi|pplx|r8|csk|tgp|ghp|glpat|github_pat)[-_]|AIza)"
    r"[A-Za-z0-9_\-]{16,}"
)
# Other keys: letters and digits without sense. A record's name is shorter.
_RANDOM = re.compile(r"(?=(?:.*\d){4})(?=.*[A-Za-z])[A-Za-z0-9_\-]{20,}")

_known: list[str] = []


def names_a_secret(name: str) -> bool:
    """Whether a setting, an option or a field of this name holds what nobody may read."""
    plain = re.sub(r"[-_ ]", "", name.lower())
    return plain in _NAMES_ALONE or plain.endswith(_NAMES)


def looks_like_a_key(text: str) -> bool:
    """Whether a text holds what begins as vendors' keys do."""
    return _VENDORS.search(text) is not None


def looks_random(text: str) -> bool:
    """Whether a text may be a key by its letters and digits, and names no variable or file."""
    if not _RANDOM.fullmatch(text) or text in os.environ:
        return False
    with suppress(OSError):
        return not Path(text).exists()
    return True


def remember(secret: str) -> None:
    """Have a secret masked from now on, unless it is too short for one."""
    if len(secret) >= SHORTEST and secret not in _known:
        _known.append(secret)
        _known.sort(key=len, reverse=True)  # one may be a part of another


def masked(text: str) -> str:
    """``text`` without the secrets that are known."""
    for secret in _known:
        if secret in text:
            text = text.replace(secret, HIDDEN)
    return text


@contextmanager
def secrets_of(words: Sequence[str]) -> Iterator[None]:
    """Know within the block the secrets in a command's words and in the environment's variables."""
    before = list(_known)
    for secret in (*_in_words(words), *_in_environment()):
        remember(secret)
    try:
        yield
    finally:
        _known[:] = before


def _in_words(words: Sequence[str]) -> Iterator[str]:
    """Values of what is named as a secret, whatever begins as a key does, and bare words that look random."""
    for previous, word in zip(("", *words), words, strict=False):
        yield from _VENDORS.findall(word)
        name, equals, value = word.partition("=")
        named = bool(equals) and names_a_secret(name.rpartition(".")[2].lstrip("-"))
        if named or (name.endswith("key_variable") and looks_random(value)):
            yield value
        elif _follows(previous) or (not equals and looks_random(word)):
            yield word


def _follows(option: str) -> bool:
    """Whether what follows a word on the command line is a secret, as after ``--api-key``."""
    return option.startswith("--") and "=" not in option and names_a_secret(option.lstrip("-"))


def _in_environment() -> Iterator[str]:
    for name, value in os.environ.items():
        if _VARIABLE.search(name) and not value.startswith(os.sep):  # the path of a file with one
            yield value.strip()
