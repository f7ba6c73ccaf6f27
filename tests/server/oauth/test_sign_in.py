"""Signing in by OAuth 2.1: by the SDK's own client on a real server, and what is refused, with a clock that moves."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp

from benchmarks.balanced import free_port
from tests.conftest import write_files
from tests.server.asking import at_rest, talk
from tests.server.serving import http, run, text_of
from vaulttools import BadArgument
from vaulttools.cli.serve import parse
from vaulttools.server.application import FIRST, Mcp, Rooms, application
from vaulttools.server.callers import Alike, Callers, Tenants
from vaulttools.server.calls import Calls
from vaulttools.server.guard import Access
from vaulttools.server.oauth import kept, provider, room
from vaulttools.server.oauth.kept import KeptFile
from vaulttools.server.oauth.provider import Provider
from vaulttools.server.openapi import routes as openapi
from vaulttools.server.page import routes as page
from vaulttools.server.rest import routes as rest
from vaulttools.server.service import Service
from vaulttools.server.tokens import TokenFile
from vaulttools.server.vault_pool import VaultPool
from vaulttools.server.vaults import opened
from vaulttools.tools import NAMES

ISSUER = "https://notes.example"
BACK = "https://assistant.example/callback"
SECRET = "the-token-of-the-vault"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
FORM = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}
"""The headers of a form of our own pages, which send no referrer."""

Answers = httpx2.Response


class Clock:
    """Seconds since the epoch; a test moves it on."""

    def __init__(self) -> None:
        self.passed = 0.0

    def __call__(self) -> float:
        return time.time() + self.passed


class Server:
    """A server in this process, and what a program and a person do with it."""

    def __init__(self, callers: Callers, calls: Calls, file: Path, issuer: str = ISSUER) -> None:
        self.clock = Clock()
        self.file = file
        self.service = Service(callers, calls)
        self.service.sign_in = self.provider = Provider(KeptFile(file), callers, issuer, self.clock)
        rooms = Rooms(
            page.routes(self.service),
            rest.routes(self.service, FIRST),
            openapi.routes(self.service, NAMES),
            room.routes(self.provider),
        )
        mcp = Mcp(PlainTextResponse("mcp"), at_rest)
        self.app: ASGIApp = application(self.service, mcp, Access("127.0.0.1", [issuer]), rooms)
        self.issuer = issuer

    def ask(self, method: str, path: str, **given: Any) -> Answers:
        """The answer to one request."""

        async def one(client: httpx2.AsyncClient) -> list[Answers]:
            return [await client.request(method, f"{self.issuer}{path}", **given)]

        return talk(self.app, one)[0]

    def register(self, *addresses: str, **more: Any) -> Answers:
        """Register a program that gets its codes at these addresses."""
        named = {"client_name": "Assistant", "redirect_uris": [*addresses] or [BACK], **more}
        return self.ask("POST", "/register", json=named)

    def client(self) -> str:
        """The id of a program that has registered."""
        return str(self.register().json()["client_id"])

    def authorize(self, client: str, **changed: str | None) -> Answers:
        """Lead a person to the page; `changed` are other parameters, None leaves one out."""
        asked = {"client_id": client, "redirect_uri": BACK, "response_type": "code", "state": "s t&te"}
        asked |= {"code_challenge": CHALLENGE, "code_challenge_method": "S256", "resource": f"{self.issuer}/mcp"}
        return self.ask("GET", "/authorize", params={name: each for name, each in (asked | changed).items() if each})

    def log_in(self, shown: Answers, token: str = SECRET) -> Answers:
        """Fill the form with the token."""
        return self.ask("POST", "/oauth/login", data={"question": question(shown), "token": token}, headers=FORM)

    def consent(self, shown: Answers, decision: str = "allow", **headers: str) -> Answers:
        """Answer the question."""
        data = {"question": question(shown), "decision": decision}
        return self.ask("POST", "/oauth/consent", data=data, headers=FORM | headers)

    def code(self, client: str, token: str = SECRET, **changed: str | None) -> str:
        """A code that a person allowed."""
        gone = self.consent(self.log_in(self.authorize(client, **changed), token))
        assert gone.status_code == 303, gone.text
        return parse_qs(urlsplit(gone.headers["location"]).query)["code"][0]

    def exchange(self, client: str, code: str, changed: dict[str, str | None] | None = None) -> Answers:
        """Ask for tokens; `changed` as for `authorize`."""
        asked: dict[str, str | None] = {"grant_type": "authorization_code", "client_id": client, "code": code}
        asked |= {"redirect_uri": BACK, "code_verifier": VERIFIER, **(changed or {})}
        return self.ask("POST", "/token", data={name: each for name, each in asked.items() if each is not None})

    def tokens(self, client: str, token: str = SECRET, **changed: str | None) -> dict[str, Any]:
        """The tokens that a program gets."""
        given = self.exchange(client, self.code(client, token, **changed))
        assert given.status_code == 200, given.text
        return dict(given.json())

    def refresh(self, client: str, token: str) -> Answers:
        """Ask for new tokens."""
        asked = {"grant_type": "refresh_token", "client_id": client, "refresh_token": token}
        return self.ask("POST", "/token", data=asked)

    def mcp(self, token: str, path: str = "/mcp") -> int:
        """The status of a call with a token."""
        method = "POST" if path == "/mcp" else "GET"
        return self.ask(method, path, headers={"Authorization": f"Bearer {token}"}).status_code


def question(shown: Answers) -> str:
    """The hidden field of a form."""
    found = re.search(r'name="question" value="([^"]+)"', shown.text)
    assert found, shown.text
    return found[1]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server of one vault with one token."""
    write_files(tmp_path / "v", {"note.md": "needle\n"})
    calls = Calls()
    with opened({"v": str(tmp_path / "v")}, index="off") as vaults:
        yield Server(Alike(SECRET, vaults), calls, tmp_path / "data" / "oauth.json")
    calls.close()


