"""The pages: what each of them shows, who gets them, and why nothing of a vault can act in them."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import httpx2
import pytest
from starlette.types import ASGIApp

from tests.conftest import write_files
from tests.server.asking import ORIGIN, Serve, ask, talk
from vaulttools.index.progress import Progress
from vaulttools.server.page import health, neighbourhood, reading, searching, start, vault_notes
from vaulttools.server.page.asking import NOT_YET
from vaulttools.server.page.templates import HEADERS
from vaulttools.vault import Vault

TOKEN = "correct horse battery"
EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>'

FILES = {
    "Home.md": "---\nstatus: active\nrelated: '[[plan]]'\ntags: [work/roof]\n---\n# Home\n\n[[plan#Tasks]] [[gone]]\n",
    "Projects/plan.md": "# Plan\n\nRepair the roof.\n\n## Tasks\n\n"
    "- [ ] Call the roofer 📅 2020-01-02 #work\n- [x] done\n",
    "Archive/plan.md": "older, see [[Home]]\n",
    "empty.md": "---\na: 1\n---\n\n",
    "notes.txt": "plain <b>text</b>\n",
    ".obsidian/app.json": "{}",
    "long.md": "".join(f"line {number} {'x' * 2_000}\n\n" for number in range(150)),
}


PAGES = ("/ui/", "/ui/note/Home.md", "/ui/tags", "/ui/tasks", "/ui/health", "/ui/assistant")


@pytest.fixture(scope="module")
def app(serve: Serve) -> ASGIApp:
    return serve(notes=FILES)


@pytest.fixture(scope="module")
def guarded(serve: Serve) -> ASGIApp:
    return serve(TOKEN, notes={"Home.md": "text\n"})


@pytest.fixture(scope="module")
def hostile(serve: Serve) -> ASGIApp:
    return serve(notes=EVIL_FILES)


def words(answer: httpx2.Response) -> str:
    """The words in the main part of a page."""
    main = answer.text.partition("<main")[2].partition("</main>")[0]
    return " ".join(unescape(re.sub("<[^>]*>", " ", f"<{main}")).split())


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/ui/", ["Today There is no note", "Changed last", "Home", "plan", "Projects", "Archive 1", "#work 2"]),
        ("/ui/folder/", ["Folders 5 notes", "Archive 1 plan", "Projects 1 plan", "Home empty long"]),
        ("/ui/folder/Projects", ["Projects 1 note", "plan"]),
        ("/ui/?q=roof+repair", ["Best notes", "plan Projects", "Repair the roof ."]),
        ("/ui/?q=THE+ROOF&mode=text", ["1 note", "plan Projects", "Repair the roof"]),
        ("/ui/?q=Rep.*f\\b&mode=regex", ["1 note", "Repair the roof"]),
        ("/ui/?q=tag:%23work&mode=obsidian", ["2 notes", "Home", "plan"]),
        ("/ui/?q=which+tasks+are+overdue", ["The whole list, 1 row", "plan - [ ] Call the roofer"]),
        ("/ui/results?q=nowhere&mode=text", ["No notes found."]),
        ("/ui/?q=xyzzy", ["No notes found.", 'No note has the word "xyzzy".']),
        ("/ui/note/Home.md", ["Home", "status active", "related plan", "tags #work/roof", "plan > Tasks", "gone"]),
        ("/ui/note/Projects/plan.md", ["Projects plan", "Outline Tasks", "Backlinks"]),
        ("/ui/nearby/Home.md", ["Near Home", "within 2 links to Home.md", "within 2 links from Home.md", "plan"]),
        ("/ui/note/notes.txt", ["plain <b>text</b>"]),
        ("/ui/note/empty.md", ["a 1", "This note is empty."]),
        ("/ui/note/long.md", ["Lines 1 to", "Further on"]),
        ("/ui/note/long.md?line=281", ["line 140", "From the beginning"]),
        ("/ui/tags", ["2 tags", "#work 2", "#work/roof 1"]),
        ("/ui/tasks", ["1 task, 1 overdue", "Call the roofer #work", "plan › Tasks due 2020-01-02, overdue"]),
        ("/ui/tasks?status=done", ["1 task", "done"]),
        ("/ui/tasks?status=any&due=none&text=do", ["1 task", "done"]),
        ("/ui/health", ["1 link to 1 file that is not there", "Orphans", "1 note without text", "1 name"]),
        ('/ui/assistant?tool=tags&arguments={"name":"work"}', ["Answer", "#work: 2 notes"]),
        ("/ui/assistant?tool=read&arguments={}", ["Refused", "note"]),
    ],
)
def test_each_page_shows_what_the_tools_answer(app: ASGIApp, path: str, shown: list[str]) -> None:
    answer = ask(app, "GET", path)
    assert answer.status_code == 200
    text = words(answer) if "/results" not in path else " ".join(re.sub("<[^>]*>", " ", answer.text).split())
    assert [each for each in shown if each not in text] == [], text[:2000]


@pytest.mark.parametrize(
    ("path", "query"),
    [
        *product(["/ui", "/v/my%20vault/ui"], ["", "?q=x", "?q=a%20b%26c&mode=regex"]),
        *product(["/ui/folder", "/ui/map"], [""]),
    ],
)
def test_the_address_without_its_last_slash_leads_to_the_page(app: ASGIApp, path: str, query: str) -> None:
    answer = ask(app, "GET", f"{path}{query}")
    assert (answer.status_code, answer.headers["Location"]) == (308, f"{path}/{query}")


def test_health_says_what_was_not_finished_in_time(app: ASGIApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_SECONDS", 0.0)
    answer = ask(app, "GET", "/ui/health")
    assert answer.status_code == 200
    assert f"Empty notes {NOT_YET}" in words(answer)


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("/ui/?q=(&mode=regex", 200, ""),
        ("/ui/?q=[&mode=regex", 200, "Invalid regex: ["),
        ("/ui/note/nowhere.md", 404, "Path not found"),
        ("/ui/folder/nowhere", 404, "Path not found: nowhere"),
        ("/ui/folder/.obsidian", 404, "Path not found"),
        ("/ui/note/.obsidian/app.json", 400, "Access denied: '.obsidian/' is a protected folder"),
        ("/ui/note/..%2F..%2Fetc%2Fpasswd", 400, "Path is outside the vault"),
        ("/ui/note//etc/passwd", 400, "Path is outside the vault"),
        ("/ui/tasks?folder=nowhere", 400, "nowhere"),
        ("/ui/assistant?tool=read&arguments=[", 400, "The arguments are not valid JSON"),
        ("/ui/assistant?tool=nothing&arguments={}", 200, "unknown tool 'nothing'"),
        ("/ui/nothing", 404, "There is no such page."),
        ("/ui/static/routes.py", 404, "Not found"),
        ("/v/other/ui/", 404, "There is no such vault"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_one_sentence(app: ASGIApp, path: str, status: int, sentence: str) -> None:
    answer = ask(app, "GET", path)
    assert (answer.status_code, sentence in unescape(answer.text)) == (status, True), answer.text


def test_an_error_of_ours_is_a_page_that_leads_on_and_the_log_has_its_details(
    app: ASGIApp, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(reading, "page", lambda *_: int("a text of a note"))
    answer = ask(app, "GET", "/ui/note/Home.md")
    assert answer.status_code == 500
    assert words(answer) == (
        "Failed The server failed for a reason of its own; its log has the details. Start page All folders"
    )
    assert "a text of a note" not in answer.text
    assert "a text of a note" in caplog.text
    assert ask(app, "GET", "/vault/nowhere.md").json()["errorCode"] == 40400


@pytest.mark.not_on_windows("no name has a line end there")
def test_a_name_that_holds_a_line_end_is_found_and_opened(serve: Serve) -> None:
    app = serve(notes={"Two\nlines.md": "of galena\n", "In\nside/a.md": "[[Two\nlines]]\n"})
    found = ask(app, "GET", "/ui/?q=galena").text
    link = re.search(r'href="(/ui/note/Two[^"#?]*)', found)
    assert link is not None
    for address in (link[1], "/ui/folder/In%0Aside", "/ui/note/In%0Aside/a.md", "/v/notes" + link[1]):
        assert ask(app, "GET", address).status_code == 200, address
    assert ask(app, "GET", "/vault/Two%0Alines.md").text == "of galena\n"
    assert ask(app, "GET", "/ui/no%0Awhere").status_code == 404


MARKED = {
    "Shed.md": "# Shed\n\nThe **shed** leans on [[Wall]].\n\n| part | age |\n|---|---|\n"
    "| roof | old |\n| door | new |\n",
    "Wall.md": "A wall of brick.\n",
}


@pytest.mark.parametrize(
    ("asked", "html"),
    [
        ("q=shed+leans", '<strong><mark>shed</mark></strong> <mark>leans</mark> on <a href="/ui/note/Wall.md"'),
        ("q=LEANS&mode=text", "<strong>shed</strong> <mark>leans</mark> on"),
        ("q=door&mode=text", "<th>part</th><th>age</th></tr></thead><tbody><tr><td>roof</td>"),
        ("q=line:(shed+leans)&mode=obsidian", "<mark>leans</mark>"),
        # A match that the rendered note does not have is shown as it is written.
        ("q=**shed&mode=text", "The <mark>**shed</mark>** leans on [[Wall]]."),
        ("q=The+..shed&mode=regex", "<mark>The **shed</mark>** leans"),
    ],
)
def test_what_was_found_is_shown_as_the_note_shows_it(serve: Serve, asked: str, html: str) -> None:
    found = ask(serve(notes=MARKED), "GET", f"/ui/?{asked}").text.replace("\n", "")
    assert html.replace("\n", "") in found, found


MANY = {f"{number}.md": f"# {number}\n\nA larch among {number} others.\n" for number in range(30)} | {
    "Template.md": "---\ntags: [larch]\n---\n",
    "Table.md": "| tree | age |\n|---|---|\n| larch | 9 |\n",
}


@pytest.mark.parametrize("mode", ["ranked", "text", "regex", "obsidian"])
def test_a_search_shows_few_notes_and_then_more_after_the_same_ones(serve: Serve, mode: str) -> None:
    app = serve(notes=MANY)

    def names(limit: int) -> tuple[list[str], list[str]]:
        html = ask(app, "GET", f"/ui/?q=larch&mode={mode}&limit={limit}").text
        return re.findall(r'class="result" href="([^"?#]*)', html), re.findall(r'&amp;limit=(\d+#result-\d+)"', html)

    few, more = names(10)
    several, then = names(20)
    every, end = names(320)
    assert len(few) <= 10 and more == [f"20#result-{len(few) + 1}"] and several[: len(few)] == few
    assert (len(several), then) == (20, ["40#result-21"])
    assert every[:20] == several and end == [] and len(every) == len(set(every)) >= 31


def test_a_question_shows_at_first_what_the_command_line_shows(serve: Serve, tmp_path: Path) -> None:
    write_files(tmp_path, MANY)
    said = Vault.open(str(tmp_path), index="off").call("query", {"query": "larch"}).text
    shown = re.findall(r"^## (.*\.md)|^- (.*\.md)", said, re.MULTILINE)
    html = ask(serve(notes=MANY), "GET", "/ui/?q=larch").text
    assert re.findall(r'class="result" href="/ui/note/([^"?#]*)', html) == ["".join(each) for each in shown]


def test_a_row_of_a_note_that_is_only_named_has_no_bars(serve: Serve) -> None:
    html = ask(serve(notes=MANY), "GET", "/ui/?q=larch&limit=320").text
    assert "tree · age" in html or "<mark>larch</mark> · 9" in html or "<th>tree</th>" in html
    assert "| larch" not in html


def test_the_last_result_that_may_be_shown_says_that_there_are_more(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "MOST_NOTES", 10)
    for mode in ("text", "obsidian"):
        found = words(ask(serve(notes=MANY), "GET", f"/ui/?q=larch&mode={mode}"))
        assert "The first 10 notes are shown." in found and "More results" not in found


TITLED = {
    "Shed.md": "---\na: 1\n---\n\n# Shed\n\nOf larch.\n\n## Roof\n\nOf tiles.\n",
    "Under.md": "Under\n=====\n\nlined [[Shed]]\n",
    "Other.md": "text\n\n# Other\n\nlater\n",
}


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/ui/note/Shed.md", "notes Shed Properties a 1 Outline Roof Of larch. Roof Of tiles. Outline Roof"),
        ("/ui/note/Under.md", "notes Under lined Shed"),
        ("/ui/note/Other.md", "notes Other Outline Other text Other later"),
        ("/ui/?q=larch&mode=text", "1 note Shed Line 7 Of larch ."),
        ("/ui/?q=tiles", "Best notes Shed Line 5 Of larch. Roof Of tiles ."),
        ("/ui/?q=tiles&mode=obsidian", "1 note Shed Roof Of tiles ."),
    ],
)
def test_a_title_is_said_once(serve: Serve, path: str, said: str) -> None:
    assert said in words(ask(serve(notes=TITLED), "GET", path))


def test_the_line_of_a_title_that_is_said_above_leads_to_the_text_below(serve: Serve) -> None:
    text = ask(serve(notes=TITLED), "GET", "/ui/note/Shed.md?line=5").text
    assert re.search(r'id="s-here"[^>]*></div>\s*<p[^>]*>Of larch', text)


def test_backlinks_are_rendered_and_lead_to_their_lines(serve: Serve) -> None:
    text = ask(serve(notes=MARKED), "GET", "/ui/note/Wall.md").text
    assert '<a class="where" href="/ui/note/Shed.md?line=3#s-here">Line 3</a>' in text
    assert '<strong>shed</strong> leans on <a href="/ui/note/Wall.md"' in text


def test_a_link_at_the_end_of_a_long_line_is_shown(serve: Serve) -> None:
    app = serve(notes={"Long.md": "wide " * 500 + "see [[Wall]]\n", "Wall.md": ""})
    assert 'see <a href="/ui/note/Wall.md"' in ask(app, "GET", "/ui/note/Wall.md").text


def test_an_endless_line_is_cut_also_between_others(serve: Serve) -> None:
    app = serve(notes={"Long.md": "first\n" + "wide " * 200_000 + "\nlast\n"})
    shown = ask(app, "GET", "/ui/note/Long.md").text
    assert "Line 2 is cut: it is longer than a page." in shown
    assert len(shown) < 300_000
    assert "last" in words(ask(app, "GET", "/ui/note/Long.md?line=3"))


@pytest.mark.parametrize("mode", ["text", "regex", "obsidian"])
def test_a_result_in_an_endless_line_is_a_part_of_it(serve: Serve, mode: str) -> None:
    app = serve(notes={"Long.md": "wide " * 200_000 + "needle " + "wide " * 200_000})
    found = ask(app, "GET", f"/ui/?q=needle&mode={mode}").text
    assert "<mark>needle</mark>" in found
    assert len(found) < 20_000


def test_related_notes_say_whether_they_are_linked(serve: Serve) -> None:
    notes = {"a.md": "a shed of larch [[b]]", "b.md": "a shed of larch", "c.md": "the larch shed", "d.md": "x"}
    app = serve(notes=notes)
    assert words(ask(app, "GET", "/ui/related/a.md")) == "notes Notes like a b linked c"
    bare = ask(app, "GET", "/ui/related/a.md?bare").text
    assert "<html" not in bare and 'href="/ui/note/c.md"' in bare
    assert "No notes found." in ask(app, "GET", "/ui/related/d.md").text


@pytest.mark.parametrize(
    ("path", "shown", "hidden"),
    [
        ("Home.md", "plan &gt; Tasks", "<h1>"),
        ("Projects/plan.md?at=Tasks", "Call the roofer", "Repair"),
        ("Projects/plan.md?line=5", "<h2>Tasks</h2>", "Repair"),
        ("empty.md", "This note is empty.", "a: 1"),
        ("notes.txt", "plain &lt;b&gt;text", "<html"),
        ("long.md", "line 0", "line 1 "),
    ],
)
def test_a_preview_is_the_beginning_of_a_note(app: ASGIApp, path: str, shown: str, hidden: str) -> None:
    answer = ask(app, "GET", f"/ui/preview/{path}")
    assert (answer.status_code, shown in answer.text, hidden in answer.text) == (200, True, False), answer.text


@pytest.mark.parametrize(("path", "status"), [("nowhere", 404), (".obsidian/app.json", 400), ("Home.md?at=No", 400)])
def test_there_is_no_preview_of_what_cannot_be_shown(app: ASGIApp, path: str, status: int) -> None:
    assert ask(app, "GET", f"/ui/preview/{path}").status_code == status


@pytest.mark.parametrize("path", ["/ui/note/no/where.md", "/ui/where", "/ui/folder/no/where"])
def test_a_page_that_is_not_there_leads_on(app: ASGIApp, path: str) -> None:
    text = ask(app, "GET", path).text
    assert all(f'href="{address}"' in text for address in ("/ui/", "/ui/tags", "/ui/?q=where&amp;mode=ranked"))


def test_every_page_of_a_vault_has_one_search_box(app: ASGIApp) -> None:
    for path in (*PAGES, "/ui/folder/", "/ui/?q=x", "/ui/no"):
        assert ask(app, "GET", path).text.count('type="search"') == 1, path


def test_the_colours_chosen_are_kept_and_lead_back(app: ASGIApp) -> None:
    async def conversation(client: httpx2.AsyncClient) -> list[httpx2.Response]:
        chosen = await client.post("/ui/theme", data={"theme": "dark", "to": "/ui/tags?x=1"})
        shown = await client.get("/ui/tags")
        await client.post("/ui/theme", data={"theme": "'><script>"})
        return [chosen, shown, await client.get("/ui/note/nowhere")]

    chosen, shown, after = talk(app, conversation)
    assert (chosen.status_code, chosen.headers["location"]) == (303, "/ui/tags?x=1")
    assert all(part in chosen.headers["set-cookie"].lower() for part in ("httponly", "samesite=strict"))
    assert ['data-theme="dark"' in each.text for each in (shown, after)] == [True, True]
    forged = ask(app, "GET", "/ui/", headers={"Cookie": 'vaulttools-theme="><script>'})
    assert 'data-theme="system"' in forged.text


def test_the_start_page_lists_folders_alone_where_there_are_many_notes(serve: Serve) -> None:
    app = serve(notes={f"Logs/{number // 300}/{number}.md": "" for number in range(601)} | {"Home.md": "x"})
    assert "Logs 601 0 300 1 300 2 1" in words(ask(app, "GET", "/ui/"))
    assert "Logs 1 300 notes 300 301 302" in words(ask(app, "GET", "/ui/folder/Logs/1"))


@pytest.mark.parametrize("path", ["/ui/", "/ui/folder/", "/ui/folder/Projects"])
@pytest.mark.parametrize("is_whole", [True, False])
def test_a_list_of_files_that_is_not_whole_says_so(
    app: ASGIApp, monkeypatch: pytest.MonkeyPatch, path: str, is_whole: bool
) -> None:
    monkeypatch.setattr(start, "note_paths", lambda *given: (vault_notes.note_paths(*given)[0], is_whole))
    shown = words(ask(app, "GET", path))
    assert ("Not all of the vault could be looked at." in shown) != is_whole and "plan" in shown


@pytest.mark.parametrize("many", [99, 100, 101])
def test_only_a_list_with_more_than_is_shown_calls_them_the_first(serve: Serve, many: int) -> None:
    app = serve(notes={f"{number}.md": f"[[gone {number}]]" for number in range(many)} | {"tag.md": "[[0]] #one"})
    shown = words(ask(app, "GET", "/ui/health"))
    assert ("The first 100" in shown) == (many > 100)
    assert "1 tag " in f"{words(ask(app, 'GET', '/ui/tags'))} "


@pytest.mark.parametrize(("more", "counted"), [(1, "1 note on the left, 0"), (2, "2 notes on the left, 0")])
def test_notes_that_a_picture_has_no_room_for_are_counted(serve: Serve, more: int, counted: str) -> None:
    app = serve(notes={f"{number}.md": "[[Home]]" for number in range(neighbourhood.MOST + more)} | {"Home.md": ""})
    assert f"Not drawn: {counted} on the right." in ask(app, "GET", "/ui/note/Home.md").text


def test_a_name_leads_to_its_note(app: ASGIApp) -> None:
    answer = ask(app, "GET", "/ui/note/home", params={"at": "Home"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/ui/note/Home.md?at=Home#s-here")


def test_the_part_that_a_link_means_is_marked(app: ASGIApp) -> None:
    assert '<div id="s-here" class="n-here"></div>\n<h2' in ask(app, "GET", "/ui/note/Projects/plan.md?at=Tasks").text
    assert "Heading not found: Gone" in words(ask(app, "GET", "/ui/note/Projects/plan.md?at=Gone"))


def test_links_stay_in_their_vault(serve: Serve) -> None:
    app = serve(one=FILES, two={"Home.md": "[[plan]] ![[pic.png]] #tag", "plan.md": "", "pic.png": ""})
    text = ask(app, "GET", "/v/two/ui/note/Home.md").text
    found = {each for each in re.findall(r'(?:href|src|action)="(/[^"?]*)', text) if not each.startswith("/ui/static/")}
    assert found and all(each.startswith(("/v/two/ui/", "/v/two/vault/")) for each in found)
    chosen = ask(app, "GET", "/ui/")
    assert re.findall('href="(/v/[^"]*)"', chosen.text) == ["/v/one/ui/", "/v/two/ui/"]


@pytest.mark.parametrize(
    "path", [*PAGES, "/ui/?q=x", "/ui/results?q=x", "/ui/note/nowhere", "/ui/static/page.js", "/ui/login"]
)
def test_every_page_has_the_same_strict_headers(app: ASGIApp, path: str) -> None:
    headers = ask(app, "GET", path).headers
    varying = ("Cache-Control", "Content-Security-Policy")
    kept = {name: value for name, value in HEADERS.items() if name not in varying}
    assert {name: headers[name] for name in kept} == kept
    policy = headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy and "unsafe" not in policy and "http" not in policy


def test_a_page_runs_its_own_script_and_none_of_the_vault(app: ASGIApp) -> None:
    """`/vault/x.js` has the same origin."""
    nonces = []
    for path in ("/ui/", "/ui/", "/ui/note/Home.md", "/ui/login", "/ui/note/nowhere"):
        answer = ask(app, "GET", path)
        rules = dict(each.strip().split(" ", 1) for each in answer.headers["Content-Security-Policy"].split(";"))
        (nonce,) = set(re.findall('nonce="([^"]+)"', answer.text))
        assert rules["script-src"] == rules["style-src"] == f"'nonce-{nonce}'"
        assert len(re.findall(r"<(?:script|link)[^>]* nonce=", answer.text)) == 1 + answer.text.count("<script")
        nonces.append(nonce)
    assert len(set(nonces)) == len(nonces)


def test_the_assistant_begins_with_a_call_that_is_answered(app: ASGIApp) -> None:
    form = ask(app, "GET", "/ui/assistant").text
    (tool,) = re.findall(r"<option selected>(\w+)<", form)
    (arguments,) = re.findall(r"<textarea[^>]*>(.*?)</textarea>", form)
    answer = ask(app, "GET", f"/ui/assistant?tool={tool}&arguments={quote(unescape(arguments))}")
    assert "<h2>Answer</h2>" in answer.text


def test_no_page_has_a_script_or_a_style_inside_or_from_elsewhere(app: ASGIApp) -> None:
    for path in (*PAGES, "/ui/login"):
        answer = ask(app, "GET", path)
        text = answer.text
        assert answer.status_code == 200 and "</main>" in text and "/ui/static/page.css" in text
        assert re.findall(r"<style|\sstyle=|\son\w+=|<script(?! src=\"/ui/static/)", text) == []
        assert re.findall(r'(?:src|href|action)="(?!/|#)', text) == []


class Elements(HTMLParser):
    """The scripts, images and attributes of a page, as a browser reads it."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.images: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes |= {name for name, _ in attrs}
        source = dict(attrs).get("src")
        if tag == "script":
            self.scripts.append((source or "inline").partition("?")[0])
        elif tag == "img" and source is not None:
            self.images.append(source)


