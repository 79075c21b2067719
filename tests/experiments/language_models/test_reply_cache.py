"""Replies that are kept: nothing is asked twice, and nothing damaged is believed."""

import json
import os
import threading

import pytest

from fourfold.experiments.language_models.chat import (
    ChatRequest,
    Failure,
    Message,
    Reply,
    Usage,
    request_key,
)
from fourfold.experiments.language_models.reply_cache import CachedChat


class Parrot:
    """Says what it is asked, and fails where it is asked to."""

    name = "parrot"

    def __init__(self, colour="grey"):
        self.colour = colour
        self.asked = []

    def describe(self):
        return {"name": self.name, "colour": self.colour}

    def count_tokens(self, request):
        return None

    def complete(self, requests, keep=None):
        answers = []
        for place, request in enumerate(requests):
            text = request.messages[-1].content
            self.asked.append(text)
            answer = Failure("no") if text == "fail" else Reply(text, "stop", Usage(2, 1))
            answers.append(answer)
            if keep:
                keep(place, answer)
        return answers


def question(text, **more):
    return ChatRequest((Message("user", text),), **more)


def cached(folder, parrot, told=None):
    return CachedChat(parrot, folder, (told if told is not None else []).append)


def test_a_second_run_asks_nothing(tmp_path):
    first, second = Parrot(), Parrot()
    requests = [
        question("a"),
        question("b é \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")),
    ]
    replies = cached(tmp_path, first).complete(requests)
    again = cached(tmp_path, second).complete(requests)
    assert first.asked == [request.messages[0].content for request in requests]
    assert second.asked == []
    assert [reply.text for reply in again] == [reply.text for reply in replies]
    assert [reply.cached for reply in replies] == [False, False]
    assert [reply.cached for reply in again] == [True, True]


@pytest.mark.parametrize(
    "other",
    [
        question("b"),
        question("a", max_tokens=145),
        question("a", temperature=0.5),
        question("a", temperature=None),
        question("a", seed=1),
        question("a", schema={}),
        question("a", extra={"top_k": 1}),
        ChatRequest((Message("system", "a"),)),
        ChatRequest((Message("user", "a"), Message("user", ""))),
    ],
)
def test_another_request_is_asked(tmp_path, other):
    parrot = Parrot()
    chat = cached(tmp_path, parrot)
    chat.complete([question("a")])
    chat.complete([other])
    assert len(parrot.asked) == 2


def test_another_model_is_asked(tmp_path):
    cached(tmp_path, Parrot()).complete([question("a")])
    green = Parrot("green")
    cached(tmp_path, green).complete([question("a")])
    assert green.asked == ["a"]


def test_requests_alike_are_asked_once_and_failures_are_asked_again(tmp_path):
    parrot, kept = Parrot(), []
    chat = cached(tmp_path, parrot)
    requests = [question("a"), question("fail"), question("a")]
    answers = chat.complete(requests, lambda place, answer: kept.append((place, answer)))
    assert parrot.asked == ["a", "fail"]
    assert [isinstance(answer, Failure) for answer in answers] == [False, True, False]
    assert [answers[0].cached, answers[2].cached] == [False, True]
    assert sorted(kept, key=lambda each: each[0]) == list(enumerate(answers))
    assert chat.kept(requests)[1] is None
    chat.complete(requests)
    assert parrot.asked == ["a", "fail", "fail"]


def test_what_came_before_an_interruption_is_kept(tmp_path):
    class Interrupted(Parrot):
        def complete(self, requests, keep=None):
            keep(0, super().complete(requests[:1])[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="1 of 2 replies are kept, and the same command goes on"):
        cached(tmp_path, Interrupted()).complete([question("a"), question("b")])
    after = Parrot()
    cached(tmp_path, after).complete([question("a"), question("b")])
    assert after.asked == ["b"]


@pytest.mark.parametrize("how", ["cut", "changed", "empty", "layout", "extra"])
def test_a_damaged_file_is_named_removed_and_asked_again(tmp_path, how):
    cached(tmp_path, Parrot()).complete([question("a")])
    (path,) = tmp_path.rglob("*.json")
    content = path.read_bytes()
    if how in {"layout", "extra"}:
        import hashlib

        fields = json.loads(content.partition(b"\n")[2])
        fields |= {"layout": 99} if how == "layout" else {"unknown": 1}
        text = json.dumps(fields).encode()
        path.write_bytes(hashlib.sha256(text).hexdigest().encode() + b"\n" + text + b"\n")
    else:
        path.write_bytes({"cut": content[:-9], "changed": content.replace(b'"a"', b'"b"'), "empty": b""}[how])
    told, parrot = [], Parrot()
    (reply,) = cached(tmp_path, parrot, told).complete([question("a")])
    assert (reply.text, parrot.asked) == ("a", ["a"])
    assert len(told) == 1
    assert str(path) in told[0]
    assert cached(tmp_path, Parrot()).kept([question("a")])[0].text == "a"


def test_an_empty_reply_is_asked_again_unless_it_says_why(tmp_path):
    class Silent(Parrot):
        finish = "stop"

        def complete(self, requests, keep=None):
            for place, request in enumerate(requests):
                self.asked.append(request.messages[0].content)
                keep(place, Reply("", self.finish, Usage(2, 0), thoughts=True))

    silent = Silent()
    for _ in range(2):
        assert cached(tmp_path, silent).complete([question("a")])[0].text == ""
    silent.finish = "length"
    for _ in range(2):
        (reply,) = cached(tmp_path, silent).complete([question("b")])
        assert reply.thoughts
    assert silent.asked == ["a", "a", "b"]
    cached(tmp_path, silent).write(request_key(silent.describe(), question("c")), Reply("", "stop"))
    assert cached(tmp_path, Parrot()).complete([question("c")])[0].text == "c"  # kept by an earlier version


def test_many_writers_of_one_reply_leave_one_whole_file(tmp_path):
    threads = [
        threading.Thread(target=cached(tmp_path, Parrot()).complete, args=([question("a")],))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([path for path in tmp_path.rglob("*") if path.suffix == ".json"]) == 1
    assert [path.name for path in tmp_path.rglob(".*")] == [".claims.lock"]
    assert cached(tmp_path, Parrot()).kept([question("a")])[0].text == "a"


def test_a_folder_that_cannot_be_written_to_is_said_once(tmp_path):
    place = tmp_path / "file"
    place.write_text("")
    told = []
    answers = cached(place, Parrot(), told).complete([question("a"), question("b")])
    assert [reply.text for reply in answers] == ["a", "b"]
    assert len(told) == 1
    assert "replies cannot be kept" in told[0]


def test_the_folder_is_the_users_cache_by_default():
    assert CachedChat(Parrot()).folder.parent == type(CachedChat(Parrot()).folder)(
        os.environ["FOURFOLD_CACHE"]
    )
