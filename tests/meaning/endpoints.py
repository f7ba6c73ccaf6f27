"""A local server that embeds in OpenAI's format, with any fault that a server can have."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WORDS = ("cat", "dog", "lead", "tea", "boat", "rain")
SAME = {"cat": ("kitten", "chat", "feline"), "boat": ("vessel", "schiff"), "rain": ("drizzle", "regen")}


def counted(text: str) -> list[float]:
    """A vector that counts each word with its synonyms, so that texts with the same meaning are near each other."""
    folded = text.casefold()
    return [folded.count(word) + sum(map(folded.count, SAME.get(word, ()))) + 0.01 for word in WORDS]


@dataclass
class Served:
    """A running server, what it was asked, and how it answers."""

    address: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    status: int = 200
    body: bytes | None = None
    """The answer instead of vectors."""
    dimensions: int = len(WORDS)
    is_hanging: bool = False
    is_dripping: bool = False
    has_sent: bool = False
    """Whether it has ever sent the whole body of an answer."""
    location: str = ""
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def texts(self) -> list[str]:
        """All texts that the server received."""
        return [text for request in self.requests for text in request["input"]]


@contextmanager
def serving() -> Iterator[Served]:
    """A server that embeds by counting words, on a free port."""
    served = Served()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.requests.append(request)
            served.headers.append(dict(self.headers))
            if served.is_hanging:
                served.ended.wait(30)
                return
            vectors = [(counted(text) * 9)[: served.dimensions] for text in request["input"]]
            data = [{"index": number, "embedding": vector} for number, vector in enumerate(vectors)]
            body = served.body if served.body is not None else json.dumps({"data": data[::-1]}).encode()
            self.send_response(served.status)
            if served.location:
                self.send_header("Location", served.location)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            for byte in body if served.is_dripping else b"":
                if served.ended.wait(0.05):
                    return
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
            if not served.is_dripping:
                self.wfile.write(body)
            served.has_sent = True

        def handle(self) -> None:
            with suppress(ConnectionError):  # the client has hung up
                super().handle()

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served.address = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield served
    finally:
        served.ended.set()
        server.shutdown()
        server.server_close()
