"""Published models in folders of the user's: where a model of a name is, and whether a folder holds it."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import UserError
from .model_folder import missing_file


class Shape(NamedTuple):
    """What a published model's configuration says."""

    model_type: str
    hidden_size: int
    n_layers: int
    vocab_size: int


# The models of the Only Connect Wall paper, by their names on the hub.
SHAPES = {
    "distilbert-base-uncased": Shape("distilbert", 768, 6, 30522),
    "bert-base-uncased": Shape("bert", 768, 12, 30522),
    "bert-large-uncased": Shape("bert", 1024, 24, 30522),
    "roberta-large": Shape("roberta", 1024, 24, 50265),
    "sentence-transformers/all-mpnet-base-v2": Shape("mpnet", 768, 12, 30527),
    "intfloat/e5-base-v2": Shape("bert", 768, 12, 30522),
    "intfloat/e5-large-v2": Shape("bert", 1024, 24, 30522),
}
# What the published checkpoints were saved from; a head for a task was trained for it.
_HEADS = ("Model", "ForMaskedLM", "ForPreTraining")


def folder_of(models: Path, name: str, revision: str | None = None) -> Path | None:
    """The folder below ``models`` that holds the model of a hub id, or None.

    It is looked for as ``models/org/model``, ``models/model``, ``models/org_model`` and in the layout of the
    hub's cache, ``models/models--org--model`` or ``models/hub/models--org--model``. Only the cache has
    revisions.

    Raises
    ------
    UserError
        If ``models`` is not a folder.

    """
    models = models.expanduser()
    if not models.is_dir():
        raise UserError(f"paths.models={models}: there is no such folder: name the folder that holds models")
    parts = name.split("/")
    plain = [models.joinpath(*parts), models / parts[-1], models / "_".join(parts)]
    places = plain if revision is None else []
    for root in (models, models / "hub"):
        cache = root / f"models--{'--'.join(parts)}"
        commit = revision or "main"
        with suppress(OSError, ValueError):  # it may be a commit itself
            commit = (cache / "refs" / commit).read_text(encoding="utf-8").strip()
        places.append(cache / "snapshots" / commit)
    return next((place for place in places if place.is_dir() and missing_file(place) is None), None)


def holds_model(folder: Path, name: str) -> bool:
    """Whether a folder holds the published model ``name``, one of ``SHAPES``, as far as its files say.

    Its configuration must have the published type and sizes and no head of a task, and its card must not call
    the model its base, of which it is then a descendant. And something must name it: a heading of the card or
    the name in the card's index, the configuration's ``_name_or_path``, or the folder's own name.
    """
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8-sig"))
        card = (folder / "README.md").read_text("utf-8") if (folder / "README.md").is_file() else ""
    except (OSError, ValueError):
        return False
    if name not in SHAPES or not isinstance(config, dict) or _shape(config) != SHAPES[name]:
        return False
    heads = config.get("architectures") or []
    if not all(isinstance(head, str) and head.endswith(_HEADS) for head in heads):
        return False
    own = name.rpartition("/")[2].casefold()
    front = re.match(r"---\n(.*?)\n---", card, flags=re.DOTALL)
    metadata = front[1] if front else ""
    base = re.search(r"^base_model:(.*(?:\n[ \t-].*)*)", metadata, flags=re.MULTILINE)
    if base and own in map(_short, re.split(r"[\s'\"\[\],]+", base[1])):
        return False
    names = re.findall(r"^##?[ \t]+(.+)$", card, flags=re.MULTILINE)
    names += re.findall(r"^model-index:\s*-?\s*name:\s*(\S+)", metadata, flags=re.MULTILINE)
    names.append(str(config.get("_name_or_path", "")))
    place = folder.expanduser().absolute()
    names.append(place.name)
    names += [each.name.replace("--", "/") for each in place.parents[1:2] if each.name.startswith("models--")]
    return own in map(_short, names)


def _shape(config: dict[str, Any]) -> tuple[Any, ...]:
    size = config.get("hidden_size", config.get("dim"))
    layers = config.get("num_hidden_layers", config.get("n_layers"))
    return (config.get("model_type"), size, layers, config.get("vocab_size"))


def _short(name: str) -> str:
    """A model's name without its organization or folder."""
    return name.strip(" \t`*'\"/").rpartition("/")[2].casefold()
