"""The description of the REST routes: valid, complete, and true of the answers."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx2
import pytest
import yaml
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from starlette.routing import Route
from starlette.types import ASGIApp

from tests.server.asking import Serve, ask
from vaulttools.server.callers import Alike
from vaulttools.server.calls import Calls
from vaulttools.server.rest.description import OPERATIONS, REFUSALS, document
from vaulttools.server.rest.files import MAP, NOTE
from vaulttools.server.rest.routes import routes
from vaulttools.server.rest.searches import DATAVIEW, JSONLOGIC
from vaulttools.server.service import Service
from vaulttools.server.vaults import Vaults

KEY = {"Authorization": "Bearer key"}
RECENT = "TABLE file.mtime WHERE file.mtime >= date(today) - dur(9 days) SORT file.mtime DESC LIMIT 5"


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    whole: dict[str, Any] = yaml.safe_load(document())
    return whole


@pytest.fixture(scope="module")
def app(serve: Serve) -> ASGIApp:
    files = {"plan.md": "---\ndue: 2026-11-20\n---\n# Plan\n\n## A\n\na #tag [[b]]. ^id\n", "2026-11-20.md": "a day\n"}
    return serve("key", notes=files | {"a/b.txt": "text", "dot.png": b"\x89PNG\r\n"})


@pytest.mark.parametrize("needs_token", [True, False])
def test_it_is_openapi(needs_token: bool) -> None:
    whole = yaml.safe_load(document(needs_token=needs_token))
    validate(whole)
    assert ("401" in whole["paths"]["/tags/"]["get"]["responses"]) == needs_token


def test_it_describes_the_routes_and_no_others() -> None:
    service = Service(Alike(None, Vaults((), lambda _: None)), Calls())  # type: ignore[arg-type, return-value]
    *answered, rest = (each for each in routes(service, None) if isinstance(each, Route))
    assert rest.path == "/{path:path}"
    there = {
        (re.sub(r":\w+", "", each.path).rstrip("/"), method.lower())
        for each in answered
        for method in (each.methods or set()) - {"HEAD"}
    }
    assert there == {(path.rstrip("/"), method) for path, method in OPERATIONS}


CASES: list[tuple[str, str, str, int, dict[str, Any]]] = [
    ("GET", "/", "/", 200, {}),
    ("GET", "/vault/", "/vault/", 200, {}),
    ("GET", "/vault/{path}", "/vault/a/", 200, {}),
    ("GET", "/vault/{path}", "/vault/a%2Fb.txt", 200, {}),
    ("GET", "/vault/{path}", "/vault/dot.png", 200, {}),
    ("GET", "/vault/{path}", "/vault/plan.md", 200, {}),
    ("GET", "/vault/{path}", "/vault/plan.md", 200, {"Accept": NOTE}),
    ("GET", "/vault/{path}", "/vault/plan.md", 200, {"Accept": MAP}),
    ("GET", "/vault/{path}", "/vault/plan.md", 200, {"Accept": MAP, "Markdown-Patch-Version": "1"}),
    ("GET", "/vault/{path}", "/vault/plan.md/heading/Plan/A", 200, {}),
    ("GET", "/vault/{path}", "/vault/plan.md/frontmatter/due", 200, {}),
    ("GET", "/vault/{path}", "/vault/plan.md", 400, {"Target-Type": "x"}),
    ("GET", "/vault/{path}", "/vault/none.md", 404, {}),
    ("GET", "/vault/{path}", "/vault/plan.md", 406, {"Accept": "text/html"}),
    ("GET", "/tags/", "/tags/", 200, {}),
    ("GET", "/tags/", "/tags/", 401, {"Authorization": "Bearer x"}),
    ("GET", "/tags/", "/tags/", 403, {"Origin": "https://evil.example"}),
    ("GET", "/tags/", "/tags/", 413, {"Content-Length": "99999999"}),
    ("GET", "/tags/", "/tags/", 421, {"Host": "evil.example"}),
    ("GET", "/tags/", "/v/none/tags/", 404, {}),
    ("GET", "/periodic/{period}/", "/periodic/yearly/", 404, {}),
    ("GET", "/periodic/{period}/{year}/{month}/{day}/", "/periodic/daily/2026/11/20/", 200, {}),
    ("GET", "/periodic/{period}/{year}/{month}/{day}/", "/periodic/daily/2026/13/20/", 400, {}),
    ("GET", "/periodic/{period}/recent", "/periodic/daily/recent?includeContent=true", 200, {}),
    ("GET", "/periodic/{period}/recent", "/periodic/daily/recent?limit=x", 400, {}),
    ("GET", "/commands/", "/commands/", 200, {}),
    ("GET", "/openapi.yaml", "/openapi.yaml", 200, {}),
    ("POST", "/search/simple/", "/search/simple/?query=plan", 200, {}),
    ("POST", "/search/simple/", "/search/simple/?query=", 400, {}),
    ("POST", "/search/", '/search/ {"glob": ["*.md", {"var": "path"}]}', 200, {"Content-Type": JSONLOGIC}),
    ("POST", "/search/", f"/search/ {RECENT}", 200, {"Content-Type": DATAVIEW}),
    ("POST", "/search/", "/search/ {", 400, {"Content-Type": JSONLOGIC}),
    ("POST", "/search/smart", '/search/smart {"query": "a day"}', 200, {}),
    ("POST", "/search/smart", "/search/smart []", 400, {}),
]
"""Requests with the path that describes them; a body is behind the address."""


@pytest.mark.parametrize(("method", "path", "asked", "status", "headers"), CASES)
def test_an_answer_is_as_described(
    app: ASGIApp, described: dict[str, Any], method: str, path: str, asked: str, status: int, headers: dict[str, str]
) -> None:
    address, _, body = asked.partition(" ")
    answer = ask(app, method, address, headers={**KEY, **headers}, **({"content": body} if body else {}))
    assert answer.status_code == status, answer.text
    said = described["paths"][path][method.lower()]["responses"][str(status)]
    if "$ref" in said:
        said = described["components"]["responses"][said["$ref"].rpartition("/")[2]]
    kind = answer.headers["content-type"].partition(";")[0]
    content = said["content"].get(kind, said["content"].get("*/*"))
    assert content is not None, kind
    if "json" in kind:
        schema = {**content["schema"], "components": described["components"]}
        Draft202012Validator(schema).validate(json.loads(answer.text))
    if kind == "application/json" and path == "/vault/{path}" and asked.endswith("/"):
        Draft202012Validator(described["components"]["schemas"]["Listing"]).validate(answer.json())


def test_each_refusal_is_possible() -> None:
    assert {status for *_, status, _ in CASES if status != 200} | {500, 503} == {*REFUSALS}


def test_it_is_the_same_for_every_vault_and_names_none(serve: Serve) -> None:
    several = serve("key", curious={"a.md": ""}, unheard={"b.md": ""})

    def got(path: str) -> httpx2.Response:
        return ask(several, "GET", path, headers=KEY)

    for name in ("openapi.yaml", "openapi.json"):
        texts = {got(f"{vault}/{name}").text for vault in ("", "/v/curious", "/v/unheard")}
        assert len(texts) == 1 and not re.search("curious|unheard", texts.pop())
        assert got(f"/v/none/{name}").status_code == 404 and ask(several, "GET", f"/{name}").status_code == 401
