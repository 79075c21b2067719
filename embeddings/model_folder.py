"""What a folder of a model and its tokenizer must hold, and which of its files the vectors depend on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from .file_hash import file_sha256

_TOKENIZER = re.compile(
    r"tokenizer\.json|tokenizer_config\.json|special_tokens_map\.json|added_tokens\.json|"
    r"vocab\.(txt|json)|merges\.txt|bpe\.codes|.*\.model"
)
_VOCABULARY = re.compile(r"tokenizer\.json|vocab\.(txt|json)|bpe\.codes|.*\.model")
# What a language model's answers depend on beside what an encoder's vectors do.
CHAT_FILES = ("chat_template.jinja", "chat_template.json", "generation_config.json")
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")  # in the order in which they are looked for


def missing_file(folder: Path) -> str | None:
    """What the folder lacks, in words, or None if it has configuration, weights and a vocabulary.

    transformers makes an empty tokenizer where there is no vocabulary, without a word.
    """
    names = [path.name for path in folder.iterdir()]
    if "config.json" not in names:
        return "config.json"
    weights = _weights(names)
    if not weights:
        return " or ".join(_WEIGHTS)
    if weights[0].endswith(".index.json"):
        try:
            index = json.loads((folder / weights[0]).read_text(encoding="utf-8"))
            absent = sorted(set(index["weight_map"].values()).difference(weights))
        except (ValueError, KeyError, AttributeError):
            return f"{weights[0]} in one piece"
        if absent:
            return str(absent[0])
    if not any(map(_VOCABULARY.fullmatch, names)):
        return "vocabulary (tokenizer.json, vocab.txt, vocab.json or a .model file)"
    return None


def needed(names: Iterable[str], also: Iterable[str] = ()) -> list[str]:
    """The files among ``names`` that a model's vectors depend on, sorted; weights in one format only.

    ``also`` has patterns of further files that are needed where they are there, which may lie in folders.
    """
    names = list(names)
    more = {name for name in names for pattern in also if fnmatchcase(name, pattern)}
    names = [name for name in names if "/" not in name]
    return sorted({*filter(_TOKENIZER.fullmatch, names), *_weights(names), *more, "config.json"})


def digests(folder: Path, also: Iterable[str] = ()) -> dict[str, str]:
    """SHA-256 (hex) of each needed file of a complete folder, by name."""
    also = tuple(also)
    names = {path.name for path in folder.iterdir()}
    names |= {path.relative_to(folder).as_posix() for pattern in also for path in folder.glob(pattern)}
    files = needed(names, also)
    return {name: file_sha256(folder / name) for name in files}


def _weights(names: list[str]) -> list[str]:
    for whole in _WEIGHTS:
        if whole in names:
            return [whole]
        if f"{whole}.index.json" in names:
            stem, suffix = whole.rsplit(".", 1)
            shard = re.compile(rf"{stem}-\d+-of-\d+\.{suffix}")
            return [f"{whole}.index.json", *sorted(filter(shard.fullmatch, names))]
    return []
