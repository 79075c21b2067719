"""Servers on loopback that speak as an OpenAI-compatible endpoint does, or as a broken one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """What a server sends; ``hang`` sends nothing until the test is over, ``drop`` closes the connection."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False
    drop: bool = False


def said(text: str | None, finish: str = "stop", prompt: int = 7, completion: int = 3, **more: Any) -> Answer:
    """A sound answer."""
    found = {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        },
        **more,
    }
    return Answer(body=json.dumps(found).encode(), headers={"Content-Type": "application/json"})


def refused(status: int, message: str = "no", **headers: str) -> Answer:
    """An error as endpoints word it; the headers' names have ``_`` for ``-``."""
    body = json.dumps({"error": {"message": message, "type": "error", "code": None}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, body, {"Content-Type": "application/json", **named})


@dataclass
class ChatServer:
    """A running server: where it is and what it was asked."""

    url: str
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    most_at_once: int = 0
    models: Answer | None = None  # its list of models; without one there is no such path
    tags: Answer | None = None  # Ollama's own list of them
    n_lists: int = 0  # how often that was asked for


@contextmanager
def serve(answer: Callable[[dict[str, Any], dict[str, str]], Answer]) -> Iterator[ChatServer]:
    """A server that answers each request's body and headers as ``answer`` says."""
    over, lock, under_way = threading.Event(), threading.Lock(), [0]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet: the second of two would wait 40 ms to be sent

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.title(): value for name, value in self.headers.items()}
            with lock:
                under_way[0] += 1
                server.most_at_once = max(server.most_at_once, under_way[0])
                server.bodies.append(body)
                server.headers.append(headers)
            try:
                self.send(answer(body, headers))
            finally:
                with lock:
                    under_way[0] -= 1

        def do_GET(self) -> None:
            is_list = self.path.endswith("/models")
            server.n_lists += is_list
            self.send((server.models if is_list else server.tags) or Answer(404))

        def send(self, made: Answer) -> None:
            if made.hang:
                over.wait()
            if made.hang or made.drop:
                self.close_connection = True
                return
            self.send_response(made.status)
            for name, value in made.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(made.body)))
            self.end_headers()
            self.wfile.write(made.body)

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server = ChatServer(f"http://127.0.0.1:{http.server_port}/v1")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        over.set()
        http.shutdown()
        http.server_close()
        thread.join()


@contextmanager
def scripted(answers: Sequence[Answer], then: Answer | None = None) -> Iterator[ChatServer]:
    """A server that gives these answers one after the other, and ``then`` (or the last) ever after."""
    left, lock = list(answers), threading.Lock()
    last = answers[-1] if then is None else then

    def answer(*_: object) -> Answer:
        with lock:
            return left.pop(0) if left else last

    with serve(answer) as server:
        yield server
