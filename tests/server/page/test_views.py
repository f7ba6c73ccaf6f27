"""Pages of bases, canvases and documents: what they show, and what they leave out."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote

import pytest
from starlette.types import ASGIApp

from tests.server.asking import Serve, ask
from vaulttools.answers.answer import Omission
from vaulttools.core.work import Reason
from vaulttools.server.page import vault_notes
from vaulttools.server.page.asking import NOT_YET
from vaulttools.vault import Vault

BASE = """
filters: file.inFolder("Books")
formulas: {double: price * 2, bad: price.nothing(), page: 'html("<b>x</b><script>1</script>")'}
properties: {note.price: {displayName: Costs}}
views:
  - {type: table, name: All, order: [file.name, price, formula.double, author, done, tags, site, formula.bad],
     sort: [{property: price, direction: DESC}], summaries: {note.price: Sum}}
  - {type: cards, name: By & author, groupBy: {property: author, direction: ASC}, limit: 2, order: [price],
     summaries: {note.price: Sum}}
  - {type: list, name: Here, filters: 'author == this.file', order: [file.name]}
  - {type: table, name: Broken, filters: 'price <'}
  - {type: table, name: Nothing, filters: 'prise > 3'}
  - {type: table, name: Html, order: [file.name, formula.page]}
