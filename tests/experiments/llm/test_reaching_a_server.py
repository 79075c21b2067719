"""On the way to a server: what is not there, what breaks, and which variable or setting is the cause."""

import os
import socket
import struct
import sys
import threading
import time
from contextlib import contextmanager

import pytest
import quick_endpoint
from chat_server import Answer, refused, said, scripted, serve
from quick_endpoint import Waits, question

from fourfold.conf.llm_schema import LanguageModelConfig
from fourfold.errors import UserError
from fourfold.experiments.llm import network


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch):
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith("SSL_CERT"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", "")


def endpoint(server, waits=None, **options):
    return quick_endpoint.endpoint(server, waits, concurrency=1, **options)


@contextmanager
def raw_server(behave):
    """A port that does with each connection what ``behave`` says; yields its number."""
    listening = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                behave(connection)

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(5)


def reset(connection):
    connection.recv(65536)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def plain_http(connection):
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "System role not supported"),
        (500, "System role not supported"),
        (400, "Unsupported value: 'messages[0].role' does not support 'system' with this model."),
        (500, "Conversation roles must alternate user/assistant/user/assistant/..."),
        (422, "Only user and assistant roles are supported!"),
        (400, "Developer instruction is not enabled for this model"),
    ],
)
def test_the_systems_words_move_where_a_server_takes_no_system(status, words):
    def no_system(body, headers):
        return refused(status, words) if body["messages"][0]["role"] == "system" else said("a")

    with serve(no_system) as server:
        asked = endpoint(server.url)
        replies = asked.complete([question("1"), question("2", schema={})])
    assert [reply.text for reply in replies] == ["a", "a"]
    assert all(reply.no_system for reply in replies)
    moved = {"role": "user", "content": "be brief\n\n1"}
    assert server.bodies[1]["messages"] == [moved]
    assert len(server.bodies) == 3  # remembered for the second
    assert "response_format" in server.bodies[2]


@pytest.mark.parametrize(
    "words", ["the file system is full", "CUDA error", "prompt too long", "system overloaded"]
)
def test_an_error_that_is_not_of_the_system_role_moves_nothing(words):
    with scripted([refused(500, words), said("a")]) as server:
        (reply,) = endpoint(server.url).complete([question()])
    assert not reply.no_system
    assert [len(body["messages"]) for body in server.bodies] == [2, 2]


def test_a_model_that_loads_is_waited_for_as_long_as_patience_says():
    loading = refused(503, "Loading model")
    waits = Waits()
    with scripted([loading] * 20 + [said("a")]) as server:
        (reply,) = endpoint(server.url, waits).complete([question()])
    assert reply.text == "a"
    assert len(server.bodies) == 21  # more than model.attempts
    assert max(waits) <= 5.0
    waits = Waits()
    with scripted([loading]) as server:
        (failure,) = endpoint(server.url, waits, patience=12.0).complete([question()])
    assert sum(waits) == pytest.approx(12.0)
    assert failure.kind == "loading"
    assert failure.reason.endswith("503: Loading model; it was waited for (model.patience=12)")
    with scripted([loading]) as server:
        endpoint(server.url, waits, patience=0.0).complete([question()])
    assert len(server.bodies) == 1


def test_a_model_that_never_loads_is_waited_for_once_and_not_once_a_request():
    waits = Waits()
    with scripted([refused(503, "Loading model")]) as server:
        model = endpoint(server.url, waits, patience=12.0)
        failures = model.complete([question(seed=seed) for seed in range(3)])
    assert sum(waits) == pytest.approx(12.0)
    assert [failure.kind for failure in failures] == ["loading"] * 3
    assert model.hopeless == failures[0].reason


def test_a_server_under_load_or_without_its_model_is_not_taken_for_one_that_loads():
    for words in ("The server is under heavy load", "failed to load model"):
        with scripted([refused(503, words)]) as server:
            (failure,) = endpoint(server.url).complete([question()])
        assert failure.kind == "server error"


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_a_patience_that_is_none_is_refused(value):
    with pytest.raises(UserError, match=r"model\.patience=.* is not a time"):
        LanguageModelConfig(name="m", patience=value)


@pytest.mark.parametrize("behave", [reset, lambda connection: connection.recv(65536)])
def test_a_server_that_dies_before_its_first_answer_is_waited_for(behave):
    """The connection broke after the request was sent, and then nobody listens for a while."""
    with raw_server(behave) as port:

        def gone(seconds, stop):
            asked._attempts.posting.client.base_url = "http://127.0.0.1:9/v1"  # where nobody listens

        asked = endpoint(f"http://127.0.0.1:{port}/v1", gone)
        (failure,) = asked.complete([question()])
    assert failure.kind == "no connection"
    assert failure.attempts == 4  # not the two of an address at which nobody ever was


def test_a_server_that_breaks_every_connection_may_speak_https():
    with raw_server(reset) as port:
        (failure,) = endpoint(f"http://127.0.0.1:{port}/v1").complete([question()])
    assert failure.kind == "connection broke"
    assert failure.reason.endswith("(is it https, not http?)")


def test_https_at_an_http_port_is_said_at_once():
    with raw_server(plain_http) as port:
        failures = endpoint(f"https://127.0.0.1:{port}/v1").complete([question("1"), question("2")])
    assert [failure.attempts for failure in failures] == [1, 0]
    assert f"is it http? Then write model.base_url=http://127.0.0.1:{port}/v1" in failures[0].reason


