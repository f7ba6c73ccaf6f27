"""Omnisearch's port: its clients get answers, and others get nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from starlette.types import ASGIApp

from benchmarks.balanced import free_port
from tests.conftest import write_files
from tests.server.asking import ask
from vaulttools.server.calls import Calls
from vaulttools.server.listener import beside
from vaulttools.server.rest.omnisearch import application
from vaulttools.server.vaults import opened


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ASGIApp]:
    folder: Path = tmp_path_factory.mktemp("omnisearch")
    write_files(folder, {"a/Cellars.md": "# 🚀 Damp\n\nThe cellars are damp.\n", "b.md": "Nothing.\n"})
    with opened({"notes": str(folder)}, index="off") as vaults:
        calls = Calls()
        yield application(vaults, calls, ["https://notes.example"])
        calls.close()


def test_the_notes_that_answer_have_the_form_that_the_plugin_gives(app: ASGIApp) -> None:
    (found,) = ask(app, "GET", "/search?q=damp+cellars").json()
    score = found.pop("score")
    assert score > 0
    assert found.pop("excerpt").endswith("The cellars are damp.")
    assert found == {
        "vault": "notes",
        "path": "a/Cellars.md",
        "basename": "Cellars",
        "foundWords": ["damp", "cellars"],
        "matches": [{"match": "Damp", "offset": 5}, {"match": "cellars", "offset": 15}],
    }


def test_an_empty_question_asks_whether_anybody_is_there(app: ASGIApp) -> None:
    answer = ask(app, "GET", "/search?q=")
    assert (answer.status_code, answer.json(), answer.headers["content-type"]) == (200, [], "application/json")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://notes.example"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:9"}, 403),
        ({"Host": "evil.example"}, 421),
    ],
)
def test_no_other_page_may_ask(app: ASGIApp, headers: dict[str, str], status: int) -> None:
    assert ask(app, "GET", "/search?q=", headers=headers).status_code == status


def test_it_answers_at_a_port_of_its_own(app: ASGIApp) -> None:
    port = free_port()
    with beside(app, port), httpx2.Client(transport=httpx2.HTTPTransport(retries=5)) as client:
        assert client.get(f"http://127.0.0.1:{port}/search?q=").json() == []
