"""Vectors from ELMo, of texts alone and of texts among the others of a sentence. No arithmetic here.

To ELMo a text is one token, however many words it has, as it was in the Only Connect Wall paper: flair 0.9
handed each text to allennlp as a token, blanks included. A token's first 48 bytes of UTF-8 are all that ELMo
sees of it; allennlp cut there too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .batches import in_batches
from .elmo_characters import SENTENCE_ENDS
from .elmo_model import ElmoModel
from .elmo_network import ElmoNetwork, LstmState
from .encoder import JSON, Progress
from .texts import check_sentences, check_texts

# flair 0.9 encoded this sentence when it loaded the model, to see how long the vectors are.
FIRST_SENTENCE = ("hello",)


class ElmoEncoder:
    """An encoder of texts alone: ELMo's context-free layer, which sees a text's characters.

    A vector is the layer's 512 values twice, as in the paper: the first 1,024 of the 3,072 of
    ``ContextualElmoEncoder``. It does not depend on the other texts, on their order or on the batch size, but
    for the rounding of the arithmetic (1e-5). Making an encoder checks the arguments and does nothing else.

    Parameters
    ----------
    name
        ``elmo``, the model that the paper took (``fourfold data get elmo`` brings it), or a folder with the
        options (JSON) and weights (HDF5) of another.
    lower_case
        Lower-case the texts first, as the paper did.
    device
        ``auto``, ``cpu``, ``cuda``, ``cuda:N`` or ``mps``. Only ``auto`` chooses.
    batch_size
        Texts at once. Where the memory of a CUDA device does not hold them, it is halved.

    Raises
    ------
    UserError
        On a value that is out of range.

    """

    def __init__(
        self, name: str = "elmo", *, lower_case: bool = True, device: str = "auto", batch_size: int = 64
    ) -> None:
        self._model = ElmoModel(name, lower_case=lower_case, device=device, batch_size=batch_size)

    @property
    def name(self) -> str:
        """What the user calls the model."""
        return self._model.name

    def load(self) -> None:
        """Find and load the model now; UserError if the model or the device cannot be had."""
        self._model.network()

    def unload(self) -> None:
        """Let go of the model's memory; what needs the model later loads it again."""
        self._model.unload()

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """The vectors of ``texts``, shape (n_texts, n_features); each distinct text is encoded once.

        Raises
        ------
        UserError
            If a text is blank; if the model or the device cannot be had.
        TypeError
            If ``texts`` is one text, or holds something else than texts.

        """
        prepared = self._model.cased(check_texts(texts))
        place = {text: row for row, text in enumerate(dict.fromkeys(prepared))}
        vectors = self._model.tokens(list(place), progress).cpu().numpy()
        rows = [place[text] for text in prepared]
        return np.concatenate([vectors[rows]] * 2, axis=1)

    def describe(self) -> dict[str, JSON]:
        """Name, settings, device and the SHA-256 of each file: what is needed to make the same vectors again.

        Raises
        ------
        UserError
            If the model or the device cannot be had.

        """
        return {"encoder": "elmo", **self._model.describe()}


