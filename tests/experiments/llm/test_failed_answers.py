"""Answers that are none: each kind of the table is named, asked again as it says, and never a reply."""

import json
import re
from collections import Counter

import pytest
import quick_endpoint
from chat_server import Answer, refused, said, scripted, serve

from fourfold.experiments.llm.chat import Failure, Reply, Usage
from fourfold.experiments.llm.outcomes import (
    ANSWER,
    EMPTY,
    KINDS,
    UNKNOWN,
    WITHHELD,
    Then,
    kinds_table,
    of_finish,
    of_reply,
    of_status,
)
from fourfold.experiments.llm.replies import CachedChat
from fourfold.experiments.llm.served import served_entry, served_text

LONG = "You have 0.00 credits left. " + "Add more at https://example.org/credits. " * 8


def question(text="which?"):
    return quick_endpoint.question(text, system="")


def endpoint(server, **options):
    return quick_endpoint.endpoint(server, attempts=3, concurrency=1, **options)


def body(found, status=200):
    return Answer(status, json.dumps(found).encode(), {"Content-Type": "application/json"})


def choice(content="Oak, Ash, Elm, Fir", finish="stop", message=(), **more):
    """A whole answer whose choice holds ``more``."""
    said = {"role": "assistant", "content": content, **dict(message)}
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    return body({"choices": [{"index": 0, "message": said, "finish_reason": finish, **more}], "usage": usage})


def error(code=None, message="no", **more):
    return body({"error": {"code": code, "message": message, **more}})


AGAIN = {
    "finish error": (choice(finish="error"), "broken off"),
    "finish network_error": (choice(finish="network_error"), "broken off"),
    "finish NETWORK_ERROR": (choice(finish="NETWORK_ERROR"), "broken off"),
    "finish insufficient_system_resource": (choice(finish="insufficient_system_resource"), "broken off"),
    "error in a choice": (choice(error={"message": "upstream fell over"}), "broken off"),
    "error in a message": (choice(message={"error": {"message": "upstream fell over"}}), "broken off"),
    "the model's own reason": (choice(native_finish_reason="network_error"), "broken off"),
    "its own reason beside an unknown one": (
        choice(finish="odd", native_finish_reason="error"),
        "broken off",
    ),
    "its own reason alone": (choice(finish=None, native_finish_reason="error"), "broken off"),
    "502 in a choice": (choice(finish="error", error={"code": 502, "message": "upstream"}), "server error"),
    "429 in a choice": (choice(finish="error", error={"code": 429, "message": "slow"}), "busy"),
    "429 in a body": (error(429, "slow down"), "busy"),
    "'429' in a body": (error("429", "slow down"), "busy"),
    "its word in a body": (error("rate_limit_exceeded", "slow down"), "busy"),
    "503 in a body": (error(503, "down"), "server error"),
    "no code in a body": (error(None, "overloaded"), "server error"),
    "a text for an error": (body({"error": "overloaded"}), "server error"),
    "an object that is an error": (body({"object": "error", "message": "no", "code": 500}), "server error"),
}


def by_name(body, headers=None):
    return (AGAIN | WITHOUT)[body["messages"][0]["content"]][0]


def test_a_generation_that_failed_is_asked_again_and_no_reply():
    asked_before = Counter()

    def twice_by_name(body, headers):
        name = body["messages"][0]["content"]
        asked_before[name] += 1
        return by_name(body) if asked_before[name] < 3 else said(f"whole {name}")

    with serve(twice_by_name) as server:
        asked = endpoint(server)
        replies = asked.complete([question(name) for name in AGAIN])
    assert [reply.text for reply in replies] == [f"whole {name}" for name in AGAIN]
    assert set(asked_before.values()) == {3}
    assert asked.traffic.counts.failed == Counter(kind for _, kind in AGAIN.values() for _ in range(2))


def test_a_generation_that_fails_each_time_is_a_failure_of_its_kind():
    with serve(by_name) as server:
        failures = endpoint(server).complete([question(name) for name in AGAIN])
    assert all(isinstance(failure, Failure) and failure.attempts == 3 for failure in failures)
    assert {name: failure.kind for name, failure in zip(AGAIN, failures, strict=True)} == {
        name: kind for name, (_, kind) in AGAIN.items()
    }


def test_tokens_of_answers_that_broke_off_are_counted():
    with scripted([choice(finish="error"), said("whole")]) as server:
        assert endpoint(server).complete([question()]) == [Reply("whole", "stop", Usage(14, 6))]


STOPS = {
    "401": (error(401, LONG), "key"),
    "402": (error(402, LONG), "money"),
    "402 beside a text": (body({"error": LONG, "code": 402}), "money"),
    "402 as the body": (body({"code": 402, "message": LONG}), "money"),
    "402 in a choice": (choice(finish="error", error={"code": 402, "message": LONG}), "money"),
    "its word": (error("insufficient_quota", LONG), "money"),
    "429 of money": (body({"error": {"code": "insufficient_quota", "message": LONG}}, 429), "money"),
    "404": (error(404, LONG), "no such path"),
    "402 in the status": (refused(402, LONG), "money"),
}


@pytest.mark.parametrize("name", STOPS)
def test_what_no_other_request_would_be_spared_stops_all_with_all_its_words(name):
    trouble, kind = STOPS[name]
    with scripted([trouble]) as server:
        failures = endpoint(server).complete([question(str(n)) for n in range(4)])
    assert len(server.bodies) == 1
    assert failures[0].kind == kind
    assert [failure.attempts for failure in failures] == [1, 0, 0, 0]
    assert all(" ".join(LONG.split()) in failure.reason for failure in failures)


