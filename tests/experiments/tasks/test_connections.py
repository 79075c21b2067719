"""Task 2: what is asked, how connections are read, and their scores beside the packages called directly."""

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import make

from fourfold.errors import UserError
from fourfold.experiments.data.readers import bundled_walls
from fourfold.experiments.llm.chat import Asking, Reply
from fourfold.experiments.llm.parsing.connections import read_connections
from fourfold.experiments.metrics.bertscore import BertScore, packaged_stand_in
from fourfold.experiments.metrics.connection_metrics import CONNECTION_METRICS, metric_of, score_connections
from fourfold.experiments.tasks.connections import connection_answers, connection_requests
from fourfold.experiments.tasks.wall_prompt import wall_prompt

FILE = yaml.safe_load((Path(__file__).parent / "connection_replies.yaml").read_text(encoding="utf-8"))

TRUE = [
    "Slang for money",
    "Trees",
    "Thames bridges",
    "Chaucer characters",
    "Éclairs",
    "___ night",
    "a b",
    "%",
]
SAID = [
    "Slang terms for money",
    "Types of trees",
    "Bridges in London",
    "Jobs",
    "eclairs",
    "night ___",
    "b a",
    "per cent",
]


@pytest.mark.slow
@pytest.mark.parametrize("case", FILE["replies"], ids=[case["form"] for case in FILE["replies"]])
def test_a_reply_has_its_right_reading(case):
    expected = case["connections"]
    expected = FILE[expected] if isinstance(expected, str) else expected
    assert read_connections(case["text"], FILE["groups"]) == expected


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.text(max_size=300))
def test_every_reply_has_four_connections(text):
    assert len(read_connections(text, FILE["groups"])) == 4


def test_the_question_holds_the_groups_and_no_connection_of_theirs():
    walls = bundled_walls().walls
    (request,) = connection_requests(wall_prompt("connections"), walls[:1], walls[1:3], Asking(max_tokens=99))
    system, user = request.messages
    assert (system.role, user.role, request.max_tokens) == ("system", "user", 99)
    for group in walls[0].groups:
        assert f"{', '.join(group.clues)}. Connection: ____\n" in user.content
        assert group.connection not in user.content.partition("Groups:")[2]
    for wall in walls[1:3]:
        for group in wall.groups:
            assert f"{', '.join(group.clues)}. Connection: {group.connection}\n" in user.content
    assert user.content.endswith("Solved wall:")


def test_answers_stand_in_the_order_of_the_walls():
    walls = bundled_walls().walls[:2]
    replies = [Reply("\n".join(group.connection for group in wall.groups)) for wall in walls]
    assert connection_answers(walls, replies) == [
        [group.connection for group in wall.groups] for wall in walls
    ]


def lowered(texts):
    return [text.lower().strip() for text in texts]


def test_exact_match_and_rouge_are_the_papers():
    scores = score_connections([SAID[:4], SAID[4:]], [TRUE[:4], TRUE[4:]])
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1"])
    pairs = zip(lowered(TRUE), lowered(SAID), strict=True)
    expected = [scorer.score(true, said)["rouge1"].fmeasure for true, said in pairs]
    np.testing.assert_allclose(scores.values["rouge1"].ravel(), expected, rtol=0, atol=0)
    # The paper's Table 1, as it prints them.
    assert [round(value, 2) for value in expected[:4]] == [0.86, 0.5, 0.4, 0.0]
    assert scores.values["exact_match"].sum() == 0
    assert list(scores.values) == ["exact_match", "rouge1"]


def test_case_and_blanks_at_the_ends_are_no_matter_and_walls_are_averaged_first():
    scores = score_connections([["  TREES ", "x"], ["y", ""]], [["Trees", "b"], ["c", "d"]])
    assert scores.summary() == {"exact_match": 25.0, "rouge1": 25.0}


@pytest.fixture(scope="module")
def roberta(tmp_path_factory):
    """A small random RoBERTa, saved as its makers would."""
    folder = tmp_path_factory.mktemp("roberta")
    made = make("roberta", folder, positions=80)
    transformers.RobertaTokenizer(
        vocab=made.tokenizer.get_vocab() | {"<mask>": 260},
        merges=[],
    ).save_pretrained(folder)
    return folder


