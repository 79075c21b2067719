"""The encoder that a configuration names."""

from dataclasses import dataclass

import pytest

from fourfold.conf.compose import compose_run
from fourfold.conf.model_schema import ModelConfig
from fourfold.embeddings.encoder import ContextualEncoder, Encoder
from fourfold.errors import UserError
from fourfold.experiments.encoders import make_encoder


def test_a_static_model():
    encoder = make_encoder(compose_run(["model.pooling=cls", "model.batch_size=7"]).model)
    assert isinstance(encoder, Encoder)
    assert not isinstance(encoder, ContextualEncoder)
    assert (encoder.name, encoder.pooling, encoder.batch_size) == ("packaged:all-MiniLM-L6-v2", "cls", 7)


def test_a_model_in_context():
    config = compose_run(["embedding=contextual"])
    with pytest.raises(UserError, match="embedding=contextual is not to be had yet"):
        make_encoder(config.model, config.embedding)


def test_a_kind_of_model_that_is_not_known():
    @dataclass
    class Other(ModelConfig):
        pass

    with pytest.raises(TypeError, match="no way to make an encoder of a Other"):
        make_encoder(Other("x"))
