"""The two files that an ELMo model is published as: options (JSON) and weights (HDF5), read and checked."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .elmo_characters import MAX_CHARACTERS, N_CHARACTERS
from .extras import require


@dataclass(frozen=True, slots=True)
class ElmoOptions:
    """The sizes of a model."""

    character_width: int
    filters: tuple[tuple[int, int], ...]  # how many characters a filter spans, and how many such filters
    activation: str  # relu or tanh, after the filters
    n_highway: int
    hidden: int  # numbers of a token, and of a direction's output
    cells: int
    n_layers: int  # of the LSTMs
    cell_clip: float | None  # greatest absolute value of a memory cell
    projection_clip: float | None  # and of an output

    @property
    def n_filters(self) -> int:
        """Of all spans together."""
        return sum(number for _, number in self.filters)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Every matrix of the weights by its path in the file, as they are published."""
        shapes: dict[str, tuple[int, ...]] = {"char_embed": (N_CHARACTERS, self.character_width)}
        for i, (span, number) in enumerate(self.filters):
            shapes[f"CNN/W_cnn_{i}"] = (1, span, self.character_width, number)
            shapes[f"CNN/b_cnn_{i}"] = (number,)
        for i in range(self.n_highway):
            for gate in ("carry", "transform"):
                shapes[f"CNN_high_{i}/W_{gate}"] = (self.n_filters, self.n_filters)
                shapes[f"CNN_high_{i}/b_{gate}"] = (self.n_filters,)
        shapes["CNN_proj/W_proj"] = (self.n_filters, self.hidden)
        shapes["CNN_proj/b_proj"] = (self.hidden,)
        for direction in range(2):
            for layer in range(self.n_layers):
                cell = lstm_path(direction, layer)
                shapes[cell + "W_0"] = (2 * self.hidden, 4 * self.cells)
                shapes[cell + "B"] = (4 * self.cells,)
                shapes[cell + "W_P_0"] = (self.cells, self.hidden)
        return shapes


def lstm_path(direction: int, layer: int) -> str:
    """Where the weights hold an LSTM's matrices; direction 0 reads from left to right."""
    return f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell/"


def read_options(path: Path) -> ElmoOptions:
    """Read a model's options.

    Raises
    ------
    UserError
        If the file cannot be read, is not JSON, or says something else than ELMo's options do.

    """
    try:
        options = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"ELMo's options {path} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise UserError(f"ELMo's options {path} are not JSON ({error}): get the file again") from error

    def option(key: str, is_valid: Callable[[Any], bool], expected: str) -> Any:
        value = options
        for part in key.split("."):
            if not isinstance(value, dict) or part not in value:
                raise UserError(f"ELMo's options {path} have no {key}: expected {expected}")
            value = value[part]
        if not is_valid(value):
            raise UserError(f"ELMo's options {path} have {key}={value!r:.60}: expected {expected}")
        return value

    def count(key: str) -> int:
        return int(option(key, _is_count, "a whole number of at least 1"))

    def limit(key: str) -> float | None:
        value = option(key, _is_limit, "a number of at least 0, or null")
        return float(value) if value else None  # 0 is not a limit

    option("lstm.use_skip_connections", lambda value: value is True, "true: no other ELMo was published")
    option("char_cnn.max_characters_per_token", lambda value: value == MAX_CHARACTERS, str(MAX_CHARACTERS))
    filters = option("char_cnn.filters", _is_filters, "a list of [span of 1 to 50 characters, number]")
    activation = option("char_cnn.activation", lambda value: value in ("relu", "tanh"), "relu or tanh")
    return ElmoOptions(
        character_width=count("char_cnn.embedding.dim"),
        filters=tuple((span, number) for span, number in filters),
        activation=activation,
        n_highway=count("char_cnn.n_highway"),
        hidden=count("lstm.projection_dim"),
        cells=count("lstm.dim"),
        n_layers=count("lstm.n_layers"),
        cell_clip=limit("lstm.cell_clip"),
        projection_clip=limit("lstm.proj_clip"),
    )


def read_weights(path: Path, options: ElmoOptions) -> dict[str, NDArray[np.float32]]:
    """Read the weights that belong to ``options``, every matrix by its path in the file.

    Raises
    ------
    UserError
        If the file cannot be read, is not HDF5, lacks a matrix, or has one of another shape or kind; if
        h5py is not installed.

    """
    require("h5py")
    import h5py

    if not path.is_file():
        raise UserError(f"ELMo's weights {path} are not there: name the folder of the model's two files")
    weights = {}
    try:
        with h5py.File(path, "r") as file:
            for name, shape in options.shapes().items():
                dataset = file.get(name)
                if not isinstance(dataset, h5py.Dataset):
                    raise UserError(
                        f"ELMo's weights {path} lack {name}: get the file again, with its own options"
                    )
                if dataset.shape != shape:
                    raise UserError(
                        f"ELMo's weights {path}: {name} has the shape {dataset.shape} and the options say "
                        f"{shape}: the two files must be of one model"
                    )
                matrix = np.asarray(dataset[...], dtype=np.float32)
                if not np.isfinite(matrix).all():
                    raise UserError(f"ELMo's weights {path}: {name} is not finite: get the file again")
                weights[name] = matrix
    except (OSError, ValueError, TypeError) as error:
        if isinstance(error, UserError):
            raise
        reason = (str(error).splitlines() or [type(error).__name__])[0][:100]
        raise UserError(
            f"ELMo's weights {path} cannot be read as HDF5 ({reason}): get the file again"
        ) from error
    return weights


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 1


def _is_limit(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and 0 <= value < float("inf"))


def _is_filters(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(item, list)
            and len(item) == 2
            and all(map(_is_count, item))
            and item[0] <= MAX_CHARACTERS
            for item in value
        )
    )
