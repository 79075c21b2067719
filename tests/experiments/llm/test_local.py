"""A chat model on this machine: batches, templates, limits."""

import pytest
import torch
import transformers
from tiny_models import make, make_chat

from fourfold.embeddings.find_model import ModelFiles
from fourfold.embeddings.model_folder import CHAT_FILES, needed
from fourfold.errors import UserError
from fourfold.experiments.llm import local as local_module
from fourfold.experiments.llm.chat import ChatRequest, Failure, Message, request_key
from fourfold.experiments.llm.local import LocalChat


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_chat(tmp_path_factory.mktemp("chat"))


def question(text, system="be brief", **more):
    return ChatRequest((Message("system", system), Message("user", text)), **{"max_tokens": 12, **more})


QUESTIONS = [
    question("a"),
    question("some longer question, with commas"),
    question("é ß λ"),
    question("bb" * 40),
]


def local(folder, **options):
    return LocalChat(str(folder), device="cpu", **options)


def by_hand(folder, text, max_tokens):
    """Greedy, one text alone, one token at a time, without a cache."""
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    n_prompt, ended = len(ids), False
    while len(ids) < n_prompt + max_tokens and not ended:
        with torch.no_grad():
            ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
        ended = ids[-1] == 2
    return tokenizer.decode(ids[n_prompt:], skip_special_tokens=True), n_prompt, len(ids) - n_prompt, ended


@pytest.mark.slow
@pytest.mark.parametrize("batch_size", [1, 3, 8])
def test_answers_are_those_of_each_question_alone(folder, batch_size):
    told = []
    replies = local(folder, batch_size=batch_size).complete(QUESTIONS, lambda *each: told.append(each))
    for request, reply in zip(QUESTIONS, replies, strict=True):
        text = f"<system>be brief\n<user>{request.messages[1].content}\n<assistant>"
        said, n_prompt, n_said, ended = by_hand(folder, text, 12)
        assert (reply.text, reply.usage.prompt, reply.usage.completion) == (said, n_prompt, n_said)
        assert reply.finish == ("stop" if ended else "length")
    assert sorted(place for place, _ in told) == [0, 1, 2, 3]
    assert all(replies[place] is reply for place, reply in told)


def test_each_question_has_its_own_limit(folder):
    replies = local(folder).complete([question("a", max_tokens=n) for n in (3, 9, 3)])
    assert [reply.usage.completion for reply in replies] == [3, 9, 3]
    assert replies[0] == replies[2]
    assert replies[1].text.startswith(replies[0].text)


def test_without_a_template_the_messages_follow_each_other(tmp_path):
    folder = make_chat(tmp_path, template=None)
    (reply,) = local(folder).complete([question("which?")])
    assert reply.text == by_hand(folder, "be brief\n\nwhich?\n\n", 12)[0]


def test_a_hub_model_without_a_template_in_the_cache_is_an_error(tmp_path, monkeypatch):
    folder = make_chat(tmp_path, template=None)
    monkeypatch.setattr(local_module, "find_model", lambda name, *_: ModelFiles(name, "hub", folder, "c0"))
    model = LocalChat("team/chat", device="cpu")
    with pytest.raises(UserError, match="no chat template in the hub's cache: fetch"):
        model.complete([question("which?")])


def test_a_template_that_takes_no_system_gets_its_words_with_the_users(tmp_path):
    refusing = (
        "{% for message in messages %}{% if message.role == 'system' %}"
        "{{ raise_exception('no system') }}{% endif %}<{{ message.content }}>{% endfor %}"
    )
    folder = make_chat(tmp_path, template=refusing)
    (reply,) = local(folder).complete([question("which?")])
    assert reply.text == by_hand(folder, "<be brief\n\nwhich?>", 12)[0]


def test_a_template_that_takes_nothing_is_one_line(tmp_path):
    folder = make_chat(tmp_path, template="{{ raise_exception('never') }}")
    with pytest.raises(UserError, match=r"its chat template takes no prompt of these messages.*never"):
        local(folder).complete([question("a")])


def test_a_prompt_that_is_too_long_is_a_failure_and_stops_no_other(tmp_path):
    folder = make_chat(tmp_path, positions=64)
    failure, reply = local(folder).complete([question("x" * 50), question("a")])
    assert isinstance(failure, Failure)
    assert "12 for the answer are more than the 64" in failure.reason
    assert reply.usage.completion > 0


def test_answers_at_a_temperature_depend_on_their_seed_alone(folder):
    asked = [question("a", temperature=1.0, seed=1), question("a", temperature=1.0, seed=2)]
    model = local(folder)
    together = model.complete([*asked, question("b")])
    state = torch.random.get_rng_state()
    assert model.complete(asked[:1])[0] == together[0]
    assert model.complete(asked[1:])[0] == together[1]
    assert together[0].text != together[1].text
    assert torch.equal(torch.random.get_rng_state(), state)


def test_tokens_are_counted_without_the_model(folder):
    model = local(folder)
    assert model.count_tokens(question("a")) == len("<system>be brief\n<user>a\n<assistant>")
    assert model._model is None


def test_what_it_says_of_itself_names_the_files_by_content(folder, tmp_path):
    described = local(folder).describe()
    assert described["backend"] == "transformers"
    assert described["device"] == "cpu"
    assert "model.safetensors" in described["files"]
    other = make_chat(tmp_path, template=None)
    keys = {request_key(local(each).describe() | {"name": "same"}, question("a")) for each in (folder, other)}
    assert len(keys) == 2


@pytest.mark.slow
def test_what_cannot_be_loaded_is_one_line(tmp_path, folder):
    with pytest.raises(UserError, match=r"model\.dtype=int4 is not known"):
        local(folder, dtype="int4")
    with pytest.raises(UserError, match="has no config"):
        local(tmp_path).complete([question("a")])
    make("mpnet", tmp_path)
    with pytest.raises(UserError, match="cannot be loaded as a language model"):
        local(tmp_path).complete([question("a")])
    with pytest.raises(UserError, match=r"lacks .* of a language model's weights"):
        local("packaged:all-MiniLM-L6-v2").complete([question("a")])
    assert local(folder).complete([]) == []


def test_a_models_template_and_settings_are_among_the_files_that_count():
    names = ["config.json", "model.safetensors", "tokenizer.json", "generation_config.json", "README.md"]
    assert needed(names) == ["config.json", "model.safetensors", "tokenizer.json"]
    assert needed([*names, "chat_template.jinja"], CHAT_FILES) == [
        "chat_template.jinja",
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
    ]


@pytest.mark.slow
def test_a_batch_that_the_memory_does_not_hold_is_halved(folder, monkeypatch):
    model = local(folder)
    expected = model.complete(QUESTIONS)
    generate, sizes = model._generate, []

    def short_of_memory(requests, prompts):
        sizes.append(len(prompts))
        if len(prompts) > 1 or max(map(len, prompts)) > 100:
            raise torch.OutOfMemoryError("no")
        return generate(requests, prompts)

    monkeypatch.setattr(model, "_generate", short_of_memory)
    answers = model.complete(QUESTIONS)
    assert sizes[0] == 4
    assert answers[:3] == expected[:3]
    assert answers[3] == Failure("the memory of cpu does not hold this prompt's answer")


def test_a_model_whose_head_is_its_embedding_lacks_nothing(tmp_path):
    folder = make_chat(tmp_path, tied=True)
    assert local(folder).complete([question("a")])[0].usage.completion > 0
