"""One server: what it answers to whom, in which form it refuses, and what it logs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from tests.conftest import FIXTURES
from tests.server.asking import ORIGIN, ask, at_rest
from vaulttools.server.application import AccessLog, Mcp, Rooms, application
from vaulttools.server.callers import Alike
from vaulttools.server.calls import Calls
from vaulttools.server.guard import Access
from vaulttools.server.rest import answering, routes
from vaulttools.server.service import Service
from vaulttools.server.vaults import opened

TOKEN = "correct horse battery"
KEY = {"Authorization": f"Bearer {TOKEN}"}
READ_ONLY = {"errorCode": 40300, "message": answering.READ_ONLY}
UNAUTHORIZED = {"errorCode": 40101, "message": answering.UNAUTHORIZED}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with opened({"notes": str(FIXTURES / "vault")}, index="off") as vaults:
        calls = Calls()
        yield Service(Alike(TOKEN, vaults), calls)
        calls.close()


@pytest.fixture(scope="module")
def app(service: Service) -> ASGIApp:
    async def path(request: Request) -> PlainTextResponse:
        return PlainTextResponse(await service.run(request, lambda vault, cancel: vault.path.name))

    async def broken(request: Request) -> PlainTextResponse:
        raise ValueError("a text of a note")

    page = [Route("/", path), Route("/broken", broken), Route("/login", path)]
    rooms = Rooms(page, routes.routes(service, "/ui/"))
    mcp = Mcp(PlainTextResponse("mcp"), at_rest)
    return application(service, mcp, Access("127.0.0.1", ["https://notes.example"]), rooms)


def test_a_request_means_the_vault_of_its_path_or_the_only_one(app: ASGIApp) -> None:
    assert ask(app, "GET", "/ui/", headers=KEY).text == "vault"
    assert ask(app, "GET", "/v/notes/ui/", headers=KEY).text == "vault"
    assert ask(app, "GET", "/healthz").text == "ok"
    for path in ("/mcp", "/v/notes/mcp"):
        assert ask(app, "GET", path, headers=KEY).text == "mcp"
    assert ask(app, "GET", "/v/none/mcp", headers=KEY).status_code == 404


def test_the_first_request_of_clients_is_answered_to_everybody_and_reveals_nothing(app: ASGIApp) -> None:
    answer = ask(app, "GET", "/")
    assert answer.json()["service"] == "Obsidian Local REST API" and answer.json()["status"] == "OK"
    assert (answer.json()["authenticated"], "apiExtensions" in answer.json()) == (False, False)
    assert "vault" not in answer.text.replace("vaulttools", "") and str(FIXTURES) not in answer.text
    assert ask(app, "GET", "/", headers=KEY).json()["authenticated"] is True
    browser = ask(app, "GET", "/", headers={"Accept": "text/html,*/*"})
    assert (browser.status_code, browser.headers["location"]) == (303, "/ui/")


@pytest.mark.parametrize("method", ["PUT", "POST", "PATCH", "DELETE", "MOVE", "TRACE", "PROPFIND"])
@pytest.mark.parametrize(
    "path", ["/", "/vault/inbox.md", "/active/", "/commands/x/", "/open/a.md", "/v/notes/x", "/ui/", "/healthz"]
)
def test_whatever_would_write_is_refused(app: ASGIApp, method: str, path: str) -> None:
    answer = ask(app, method, path, headers=KEY)
    if (method, path) == ("POST", "/"):  # clients of MCP ask there
        assert (answer.status_code, answer.json()["errorCode"]) == (404, 40400)
    else:
        assert (answer.status_code, answer.json()) == (403, READ_ONLY)


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer x"}, {"Cookie": "vaulttools-8765=x"}])
def test_without_the_token_each_room_refuses_in_its_form(app: ASGIApp, headers: dict[str, str]) -> None:
    rest = ask(app, "GET", "/vault/", headers=headers)
    assert (rest.status_code, rest.json()) == (401, UNAUTHORIZED)
    for path in ("/mcp", "/v/notes/mcp", "/v/none/mcp"):
        mcp = ask(app, "POST", path, headers=headers)
        assert (mcp.status_code, mcp.text) == (401, "A bearer token is required")
    for path in ("/ui/", "/v/notes/ui/", "/v/none/ui/"):
        page = ask(app, "GET", path, headers=headers)
        assert (page.status_code, page.headers["location"]) == (303, f"/ui/login?to={path}")


@pytest.mark.parametrize(
    ("origin", "rest", "mcp"),
    [
        (ORIGIN, 404, 200),
        ("https://notes.example", 404, 200),
        # another port of this machine is another program
        ("http://127.0.0.1:9", 403, 200),
        ("app://obsidian.md", 403, 200),
        ("https://evil.example", 403, 403),
        ("null", 403, 403),
    ],
)
def test_pages_of_other_origins_may_not_ask(app: ASGIApp, origin: str, rest: int, mcp: int) -> None:
    headers = {**KEY, "Origin": origin}
    answer = ask(app, "GET", "/nothing", headers=headers)
    assert answer.status_code == rest
    is_allowed = answer.headers.get("access-control-allow-origin") == origin
    assert is_allowed == (origin == "https://notes.example")
    for path in ("/mcp", "/v/notes/mcp"):
        assert ask(app, "GET", path, headers=headers).status_code == mcp


def test_a_foreign_host_is_refused_in_the_form_of_rest(app: ASGIApp) -> None:
    answer = ask(app, "GET", "/", headers={**KEY, "Host": "evil.example"})
    assert (answer.status_code, answer.json()["errorCode"]) == (421, 42100)


@pytest.mark.parametrize(
    ("site", "status"), [(None, 200), ("none", 200), ("same-origin", 200), ("same-site", 303), ("cross-site", 303)]
)
def test_a_cookie_counts_for_our_own_pages_only(app: ASGIApp, service: Service, site: str | None, status: int) -> None:
    cookie = service.logins.begin(TOKEN)
    headers = {"Cookie": f"vaulttools-8765={cookie}", **({} if site is None else {"Sec-Fetch-Site": site})}
    assert ask(app, "GET", "/ui/", headers=headers).status_code == status
    for path in ("/mcp", "/v/notes/mcp", "/mcp%0A", "/v/notes/mcp%0A"):
        assert ask(app, "POST", path, headers=headers).status_code == 401
    service.logins.end(cookie)
    assert ask(app, "GET", "/ui/", headers=headers).status_code == 303


def test_an_error_of_ours_is_reported_without_its_details(app: ASGIApp) -> None:
    answer = ask(app, "GET", "/ui/broken", headers=KEY)
    assert (answer.status_code, answer.json()["errorCode"]) == (500, 50000)
    assert "a text" not in answer.text


def test_the_log_has_no_query_no_token_and_no_text(app: ASGIApp) -> None:
    lines: list[str] = []
    logged = AccessLog(app, lines.append)
    ask(logged, "GET", f"/ui/?q=secret&token={TOKEN}", headers=KEY)
    ask(logged, "GET", "/vault/caf%C3%A9%0A%1b.md", headers=KEY)
    ask(logged, "PUT", "/vault/a.md", headers=KEY, content=b"text of a note")
    assert [line.split(" ", 1)[1].rsplit(" ", 1)[0] for line in lines] == [
        "127.0.0.1 - GET /ui/ 200 5",
        "127.0.0.1 - GET /vault/caf%C3%A9%0A%1b.md 404 41",
        f"127.0.0.1 - PUT /vault/a.md 403 {len(ask(app, 'PUT', '/', headers=KEY).content)}",
    ]
