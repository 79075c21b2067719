"""Which model a server has, by its list of models."""

import json

import pytest
from chat_server import Answer, said, scripted

from fourfold.experiments.llm.chat import ChatRequest, Message
from fourfold.experiments.llm.endpoint import Endpoint
from fourfold.experiments.llm.replies import CachedChat
from fourfold.experiments.llm.served import differ

KEY = "sk-a-key-that-nobody-may-see-0123456789"
LLAMA = {
    "id": "/models/a.gguf",
    "created": 1,
    "meta": {"n_params": 7, "size": 5, "n_vocab": 3, "n_embd": 2, "n_ctx": 9, "vocab_type": 2},
}
VLLM = {"id": "tiny", "root": "/models/a", "created": 1, "max_model_len": 2048}


def listed(*entries, status=200):
    return Answer(status, json.dumps({"object": "list", "data": list(entries)}).encode())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("models", "listing"),
    [
        (listed(LLAMA), {"id": "/models/a.gguf", "n_params": 7, "size": 5, "n_vocab": 3, "n_embd": 2}),
        (listed(VLLM), {"id": "tiny", "root": "/models/a"}),
        (listed({"id": "other", "pricing": 5}, {"id": "tiny", "pricing": 3}), {}),
        (listed({"id": "one"}, {"id": "two"}), {}),
        (listed({"id": "tiny", "root": "tiny"}), {}),
        (listed({"id": KEY}), {"id": "[key]"}),
        (Answer(200, b"[1, 2]"), {}),
        (Answer(404), {}),
        (Answer(501), {}),
        (Answer(200, b"<html>"), None),
        (Answer(503), None),
    ],
)
def test_a_list_of_models_says_what_identifies_the_one_that_is_asked(monkeypatch, models, listing):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with scripted([said("a")]) as server:
        server.models = models
        endpoint = Endpoint("tiny", server.url)
        for _ in range(5):
            assert endpoint.listing() == listing
    assert server.n_lists == (2 if listing is None else 1)


@pytest.mark.parametrize(
    ("tags", "listing"),
    [
        (
            [{"name": "other", "digest": "1"}, {"name": "tiny:latest", "digest": "2"}],
            {"id": "tiny", "digest": "2"},
        ),
        ([{"name": "tiny", "digest": "3"}], {"id": "tiny", "digest": "3"}),
        ([{"name": "tiny:7b", "digest": "3"}], {}),
        ([{"name": "tiny", "digest": None}, 5], {}),
        (None, {}),
    ],
)
def test_ollamas_own_list_is_asked_where_the_other_says_a_name_alone(tags, listing):
    with scripted([said("a")]) as server:
        server.models = listed({"id": "tiny", "object": "model", "created": 1, "owned_by": "library"})
        server.tags = Answer(200, json.dumps({"models": tags}).encode())
        assert Endpoint("tiny", server.url, key_variable="NO_KEY").listing() == listing


def test_where_nothing_but_a_name_tells_the_model_that_is_said_once(tmp_path):
    lines, request = [], ChatRequest((Message("user", "?"),))
    with scripted([said("a")]) as server:
        server.models = listed({"id": "tiny"})
        CachedChat(Endpoint("tiny", server.url), tmp_path, lines.append).complete([request])
        assert lines == []
        chat = CachedChat(Endpoint("tiny", server.url), tmp_path, lines.append)
        for _ in range(2):
            chat.complete([request])
    assert len(server.bodies) == 1
    assert len(lines) == 1
    assert "all replies are stored ones" in lines[0]


def test_what_only_one_list_says_tells_nothing_apart():
    then, now = {"id": "m", "root": "/a"}, {"id": "m", "n_params": 7}
    assert not differ(then, now)
    assert differ(then, {"root": "/b"})


def test_a_server_whose_list_names_another_model_answers_anew(tmp_path):
    lines = []
    with scripted([said("of a"), said("of b")]) as server:
        for root, text in (("/models/a", "of a"), ("/models/a", "of a"), ("/models/b", "of b")):
            server.models = listed(VLLM | {"root": root})
            chat = CachedChat(Endpoint("tiny", server.url), tmp_path, lines.append)
            (reply,) = chat.complete([ChatRequest((Message("user", "?"),))])
            assert reply.text == text
            assert reply.served.listing == {"id": "tiny", "root": root}
    assert len(server.bodies) == 2
    assert len(lines) == 1
    assert "1 kept reply is of another model than /models/b" in lines[0]
