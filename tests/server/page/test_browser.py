"""The pages in Chromium: typed in, clicked through, without JavaScript, in the dark, on a phone, by keyboard, attacked.

Needs the extra `browser` and a `chromium` on the path; skipped where either is missing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import write_files
from tests.server.page.conftest import OpenPage, tab_to
from tests.server.serving import http

pytest.importorskip("playwright", reason="needs the extra: pip install 'vaulttools[browser]'")
from playwright.sync_api import Dialog, Page, Route, expect

expect.set_options(timeout=30_000)  # a busy machine is slow

TOKEN = "correct horse battery"
EVIL = '"><img src=x onerror="window.attacked=1"><script>window.attacked=1<'
FILES = {
    "Home.md": "# Home\n\nThe garden plan is [[Plan]]. #garden\n\n> [!tip] Water\n> early\n\n"
    "- [x] dig\n- [ ] plant 📅 2026-03-01\n",
    "Projects/Plan.md": "---\nstatus: active\nowner: '[[Home]]'\ntags: [garden/beds]\n---\n"
    "## Beds\n\nFour raised beds of larch.\n\n"
    "| Bed | Metres |\n|---|--:|\n| one | 2 |\n\n```mermaid\ngraph TD; a-->b\n```\n\nSee [[Soil]] and [[Gone]].\n",
    "Drawings.md": "> [!tip] Icon\n> text\n\n```mermaid\ngraph TD; one-->two\n```\n\n```mermaid\nno diagram\n```\n\n"
    "$x^2$\n\n```python\ndef f(): return '<img src=x onerror=\"window.hurt=1\">'\n```\n",
    "Hostile.md": "```mermaid\n%%{init: {'securityLevel': 'loose', 'htmlLabels': true}}%%\n"
    "graph TD; a[\"<img src='https://elsewhere.example/m.png' onerror='top.hurt=1;window.hurt=1'>\"]-->b\n"
    'click a href "javascript:top.hurt=1"\n'
    "\n```\n\n$\\text{<script>window.hurt=1</script>}$\n\n"
    "```html\n<script>window.hurt=1</script><img src=x onerror='window.hurt=1'>\n```\n",
    "draw.svg": "<svg xmlns='http://www.w3.org/2000/svg' width='20' height='20' onload='top.attacked=1'>"
    "<script>top.attacked=1</script><image href='https://elsewhere.example/z.png'/><circle r='9'/></svg>",
    "Wide.md": "| Rebuilding | Documentation | Consequences | Responsibility |\n|---|---|---|---|\n"
    "| elderberries | blackcurrants | gooseberries | whortleberries |\n\nhttps://example.com/"
    + "whortle" * 20
    + "\n\n`"
    + "whortle" * 20
    + "`\n",
    "evil.js": "window.attacked = 1",
    "evil.css": "body { display: none }",
    "Drawn.md": "![[draw.svg]]\n",
    "Soil.md": "Loam over clay, see [[Plan]]. " + "wide" * 60 + "\n\n    " + "code " * 60 + "\n",
    "evil/" + EVIL + ".md": f"---\n'{EVIL}': '{EVIL}'\n---\n# {EVIL}\n\nlarch {EVIL}\n\n"
    "<script>window.attacked=1</script>\n"
    "<svg onload='window.attacked=1'></svg> <img src='https://elsewhere.example/x.png'> ![x](https://elsewhere.example/y.png)\n\n"
    "<a href='javascript:window.attacked=1' id=bait>bait</a> [bait](javascript:window.attacked=1) [[Plan]]\n",
}
PAGES = (
    "/ui/",
    "/ui/?q=garden",
    "/ui/?q=larch&mode=text",
    "/ui/note/Projects/Plan.md?line=12",
    "/ui/note/Soil.md",
    "/ui/note/Drawings.md",
)
OVERVIEWS = (
    "/ui/tags",
    "/ui/tasks",
    "/ui/health",
    "/ui/assistant?tool=tags&arguments={}",
    "/ui/note/nowhere",
    "/ui/folder/",
    "/ui/map/",
    "/ui/map/evil",
    "/ui/nearby/Home.md",
)


def requested(page: Page) -> list[str]:
    """The addresses that a page asks for from now on."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    return asked


