"""Pages of bases and canvases in Chromium: at three widths, in light and dark, by keyboard, without JavaScript.

Needs the extra `browser` and a `chromium` on the path; skipped where either is missing.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.server.page.conftest import OpenPage, tab_to

pytest.importorskip("playwright", reason="needs the extra: pip install 'vaulttools[browser]'")
from playwright.sync_api import expect

expect.set_options(timeout=30_000)  # a busy machine is slow

WORDS = "a long text of several words "
CARDS = [
    {"id": "g", "type": "group", "x": -20, "y": -20, "width": 900, "height": 400, "label": "Winter"},
    {
        "id": "a",
        "type": "text",
        "x": 0,
        "y": 0,
        "width": 200,
        "height": 100,
        "text": "# First\n\n[[Plan]]",
        "color": "1",
    },
    {"id": "b", "type": "file", "x": 300, "y": 0, "width": 200, "height": 100, "file": "Plan.md"},
    {"id": "c", "type": "link", "x": 600, "y": 0, "width": 200, "height": 100, "url": "https://a.example/" + "x" * 90},
    {"id": "d", "type": "file", "x": 0, "y": 200, "width": 200, "height": 100, "file": "All.base"},
]
FILES = {
    "Plan.md": f"---\nprice: 2\ndone: true\ntags: [a/b]\nauthor: '[[Home]]'\nlong: {WORDS * 4}\n---\n{WORDS}\n",
    **{f"Items/{at}.md": f"---\nprice: {at}\ndone: false\nlong: {WORDS * 3}\n---\n" for at in range(150)},
    "All.base": "formulas: {bad: price.nothing()}\nviews:\n"
    "  - {name: Everything, order: [file.name, price, done, author, tags, long, formula.bad, file.mtime]}\n"
    "  - {name: By kind, groupBy: done, order: [price, done], summaries: {note.price: Sum}}\n"
    "  - {name: Broken, filters: 'price <'}\n",
    "Board.canvas": json.dumps({"nodes": CARDS, "edges": [{"fromNode": "a", "toNode": "b", "label": "needs"}]}),
    "Home.md": "# Home\n\n![[All.base]]\n\n![[Board.canvas]]\n\n```base\nviews: [{name: One, limit: 3}]\n```\n",
    "scan.pdf": "no text",
}
PAGES = (
    "/ui/note/All.base",
    "/ui/note/All.base?view=By%20kind&page=2",
    "/ui/note/All.base?view=Broken",
    "/ui/note/Board.canvas",
    "/ui/note/Home.md",
    "/ui/note/scan.pdf",
    "/ui/folder/",
)


@pytest.mark.parametrize("width", [390, 820, 1280])
def test_a_page_is_as_wide_as_the_window_and_says_nothing_to_the_console(open_page: OpenPage, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 900})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    wider = []
    for path in PAGES:
        page.goto(path)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wider.append(path)
    assert (wider, said) == ([], [])


def test_on_a_phone_a_table_scrolls_beside_the_names_of_its_rows(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 390, "height": 900})
    page.goto("/ui/note/All.base")
    page.locator(".n-table").evaluate("element => element.scrollLeft = 500")
    expect(page.locator("tbody th").first).to_be_in_viewport(ratio=0.9)
    assert page.locator("tbody td:has(.n-error)").first.evaluate("cell => cell.getClientRects()[0].height") < 120


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_page: OpenPage, scheme: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the extra browser").Axe()
    page = open_page(color_scheme=scheme, bypass_csp=True)
    found = []
    for path in PAGES:
        page.goto(path)
        found += [
            (path, each["id"], each["impact"], [node["html"] for node in each["nodes"]][:3])
            for each in axe.run(page).response["violations"]
        ]
    assert found == []


def test_views_cards_and_rows_are_reached_by_keyboard(open_page: OpenPage) -> None:
    page = open_page()
    page.goto("/ui/note/Home.md")
    tab_to(page, page.get_by_role("link", name="By kind", exact=True).first)
    page.keyboard.press("Enter")
    expect(page.locator(".n-views [aria-current]").first).to_have_text("By kind")
    expect(page).to_have_url(re.compile(r"Home\.md\?view=By%20kind#s-part-1$"))
    expect(page.locator("#s-part-1")).to_be_in_viewport()
    page.goto("/ui/note/Board.canvas")
    tab_to(page, page.locator("article").get_by_role("link", name="Plan", exact=True).first)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Plan")


def test_views_and_further_rows_need_no_javascript(open_page: OpenPage) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/ui/folder/")
    page.get_by_role("link", name="All base").click()
    expect(page.locator("caption")).to_have_text("Rows 1 to 100 of 155")
    page.get_by_role("link", name="More").click()
    expect(page.locator("caption")).to_have_text("Rows 101 to 155 of 155")
    page.get_by_role("link", name="By kind").click()
    expect(page.get_by_role("rowheader").first).to_contain_text("150")
    page.get_by_role("link", name="Broken").click()
    expect(page.locator(".n-error")).to_contain_text("A value is missing")


def test_a_connection_leads_to_its_card(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 390, "height": 700})
    page.goto("/ui/note/Board.canvas")
    page.locator(".n-edges").first.get_by_role("link", name="Plan").click()
    expect(page.locator(".n-card:target")).to_contain_text("← First: needs")
    expect(page.locator(".n-card:target")).to_be_in_viewport()
