"""A host of many vaults: a token sees its own everywhere, and never another."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import ListToolsResult

from tests.conftest import write_files
from tests.server.serving import ACCEPT, INITIALIZE, connected, http, run, said, text_of
from vaulttools.errors import BadArgument
from vaulttools.index import background
from vaulttools.server.callers import Caller, Tenants
from vaulttools.server.calls import AT_ONCE, QUICK_AT_ONCE, Busy, Calls
from vaulttools.server.mcp.streamable import streamable_by_caller
from vaulttools.server.tokens import TokenFile
from vaulttools.server.vault_pool import OPEN, VaultPool
from vaulttools.server.vaults import Vaults, ensure_indexed
from vaulttools.vault import Vault


class Host(NamedTuple):
    url: str
    tokens: TokenFile
    one: str
    """Sees `a`."""
    two: str
    """Sees `a` and `b`, and one that is not there."""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("host")
    for name in ("a", "b", "c"):
        write_files(folder / "vaults" / name, {"note.md": f"the needle of {name} [[note]] #tag-{name}\n"})
    write_files(folder / "vaults" / "a", {"deep/curious.md": _curious(folder / "vaults" / "b" / "note.md")})
    tokens = TokenFile(folder / "tokens.json")
    one, two = tokens.add("one", ["a"]), tokens.add("two", ["a", "b", "gone"])
    places = ["--vaults-root", str(folder / "vaults"), "--tokens", str(folder / "tokens.json")]
    words = ["serve", ":0", *places, "--no-index"]
    with http(*words, "--open-vaults", "2") as served:
        yield Host(served.url.rstrip("/"), tokens, one, two)


def _curious(other: Path) -> str:
    """A note that leads to a note of another vault in every possible way."""
    up = [f"{'../' * levels}b/note{ending}" for levels in (1, 2, 3) for ending in ("", ".md")]
    aims = [*up, str(other), other.as_uri(), str(other).removesuffix(".md"), "vault://b/note.md", "/v/b/vault/note.md"]
    return "\n\n".join(f"![[{aim}]] [[{aim}]] ![x]({aim}) [x](<{aim}>)" for aim in aims)


@contextmanager
def pooled(folder: Path, names: str, most: int = OPEN, index: Literal["off"] | None = "off") -> Iterator[VaultPool]:
    """A pool of vaults with these names, each with one note."""
    for name in names:
        write_files(folder / name, {"note.md": f"{name} #tag\n"})
    pool = VaultPool(str(folder), most, index)
    yield pool
    pool.close()


def _get(host: Host, token: str | None, path: str, method: str = "GET", **given: Any) -> httpx2.Response:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx2.request(method, host.url + path, headers=headers, **given)


def test_nobody_calls_without_a_token(host: Host) -> None:
    for token in (None, "x", host.one[:-1]):
        assert _get(host, token, "/vault/").status_code == 401
        assert _get(host, token, "/v/a/vault/").status_code == 401
        for path in ("/mcp", "/v/a/mcp", "/v/none/mcp"):
            refused = _get(host, token, path, "POST")
            assert (refused.status_code, refused.text) == (401, "A bearer token is required")
        given = _get(host, token, "/").json()
        assert given["authenticated"] is False


def test_a_token_of_one_vault_asks_by_plain_paths(host: Host) -> None:
    assert _get(host, host.one, "/vault/note.md").text.startswith("the needle of a")
    assert _get(host, host.one, "/v/a/vault/note.md").text.startswith("the needle of a")
    several = _get(host, host.two, "/vault/note.md")
    assert several.status_code == 404
    assert _get(host, host.two, "/v/b/vault/note.md").text.startswith("the needle of b")


@pytest.mark.parametrize(
    "path", ["/vault/", "/vault/note.md", "/tags/", "/periodic/daily/", "/search/simple/?query=needle", "/"]
)
def test_an_unknown_and_a_forbidden_vault_are_answered_alike(host: Host, path: str) -> None:
    method = "POST" if "search" in path else "GET"
    if path == "/":
        path = "/nothing"
    answers = [_get(host, host.one, f"/v/{name}{path}", method) for name in ("b", "c", "none", ".a")]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1
    assert "needle" not in answers[0].text


def test_mcp_shows_a_token_its_vaults_alone(host: Host) -> None:
    seen: dict[str, Any] = {}

    async def talk(token: str) -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as client,
            Client(streamable_http_client(f"{host.url}/mcp", http_client=client), mode="legacy") as session,
        ):
            tools = {tool.name: tool for tool in (await session.list_tools()).tools}
            seen["schema"] = dict(tools["read"].input_schema)["properties"].get("vault")
            seen["resources"] = [each.uri for each in (await session.list_resources()).resources]
            seen["instructions"] = session.instructions or ""
            seen["own"] = text_of(await session.call_tool("read", {"note": "note.md"} | seen["extra"]))
            seen["other"] = text_of(await session.call_tool("read", {"note": "note.md", "vault": "c"}))

    seen["extra"] = {}
    run(lambda: talk(host.one))
    assert seen["schema"] is None and sorted(map(str, seen["resources"])) == [
        "vault://a/deep/curious.md",
        "vault://a/note.md",
    ]
    assert "needle of a" in seen["own"] and "needle" not in seen["other"]
    seen["extra"] = {"vault": "b"}
    run(lambda: talk(host.two))
    assert seen["schema"] is not None and seen["schema"]["enum"] == ["a", "b"] and len(seen["resources"]) == 3
    assert "needle of b" in seen["own"]
    assert "needle" not in seen["other"] and "vault must be one of a, b" in seen["other"]


@pytest.mark.parametrize("token", ["one", "two"])
def test_links_and_embeds_show_nothing_of_another_vault(host: Host, token: str) -> None:
    shown = _get(host, getattr(host, token), "/v/a/ui/note/deep/curious.md")
    assert shown.status_code == 200
    assert "needle" not in shown.text
    assert 'href="/v/b' not in shown.text and 'src="/v/b' not in shown.text
    json = {"Accept": "application/vnd.olrapi.note+json"}
    headers = {"Authorization": f"Bearer {getattr(host, token)}"} | json
    given = httpx2.get(f"{host.url}/v/a/vault/deep/curious.md", headers=headers).json()
    assert given["links"] == []
    assert "needle" not in str(given)


def test_mcp_of_one_vault_knows_no_other(host: Host) -> None:
    seen: dict[str, Any] = {}

    async def talk() -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {host.two}"}) as client,
            Client(streamable_http_client(f"{host.url}/v/b/mcp", http_client=client), mode="legacy") as session,
        ):
            seen["instructions"] = session.instructions or ""
            seen["arguments"] = {name for tool in (await session.list_tools()).tools for name in tool.input_schema}
            seen["resources"] = [str(each.uri) for each in (await session.list_resources()).resources]
            templates = (await session.list_resource_templates()).resource_templates
            seen["templates"] = [each.uri_template for each in templates]
            seen["own"] = text_of(await session.call_tool("read", {"note": "note.md"}))
            for note in ("vault://a/note.md", "../a/note.md", "/v/a/note.md"):
                seen[note] = text_of(await session.call_tool("read", {"note": note}))
            seen["other"] = text_of(await session.call_tool("read", {"note": "note.md", "vault": "a"}))
            for uri in (
                "vault://a/note.md",
                "vault://b/../a/note.md",
                "vault://b/%2e%2e/a/note.md",
                "vault://b%2F..%2Fa/note.md",
            ):
                with pytest.raises(MCPError) as refused:
                    await session.read_resource(uri)
                seen[uri] = str(refused.value)

    run(talk)
    assert "the vault b." in seen.pop("instructions")
    assert "vault" not in seen.pop("arguments")
    assert seen.pop("resources") == ["vault://b/note.md"] and seen.pop("templates") == ["vault://b/{+path}"]
    assert "needle of b" in seen.pop("own")
    assert seen["vault://a/note.md"] == "vault must be one of b, got 'a'"
    assert not [text for text in seen.values() if "needle of a" in text]


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "PUT"])
@pytest.mark.parametrize("body", [b"", b"{", b"x" * (5 << 20), json.dumps(INITIALIZE).encode()], ids=len)
def test_mcp_of_an_unknown_and_of_a_forbidden_vault_are_refused_alike(host: Host, method: str, body: bytes) -> None:
    headers = {
        **ACCEPT,
        "Content-Type": "application/json",
        "Mcp-Session-Id": "x",
        "Authorization": f"Bearer {host.one}",
    }

    def refusal(path: str) -> tuple[Any, ...]:
        answer = httpx2.request(method, host.url + path, headers=headers, content=body)
        return answer.status_code, answer.text, {**answer.headers, "date": ""}

    refusals = [refusal(f"/v/{name}/mcp") for name in ("b", "c", "none", ".a", "gone", "A", "a%20", "%00")]
    assert refusals == [refusals[0]] * len(refusals)
    assert refusals[0][:2] == (404, _get(host, host.one, "/v/b/vault/").text)


SPELLINGS = (
    *(
        "/v/b/mcp",
        "//v/b/mcp",
        "/v//b/mcp",
        "/v/b//mcp",
        "/v/./b/mcp",
        "/v/b/./mcp",
        "/v/b/mcp/",
        "/v/b/mcp%0A",
        "/v/B/mcp",
    ),
    *("/v/a/../b/mcp", "/v/a/%2e%2e/b/mcp", "/v/a%2F..%2Fb/mcp", "/v/a%2f%2e%2e%2fb/mcp", "/v/a/mcp/../../b/mcp"),
    *("/v/a/v/b/mcp", "/v/%62/mcp", "/v/%2562/mcp", "/v/b%00/mcp", "/v/a%00/../b/mcp", "/v/b;a/mcp", "/v/b%20/mcp"),
    *(
        "/v/../v/b/mcp",
        "/v/a\\..\\b/mcp",
        "/v/b/%6dcp",
        "/mcp/../v/b/mcp",
        "/v/b/mcp?vault=a",
        "/v/a,b/mcp",
        "/v/*/mcp",
    ),
)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_spelling_of_a_path_leads_to_mcp_of_a_forbidden_vault(host: Host, spelling: str) -> None:
    body = json.dumps(INITIALIZE)
    head = [f"POST {spelling} HTTP/1.1", f"Host: {urlsplit(host.url).netloc}", f"Authorization: Bearer {host.one}"]
    head += ["Accept: application/json, text/event-stream", "Content-Type: application/json", "Connection: close"]
    request = "\r\n".join([*head, f"Content-Length: {len(body)}", "", body]).encode()
    with closing(connected(urlsplit(host.url).port or 0, request)) as connection:
        answer = said(connection)
    assert re.match(rb"HTTP/1.1 (40[034]|421) ", answer), answer
    assert b"mcp-session-id" not in answer.lower() and b"needle" not in answer


def test_a_session_is_of_no_use_at_another_path_or_to_another_token(host: Host) -> None:
    places = [
        (host.two, "/mcp"),
        (host.two, "/v/a/mcp"),
        (host.two, "/v/b/mcp"),
        (host.one, "/mcp"),
        (host.one, "/v/a/mcp"),
    ]
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}

    def status(
        method: str, place: tuple[str, str], session: str | None = None, message: object = None
    ) -> httpx2.Response:
        headers = {**ACCEPT, "Authorization": f"Bearer {place[0]}", **({"Mcp-Session-Id": session} if session else {})}
        return httpx2.request(method, host.url + place[1], json=message, headers=headers)

    sessions = [status("POST", place, None, INITIALIZE).headers["mcp-session-id"] for place in places]
    for begun, session in zip(places, sessions, strict=True):
        for asked in places:
            for method, message in (("POST", listing), ("DELETE", None)):
                if asked != begun:
                    assert status(method, asked, session, message).status_code == 404
        assert status("POST", begun, session, listing).status_code == 200
        assert status("DELETE", begun, session).status_code == 200


def test_a_revoked_token_is_refused_at_once(host: Host) -> None:
    token = host.tokens.add("brief", ["a"])
    assert _get(host, token, "/vault/").status_code == 200
    host.tokens.revoke("brief")
    assert _get(host, token, "/vault/").status_code == 401


def test_the_file_of_tokens_holds_hashes_for_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "tokens.json"
    tokens = TokenFile(file)
    token = tokens.add("name", ["a"])
    assert token not in file.read_text(encoding="utf-8")
    if os.name == "posix":
        assert file.stat().st_mode & 0o077 == 0
    for name, vaults in (("name", ["a"]), ("bad name", ["a"]), ("other", [])):
        with pytest.raises(BadArgument):
            tokens.add(name, vaults)
    with pytest.raises(BadArgument, match=r"^There is no token other$"):
        tokens.revoke("other")
    file.write_text("broken", encoding="utf-8")
    with pooled(tmp_path, "") as pool:
        assert Tenants(TokenFile(file), pool).of(token) is None


def test_links_and_dot_folders_are_no_vaults(tmp_path: Path) -> None:
    (tmp_path / "root" / "a").mkdir(parents=True)
    (tmp_path / "root" / ".dot").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "root" / "file").touch()
    (tmp_path / "root" / "link").symlink_to(tmp_path / "outside")
    names = ["a", ".dot", "link", "file", "..", "", "a/b", "../outside", "none", "a\0"]
    with pooled(tmp_path / "root", "") as pool:
        assert [name for name in names if pool.has(name)] == ["a"]
        for name in names[1:]:
            with pytest.raises(BadArgument), pool.lent(name):
                pass


def test_at_most_so_many_vaults_are_open_and_unused_ones_are_closed(tmp_path: Path) -> None:
    with pooled(tmp_path, "abcd", 2) as pool:
        for name in "abcdabcd":
            with pool.lent(name) as vault:
                assert vault.path.name == name and len(pool.open_vaults) <= 2
                assert name in vault.call("read", {"note": "note"}).text
        with pool.lent("a") as first, pool.lent("a") as second:
            assert first is second
            pool.close_idle(time.monotonic() + 1)
            assert len(pool.open_vaults) == 1
        pool.close_idle(time.monotonic() + 1)
        assert pool.open_vaults == []


def test_what_asks_all_notes_waits_for_a_first_indexing_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "MANY", 0)
    monkeypatch.setattr(background, "_FEW", 0)
    end = Event()
    _, turns = background._turns
    with pooled(tmp_path, "a", index=None) as pool:
        with turns.taken(end), turns.taken(end), pool.lent("a") as vault:
            assert not pool.is_ready("a")
            with pytest.raises(Busy, match=r"first time \(0 of 1 files so far\); call again in a moment$"):
                ensure_indexed(vault, end, seconds=1, of_all=True)
        with pool.lent("a") as vault:
            ensure_indexed(vault, end, seconds=30, of_all=True)
            assert vault.tags().searched == 1


@pytest.mark.parametrize("is_large", [False, True])
def test_what_searches_waits_for_the_first_indexing_of_a_small_vault_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_large: bool
) -> None:
    monkeypatch.setattr(background, "MANY", 0 if is_large else 200)
    monkeypatch.setattr(background, "_FEW", 0)
    end, turns = Event(), background._turns[is_large]
    with pooled(tmp_path, "a", index=None) as pool, turns.taken(end), turns.taken(end), pool.lent("a") as vault:
        with nullcontext() if is_large else pytest.raises(Busy, match="0 of 1 files so far"):
            ensure_indexed(vault, end, seconds=1, of_all=False)
        assert not pool.is_ready("a")


def test_a_vault_that_is_indexed_goes_before_one_that_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Vault, "is_ready", property(lambda vault: vault.path.name != "a"))
    with pooled(tmp_path, "abc", 2) as pool:
        for name in "abc":
            with pool.lent(name):
                pass
        assert pool.open_vaults == ["a", "c"]


def test_a_read_of_an_open_vault_does_not_wait_behind_vaults_without_a_place(tmp_path: Path) -> None:
    done: list[str] = []

    async def talk() -> None:
        with pooled(tmp_path, "ab", 1) as pool, closing(Calls()) as calls:
            vaults = Vaults(("a", "b"), pool.lent, pool.is_ready, pool.is_open)

            async def read(name: str) -> None:
                await vaults.run(calls, name, lambda vault, _: done.append(vault.path.name), is_quick=True)

            async with anyio.create_task_group() as group:
                with pool.lent("a"):
                    for _ in range(QUICK_AT_ONCE + 1):
                        group.start_soon(read, "b")
                    await anyio.sleep(0)
                    await read("a")
                    assert done == ["a"]

    run(talk)
    assert done == ["a", *"b" * (QUICK_AT_ONCE + 1)]


def test_callers_are_served_in_turn_and_quick_calls_wait_behind_no_search() -> None:
    done: list[str] = []
    lock = threading.Lock()
    go = Event()

    def call(name: str) -> Any:
        def called(cancel: Event) -> None:
            go.wait(30)
            with lock:
                done.append(name)

        return called

    async def talk() -> None:
        calls = Calls()
        async with anyio.create_task_group() as group:
            for _ in range(AT_ONCE + 20):
                group.start_soon(lambda: calls.run(call("many"), caller="many"))
            await anyio.sleep(0)
            group.start_soon(lambda: calls.run(call("few"), caller="few"))
            await anyio.sleep(0)
            # All threads are taken; these have their own.
            for _ in range(QUICK_AT_ONCE):
                await calls.run(lambda cancel: done.append("quick"), caller="few", lane="quick")
            assert done == ["quick"] * QUICK_AT_ONCE
            go.set()
        calls.close()

    run(talk)
    # Not after the 20 that wait; its thread may still be overtaken by some on a busy machine.
    assert done.index("few") < QUICK_AT_ONCE + AT_ONCE + 10 < len(done)


def test_requests_of_a_caller_whose_server_starts_or_ends_are_answered() -> None:
    seen, answers = ["a"], []
    begun, half, rest = anyio.Event(), anyio.Event(), anyio.Event()

    async def slow(*_: Any) -> ListToolsResult:
        begun.set()
        await rest.wait()
        return ListToolsResult(tools=[])

    mcp = streamable_by_caller(lambda _: Server("host", on_list_tools=slow))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        caller = Caller("one", Vaults(tuple(seen), lambda _: nullcontext()))  # type: ignore[arg-type, return-value]
        await mcp.app({**scope, "state": {"caller": caller}}, receive, send)

    async def ask(client: httpx2.AsyncClient, request: Any, more: Any = None, *, is_late: bool = False) -> None:
        async def body() -> AsyncIterator[bytes]:
            yield b" "
            if is_late:
                half.set()
                await rest.wait()
            yield json.dumps(request).encode()

        headers = {**ACCEPT, "Content-Type": "application/json", **(more or {})}
        answers.append(await client.post("/mcp", content=body(), headers=headers))

    async def talk() -> None:
        client = httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://host")
        async with mcp.runs(), client:
            async with anyio.create_task_group() as group:
                group.start_soon(ask, client, INITIALIZE)
                group.start_soon(ask, client, INITIALIZE)
            more = {"Mcp-Session-Id": answers[0].headers["Mcp-Session-Id"]}
            await ask(client, {"jsonrpc": "2.0", "method": "notifications/initialized"}, more)
            async with anyio.create_task_group() as group:
                listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
                group.start_soon(ask, client, listing, more)
                group.start_soon(partial(ask, client, INITIALIZE, is_late=True))
                await begun.wait()
                await half.wait()
                seen.append("b")
                await ask(client, INITIALIZE)
                rest.set()

    run(talk)
    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [202]
    assert sum('"tools":[]' in answer.text for answer in answers) == 1