def test_results_come_while_typing_and_are_there_again_after_going_back(page: Page) -> None:
    page.goto("/ui/")
    page.get_by_role("searchbox").press_sequentially("larch")
    expect(page.locator("a.result").first).to_contain_text("Plan")
    expect(page.locator(".results mark").first).to_have_text("larch")
    expect(page).to_have_url(re.compile(r"\?q=larch&"))
    page.get_by_text("Exact text").click()
    expect(page.get_by_role("status")).to_have_text("2 notes")
    page.locator("a.result", has_text="Plan").click()
    expect(page.get_by_role("heading", name="Plan", level=1)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("searchbox")).to_have_value("larch")
    expect(page.get_by_role("status")).to_have_text("2 notes")


def test_a_mistake_is_reported_while_typing(page: Page) -> None:
    page.goto("/ui/?mode=regex")
    page.get_by_role("searchbox").press_sequentially("[a")
    expect(page.get_by_role("alert")).to_contain_text("Invalid regex")
    page.get_by_role("searchbox").press_sequentially("r]ch")
    expect(page.locator("mark").first).to_have_text("rch")


def test_a_passage_leads_to_its_place_in_the_note(page: Page) -> None:
    page.goto("/ui/?q=larch&mode=text")
    page.locator(".results .where", has_text="Beds").click()
    expect(page.locator("#s-here + p")).to_have_text("Four raised beds of larch.")
    expect(page.locator("#s-here + p")).to_be_in_viewport()