class ContextualElmoEncoder:
    """An encoder of texts among the other texts of a sentence, in the order given.

    A vector is the layers' values side by side, as in the paper: the context-free layer's 512 twice, then
    for each of the two LSTMs what it makes of the texts up to this one and of those from the end back to it.
    Making an encoder checks the arguments and does nothing else.

    allennlp's LSTMs never forget: each sentence goes on from where the one before it ended, so that the same
    sentence has other vectors each time. The paper's numbers were made so. Here each begins anew, and its
    vectors depend on nothing else, but for the rounding of the arithmetic (1e-5), unless ``carry_state`` asks
    for allennlp's way.

    Parameters
    ----------
    name, lower_case, device
        As for ``ElmoEncoder``.
    layers
        ``all``, the context-free one among them, as in the paper; the ``last``; or the numbers of those to
        put side by side, where 0 is the context-free layer and -1 the last.
    carry_state
        Read sentence after sentence in the order given, from one call to the next, as one LSTM that goes on;
        the first follows the sentence "hello", with which flair 0.9 began. For the paper's vectors give all
        walls in the data set's order as run 0 shuffles them, then as run 1 does, and so on. This is slow,
        since nothing can be done at once.
    batch_size
        Sentences at once, and texts where they are encoded first. Where the memory of a CUDA device does not
        hold them, it is halved.

    Raises
    ------
    UserError
        On a value that is out of range.

    """

    def __init__(
        self,
        name: str = "elmo",
        *,
        layers: str | Sequence[int] = "all",
        carry_state: bool = False,
        lower_case: bool = True,
        device: str = "auto",
        batch_size: int = 64,
    ) -> None:
        if layers not in ("all", "last") and (
            isinstance(layers, str) or not layers or not all(type(layer) is int for layer in layers)
        ):
            shown = layers if isinstance(layers, str) else list(layers)
            raise UserError(f"layers={shown!r} is not known: expected all, last or a list such as [1,2]")
        self._model = ElmoModel(name, lower_case=lower_case, device=device, batch_size=batch_size)
        self.layers = layers if isinstance(layers, str) else tuple(layers)
        self.carry_state = carry_state
        self._state: LstmState | None = None

    @property
    def name(self) -> str:
        """What the user calls the model."""
        return self._model.name

    def load(self) -> None:
        """Find and load the model now; UserError if the model or the device cannot be had."""
        self._model.network()

    def unload(self) -> None:
        """Let go of the model's memory; what needs the model later loads it again."""
        self._model.unload()

    def forget(self) -> None:
        """With ``carry_state``, begin anew: the next sentence is the first."""
        self._state = None

    def encode_in_context(
        self, sentences: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """The vectors of the texts of each sentence, shape (n_sentences, n_points, n_features).

        Parameters
        ----------
        sentences
            The texts of each in the order in which they are to be read, as many in each.
        progress
            Called with how many sentences are done.

        Raises
        ------
        UserError
            If a text is blank; if the model or the device cannot be had; if there is no such layer.
        ValueError
            If a sentence has no texts, or another number of them than the first.
        TypeError
            If ``sentences`` or one of them is a text, or a text is none.

        """
        begin, end = SENTENCE_ENDS
        sentences = [[begin, *self._model.cased(sentence), end] for sentence in check_sentences(sentences)]
        with self._model.lock:
            network = self._model.network()
            chosen = self._chosen(network)
            n_features = len(chosen) * 2 * network.options.hidden
            n_points = len(sentences[0]) - 2 if sentences else 0
            vectors = np.empty((len(sentences), n_points, n_features), dtype=np.float32)
            if not vectors.size:
                return vectors
            place = {token: row for row, token in enumerate(dict.fromkeys(t for s in sentences for t in s))}
            tokens = self._model.tokens(list(place))
            where = np.array([[place[token] for token in sentence] for sentence in sentences])

            def work(rows: NDArray[np.int64]) -> None:
                distinct, here = np.unique(where[rows].T, return_inverse=True)
                state = self._carried(network) if self.carry_state else network.begin(len(rows))
                layers = network.layers(tokens[distinct], here.reshape(-1, len(rows)), state)
                # (n_layers, n_places, n_sentences, 2 * hidden) -> (n_sentences, n_points, n_features)
                texts = layers[chosen, 1:-1].permute(2, 1, 0, 3)
                vectors[rows] = texts.reshape(len(rows), n_points, n_features).cpu().numpy()

            at_once = 1 if self.carry_state else self._model.batch_size
            in_batches([n_points] * len(sentences), at_once, work, progress, network.device, self.carry_state)
        return vectors

    def describe(self) -> dict[str, JSON]:
        """Name, settings, device and the SHA-256 of each file: what is needed to make the same vectors again.

        Raises
        ------
        UserError
            If the model or the device cannot be had.

        """
        return {
            "encoder": "contextual elmo",
            **self._model.describe(),
            "layers": self.layers if isinstance(self.layers, str) else list(self.layers),
            "carry_state": self.carry_state,
        }

    def _chosen(self, network: ElmoNetwork) -> list[int]:
        n_layers = 1 + network.options.n_layers
        if self.layers == "all":
            return list(range(n_layers))
        chosen = [-1] if self.layers == "last" else [int(layer) for layer in self.layers]
        for layer in chosen:
            if not -n_layers <= layer < n_layers:
                raise UserError(f"layers: {self.name} has no layer {layer}: expected 0 to {n_layers - 1}")
        return chosen

    def _carried(self, network: ElmoNetwork) -> LstmState:
        """The state in which the last sentence left the LSTMs."""
        if self._state is None:
            begin, end = SENTENCE_ENDS
            sentence = [begin, *FIRST_SENTENCE, end]
            state = network.begin(1)
            network.layers(self._model.tokens(sentence), np.arange(len(sentence))[:, None], state)
            self._state = state
        return self._state
