"""Replies that are kept: nothing is asked twice, and nothing damaged is believed."""

import hashlib
import json
import os
import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from fourfold.errors import UserError
from fourfold.experiments.llm.chat import ChatRequest, Failure, Message, Reply, Served, Usage, request_key
from fourfold.experiments.llm.replies import CachedChat, all_replied
from fourfold.experiments.llm.reply_store import FILE


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


def test_a_damaged_reply_is_asked_again(tmp_path):
    cached(tmp_path, Parrot()).complete([question("a"), question("b")])
    path = tmp_path / FILE
    path.write_bytes(path.read_bytes().replace(b'"text": "a"', b'"text": "c"'))
    told, parrot = [], Parrot()
    replies = cached(tmp_path, parrot, told).complete([question("a"), question("b")])
    assert ([reply.text for reply in replies], parrot.asked) == (["a", "b"], ["a"])
    assert told == [f"a stored reply in {path} is damaged: its request is sent again"]
    assert cached(tmp_path, Parrot()).kept([question("a")])[0].text == "a"


def test_a_file_that_is_cut_short_is_made_anew(tmp_path):
    cached(tmp_path, Parrot()).complete([question("a")])
    path = tmp_path / FILE
    path.write_bytes(path.read_bytes()[:500])
    told, parrot = [], Parrot()
    cached(tmp_path, parrot, told).complete([question("a")])
    assert parrot.asked == ["a"]
    assert [f"the stored replies in {path} are damaged" in line for line in told] == [True]
    assert cached(tmp_path, Parrot()).kept([question("a")])[0].text == "a"


def earlier(folder, key, content, digest=None):
    """A reply as versions before the one file left it."""
    text = json.dumps(content).encode()
    path = folder / key[:2] / f"{key}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((digest or hashlib.sha256(text).hexdigest()).encode() + b"\n" + text + b"\n")
    return path


@pytest.mark.parametrize("place", ["replies", "."])
def test_replies_of_earlier_versions_are_read(tmp_path, place):
    chat, parrot = CachedChat(Parrot(), tmp_path), Parrot()
    plain, full, later, damaged = (question(text) for text in ("plain", "full", "later", "damaged"))
    usage = {"prompt": 2, "completion": 1}
    reply = {"layout": 1, "text": "old", "finish": "stop", "usage": usage, "structured": False}
    served = {"model": "m", "fingerprint": None, "listing": {"id": "m"}}
    for request, more in ((plain, {}), (full, {"thoughts": True, "served": served}), (later, {"new": 1})):
        earlier(tmp_path / place, chat.keys([request])[0], reply | more)
    path = earlier(tmp_path / place, chat.keys([damaged])[0], reply, "0" * 64)
    answers = cached(tmp_path, parrot).complete([plain, full, later, damaged])
    assert parrot.asked == ["damaged"]
    assert [answer.text for answer in answers] == ["old", "old", "old", "damaged"]
    assert answers[0] == Reply("old", "stop", Usage(2, 1), cached=True)
    assert answers[1].served == Served("m", None, {"id": "m"})
    assert answers[1].thoughts
    assert path.exists()


def test_a_field_of_a_later_version_is_no_damage(tmp_path):
    cached(tmp_path, Parrot()).complete([question("a")])
    key = cached(tmp_path, Parrot()).keys([question("a")])[0]
    with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        text = json.dumps({"text": "a", "finish": "stop", "usage": None, "later": [1]}).encode()
        total = zlib.crc32(text, zlib.crc32(key.encode()))
        connection.execute("UPDATE replies SET reply = ?, checksum = ?", (text, total))
    parrot, told = Parrot(), []
    assert cached(tmp_path, parrot, told).complete([question("a")]) == [Reply("a", "stop", cached=True)]
    assert (parrot.asked, told) == ([], [])


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
    cached(tmp_path, silent).store.write(request_key(silent.describe(), question("c")), Reply("", "stop"))
    assert cached(tmp_path, Parrot()).complete([question("c")])[0].text == "c"  # kept by an earlier version