EVIL_FILES = {
    f"{EVIL.replace('/', '')}.md": f"---\n'{EVIL}': '{EVIL}'\ntags: ['{EVIL}', a]\nlink: '[[x|{EVIL}]]'\n---\n"
    f"# {EVIL}\n\n- [ ] {EVIL} #t\n\n[[{EVIL}]] TODO {EVIL}\n",
    "Home.md": f"[[{EVIL.replace('/', '')}]]\n",
}


@pytest.mark.not_on_windows("names with `<`, `>` and quotation marks")
@pytest.mark.parametrize(
    "path",
    [
        "/ui/",
        f"/ui/?q={quote(EVIL)}&mode=text",
        f"/ui/?q={quote(EVIL)}",
        "/ui/?q=TODO&mode=regex",
        f"/ui/?q={quote(EVIL)}&mode={quote(EVIL)}",
        f"/ui/note/{quote(next(iter(EVIL_FILES)))}",
        f"/ui/note/{quote(EVIL)}",
        f"/ui/preview/{quote(EVIL)}",
        "/ui/note/Home.md",
        f"/ui/related/{quote(next(iter(EVIL_FILES)))}",
        f"/ui/folder/{quote(EVIL)}",
        f"/ui/tasks?text={quote(EVIL)}&status=any",
        f"/ui/tasks?status={quote(EVIL)}",
        "/ui/tags",
        "/ui/health",
        f"/ui/assistant?tool={quote(EVIL)}&arguments=" + quote(json.dumps({EVIL: EVIL})),
        "/ui/assistant?tool=search_files&arguments=" + quote('{"pattern": "TODO"}'),
        f"/ui/login?to=/ui/{quote(EVIL)}",
    ],
)
def test_nothing_of_a_vault_or_an_address_becomes_markup(hostile: ASGIApp, path: str) -> None:
    reader = Elements()
    text = ask(hostile, "GET", path).text
    reader.feed(text)
    shown = "#a" if path == "/ui/tags" else "alert(1)"  # no tag can be so
    assert "</html>" in text and shown in unescape(unquote(text))
    assert set(reader.scripts) <= {"/ui/static/page.js", "/ui/static/preview.js"}
    assert [name for name in reader.attributes if name.startswith("on") or name == "style"] == []
    assert [address for address in reader.images if not address.startswith("/vault/")] == []


