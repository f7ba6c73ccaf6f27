"""The map of a vault: the folders, notes and links in its tables, and those that its script draws."""

from __future__ import annotations

import re
from html import unescape

import pytest
from starlette.types import ASGIApp

from tests.server.asking import Serve, ask
from vaulttools.errors import Cancelled
from vaulttools.server.page import vault_map
from vaulttools.server.page.asking import NOT_YET

FILES = {
    "Home.md": "[[Plan]] [[Plan]] [[Home]] [[gone]]\n",
    "Projects/Plan.md": "[[Soil]] [[Home]]\n",
    "Projects/Soil.md": "![[Plan]]\n",
    "Projects/Old/Beds.md": "[[Soil]]\n",
    "alone.md": "text\n",
}


@pytest.fixture(scope="module")
def app(serve: Serve) -> ASGIApp:
    return serve(notes=FILES)


def rows(app: ASGIApp, path: str) -> list[list[str]]:
    """The rows of the tables of a page."""
    found = re.findall("<tr>(.*?)</tr>", ask(app, "GET", path).text, re.DOTALL)
    return [[unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall("<t[hd].*?</t[hd]>", row)] for row in found]


def test_the_tables_count_the_links_of_folders_and_of_notes(app: ASGIApp) -> None:
    assert rows(app, "/ui/map/") == [
        ["Name", "Notes", "Links inside", "Links out", "Links in"],
        ["Projects", "3", "3", "1", "1"],
        ["Name", "Links out", "Links in"],
        ["Home", "1", "1"],
        ["alone", "0", "0"],
    ]
    assert "5 notes, 5 links between them" in ask(app, "GET", "/ui/map/").text


def test_a_map_that_is_not_known_yet_counts_nothing(app: ASGIApp, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(_: object) -> None:
        raise Cancelled

    monkeypatch.setattr(vault_map, "_known", late)
    shown = ask(app, "GET", "/ui/map/").text
    assert NOT_YET in shown and "between them" not in shown and "0 notes" not in shown


def test_a_folder_has_a_map_of_its_own(app: ASGIApp) -> None:
    assert rows(app, "/ui/map/Projects")[1:] == [
        ["Old", "1", "0", "1", "0"],
        ["Name", "Links out", "Links in"],
        ["Soil", "1", "2"],
        ["Plan", "1", "1"],
    ]
    assert ask(app, "GET", "/ui/map/Nowhere").status_code == 404


def test_the_script_is_given_names_and_places(app: ASGIApp) -> None:
    assert ask(app, "GET", "/ui/map-drawing/").json() == {
        "folders": [["", -1], ["Projects", 0], ["Old", 1]],
        "counts": [2, 2, 1],
        "notes": [["Home.md", 0], ["Beds.md", 2], ["Plan.md", 1], ["Soil.md", 1], ["alone.md", 0]],
        "links": [[2], [3], [0, 3], [2], []],
    }


def test_of_very_many_notes_only_the_folders_are_drawn(app: ASGIApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vault_map, "DRAWN", 4)
    drawing = ask(app, "GET", "/ui/map-drawing/").json()
    assert (drawing["notes"], drawing["links"], drawing["counts"]) == ([], [], [2, 2, 1])
    assert "so many notes are drawn as folders alone" in ask(app, "GET", "/ui/map/").text
