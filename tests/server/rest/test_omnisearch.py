"""Omnisearch's port: its clients get answers, and others get nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

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
    write_files(
        folder,
        {
            "a/Cellars.md": "# 🚀 Damp\n\nThe cellars are damp.\n",
            "b.md": "Nothing.\n",
            "c.md": "# Le Chatelier\n\nState-of-the-art.\n",
            "d.md": "Music#intro, C#.\n",
        },
    )
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
        "matches": [
            {"match": "Damp", "offset": 5},
            {"match": "cellars", "offset": 15},
            {"match": "damp", "offset": 27},
        ],
    }


@pytest.mark.parametrize(
    ("question", "marked"),
    [
        ('"the cellars are"', [("The cellars are", 11)]),  # a phrase is one place
        ("cellar", [("cellars", 15)]),  # another form of the word
        ("châtelier", [("Chatelier", 5)]),
        ("chatelier", [("Chatelier", 5)]),
        ('"state-of-the-art"', [("State-of-the-art", 16)]),
        ("c#", [("C#", 13)]),
    ],
)
def test_what_was_found_is_marked_as_it_is_written(app: ASGIApp, question: str, marked: list[tuple[str, int]]) -> None:
    found = ask(app, "GET", f"/search?q={quote(question)}").json()
    places = [(each["match"], each["offset"]) for note in found for each in note["matches"]]
    assert places == marked
    assert [each for note in found for each in note["foundWords"]] == [word.lower() for word, _ in marked]


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
