"""The key of an endpoint: from the environment into its requests, and nowhere else."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from urllib.parse import urlsplit

from ...conf.json_types import Json
from ...errors import UserError
from ...masking import HIDDEN, SHORTEST, looks_random, remember

VARIABLE = "OPENAI_API_KEY"


class Secret:
    """A key that shows itself to nobody who does not ask for ``reveal``."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return f"Secret({HIDDEN if self._value else 'none'})"

    def __bool__(self) -> bool:
        return bool(self._value)

    def __reduce__(self) -> str:
        raise TypeError("a key is not written anywhere")

    def reveal(self) -> str:
        """The key itself."""
        return self._value

    def hide(self, text: str) -> str:
        """``text`` with the key replaced, wherever an endpoint repeats it."""
        if len(self._value) < SHORTEST:
            return text
        return text.replace(self._value, HIDDEN)

    def hide_in(self, value: Json) -> Json:
        """A JSON value with the key replaced in all of its texts, names included."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, list):
            return [self.hide_in(each) for each in value]
        if isinstance(value, dict):
            return {self.hide(name): self.hide_in(each) for name, each in value.items()}
        return value


def key_from_environment(variable: str) -> Secret:
    """The key in the environment variable of that name; an empty one if it is not set.

    Raises
    ------
    UserError
        If the name is not a variable's, or the key cannot be sent in a header. The key is not shown.

    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable) or looks_random(variable):
        # Whoever writes the key itself there must not see it repeated on the terminal.
        raise UserError(
            "model.key_variable is not the name of an environment variable: put the key into one and give "
            f"its name, as in model.key_variable={VARIABLE}"
        )
    value = os.environ.get(variable, "").strip()
    if not (value.isascii() and value.isprintable()) or any(letter.isspace() for letter in value):
        raise UserError(
            f"the key in {variable} holds blanks or characters that no key has: set the variable again"
        )
    remember(value)  # whatever the variable is called
    return Secret(value)


def check_base_url(url: str) -> str:
    """``url`` without a slash at its end.

    Raises
    ------
    UserError
        Unless it is an http or https address without a user, a query or a fragment: what names an endpoint
        is recorded, so that no secret may stand in it.

    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise UserError("model.base_url holds a user name or password, which would be recorded: leave it out")
    if parts.query or parts.fragment:
        raise UserError("model.base_url holds a query (after ? or #), which would be recorded: leave it out")
    if host and not _can_be_a_name(host):
        raise UserError(
            f"the host in model.base_url is not a name that can be looked up ({len(host):,} letters): "
            "expected at most 253, and from 1 to 63 between two dots"
        )
    if parts.scheme not in {"http", "https"} or not host:
        raise UserError(
            f"model.base_url={url} is not an address: expected http:// or https://, a host and a path, "
            "as in http://localhost:8000/v1"
        )
    return url.rstrip("/")


def _can_be_a_name(host: str) -> bool:
    """Whether a host's name is within the limits of the name system; numbers of IP version 6 are."""
    if ":" in host:
        return True
    with suppress(UnicodeError):
        name = host.removesuffix(".").encode("idna")  # also checks each label's length
        return len(name) <= 253
    return False