def by_hand(folder, said, true, layer, prefix_space):
    """F1 from the definition: greedy matching by cosine; the marks at both ends match, and count nothing."""
    model = transformers.AutoModel.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)

    def vectors(text):
        ids = tokenizer(" " + text if prefix_space else text)["input_ids"]
        with torch.no_grad():
            states = model(torch.tensor([ids]), output_hidden_states=True).hidden_states[layer][0]
        return states / states.norm(dim=-1, keepdim=True)

    found = []
    for a, b in zip(said, true, strict=True):
        similar = vectors(a) @ vectors(b).T
        precision, recall = (similar.max(dim=axis).values[1:-1].mean() for axis in (1, 0))
        found.append(float(2 * precision * recall / (precision + recall)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("prefix_space", [True, False])
@pytest.mark.parametrize("layer", [1, 2])
def test_bertscore_is_its_definition_with_the_first_word_as_any_other(roberta, layer, prefix_space):
    bert = BertScore(str(roberta), layer, rescaled=False, prefix_space=prefix_space, device="cpu")
    said, true = lowered(SAID), lowered(TRUE)
    np.testing.assert_allclose(
        bert.f1(said, true), by_hand(roberta, said, true, layer, prefix_space), rtol=0, atol=2e-5
    )


def test_the_first_piece_has_its_blank(roberta):
    """The trap: transformers 5 ignores what bert-score asks for, and the first word loses its blank."""
    bert = BertScore(str(roberta), 2, rescaled=False, device="cpu")
    bert.f1(["trees"], ["trees"])
    from bert_score.utils import sent_encode

    tokenizer = bert._scorer._tokenizer
    assert tokenizer.convert_ids_to_tokens(sent_encode(tokenizer, "trees"))[1].startswith("Ġ")


def test_bertscore_equals_the_package_called_directly(roberta):
    import bert_score

    from fourfold.embeddings.find_model import find_model

    said, true = lowered(SAID), lowered(TRUE)
    folder = str(find_model("packaged:all-MiniLM-L6-v2").folder)
    _, _, expected = bert_score.score(said, true, model_type=folder, num_layers=6, device="cpu")
    ours = packaged_stand_in("cpu").f1(said, true)
    np.testing.assert_allclose(ours, expected.numpy(), rtol=0, atol=1e-6)


def test_an_empty_connection_scores_nothing_before_rescaling(roberta, monkeypatch, tmp_path):
    bert = BertScore(str(roberta), 2, rescaled=False, device="cpu")
    assert bert.f1(["", "trees", " "], ["trees", "trees", ""]) == [0.0, pytest.approx(1.0, abs=1e-5), 0.0]
    assert bert.f1([], []) == []
    bert._scorer._baseline_vals = torch.tensor([0.5, 0.5, 0.8])
    bert._scorer._rescale_with_baseline = bert.rescaled = True
    np.testing.assert_allclose(bert.f1(["", "trees"], ["trees", "trees"]), [-4.0, 1.0], atol=1e-4)


def test_the_hash_names_what_bertscore_depends_on():
    assert BertScore().hash.startswith("roberta-large_L17_no-idf_version=0.3.")
    assert BertScore().hash.endswith("-rescaled")
    assert BertScore(prefix_space=False).hash.endswith("-rescaled_fast-tokenizer")
    assert "rescaled" not in packaged_stand_in().hash


def test_the_stand_in_has_a_name_of_its_own(roberta):
    assert metric_of(packaged_stand_in()) == "minilm_match"
    assert metric_of(BertScore()) == "bertscore"
    scores = score_connections([SAID[:4]], [TRUE[:4]], packaged_stand_in("cpu"))
    assert list(scores.values) == ["exact_match", "rouge1", "minilm_match"]
    assert list(CONNECTION_METRICS) == ["exact_match", "rouge1", "bertscore", "minilm_match"]


def test_a_model_that_cannot_be_scored_with_is_one_line(roberta):
    with pytest.raises(UserError, match="cannot be loaded from"):
        BertScore(str(roberta), 99, rescaled=False, device="cpu").f1(["a"], ["b"])
    with pytest.raises(UserError, match="no English baseline for"):
        BertScore(str(roberta), 1, device="cpu").f1(["a"], ["b"])


@pytest.mark.parametrize(
    ("predicted", "true"),
    [
        ([["a"]], []),
        ([], []),
        ([["a", "b"]], [["a"]]),
        ([["a"], ["a", "b"]], [["a"], ["a", "b"]]),
        ([[]], [[]]),
    ],
)
def test_sides_that_do_not_fit_are_refused(predicted, true):
    with pytest.raises(ValueError, match="expected one for each group of each wall"):
        score_connections(predicted, true)
