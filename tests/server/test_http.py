"""The server over HTTP: clients at once, who is let in, and what a browser gets."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.conftest import FIXTURES
from tests.server.mcp.test_faults import SLOW
from tests.server.serving import ACCEPT, INITIALIZE, http, linux_only, ripgreps, run, text_of
from vaulttools import Vault

TOKEN = "correct horse battery"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server of the shipped vault, which asks for no token."""
    words = ["mcp", "--http", ":0", "--allow-origin", "https://notes.example"]
    with http("--vault", str(FIXTURES / "vault"), *words) as served:
        yield served.url


@pytest.fixture(scope="module")
def guarded() -> Iterator[str]:
    """A server that asks for a token."""
    words = ["--vault", str(FIXTURES / "vault"), "mcp", "--structured", "full", "--http", "127.0.0.1:0"]
    with http(*words, VAULTTOOLS_TOKEN=TOKEN) as served:
        yield served.url


def test_it_listens_on_loopback_alone(url: str) -> None:
    assert url.startswith("http://127.0.0.1:") and url.endswith("/mcp")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_clients_at_once_get_their_own_answers(url: str, mode: str) -> None:
    words = ["TODO", "seed", "Amara", "printer", "budget", "Lisbon", "passport", "drill"]
    answers: dict[str, str] = {}

    async def talk() -> None:
        async def ask(word: str) -> None:
            async with Client(url, mode=mode) as client:
                answers[word] = text_of(await client.call_tool("search_files", {"pattern": word}))

        async with anyio.create_task_group() as group:
            for word in words:
                group.start_soon(ask, word)

    run(talk)
    with Vault.open(FIXTURES / "vault") as vault:
        assert answers == {word: vault.search_files(word).text for word in words}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        # the origin: none, loopback, Obsidian's, those allowed
        ({"Origin": "http://localhost:5173"}, 200),
        ({"Origin": "http://127.0.0.1"}, 200),
        ({"Origin": "http://[::1]:80"}, 200),
        ({"Origin": "app://obsidian.md"}, 200),
        ({"Origin": "capacitor://localhost"}, 200),
        ({"Origin": "https://notes.example"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "https://notes.example.evil.example"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Origin": "app://obsidian.md.evil"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        # the host, which a page that rebinds its name to us cannot choose
        ({"Host": "localhost"}, 200),
        ({"Host": "[::1]:8765"}, 200),
        ({"Host": "notes.example"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:8765"}, 421),
        ({"Host": "localhost.evil.example"}, 421),
        ({"Host": "192.168.0.7"}, 421),
        ({"Host": "127.0.0.1@evil.example"}, 421),
    ],
)
def test_who_may_call_without_a_token(url: str, headers: dict[str, str], status: int) -> None:
    answer = httpx2.post(url, json=INITIALIZE, headers={**ACCEPT, **headers})
    assert answer.status_code == status
    allowed = answer.headers.get("access-control-allow-origin")
    assert allowed == (headers.get("Origin") if status == 200 else None)


@pytest.mark.parametrize(
    ("host", "sentence"),
    [
        (
            "evil.example:80",
            "this server does not answer for evil.example:80; start it with --allow-origin http://evil",
        ),
        ("a@b", "'a@b' is no host"),
        ("\xe9" * 200, "'\\xe9"),
    ],
)
def test_a_refused_host_is_named_with_the_option_that_allows_it(url: str, host: str, sentence: str) -> None:
    headers: Any = [(b"Accept", ACCEPT["Accept"].encode()), (b"Host", host.encode("latin-1"))]
    answer = httpx2.post(url, json=INITIALIZE, headers=headers)
    assert answer.status_code == 421
    assert answer.text.startswith(f"Misdirected request: {sentence}")
    assert answer.text.isascii() and len(answer.text) < 500


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_mcp_is_served_with_and_without_a_slash(url: str, path: str) -> None:
    answer = httpx2.post(url.removesuffix("/mcp") + path, json=INITIALIZE, headers=ACCEPT)
    assert (answer.status_code, "serverInfo" in answer.text) == (200, True)


@pytest.mark.parametrize(("method", "path"), [("POST", "/"), ("POST", "/sse"), ("GET", "/sse")])
def test_where_clients_look_for_mcp_they_are_told_where_it_is(url: str, method: str, path: str) -> None:
    answer = httpx2.request(method, url.removesuffix("/mcp") + path, headers=ACCEPT)
    assert (answer.status_code, "MCP is at /mcp here" in answer.text) == (404, True)


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        (None, 401),
        ("", 401),
        (f"Bearer {TOKEN}", 200),
        (f"bearer  {TOKEN}", 200),
        ("Bearer correct horse", 401),
        ("Bearer", 401),
        (f"Basic {TOKEN}", 401),
        ("Bearer \xe9", 401),
    ],
)
def test_who_may_call_with_a_token(guarded: str, authorization: str | None, status: int) -> None:
    shown = [] if authorization is None else [(b"Authorization", authorization.encode("latin-1"))]
    given: Any = [(b"Accept", ACCEPT["Accept"].encode()), (b"Origin", b"app://obsidian.md"), *shown]
    answer = httpx2.post(guarded, json=INITIALIZE, headers=given)
    assert answer.status_code == status
    assert answer.headers["access-control-allow-origin"] == "app://obsidian.md"
    assert answer.headers.get("www-authenticate") == ("Bearer" if status == 401 else None)
    assert TOKEN not in answer.text


