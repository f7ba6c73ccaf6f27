"""Connections that never finish: each has its deadline, and they never block others."""

from __future__ import annotations

import logging
import os
import re
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tests.conftest import FIXTURES
from tests.server.serving import WITHIN, connected, free_port, http, linux_only, said
from vaulttools.core.open_files import ENOUGH
from vaulttools.server import acceptor, listener
from vaulttools.server.listener import OncePerMinute

LARGE = b"x" * (8 << 20)
HEAD = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"


async def _answer(request: Request, error: Exception | None = None) -> Response:
    if error is None and request.method == "POST":
        return PlainTextResponse(f"{len(await request.body())} bytes")
    return Response(LARGE) if request.url.path == "/large" else PlainTextResponse("ok")


@contextmanager
def _served() -> Iterator[int]:
    """The port of a server of this process."""
    port = free_port()
    routes = [Route("/{path}", _answer, methods=["GET", "POST"])]
    app = Starlette(routes=routes, exception_handlers={ClientDisconnect: _answer})
    with listener.beside(app, port):
        _until(lambda: httpx2.get(f"http://127.0.0.1:{port}/healthz").text == "ok")
        yield port


def _until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + WITHIN
    while True:
        try:
            if is_so():
                return
        except httpx2.TransportError:
            pass
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("deadline", "sent", "answer"),
    [
        ("HEAD_SECONDS", b"", b""),
        ("HEAD_SECONDS", b"GET / HTTP/1.1\r\nX: ", b""),
        ("HEAD_SECONDS", HEAD + b"\r\nGET", b"HTTP/1.1 200"),
        ("BODY_SECONDS", b"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf", b""),
        ("LINGER_SECONDS", HEAD + b"Content-Length: 9\r\n\r\nhalf", b"HTTP/1.1 200"),
    ],
)
def test_a_client_that_does_not_go_on_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, deadline: str, sent: bytes, answer: bytes
) -> None:
    monkeypatch.setattr(acceptor, deadline, 0.1)
    with _served() as port, closing(connected(port, sent)) as connection:
        assert said(connection)[:12] == answer
    assert [record.getMessage() for record in caplog.records] == []


@linux_only
def test_a_client_that_does_not_read_its_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptor, "STALLED_SECONDS", 0.1)
    with _served() as port:
        asked = b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n"
        with closing(connected(port, asked)) as connection:
            assert connection.recv(1) == b"H"
            _until(lambda: not _is_open(connection, port))
            assert len(said(connection)) < len(LARGE)


def _is_open(connection: socket.socket, port: int) -> bool:
    """Whether the server, in this process, still has its end of a connection."""
    own = connection.getsockname()[1]
    ends = (line.split()[1:4] for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:])
    return any(int(here[9:], 16) == port and int(there[9:], 16) == own and state == "01" for here, there, state in ends)


def test_a_body_that_comes_slowly_is_read_to_its_end() -> None:
    with _served() as port, closing(connected(port, b"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n")) as sent:
        for each in b"\r\nslow":
            sent.sendall(bytes([each]))
        assert sent.recv(12) == b"HTTP/1.1 200"


def test_the_oldest_connection_that_says_nothing_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptor, "MOST", 8)
    with _served() as port, ExitStack() as stack:
        silent = [stack.enter_context(closing(connected(port, b"GET / HTTP/1.1\r\nX: "))) for _ in range(10)]
        assert httpx2.get(f"http://127.0.0.1:{port}/healthz").text == "ok"
        assert [said(each) for each in silent[:7]] == [b""] * 7
        silent[-1].sendall(b"\r\nHost: a\r\n\r\n")
        assert silent[-1].recv(5) == b"HTTP/"


def test_those_that_are_being_answered_stay_and_others_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptor, "MOST", 8)
    asked = b"GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    with _served() as port, ExitStack() as stack:
        reading = [stack.enter_context(closing(connected(port, asked))) for _ in range(4)]
        assert [each.recv(1) for each in reading] == [b"H"] * 4
        with closing(connected(port)) as refused:
            assert said(refused) == b""
        assert [said(each).endswith(LARGE) for each in reading] == [True] * 4
        assert httpx2.get(f"http://127.0.0.1:{port}/healthz").text == "ok"


@pytest.mark.parametrize(
    ("address", "peer"),
    [("127.0.0.1", "127.0.0.1"), ("2001:db8:1:2:3::4", "2001:0db8:0001:0002"), ("fe80::1%eth0", "fe80:0000:0000:0000")],
)
def test_a_peer_is_an_address_or_a_network(address: str, peer: str) -> None:
    assert acceptor._peer(address) == peer


@linux_only
@pytest.mark.parametrize("tls", [(), ("--tls", "auto")])
def test_more_connections_than_files_can_be_opened_kill_nobody(tls: Sequence[str]) -> None:
    """1,100 of them, and 1,024 files, made a server mute and its log 245 MB; here a quarter of both."""
    import resource

    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 600:
        pytest.skip("this process may open too few files")
    limited = ("sh", "-c", 'ulimit -n 256 && exec "$0" "$@"')
    with ExitStack() as stack:
        words = ("--vault", str(FIXTURES / "vault"), "serve", ":0", "--no-index", *tls)
        served = stack.enter_context(http(*words, within=limited))
        for _ in range(275):
            stack.enter_context(closing(connected(served.port, b"GET / HTTP/1.1\r\nX: ")))
        assert httpx2.get(f"{served.url}healthz", verify=False).text == "ok"
        assert len(os.listdir(f"/proc/{served.process}/fd")) < 200
    _, errors = served.ended()
    assert len(errors.splitlines()) == 1 and " GET /healthz 200 " in errors


@linux_only
def test_a_server_with_the_few_files_of_a_program_of_the_dock_takes_more() -> None:
    limited = ("sh", "-c", 'ulimit -S -n 256 && exec "$0" "$@"')
    with http("--vault", str(FIXTURES / "vault"), "serve", ":0", "--no-index", within=limited) as served:
        limits = Path(f"/proc/{served.process}/limits").read_text(encoding="utf-8")
    (soft, hard) = re.findall(r"^Max open files +(\w+) +(\w+)", limits, re.MULTILINE)[0]
    assert soft == (hard if hard != "unlimited" and int(hard) < ENOUGH else str(ENOUGH))


def test_a_log_has_a_message_once_a_minute_with_its_count() -> None:
    now = 0.0
    said: list[str] = []
    logger = logging.Logger("one")
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    handler.addFilter(OncePerMinute(lambda: now))
    logger.addHandler(handler)
    for now in (0.0, 1.0, 59.0, 61.0, 62.0):
        logger.warning("Invalid %s", "request")
        if now == 1.0:
            logger.warning("another")
    assert said == ["Invalid request", "another", "Invalid request (and 2 more like this before)"]
