"""The encoder that a configuration names."""

from dataclasses import dataclass

import pytest

from fourfold.conf.compose import compose_run
from fourfold.conf.model_schema import ModelConfig
from fourfold.embeddings.contextual import ContextualTransformerEncoder
from fourfold.embeddings.encoder import ContextualEncoder, Encoder
from fourfold.embeddings.flair_encoder import ContextualFlairEncoder, FlairEncoder
from fourfold.errors import UserError
from fourfold.experiments.pipeline.encode import make_encoder, model_identity


def test_a_static_model():
    encoder = make_encoder(compose_run(["model.pooling=cls", "model.batch_size=7"]).model)
    assert isinstance(encoder, Encoder)
    assert not isinstance(encoder, ContextualEncoder)
    assert (encoder.name, encoder.pooling, encoder.batch_size) == ("packaged:all-MiniLM-L6-v2", "cls", 7)


def test_a_model_in_context():
    words = ["embedding=contextual", "embedding.layers=[0,-1]", "embedding.leading_space=true"]
    config = compose_run([*words, "embedding.subtoken=mean", "model.batch_size=7", "model.dtype=bfloat16"])
    encoder = make_encoder(config.model, config.embedding)
    assert isinstance(encoder, ContextualTransformerEncoder)
    assert not isinstance(encoder, Encoder)
    assert (encoder.name, encoder.batch_size, encoder.dtype) == ("packaged:all-MiniLM-L6-v2", 7, "bfloat16")
    assert (encoder.subtoken, encoder.layers, encoder.leading_space) == ("mean", (0, -1), True)


@pytest.mark.slow
def test_what_has_no_use_in_context():
    for words, said in (
        (["model=e5_base_own"], "model.prefix=query: .* does not apply to embedding=contextual"),
        (["model=minilm", "model.normalize=true"], "model.normalize=True does not apply"),
    ):
        config = compose_run([*words, "embedding=contextual"])
        with pytest.raises(UserError, match=said):
            make_encoder(config.model, config.embedding)


@pytest.mark.slow
def test_flairs_embeddings():
    words = ["model=flair", "model.name=WordEmbeddings:glove", "model.options={field:ner,fine_tune:true}"]
    config = compose_run(words)
    static = make_encoder(config.model, config.embedding)
    assert isinstance(static, FlairEncoder)
    assert (static.name, static.options) == ("WordEmbeddings:glove", {"field": "ner", "fine_tune": True})
    config = compose_run([*words, "embedding=contextual", "model.lower_case=false"])
    contextual = make_encoder(config.model, config.embedding)
    assert isinstance(contextual, ContextualFlairEncoder)
    assert not contextual.lower_case
    config = compose_run([*words, "embedding=contextual", "embedding.layers=last"])
    with pytest.raises(
        UserError, match=r"embedding\.layers=last does not apply to model=flair: .*model\.options"
    ):
        make_encoder(config.model, config.embedding)


def test_flairs_options_have_names():
    assert make_encoder(compose_run(["model=flair"]).model).options == {}
    with pytest.raises(UserError, match=r"model\.options=3 is not known: expected names and values"):
        compose_run(["model=flair", "model.options=3"])


def test_a_file_that_a_flair_embedding_is_made_of_is_part_of_its_identity(tmp_path):
    file = tmp_path / "words.gensim"
    identities = []
    for content in (b"a", b"b"):
        file.write_bytes(content)
        config = compose_run(["model=flair", f"model.name=WordEmbeddings:{file}+BytePairEmbeddings:en"])
        identities.append(model_identity(config.model))
    assert identities[0]["name"] == identities[1]["name"]
    assert identities[0]["files"].keys() == {"words.gensim"}
    assert identities[0]["files"] != identities[1]["files"]


def test_a_kind_of_model_that_is_not_known():
    @dataclass
    class Other(ModelConfig):
        pass

    with pytest.raises(TypeError, match="no way to make an encoder of a Other"):
        make_encoder(Other("x"))
