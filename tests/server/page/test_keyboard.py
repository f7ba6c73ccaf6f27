"""What a person does with the pages, each by the keyboard alone: no test here touches the mouse.

Whatever has the focus is seen to have it, and the focus is never lost.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import write_files
from tests.server.page.conftest import OpenPage, tab_to
from tests.server.serving import http

pytest.importorskip("playwright", reason="needs the extra: pip install 'vaulttools[browser]'")
from playwright.sync_api import Page, expect

expect.set_options(timeout=30_000)  # a busy machine is slow

TOKEN = "correct horse battery"
FIXTURES = Path(__file__).parents[3] / "fixtures"
FILES = {
    "Beds.md": "# Beds\n\n## East\n\nFour beds of larch.\n\n## West\n\nTwo beds of larch, see [[Soil]].\n"
    + "\n\nmore\n" * 60,
    "Soil.md": "Loam.\n\n- [ ] dig 📅 2020-01-01\n- [ ] rake 📅 2999-01-01\n- [x] plant\n\n[[Beds]]\n",
    **{f"Logs/{number}.md": f"Log of larch, {number}.\n" for number in range(25)},
}


def test_the_first_result_is_opened(page: Page) -> None:
    page.goto("/ui/")
    page.keyboard.type("west larch")
    expect(page.locator("a.result .name").first).to_have_text("Beds")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Beds")


def test_the_second_passage_is_opened(page: Page) -> None:
    page.goto("/ui/?q=beds of larch&mode=text")
    page.keyboard.press("/")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    expect(page.locator(":focus")).to_have_text("West")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"Beds\.md\?line=9#s-here"))


def test_more_results_are_asked_for_and_the_first_new_one_has_the_focus(page: Page) -> None:
    page.goto("/ui/?q=larch&mode=text")
    expect(page.locator(".results > li")).to_have_count(10)
    tab_to(page, page.get_by_role("link", name="More results"))
    page.keyboard.press("Enter")
    expect(page.locator(".results > li")).to_have_count(20)
    expect(page.locator("#result-11 a.result")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".body")).to_contain_text("Log of larch")
    page.go_back()
    expect(page.locator(".results > li")).to_have_count(20)


def test_a_note_is_found_from_another_note(page: Page) -> None:
    page.goto("/ui/note/Soil.md")
    page.keyboard.press("Control+k")
    page.keyboard.type("west larch")
    expect(page.locator(".find .result").first).to_have_text("Beds")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".find .result").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Beds")


def test_all_results_are_asked_for_from_the_header(page: Page) -> None:
    page.goto("/ui/note/Soil.md")
    page.keyboard.press("/")
    page.keyboard.type("larch")
    page.keyboard.press("Enter")
    expect(page.locator(".results > li").first).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_value("larch")


def test_the_search_in_the_header_is_closed_and_gives_the_focus_back(page: Page) -> None:
    page.goto("/ui/note/Soil.md")
    tab_to(page, page.locator("article .body a"))
    page.keyboard.press("/")
    page.keyboard.type("larch")
    names = page.locator(".find .found")
    expect(names).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    expect(names).to_be_hidden()
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(names).to_be_visible()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    expect(names).to_be_hidden()
    expect(page.locator("article .body a")).to_be_focused()


def test_the_search_in_the_header_closes_when_the_focus_leaves_it(page: Page) -> None:
    page.goto("/ui/note/Soil.md")
    page.keyboard.press("/")
    page.keyboard.type("larch")
    expect(page.locator(".find .found")).to_be_visible()
    tab_to(page, page.get_by_role("button", name="Light"))
    expect(page.locator(".find .found")).to_be_hidden()


def test_other_colours_leave_the_focus_and_the_place(page: Page) -> None:
    page.goto("/ui/note/Beds.md?line=9#s-here")
    button = page.get_by_role("button", name="Dark")
    tab_to(page, button, key="Shift+Tab")
    with page.expect_response(re.compile("/theme$")):
        page.keyboard.press("Enter")
    expect(page.locator("body")).to_have_css("background-color", "rgb(23, 25, 29)")
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("location.href").endswith("?line=9#s-here")
    page.reload()
    expect(page.locator("body")).to_have_css("background-color", "rgb(23, 25, 29)")


def test_overdue_tasks_are_asked_for_and_one_is_opened(page: Page) -> None:
    page.goto("/ui/tasks")
    expect(page.locator(".tasks li")).to_have_count(2)
    tab_to(page, page.get_by_label("Due"))
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Due")).to_have_value("overdue")
    tab_to(page, page.get_by_role("button", name="Show"))
    page.keyboard.press("Enter")
    expect(page.locator(".tasks li")).to_have_text(["dig Soildue 2020-01-01, overdue"])
    tab_to(page, page.get_by_role("link", name="dig"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"Soil\.md\?line=3"))


def test_a_backlink_is_followed(page: Page) -> None:
    page.goto("/ui/note/Soil.md")
    tab_to(page, page.locator(".backlinks .where"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"Beds\.md\?line=9#s-here"))


def test_the_outline_leads_to_a_heading(page: Page) -> None:
    page.goto("/ui/note/Beds.md")
    tab_to(page, page.locator("aside .outline a", has_text="West"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#s-h7$"))
    expect(page.get_by_role("heading", name="West")).to_be_in_viewport()


def test_a_note_of_the_map_is_opened(page: Page) -> None:
    page.goto("/ui/map/")
    tab_to(page, page.locator(".map tbody a", has_text="Soil"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Soil")


def test_another_way_to_search_is_chosen_and_keeps_the_focus(page: Page) -> None:
    page.goto("/ui/?q=larch")
    page.keyboard.press("/")
    tab_to(page, page.get_by_role("radio", name="Question"))
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("status")).to_have_text("26 notes")
    expect(page.get_by_role("radio", name="Exact text")).to_be_focused()


def test_a_preview_is_closed_and_its_link_keeps_the_focus(page: Page) -> None:
    page.goto("/ui/note/Soil.md")
    tab_to(page, page.locator("article .body a"))
    expect(page.get_by_role("tooltip")).to_contain_text("Four beds")
    page.keyboard.press("Escape")
    expect(page.get_by_role("tooltip")).to_have_count(0)
    expect(page.locator("article .body a")).to_be_focused()


def test_the_way_from_the_token_to_the_note_keeps_the_focus_in_the_form(open_page: OpenPage, tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    with http("--vault", str(tmp_path), "serve", ":0", "--no-index", VAULTTOOLS_TOKEN=TOKEN) as served:
        page = open_page(base_url=served.url)
        page.goto("/ui/note/Soil.md")
        for token in ("guess", TOKEN):
            expect(page.get_by_label("Token")).to_be_focused()
            page.keyboard.type(token)
            page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Soil")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_focused()


def test_what_a_screen_reader_says_of_a_page_of_results_is_what_its_transcript_says(
    open_page: OpenPage, request: pytest.FixtureRequest
) -> None:
    transcript = FIXTURES / "transcripts" / "page-of-results.yaml"
    with http("--vault", str(FIXTURES / "vault"), "serve", ":0", "--no-index") as served:
        page = open_page(base_url=served.url)
        page.goto("/ui/?q=seeds+that+keep")
        said = f"{page.locator('body').aria_snapshot()}\n"
    if request.config.getoption("--update-transcripts"):
        transcript.write_text(said, encoding="utf-8", newline="\n")
    else:
        assert said == transcript.read_text("utf-8")
