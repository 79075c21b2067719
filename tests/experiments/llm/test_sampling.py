"""Replies of a model on this machine at a temperature above 0, and what ``model.extra`` says of them."""

import random
from collections import Counter

import numpy as np
import pytest
import torch
import transformers
from tiny_models import make_chat

from fourfold.conf.llm_schema import LanguageModelConfig
from fourfold.errors import UserError
from fourfold.experiments.llm.chat import ChatRequest, Message, sampled
from fourfold.experiments.llm.local import LocalChat
from fourfold.experiments.llm.sampling import drawn_numbers
from fourfold.experiments.tasks.prepare import make_model

TEXTS = ["a", "some longer question, with commas", "é ß λ", "bb" * 40, "c"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_chat(tmp_path_factory.mktemp("chat"))


@pytest.fixture(scope="module")
def model(folder):
    return LocalChat(str(folder), device="cpu")


@pytest.fixture(scope="module")
def network(folder):
    """The model's scores of the next token, and its tokenizer."""
    loaded = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()

    def scores(ids):
        with torch.no_grad():
            return loaded(torch.tensor([ids])).logits[0, -1].numpy()

    return scores, transformers.AutoTokenizer.from_pretrained(folder)


def question(text, **more):
    return ChatRequest((Message("user", text),), **{"max_tokens": 8, "temperature": 1.0} | more)


def shares(logits, ids, temperature, extra):
    """The probabilities of the next token, made step by step as papers define them."""
    scores = np.array(logits, dtype=np.float64)
    for token in set(ids):
        penalty = extra.get("repetition_penalty", 1.0)
        scores[token] = scores[token] / penalty if scores[token] > 0 else scores[token] * penalty
    if size := extra.get("no_repeat_ngram_size"):
        for start in range(len(ids) - size + 1):
            if ids[start : start + size - 1] == ids[len(ids) - size + 1 :]:
                scores[ids[start + size - 1]] = -np.inf
    scores = scores / temperature
    order = np.argsort(-scores, kind="stable")
    if "top_k" in extra:
        scores[order[extra["top_k"] :]] = -np.inf
    chances = np.exp(scores - scores.max())
    chances /= chances.sum()
    if "top_p" in extra:
        before = np.cumsum(chances[order]) - chances[order]
        chances[order[before >= extra["top_p"]]] = 0.0
        chances /= chances.sum()
    if "min_p" in extra:
        chances[chances < extra["min_p"] * chances.max()] = 0.0
    return chances / chances.sum()


def by_hand(network, request):
    """One text alone, one token at a time, without a cache: that in whose share of the line a number lies."""
    scores, tokenizer = network
    text = f"<user>{request.messages[0].content}\n<assistant>"
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    n_prompt = len(ids)
    for number in drawn_numbers(request, request.max_tokens):
        reached = 0.0
        for token, share in enumerate(shares(scores(ids), ids, request.temperature, request.extra)):
            reached += share
            if reached > number:
                ids.append(token)
                break
        if ids[-1] == 2:
            break
    return tokenizer.decode(ids[n_prompt:], skip_special_tokens=True)


@pytest.mark.parametrize(
    ("temperature", "extra"),
    [
        (1.0, {}),
        (0.6, {"top_p": 0.9}),
        (1.5, {"top_k": 5}),
        (1.0, {"min_p": 0.2, "top_p": 0.95}),
        (1.0, {"repetition_penalty": 1.8, "no_repeat_ngram_size": 2}),
    ],
)
def test_tokens_are_drawn_from_the_models_probabilities(network, model, temperature, extra):
    requests = [question(text, temperature=temperature, extra=extra, seed=3) for text in TEXTS[:3]]
    replies = model.complete(requests)
    assert [reply.text for reply in replies] == [by_hand(network, request) for request in requests]


@pytest.mark.slow
@pytest.mark.parametrize("batch_size", [1, 2, 16])
def test_what_else_is_in_a_batch_has_no_part_in_a_reply(folder, model, batch_size):
    extra = {"repetition_penalty": 1.5}
    requests = [sampled(question(text, extra=extra), sample) for text in TEXTS for sample in range(3)] + [
        question("a", temperature=0.0, extra=extra),
        question("bb" * 40, temperature=0.0, extra=extra),
    ]
    expected = model.complete(requests)
    state = torch.random.get_rng_state()
    other = LocalChat(str(folder), device="cpu", batch_size=batch_size)
    assert other.complete(requests) == expected
    assert torch.equal(torch.random.get_rng_state(), state)


def test_samples_and_seeds_have_numbers_of_their_own():
    request = question("a")
    kinds = [
        request, sampled(request, 1), sampled(request, 2), question("b"), question("a", seed=1),
        sampled(question("a", seed=1), 1),
    ]  # fmt: skip
    assert len({tuple(drawn_numbers(each, 4)) for each in kinds}) == len(kinds)
    assert drawn_numbers(question("a", seed=0), 4) == drawn_numbers(request, 4)
    assert drawn_numbers(question("a", max_tokens=99, temperature=0.1), 9)[:4] == drawn_numbers(request, 4)
    assert sampled(question("a", seed=5), 2).seed == 7
    assert sampled(request, 0) == request


def test_as_many_tokens_of_each_kind_come_as_their_probability_says(folder, network):
    n = 1_500
    requests = [sampled(question("a", max_tokens=1, temperature=0.5), sample) for sample in range(n)]
    replies = LocalChat(str(folder), device="cpu", batch_size=n).complete(requests)
    scores, tokenizer = network
    ids = tokenizer("<user>a\n<assistant>", add_special_tokens=False)["input_ids"]
    chances = shares(scores(ids), ids, 0.5, {})
    expected = Counter()
    for token, share in enumerate(chances):
        expected[tokenizer.decode([token], skip_special_tokens=True)] += share
    found = Counter(reply.text for reply in replies)
    apart = sum(abs(found[text] / n - share) for text, share in expected.items()) / 2
    generator = random.Random(0)
    drawn = Counter(generator.choices(list(expected), list(expected.values()), k=n))
    usual = sum(abs(drawn[text] / n - share) for text, share in expected.items()) / 2
    assert apart < 2 * usual


def test_at_temperature_0_the_penalty_counts_and_what_shapes_chances_does_not(model):
    plain, shaped, penalised = model.complete(
        [
            question("a", temperature=0.0, extra=extra)
            for extra in ({}, {"top_k": 3}, {"repetition_penalty": 2.0})
        ]
    )
    assert shaped.text == plain.text
    assert penalised.text != plain.text


def test_every_name_has_its_part_in_what_is_drawn(model):
    def texts(extra):
        requests = [sampled(question("a", temperature=1.5, extra=extra), n) for n in range(4)]
        return [reply.text for reply in model.complete(requests)]

    plain = texts({})
    for name, value in {
        "top_k": 2, "top_p": 0.2, "min_p": 0.6, "typical_p": 0.2, "epsilon_cutoff": 0.2, "eta_cutoff": 0.5,
        "repetition_penalty": 5.0, "no_repeat_ngram_size": 1,
    }.items():  # fmt: skip
        assert texts({name: value}) != plain, name
    assert texts({"top_k": 10**6, "top_p": 1, "min_p": 0, "repetition_penalty": 1}) == plain


def test_an_answer_is_no_shorter_than_it_may_be(model):
    (reply,) = model.complete([question("a", max_tokens=40, extra={"min_new_tokens": 40.0})])
    assert reply.usage.completion == 40


@pytest.mark.parametrize(
    ("extra", "said_of_it"),
    [
        (
            '{"top_q": 1}',
            "model.extra holds top_q, which is not a setting of a model that transformers loads",
        ),
        (
            '{"reasoning_effort": "low"}',
            "holds reasoning_effort.*expected min_new_tokens, repetition_penalty",
        ),
        ('{"top_p": 1.5}', r"model.extra has top_p=1\.5: expected a number above 0, at most 1"),
        ('{"top_p": "0.9"}', 'has top_p="0.9": expected a number'),
        ('{"top_p": null}', "has top_p=null: expected a number"),
        ('{"top_p": NaN}', "has top_p=NaN: expected a number"),
        ('{"top_k": 2.5}', r"has top_k=2\.5: expected a whole number of at least 1"),
        ('{"top_k": true}', "has top_k=true: expected a whole number"),
        ('{"repetition_penalty": 1e999}', "has repetition_penalty=Infinity: expected a number above 0"),
        ('{"min_new_tokens": 200}', "min_new_tokens=200, which is more than model.max_tokens=144"),
    ],
)
def test_what_a_local_model_does_not_take_is_one_line(extra, said_of_it):
    config = LanguageModelConfig(name="m", backend="transformers", extra=extra)
    with pytest.raises(UserError, match=said_of_it) as caught:
        make_model(config)
    assert "\n" not in str(caught.value)
    make_model(LanguageModelConfig(name="m", base_url="http://localhost", extra=extra))