@contextmanager
def hosted(folder: Path) -> Iterator[tuple[Server, TokenFile]]:
    """A server of the vaults a and b, and its tokens."""
    for name in "ab":
        write_files(folder / "vaults" / name, {"note.md": f"needle of {name}\n"})
    tokens, pool, calls = TokenFile(folder / "tokens.json"), VaultPool(str(folder / "vaults")), Calls()
    yield Server(Tenants(tokens, pool), calls, folder / "oauth.json"), tokens
    pool.close()
    calls.close()


class Storage:
    """What the SDK's client keeps."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Person:
    """Follows the link of the SDK's client, logs in and consents."""

    def __init__(self, token: str, vaults: str = "the vault v") -> None:
        """`vaults` is what the page must name."""
        self.token = token
        self.vaults = vaults
        self.asked = 0
        self._back = ""

    async def redirected(self, url: str) -> None:
        self.asked += 1
        async with httpx2.AsyncClient(headers=FORM) as browser:
            origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
            shown = await browser.get(url)
            data = {"question": question(shown), "token": self.token}
            shown = await browser.post(f"{origin}/oauth/login", data=data)
            assert f"It may read {self.vaults}," in shown.text and "The SDK&#39;s client" in shown.text
            data = {"question": question(shown), "decision": "allow"}
            self._back = (await browser.post(f"{origin}/oauth/consent", data=data)).headers["location"]

    async def came_back(self) -> AuthorizationCodeResult:
        assert self._back.startswith("http://127.0.0.1:1/callback?")
        given = parse_qs(urlsplit(self._back).query)
        assert set(given) == {"code", "state"}
        return AuthorizationCodeResult(code=given["code"][0], state=given["state"][0])


