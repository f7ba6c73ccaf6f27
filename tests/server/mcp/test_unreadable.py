"""Requests that cannot be read: answered by their id or refused, and the server goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest
from mcp.server.transport_security import DEFAULT_MAX_REQUEST_BODY_SIZE
from mcp.types import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR

from tests.conftest import FIXTURES
from tests.server.serving import ACCEPT, INITIALIZE, Raw, Served, connected, http, raw_mcp
from vaulttools.server.mcp.stdio import Lines
from vaulttools.server.mcp.unreadable import LARGEST, LONE_SURROGATE, TOO_LARGE, answer_to

HEADERS = {**ACCEPT, "Content-Type": "application/json"}


@pytest.fixture(scope="module")
def raw(own_folders: dict[str, str]) -> Iterator[Raw]:
    """A server of the shipped vault; what cannot be read ends no server, so one is enough."""
    with raw_mcp(FIXTURES / "vault", "--no-index", **own_folders) as raw:
        yield raw


@pytest.fixture(scope="module")
def served(own_folders: dict[str, str]) -> Iterator[Served]:
    """Likewise over HTTP."""
    with http(
        "--vault", str(FIXTURES / "vault"), "mcp", "--no-index", "--http", "127.0.0.1:0", **own_folders
    ) as served:
        yield served


def _is_answered(url: str) -> bool:
    """Whether a new client, with a whole character beyond the basic plane, is answered by its id."""
    initialize = {**INITIALIZE, "id": 8, "params": {**INITIALIZE["params"], "x": "\U0001f331"}}
    answer = httpx2.post(url, content=json.dumps(initialize).encode(), headers=HEADERS)
    return answer.status_code == 200 and '"id":8' in answer.text


@pytest.mark.parametrize(
    ("written", "number"),
    [
        (r'{"id": 7, "method": "m", "params": {"a": ["\ud800"]}}', 7),
        (r'{"id": "x", "method": "m", "params": {"\udfff": 1}}', "x"),
        (r'{"id": 7, "method": "\udc80"}', 7),
        (r'{"id": 7, "method": "m", "params": "\ud83c\udf31 \\ud800"}', None),
        (r'{"id": "\ud800", "method": "m"}', None),
        (r'{"id": true, "method": "\ud800"}', None),
        (r'{"method": "\ud800"}', None),
        (r'{"id": 7, "result": "\ud800"}', None),
        (r'["\ud800"]', None),
        (r'{"id": 7, "method": "\ud800"', None),
    ],
)
def test_a_request_with_half_a_character_is_answered_by_its_id(written: str, number: str | int | None) -> None:
    for given in (written, written.encode()):
        answer = answer_to(given)
        if number is None:
            assert answer is None
        else:
            assert answer is not None
            assert (answer.id, answer.error.code, answer.error.message) == (number, INVALID_PARAMS, LONE_SURROGATE)


def test_the_bound_is_the_one_of_the_sdk() -> None:
    assert LARGEST == DEFAULT_MAX_REQUEST_BODY_SIZE


def test_over_http_it_is_answered_by_its_id_and_the_server_goes_on(served: Served) -> None:
    cut = rb'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"arguments": {"note": "\ud800"}}}'
    refused = httpx2.post(served.url, content=cut, headers=HEADERS)
    assert (refused.status_code, refused.json()["id"]) == (200, 7)
    assert refused.json()["error"] == {"code": INVALID_PARAMS, "message": LONE_SURROGATE}
    assert _is_answered(served.url)


PADDING = "x" * LARGEST


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":8,"x":"PADDING"}}', 7),
        ('{"jsonrpc": "2.0", "id": "a-1", "method": "m", "params": {"x": "PADDING"}}', "a-1"),
        ('{"method":"m","params":{"x":"PADDING","id":8},"jsonrpc":"2.0","id":7}', 7),
        ('{"method":"m","params":{"x":"PADDING","jsonrpc":"2.0","id":8}}', None),
        ('{"x": "PADDING"}', None),
        ("PADDINGx", None),
    ],
)
def test_a_message_that_is_too_large_is_answered_by_its_id_and_the_next_one_is_read(
    raw: Raw, line: str, number: str | int | None
) -> None:
    raw.send(line.replace("PADDING", PADDING).encode(), {"id": 50, "method": "ping"})
    refused = raw.read()
    code = PARSE_ERROR if number is None else INVALID_REQUEST
    assert (refused.get("id"), refused["error"]) == (number, {"code": code, "message": TOO_LARGE})
    assert "result" in raw.answer(50)


@pytest.mark.parametrize("length", [0, 1, LARGEST - 1, LARGEST, LARGEST + 1, 3 * LARGEST + 5])
@pytest.mark.parametrize("end", [b"\n", b""])
def test_the_lines_of_a_client_are_whole_up_to_the_bound(tmp_path: Path, length: int, end: bytes) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"first\n" + b"y" * length + end + (b"last\n" if end else b""))
    with file.open("rb") as opened:
        lines = Lines(opened.fileno())
        assert lines.next() == "first\n"
        if length or end:
            expected = "y" * length + end.decode() if length <= LARGEST else "\n"
            assert lines.next() == expected
        assert len(lines.too_large) == (length > LARGEST)
        assert lines.next() == ("last\n" if end else "")
        assert lines.next() == ""


def test_a_line_without_an_end_takes_no_more_memory_than_the_bound(small_vault: Path) -> None:
    piece = b"z" * (1 << 20)
    with raw_mcp(small_vault, "--no-index") as raw:
        process = Path(f"/proc/{raw.process.pid}/status")
        for _ in range(256):
            raw._in.write(piece)
        if process.exists():
            [line] = [each for each in process.read_text().splitlines() if each.startswith("VmHWM")]
            assert int(line.split()[1]) < 250_000  # kB; it was read line by line, 256 MiB of it
        raw.send(b"", {"id": 50, "method": "ping"})
        assert raw.read()["error"]["message"] == TOO_LARGE
        assert "result" in raw.answer(50)


def test_a_body_that_is_too_large_is_refused_before_it_is_read(served: Served) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(200):
            yield b" " * (1 << 16)

    head = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000000\r\n\r\n"
    with connected(served.port, head) as connection:
        assert connection.recv(1_000).startswith(b"HTTP/1.1 413 ")
    with suppress(httpx2.HTTPError):  # it may hang up while more is sent
        assert httpx2.post(served.url, content=pieces()).status_code == 413
    assert _is_answered(served.url)
