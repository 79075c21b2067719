"""ELMo's arithmetic in torch: characters to tokens, tokens to the layers of both LSTMs. No texts here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .elmo_files import ElmoOptions, lstm_path

if TYPE_CHECKING:
    import torch

LstmState: TypeAlias = "dict[tuple[int, int], tuple[torch.Tensor, torch.Tensor]]"
"""Of each layer and direction, the last output (n_sentences, hidden) and memory (n_sentences, cells)."""


class ElmoNetwork:
    """The network of Peters et al., Deep contextualized word representations (2018), section 3.

    Matrices are used as they are published: inputs are rows, an LSTM's matrix takes input and last output
    side by side and makes its four gates in the order input, candidate, forget, output.

    Parameters
    ----------
    options, weights
        As ``elmo_files`` reads them.
    device
        Where to work, as torch names it.

    """

    def __init__(self, options: ElmoOptions, weights: Mapping[str, NDArray[np.float32]], device: str) -> None:
        import torch

        self.options = options
        self.device = device
        self._weights = {name: torch.from_numpy(matrix).to(device) for name, matrix in weights.items()}

    def tokens(self, ids: NDArray[np.int64]) -> torch.Tensor:
        """The context-free vectors of tokens, (n_tokens, hidden), from their characters (n_tokens, 50)."""
        import torch

        weights = self._weights
        activation = torch.relu if self.options.activation == "relu" else torch.tanh
        with torch.inference_mode():
            characters = weights["char_embed"][torch.from_numpy(ids).to(self.device)].flatten(1)
            layers = []
            for i, (span, number) in enumerate(self.options.filters):
                # Not conv1d, which rounds to 10 bits on some cards.
                width = self.options.character_width
                windows = characters.unfold(1, span * width, width)  # (n_tokens, n_windows, span * width)
                matrix = weights[f"CNN/W_cnn_{i}"].reshape(span * width, number)
                layers.append((windows @ matrix).amax(dim=1) + weights[f"CNN/b_cnn_{i}"])
            tokens = activation(torch.cat(layers, dim=1))
            for i in range(self.options.n_highway):
                changed = self._affine(tokens, f"CNN_high_{i}/", "transform").relu()
                share = self._affine(tokens, f"CNN_high_{i}/", "carry").sigmoid()
                tokens = share * changed + (1 - share) * tokens
            return self._affine(tokens, "CNN_proj/", "proj")

    def begin(self, n_sentences: int) -> LstmState:
        """The state of LSTMs that have read nothing: zeros."""
        import torch

        sizes = (self.options.hidden, self.options.cells)
        return {
            (layer, direction): tuple(torch.zeros(n_sentences, size, device=self.device) for size in sizes)  # type: ignore[misc]
            for layer in range(self.options.n_layers)
            for direction in range(2)
        }

    def layers(self, tokens: torch.Tensor, rows: NDArray[np.int64], state: LstmState) -> torch.Tensor:
        """All layers of sentences of equal length, (1 + n_layers, n_places, n_sentences, 2 * hidden).

        Parameters
        ----------
        tokens : (n_tokens, hidden)
            From ``tokens``, each once, the marks of the sentences' ends among them.
        rows : (n_places, n_sentences)
            Which of ``tokens`` stands where.
        state
            Where the LSTMs go on from; it is changed to where they end.

        Returns
        -------
        torch.Tensor
            The left-to-right half before the other; layer 0 holds the tokens themselves, twice.

        """
        import torch

        n_places, n_sentences = rows.shape
        with torch.inference_mode():
            where = torch.from_numpy(rows).to(self.device)
            everywhere = torch.arange(rows.size, device=self.device).reshape(rows.shape)
            layers = [torch.cat([tokens[where]] * 2, dim=-1)]
            inputs = [tokens, tokens]
            for layer in range(self.options.n_layers):
                outputs = []
                for direction in range(2):
                    output = self._lstm(
                        inputs[direction],
                        everywhere if layer else where,
                        layer,
                        direction,
                        state[layer, direction],
                    ).reshape(rows.size, -1)
                    outputs.append(output + inputs[direction] if layer else output)
                layers.append(torch.cat(outputs, dim=-1).reshape(n_places, n_sentences, -1))
                inputs = outputs
            return torch.stack(layers)

    def _lstm(
        self,
        inputs: torch.Tensor,  # (n_inputs, hidden)  IN
        rows: torch.Tensor,  # (n_places, n_sentences) int64  IN: which input stands where
        layer: int,
        direction: int,
        state: tuple[torch.Tensor, torch.Tensor],  # IN and OUT
    ) -> torch.Tensor:
        """One LSTM in one direction, (n_places, n_sentences, hidden)."""
        import torch

        path, hidden, cells = lstm_path(direction, layer), self.options.hidden, self.options.cells
        matrix, projection = self._weights[path + "W_0"], self._weights[path + "W_P_0"]
        bias = self._weights[path + "B"].clone()
        bias[2 * cells : 3 * cells] += 1  # of the forget gates, not in the file
        # The inputs' part of all gates at once: an input that stands in many places is worked out once.
        given = torch.addmm(bias, inputs, matrix[:hidden])
        output, memory = state
        outputs = torch.empty(*rows.shape, hidden, device=self.device)
        for place in range(len(rows)) if direction == 0 else reversed(range(len(rows))):
            gates = given[rows[place]].addmm_(output, matrix[hidden:])
            take, candidate, keep, show = gates.chunk(4, dim=1)
            memory.mul_(keep.sigmoid_()).add_(take.sigmoid_().mul_(candidate.tanh_()))
            _clip(memory, self.options.cell_clip)
            torch.mm(show.sigmoid_().mul_(memory.tanh()), projection, out=output)
            _clip(output, self.options.projection_clip)
            outputs[place] = output
        return outputs

    def _affine(self, inputs: torch.Tensor, path: str, name: str) -> torch.Tensor:
        import torch

        return torch.addmm(self._weights[f"{path}b_{name}"], inputs, self._weights[f"{path}W_{name}"])


def _clip(values: torch.Tensor, limit: float | None) -> None:
    if limit is not None:
        values.clamp_(-limit, limit)