def test_a_slash_on_the_start_page_is_no_part_of_the_question(page: Page) -> None:
    page.goto("/ui/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("larch")
    expect(page.get_by_role("searchbox")).to_have_value("larch")
    page.goto("/ui/?mode=regex")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_have_value("/")


def test_the_arrow_keys_lead_from_a_note_to_its_passages(page: Page) -> None:
    page.goto("/ui/?q=larch&mode=text")
    page.keyboard.press("/")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    expect(page.locator("a.where").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#s-here")).to_be_in_viewport()


def test_a_result_keeps_the_focus_when_further_results_come(page: Page) -> None:
    asked = re.compile(r"/results\?q=larch")
    held: list[Route] = []
    page.route(asked, lambda route: held.append(route))
    page.goto("/ui/?q=larc&mode=text")
    with page.expect_request(asked):
        page.get_by_role("searchbox").fill("larch")
    page.keyboard.press("ArrowDown")
    expect(page.locator("a.result").first).to_be_focused()
    with page.expect_response(asked):
        held.pop().continue_()
    expect(page).to_have_url(re.compile("q=larch"))
    expect(page.locator("a.result").first).to_be_focused()


def test_enter_lets_a_slow_search_for_the_same_question_go_on(page: Page) -> None:
    """It was begun while typing; asked anew, an impatient hand would wait twice."""
    page.clock.install()
    page.goto("/ui/")
    held: list[Route] = []
    asked = requested(page)
    page.route("**/ui/results?*", lambda route: held.append(route))
    with page.expect_request("**/ui/results?*"):
        page.get_by_role("searchbox").fill("larch")
    page.clock.fast_forward(2_000)
    page.get_by_role("searchbox").press("Enter")
    held.pop().continue_()
    expect(page.locator(".results mark").first).to_have_text("larch")
    assert len([url for url in asked if "/ui/results?" in url]) == 1


def test_a_slow_search_gives_way_to_what_was_typed_since(page: Page) -> None:
    page.clock.install()
    page.goto("/ui/")
    page.route("**/ui/results?q=loam*", lambda route: None)
    with page.expect_request("**/ui/results?q=loam*"):
        page.get_by_role("searchbox").fill("loam")
    page.clock.fast_forward(2_000)
    page.get_by_role("searchbox").fill("larch")
    expect(page.locator(".results mark").first).to_have_text("larch")


def test_related_notes_come_beside_a_note(page: Page) -> None:
    page.goto("/ui/note/Home.md")
    expect(page.locator(".related a", has_text="Plan")).to_be_visible()


def test_on_a_phone_the_outline_is_above_the_text(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 390, "height": 700})
    page.goto("/ui/note/Projects/Plan.md")
    expect(page.locator("aside .outline")).to_be_hidden()
    page.get_by_role("article").get_by_text("Outline").click()
    page.get_by_role("article").locator(".outline").get_by_text("Beds").click()
    expect(page).to_have_url(re.compile("#s-h6$"))


def test_diagrams_are_drawn_and_code_is_coloured(page: Page) -> None:
    page.goto("/ui/note/Drawings.md")
    expect(page.frame_locator("iframe >> nth=0").locator("svg")).to_contain_text("two")
    expect(page.locator(".drawn summary")).to_have_text("Source")
    expect(page.locator(".n-mermaid").last).to_contain_text("Not drawn: No diagram type detected")
    expect(page.locator(".hljs-keyword").first).to_have_text("def")
    expect(page.locator("math msup")).to_be_visible()


def test_what_draws_and_colours_is_loaded_by_pages_that_need_it_alone(page: Page) -> None:
    asked = requested(page)
    page.goto("/ui/note/Soil.md")
    page.wait_for_load_state("networkidle")
    assert [each for each in asked if "diagram" in each or "highlight" in each] == []


def test_without_javascript_the_source_of_a_diagram_stays(open_page: OpenPage) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/ui/note/Drawings.md")
    expect(page.locator(".n-mermaid pre").first).to_have_text("graph TD; one-->two")
    expect(page.locator("iframe")).to_have_count(0)


def test_a_hostile_diagram_reaches_neither_the_page_nor_another_host(page: Page, url: str) -> None:
    asked, refused = list[str](), list[str | None]()
    page.on("response", lambda response: asked.append(response.url))
    page.on("requestfailed", lambda request: refused.append(request.failure))
    page.goto("/ui/note/Hostile.md")
    drawn = page.frame_locator("iframe").locator("svg")
    expect(drawn).to_be_visible()
    for link in drawn.locator("a").all():
        link.click(force=True)
    expect(page.locator(".hljs-tag").first).to_be_visible()
    (frame,) = page.frames[1:]
    assert [each.evaluate("window.hurt") for each in (page, frame)] == [None, None]
    assert frame.evaluate("origin") == "null"
    assert [each for each in asked if not each.startswith(url)] == []
    assert set(refused) == {"csp"}  # the image that Mermaid lets through


def test_a_link_shows_the_beginning_of_its_note_to_mouse_and_keyboard(page: Page) -> None:
    page.goto("/ui/note/Home.md")
    link = page.locator(".body").get_by_role("link", name="Plan")
    link.hover()
    preview = page.get_by_role("tooltip")
    expect(preview).to_contain_text("Four raised beds of larch.")
    preview.hover()
    expect(preview).to_be_visible()
    page.keyboard.press("Escape")
    expect(preview).to_have_count(0)
    page.mouse.move(0, 0)
    page.locator(".folders a").focus()
    page.keyboard.press("Tab")
    while not link.evaluate("element => element === document.activeElement"):
        page.keyboard.press("Tab")
    expect(preview).to_be_visible()
    page.keyboard.press("Tab")
    expect(preview).to_have_count(0)


def test_a_finger_gets_no_preview(open_page: OpenPage) -> None:
    page = open_page(has_touch=True)
    asked = requested(page)
    page.goto("/ui/note/Home.md")
    page.locator(".body").get_by_role("link", name="Plan").tap()
    expect(page.get_by_role("heading", name="Plan", level=1)).to_be_visible()
    assert [each for each in asked if "/preview/" in each] == []


def test_links_lead_from_note_to_note_and_from_a_tag_to_its_notes(page: Page) -> None:
    page.goto("/ui/note/Home.md")
    page.locator(".body a.n-tag").click()
    expect(page.locator("a.result .name")).to_have_text(["Home", "Plan"])
    page.locator("a.result", has_text="Plan").click()
    expect(page.locator(".properties")).to_contain_text("active")
    page.locator(".backlinks > li > a:first-child", has_text="Soil").click()
    expect(page).to_have_title("Soil · garden")


def test_everything_can_be_reached_by_keyboard(page: Page) -> None:
    page.goto("/ui/")
    page.keyboard.press("Tab")
    page.keyboard.press("/")
    page.keyboard.type("larch")
    expect(page).to_have_url(re.compile("q=larch"))
    page.keyboard.press("ArrowDown")
    expect(page.locator("a.result").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Plan")
    tab_to(page, page.locator(".neighbourhood a", has_text="Soil").first)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Soil")


def test_all_but_search_while_typing_works_without_javascript(open_page: OpenPage) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/ui/")
    page.get_by_role("searchbox").fill("larch")
    page.get_by_text("Exact text").click()
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("status")).to_have_text("2 notes")
    page.locator("a.result", has_text="Plan").click()
    expect(page.locator("aside .outline")).to_have_text("Beds")
    page.get_by_role("link", name="What an assistant gets").click()
    expect(page.locator("pre.text")).to_contain_text("Projects/Plan.md")
    page.get_by_role("link", name="Tasks").click()
    page.get_by_label("Status").select_option("Done")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".tasks li")).to_have_text(["dig Home"])


