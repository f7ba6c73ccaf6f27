"""Bodies of requests: each is bounded, and an unneeded one is not read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import httpx2
import pytest

from tests.conftest import FIXTURES, write_files
from tests.server.serving import Served, connected, http, linux_only, said
from vaulttools.server import acceptor

MEBIBYTE = b" " * (1 << 20)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with http("--vault", str(FIXTURES / "vault"), "serve", ":0", "--no-index") as served:
        yield served


def _sent(served: Served, head: str, *body: bytes) -> bytes:
    """The answer to a request whose head is given without its host."""
    with closing(connected(served.port)) as connection:
        with suppress(BrokenPipeError, ConnectionResetError):  # the server may hang up early
            for each in (f"{head}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode(), *body):
                connection.sendall(each)
        return said(connection)


@pytest.mark.parametrize("path", ["/", "/healthz", "/ui/", "/ui/tags", "/vault/", "/tags/", "/vault/inbox.md", "/none"])
def test_a_small_body_that_nobody_needs_is_passed_over(served: Served, path: str) -> None:
    bare = httpx2.request("GET", f"{served.url}{path[1:]}")
    refused = httpx2.request("GET", f"{served.url}{path[1:]}", content=b"x" * 1_000)
    assert refused.status_code == bare.status_code and len(refused.content) == len(bare.content)


@pytest.mark.parametrize("request_line", ["GET /healthz", "GET /ui/", "HEAD /vault/", "GET /none", "PUT /vault/a.md"])
def test_the_server_does_not_wait_for_a_body_that_nobody_needs(served: Served, request_line: str) -> None:
    head = f"{request_line} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n"
    with closing(connected(served.port, head.encode())) as connection:
        connection.settimeout(acceptor.LINGER_SECONDS * 4)  # far less than a body is waited for
        assert connection.recv(13) in (b"HTTP/1.1 200 ", b"HTTP/1.1 403 ", b"HTTP/1.1 404 ")
        said(connection)  # to its end


@pytest.mark.parametrize(
    "request_line",
    ["GET /ui/", "GET /vault/", "GET /tags/", "POST /search/simple/?query=a", "POST /search/smart", "POST /ui/login"],
)
def test_a_body_that_is_said_to_be_too_large_is_refused_unread(served: Served, request_line: str) -> None:
    answer = _sent(served, f"{request_line} HTTP/1.1\r\nContent-Length: 419430400")
    assert answer.startswith(b"HTTP/1.1 413 ") and answer.endswith(
        b'{"errorCode":41300,"message":"The body has more than 1 MiB"}'
    )


@linux_only
@pytest.mark.parametrize("request_line", ["GET /ui/", "GET /vault/", "POST /search/smart", "POST /ui/login"])
def test_a_body_without_a_length_takes_no_memory(served: Served, request_line: str) -> None:
    before = _peak(served)
    piece = b"%x\r\n%s\r\n" % (len(MEBIBYTE), MEBIBYTE)
    answer = _sent(served, f"{request_line} HTTP/1.1\r\nTransfer-Encoding: chunked", *[piece] * 100)
    assert answer[9:12] in (b"", b"200", b"401", b"413")
    assert _peak(served) - before < 40 << 20


def _peak(served: Served) -> int:
    """The most bytes of memory that the server has had."""
    status = Path(f"/proc/{served.process}/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) << 10


def test_a_client_that_goes_in_the_middle_of_its_body_is_no_error() -> None:
    request_lines = ["POST /search/smart", "POST /search/", "POST /mcp", "POST /ui/login", "GET /ui/"]
    with http("--vault", str(FIXTURES / "vault"), "serve", ":0", "--no-index") as served:
        for each in request_lines:
            head = f"{each} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            accept = "Accept: application/json, text/event-stream\r\n"
            connected(served.port, f"{head}{accept}Content-Length: 100\r\n\r\nhalf".encode()).close()
        assert httpx2.get(f"{served.url}healthz").text == "ok"
    assert "Traceback" not in served.ended()[1], served.ended()[1]


@pytest.mark.parametrize("request_line", ["OPTIONS *", "CONNECT 127.0.0.1:22", "GET ?x", "GET http://127.0.0.1/"])
def test_what_names_no_path_is_refused_before_the_token_is_asked(served: Served, request_line: str) -> None:
    answer = _sent(served, f"{request_line} HTTP/1.1")
    assert answer.startswith(b"HTTP/1.1 400 ") and b'"message":"The request must name a path' in answer


def test_a_method_in_small_letters_is_refused(served: Served) -> None:
    answer = _sent(served, "get /vault/ HTTP/1.1")
    assert answer.startswith(b"HTTP/1.1 403 ") and b"This server is read-only" in answer


def test_a_large_file_reaches_a_client_that_sends_a_large_body(tmp_path: Path) -> None:
    write_files(tmp_path, {"large.bin": b"x" * (8 << 20)})
    with http("--vault", str(tmp_path), "serve", ":0", "--no-index") as served:
        piece = b"%x\r\n%s\r\n" % (len(MEBIBYTE), MEBIBYTE)
        _sent(served, "GET /vault/large.bin HTTP/1.1\r\nTransfer-Encoding: chunked", *[piece] * 4)
        assert httpx2.get(f"{served.url}healthz").text == "ok"
    assert "Traceback" not in served.ended()[1], served.ended()[1]
