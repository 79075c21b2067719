"""Replies that are kept: nothing is asked twice, and nothing damaged is believed."""

import json
import os
import threading
from dataclasses import replace

import pytest

from fourfold.errors import UserError
from fourfold.experiments.llm.chat import ChatRequest, Failure, Message, Reply, Served, Usage, request_key
from fourfold.experiments.llm.replies import CachedChat, all_replied


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
    cached(tmp_path, silent).store.write(request_key(silent.describe(), question("c")), Reply("", "stop"))
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
    assert CachedChat(Parrot()).folder.parent == type(CachedChat(Parrot()).folder)(
        os.environ["FOURFOLD_CACHE"]
    )


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
