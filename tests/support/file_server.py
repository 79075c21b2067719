"""Files over HTTP on this machine, with the troubles that downloads have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Served:
    """One file, and how the server answers for it."""

    content: bytes
    headers: dict[str, str] = field(default_factory=lambda: {"ETag": '"one"'})
    ranges: bool = True  # whether a part can be asked for
    cuts: list[int] = field(
        default_factory=list
    )  # each answer ends after so many bytes, the last ones do not
    statuses: list[int] = field(default_factory=list)  # answered first
    length: bool = True  # whether the answer says how long it is


@dataclass
class Site:
    """The server's address, its files by path, and the requests it has had: (path, Range, If-Range)."""

    address: str
    files: dict[str, Served]
    requests: list[tuple[str, str | None, str | None]] = field(default_factory=list)


@contextmanager
def site(files: dict[str, Served]) -> Iterator[Site]:
    """Serve files by path."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked, only_if = self.headers.get("Range"), self.headers.get("If-Range")
            made.requests.append((self.path, asked, only_if))
            served = made.files.get(self.path)
            if served is None:
                return self.send(404, b"", {})
            if served.statuses:
                return self.send(served.statuses.pop(0), b"", {})
            names = {served.headers.get("ETag"), served.headers.get("Last-Modified")}
            start, status, headers = 0, 200, dict(served.headers)
            if asked and served.ranges and (only_if is None or only_if in names):
                start = int(re.fullmatch(r"bytes=(\d+)-", asked).group(1))
                total = len(served.content)
                if start >= total:
                    return self.send(416, b"", {"Content-Range": f"bytes */{total}"})
                status, headers["Content-Range"] = 206, f"bytes {start}-{total - 1}/{total}"
            body = served.content[start:]
            if served.length:
                headers["Content-Length"] = str(len(body))
            self.send(status, body[: served.cuts.pop(0)] if served.cuts else body, headers)

        def send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Site(f"http://127.0.0.1:{server.server_port}", files)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