def test_the_client_of_the_sdk_registers_asks_calls_refreshes_and_revokes(tmp_path: Path) -> None:
    write_files(tmp_path / "v", {"note.md": "the needle\n"})
    port, person, storage = free_port(), Person(SECRET), Storage()
    origin = f"http://127.0.0.1:{port}"
    words = ["--vault", str(tmp_path / "v"), "serve", f":{port}", "--oauth", origin, "--no-index"]
    with http(*words, VAULTTOOLS_TOKEN=SECRET, XDG_DATA_HOME=str(tmp_path / "data")) as served:
        metadata = OAuthClientMetadata(
            client_name="The SDK's client", redirect_uris=[AnyUrl("http://127.0.0.1:1/callback")]
        )
        signs = OAuthClientProvider(f"{origin}/mcp", metadata, storage, person.redirected, person.came_back)

        async def called() -> str:
            async with (
                httpx2.AsyncClient(auth=signs) as client,
                Client(streamable_http_client(f"{origin}/mcp", http_client=client)) as session,
            ):
                return text_of(await session.call_tool("read", {"note": "note"}))

        assert "the needle" in run(called)
        assert person.asked == 1 and storage.client is not None and storage.tokens is not None
        assert storage.client.client_secret is None and storage.tokens.expires_in == 3600
        first = storage.tokens
        signs.context.token_expiry_time = time.time() - 1
        assert "the needle" in run(called)
        assert person.asked == 1
        assert storage.tokens.access_token != first.access_token
        assert storage.tokens.refresh_token != first.refresh_token
        bearer = {"Authorization": f"Bearer {first.access_token}"}
        assert httpx2.post(f"{origin}/mcp", headers=bearer).status_code == 401
        asked = {"token": storage.tokens.access_token, "client_id": storage.client.client_id}
        assert httpx2.post(f"{origin}/revoke", data=asked).status_code == 200
        bearer = {"Authorization": f"Bearer {storage.tokens.access_token}"}
        refused = httpx2.post(f"{origin}/mcp", headers=bearer)
        known = f'Bearer resource_metadata="{origin}/.well-known/oauth-protected-resource/mcp"'
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, known)
        assert httpx2.get(f"{origin}/vault/", headers={"Authorization": f"Bearer {SECRET}"}).status_code == 200
        texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "data").rglob("oauth.json")]
        secrets = [
            SECRET,
            *(each for given in (first, storage.tokens) for each in (given.access_token, given.refresh_token)),
        ]
        assert len(texts) == 1 and not [each for each in secrets if each is not None and each in texts[0]]
        assert "person" in run(lambda: fails(called, person))
    log = served.ended()[1]
    assert not [each for each in (SECRET, first.access_token, "code=", "state=") if each in log]


async def fails(called: Callable[[], Awaitable[str]], person: Person) -> str:
    """Says who was asked again, by a client whose tokens are revoked."""
    before = person.asked
    await called()
    return "person" if person.asked == before + 1 else "nobody"


def test_the_metadata_say_where_to_ask_and_that_pkce_is_needed(server: Server) -> None:
    known = server.ask("GET", "/.well-known/oauth-authorization-server").json()
    assert known["issuer"] == ISSUER and known["code_challenge_methods_supported"] == ["S256"]
    assert known["token_endpoint_auth_methods_supported"] == ["none"]
    for name in ("authorization", "token", "registration", "revocation"):
        assert known[f"{name}_endpoint"].startswith(f"{ISSUER}/")
    for path, resource in (("", "/mcp"), ("/mcp", "/mcp"), ("/v/any/mcp", "/v/any/mcp")):
        given = server.ask("GET", f"/.well-known/oauth-protected-resource{path}").json()
        assert given["resource"] == f"{ISSUER}{resource}" and given["authorization_servers"] == [ISSUER]
    assert server.ask("GET", "/.well-known/oauth-protected-resource/vault/note.md").status_code == 404


def test_a_person_logs_in_consents_and_the_program_calls(server: Server) -> None:
    client = server.client()
    form = server.authorize(client)
    assert "Assistant asks to read notes" in form.text and "https://assistant.example" in form.text
    assert "the vault v" not in form.text
    asked = server.log_in(form)
    assert "It may read the vault v" in asked.text
    gone = server.consent(asked)
    assert gone.headers["location"].startswith(f"{BACK}?code=") and gone.headers["cache-control"] == "no-store"
    assert parse_qs(urlsplit(gone.headers["location"]).query)["state"] == ["s t&te"]
    given = server.tokens(client)
    assert server.mcp(given["access_token"]) == 200
    assert server.mcp(SECRET) == 200


def test_a_person_who_says_no_gives_nothing(server: Server) -> None:
    gone = server.consent(server.log_in(server.authorize(server.client())), "deny")
    assert gone.headers["location"] == f"{BACK}?error=access_denied&state=s+t%26te"
    assert not server.file.exists()


