"""Damage to files, drawn by a seeded generator: bytes, cuts, and values of other types in JSON."""

import json
from pathlib import Path
from random import Random
from typing import Any

_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**70, 10**400, 0.5, -0.0, 1e308, "", " ", "x",
    "\x1b[2J", "\u202e", "1", "n" * 5_000, [], [[]], {}, {"a": 1}, [None], [1, "x"], "2026-13-40", "../..",
)  # fmt: skip
_RAW = ("NaN", "Infinity", "9" * 5_000, "[" * 100_000, "\ud800", "\x00", "{,}", "")


def damage(path: Path, random: Random) -> str:
    """Damage a file, and say how."""
    raw = path.read_bytes()
    kinds = ["flip", "cut", "random", "delete"]
    if path.suffix == ".json":
        kinds += ["value", "value", "value", "value", "key", "raw"]
    kind = random.choice(kinds)
    if kind == "delete":
        path.unlink()
    elif kind == "cut":
        path.write_bytes(raw[: random.randrange(len(raw))])
    elif kind == "random":
        path.write_bytes(random.randbytes(random.randrange(200)))
    elif kind == "flip":
        place = random.randrange(len(raw))
        path.write_bytes(raw[:place] + bytes([raw[place] ^ 1 << random.randrange(8)]) + raw[place + 1 :])
    elif kind == "raw":
        text = raw.decode("utf-8", "surrogatepass")
        place = random.randrange(len(text))
        changed = text[:place] + random.choice(_RAW) + text[place + random.randrange(3) :]
        path.write_bytes(changed.encode("utf-8", "surrogatepass"))
    else:
        path.write_text(json.dumps(changed_json(json.loads(raw), random, kind)), encoding="utf-8")
    return f"{kind} of {path.name}"


def changed_json(document: Any, random: Random, kind: str) -> Any:
    """The document with one value, at any depth, replaced, or with one key or item less."""
    places: list[tuple[Any, Any]] = []

    def collect(value: Any) -> None:
        pairs = {dict: dict.items, list: enumerate}.get(type(value), lambda _: ())(value)
        for key, inner in pairs:
            places.append((value, key))
            collect(inner)

    collect(document)
    if not places:
        return random.choice(_VALUES)
    # A level is drawn first: else the many numbers far inside would take all of the damage.
    upper = places[: len(places) // 4 + 1]
    holder, key = random.choice(random.choice([places, upper]))
    if kind == "key":
        del holder[key]
    else:
        holder[key] = random.choice(_VALUES)
    return document
