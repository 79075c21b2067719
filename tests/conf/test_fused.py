"""What a user may write of a fused model, and what they are told when it is wrong."""

from dataclasses import replace

import pytest

from fourfold.conf.compose import compose_run, fused_words, model_words
from fourfold.conf.model_schema import FusedConfig
from fourfold.errors import UserError


def fused(parts, *words):
    return compose_run(["model=fused", f"model.parts={parts}", *words]).model


def test_a_part_is_what_its_own_file_says():
    found = fused("[minilm,e5_base_own]", "device=cpu")
    assert isinstance(found, FusedConfig)
    assert found.models == [
        compose_run([f"model={name}", "device=cpu"]).model for name in ("minilm", "e5_base_own")
    ]
    assert (found.name, found.parts, found.weights) == ("fused", ["minilm", "e5_base_own"], [1.0, 1.0])
    assert found.title == "MiniLM + E5 base, own pooling"


def test_weights_a_title_and_a_device():
    found = fused("[minilm,bert_base]", "model.weights=[1,2.5]", "model.device=cuda:1")
    assert found.weights == [1.0, 2.5]
    assert found.title == "MiniLM + 2.5×BERT base"
    assert [part.device for part in found.models] == ["cuda:1", "cuda:1"]
    assert fused("[minilm,bert_base]", "model.title=Both").title == "Both"


def test_a_part_may_be_another_model_than_the_choices():
    found = fused("[minilm,my/model,'packaged:all-MiniLM-L6-v2']")
    assert [part.name for part in found.models][1:] == ["my/model", "packaged:all-MiniLM-L6-v2"]
    assert found.title == "MiniLM + my/model + packaged:all-MiniLM-L6-v2"


def test_one_word_chooses_a_model(tmp_path):
    assert model_words("minilm") == ["model=minilm"]
    assert model_words("minlm") == ["model=minlm"]
    for name in ("my/model", "packaged:x", "C:\\models\\x", str(tmp_path)):
        assert model_words(name) == [f"model.name={name}"]


@pytest.mark.slow
def test_several_words_choose_a_fused_one():
    assert fused_words(["minilm"]) == ["model=minilm"]
    odd = "./it's, [a] folder\\"
    found = compose_run(fused_words(["minilm", odd], [1.0, 0.5])).model
    assert isinstance(found, FusedConfig)
    assert (found.parts, found.weights) == (["minilm", odd], [1.0, 0.5])
    assert compose_run(fused_words(["minilm", "e5_base"])).model.weights == [1.0, 1.0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "model=fused needs its parts: add 'model.parts="),
        (["model.parts=[]"], "model=fused needs its parts"),
        (["model.parts=minilm,e5_base"], "model.parts='minilm,e5_base': expected a list between brackets"),
        (["model.parts=[minilm]"], r"model.parts=\[minilm\] is one model: .*choose model=minilm"),
        (["model.parts=[minlm,e5_base]"], r"model.parts: model=minlm is not known: did you mean minilm\?"),
        (["model.parts=[minilm,minilm]"], r"model.parts=\[minilm,minilm\] names minilm twice"),
        (["model.parts=[minilm,fused]"], "model.parts: fused cannot be a part of itself"),
        (
            ["model.parts=[minilm,e5_base]", "model.weights=[1]"],
            "has 1 weights for the 2 models of model.parts",
        ),
        (
            ["model.parts=[minilm,e5_base]", "model.weights=[1,-2]"],
            "model.weights: -2 for e5_base is not a weight",
        ),
        (
            ["model.parts=[minilm,e5_base]", "model.weights=[0,1]"],
            "model.weights: 0 for minilm is not a weight",
        ),
        (["model.parts=[minilm,e5_base]", "model.weights=[1,nan]"], "model.weights: nan for e5_base"),
        (["model.parts=[minilm,e5_base]", "model.weights=[1,inf]"], "model.weights: inf for e5_base"),
        (["model.parts=[minilm,e5_base]", "model.weights=[1,x]"], "expected a number"),
        (["model.parts=[minilm,e5_base]", "model.weights=2"], "model.weights=2: expected a list"),
        (["model.parts=[minilm,e5_base]", "model.name=x"], "model.name=x does not apply to model=fused"),
        (["model.parts=[minilm,e5_base]", "model.models=[{name: x}]"], "model.models= is filled in"),
        (
            ["model.parts=[minilm,e5_base]", "model.pooling=cls"],
            "model.pooling= is a setting of another model",
        ),
    ],
)
def test_a_mistake_is_one_line(words, said):
    with pytest.raises(UserError, match=said) as caught:
        compose_run(["model=fused", *words])
    assert "\n" not in str(caught.value)


def test_parts_belong_to_a_fused_model():
    with pytest.raises(UserError, match=r"model\.parts= is a setting of another model"):
        compose_run(["model.parts=[minilm,e5_base]"])


def test_what_was_filled_in_stays_whole():
    found = fused("[minilm,e5_base]")
    assert replace(found) == found