def test_a_browser_may_ask_first_without_the_token(guarded: str) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,mcp-session-id"}
    answer = httpx2.options(guarded, headers={"Origin": "app://obsidian.md", **asked})
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "app://obsidian.md"
    assert "authorization" in answer.headers["access-control-allow-headers"]
    assert httpx2.options(guarded, headers={"Origin": "https://evil.example", **asked}).status_code == 403


def test_the_client_of_the_sdk_shows_the_token(guarded: str) -> None:
    async def talk() -> str:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http_client,
            Client(streamable_http_client(guarded, http_client=http_client)) as client,
        ):
            return text_of(await client.call_tool("read", {"note": "inbox"}))

    assert "Renew the passport" in run(talk)


@pytest.mark.parametrize(
    ("body", "status"), [(b"{broken", 400), (b"\xff", 400), (b"[]", 400), (b'"' + b"x" * 5_000_000, 413)]
)
def test_a_bad_body_is_refused_and_the_server_goes_on(url: str, body: bytes, status: int) -> None:
    answer = httpx2.post(url, content=body, headers={**ACCEPT, "Content-Type": "application/json"})
    assert answer.status_code == status
    assert "Traceback" not in answer.text
    assert httpx2.post(url, json=INITIALIZE, headers=ACCEPT).status_code == 200


@linux_only
def test_fault_M14_a_signal_ends_the_server_and_the_callers_get_an_answer(slow_vault: Path) -> None:
    said = []

    async def talk(url: str, process: int) -> None:
        async with Client(url) as client, anyio.create_task_group() as group:

            async def signalled() -> None:
                while not ripgreps(process):
                    await anyio.sleep(0.02)
                os.kill(process, signal.SIGTERM)

            group.start_soon(signalled)
            said.append(text_of(await client.call_tool("search_files", SLOW)))

    with http("--vault", str(slow_vault), "mcp", "--structured", "full", "--http", ":0") as served:
        run(lambda: talk(*served[:2]))
        assert said == ["The call was cancelled"]
        assert not ripgreps(served.process)
    assert served.ended() == (-signal.SIGTERM, "")


@linux_only
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_call_that_is_cancelled_over_http_stops_ripgrep(slow_vault: Path, mode: str) -> None:
    reports: list[float] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        reports.append(progress)

    async def talk(url: str, process: int) -> str:
        async with Client(url, mode=mode) as client:
            async with anyio.create_task_group() as group:

                async def slow() -> None:
                    await client.call_tool("search_files", SLOW, progress_callback=report)

                group.start_soon(slow)
                while len(reports) < 3 or not ripgreps(process):
                    await anyio.sleep(0.02)
                group.cancel_scope.cancel()
            while ripgreps(process):
                await anyio.sleep(0.02)
            return text_of(await client.call_tool("read", {"note": "note"}))

    with http("--vault", str(slow_vault), "mcp", "--structured", "full", "--http", ":0") as served:
        assert "a needle" in run(lambda: talk(*served[:2]))
    assert reports == sorted(set(reports))
