"""An ELMo model found by its name and loaded at the first use: texts to token vectors. No layers here."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .batches import in_batches
from .elmo_characters import character_ids
from .elmo_files import read_options, read_weights
from .elmo_network import ElmoNetwork
from .encoder import JSON, Progress
from .file_hash import file_sha256
from .published import PUBLISHED
from .torch_device import check_device, resolve_device

if TYPE_CHECKING:
    import torch

PUBLISHED_NAME = "elmo"  # of the model that the Only Connect Wall paper took


def elmo_paths(name: str) -> tuple[Path, Path]:
    """The files of options and weights: of the published model ``elmo``, or of a folder with both.

    Raises
    ------
    UserError
        If they are not there.

    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        options = sorted(folder.glob("*.json"))
        weights = sorted(path for path in folder.iterdir() if path.suffix in {".hdf5", ".h5"})
        if len(options) != 1 or len(weights) != 1:
            raise UserError(
                f"ELMo: expected one file of options (*.json) and one of weights (*.hdf5) in {folder}, "
                f"found {len(options)} and {len(weights)}: give each model a folder of its own"
            )
        return options[0], weights[0]
    if name == PUBLISHED_NAME:
        paths = PUBLISHED[name].present_paths()
        return paths[0], paths[1]
    raise UserError(
        f"ELMo {name!r}: there is no such folder: expected {PUBLISHED_NAME} or an ELMo model's folder"
    )


def elmo_digests(name: str) -> dict[str, str]:
    """SHA-256 (hex) of a model's two files, by file name; UserError if they are not there."""
    return {path.name: file_sha256(path) for path in elmo_paths(name)}


class ElmoModel:
    """What ELMo's encoders share. Making one checks the arguments and does nothing else.

    Parameters
    ----------
    name
        ``elmo`` or a folder.
    lower_case
        Lower-case the texts first.
    device
        As ``torch_device`` has it.
    batch_size
        Texts, or sentences, at once. Where the memory of a CUDA device does not hold them, it is halved.

    Raises
    ------
    UserError
        On a value that is out of range.

    """

    def __init__(self, name: str, *, lower_case: bool, device: str, batch_size: int) -> None:
        if not name.strip():
            raise UserError(f"name={name!r} is blank: expected {PUBLISHED_NAME} or the folder of a model")
        if batch_size < 1:
            raise UserError(f"batch_size={batch_size} is too small: expected 1 or more")
        check_device(device)
        self.name = name
        self.lower_case = lower_case
        self.device = device
        self.batch_size = batch_size
        self.lock = threading.RLock()  # one batch at a time bounds the memory
        self._network: ElmoNetwork | None = None

    def network(self) -> ElmoNetwork:
        """The network, loaded if it was not; UserError if the files or the device cannot be had."""
        with self.lock:
            if self._network is None:
                device = resolve_device(self.device)
                options_file, weights_file = elmo_paths(self.name)
                options = read_options(options_file)
                self._network = ElmoNetwork(options, read_weights(weights_file, options), device)
            return self._network

    def unload(self) -> None:
        """Let go of the model's memory; what needs the model later loads it again."""
        with self.lock:
            self._network = None

    def cased(self, texts: Sequence[str]) -> list[str]:
        """The texts, lower-cased if so set."""
        return [text.lower() if self.lower_case else text for text in texts]

    def tokens(self, texts: Sequence[str], progress: Progress | None = None) -> torch.Tensor:
        """The context-free vectors of ``texts`` on the device, (n_texts, hidden), each text one token."""
        import torch

        with self.lock:
            network = self.network()
            ids = character_ids(texts)
            vectors = torch.empty(len(ids), network.options.hidden, device=network.device)

            def work(rows: NDArray[np.int64]) -> None:
                vectors[torch.from_numpy(rows).to(network.device)] = network.tokens(ids[rows])

            in_batches([1] * len(ids), self.batch_size, work, progress, network.device)
        return vectors

    def describe(self) -> dict[str, JSON]:
        """Name, settings, device and the SHA-256 of both files, which are found but not loaded."""
        return {
            "name": self.name,
            "files": dict(elmo_digests(self.name)),
            "lower_case": self.lower_case,
            "dtype": "float32",
            "batch_size": self.batch_size,
            "device": resolve_device(self.device),
        }