def test_an_address_that_never_accepts_is_left_after_two_connects(monkeypatch):
    """Its queue of connections is full, so that the system answers no other."""
    monkeypatch.setattr("fourfold.experiments.llm.endpoint.CONNECT", 0.2)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        waiting = [socket.socket() for _ in range(8)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(full.getsockname())
        began = time.monotonic()
        url = f"http://127.0.0.1:{full.getsockname()[1]}/v1"
        failures = endpoint(url, timeout=300.0).complete([question("1"), question("2")])
        taken = time.monotonic() - began
        for each in waiting:
            each.close()
    assert taken < 20
    assert [failure.attempts for failure in failures] == [2, 0]
    assert "is it http, not https?" in failures[0].reason
    assert 2 * network.CONNECT + 1 < 30  # with the pause between them


def test_a_slow_answer_has_all_its_time(monkeypatch):
    monkeypatch.setattr("fourfold.experiments.llm.endpoint.CONNECT", 0.05)

    def slow(body, headers):
        time.sleep(0.3)
        return said("a")

    with serve(slow) as server:
        assert endpoint(server.url, timeout=30.0).complete([question()])[0].text == "a"


@pytest.mark.parametrize(
    ("status", "words", "key", "said_too"),
    [
        (401, "no", "", "no key was sent: put it into the environment variable OPENAI_API_KEY"),
        (403, "no", "", "no key was sent"),
        (401, "no", "sk-a-key-of-some-length", "is the key in OPENAI_API_KEY this server's?"),
        (404, "Not Found", "", "is model.base_url= right? It mostly ends in /v1"),
        (404, "The model `tiny` does not exist", "", "is model.name= what the server calls the model?"),
        (400, "'temperature' does not support 0.0, only the default (1)", "", "model.temperature=null"),
    ],
)
def test_what_helps_is_said(monkeypatch, status, words, key, said_too):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with scripted([refused(status, words)]) as server:
        failures = endpoint(server.url).complete([question("1"), question("2")])
    assert words in failures[0].reason
    assert said_too in failures[0].reason
    assert len(server.bodies) == (2 if status == 403 else 1)


@pytest.mark.parametrize(
    ("variable", "value", "named"),
    [
        ("ALL_PROXY", "socks5://user:hidden-password@127.0.0.1:9", "ALL_PROXY names a SOCKS proxy"),
        ("HTTP_PROXY", "foo://user:hidden-password@127.0.0.1:9", "no proxy can be used as HTTP_PROXY would"),
        ("SSL_CERT_FILE", "/no/such/file.pem", r"SSL_CERT_FILE names no file \(/no/such/file.pem\)"),
        ("SSL_CERT_FILE", __file__, "that SSL_CERT_FILE names holds no certificates"),
    ],
)
def test_a_variable_that_is_the_cause_is_named_before_anything_is_asked(monkeypatch, variable, value, named):
    monkeypatch.setenv(variable, value)
    monkeypatch.setitem(sys.modules, "socksio", None)  # it may be installed
    with scripted([said("a")]) as server, pytest.raises(UserError, match=named) as caught:
        endpoint(server.url).check()
    assert "hidden-password" not in str(caught.value)
    assert server.bodies == []


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_a_proxy_that_does_not_reach_the_server_is_named(monkeypatch, variable):
    monkeypatch.setenv(variable, "http://user:hidden-password@127.0.0.1:9")
    (failure,) = endpoint("http://model.example:8000/v1").complete([question()])
    assert (
        f"through the proxy of {variable}: is that right? Put model.example into NO_PROXY" in failure.reason
    )
    assert "hidden-password" not in failure.reason


def test_a_proxy_that_answers_in_a_servers_place_is_named(monkeypatch):
    with scripted([Answer(503, b"<html>no such host</html>")]) as server:
        monkeypatch.setenv("HTTP_PROXY", server.url.removesuffix("/v1"))
        (failure,) = endpoint("http://model.example:8000/v1").complete([question()])
    assert "through the proxy of HTTP_PROXY" in failure.reason


def test_too_many_open_files_are_the_cause(monkeypatch):
    error = ConnectionError("Connection error.")
    error.__cause__ = OSError(24, "Too many open files")
    with scripted([said("a")]) as server:
        asked = endpoint(server.url)
        asked.check()
        monkeypatch.setattr(
            asked._attempts.posting.client.chat.completions, "with_raw_response", _Raises(error)
        )
        (failure,) = asked.complete([question()])
    assert failure.reason.endswith("lower model.concurrency=, or raise the limit (ulimit -n)")


def test_45_more_requests_at_once_than_files_may_be_open_are_refused_before_one_is_sent(monkeypatch):
    resource = pytest.importorskip("resource")
    with scripted([said("a")]) as server:
        n_open = len(os.listdir("/dev/fd"))  # noqa: PTH208 - as the code counts
        monkeypatch.setattr(resource, "getrlimit", lambda _: (n_open + 40, n_open + 40))
        model = quick_endpoint.endpoint(server, concurrency=64)
        with pytest.raises(UserError, match=r"lower model\.concurrency= to \d+, or raise .*ulimit -n"):
            model.complete([question(seed=seed) for seed in range(64)])
        assert server.bodies == []
        assert len(model.complete([question(seed=seed) for seed in range(4)])) == 4


class _Raises:
    def __init__(self, error):
        self._error = error

    def create(self, **_):
        raise self._error
