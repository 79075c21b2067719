"""Any word or document embedding of flair as an encoder. flair is an extra, in an environment of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .encoder import JSON, Progress
from .extras import require
from .file_hash import file_sha256
from .pretrained import quiet
from .texts import check_sentences, check_texts
from .torch_device import check_device, resolve_device

_BATCH = 32  # sentences that flair gets at a time: it keeps what it makes of each


class _FlairModel:
    """A flair embedding that is made when a call needs it. Making this one only checks the arguments.

    Parameters
    ----------
    name
        flair's class and its first argument, such as ``WordEmbeddings:glove``,
        ``FlairEmbeddings:news-forward`` or ``TransformerDocumentEmbeddings:bert-base-uncased``; several word
        embeddings joined by ``+`` are stacked, their vectors side by side.
    options
        Further arguments by name, for a single embedding, as ``{"layers": "-1"}``.
    lower_case
        Lower-case the texts first, as the Only Connect Wall paper did.
    device
        ``auto``, ``cpu``, ``cuda``, ``cuda:N`` or ``mps``. flair has one for all its embeddings.

    Raises
    ------
    UserError
        If a part of the name is blank, or if options are given to several embeddings.

    """

    def __init__(
        self,
        name: str,
        *,
        options: Mapping[str, JSON] | None = None,
        lower_case: bool = True,
        device: str = "auto",
    ) -> None:
        parts = name.split("+")
        if not all(part.strip() and not part.startswith(":") for part in parts):
            raise UserError(
                f"name={name!r}: expected flair's class and its argument, as in WordEmbeddings:glove, "
                "several of them joined by +"
            )
        if options is not None and not isinstance(options, Mapping):
            raise UserError(
                f"options={options} is not known: expected names and values, as in {{layers:'-1'}}"
            )
        if options and len(parts) > 1:
            raise UserError(
                f"options={dict(options)} cannot be shared by the {len(parts)} embeddings of {name!r}: "
                "name a single one"
            )
        check_device(device)
        self.name = name
        self.options = dict(options or {})
        self.lower_case = lower_case
        self.device = device
        self._parts = _parts(name)
        self._embedding: Any = None
        self._lock = threading.RLock()

    def load(self) -> None:
        """Make the embedding now; flair downloads what it has not yet.

        Raises
        ------
        UserError
            If flair is not installed, has no such embedding or cannot make it; if the device is not there.

        """
        self._load()

    def unload(self) -> None:
        """Let go of the model's memory; what needs the model later loads it again."""
        with self._lock:
            self._embedding = None

    def _load(self) -> Any:
        with self._lock:
            if self._embedding is None:
                device = resolve_device(self.device)
                require("flair")
                with quiet():
                    self._embedding = self._make(device)
            return self._embedding

    def _make(self, device: str) -> Any:
        import torch

        flair: Any = import_module("flair")
        embeddings: Any = import_module("flair.embeddings")
        flair.device = torch.device(device)
        made: list[Any] = []
        for kind, argument in self._parts:
            embedding_type = getattr(embeddings, kind, None)
            if not (isinstance(embedding_type, type) and issubclass(embedding_type, _kinds(embeddings))):
                known = sorted(
                    name
                    for name, value in vars(embeddings).items()
                    if isinstance(value, type)
                    and issubclass(value, _kinds(embeddings))
                    and name != "TokenEmbeddings"
                )
                raise UserError(
                    f"model {self.name!r}: flair {version('flair')} has no word or document embedding "
                    f"{kind!r}: choose one of {', '.join(known)}"
                )
            arguments = [argument] if argument else []
            try:
                made.append(embedding_type(*arguments, **self.options))
            except Exception as error:  # of flair, its files or the network; flair has no classes for them
                lines = str(error).strip().splitlines()
                reason = lines[0][:200] if lines else type(error).__name__
                raise UserError(
                    f"model {self.name!r}: flair cannot make {kind} of {argument!r} "
                    f"({type(error).__name__}: {reason}): check the name, the options and the network"
                ) from error
        if len(made) == 1:
            return _still(made[0])
        for (kind, _), embedding in zip(self._parts, made, strict=True):
            if not isinstance(embedding, embeddings.TokenEmbeddings):
                raise UserError(
                    f"model {self.name!r}: {kind} is not a word embedding, and only those are stacked"
                )
        return _still(embeddings.StackedEmbeddings(made))

    def _describe(self, kind: str) -> dict[str, JSON]:
        """Name, settings, flair's version, the device and the SHA-256 of files that are named."""
        require("flair")
        device = resolve_device(self.device)
        return {
            "encoder": kind,
            "name": self.name,
            "options": dict(self.options),
            "flair": version("flair"),
            "files": dict(flair_digests(self.name)),
            "lower_case": self.lower_case,
            "device": device,
        }

    def _cased(self, text: str) -> str:
        return text.lower() if self.lower_case else text


