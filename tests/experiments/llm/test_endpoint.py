"""Asking an endpoint: what is sent, what is read, and every way in which it may go wrong."""

import gc
import json
import signal
import subprocess
import sys
import threading
import time
import traceback
from email.utils import formatdate

import pytest
from chat_server import Answer, refused, said, scripted, serve
from quick_endpoint import KEY, Waits, endpoint, question

from fourfold.errors import UserError
from fourfold.experiments.llm.chat import ChatRequest, Failure, Message, Reply, Usage
from fourfold.experiments.llm.endpoint import Endpoint, in_threads


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def test_a_request_holds_what_was_asked_and_the_reply_what_was_said():
    with scripted([said("a, b", finish="length", prompt=11, completion=5)]) as server:
        replies = endpoint(server).complete([question(seed=3, extra={"top_k": 1})])
    assert replies == [Reply("a, b", "length", Usage(11, 5))]
    assert server.bodies == [
        {
            "model": "tiny",
            "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "which?"}],
            "max_tokens": 144,
            "temperature": 0.0,
            "seed": 3,
            "top_k": 1,
        }
    ]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_temperature_none_is_left_to_the_endpoint():
    with scripted([said("a")]) as server:
        endpoint(server).complete([question(temperature=None)])
    assert "temperature" not in server.bodies[0]


def test_answers_stand_in_the_order_of_the_requests_and_are_told_as_they_come():
    told = []

    def slowest_first(body, headers):
        number = int(body["messages"][-1]["content"])
        time.sleep(0.02 * (5 - number))
        return said(f"reply {number}")

    with serve(slowest_first) as server:
        replies = endpoint(server).complete(
            [question(str(number)) for number in range(6)], lambda *each: told.append(each)
        )
    assert [reply.text for reply in replies] == [f"reply {number}" for number in range(6)]
    assert sorted(place for place, _ in told) == list(range(6))
    assert all(replies[place] is reply for place, reply in told)


@pytest.mark.parametrize("limit", [1, 3])
def test_no_more_requests_are_under_way_than_the_limit(limit):
    together = threading.Barrier(limit, timeout=20)

    def wait_for_the_others(body, headers):
        together.wait()  # none is answered before so many are under way
        return said("a")

    with serve(wait_for_the_others) as server:
        endpoint(server, concurrency=limit).complete([question(str(number)) for number in range(9)])
    assert server.most_at_once == limit


@pytest.mark.parametrize(
    "trouble",
    [
        refused(429),
        refused(500),
        refused(502),
        refused(503),
        refused(529),
        refused(408),
        Answer(drop=True),
        Answer(body=b'{"choices": [{"mess'),
        Answer(body=b""),
        Answer(body=b"\xff\xfe"),
        Answer(body=b'{"choices": null}'),
        Answer(body=b"[]"),
        Answer(body=b'{"error": {"message": "overloaded"}}'),
    ],
    ids=lambda trouble: f"{trouble.status} {trouble.body[:20]!r} {trouble.drop}",
)
def test_what_passes_is_tried_again(trouble):
    waits = Waits()
    with scripted([trouble, trouble, said("a")]) as server:
        assert endpoint(server, waits).complete([question()])[0].text == "a"
    assert len(server.bodies) == 3
    assert 0.5 <= waits[0] <= 1
    assert 1 <= waits[1] <= 2


@pytest.mark.parametrize(
    ("trouble", "named"),
    [
        (refused(500, "out of memory"), "the endpoint answered 500: out of memory"),
        (refused(429, "slow down"), "the endpoint answered 429: slow down"),
        (Answer(502, b"<html>bad gateway</html>"), "502: <html>bad gateway</html>"),
        (Answer(drop=True), "the connection broke"),
        (Answer(body=b'{"choices": [{"mess'), "not complete JSON"),
        (Answer(body=b""), "not complete JSON; nothing"),
        (Answer(body=b'{"choices": [5]}'), 'It mostly ends in /v1; {"choices": [5]}'),
    ],
)
def test_what_does_not_pass_is_named_after_so_many_attempts(trouble, named):
    waits = Waits()
    with scripted([trouble]) as server:
        (failure,) = endpoint(server, waits).complete([question()])
    assert isinstance(failure, Failure)
    assert named in f"{failure.reason}; {failure.sent}"
    assert failure.attempts == len(server.bodies) == 4
    assert len(waits) == 3  # and none after the last