def test_dark_is_dark_and_light_is_light(open_page: OpenPage) -> None:
    found = {}
    for scheme in ("light", "dark"):
        page = open_page(color_scheme=scheme)
        page.goto("/ui/")
        found[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert found == {"light": "rgb(255, 255, 255)", "dark": "rgb(23, 25, 29)"}


def test_the_colours_chosen_hold_on_every_page_without_javascript(open_page: OpenPage) -> None:
    page = open_page(color_scheme="light", java_script_enabled=False)
    page.goto("/ui/note/Home.md")
    page.get_by_role("button", name="Dark").click()
    expect(page).to_have_url(re.compile("/ui/note/Home.md$"))
    page.goto("/ui/tags")
    expect(page.locator("body")).to_have_css("background-color", "rgb(23, 25, 29)")
    page.get_by_role("button", name="As the system").click()
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")


def test_the_search_box_of_a_note_is_reached_by_a_key_and_leads_to_results(page: Page) -> None:
    page.goto("/ui/note/Home.md")
    page.keyboard.press("/")
    page.keyboard.type("larch")
    page.keyboard.press("Enter")
    expect(page.locator("a.result").first).to_contain_text("Plan")


def test_a_click_leads_from_the_neighbourhood_to_two_steps(page: Page) -> None:
    page.goto("/ui/note/Home.md")
    expect(page.locator(".neighbourhood a", has_text="Soil")).to_have_count(0)
    page.get_by_role("link", name="Two steps away").click()
    expect(page.locator(".neighbourhood a", has_text="Soil")).to_have_count(2)


def test_a_note_of_the_map_shows_its_name_and_opens(page: Page) -> None:
    page.goto("/ui/map/Projects")
    canvas = page.locator("#map")
    expect(canvas).to_have_attribute("data-drawn", "1")
    name: Any = {"x": 90, "y": 27}
    canvas.hover(position=name)
    expect(page.locator("#map-note")).to_have_text("Projects/Plan.md 0 links from it, 0 to it")
    canvas.click(position=name)
    expect(page.get_by_role("heading", level=1)).to_have_text("Plan")


@pytest.mark.parametrize("mode", ["ranked", "text"])
def test_a_table_among_results_scrolls_and_breaks_no_word(open_page: OpenPage, mode: str) -> None:
    page = open_page(viewport={"width": 390, "height": 800})
    page.goto(f"/ui/?q=whortleberries&mode={mode}")
    table = page.locator(".results .n-table")
    assert table.evaluate("each => each.scrollWidth > each.clientWidth")
    cell = page.get_by_role("cell", name="whortleberries")
    assert cell.evaluate("each => each.clientHeight < 2 * parseFloat(getComputedStyle(each).lineHeight)")
    for path in (f"/ui/?q=example&mode={mode}", "/ui/note/Wide.md"):
        page.goto(path)
        expect(page.locator("mark, h1").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_name_on_a_small_map_has_room_of_its_own(open_page: OpenPage) -> None:
    for width in (390, 820, 1280):
        page = open_page(viewport={"width": width, "height": 800})
        page.goto("/ui/map/")
        expect(page.locator("#map")).to_have_attribute("data-drawn", re.compile(r"\d"))
        notes = page.evaluate("dots.map(({ x, y, room }) => [x, y, x + room])")
        wide = page.locator("#map").evaluate("each => each.clientWidth")
        assert all(end <= wide and end - x >= 150 for x, _, end in notes)
        assert not [(one, other) for one in notes for other in notes if one < other and one[0] < other[2]
                    and other[0] < one[2] and abs(one[1] - other[1]) < 16]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 820, 1280])
