"""Folders that are not what they should be: one line that says which file or weight is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_models import TinyModel, byte_tokenizer, save_tokenizer

from fourfold.embeddings.find_model import find_model
from fourfold.embeddings.transformer import TransformerEncoder
from fourfold.errors import UserError


@pytest.fixture
def folder(tiny: dict[str, TinyModel], tmp_path: Path) -> Path:
    """A copy of a good model, to be spoilt."""
    return copytree(tiny["bert"].folder, tmp_path / "model")


def remove(*names: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return spoil


def write(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content) and None


def drop_a_layer(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    kept = {name: value for name, value in weights.items() if "encoder.layer.1." not in name}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})


def cut_the_weights(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:5000])


def another_vocabulary(folder: Path) -> None:
    save_tokenizer(byte_tokenizer(), folder)  # 260 tokens; the model has about 210


def needs_code(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Config", "AutoModel": "own.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text("print('the code of the model ran')\n")


def index_without_a_shard(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    weight_map = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))


def index_cut_off(folder: Path) -> None:
    index_without_a_shard(folder)
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a"')


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (remove("config.json"), "the folder .*model has no config.json: name a folder that a"),
        (remove("model.safetensors"), "has no model.safetensors or pytorch_model.bin"),
        (remove("tokenizer.json"), r"has no vocabulary \(tokenizer.json, vocab.txt, "),
        (write("config.json", b"{"), "cannot be loaded from .*model"),
        (write("tokenizer.json", b"{"), "cannot be loaded from .*model"),
        (cut_the_weights, r"cannot be loaded from .*model \(SafetensorError: .*files are whole"),
        (drop_a_layer, r"lacks 16 of its weights, such as encoder\.layer\.1\.attention"),
        (another_vocabulary, r"makes tokens that the model does not know: it has \d+"),
        (needs_code, "cannot be loaded from"),
        (index_without_a_shard, "has no model-00002-of-00002.safetensors"),
        (index_cut_off, "has no model.safetensors.index.json in one piece"),
    ],
)  # fmt: skip
def test_a_spoilt_folder_is_one_line(
    folder: Path, spoil: Callable[[Path], None], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    spoil(folder)
    with pytest.raises(UserError, match=said) as caught:
        TransformerEncoder(str(folder), device="cpu").encode(["jam ~ \x7f"])
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere': there is no such folder, and it is not a hub id such as"):
        TransformerEncoder(str(tmp_path / "nowhere"), device="cpu").encode(["jam"])


def test_only_hub_models_have_revisions(folder: Path) -> None:
    for name in (str(folder), "packaged:all-MiniLM-L6-v2"):
        with pytest.raises(UserError, match="has no revision 'v2': only models of the hub have revisions"):
            find_model(name, "v2")


def test_digests_cover_what_the_vectors_need_and_notice_a_change(folder: Path) -> None:
    (folder / "README.md").write_text("no part of the vectors")
    before = find_model(str(folder)).digests()
    assert "README.md" not in before
    (folder / "tokenizer.json").write_text((folder / "tokenizer.json").read_text() + "\n")
    after = find_model(str(folder)).digests()
    assert {name for name in before if before[name] != after[name]} == {"tokenizer.json"}


def test_sharded_and_pickled_weights_load(tiny: dict[str, TinyModel], folder: Path) -> None:
    expected = TransformerEncoder(str(folder), device="cpu").encode(["jam"])
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / "pytorch_model.bin")
    pickled = TransformerEncoder(str(folder), device="cpu")
    assert (pickled.encode(["jam"]) == expected).all()
    (folder / "pytorch_model.bin").unlink()
    names = sorted(weights)
    parts = {f"model-0000{i}-of-00002.safetensors": names[i - 1 :: 2] for i in (1, 2)}
    for part, inside in parts.items():
        save_file({name: weights[name] for name in inside}, folder / part, metadata={"format": "pt"})
    weight_map = {name: part for part, inside in parts.items() for name in inside}
    index = {"metadata": {}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    sharded = TransformerEncoder(str(folder), device="cpu")
    assert (sharded.encode(["jam"]) == expected).all()
    assert set(parts) < sharded.describe()["files"].keys()
