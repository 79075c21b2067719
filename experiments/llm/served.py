"""Which model stands behind an address and a name: what the server's list of models says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..terminal.writing import counted
from .chat import Json, Reply
from .outcomes import UNKNOWN, of_finish
from .secret import Secret

# What identifies a model in a list. Prices, limits and dates are none of it: they change, the model stays.
_OF_ENTRY = ("id", "root")  # root: vLLM's files
_OF_META = ("n_params", "size", "n_vocab", "n_embd")  # llama.cpp's


def listing_of(client: Any, name: str, secret: Secret) -> Mapping[str, Json] | None:
    """What ``GET models`` says of the model called ``name``, or of the only one there is.

    Ollama's own list says more than that one. Empty where the lists say no more than the name; None where
    they cannot be had.
    """
    import openai

    try:
        answer = json.loads(client.models.with_raw_response.list().http_response.text)
    except openai.APIStatusError as error:
        # A server that loads its model, or is busy, may know more later.
        return None if error.status_code >= 500 and error.status_code != 501 else {}
    except Exception:  # of the HTTP library's own kinds: the run's own requests say what is wrong
        return None
    entries = _entries(answer, "data")
    chosen = [each for each in entries if each.get("id") == name] or (entries if len(entries) == 1 else [])
    if len(chosen) != 1:
        return {}
    meta = chosen[0].get("meta")
    listing = {key: chosen[0].get(key) for key in _OF_ENTRY} | {
        key: meta.get(key) for key in _OF_META if isinstance(meta, dict)
    }
    plain = {
        key: secret.hide(value) if isinstance(value, str) else value
        for key, value in listing.items()
        if isinstance(value, str | int)
    }
    return _ollama_listing(client, name) if all(value == name for value in plain.values()) else plain


def _ollama_listing(client: Any, name: str) -> dict[str, Json]:
    """The digest of a model's files, which Ollama lists beside the OpenAI-compatible part; else empty."""
    base = str(client.base_url).rstrip("/")
    if not base.endswith("/v1") or base.endswith("//api.openai.com/v1"):
        return {}
    try:
        text = client.get(f"{base.removesuffix('/v1')}/api/tags", cast_to=str)
        entries = _entries(json.loads(text), "models")
    except Exception:  # there is no such list
        return {}
    digests = [each.get("digest") for each in entries if each.get("name") in (name, f"{name}:latest")]
    return {"id": name, "digest": digests[0]} if digests and isinstance(digests[0], str) else {}


def _entries(listing: Json, field: str) -> list[Json]:
    entries = listing.get(field) if isinstance(listing, dict) else None
    return [each for each in entries if isinstance(each, dict)] if isinstance(entries, list) else []


def differ(then: Mapping[str, Json], now: Mapping[str, Json]) -> bool:
    """Whether two lists' entries are of different models, by what both of them say."""
    return any(then[key] != now[key] for key in then.keys() & now.keys())


def served_entry(replies: Sequence[Reply]) -> dict[str, Json]:
    """What a record says of who answered; empty where no reply says anything of that.

    ``models`` and ``fingerprints`` count the replies by the names that the server gave in them, "" where it
    gave none; ``listings`` holds what its list of models said; ``no_system`` is how many replies are to
    questions whose system's words stood in the user's turn; ``finishes`` counts those that ended for a reason
    which is not in the table of outcomes.
    """
    entry: dict[str, Json] = {}
    for name, models in (
        ("models", [reply.served.model for reply in replies]),
        ("fingerprints", [reply.served.fingerprint for reply in replies]),
    ):
        if any(models):
            entry[name] = dict(Counter(each or "" for each in models).most_common())
    listings: list[Json] = []
    for reply in replies:
        if reply.served.listing and dict(reply.served.listing) not in listings:
            listings.append(dict(reply.served.listing))
    if listings:
        entry["listings"] = listings
    if moved := sum(reply.no_system for reply in replies):
        entry["no_system"] = moved
    if others := Counter(reply.finish or "" for reply in replies if of_finish(reply.finish) is UNKNOWN):
        entry["finishes"] = dict(others.most_common())
    return entry


def served_text(entry: Mapping[str, Json], name: str) -> list[str]:
    """What is to be said of a record's entry, beside a model's ``name`` as it was asked for."""
    lines = []
    models = {model: count for model, count in entry.get("models", {}).items() if model}
    if len(models) > 1:
        shown = ", ".join(
            f"{model} ({counted(count, 'reply', 'replies')})" for model, count in models.items()
        )
        lines.append(f"these replies are of several models, as the server names them: {shown}")
    elif models and list(models) != [name]:
        lines.append(f"the server names the model {next(iter(models))}")
    if len(entry.get("listings", [])) > 1:
        lines.append("these replies are of several models behind one name, by the server's list")
    if entry.get("no_system"):
        lines.append("the server takes no system role: the system's words stood in the user's turn")
    if others := entry.get("finishes"):
        shown = ", ".join(f"{finish} ({count:,})" for finish, count in others.items())
        lines.append(f"replies with a finish_reason that is not known, scored all the same: {shown}")
    return lines