def test_a_server_that_hangs_is_left_after_the_timeout():
    with scripted([Answer(hang=True), said("a")]) as server:
        assert endpoint(server, timeout=0.2).complete([question()])[0].text == "a"
    with scripted([Answer(hang=True)]) as server:
        (failure,) = endpoint(server, timeout=0.1, attempts=2).complete([question()])
    assert failure == Failure("the endpoint gave no answer within 0.1 s", 2)


def test_retry_after_is_honoured_in_all_its_forms():
    waits = Waits()
    date = formatdate(time.time() + 90, usegmt=True)
    answers = [
        refused(429, Retry_After="7"),
        refused(503, Retry_After=date),
        refused(429, retry_after_ms="1500", Retry_After="9"),
        said("a"),
    ]
    with scripted(answers) as server:
        endpoint(server, waits).complete([question()])
    assert waits == [7.0, pytest.approx(90.0, abs=20.0), 1.5]


@pytest.mark.parametrize("header", ["soon", "-3", "inf", "", "Mon, 99 Foo"])
def test_a_retry_after_that_nobody_understands_is_as_none(header):
    waits = Waits()
    with scripted([refused(429, Retry_After=header), said("a")]) as server:
        endpoint(server, waits).complete([question()])
    assert 0.5 <= waits[0] <= 1


def test_nobody_waits_for_tomorrow():
    waits = Waits()
    with scripted([refused(429, "daily quota", Retry_After="86400")]) as server:
        (failure,) = endpoint(server, waits).complete([question()])
    assert failure.reason == "the endpoint answered 429: daily quota; it asks to wait for 86400 s"
    assert waits == []


@pytest.mark.parametrize("status", [400, 413, 422])
def test_what_asking_again_cannot_mend_is_asked_once(status):
    with scripted([refused(status, "too long")]) as server:
        (failure,) = endpoint(server).complete([question()])
    assert failure == Failure(f"the endpoint answered {status}: too long", 1)
    assert len(server.bodies) == 1


@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
def test_a_question_that_a_filter_holds_back_is_a_failure_or_as_asked_for_empty(code):
    body = json.dumps({"error": {"message": "no", "code": code}}).encode()
    with scripted([Answer(400, body, {"Content-Type": "application/json"})]) as server:
        (failure,) = endpoint(server).complete([question()])
        assert (failure.kind, failure.attempts) == ("filtered", 1)
        assert endpoint(server, withheld="empty").complete([question()]) == [Reply("", "content_filter")]
    assert len(server.bodies) == 2


@pytest.mark.parametrize("status", [401, 402, 404])
def test_what_no_request_would_be_spared_stops_the_others(status):
    with scripted([refused(status, "wrong")]) as server:
        failures = endpoint(server, concurrency=1).complete([question(str(n)) for n in range(5)])
    assert len(server.bodies) == 1
    assert failures[0].reason.startswith(f"the endpoint answered {status}: wrong")
    assert {failure.reason for failure in failures[1:]} == {failures[0].reason}
    assert [failure.attempts for failure in failures] == [1, 0, 0, 0, 0]


def test_where_nobody_listens_the_others_are_not_tried():
    with scripted([said("a")]) as server:
        pass
    waits = Waits()
    failures = endpoint(server, waits, concurrency=1).complete([question(), question("b")])
    assert failures[0].reason.startswith(f"no connection to {server.url}")
    assert [failure.attempts for failure in failures] == [2, 0]
    assert failures[1].reason == failures[0].reason
    assert len(waits) == 1


def test_a_server_that_was_there_before_is_waited_for_longer():
    answer = said("a")
    answer.headers["Connection"] = "close"
    with scripted([answer]) as server:
        asked = endpoint(server, concurrency=1)
        asked.complete([question()])
    failures = asked.complete([question("b"), question("c")])
    assert [failure.attempts for failure in failures] == [4, 0]


def test_a_page_in_the_place_of_an_answer_is_asked_for_twice_and_named():
    with scripted([Answer(body=b"<html><h1>Welcome</h1></html>")]) as server:
        failures = endpoint(server, concurrency=1).complete([question(), question("b")])
    assert [failure.attempts for failure in failures] == [2, 0]
    assert "a page of HTML: is model.base_url right? It mostly ends in /v1" in failures[0].reason
    assert failures[0].sent == "'<html><h1>Welcome</h1></html>'"


def test_money_that_is_gone_is_not_waited_for():
    body = json.dumps({"error": {"message": "no money", "code": "insufficient_quota"}}).encode()
    with scripted([Answer(429, body, {"Content-Type": "application/json"})]) as server:
        (failure,) = endpoint(server).complete([question()])
    assert failure.attempts == 1


