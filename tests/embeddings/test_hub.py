"""Models of the hub, through the hub's own client and a small hub on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest
from hub_server import COMMIT, hub
from tiny_models import TinyModel

from fourfold.embeddings.find_model import find_model
from fourfold.errors import UserError

CODE = """
import json, os, sys
from fourfold.embeddings.find_model import find_model
from fourfold.embeddings.sentence_modules import MODULE_FILES
from fourfold.errors import UserError
try:
    also = MODULE_FILES if os.environ.get("MODULES") else ()
    files = find_model(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None, also)
    print(json.dumps([files.source, files.commit, str(files.folder), sorted(files.digests(also))]))
except UserError as error:
    print("UserError", error)
"""
NOWHERE = "http://127.0.0.1:9"
FILES = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]


class Client:
    """Finds models in a process of its own, since the hub's client reads its environment when imported."""

    def __init__(self, address: str, cache: Path) -> None:
        self.address = address
        self.cache = cache

    def find(self, *arguments: str) -> str:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "HUGGING"))}
        environment = {**kept, "HF_ENDPOINT": self.address, "HF_HOME": str(self.cache)}
        command = [sys.executable, "-W", "error", "-c", CODE, *arguments]
        shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert shown.stderr == ""
        return shown.stdout.strip()


@pytest.fixture
def served(tiny: dict[str, TinyModel], tmp_path: Path) -> Iterator[tuple[Client, list[str]]]:
    """A client of a hub that holds good models, one that is gated and one of no transformers model."""
    good = copytree(tiny["bert"].folder, tmp_path / "good")
    (good / "onnx").mkdir()
    (good / "onnx" / "config.json").write_text("{}")
    (good / "pytorch_model.bin").write_bytes(b"the same weights again")
    other = tmp_path / "other"
    other.mkdir()
    (other / "config.json").write_text("{}")
    sentences = copytree(tiny["bert"].folder, tmp_path / "sentences")
    (sentences / "1_Pooling").mkdir()
    (sentences / "1_Pooling" / "config.json").write_text('{"pooling_mode": "cls"}')
    listed = (("Transformer", ""), ("Pooling", "1_Pooling"))
    modules = [{"type": f"sentence_transformers.models.{kind}", "path": path} for kind, path in listed]
    (sentences / "modules.json").write_text(json.dumps(modules))
    refused = {"team/gated": 403, "team/broken": 500}
    with hub({"team/good": good, "team/other": other, "team/sentences": sentences}, refused) as (
        address,
        requests,
    ):
        yield Client(address, tmp_path / "cache"), requests


@pytest.mark.slow
def test_a_model_is_downloaded_once_and_then_needs_no_network(served: tuple[Client, list[str]]) -> None:
    client, requests = served
    source, commit, folder, files = json.loads(client.find("team/good"))
    assert (source, commit, Path(folder).name) == ("hub", COMMIT, COMMIT)
    assert set(FILES) <= set(files)
    loaded = {line.rpartition("/")[2] for line in requests if line.startswith("GET /team/good/resolve/")}
    assert loaded == set(files)  # one format of the weights, and no other folders
    requests.clear()
    assert json.loads(client.find("team/good"))[2] == folder
    assert json.loads(client.find("team/good", COMMIT))[2] == folder
    assert requests == []
    client.address = NOWHERE
    assert json.loads(client.find("team/good", "main"))[2] == folder


@pytest.mark.slow
def test_a_models_own_pooling_comes_with_it(
    served: tuple[Client, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = served
    modules = {"1_Pooling/config.json", "modules.json"}
    client.find("team/good")
    assert not modules & set(json.loads(client.find("team/sentences"))[3])  # which nobody asked for
    monkeypatch.setenv("MODULES", "1")
    here, client.address = client.address, NOWHERE
    for name in ("team/good", "team/sentences"):
        assert "does not say how its tokens become a vector, and the hub does not" in client.find(name)
    client.address = here
    assert not modules & set(json.loads(client.find("team/good"))[3])
    assert modules <= set(json.loads(client.find("team/sentences"))[3])
    client.address = NOWHERE
    assert modules <= set(json.loads(client.find("team/sentences"))[3])


@pytest.mark.slow
def test_a_model_in_part_is_completed(served: tuple[Client, list[str]]) -> None:
    client, requests = served
    folder = Path(json.loads(client.find("team/good"))[2])
    weights = folder / "model.safetensors"
    weights.resolve().unlink()
    weights.unlink()
    address, client.address = client.address, NOWHERE
    assert "does not hold it, and the hub cannot be reached" in client.find("team/good")
    client.address = address
    requests.clear()
    client.find("team/good")
    assert weights.is_file()
    assert [line for line in requests if line.startswith("GET /team/good/resolve/")] == [
        f"GET /team/good/resolve/{COMMIT}/model.safetensors"
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["team/nothing"], "model 'team/nothing' is unknown: there is no such folder and no public model"),
        (["team/good", "v9"], "model 'team/good' has no revision 'v9' on the hub: expected a branch, a tag"),
        (["team/gated"], "model 'team/gated' is gated: accept its terms on the hub and log in with"),
        (["team/other"], "model 'team/other': its repository on the hub has no model.safetensors or"),
        (["a/b/c"], "model 'a/b/c': there is no such folder, and it is not a hub id such as intfloat/e5"),
        (["../models"], "model '../models': there is no such folder, and it is not a hub id such as"),
    ],
)
def test_what_cannot_be_had_is_one_line(
    served: tuple[Client, list[str]], arguments: list[str], said: str
) -> None:
    line = served[0].find(*arguments)
    assert line.startswith(f"UserError {said}")
    assert "\n" not in line


def test_offline_is_told_at_once(tmp_path: Path) -> None:
    start = time.perf_counter()
    line = Client(NOWHERE, tmp_path).find("intfloat/e5-base-v2", "v1")
    assert line.startswith(
        "UserError model 'intfloat/e5-base-v2' at revision 'v1': there is no such folder, the hub's cache "
        "on this machine does not hold it, and the hub cannot be reached: connect once to download it, or"
    )
    assert time.perf_counter() - start < 15  # the client's own downloads take 23 s and more to give up


@pytest.mark.slow
def test_the_hub_is_asked_once(served: tuple[Client, list[str]]) -> None:
    client, requests = served
    assert "the hub cannot be reached" in client.find("team/broken")
    assert [line for line in requests if "team/broken" in line] == ["GET /api/models/team/broken"]


def test_a_file_in_place_of_a_model_is_named_as_one(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("jam 1 2\n")
    with pytest.raises(UserError, match=r"is a file: expected a hub id or the folder .*model=glove"):
        find_model(str(path))
