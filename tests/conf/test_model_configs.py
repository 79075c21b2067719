"""The group ``model``: every file fits the schema and says what the paper, or the model's makers, did."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path

import pytest
from omegaconf import OmegaConf
from omegaconf.errors import ConfigKeyError

import fourfold.conf
from fourfold.conf.model_schema import TransformerConfig, WordsConfig
from fourfold.embeddings.transformer import TransformerEncoder

WORDS = {"glove": "glove", "crawl": "fasttext_crawl", "news": "fasttext_news", "bpemb": None}
FOLDER = Path(fourfold.conf.__file__).with_name("model")
FILES = sorted(path for path in FOLDER.glob("*.yaml") if "/model/transformer@" in path.read_text("utf-8"))
# The paper's Table 2.
PAPER = {
    "distilbert_base": "distilbert-base-uncased",
    "bert_base": "bert-base-uncased",
    "bert_large": "bert-large-uncased",
    "roberta_large": "roberta-large",
    "all_mpnet_base": "sentence-transformers/all-mpnet-base-v2",
    "e5_base": "intfloat/e5-base-v2",
    "e5_large": "intfloat/e5-large-v2",
}
ONLY_SHOWN = {"title", "paper_row"}


def read(stem: str) -> TransformerConfig:
    raw = OmegaConf.load(Path(fourfold.conf.__file__).with_name("model") / f"{stem}.yaml")
    assert raw.pop("defaults") == ["/schema/model/transformer@_here_", "_self_"]
    merged = OmegaConf.merge(OmegaConf.structured(TransformerConfig), raw)
    return OmegaConf.to_object(OmegaConf.create({"device": "auto", "model": merged})["model"])


def test_the_models_are_those_of_the_paper_and_the_packaged_one() -> None:
    own = {"all_mpnet_base_own", "e5_base_own", "e5_large_own"}
    assert {path.stem for path in FILES} == {"minilm", *PAPER, *own}


@pytest.mark.parametrize("stem", [path.stem for path in FILES])
def test_a_file_makes_an_encoder_and_begins_with_its_command(stem: str) -> None:
    path = Path(fourfold.conf.__file__).with_name("model") / f"{stem}.yaml"
    assert path.read_text(encoding="utf-8").splitlines()[0] == f"# fourfold run model={stem}"
    config = read(stem)
    settings = {f.name: getattr(config, f.name) for f in fields(config) if f.name not in ONLY_SHOWN}
    encoder = TransformerEncoder(**settings)
    assert {name: getattr(encoder, name) for name in settings} == settings
    assert config.title


@pytest.mark.parametrize("stem", PAPER)
def test_the_papers_settings(stem: str) -> None:
    config = read(stem)
    assert config.name == PAPER[stem]
    assert (config.pooling, config.lower_case, config.prefix, config.normalize) == ("cls", True, "", False)
    assert config.paper_row == stem


@pytest.mark.parametrize(
    ("stem", "prefix"), [("all_mpnet_base", ""), ("e5_base", "query: "), ("e5_large", "query: ")]
)
def test_the_models_own_settings(stem: str, prefix: str) -> None:
    own = read(f"{stem}_own")
    assert (own.name, own.pooling, own.prefix) == (PAPER[stem], "mean", prefix)
    assert own.paper_row is None


@pytest.mark.parametrize("stem", WORDS)
def test_word_vectors(stem: str) -> None:
    raw = OmegaConf.load(Path(fourfold.conf.__file__).with_name("model") / f"{stem}.yaml")
    assert raw.pop("defaults") == ["/schema/model/words@_here_", "_self_"]
    config = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(WordsConfig), raw))
    assert (config.name, config.paper_row, config.lower_case, config.device) == (
        stem,
        WORDS[stem],
        True,
        "cpu",
    )
    assert config.byte_pairs == (None if stem == "bpemb" else "bpemb")
    assert config.title


def test_the_schemas_defaults_are_the_encoders() -> None:
    parameters = inspect.signature(TransformerEncoder.__init__).parameters
    defaults = {name: item.default for name, item in parameters.items() if item.default is not item.empty}
    schema = {f.name: f.default for f in fields(TransformerConfig) if f.name not in {*ONLY_SHOWN, "name"}}
    assert schema == defaults


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(ConfigKeyError, match="poolin"):
        OmegaConf.merge(OmegaConf.structured(TransformerConfig), {"name": "x", "poolin": "cls"})