def test_no_page_has_a_fault_of_accessibility_or_of_its_script_or_is_too_wide(
    open_page: OpenPage, width: int, scheme: Any
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the extra browser").Axe()
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True)
    found: list[Any] = []
    said: list[tuple[str, str, str]] = []
    page.on("pageerror", lambda error: found.append((page.url, str(error))))
    page.on("console", lambda message: said.append((page.url, message.type, message.text)))
    # The scheme changes colours alone.
    options = {} if scheme == "light" else {"runOnly": ["color-contrast"]}
    for path in (*PAGES, *OVERVIEWS, "/ui/login"):
        page.goto(path)
        if path in PAGES and "note" in path:
            page.keyboard.press("/")
            page.keyboard.type("larch")
            expect(page.locator(".find .found")).to_be_visible()
        found += [
            (path, each["id"], [node["html"] for node in each["nodes"]][:3])
            for each in axe.run(page, options=options).response["violations"]
        ]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append((path, "too wide"))
    # The browser reports a page that is not there as an error of the page.
    found += [each for each in said if each[1] == "error" and "nowhere" not in each[0]]
    assert found == []


def test_nothing_that_a_vault_holds_runs_or_is_loaded_from_elsewhere(page: Page, url: str) -> None:
    messages: list[str] = []
    asked = requested(page)

    def dismissed(dialog: Dialog) -> None:
        messages.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismissed)
    page.goto("/ui/")
    page.get_by_role("searchbox").press_sequentially("attacked")
    page.get_by_text("Exact text").click()
    expect(page.get_by_role("status")).to_have_text("1 note")
    page.locator("a.result").click()
    expect(page.locator(".body")).to_contain_text("bait")
    for bait in page.get_by_text("bait").all():
        bait.click()
    for path in (*OVERVIEWS, "/ui/note/Projects/Plan.md"):
        page.goto(path)
        assert page.evaluate("window.attacked") is None
    page.goto("/ui/note/Drawn.md")
    expect(page.locator(".body img")).to_have_js_property("naturalWidth", 20)
    assert page.evaluate("window.attacked") is None
    assert messages == []
    assert [each for each in asked if not each.startswith(url)] == []


def test_the_policy_stops_what_a_rendering_would_let_through(page: Page) -> None:
    """Even without the sanitiser, the browser itself refuses."""
    page.goto("/ui/")
    page.evaluate(
        """() => {
            const box = document.createElement("div");
            box.innerHTML = "<img src=x onerror='window.attacked=1'>" +
                "<a id=bait href='javascript:window.attacked=1'>x</a>";
            document.body.prepend(box);
            const script = document.createElement("script");
            script.textContent = "window.attacked=1";
            document.body.append(script);
            for (const [name, at, kind] of [["script", "src", "js"], ["link", "href", "css"]]) {
                const file = document.createElement(name);
                file[at] = `/vault/evil.${kind}`;
                file.rel = "stylesheet";
                document.body.append(file);
            }
        }"""
    )
    page.locator("#bait").click()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.attacked") is None


def test_what_waits_for_the_index_comes_by_itself(open_page: OpenPage, tmp_path: Path) -> None:
    write_files(tmp_path / "vault", {f"{number}.md": f"#tag{number % 9} " + "word " * 300 for number in range(2_000)})
    words = ["--vault", str(tmp_path / "vault"), "serve", ":0"]
    with http(*words, VAULTTOOLS_INDEX_FOLDER=str(tmp_path / "index")) as served:
        page = open_page(base_url=served.url)
        page.goto("/ui/")
        expect(page.locator(".indexing")).to_have_count(0)
        expect(page.locator(".unknown")).to_have_count(0)
        expect(page.locator(".cloud li")).to_have_count(9)


def test_a_token_is_asked_for_once_and_no_script_can_read_its_cookie(open_page: OpenPage, tmp_path: Path) -> None:
    write_files(tmp_path, {"Home.md": "text\n"})
    with http("--vault", str(tmp_path), "serve", ":0", "--no-index", VAULTTOOLS_TOKEN=TOKEN) as served:
        page = open_page(base_url=served.url)
        page.goto("/ui/note/Home.md")
        page.get_by_label("Token").fill("guess")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_have_text("This token is not known.")
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Home")
        cookies: list[Any] = list(page.context.cookies())
        assert [(each["httpOnly"], each["sameSite"]) for each in cookies] == [(True, "Strict")]
        assert page.evaluate("document.cookie") == ""
        page.get_by_role("button", name="Log out").click()
        page.goto("/ui/")
        expect(page).to_have_title("Log in")