"""

VIEWS = ("All", "Here", "Nothing", "By%20%26%20author")

FILES = {
    "Books/a.md": "---\nprice: 1.50\nauthor: '[[Ann]]'\ndone: true\ntags: [x/y]\nsite: https://a.example/x\n---\n",
    "Books/b.md": "---\nprice: 3\nauthor: ['[[Ben|B.]]', plain <b>]\ndone: false\n---\n",
    "Books/c.md": "---\nprice: 2\nauthor: '[[Ann]]'\n---\n",
    "Ann.md": "![[All.base#Here]]\n\n## Part\n\ntext\n\n```base\nviews: [{type: table, name: One, limit: 1}]\n```\n\n"
    "```base\nviews: [{type: table, name: Two, filters: 'file.name == \"c\"'}]\n```\n",
    "Part.md": "![[Ann#Part]]\n\n![[All.base]]\n",
    "All.base": BASE,
    "none.base": "views: 3\n",
    "Docs/b.docx": "",
}


@pytest.fixture(scope="module")
def app(serve: Serve) -> ASGIApp:
    return serve(notes=FILES)


def article(app: ASGIApp, path: str) -> str:
    """The HTML of the main part of a page, on one line."""
    answer = ask(app, "GET", path)
    assert answer.status_code == 200, answer.text
    found = re.search("<article.*</article>", answer.text, re.DOTALL)
    assert found is not None
    return found[0].replace("\n", "").replace(' rel="noopener noreferrer"', "")


def words(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


def rows(html: str) -> list[str]:
    """The words of each row of all tables."""
    return [words(each) for each in re.findall("<tr.*?</tr>", html)]


@pytest.mark.parametrize(
    ("path", "html"),
    [
        ("All.base", '<a href="/ui/note/All.base?view=All#s-part-1" aria-current="true">All</a>'),
        ("All.base", '<a href="/ui/note/All.base?view=By%20%26%20author#s-part-1">By &amp; author</a>'),
        ("All.base", '<th scope="col" class="n-name">Name</th><th scope="col" class="n-right">Costs</th>'),
        ("All.base", '<th scope="row"><a href="/ui/note/Books/a.md">a</a></th><td class="n-right">1.50</td>'),
        ("All.base", '<td><a href="/ui/note/Ann.md">Ann</a></td>'),
        ("All.base", '<td><span class="n-missing">B.</span>, plain &lt;b&gt;</td>'),
        ("All.base", '<td><span class="n-box n-done" role="img" aria-label="Yes"></span></td>'),
        ("All.base", 'class="n-tag">#x/y</a>'),
        ("All.base", '<a href="https://a.example/x" class="n-external">https://a.example/x</a>'),
        ("All.base", '<span class="n-error">'),
        ("All.base", '<span class="n-summary">Sum</span> 6.5'),
        ("All.base?view=By%20%26%20author", '<th scope="rowgroup" colspan="2"><a href="/ui/note/Ann.md">Ann</a>'),
        ("All.base?view=By%20%26%20author", "/ui/note/All.base?view=By%20%26%20author&amp;page=2#s-part-1"),
        ("All.base?view=Html", "<td><b>x</b></td>"),
        ("All.base?view=Broken", 'aria-current="true">Broken</a></li>'),
        ("All.base?view=Broken", '<p class="n-error">A value is missing before end in the filter of view "Broken"'),
        ("All.base?at=Here", 'aria-current="true">Here</a>'),
        ("none.base", "<pre"),
        ("Ann.md", '<div class="n-base n-inline" id="s-part-1">'),
        ("Ann.md", "/ui/note/Ann.md?view=All#s-part-1"),
        ("Ann.md?view=All&page2=2", "/ui/note/Ann.md?view=Broken&amp;page2=2#s-part-1"),
        ("Part.md", "/ui/note/Part.md?view3=Here#s-part-3"),
    ],
)
def test_a_base_is_a_table_with_its_views(app: ASGIApp, path: str, html: str) -> None:
    shown = article(app, f"/ui/note/{path}")
    assert html in shown, shown


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("All.base", ["b 3 6", "c 2 4", "a 1.50 3"]),
        (
            "All.base?view=By%20%26%20author",
            ["File Costs", "B. , plain <b> 1", "b 3", "Sum 3", "Ann 2", "a 1.50", "Sum 3.5", "All Sum 6.5"],
        ),
        ("All.base?view=By%20%26%20author&page=2", ["File Costs", "Ann 2", "c 2", "Sum 3.5", "All Sum 6.5"]),
        ("Ann.md", ["Name", "a", "c", "Name", "All.base", "Name", "c"]),
        ("Ann.md?page2=2", ["Name", "a", "c", "Name", "Ann", "Name", "c"]),
        ("Part.md?view3=Here", ["Name", "All.base", "Name", "c"]),
    ],
    ids=str,
)
def test_rows_are_sorted_grouped_and_limited_as_the_view_says(app: ASGIApp, path: str, expected: list[str]) -> None:
    found = rows(article(app, f"/ui/note/{path}"))
    if path == "All.base":
        assert [row[: len(start)] for row, start in zip(found[1:], expected, strict=False)] == expected
    else:
        assert [row for row in found if row in expected] == expected, found


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("All.base?view=By%20%26%20author", "Rows 1 to 2 of 3"),
        ("All.base?view=By%20%26%20author&page=2", "Rows 3 to 3 of 3"),
        ("All.base?view=By%20%26%20author&page=9", "No rows on this page."),
        ("All.base?view=Nothing", 'No files fit this view. No note has the property "prise". Similar names: price.'),
        ("All.base?view=Gone", 'Unknown view "Gone"'),
        ("none.base", "A list is expected in views"),
    ],
)
def test_what_is_missing_is_said(app: ASGIApp, path: str, sentence: str) -> None:
    shown = words(article(app, f"/ui/note/{path}"))
    assert sentence in shown, shown


@pytest.mark.parametrize("path", [*(f"All.base?view={view}" for view in VIEWS), "Ann.md"])
def test_no_sentence_names_a_tool_or_an_argument(app: ASGIApp, path: str) -> None:
    shown = words(article(app, f"/ui/note/{path}"))
    assert re.findall(r"this_note|\bbase \{|list_views|Ask for fewer|Narrow|Other views|\bSet \w+ to", shown) == []


@pytest.mark.parametrize(
    ("path", "rows"),
    [("/ui/note/All.base", "rows"), ("/ui/note/All.base?view=Nothing", "rows"), ("/ui/tags", "tags")],
)
@pytest.mark.parametrize("kind", ["time limit", "too large"])
def test_only_what_another_load_may_show_is_not_known_yet(
    app: ASGIApp, monkeypatch: pytest.MonkeyPatch, path: str, rows: str, kind: Reason
) -> None:
    whole = Vault.answer
    reason = "The search is incomplete: 1 file too large (a.md)."

    def answer(*given: Any, **named: Any) -> Any:
        found = whole(*given, **named)
        if given[1] not in ("base", "tags"):
            return found
        left = {"passed_over": [Omission(kind=kind, count=1, examples=["a.md"])], "complete": False}
        is_none = "view=Nothing" in path
        return found.model_copy(update={**left, "text": reason, "notices": [] if is_none else [reason]})

    monkeypatch.setattr(Vault, "answer", answer)
    shown = words(ask(app, "GET", path).text)
    assert (f"Some {rows} may be missing: load the page again." in shown) == (kind == "time limit")
    assert (reason in shown) == (kind == "too large" or "Nothing" not in path)


def test_a_note_does_not_wait_long_for_its_tables(app: ASGIApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vault_notes, "_TABLES_SECONDS", -1.0)
    shown = article(app, "/ui/note/Ann.md")
    assert (shown.count("<table"), shown.count(NOT_YET)) == (0, 3)


def card(id_: str, kind: str, x: int, y: int, width: int = 100, height: int = 80, **more: str) -> dict[str, Any]:
    return {"id": id_, "type": kind, "x": x, "y": y, "width": width, "height": height, **more}


CANVAS = {
    "nodes": [
        card("z", "text", 0, 900, text="last of all"),
        card("b", "file", 200, 0, file="Books/long.md", color="1"),
        card("a", "text", 0, 0, text="# First\n\n[[Ann]] **bold** <script>alert(1)</script> <b onclick=x>b</b>"),
        card("g", "group", -20, 180, 800, 200, label="Group & more"),
        card("c", "file", 0, 200, file="pic.png"),
        card("d", "file", 200, 200, file="Ann.md", subpath="#Part"),
        card("e", "link", 400, 200, url="https://a.example/"),
        card("f", "link", 600, 200, url="javascript:alert(1)"),
        card("h", "file", 0, 500, file="gone.md"),
        card("i", "file", 200, 500, file="board.canvas"),
        card("j", "file", 400, 500, file="All.base", subpath="#Here"),
        card("k", "text", 600, 500, text="![[board.canvas]]\n\n![[Ann]]"),
    ],
    "edges": [
        {"fromNode": "a", "toNode": "b", "label": "leads to"},
        {"fromNode": "b", "toNode": "g", "fromEnd": "arrow"},
        {"fromNode": "a", "toNode": "nowhere"},
        {"fromNode": "z", "toNode": "a", "toEnd": "none"},
    ],
}
DRAWN = {
    **FILES,
    "Books/long.md": "---\nprice: 9\n---\n# Long\n\n" + "word " * 300,
    "pic.png": "",
    "board.canvas": json.dumps(CANVAS),
    "note.md": "![[board.canvas]]\n",
    "no.canvas": "no canvas\n",
    "C# notes.md": "sharp\n",
    "sharp.canvas": json.dumps({"nodes": [card("a", "file", 0, 0, file="C# notes.md", subpath="#^gone")]}),
    "empty.canvas": "{}",
    "half.canvas": json.dumps(
        {"nodes": [card("a", "text", 0, 0, text="half \ud800 pair"), card("\ud800", "group", 0, 9)]}
    ),
}


@pytest.fixture(scope="module")
def drawn(serve: Serve) -> ASGIApp:
    return serve(notes=DRAWN)


def test_cards_are_shown_in_reading_order_with_their_groups_and_connections(drawn: ASGIApp) -> None:
    shown = article(drawn, "/ui/note/board.canvas")
    cards = [words(re.sub("<[^>]*$", "", each)) for each in re.split(r'id="s-part-1-[0-9]+">', shown)[1:]]
    first = [
        *("First", "long", "Group", "", "Ann", "https", "javascript"),
        *("Cards", "gone.md", "board.canvas", "All.base", "board.canvas", "last"),
    ]
    assert [card.partition(" ")[0].partition(":")[0] for card in cards] == first
    assert cards[0].endswith("→ long : leads to – last of all")
    assert cards[1].endswith("… ← First : leads to ↔ Group & more")
    assert "↔ long" in cards[2] and "nowhere" not in shown


@pytest.mark.parametrize(
    "html",
    [
        '<h3>First</h3><p><a href="/ui/note/Ann.md">Ann</a> <strong>bold</strong>',
        '<li class="n-card n-red" id="s-part-1-2"><p class="n-card-title"><a href="/ui/note/Books/long.md">long</a>',
        '<h2 class="n-group" id="s-part-1-3">Group &amp; more</h2>',
        '<a href="/ui/note/pic.png"><img src="/vault/pic.png" alt="pic.png" loading="lazy"></a>',
        '<a href="/ui/note/Ann.md?at=Part#s-here">Ann &gt; Part</a>',
        '<a href="https://a.example/" class="n-external">https://a.example/</a>',
        '<a class="n-missing" title="Not shown">javascript:alert(1)</a>',
        '<a class="n-missing" title="No such file in the vault">gone.md</a>',
        '<li>→ <a href="/ui/note/board.canvas#s-part-1-2">long</a>: leads to</li>',
        "This note is shown further up.",
        "<b>b</b>",
        "word…</p>",
    ],
)
def test_a_card_shows_what_it_holds(drawn: ASGIApp, html: str) -> None:
    shown = article(drawn, "/ui/note/board.canvas")
    assert html in shown, shown
    assert "<script" not in shown and "onclick" not in shown


@pytest.mark.parametrize(
    ("path", "html"),
    [("All.base?at=Here", "No files fit this view."), ("board.canvas", "<h3>First</h3>"), ("none.base", "views: 3")],
)
def test_a_preview_of_a_base_or_canvas_shows_what_its_page_shows(drawn: ASGIApp, path: str, html: str) -> None:
    shown = ask(drawn, "GET", f"/ui/preview/{path}").text
    assert html in shown and 'id="s-part' not in shown


@pytest.mark.parametrize("number", [3, 230])
def test_a_preview_of_a_line_of_a_canvas_shows_its_card_alone(serve: Serve, number: int) -> None:
    nodes = [card(str(each), "text", 0, 100 * each, text=f"# Card\nwords of c{each}.") for each in range(250)]
    app = serve(notes={"big.canvas": json.dumps({"nodes": nodes})})
    found = ask(app, "GET", f'/ui/?q="words of c{number}."&mode=obsidian').text
    [link] = set(re.findall(r'href="(/ui/note/big[^"]*line=[^"#]*)', found))
    shown = ask(app, "GET", unescape(link).replace("/note/", "/preview/")).text
    assert re.findall(r"words of (c\d+)", shown) == [f"c{number}"]
    assert "words of c0" in ask(app, "GET", "/ui/preview/big.canvas").text


def test_what_is_found_in_a_canvas_leads_to_its_card(serve: Serve) -> None:
    nodes = [card(str(number), "text", 0, 100 * number, text=f"# Card\nwords of c{number}") for number in range(250)]
    app = serve(notes={"big.canvas": json.dumps({"nodes": nodes}, indent=1), "no.canvas": "words of c7"})
    for sought, address in {"c7": "#s-part-1-8", "c230": "?page=2#s-part-1-31"}.items():
        found = ask(app, "GET", f'/ui/?q="words of {sought}" path:big&mode=obsidian').text
        [link] = set(re.findall(r'href="(/ui/note/big[^"]*line=[^"]*)"', found))
        answer = ask(app, "GET", unescape(link).partition("#")[0])
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/ui/note/big.canvas{address}")
        shown = article(app, answer.headers["Location"].partition("#")[0])
        assert re.search(f'id="{address.partition("#")[2]}">.*?words of ([^<]*)<', shown)[1] == sought  # type: ignore[index]
    assert "line=" not in ask(app, "GET", "/ui/?q=words of c230&mode=text").text
    for path in ("no.canvas?line=1", "big.canvas?line=99999"):
        assert ask(app, "GET", f"/ui/note/{path}").status_code in (200, 303)


@pytest.mark.parametrize("same", [{}, {"id": "one"}, {"id": 7}], ids=str)
def test_cards_without_an_id_of_their_own_have_each_an_address(serve: Serve, same: dict[str, Any]) -> None:
    nodes = [{**card("", "text", 0, 100 * number, text=f"words of c{number}"), **same} for number in range(3)]
    if not same:
        nodes = [{name: value for name, value in node.items() if name != "id"} for node in nodes]
    app = serve(notes={"c.canvas": json.dumps({"nodes": nodes})})
    for number in range(3):
        found = ask(app, "GET", f'/ui/?q="words of c{number}"&mode=obsidian').text
        [link] = set(re.findall(r'href="(/ui/note/c\.canvas[^"]*line=[^"]*)"', found))
        assert ask(app, "GET", unescape(link)).headers["Location"] == f"/ui/note/c.canvas#s-part-1-{number + 1}"


@pytest.mark.parametrize("many", ["![[long]]", "![[short]]", "![[All.base]]"])
def test_cards_of_a_canvas_are_shown_whatever_they_embed(serve: Serve, many: str) -> None:
    nodes = [
        card("0", "text", 0, 0, text="\n\n".join([many] * 40)),
        *(card(str(number), "text", 0, 100 * number, text=f"words of c{number}") for number in range(1, 60)),
    ]
    canvas = json.dumps({"nodes": nodes})
    app = serve(
        notes={
            "c.canvas": canvas,
            "long.md": "word " * 15_000,
            "short.md": "word",
            "All.base": "views: [{type: table, name: A}]",
            "note.md": f"{many}\n\n" * 40 + "![[c.canvas]]",
        }
    )
    shown = words(article(app, "/ui/note/c.canvas"))
    assert [number for number in range(1, 60) if f"words of c{number}" not in shown] == []
    assert shown.count("embeds too much") == 1
    assert words(article(app, "/ui/note/note.md")).count("embeds too much") == 1


@pytest.mark.parametrize(("files", "told"), [(30, 0), (40, 1)])
def test_cards_of_more_files_than_a_page_embeds_are_links_and_it_says_so_once(
    serve: Serve, files: int, told: int
) -> None:
    nodes = [card(str(number), "file", 0, 100 * number, file=f"n{number}.md") for number in range(files)]
    notes = {f"n{number}.md": f"begins {number}" for number in range(files)}
    app = serve(notes={"c.canvas": json.dumps({"nodes": nodes}), **notes})
    shown = article(app, "/ui/note/c.canvas")
    assert (shown.count("embeds too much"), shown.count(f"/ui/note/n{files - 1}.md")) == (told, 1)


def test_an_embedded_canvas_of_much_text_says_once_that_it_is_cut(serve: Serve) -> None:
    nodes = [card(str(number), "text", 0, 100 * number, text=f"c{number} " + "word " * 1_000) for number in range(60)]
    app = serve(notes={"c.canvas": json.dumps({"nodes": nodes}), "note.md": "![[c.canvas]]\n\n" * 3})
    assert words(article(app, "/ui/note/note.md")).count("embeds too much") == 1


def test_an_embedded_canvas_is_shown_below_its_name(drawn: ASGIApp) -> None:
    shown = article(drawn, "/ui/note/note.md")
    assert '<a class="n-embed-title" href="/ui/note/board.canvas">board.canvas</a>' in shown
    assert '<h2 class="n-group"' in shown and "<h3>First</h3>" in shown


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("no.canvas", "no canvas"),
        ("empty.canvas", "This canvas is empty."),
        ("half.canvas", "half ? pair"),
        ("sharp.canvas", "C# notes > ^gone Block not found"),
        ("Docs/b.docx", ""),
    ],
)
def test_a_file_that_holds_no_cards_is_shown_too(drawn: ASGIApp, path: str, sentence: str) -> None:
    assert sentence in words(article(drawn, f"/ui/note/{path}"))


def test_bases_canvases_and_documents_are_listed_and_images_are_not(drawn: ASGIApp) -> None:
    listed = (
        "Books 4 a b c long Docs 1 b docx All base Ann C# notes Part board canvas empty canvas half canvas no canvas "
        "none base note sharp canvas"
    )
    for path in ("/ui/folder/", "/ui/"):
        assert listed in words(ask(drawn, "GET", path).text)
    for path, counted in (
        ("", "8 notes, 8 other files"),
        ("Books", "4 notes a b"),
        ("Docs", "0 notes, 1 other file b"),
    ):
        assert counted in words(ask(drawn, "GET", f"/ui/folder/{path}").text)


def test_what_is_hidden_excluded_or_protected_is_not_listed(serve: Serve) -> None:
    ignored = json.dumps({"userIgnoreFilters": ["Old/"]})
    files = {f"{folder}/closed.{kind}": "x" for folder in ("Old", ".git", ".hid") for kind in ("base", "canvas", "pdf")}
    app = serve(notes={**files, ".obsidian/app.json": ignored, "Docs/open.pdf": "x", ".closed.base": ""})
    for path in ("/ui/", "/ui/folder/"):
        shown = words(ask(app, "GET", path).text)
        assert "Docs 1 open pdf" in shown and "closed" not in shown and "Old" not in shown
    assert ask(app, "GET", "/ui/folder/Old").status_code == 404


def test_a_page_of_a_document_leads_to_the_file(drawn: ASGIApp) -> None:
    assert '<a class="button" href="/vault/Docs/b.docx">Download the file</a>' in article(drawn, "/ui/note/Docs/b.docx")


SHOWN = (
    *(
        "a",
        "article",
        "b",
        "caption",
        "code",
        "div",
        "h1",
        "h2",
        "h3",
        "header",
        "img",
        "li",
        "nav",
        "p",
        "pre",
        "span",
    ),
    *("strong", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul"),
)


class Tags(HTMLParser):
    """The tags of a page with their attributes, as a browser reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str | None]]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))