@pytest.mark.parametrize("nothing", [None, ""])
def test_an_empty_reply_is_asked_for_once_more(nothing):
    with scripted([said(nothing), said("a")]) as server:
        assert endpoint(server).complete([question()]) == [Reply("a", "stop", Usage(14, 6))]
    with scripted([said(nothing)]) as server:
        assert endpoint(server).complete([question()]) == [Reply("", "stop", Usage(14, 6))]
    assert len(server.bodies) == 2


def test_an_empty_reply_stays_one_where_asking_again_fails():
    with scripted([said(""), refused(500)]) as server:
        assert endpoint(server).complete([question()]) == [Reply("", "stop", Usage(7, 3))]


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize("finish", ["stop", "length"])
def test_thoughts_without_an_answer_are_told(name, finish):
    thinking = json.loads(said(None, finish=finish).body)
    thinking["choices"][0]["message"][name] = "Let me see."
    with scripted([Answer(body=json.dumps(thinking).encode())]) as server:
        (reply,) = endpoint(server).complete([question()])
    assert (reply.text, reply.thoughts) == ("", True)


def test_an_empty_reply_with_a_reason_is_not():
    with scripted([said("", finish="length")]) as server:
        assert endpoint(server).complete([question()])[0].finish == "length"
    assert len(server.bodies) == 1


def test_replies_in_parts_and_without_usage_are_read():
    parts = [{"type": "text", "text": "a, "}, {"type": "text", "text": "b"}]
    with scripted([said(parts, usage=None)]) as server:
        assert endpoint(server).complete([question()]) == [Reply("a, b", "stop", None)]


def test_a_schema_is_sent_until_the_endpoint_refuses_it():
    schema = {"type": "object"}

    def no_schema(body, headers):
        return refused(400, "response_format?") if "response_format" in body else said("a")

    with scripted([said("{}")]) as server:
        assert endpoint(server).complete([question(schema=schema)])[0].structured
        assert server.bodies[0]["response_format"]["json_schema"]["schema"] == schema
    with serve(no_schema) as server:
        asked = endpoint(server, concurrency=1)
        replies = asked.complete([question("1", schema=schema), question("2", schema=schema)])
    assert [reply.structured for reply in replies] == [False, False]
    assert ["response_format" in body for body in server.bodies] == [True, False, False]


def test_a_bad_request_does_not_make_the_endpoint_one_without_schemas():
    def too_long(body, headers):
        return refused(400, "too long") if body["messages"][-1]["content"] == "long" else said("a")

    with serve(too_long) as server:
        asked = endpoint(server, concurrency=1)
        failure, reply = asked.complete([question("long", schema={}), question("short", schema={})])
    assert failure.reason.endswith("400: too long")
    assert reply.structured


def test_the_limit_is_named_as_the_endpoint_wants_it():
    def new_name(body, headers):
        return refused(400, "use max_completion_tokens") if "max_tokens" in body else said("a")

    with serve(new_name) as server:
        asked = endpoint(server, concurrency=1)
        assert [reply.text for reply in asked.complete([question("1"), question("2")])] == ["a", "a"]
    assert [body.get("max_completion_tokens") for body in server.bodies] == [None, 144, 144]


def test_another_variable_names_the_key_and_local_servers_need_none(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("OTHER_KEY", "another-long-key-of-its-own")
    with scripted([said("a")]) as server:
        endpoint(server).complete([question()])
        endpoint(server, key_variable="OTHER_KEY").complete([question()])
    assert server.headers[0]["Authorization"] == "Bearer none"
    assert server.headers[1]["Authorization"] == "Bearer another-long-key-of-its-own"
    with pytest.raises(UserError, match=r"no key for https://api\.openai\.com/v1.*OPENAI_API_KEY"):
        Endpoint("gpt").complete([question()])


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://a/v1", "", "http://", "http://h:x/v1", "http://[1"])
def test_what_is_no_address_is_said(url):
    with pytest.raises(UserError, match="is not an address: expected http"):
        Endpoint("tiny", url)


@pytest.mark.parametrize("host", ["a" * 5_000, "a" * 64, f"{'a' * 64}.example", "a." * 200, "a..b", ".a"])
def test_a_host_that_no_name_server_can_know_is_one_line_at_once(host):
    with pytest.raises(UserError, match="is not a name that can be looked up") as caught:
        Endpoint("tiny", f"http://{host}/v1")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "host", ["a" * 63, "model.example.", "[::1]:8000", "127.0.0.1:80", "bücher.example", "my_server", "a-b"]
)
def test_a_usual_host_is_taken(host):
    assert Endpoint("tiny", f"http://{host}/v1").base_url == f"http://{host}/v1"