REFUSED: list[dict[str, str | None]] = [
    {"redirect_uri": "https://evil.example/"},
    {"redirect_uri": f"{BACK}/more"},
    {"redirect_uri": f"{BACK}?x=1"},
    {"redirect_uri": "javascript:alert(1)"},
    {"client_id": "unknown"},
    {"client_id": None},
    {"response_type": "token"},
    {"code_challenge": None},
    {"code_challenge": "short"},
    {"code_challenge": VERIFIER + "=="},
    {"code_challenge_method": "plain"},
    {"resource": "https://other.example/mcp"},
    {"resource": f"{ISSUER}.evil.example/mcp"},
    {"resource": f"{ISSUER}/vault/"},
    {"state": "x" * 5_000},
    {"scope": "x" * 501},
]


@pytest.mark.parametrize("changed", REFUSED)
def test_a_request_that_is_refused_is_shown_and_leads_nowhere(server: Server, changed: dict[str, str | None]) -> None:
    answer = server.authorize(server.client(), **changed)
    assert answer.status_code == 400
    assert "location" not in answer.headers and "refresh" not in answer.headers
    assert "asked for something that is not possible" in answer.text
    assert "question" not in answer.text


@pytest.mark.parametrize(
    "address",
    ["http://assistant.example/", "javascript:alert(1)", "data:text/html,x", "https://a.example/#x", "file:///etc/passwd",
     "https://user@a.example/", "http://127.0.0.1.evil.example/", "cursor://a/b"],
)  # fmt: skip
def test_no_program_registers_an_address_that_others_can_listen_at(server: Server, address: str) -> None:
    assert server.register(address).status_code == 400
    assert server.register(BACK, address).status_code == 400


def test_programs_of_this_machine_register_a_port_of_their_own(server: Server) -> None:
    for address in ("http://localhost:1234/x", "http://127.0.0.1:5/", "http://[::1]:8/y", BACK):
        assert server.register(address).status_code == 201


def test_nobody_consents_without_the_token_of_the_vault(server: Server) -> None:
    shown = server.authorize(server.client())
    for token in ("", "wrong", SECRET[:-1]):
        again = server.log_in(shown, token)
        assert again.status_code == 401 and "This token is not known" in again.text
    unconsented = server.consent(shown)
    assert unconsented.status_code == 400 and "location" not in unconsented.headers
    cookie = f"vaulttools-443={server.service.logins.begin(SECRET)}"
    assert server.consent(server.authorize(server.client()), Cookie=cookie).status_code == 400
    for made_up in ("", "x", "asked:"):
        data = {"question": made_up, "decision": "allow", "token": SECRET}
        assert server.ask("POST", "/oauth/consent", data=data, headers=FORM).status_code == 400
    assert not server.file.exists()


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Origin": "null", "Sec-Fetch-Site": "cross-site"}, {"Origin": "null"},
     {"Origin": "http://notes.example"}, {"Origin": "http://localhost:6274"}],
)  # fmt: skip
def test_a_form_that_another_site_posts_is_refused(server: Server, headers: dict[str, str]) -> None:
    asked = server.log_in(server.authorize(server.client()))
    for path in ("/oauth/consent", "/oauth/login"):
        data = {"question": question(asked), "decision": "allow", "token": SECRET}
        refused = server.ask("POST", path, data=data, headers=headers)
        assert refused.status_code == 403 and "location" not in refused.headers
    assert not server.file.exists()
    assert server.consent(asked).status_code == 303


@pytest.mark.parametrize("path", ["/register", "/token", "/revoke", "/.well-known/oauth-protected-resource/mcp"])
@pytest.mark.parametrize(("origin", "is_allowed"), [("http://localhost:6274", True), ("https://evil.example", False)])
def test_programs_in_browsers_of_this_machine_sign_in_as_they_call_mcp(
    server: Server, path: str, origin: str, is_allowed: bool
) -> None:
    method = "GET" if path.startswith("/.well") else "POST"
    for asked, more in (("OPTIONS", {"Access-Control-Request-Method": method}), (method, {})):
        answer = server.ask(asked, path, headers={"Origin": origin, **more})
        assert (answer.status_code == 403) is not is_allowed
        assert answer.headers.get_list("access-control-allow-origin") == ([origin] if is_allowed else [])


