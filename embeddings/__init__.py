"""Texts in, vectors out: encoders of words, of whole texts, and of texts in the context of others.

Every encoder is an ``Encoder``, which gives a text the same vector wherever it stands, or a
``ContextualEncoder``, whose vectors depend on the other texts of a sentence. Making one checks its arguments;
its model is found and loaded when it is first needed. The public names load on first use, so that importing
this package costs nothing.

>>> from fourfold.embeddings import TransformerEncoder
>>> encoder = TransformerEncoder("packaged:all-MiniLM-L6-v2", pooling="mean", device="cpu")
>>> encoder.encode(["a cat", "a dog"]).shape
(2, 384)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = [
    "CachedEncoder",
    "ContextualElmoEncoder",
    "ContextualEncoder",
    "ContextualFlairEncoder",
    "ContextualTransformerEncoder",
    "ElmoEncoder",
    "Encoder",
    "FlairEncoder",
    "TransformerEncoder",
    "WordEncoder",
]

if TYPE_CHECKING:
    from .cache import CachedEncoder
    from .contextual import ContextualTransformerEncoder
    from .elmo import ContextualElmoEncoder, ElmoEncoder
    from .encoder import ContextualEncoder, Encoder
    from .flair_encoder import ContextualFlairEncoder, FlairEncoder
    from .transformer import TransformerEncoder
    from .words import WordEncoder
else:  # a type checker that saw this would take any name for one that exists
    _HOMES = {
        "CachedEncoder": ".cache",
        "ContextualElmoEncoder": ".elmo",
        "ContextualEncoder": ".encoder",
        "ContextualFlairEncoder": ".flair_encoder",
        "ContextualTransformerEncoder": ".contextual",
        "ElmoEncoder": ".elmo",
        "Encoder": ".encoder",
        "FlairEncoder": ".flair_encoder",
        "TransformerEncoder": ".transformer",
        "WordEncoder": ".words",
    }

    def __getattr__(name: str) -> Any:
        if name in _HOMES:
            return getattr(import_module(_HOMES[name], __name__), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