@pytest.mark.parametrize(
    "url", [f"http://user:{KEY}@host/v1", f"http://host/v1?key={KEY}", f"http://host/v1#{KEY}"]
)
def test_a_secret_in_the_address_is_refused_and_not_shown(url):
    with pytest.raises(UserError, match="would be recorded") as caught:
        Endpoint("tiny", url)
    assert KEY not in str(caught.value)


def test_the_key_in_a_path_is_refused_and_not_shown():
    with pytest.raises(UserError, match="base_url holds the key in OPENAI_API_KEY") as caught:
        Endpoint("tiny", f"http://host/{KEY}/v1")
    assert KEY not in str(caught.value)


def test_a_key_in_the_place_of_its_variable_is_not_shown():
    with pytest.raises(UserError, match="not the name of an environment variable") as caught:
        Endpoint("tiny", key_variable=KEY)
    assert KEY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("key", [f"{KEY}\nX-Evil: 1", f"{KEY} {KEY}", f"{KEY}é"])
def test_a_key_that_no_header_holds_is_refused_and_not_shown(key, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UserError, match="set the variable again") as caught:
        Endpoint("tiny")
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_the_key_is_in_no_repr_and_no_answer_of_an_endpoint_that_repeats_it(capfd, caplog):
    def repeat(body, headers):
        kind = body["messages"][-1]["content"]
        echo = json.dumps(headers)
        return {
            "reply": said(f"you sent {echo}"),
            "400": refused(400, echo),
            "500": Answer(500, echo.encode()),
            "half": Answer(body=b'{"half": ' + echo.encode()),
            "none": Answer(body=echo.encode()),
            "drop": Answer(drop=True),
        }[kind]

    kinds = ["reply", "400", "500", "half", "none", "drop"]
    caplog.set_level("DEBUG")
    with serve(repeat) as server:
        asked = endpoint(server, attempts=2)
        answers = asked.complete([question(kind) for kind in kinds])
    assert any(KEY in header["Authorization"] for header in server.headers)
    shown = repr(answers) + repr(asked) + repr(vars(asked)["_key"]) + repr(asked.describe())
    assert "[key]" in shown
    out, err = capfd.readouterr()
    for text in (shown, out, err, caplog.text):
        assert KEY not in text


@pytest.mark.parametrize("how", ["a job raises", "the caller is interrupted"])
def test_an_error_in_a_thread_and_an_interruption_end_the_call_at_once(how):
    begun, stops = [], []
    # What other tests of this process use may have put a handler of its own beneath Python's.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def work(job, stop):
        begun.append(job)
        stops.append(stop)
        if job == 0 and how == "a job raises":
            raise OSError("no")
        if job == 0:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        stop.wait(10)

    started = time.monotonic()
    with pytest.raises(OSError if how == "a job raises" else KeyboardInterrupt):
        in_threads(range(6), work, 2)
    assert time.monotonic() - started < 5
    assert len(begun) <= 3
    assert stops[0].is_set()


def test_no_thread_begins_another_job_before_its_result_was_kept():
    begun, kept = [], []

    def keep(place, result):
        kept.append(place)
        time.sleep(0.02)  # so that a thread that does not wait would be ahead
        assert len(begun) <= len(kept) + 1

    assert in_threads(range(8), lambda job, stop: begun.append(job) or -job, 2, keep) == [
        -n for n in range(8)
    ]


HANGING = """
import sys
from fourfold.experiments.llm.chat import ChatRequest, Message
from fourfold.experiments.llm.endpoint import Endpoint
Endpoint("tiny", sys.argv[1]).complete([ChatRequest((Message("user", str(n)),)) for n in range(9)])
"""


@pytest.mark.slow
def test_ctrl_c_ends_the_process_at_once_though_the_server_hangs():
    with scripted([Answer(hang=True)]) as server:
        process = subprocess.Popen([sys.executable, "-c", HANGING, server.url], stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while server.most_at_once < 8 and time.monotonic() < deadline:
            time.sleep(0.01)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said_last = process.communicate(timeout=60)
        assert time.monotonic() - began < 5
    assert said_last.rstrip().endswith(b"KeyboardInterrupt")


@pytest.mark.slow
def test_its_connections_are_closed_with_it():
    with scripted([said("yes")]) as server:
        endpoint = Endpoint("m", server.url)
        endpoint.complete([ChatRequest((Message("user", "?"),))])
        client = endpoint._attempts.posting.client
        assert not client.is_closed()
        del endpoint
        gc.collect()
        assert client.is_closed()