@pytest.mark.not_on_windows("names with `<`, `>` and quotation marks")
def test_a_name_of_no_vault_is_answered_without_markup(hostile: ASGIApp) -> None:
    answer = ask(hostile, "GET", f"/v/{quote(EVIL, safe='')}/ui/")
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/json")


def test_a_login_sets_a_cookie_that_scripts_and_other_sites_cannot_use(guarded: ASGIApp) -> None:
    app = guarded
    led = ask(app, "GET", "/ui/note/Home.md")
    assert (led.status_code, led.headers["location"]) == (303, "/ui/login?to=/ui/note/Home.md")
    assert "Home" not in ask(app, "GET", "/ui/login?to=/ui/note/a.md").text
    refused = ask(app, "POST", "/ui/login", data={"token": "guess", "to": "/ui/tags"})
    assert (refused.status_code, "This token is not known." in refused.text) == (401, True)
    assert "set-cookie" not in refused.headers

    async def conversation(client: httpx2.AsyncClient) -> list[httpx2.Response]:
        entered = await client.post("/ui/login", data={"token": TOKEN, "to": "/ui/tags"})
        shown = await client.get("/ui/tags")
        elsewhere = await client.get("/ui/tags", headers={"Sec-Fetch-Site": "same-site"})
        left = await client.post("/ui/logout")
        return [entered, shown, elsewhere, left, await client.get("/ui/tags")]

    entered, shown, elsewhere, left, after = talk(app, conversation)
    assert (entered.status_code, entered.headers["location"]) == (303, "/ui/tags")
    cookie = entered.headers["set-cookie"].lower()
    assert all(part in cookie for part in ("httponly", "samesite=strict", "path=/")) and TOKEN not in cookie
    assert (shown.status_code, elsewhere.status_code, left.status_code, after.status_code) == (200, 303, 303, 303)
    assert "Log out" in shown.text