@pytest.mark.parametrize(
    ("path", "status"), [("/oauth/login", 400), ("/oauth/consent", 400), ("/revoke", 401), ("/ui/login", 401)]
)
def test_a_form_with_too_many_fields_is_refused_as_an_empty_one(server: Server, path: str, status: int) -> None:
    assert server.ask("POST", path, data={f"f{n}": "x" for n in range(11)}, headers=FORM).status_code == status


def test_a_token_that_is_no_unicode_text_is_an_unknown_one(server: Server) -> None:
    client = server.client()
    given = server.tokens(client)
    asked = {"client_id": client, "grant_type": "refresh_token"}
    asked["refresh_token"] = given["refresh_token"].partition(".")[0] + ".+2AA-"  # half a character in UTF-7
    parts = [f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{each}' for name, each in asked.items()]
    headers = {"Content-Type": "multipart/form-data; boundary=x; charset=utf-7"}
    answer = server.ask("POST", "/token", content="\r\n".join([*parts, "--x--\r\n"]), headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


def test_a_question_is_answered_once_and_in_time(server: Server) -> None:
    client = server.client()
    asked = server.log_in(server.authorize(client))
    assert server.consent(asked).status_code == 303
    assert server.consent(asked).status_code == 400
    shown = server.authorize(client)
    late = server.log_in(server.authorize(client))
    server.clock.passed = provider.ASKED_SECONDS + 1
    assert "has ended" in server.log_in(shown).text
    assert server.consent(late).status_code == 400


def test_the_pages_cannot_be_framed_and_show_names_as_text(server: Server) -> None:
    client = server.register(client_name="<script>x</script>\u202e" + "long " * 200).json()["client_id"]
    for shown in (server.authorize(client), server.log_in(server.authorize(client))):
        assert "frame-ancestors 'none'" in shown.headers["content-security-policy"]
        assert "cross-origin-opener-policy" not in shown.headers
        assert shown.headers["cache-control"] == "no-store" and shown.headers["referrer-policy"] == "no-referrer"
        assert "<script>" not in shown.text and "\u202e" not in shown.text and len(shown.text) < 5_000


@pytest.mark.parametrize(
    "changed",
    [{"code_verifier": "w" * 43}, {"code_verifier": None}, {"redirect_uri": "https://evil.example/"},
     {"redirect_uri": None}, {"code": "unknown"}, {"client_id": "unknown"}, {"grant_type": "password"}],
)  # fmt: skip
def test_a_code_counts_with_its_verifier_its_address_and_its_program_alone(
    server: Server, changed: dict[str, str | None]
) -> None:
    client = server.client()
    refused = server.exchange(client, server.code(client), changed)
    assert refused.status_code in (400, 401) and "access_token" not in refused.text


def test_a_code_of_another_program_is_refused(server: Server) -> None:
    client, other = server.client(), server.client()
    code = server.code(client)
    assert server.exchange(other, code).json()["error"] in ("invalid_grant", "invalid_client")
    server.code(other)  # now it is kept, too
    assert server.exchange(other, code).json()["error"] == "invalid_grant"
    assert server.exchange(client, code).status_code == 200


def test_a_code_that_was_tried_with_a_wrong_verifier_is_spent(server: Server) -> None:
    client = server.client()
    code = server.code(client)
    assert server.exchange(client, code, {"code_verifier": "w" * 43}).status_code == 400
    assert server.exchange(client, code).status_code == 400


def test_a_code_that_comes_twice_ends_what_it_gave(server: Server) -> None:
    client = server.client()
    code = server.code(client)
    given = server.exchange(client, code).json()
    assert server.mcp(given["access_token"]) == 200
    assert server.exchange(client, code).json()["error"] == "invalid_grant"
    assert server.mcp(given["access_token"]) == 401
    assert server.refresh(client, given["refresh_token"]).status_code == 400


def test_a_code_ends_after_a_minute(server: Server) -> None:
    client = server.client()
    code = server.code(client)
    server.clock.passed = provider.CODE_SECONDS + 1
    assert server.exchange(client, code).json()["error"] == "invalid_grant"


def test_an_access_token_ends_after_an_hour_and_a_refresh_token_after_a_month(server: Server) -> None:
    client = server.client()
    given = server.tokens(client)
    server.clock.passed = provider.ACCESS_SECONDS - 5
    assert server.mcp(given["access_token"]) == 200
    server.clock.passed = provider.ACCESS_SECONDS + 1
    assert server.mcp(given["access_token"]) == 401
    new = server.refresh(client, given["refresh_token"]).json()
    assert server.mcp(new["access_token"]) == 200
    server.clock.passed += provider.REFRESH_SECONDS + 1
    assert server.refresh(client, new["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_refresh_token_that_comes_twice_ends_its_successors(server: Server) -> None:
    client = server.client()
    first = server.tokens(client)
    second = server.refresh(client, first["refresh_token"]).json()
    assert server.mcp(first["access_token"]) == 401
    third = server.refresh(client, second["refresh_token"]).json()
    assert server.mcp(third["access_token"]) == 200
    assert server.refresh(client, first["refresh_token"]).json()["error"] == "invalid_grant"
    assert server.mcp(third["access_token"]) == 401
    assert server.refresh(client, third["refresh_token"]).status_code == 400


def test_a_refresh_token_of_another_program_is_refused_and_goes_on(server: Server) -> None:
    client, other = server.client(), server.client()
    given, others = server.tokens(client), server.tokens(other)
    assert server.refresh(other, given["refresh_token"]).status_code == 400
    assert server.refresh(client, given["refresh_token"]).status_code == 200
    assert server.mcp(others["access_token"]) == 200


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_a_program_revokes_both_of_its_tokens_and_no_other(server: Server, kind: str) -> None:
    client, other = server.client(), server.client()
    given, others = server.tokens(client), server.tokens(other)
    for token, of in ((others[kind], client), ("unknown", client), (given[kind], client)):
        assert server.ask("POST", "/revoke", data={"token": token, "client_id": of}).status_code == 200
    assert server.mcp(given["access_token"]) == 401
    assert server.refresh(client, given["refresh_token"]).status_code == 400
    assert server.mcp(others["access_token"]) == 200


@pytest.mark.parametrize(
    "path", ["/vault/", "/vault/note.md", "/ui/", "/tags/", "/v/v/vault/note.md", "/openapi.json", "/openapi.yaml"]
)
def test_an_access_token_counts_at_mcp_alone(server: Server, path: str) -> None:
    given = server.tokens(server.client())
    assert server.mcp(given["access_token"], path) in (303, 401)
    assert server.mcp(SECRET, path) == 200


@pytest.mark.parametrize("path", ["/tools/read", "/v/v/tools/read"])
def test_an_access_token_calls_no_tools_by_plain_http(server: Server, path: str) -> None:
    given = server.tokens(server.client())
    for token, status in ((given["access_token"], 401), (SECRET, 200)):
        headers = {"Authorization": f"Bearer {token}"}
        assert server.ask("POST", path, json={"note": "note.md"}, headers=headers).status_code == status


@pytest.mark.parametrize(
    ("path", "sentence"),
    [("/mcp", "the vaults a, b"), ("", "the vaults a, b"), ("/v/b/mcp", "the vault b"), ("/v/c/mcp", "no vault")],
)
def test_a_person_is_told_which_vaults_the_program_will_see(tmp_path: Path, path: str, sentence: str) -> None:
    with hosted(tmp_path) as (server, tokens):
        token = tokens.add("one", ["a", "b"])
        asked = server.log_in(server.authorize(server.client(), resource=f"{ISSUER}{path}"), token)
        assert f"It may read {sentence}, and write nothing" in asked.text


def test_an_access_token_for_one_vault_counts_there_alone(tmp_path: Path) -> None:
    with hosted(tmp_path) as (server, tokens):
        token, client = tokens.add("one", ["a", "b"]), server.client()
        of_a = server.tokens(client, token, resource=f"{ISSUER}/v/a/mcp")["access_token"]
        of_all = server.tokens(client, token, resource=None)["access_token"]
        paths = ("/mcp", "/v/a/mcp", "/v/b/mcp", "/v/a/vault/", "/v/a%2fmcp")
        counts = [[server.provider.caller(each, path) is not None for path in paths] for each in (of_a, of_all)]
    assert counts == [[False, True, False, False, False], [True, True, True, False, False]]


def test_tokens_of_other_servers_are_refused(server: Server, tmp_path: Path) -> None:
    other = Server(server.service.callers, server.service.calls, server.file, "https://other.example")
    client = other.client()
    given = other.tokens(client)
    assert other.mcp(given["access_token"]) == 200
    assert server.mcp(given["access_token"]) == 401
    for token in (
        given["refresh_token"],
        given["access_token"] + "x",
        given["access_token"].partition(".")[0],
        "x.y",
        ".",
    ):
        assert other.mcp(token) == 401


def test_a_revoked_token_of_the_vault_ends_all_that_it_allowed(tmp_path: Path) -> None:
    with hosted(tmp_path) as (server, tokens):
        one, two = tokens.add("one", ["a"]), tokens.add("two", ["a", "b"])
        client, other = server.client(), server.client()
        of_one, of_two = server.tokens(client, one), server.tokens(other, two)
        code = server.code(client, one)
        asked = server.log_in(server.authorize(client), one)
        for given, vaults in ((of_one, ("a",)), (of_two, ("a", "b"))):
            caller = server.provider.caller(given["access_token"], "/mcp")
            assert caller is not None and caller.vaults.names == vaults
        tokens.revoke("one")
        tokens.add("one", ["a", "b"])
        assert server.mcp(of_one["access_token"]) == 401
        assert server.refresh(client, of_one["refresh_token"]).status_code == 400
        assert server.exchange(client, code).json()["error"] == "invalid_grant"
        assert server.consent(asked).status_code == 400
        assert server.mcp(of_two["access_token"]) == 200


@pytest.mark.not_on_windows("modes of files")
def test_sign_ins_outlast_a_restart_as_hashes_for_their_owner(server: Server) -> None:
    client = server.client()
    given = server.tokens(client)
    again = Server(server.service.callers, server.service.calls, server.file)
    assert again.mcp(given["access_token"]) == 200
    text = server.file.read_text(encoding="utf-8")
    assert not [each for each in (SECRET, given["access_token"], given["refresh_token"]) if each in text]
    assert server.file.stat().st_mode & 0o077 == 0
    assert again.refresh(client, given["refresh_token"]).status_code == 200


@pytest.mark.parametrize("text", ["broken", "{}", '{"grants": {"x": {}}}', "[" * 100_000])
def test_a_broken_file_lets_nobody_in(server: Server, text: str) -> None:
    client = server.client()
    given = server.tokens(client)
    server.file.write_text(text, encoding="utf-8")
    assert server.mcp(given["access_token"]) == 401
    assert server.refresh(client, given["refresh_token"]).status_code in (400, 401)
    assert server.mcp(SECRET) == 200


def test_registrations_are_bounded_and_stay_in_memory(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider, "WAITING", 5)
    kept_one = server.client()
    given = server.tokens(kept_one)
    clients = [server.client() for _ in range(7)]
    assert [server.authorize(client).status_code for client in clients] == [400] * 2 + [200] * 5
    assert server.mcp(given["access_token"]) == 200
    server.clock.passed = provider.REGISTERED_SECONDS + 1
    assert server.authorize(clients[-1]).status_code == 400
    assert server.register(client_name="x" * 2_048).status_code == 400
    assert len(json.loads(server.file.read_text(encoding="utf-8"))["clients"]) == 1
    questions = [server.authorize(kept_one) for _ in range(8)]
    assert "has ended" in server.log_in(questions[0]).text
    assert server.log_in(questions[-1]).status_code == 200


def test_strangers_drive_out_nobody_who_has_logged_in(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider, "WAITING", 5)
    client = server.client()
    asked = server.log_in(server.authorize(client))
    for _ in range(6):
        server.authorize(server.client())
    gone = server.consent(asked)
    server.register()
    code = parse_qs(urlsplit(gone.headers["location"]).query)["code"][0]
    assert server.exchange(client, code).status_code == 200


def test_what_is_kept_is_bounded_and_no_owner_drives_out_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "OF_ONE", 3)
    monkeypatch.setattr(kept, "MOST", 5)
    with hosted(tmp_path) as (server, tokens):
        one, two, three = (tokens.add(name, ["a"]) for name in ("one", "two", "three"))
        other, client = server.client(), server.client()
        of_two, used = server.tokens(other, two), server.tokens(client, one)
        for _ in range(2):
            server.tokens(server.client(), one)
        used = server.refresh(client, used["refresh_token"]).json()
        for _ in range(2):
            server.tokens(server.client(), one)
        assert [server.mcp(each["access_token"]) for each in (of_two, used)] == [200, 200]
        used = server.refresh(client, used["refresh_token"]).json()
        held = json.loads(server.file.read_text(encoding="utf-8"))
        assert (len(held["clients"]), len(held["grants"])) == (4, 4)
        for _ in range(2):
            server.tokens(server.client(), three)
        assert [server.mcp(each["access_token"]) for each in (of_two, used)] == [401, 200]


def test_the_largest_that_may_be_kept_can_be_read_again(tmp_path: Path) -> None:
    client = kept.Client(client_id="c" * 36, redirect_uris=[AnyUrl(f"https://a.example/{'x' * 1_900}")], owner="0" * 64)
    assert len(client.model_dump_json(exclude_none=True)) > provider.CLIENT_BYTES
    ends = 1_900_000_000.123456
    grant = kept.Grant(client=client.client_id, owner="", resource=f"{ISSUER}/v/{'r' * 1_000}/mcp", access="0" * 64,
                       access_ends=ends, refresh="0" * 64, refresh_ends=ends,
                       scopes=["\x01"] * (provider.SCOPE_CHARACTERS // 2))  # fmt: skip
    file = KeptFile(tmp_path / "oauth.json")
    with file.changed() as held:
        for number in range(kept.MOST):
            held.clients[f"{number:036}"] = client.model_copy(update={"owner": f"{number:064}"})
            held.grants[f"{number:022}"] = grant.model_copy(update={"owner": f"{number:064}"})
    assert len(file.read().grants) == len(file.read().clients) == kept.MOST


def test_without_the_option_nothing_of_it_is_there(tmp_path: Path) -> None:
    write_files(tmp_path, {"note.md": "needle\n"})
    calls = Calls()
    with opened({"v": str(tmp_path)}, index="off") as vaults:
        service = Service(Alike(SECRET, vaults), calls)
        rooms = Rooms(page.routes(service), rest.routes(service, FIRST))
        app = application(service, Mcp(PlainTextResponse("mcp"), at_rest), Access("127.0.0.1"), rooms)

        async def asked(client: httpx2.AsyncClient) -> list[Answers]:
            paths = (
                "/authorize",
                "/.well-known/oauth-authorization-server",
                "/.well-known/oauth-protected-resource/mcp",
            )
            posts = [await client.post(path) for path in ("/token", "/register", "/revoke", "/oauth/login", "/mcp")]
            return [*[await client.get(path) for path in paths], *posts]

        answers = talk(app, asked)
    calls.close()
    assert [answer.status_code for answer in answers] == [401] * 8
    assert answers[-1].headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "given",
    ["notes.example", "http://notes.example", "https://notes.example/", "https://notes.example/x", "https://a@notes.example",
     "https://notes.example?x", "ftp://x", "https://", "https://[x", "https://Notes.example",
     "https://notes.example:443", "http://localhost:80", "https://n\u00f6tes.example", "http://127.0.0.2:9"],
)  # fmt: skip
def test_the_origin_is_one_to_which_a_browser_may_send_a_token(given: str) -> None:
    expected = f"--oauth takes the server's public origin, such as https://notes.example, got '{given}'"
    with pytest.raises(BadArgument, match=f"^{re.escape(expected)}$"):
        parse([":1", "--oauth", given], ["V"])


@pytest.mark.parametrize(
    "given", [ISSUER, f"{ISSUER}:8443", "https://xn--ntes-5qa.example", "http://localhost:1", "http://[::1]:8765"]
)
def test_an_origin_is_taken_as_programs_write_it(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("VAULTTOOLS_TOKEN", SECRET)
    assert parse([":1", "--oauth", given], ["V"]).oauth == given


def test_a_token_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VAULTTOOLS_TOKEN", raising=False)
    with pytest.raises(BadArgument, match=r"^Who consents by --oauth shows a token: give a token by VAULTTOOLS_TOKEN"):
        parse([":1", "--oauth", ISSUER], ["V"])