def _still(embedding: Any) -> Any:
    """The embedding in evaluation mode; some of flair's return nothing when they are put there."""
    embedding.eval()
    return embedding


def flair_digests(name: str) -> dict[str, str]:
    """SHA-256 (hex) of the files, and of folders' files, that a name holds. It needs no flair."""
    digests: dict[str, str] = {}
    for _, argument in _parts(name):
        path = Path(argument).expanduser()
        if argument and path.exists():
            files = sorted(path.iterdir()) if path.is_dir() else [path]
            digests |= {file.name: file_sha256(file) for file in files if file.is_file()}
    return digests


def _parts(name: str) -> list[tuple[str, str]]:
    """Class and argument of each embedding."""
    return [(kind, argument) for kind, _, argument in (part.partition(":") for part in name.split("+"))]


def _kinds(embeddings: Any) -> tuple[type, type]:
    return embeddings.TokenEmbeddings, embeddings.DocumentEmbeddings


class FlairEncoder(_FlairModel):
    """Static vectors: each text alone, split into words by flair.

    A document embedding's vector is taken as it is, word embeddings' are averaged over the words.
    """

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """The vectors of ``texts``, shape (n_texts, n_features); each distinct text is encoded once.

        Raises
        ------
        UserError
            If a text is blank, or flair sees no word in it; if the embedding cannot be had.
        TypeError
            If ``texts`` is one text, or holds something else than texts.

        """
        prepared = [self._cased(text) for text in check_texts(texts)]
        distinct = {text: row for row, text in enumerate(dict.fromkeys(prepared))}
        with self._lock:
            embedding = self._load()
            embeddings: Any = import_module("flair.embeddings")
            if not isinstance(embedding, embeddings.DocumentEmbeddings):
                embedding = embeddings.DocumentPoolEmbeddings(embedding)
            vectors = np.empty((len(distinct), int(embedding.embedding_length)), dtype=np.float32)
            for row, sentence in _embedded(embedding, list(distinct), progress):
                vectors[row] = sentence.get_embedding().cpu().numpy()
        return vectors[[distinct[text] for text in prepared]]

    def describe(self) -> dict[str, JSON]:
        """Everything that is needed to make the same vectors again; UserError if flair is not there."""
        return self._describe("flair")


class ContextualFlairEncoder(_FlairModel):
    """Contextual vectors: texts in a row are one sentence to flair, and each is one word of it."""

    def encode_in_context(
        self, sentences: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """The vectors of the texts of each sentence, shape (n_sentences, n_points, n_features).

        Raises
        ------
        UserError
            If a text is blank; if the embedding cannot be had, or is not a word embedding.
        ValueError
            If the sentences differ in their numbers of texts.
        TypeError
            If ``sentences`` or one of them is a text, or a text is none.

        """
        prepared = [[self._cased(text) for text in texts] for texts in check_sentences(sentences)]
        with self._lock:
            embedding = self._load()
            embeddings: Any = import_module("flair.embeddings")
            if not isinstance(embedding, embeddings.TokenEmbeddings):
                raise UserError(
                    f"model {self.name!r} has one vector for a whole text: choose a word embedding, "
                    "such as TransformerWordEmbeddings, or embedding=static"
                )
            n_points = len(prepared[0]) if prepared else 0
            vectors = np.empty((len(prepared), n_points, int(embedding.embedding_length)), dtype=np.float32)
            for row, sentence in _embedded(embedding, prepared, progress):
                for place, token in zip(range(n_points), sentence, strict=True):
                    vectors[row, place] = token.get_embedding().cpu().numpy()
        return vectors

    def describe(self) -> dict[str, JSON]:
        """Everything that is needed to make the same vectors again; UserError if flair is not there."""
        return self._describe("contextual flair")


def _embedded(
    embedding: Any, inputs: Sequence[str | list[str]], progress: Progress | None
) -> Iterator[tuple[int, Any]]:
    """Each input's number and flair's sentence of it with its vectors, a batch in memory at a time."""
    import torch

    data: Any = import_module("flair.data")
    if progress is not None:
        progress(0, len(inputs))
    for start in range(0, len(inputs), _BATCH):
        sentences = [data.Sentence(one) for one in inputs[start : start + _BATCH]]
        for one, sentence in zip(inputs[start:], sentences, strict=False):
            if len(sentence) == 0:  # of characters of no width, which flair drops
                raise UserError(f"the text {one!a} is nothing to flair: change it or choose another model")
        with torch.no_grad():
            embedding.embed(sentences)
        yield from enumerate(sentences, start)
        if progress is not None:
            progress(start + len(sentences), len(inputs))
