"""Tools over plain HTTP: each gives its details, or one sentence in a problem object."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import httpx2
import pytest
from jsonschema import Draft202012Validator
from starlette.types import ASGIApp

from tests.conftest import FIXTURES, write_files
from tests.server.asking import Serve, app_of, ask
from tests.server.serving import Served, http
from tests.tools.test_definitions import CALLS
from vaulttools import Vault, tools
from vaulttools.server import vaults
from vaulttools.server.calls import WAITING, Busy, Calls
from vaulttools.server.mcp.unreadable import LONE_SURROGATE
from vaulttools.server.openapi import problems
from vaulttools.server.openapi.document import REFUSALS
from vaulttools.server.rest.answering import READ_ONLY
from vaulttools.server.tokens import TokenFile
from vaulttools.server.vaults import Vaults

TOKEN = "correct horse battery"
JSON = {"Content-Type": "application/json"}
KEY = {**JSON, "Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def served(own_folders: dict[str, str]) -> Iterator[Served]:
    words = ["--vault", str(FIXTURES / "vault"), "serve", ":0", "--tools", "all"]
    with http(*words, VAULTTOOLS_TOKEN=TOKEN, VAULTTOOLS_MEANING="off", **own_folders) as served:
        yield served


@pytest.fixture(scope="module")
def app(serve: Serve) -> ASGIApp:
    """Two vaults; a request must name one of them."""
    return serve(TOKEN, one={"note.md": "the needle of one\n"}, two={"note.md": "the needle of two\n"})


@pytest.mark.parametrize("tool", tools.NAMES)
def test_every_tool_gives_the_details_of_the_same_call_in_python(served: Served, small_vault: Path, tool: str) -> None:
    with Vault.open(small_vault) as vault:
        for arguments in CALLS[tool]:
            answer = httpx2.post(f"{served.url}tools/{tool}", json=arguments, headers=KEY)
            assert answer.status_code == 200
            assert answer.json() == vault.call(tool, arguments, bounded=True).details


def test_a_vault_is_named_by_the_path_alone(app: ASGIApp) -> None:
    for name in ("one", "two"):
        read = ask(app, "POST", f"/v/{name}/tools/read", headers=KEY, json={"note": "note"})
        assert read.json()["text"] == f"the needle of {name}"
        named = ask(app, "POST", f"/v/{name}/tools/read", headers=KEY, json={"note": "note", "vault": "two"})
        assert named.status_code == 400 and named.json()["detail"].startswith("unknown argument 'vault'")


READ: dict[str, Any] = {"method": "POST", "path": "/v/one/tools/read", "headers": KEY, "content": b'{"note": "note"}'}
"""A request that is answered; each case differs from it in one point."""

NAMES = ", ".join(tools.NAMES)

CASES: dict[str, tuple[dict[str, Any], int, str]] = {
    "JSON that ends too early": (
        {"content": b'{"note": '},
        400,
        "The body is not valid JSON: Expecting value, line 1, column 10",
    ),
    "no body": ({"content": b""}, 400, "The body is not valid JSON: Expecting value, line 1, column 1"),
    "no UTF-8": ({"content": b'{"note": "\xff"}'}, 400, "The body is not valid JSON in UTF-8"),
    "NaN": ({"content": b'{"note": NaN}'}, 400, "The body is not valid JSON in UTF-8"),
    "a number of 5,000 digits": ({"content": b'{"note": %s}' % (b"1" * 5_000)}, 400, "The body is not valid JSON in"),
    "100,000 levels": ({"content": b'{"note": %s}' % (b"[" * 100_000)}, 400, "The body is not valid JSON in UTF-8"),
    "a list": ({"content": b"[]"}, 400, "The body must be a JSON object: the tool's arguments by name"),
    "half a character": ({"content": rb'{"note": "\ud83c"}'}, 400, LONE_SURROGATE),
    "a wrong type": ({"content": b'{"note": "note", "max_chars": []}'}, 400, "max_chars must be a whole number"),
    "an unknown argument": ({"content": b'{"note": "note", "x": 1}'}, 400, "unknown argument 'x'; accepted are: "),
    "a missing argument": ({"path": "/v/one/tools/outline", "content": b"{}"}, 400, "note is required: a text"),
    "arguments in the address": ({"path": "/v/one/tools/read?note=note"}, 400, "The arguments must be in the body"),
    "a note that is not there": ({"content": b'{"note": "none"}'}, 400, "Path not found: none"),
    "a path that leads out": ({"content": b'{"note": "../two/note.md"}'}, 400, "Path is outside the vault: ../two"),
    "no token": ({"headers": JSON}, 401, "A bearer token is required"),
    "another token": ({"headers": {**JSON, "Authorization": "Bearer x"}}, 401, "A bearer token is required"),
    "another origin": ({"headers": {**KEY, "Origin": "https://evil.example"}}, 403, "This origin is not allowed"),
    "an unknown tool": ({"path": "/v/one/tools/none"}, 404, f"Unknown tool: none; offered are: {NAMES}"),
    "a tool and more": ({"path": "/v/one/tools/read/x"}, 404, f"Unknown tool: read/x; offered are: {NAMES}"),
    "a way out in the name": (
        {"path": "/v/one/tools/..%2F..%2Ftwo%2Ftools%2Fread"},
        404,
        f"Unknown tool: ../../two/tools/read; offered are: {NAMES}",
    ),
    "no tool": ({"path": "/v/one/tools/"}, 404, f"Unknown tool: ; offered are: {NAMES}"),
    "no tool and no slash": ({"path": "/tools"}, 404, f"Unknown tool: ; offered are: {NAMES}"),
    "an unknown vault": ({"path": "/v/three/tools/read"}, 404, "There is no such vault"),
    "no vault": ({"path": "/tools/read"}, 404, "There are several vaults: use /v/NAME/ with one of: one, two"),
    "a GET": ({"method": "GET"}, 405, "A tool is called by POST, with its arguments as JSON"),
    "a HEAD": ({"method": "HEAD"}, 405, ""),
    "a PUT": ({"method": "PUT"}, 403, READ_ONLY),
    "a DELETE": ({"method": "DELETE"}, 403, READ_ONLY),
    "more than 4 MiB": ({"content": b" " * ((4 << 20) + 1)}, 413, "The body has more than 4 MiB"),
    "a form": (
        {"headers": {**KEY, "Content-Type": "application/x-www-form-urlencoded"}},
        415,
        "Content-Type must be application/json, got 'application/x-www-form-urlencoded'",
    ),
    "plain text": ({"headers": {**KEY, "Content-Type": "text/plain"}}, 415, "Content-Type must be application/json, "),
    "no type": ({"headers": {"Authorization": f"Bearer {TOKEN}"}}, 415, "Content-Type must be application/json, got "),
    "another type of JSON": (
        {"headers": {**KEY, "Content-Type": "application/json-patch+json"}},
        415,
        "Content-Type must be application/json, got 'application/json-patch+json'",
    ),
    "another host": ({"headers": {**KEY, "Host": "evil.example"}}, 421, "Misdirected request"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_refusal_is_a_problem_object_with_one_sentence(app: ASGIApp, case: str) -> None:
    changed, status, sentence = CASES[case]
    answer = ask(app, **READ | changed)
    assert (answer.status_code, answer.headers["content-type"]) == (status, problems.MEDIA_TYPE)
    assert ("www-authenticate" in answer.headers) == (status == 401)
    assert answer.headers.get("allow") == ("POST" if status == 405 else None)
    if case != "a HEAD":
        problem = answer.json()
        Draft202012Validator(problems.SCHEMA).validate(problem)
        assert problem["status"] == status and problem["type"] == "about:blank"
        assert problem["detail"].startswith(sentence) and "\n" not in problem["detail"]


def test_each_documented_refusal_is_possible_and_each_possible_one_documented(app: ASGIApp) -> None:
    posted = {status for changed, status, _ in CASES.values() if "method" not in changed}
    assert posted | {500, 503} == set(REFUSALS)  # those two are below


@pytest.mark.parametrize(
    "kind", ["application/json", "application/json; charset=utf-8", "Application/JSON;x", "\tapplication/json"]
)
def test_json_is_taken_with_parameters_and_in_any_case(app: ASGIApp, kind: str) -> None:
    answer = ask(app, **READ | {"headers": {**KEY, "Content-Type": kind}, "content": b'\xef\xbb\xbf{"note": "note"}'})
    assert answer.status_code == 200


def test_a_body_of_4_mib_is_taken(app: ASGIApp) -> None:
    assert ask(app, **READ | {"content": b'{"note": "note"}'.ljust(4 << 20)}).status_code == 200


def test_a_call_may_be_asked_for_before_it_is_made(app: ASGIApp) -> None:
    answer = ask(app, **READ | {"method": "OPTIONS"})
    assert (answer.status_code, answer.headers["allow"]) == (204, "OPTIONS, POST")


def test_a_fault_of_ours_is_none_of_the_caller(app: ASGIApp, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ValueError("a text of a note")

    monkeypatch.setattr(Vault, "answer", broken)
    answer = ask(app, **READ)
    assert (answer.status_code, answer.headers["content-type"]) == (500, problems.MEDIA_TYPE)
    assert answer.json()["detail"].startswith("read failed for a reason of its own (error ")
    assert "a text" not in answer.text


def test_a_vault_that_is_gone_is_none_of_the_caller(serve: Serve, tmp_path: Path) -> None:
    write_files(tmp_path / "gone", {"note.md": ""})
    app = serve(gone=tmp_path / "gone")
    (tmp_path / "gone/note.md").unlink()
    (tmp_path / "gone").rmdir()
    answer = ask(app, "POST", "/tools/read", json={"note": "note"})
    assert (answer.status_code, answer.json()["detail"][:35]) == (500, "The vault's folder cannot be read: ")


def test_a_busy_server_says_when_to_ask_again(app: ASGIApp, monkeypatch: pytest.MonkeyPatch) -> None:
    async def busy(*_: Any, **__: Any) -> None:
        raise Busy(f"The server is busy: {WAITING} calls are waiting; call again later")

    monkeypatch.setattr(Calls, "run", busy)
    answer = ask(app, **READ)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert answer.json()["detail"].startswith("The server is busy")
    assert ask(app, "GET", "/openapi.json", headers=KEY).status_code == 503


def test_what_asks_all_notes_waits_for_the_first_indexing_and_a_quick_call_does_not(
    small_vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def waits(*_: Any, of_all: bool, **__: Any) -> None:
        raise Busy(f"The vault is indexed for the first time ({of_all=}); call again in a moment")

    monkeypatch.setattr(vaults, "ensure_indexed", waits)
    with Vault.open(small_vault, index="off") as vault, closing(Calls()) as calls:
        app = app_of(Vaults(("notes",), lambda _: nullcontext(vault), is_ready=lambda _: False), calls)
        asked = {"tags": {}, "grep": {"pattern": "TODO"}, "read": {"note": "inbox"}}
        given = {tool: ask(app, "POST", f"/tools/{tool}", json=arguments) for tool, arguments in asked.items()}
    assert [answer.status_code for answer in given.values()] == [503, 503, 200]
    assert "of_all=True" in given["tags"].text and "of_all=False" in given["grep"].text


def test_only_the_tools_that_are_offered_can_be_called(own_folders: dict[str, str]) -> None:
    words = ["--vault", str(FIXTURES / "vault"), "serve", ":0", "--no-index", "--tools", "read,tags"]
    with http(*words, **own_folders) as served:
        assert list(httpx2.get(f"{served.url}openapi.json").json()["paths"]) == ["/tools/read", "/tools/tags"]
        assert httpx2.post(f"{served.url}tools/tags", json={}).status_code == 200
        refused = httpx2.post(f"{served.url}tools/find", json={})
    assert (refused.status_code, refused.json()["detail"]) == (404, "Unknown tool: find; offered are: read, tags")


def test_a_token_reaches_the_vaults_that_it_names_and_no_other(tmp_path: Path, own_folders: dict[str, str]) -> None:
    for name in "abc":
        write_files(tmp_path / "root" / name, {"note.md": f"the needle of {name}\n"})
    tokens = TokenFile(tmp_path / "tokens.json")
    one, two = tokens.add("one", ["a"]), tokens.add("two", ["a", "b"])
    places = ["--vaults-root", str(tmp_path / "root"), "--tokens", str(tmp_path / "tokens.json")]
    words = ["serve", ":0", *places, "--no-index"]

    def called(token: str, path: str, **arguments: str) -> httpx2.Response:
        key = {"Authorization": f"Bearer {token}"}
        return httpx2.post(f"{host.url}{path}", json={"note": "note.md", **arguments}, headers=key)

    with http(*words, **own_folders) as host:
        assert called(one, "tools/read").json()["text"] == "the needle of a"
        assert called(two, "v/b/tools/read").json()["text"] == "the needle of b"
        assert called(two, "tools/read").json()["detail"].endswith("with one of: a, b")
        refused = [called(one, f"v/{name}/tools/read") for name in ("b", "c", "none", ".a", "A")]
        beyond = [
            called(one, "tools/read", note=note)
            for note in ("../b/note.md", str(tmp_path / "root/b/note.md"), "vault://b/note.md", "/v/b/vault/note.md")
        ]
        documents = [
            httpx2.get(f"{host.url}{path}", headers={"Authorization": f"Bearer {token}"})
            for token, path in ((one, ""), (one, "v/a/"), (two, ""), (two, "v/b/"), (one, "v/b/"), (one, "v/none/"))
            for path in (f"{path}openapi.json",)
        ]
        stranger = httpx2.get(f"{host.url}openapi.json")
    assert {answer.status_code for answer in refused} == {404} and len({answer.text for answer in refused}) == 1
    assert {answer.status_code for answer in beyond} == {400}
    assert not [answer.text for answer in (*refused, *beyond) if "needle" in answer.text]
    assert [answer.status_code for answer in documents] == [200] * 4 + [404] * 2 and stranger.status_code == 401
    assert len({answer.text for answer in documents[:4]}) == 1 and len({answer.text for answer in documents[4:]}) == 1


def test_details_are_those_that_a_text_of_50_kib_shows(app: ASGIApp, serve: Serve) -> None:
    long = serve(notes={f"{number:04}.md": "needle " * 60 for number in range(400)})
    answer = ask(long, "POST", "/tools/search_files", json={"pattern": "needle", "max_results": 400})
    shown = answer.json()["files"]
    assert 0 < len(shown) < 400 and len(answer.content) < 4 * 50 * 1024