def hostile_files() -> dict[str, str]:
    many = [card(str(at), "text", at % 50 * 120, at // 50 * 100, text=f"card {at}") for at in range(10_000)]
    nested = [card(f"g{at}", "group", 0, 0, 5_000, 5_000, label=f"in {at}") for at in range(500)]
    ring = [{"fromNode": "0", "toNode": str(at % 3_000), "label": "x" * 5_000} for at in range(3_000)]
    attack = '<img src=x onerror=alert(1)><form action="/ui/logout"><style>*{}</style>'
    return {
        "many.canvas": json.dumps({"nodes": many, "edges": ring}),
        "nested.canvas": json.dumps({"nodes": nested + many[:500], "edges": []}),
        "long.canvas": json.dumps({"nodes": [card("a", "text", 0, 0, text="long " * 200_000)]}),
        "attack.canvas": json.dumps(
            {
                "nodes": [
                    card("a", "text", 0, 0, text=attack, color='"><script>'),
                    card("b", "group", 0, 0, label=attack),
                    card("c", "link", 500, 0, url="https://a.example/" + attack),
                    card("d", "file", 900, 0, file="../../etc/passwd" + attack),
                ],
                "edges": [{"fromNode": "a", "toNode": "c", "label": attack}],
            }
        ),
        "files.canvas": json.dumps(
            {"nodes": [card(str(at), "file", at * 200, 0, file=f"{at}.md") for at in range(200)]}
        ),
        "self.md": "![[self.canvas]]\n\n" + "```base\nviews: [{type: table}]\n```\n\n" * 60,
        "self.canvas": json.dumps({"nodes": [card("a", "text", 0, 0, text="![[self]]\n\n![[self.canvas]]")]}),
        "line.md": "word " * 600_000,
        "embeds.canvas": json.dumps(
            {"nodes": [card(str(at), "text", at * 200, 0, text="![[1]]\n\n" * 50) for at in range(60)]}
        ),
        "wide.base": "views:\n - type: table\n   name: x\n   order: ["
        + ", ".join(f"p{at}" for at in range(3_000))
        + "]\n",
        "views.base": "views:\n" + "".join(f" - {{type: table, name: v{at}}}\n" for at in range(500)),
        "attack.base": f"views: [{{name: '{attack}', order: [file.name, a]}}, {{name: b}}]\n",
        **{f"{at}.md": f"---\na: '{attack}{'x' * 2_000}'\nl: {list(range(200))}\n---\ntext\n" for at in range(300)},
    }


@pytest.fixture(scope="module")
def hostile(serve: Serve) -> ASGIApp:
    return serve(notes=hostile_files())


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("many.canvas", "Page 1 of 50, 10,000 cards · More"),
        ("many.canvas?page=99", "Page 50 of 50, 10,000 cards · Before"),
        ("many.canvas", "and 2,980 more"),
        ("nested.canvas", "Page 1 of 6, 500 cards · More"),
        ("nested.canvas?page=6", "Cards card 499"),
        ("long.canvas", "The beginning of a longer card."),
        ("attack.canvas", "onerror=alert(1)"),
        ("files.canvas", "text"),
        ("self.md", "This note is shown further up."),
        ("self.md", "Not shown here: the page embeds too much."),
        ("line.md", "Line 1 is cut: it is longer than a page."),
        ("embeds.canvas", "1 Not shown here: the page embeds too much. Further ones may be links alone. 1 1 1"),
        ("wide.base", "60 of 3,000 columns are shown."),
        ("wide.base", "Rows 1 to 100 of 312"),
        ("views.base", "and 440 more"),
        ("attack.base", "onerror=alert(1)"),
    ],
)
def test_what_is_hostile_stays_small_and_cannot_act(hostile: ASGIApp, path: str, sentence: str) -> None:
    shown = article(hostile, f"/ui/note/{path}")
    assert sentence in words(shown), words(shown)[:3_000]
    assert len(shown) < 700_000
    reader = Tags()
    reader.feed(shown)
    assert {name for name, _ in reader.found} <= {*SHOWN}
    attributes = [each for _, given in reader.found for each in given]
    assert [name for name, _ in attributes if name.startswith("on") or name == "style"] == []
    assert [value for name, value in attributes if name in ("href", "src") and "script:" in (value or "")] == []


def test_the_part_of_an_address_that_chooses_views_is_bounded(app: ASGIApp) -> None:
    many = "&".join(f"view{at}={quote('x' * 50)}" for at in range(2, 200))
    shown = article(app, f"/ui/note/All.base?{many}&page=1e9&page=-3&evil=1")
    assert "evil" not in shown and "view100=" not in shown