@pytest.mark.parametrize(
    "to", ["https://evil.example/", "//evil.example", "/\\evil.example", "/v//evil", "", "javascript:x"]
)
def test_a_login_leads_to_pages_of_ours_alone(guarded: ASGIApp, to: str) -> None:
    entered = ask(guarded, "POST", "/ui/login", data={"token": TOKEN, "to": to})
    assert entered.headers["location"] == "/ui/"


def test_a_login_from_another_site_is_refused(guarded: ASGIApp) -> None:
    data = {"token": TOKEN}
    assert ask(guarded, "POST", "/ui/login", data=data, headers={"Origin": "https://evil.example"}).status_code == 403
    assert ask(guarded, "POST", "/ui/login", data=data, headers={"Origin": ORIGIN}).status_code == 303
    # Browsers send `null` with a form of a page that sends no referrer.
    for site, status in (("same-origin", 303), ("same-site", 403), ("cross-site", 403)):
        headers = {"Origin": "null", "Sec-Fetch-Site": site}
        assert ask(guarded, "POST", "/ui/login", data=data, headers=headers).status_code == status
    assert ask(guarded, "POST", "/ui/login", data=data, headers={"Origin": "null"}).status_code == 403


def test_only_the_login_and_what_everybody_gets_is_open(guarded: ASGIApp) -> None:
    paths = ("/ui/", "/ui/results", "/ui/tags", "/ui/health", "/ui/assistant", "/ui/static/../tags", "/ui/login/x")
    assert [path for path in paths if ask(guarded, "GET", path).status_code != 303] == []
    open_paths = ("/ui/static/page.css", "/ui/login")
    assert [ask(guarded, "GET", path).status_code for path in open_paths] == [200, 200]