def test_a_folder_that_cannot_be_written_to_is_said_once(tmp_path):
    place = tmp_path / "file"
    place.write_text("")
    told = []
    answers = cached(place, Parrot(), told).complete([question("a"), question("b")])
    assert [reply.text for reply in answers] == ["a", "b"]
    assert len(told) == 1
    assert told[0].startswith("cannot store replies in")


@pytest.mark.parametrize("writable", [True, False])
def test_only_replies_that_lie_in_the_cache_are_said_to_be_kept(tmp_path, writable):
    place = tmp_path / "place"
    if not writable:
        place.write_text("")
    model = cached(place, Parrot(), [])
    answers = model.complete([question("a"), question("b")])
    with pytest.raises(UserError) as caught:
        all_replied([*answers, Failure("late")], ["w1", "w2", "w3"], model)
    assert ("2 replies are kept" in str(caught.value)) is writable


def test_the_folder_is_the_users_cache_by_default():
    assert CachedChat(Parrot()).folder == Path(os.environ["FOURFOLD_CACHE"])


class Named(Parrot):
    """A parrot whose server names the model in its replies, and in its list where it has one."""

    def __init__(self, model, listed=None):
        super().__init__()
        self.model_now, self.listed = model, listed

    def listing(self):
        return self.listed

    def complete(self, requests, keep=None):
        served = Served(self.model_now, "fp_1")
        return super().complete(requests, lambda place, answer: keep(place, replace(answer, served=served)))


def test_replies_say_who_answered_and_still_do_once_they_are_kept(tmp_path):
    listed = {"id": "a.gguf", "n_params": 7}
    for _ in range(2):
        (reply,) = cached(tmp_path, Named("a", listed)).complete([question("1")])
        assert reply.served == Served("a", "fp_1", listed)


def test_kept_replies_of_another_model_than_the_new_ones_are_asked_again(tmp_path):
    cached(tmp_path, Named("a")).complete([question("1"), question("2")])
    lines, other = [], Named("b")
    answers = cached(tmp_path, other, lines).complete([question("1"), question("2"), question("3")])
    assert other.asked == ["3", "1", "2"]
    assert [reply.served.model for reply in answers] == ["b", "b", "b"]
    assert lines == [
        "2 kept replies are of another model than b, which the server has now under the same name: "
        "asked for again"
    ]
    same = Named("b")
    cached(tmp_path, same).complete([question("1"), question("2"), question("4")])
    assert same.asked == ["4"]


def test_a_list_of_models_tells_another_model_before_anything_is_asked(tmp_path):
    a, b = {"id": "m", "root": "/models/a"}, {"id": "m", "root": "/models/b"}
    cached(tmp_path, Named("m", a)).complete([question("1"), question("2")])
    again, other, unknown = Named("m", a), Named("m", b), Named("m", None)
    cached(tmp_path, again).complete([question("1"), question("2")])
    lines = []
    cached(tmp_path, unknown, lines).complete([question("1"), question("2")])
    assert lines == [
        "the server cannot be asked which model it has now: kept replies are used, and the record says whose "
        "they are"
    ]
    assert again.asked == unknown.asked == []
    lines = []
    cached(tmp_path, other, lines).complete([question("1"), question("2")])
    assert other.asked == ["1", "2"]
    assert "2 kept replies are of another model than /models/b" in lines[0]


def test_replies_that_do_not_say_who_answered_are_used(tmp_path):
    cached(tmp_path, Parrot()).complete([question("1")])
    named = Named("a", {"id": "other"})
    cached(tmp_path, named).complete([question("1"), question("2")])
    assert named.asked == ["2"]


def test_several_models_behind_one_name_at_all_times_are_not_told_apart(tmp_path):
    class Router(Named):
        def complete(self, requests, keep=None):
            def give(place, answer):
                text = requests[place].messages[0].content
                keep(place, replace(answer, served=Served(f"model {int(text) % 2}")))

            return Parrot.complete(self, requests, give)

    cached(tmp_path, Router("")).complete([question("1"), question("2")])
    later = Router("")
    answers = cached(tmp_path, later).complete([question(str(number)) for number in (1, 2, 3, 4)])
    assert later.asked == ["3", "4"]
    assert {reply.served.model for reply in answers} == {"model 0", "model 1"}
