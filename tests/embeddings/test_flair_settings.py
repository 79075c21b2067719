"""What is checked before flair is needed; tests/flair has the rest."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from fourfold.embeddings.flair_encoder import ContextualFlairEncoder, FlairEncoder
from fourfold.errors import UserError


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": " "}, "name=' ': expected flair's class and its argument, as in WordEmbeddings:glove"),
        ({"name": "WordEmbeddings:glove+"}, r"name='WordEmbeddings:glove\+': expected"),
        ({"name": ":glove"}, "name=':glove': expected"),
        (
            {"name": "A:a+B:b", "options": {"x": 1}},
            r"options=\{'x': 1\} cannot be shared by the 2 embeddings",
        ),
        ({"device": "gpu"}, "device='gpu' is not known"),
    ],
)
@pytest.mark.parametrize("kind", [FlairEncoder, ContextualFlairEncoder])
def test_settings_are_checked_at_once(kind: type[FlairEncoder], wrong: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        kind(**{"name": "WordEmbeddings:glove", **wrong})


@pytest.mark.skipif(find_spec("flair") is not None, reason="flair is installed here")
def test_without_flair_the_extra_is_named() -> None:
    with pytest.raises(
        UserError, match=r"flair is needed and not installed: pip install 'fourfold\[flair\]'"
    ):
        FlairEncoder("WordEmbeddings:glove", device="cpu").load()
    with pytest.raises(UserError, match=r"pip install 'fourfold\[flair\]'"):
        FlairEncoder("WordEmbeddings:glove", device="cpu").describe()
