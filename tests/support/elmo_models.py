"""The two small ELMo models that allennlp 0.9.0 was run on, and what it made of their texts."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

GOLDEN = Path(__file__).parents[1] / "golden" / "allennlp_0_9"
SENTENCES: list[list[str]] = json.loads((GOLDEN / "texts.json").read_text(encoding="utf-8"))
WALL = SENTENCES[0]


@dataclass(frozen=True)
class ElmoModelFiles:
    """A model's folder, as a user would have it, and allennlp's vectors of ``SENTENCES``."""

    folder: Path
    alone: list[np.ndarray]  # of each sentence, (n_tokens, n_layers, n_features)
    carried: list[np.ndarray]  # the same, each sentence after the one before it

    @property
    def options(self) -> Path:
        return self.folder / "options.json"

    @property
    def weights(self) -> Path:
        return self.folder / "weights.hdf5"

    def with_option(self, group: str, key: str, value: object) -> None:
        """Change one of the options."""
        options = json.loads(self.options.read_text(encoding="utf-8"))
        options[group][key] = value
        self.options.write_text(json.dumps(options), encoding="utf-8")


def copy_model(name: str, folder: Path) -> ElmoModelFiles:
    """The model ``large`` or ``other`` in a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in ("options.json", "weights.hdf5"):
        shutil.copyfile(GOLDEN / f"{name}_{file}", folder / file)
    ends = np.cumsum([len(sentence) for sentence in SENTENCES])[:-1]
    with np.load(GOLDEN / f"{name}.npz") as made:
        return ElmoModelFiles(folder, np.split(made["layers"], ends), np.split(made["carried"], ends))
