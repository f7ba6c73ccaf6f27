"""No page says what only those who call tools can use: names of tools and of their arguments, or calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from starlette.types import ASGIApp

from tests.server.asking import Serve, ask
from vaulttools import tools
from vaulttools.server.page import asking, searching
from vaulttools.server.page.asking import facts
from vaulttools.tools import NAMES as TOOLS

FIXTURES = Path(__file__).parents[3] / "fixtures" / "vault"
MANY = {
    f"Logs/{number}.md": f"A larch, {number} of them. #t{number}\n- [ ] cut {number}\n" for number in range(150)
} | {
    "Seen.md": "A Larch and two [[larches]]. [[1]] [[gone]]\n- [/] half\n- [ ] cut 📅 2020-01-01 📅 2020-02-01\n",
    "Bad.md": "---\na: [\n---\ntext with properties that cannot be read\n",
    "plan.canvas": '{"nodes": [{"type": "text", "id": "1", "text": "spruce", "x": 0, "y": 0}], "edges": []}',
    "Cut.md": "wide " * 30_000,
    ".obsidian/app.json": '{"userIgnoreFilters": ["Logs/14"]}',
}

NAMES = {*TOOLS} | {field for name in TOOLS for field in tools.named(name).request.model_fields}
SAID_TO_CALLERS = re.compile(
    rf"\b({'|'.join(sorted(name for name in NAMES if '_' in name))})\b|step-[0-9a-f]{{8}}|To read on|To see (the|them)"
    r'|\b(Set|Raise|Lower|Use|Increase|Narrow) \w+( to |=|\b[.,]| or )|[a-z] \{"|--\w|\w="?(true|any|\d)'
    r"|(?i:\bparameters?\b|\barguments\b)"
)

SEARCHES = (
    *(
        "larch",
        "nowhere",
        "spruce",
        "which tasks are overdue",
        "notes of 2020",
        "tag:#t1 larch",
        "the",
        "larhc",
        "wide",
    ),
    *("[[larches]]", "larch -cut", "(", "[", '"', "task:cut", "[a:b]", "x" * 1_001, "line:(", "a\\ ", "Larch", "LARCH"),
)
STARTS = (
    *("/ui/", "/ui/tags", "/ui/tasks", "/ui/map/", "/ui/health", "/ui/folder/", "/ui/nothing", "/ui/note/nowhere"),
    *("/ui/note/Cut.md", "/ui/nearby/Seen.md", "/ui/related/Seen.md", "/ui/preview/Seen.md", "/ui/preview/Cut.md"),
    *("/ui/tasks?priority=foo", "/ui/tasks?status=foo", "/ui/tasks?folder=no", "/ui/tasks?status=done", "/ui/login"),
    *("/ui/tasks?text=zzz&status=done", "/ui/tasks?tags=a,b", "/ui/note/.obsidian/app.json", "/ui/note/Seen.md?at=No"),
)


@pytest.fixture(scope="module", params=["many", "fixture"])
def app(serve: Serve, request: pytest.FixtureRequest) -> ASGIApp:
    return serve(notes=MANY if request.param == "many" else FIXTURES)


def pages(app: ASGIApp) -> Iterator[tuple[str, str]]:
    """The address and the text of the pages that links lead to, without the page for assistants and many alike."""
    waiting = [*STARTS]
    for mode in searching.MODES:
        for query in SEARCHES:
            waiting += [f"/ui/{place}q={query}&mode={mode}" for place in ("?", "results?brief&", "?limit=20&")]
    seen, alike = set(waiting), dict[str, int]()
    while waiting:
        path = waiting.pop(0)
        text = ask(app, "GET", path).text
        yield path, text
        for link in re.findall(r'href="(/ui/[^"#]*)', text):
            kind = re.sub(r"(?<=/ui/)(\w*/?\?limit|\w*/?).*", r"\1", link)
            is_ours = not link.startswith(("/ui/static/", "/ui/assistant"))
            if is_ours and unescape(link) not in seen and alike.setdefault(kind, 0) < 40:
                alike[kind] += 1
                seen.add(unescape(link))
                waiting.append(unescape(link))


def test_no_page_but_that_of_assistants_names_a_tool_an_argument_or_a_call(app: ASGIApp) -> None:
    found = []
    for path, html in pages(app):
        said = unescape(
            re.sub(r"<pre.*?</pre>|<mark>.*?</mark>|<title>.*?</title>|<[^>]*>", " ", html, flags=re.DOTALL)
        )
        found += [(path, said[max(0, hit.start() - 60) : hit.end() + 40]) for hit in SAID_TO_CALLERS.finditer(said)]
    assert found == []


def test_only_one_function_asks_the_tools_for_pages() -> None:
    folder = Path(asking.__file__).parent
    asks = [path.name for path in folder.rglob("*.py") if re.search(r"vault\.answer\(", path.read_text("utf-8"))]
    assert asks == ["asking.py"]


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("plain. text", "plain. text"),
        ("To read on: MARK", ""),
        ("MARK for the next notes.", ""),
        ("Showing 3 of 4 files. Raise MARK or narrow the pattern.", "Showing 3 of 4 files."),
        ("Showing 4 of 5. Raise MARK, or set MARK to a tag to see the tags in it.", "Showing 4 of 5."),
        ("Passed over: 2 excluded (a, b), MARK searches them; 3 symlinks (x).",
         "Passed over: 2 excluded (a, b); 3 symlinks (x)."),
        ("Passed over: 2 excluded (a, b), MARK searches them.", "Passed over: 2 excluded (a, b)."),
        ("Line 5 is cut after 1 of 2 characters; raise MARK to see more.", "Line 5 is cut after 1 of 2 characters."),
        ("Lines 1 to 4 of 9. Continue with MARK. Then more.", "Lines 1 to 4 of 9. Then more."),
        ('"this" means the base. Name it: MARK.', '"this" means the base.'),
        ("Line 3 is cut after 9 characters; raise MARK (at most 50), or search.", "Line 3 is cut after 9 characters."),
        ("a.md: line 3; b.md: no line", "a.md: line 3; b.md: no line"),
        ("It is late. MARK. Good night.", "It is late. Good night."),
        ("The words are in a. b.canvas. To see them: MARK", "The words are in a. b.canvas."),
    ],
)  # fmt: skip
def test_what_is_left_of_a_sentence_are_its_facts(sentence: str, fact: str) -> None:
    assert facts(sentence.replace("MARK", asking._MARK)) == fact