@pytest.mark.parametrize("mode", ["ranked", "text", "obsidian"])
def test_a_search_that_is_not_whole_does_not_say_that_there_is_nothing(
    app: ASGIApp, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    whole = Vault.answer

    def answer(*given: Any, **named: Any) -> Any:
        return whole(*given, **named).model_copy(update={"complete": False})

    path = f"/ui/?q=nowhere&mode={mode}"
    assert "No notes found." in words(ask(app, "GET", path))
    monkeypatch.setattr(Vault, "answer", answer)
    assert "No notes found so far." in words(ask(app, "GET", path))


def test_every_page_says_how_far_the_index_is_and_asks_again_by_itself(
    app: ASGIApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(app, "GET", "/ui/progress").json() is None
    assert 'class="indexing"' not in ask(app, "GET", "/ui/tags").text
    monkeypatch.setattr(Vault, "is_ready", False)
    monkeypatch.setattr(Vault, "index_progress", Progress(10, 10, 20, 40, 3.0))
    progress = ask(app, "GET", "/ui/progress").json()
    assert progress == {
        "sentence": "Indexing: 10 of 10 notes are read, 67% of the work is done, a few seconds left.",
        "share": 0.667,
    }
    shown = ask(app, "GET", "/ui/tags").text
    assert progress["sentence"] in shown and 'data-progress="/ui/progress"' in shown
