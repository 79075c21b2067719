"""Contextual vectors from a transformer: texts in a row are one sentence, and each has a vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .encoder import JSON, Progress
from .pretrained import layers_by_thread
from .pretrained_encoder import PretrainedEncoder
from .text_pieces import NO_TEXT, TextPieces, text_pieces
from .texts import check_sentences

if TYPE_CHECKING:
    import torch

SUBTOKENS = ("first", "mean", "last", "first_last")


class ContextualTransformerEncoder(PretrainedEncoder):
    """An encoder of texts among the other texts of a sentence, on a model that transformers can load.

    The texts in the order given, joined by blanks, are one sentence to the model; the text is the unit,
    however many words it has. Making an encoder checks the arguments and does nothing else; the model is
    found and loaded when a call needs it. A sentence's vectors do not depend on the other sentences, on their
    order or on the batch size, but for the rounding of the arithmetic (1e-5 in float32).

    Parameters
    ----------
    name
        A hub id, a folder, or ``packaged:all-MiniLM-L6-v2``.
    subtoken
        Which of a text's tokens make its vector: the ``first``, as the Only Connect Wall paper's code did,
        the ``mean`` of all, the ``last``, or ``first_last``, both side by side.
    layers
        ``all`` hidden layers averaged, the embedding layer among them, as the paper's code did, or the
        ``last``, or the numbers of those to average: 0 is the embedding layer, -1 the last.
    leading_space
        Put a blank before the first text, too, which matters to RoBERTa and its kin alone, since their
        tokens hold the blank before a word. flair 0.9, and so the paper, did not; flair 0.15 does.
    lower_case
        Lower-case the texts first, as the paper did.
    device
        ``auto``, ``cpu``, ``cuda``, ``cuda:N`` or ``mps``. Only ``auto`` chooses.
    dtype
        Of the weights and the arithmetic: ``float32``, ``bfloat16``, ``float16``, or ``auto``, as the model
        was saved. Averaging and the vectors are float32.
    batch_size
        Sentences in one forward pass. Where the memory of a CUDA device does not hold them, it is halved.
    revision
        Branch, tag or commit of a hub model.

    Raises
    ------
    UserError
        On a value that is out of range.

    """

    def __init__(
        self,
        name: str,
        *,
        subtoken: str = "first",
        layers: str | Sequence[int] = "all",
        leading_space: bool = False,
        lower_case: bool = True,
        device: str = "auto",
        dtype: str = "float32",
        batch_size: int = 32,
        revision: str | None = None,
    ) -> None:
        super().__init__(
            name,
            lower_case=lower_case,
            device=device,
            dtype=dtype,
            batch_size=batch_size,
            revision=revision,
        )
        if subtoken not in SUBTOKENS:
            raise UserError(f"subtoken={subtoken!r} is not known: expected one of {', '.join(SUBTOKENS)}")
        self.subtoken = subtoken
        self.layers = _checked_layers(layers)
        self.leading_space = leading_space

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
        ItemError
            If a text is nothing to the model's tokenizer, or a sentence is longer than the model reads.
        UserError
            If a text is blank; if the model or the device cannot be had; if a vector overflows in float16.
        ValueError
            If the sentences differ in their numbers of texts.
        TypeError
            If ``sentences`` or one of them is a text, or a text is none.

        """
        sentences = [[self._cased(text) for text in texts] for texts in check_sentences(sentences)]
        with self._lock:
            pretrained = self._load()
            layers = self._numbers(pretrained.widths)
            n_features = pretrained.widths[layers[0]] * (2 if self.subtoken == "first_last" else 1)
            if not sentences:
                return np.empty((0, 0, n_features), dtype=np.float32)
            pieces = text_pieces(pretrained, sentences, self.leading_space)
            vectors = np.empty((*pieces.first.shape, n_features), dtype=np.float32)

            def encode_batch(rows: NDArray[np.int64]) -> None:
                average = _average(pretrained.layers([pieces.ids[row] for row in rows]), layers)
                vectors[rows] = self._pool(average, pieces, rows).cpu().numpy().reshape(vectors[rows].shape)

            lengths = [len(row) for row in pieces.ids]
            self._in_batches(lengths, encode_batch, progress, in_order=not layers_by_thread())
        finite = np.isfinite(vectors).all(axis=2)
        if not finite.all():
            sentence, place = np.argwhere(~finite)[0]
            self._refuse_infinite(sentences[sentence][place])
        return vectors

    def describe(self) -> dict[str, JSON]:
        """Name, settings, device and the SHA-256 of each file: what is needed to make the same vectors again.

        The model is found, downloaded if need be, but not loaded.

        Raises
        ------
        UserError
            If the model or the device cannot be had.

        """
        return self._describe(
            encoder="contextual transformer",
            subtoken=self.subtoken,
            layers=self.layers if isinstance(self.layers, str) else list(self.layers),
            leading_space=self.leading_space,
        )

    def _numbers(self, widths: tuple[int, ...]) -> Sequence[int]:
        """The numbers of the layers that are averaged, of a model whose layers have these widths."""
        numbers: Sequence[int]
        if isinstance(self.layers, str):
            numbers = range(len(widths)) if self.layers == "all" else [-1]
        else:
            numbers = self.layers
        for number in numbers:
            if not -len(widths) <= number < len(widths):
                raise UserError(
                    f"layers: {self.name} has no layer {number}: expected 0, the embedding layer, to "
                    f"{len(widths) - 1}, the last, or -1, the last, to {-len(widths)}"
                )
        if len({widths[number] for number in numbers}) > 1:
            raise UserError(
                f"layers: those of {self.name} are not equally wide "
                f"({', '.join(str(widths[number]) for number in numbers)} numbers), so they have no mean: "
                "choose layers=last or a list such as [-1]"
            )
        return numbers

    def _pool(self, states: torch.Tensor, pieces: TextPieces, rows: NDArray[np.int64]) -> torch.Tensor:
        """The vectors of a batch's texts, (n_rows * n_points, n_features).

        ``states`` are its tokens', (n_rows, n_tokens, hidden_size), and ``rows`` its sentences.
        """
        import torch

        n_rows, n_tokens = states.shape[:2]
        n_points = pieces.first.shape[1]
        flat = states.flatten(0, 1)
        if self.subtoken == "mean":
            text = np.full((n_rows, n_tokens), n_rows * n_points)  # one row more, for what is not a text's
            for row, texts in enumerate(pieces.texts[sentence] for sentence in rows):
                text[row, : len(texts)] = np.where(
                    texts == NO_TEXT, n_rows * n_points, row * n_points + texts
                )
            index = torch.from_numpy(text.ravel()).to(flat.device)
            sums = flat.new_zeros((n_rows * n_points + 1, flat.shape[1])).index_add_(0, index, flat)
            return (sums / torch.bincount(index, minlength=len(sums)).unsqueeze(1))[:-1]
        starts = np.arange(n_rows)[:, None] * n_tokens
        ends = {"first": (pieces.first,), "last": (pieces.last,), "first_last": (pieces.first, pieces.last)}
        picked = [
            flat[torch.from_numpy((starts + end[rows]).ravel()).to(flat.device)]
            for end in ends[self.subtoken]
        ]
        return torch.cat(picked, dim=1)


def _average(layers: tuple[torch.Tensor, ...], numbers: Sequence[int]) -> torch.Tensor:
    """The mean of the chosen layers in float32; the layers are counted from the embedding layer."""
    total = layers[numbers[0]].float().clone()
    for number in numbers[1:]:
        total += layers[number]
    return total.div_(len(numbers))


def _checked_layers(layers: str | Sequence[int]) -> str | tuple[int, ...]:
    if isinstance(layers, str):
        if layers not in {"all", "last"}:
            raise UserError(f"layers={layers!r} is not known: expected all, last or a list such as [-1,-2]")
        return layers
    numbers = tuple(layers) if isinstance(layers, list | tuple | range) else ()
    if not numbers or not all(type(number) is int for number in numbers):
        raise UserError(f"layers={layers} is not known: expected all, last or a list such as [-1,-2]")
    return numbers
