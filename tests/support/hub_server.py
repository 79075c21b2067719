"""As much of the Hugging Face hub as finding and downloading a model needs, on this machine."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@contextmanager
def hub(models: dict[str, Path], refused: dict[str, int]) -> Iterator[tuple[str, list[str]]]:
    """Serve folders by hub id at branch main and one commit, and refuse others with an HTTP status.

    Gives the hub's address and its growing list of requests.
    """
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.answer(with_body=False)

        def do_GET(self) -> None:
            self.answer(with_body=True)

        def answer(self, with_body: bool) -> None:
            requests.append(f"{self.command} {self.path}")
            path = self.path.partition("?")[0]
            if found := re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/(revision|tree)/([^/]+))?", path):
                name, kind, revision = found.groups()
            elif found := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
                name, revision, kind = found.groups()
            else:
                return self.send(404, b"", {}, with_body)
            if name in refused:
                code = {"X-Error-Code": "GatedRepo"} if refused[name] == 403 else {}
                return self.send(refused[name], b"", code, with_body)
            if name not in models:
                return self.send(404, b"", {"X-Error-Code": "RepoNotFound"}, with_body)
            if revision not in (None, "main", COMMIT):
                return self.send(404, b"", {"X-Error-Code": "RevisionNotFound"}, with_body)
            files = sorted(file for file in models[name].rglob("*") if file.is_file())
            if kind in (None, "revision"):
                listing = [{"rfilename": file.relative_to(models[name]).as_posix()} for file in files]
                content: Any = {"id": name, "sha": COMMIT, "siblings": listing}
                return self.send(200, json.dumps(content).encode(), {}, with_body)
            if kind == "tree":
                content = [
                    {
                        "type": "file",
                        "oid": etag(file),
                        "size": file.stat().st_size,
                        "path": file.relative_to(models[name]).as_posix(),
                    }
                    for file in files
                ]
                return self.send(200, json.dumps(content).encode(), {}, with_body)
            file = models[name] / kind
            if not file.is_file():
                return self.send(404, b"", {"X-Error-Code": "EntryNotFound"}, with_body)
            headers = {"ETag": f'"{etag(file)}"', "X-Repo-Commit": COMMIT}
            return self.send(200, file.read_bytes(), headers, with_body)

        def send(self, status: int, body: bytes, headers: dict[str, str], with_body: bool) -> None:
            self.send_response(status)
            for key, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(key, value)
            self.end_headers()
            if with_body:
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def etag(file: Path) -> str:
    """What names a file's content, as git does it."""
    return hashlib.sha1(file.read_bytes()).hexdigest()