WITHOUT = {
    "a refusal": (choice(None, message={"refusal": "I cannot help with that."}), "refused"),
    "finish refusal": (choice("I cannot help with that.", "refusal"), "refused"),
    "no choices": (body({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 0}}), "filtered"),
    "finish content_filter": (choice("Oak, As", "content_filter"), "filtered"),
    "finish SAFETY": (choice("Oak, As", "SAFETY"), "filtered"),
    "in a body": (error("content_filter", "held back"), "filtered"),
}


def test_what_is_withheld_is_asked_once_and_counts_as_empty_only_where_that_is_asked_for():
    requests, kinds = [question(name) for name in WITHOUT], [kind for _, kind in WITHOUT.values()]
    with serve(by_name) as server:
        failures = endpoint(server).complete(requests)
        replies = endpoint(server, withheld="empty").complete(requests)
    assert len(server.bodies) == 2 * len(WITHOUT)
    assert [(failure.kind, failure.attempts) for failure in failures] == [(kind, 1) for kind in kinds]
    assert [reply.text for reply in replies] == [""] * len(WITHOUT)
    assert [of_finish(reply.finish).name for reply in replies] == kinds
    for failure, kind in zip(failures, kinds, strict=True):
        assert ("I cannot help with that." in failure.sent) == (kind == "refused")


def test_a_refusal_beside_an_answer_is_none():
    with scripted(
        [choice("Oak", message={"refusal": ""}), choice("Oak", message={"refusal": "no"})]
    ) as server:
        assert [each.text for each in endpoint(server).complete([question("1"), question("2")])] == [
            "Oak"
        ] * 2


def test_an_error_of_null_beside_an_answer_is_none():
    found = json.loads(said("Oak").body) | {"error": None}
    found["choices"][0]["error"] = None
    with scripted([body(found)]) as server:
        assert endpoint(server).complete([question()])[0].text == "Oak"


@pytest.mark.parametrize("withheld", ["failure", "empty"])
def test_none_of_them_is_kept(tmp_path, withheld):
    with serve(by_name) as server:
        chat = CachedChat(endpoint(server, withheld=withheld), tmp_path)
        requests = [question(name) for name in (*AGAIN, *WITHOUT)]
        chat.complete(requests)
    assert len(server.bodies) == 3 * len(AGAIN) + len(WITHOUT)
    assert chat.kept(requests) == [None] * len(requests)


@pytest.mark.parametrize("finish", ["stop", None, "eos", "end_turn", "STOP"])
def test_a_usual_reason_to_stop_is_an_answer(finish):
    with scripted([choice("Oak", finish)]) as server:
        replies = endpoint(server).complete([question()])
    assert of_reply(replies[0].text, replies[0].finish) is ANSWER
    assert "finishes" not in served_entry(replies)


def test_an_unknown_reason_to_stop_is_an_answer_where_text_came_and_is_counted_by_its_word(tmp_path):
    with scripted([choice("Oak", "odd"), choice("", "odd"), choice("", "odd"), choice("Elm")]) as server:
        chat = CachedChat(endpoint(server), tmp_path)
        requests = [question("1"), question("2"), question("3")]
        replies = chat.complete(requests)
    assert [reply.text for reply in replies] == ["Oak", "", "Elm"]
    assert [of_reply(reply.text, reply.finish) for reply in replies] == [UNKNOWN, EMPTY, ANSWER]
    assert [reply is not None for reply in chat.kept(requests)] == [True, False, True]
    entry = served_entry(replies)
    assert entry["finishes"] == {"odd": 2}
    assert (
        "finish_reason that is not known, scored all the same: odd (2)" in served_text(entry, "scripted")[-1]
    )


def test_what_an_earlier_version_kept_of_them_is_asked_again(tmp_path):
    for kept in ("error", "network_error", "content_filter", "stop", "length"):
        with serve(lambda *_: said("now")) as server:
            chat = CachedChat(endpoint(server), tmp_path / kept)
            key_of = chat.keys([question()])[0]
            chat.store.write(key_of, Reply("Oak, As", kept))
            (reply,) = chat.complete([question()])
        assert reply.text == ("Oak, As" if kept in {"stop", "length"} else "now"), kept


def test_the_table_holds_for_itself():
    assert all(not kind.stored or kind.scored for kind in KINDS)
    assert all(
        not kind.scored for kind in KINDS if kind.then in (Then.AGAIN, Then.STOP, Then.NEVER, Then.WAIT)
    )
    assert all(kind.then is Then.NEVER for kind in WITHHELD)
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    words = [word for kind in KINDS for word in (*kind.finishes, *kind.codes)]
    assert all(word == word.lower() for word in words)
    for status in range(400, 600):
        assert status in of_status(status).statuses


def test_the_help_shows_every_kind_and_what_is_done(capsys):
    from fourfold.experiments.cli import main

    with pytest.raises(SystemExit):
        main(["llm", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    for line in kinds_table().splitlines():
        assert " ".join(line.split()) in shown
    for kind in KINDS:
        assert re.search(
            rf"{kind.name} .*{kind.then if kind.then is not Then.DONE else 'scored, stored'}", shown
        )
