"""Filters by a record's settings: what the command line takes fits, however it is written."""

import pytest
from made_records import made_config, made_record

from fourfold.conf.features_schema import TSNEConfig
from fourfold.conf.model_schema import TransformerConfig
from fourfold.conf.solver_schema import PeerConfig
from fourfold.experiments.runs.settings import record_test


@pytest.mark.parametrize(
    ("word", "fits"),
    [
        ("solver.tol=1e-4", True),
        ("solver.tol=0.0001", True),
        ("solver.tol=1e-3", False),
        ("solver.tol=small", False),
        ("features.perplexity=3", True),
        ("features.perplexity=3.0", True),
        ("model.lower_case=true", True),
        ("model.lower_case=1", False),
        ("model.revision=null", True),
        ("model.prefix='query: '", True),
        ("model.prefix=query: ", True),
        ("model.prefix=query:", False),
        ("model.prefix=''", False),
    ],
)
def test_a_value_fits_however_it_is_written(word, fits):
    model = TransformerConfig("a/model", pooling="mean", prefix="query: ")
    config = made_config(model=model, solver=PeerConfig(), features=TSNEConfig("tsne"), seeds=2)
    record = made_record(config=config)
    assert record_test(word)(record) is fits


def test_an_empty_text_fits():
    assert record_test("model.prefix=''")(made_record())
