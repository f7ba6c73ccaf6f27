"""REST, as the Local REST API plugin answers: each route, what it keeps to itself, and what raw files may do."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import current_thread
from typing import Any
from urllib.parse import quote

import pytest
from starlette.types import ASGIApp

from tests.conftest import MakeVault, write_files
from tests.server.asking import Serve, ask
from vaulttools.call import Call
from vaulttools.core.work import Work
from vaulttools.notes.links import graph
from vaulttools.server.rest import answering, files, searches
from vaulttools.server.rest.files import MAP, NOTE
from vaulttools.server.rest.searches import DATAVIEW, JSONLOGIC

PLAN = """---
tags: [work, "#urgent"]
status: active
due: 2026-11-20
---
# Plan 🚀

See [[b]], [[missing]] and #work/deep. Galena here.

## Risks

Damp cellars. ^damp

## Risks

Again.
# End
"""

FILES: dict[str, str | bytes] = {
    "Projects/plan.md": PLAN,
    "b.md": "Back to [[Projects/plan|the plan]].\r\ngalena and GALENA\r\n",
    "odd 100%.md": "an odd name\n",
    "a/b/c.txt": "text",
    "evil.html": "<script>alert(1)</script>",
    "evil.svg": "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    "dot.png": b"\x89PNG\r\n",
    ".hidden.md": "hidden",
    ".obsidian/app.json": '{"userIgnoreFilters": ["Left/"]}',
    ".obsidian/secret.md": "galena of the config",
    ".trash/gone.md": "galena of the trash",
    "Left/out.md": "galena left out",
    "2026-11-20.md": "# A day\n",
    "2026-11-21.md": "# Another day\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rest") / "vault"
    write_files(folder, FILES)
    os.utime(folder / "b.md", (1_700_000_000, 1_700_000_000))
    return folder


@pytest.fixture(scope="module")
def app(serve: Serve, folder: Path) -> ASGIApp:
    return serve(notes=folder)


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("/vault/", ["2026-11-20.md", "2026-11-21.md", "Left/", "Projects/", "a/", "b.md", "dot.png", "evil.html"]),
        ("/vault", ["2026-11-20.md", "2026-11-21.md", "Left/", "Projects/", "a/", "b.md", "dot.png", "evil.html"]),
        ("/vault/a/", ["b/"]),
        ("/vault/a/b/", ["c.txt"]),
        ("/v/notes/vault/a/b/", ["c.txt"]),
    ],
)
def test_folders_are_listed(app: ASGIApp, path: str, files: list[str]) -> None:
    listed = ask(app, "GET", path).json()["files"]
    assert listed == sorted(listed)
    assert listed[: len(files)] == files
    assert not [name for name in listed if name.startswith(".")]


@pytest.mark.parametrize(
    "path",
    [
        "none.md",
        "none/",
        ".hidden.md",
        ".obsidian/",
        ".obsidian/app.json",
        ".OBSIDIAN/secret.md",
        "a/../.obsidian/app.json",
        ".trash/gone.md",
        "..%2F..%2Fetc%2Fpasswd",
        "%2Fetc%2Fpasswd",
        "Projects",
        "b.md/none",
        "b.md/heading/None",
        "a/b/c.txt/x",
    ],
)
def test_what_is_not_there_hidden_or_protected_is_answered_alike(app: ASGIApp, path: str) -> None:
    answer = ask(app, "GET", f"/vault/{path}")
    assert (answer.status_code, answer.json()["errorCode"]) == (404, 40400)
    if "heading" not in path:
        assert answer.json() == {"errorCode": 40400, "message": "Not Found"}


@pytest.mark.parametrize(
    "name", [name for name in FILES if "/" not in name.replace("Projects/", "") and name[0] != "."]
)
def test_a_file_is_its_bytes(app: ASGIApp, folder: Path, name: str) -> None:
    answer = ask(app, "GET", f"/vault/{quote(name, safe='')}")
    assert answer.content == (folder / name).read_bytes()
    head = ask(app, "HEAD", f"/vault/{quote(name)}")
    assert head.headers["content-length"] == str(len(answer.content)) and head.content == b""


@pytest.mark.parametrize(
    ("name", "kind", "is_attachment"),
    [
        ("b.md", "text/markdown; charset=utf-8", True),
        ("evil.html", "text/html; charset=utf-8", True),
        ("evil.svg", "image/svg+xml", True),
        ("dot.png", "image/png", False),
        ("a/b/c.txt", "text/plain; charset=utf-8", True),
    ],
)
def test_a_raw_file_can_do_nothing_in_a_browser(app: ASGIApp, name: str, kind: str, is_attachment: bool) -> None:
    headers = ask(app, "GET", f"/vault/{name}").headers
    assert headers["content-type"] == kind
    assert {name: headers[name] for name in files.HEADERS} == files.HEADERS
    assert headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers.get("content-disposition", "").startswith("attachment") == is_attachment


@pytest.mark.parametrize("most", [0, 7, 1_000_000])
def test_a_file_is_the_same_at_once_and_in_pieces(app: ASGIApp, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(files, "AT_ONCE_BYTES", most)
    monkeypatch.setattr(files, "_PIECE", 7)
    for name in ("Projects/plan.md", "a/b/c.txt"):
        answer = ask(app, "GET", f"/vault/{name}")
        expected = str(FILES[name]).encode()
        assert (answer.content, answer.headers["content-length"]) == (expected, str(len(expected)))


def test_json_is_made_beside_the_event_loop(app: ASGIApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """The JSON may take two megabytes, and everybody would wait."""
    threads: list[str] = []

    def noted(value: Any) -> Any:
        threads.append(current_thread().name)
        return value

    monkeypatch.setattr(answering, "encodable", noted)
    assert ask(app, "POST", "/search/simple/?query=galena").status_code == 200
    assert [name.partition("_")[0] for name in threads] == ["vaulttools-call"]


def test_a_note_as_json(app: ASGIApp) -> None:
    answer = ask(app, "GET", "/vault/Projects%2Fplan.md", headers={"Accept": NOTE})
    given = answer.json()
    stat = given.pop("stat")
    assert given == {
        "tags": ["work", "urgent", "work/deep"],
        "frontmatter": {"tags": ["work", "#urgent"], "status": "active", "due": "2026-11-20"},
        "path": "Projects/plan.md",
        "content": PLAN,
        "links": ["b.md"],
        "backlinks": ["b.md"],
        "unresolvedLinks": ["missing"],
    }
    assert stat["size"] == len(PLAN.encode()) and stat["mtime"] > 1_700_000_000_000
    assert answer.headers["content-type"] == NOTE
    other = ask(app, "GET", "/vault/a/b/c.txt", headers={"Accept": NOTE}).json()
    assert (other["content"], other["tags"], other["frontmatter"]) == ("text", [], {})


def test_a_note_as_a_map(app: ASGIApp) -> None:
    first = ask(app, "GET", "/vault/Projects/plan.md", headers={"Accept": MAP, "Markdown-Patch-Version": "1"}).json()
    assert first == {
        "headings": ["Plan 🚀", "Plan 🚀::Risks", "Plan 🚀::Risks", "End"],
        "blocks": ["damp"],
        "frontmatterFields": ["tags", "status", "due"],
    }
    second = ask(app, "GET", "/vault/Projects/plan.md", headers={"Accept": MAP}).json()
    assert second["headings"] == {"Plan 🚀": {"Risks": {}, "Risks\U000fc750\U000f6440": {}}, "End": {}}
    assert len(second["version"]) == 12


@pytest.mark.parametrize(
    ("part", "content"),
    [
        ("heading/Plan%20%F0%9F%9A%80/Risks", "\nDamp cellars. ^damp\n"),
        ("heading/End", ""),
        ("heading/risks", "\nDamp cellars. ^damp\n"),
        ("block/damp", "Damp cellars. ^damp"),
        ("frontmatter/status", '"active"'),
        ("frontmatter/tags/", '["work","#urgent"]'),
    ],
)
def test_a_part_of_a_note(app: ASGIApp, part: str, content: str) -> None:
    answer = ask(app, "GET", f"/vault/Projects/plan.md/{part}")
    assert (answer.status_code, answer.text) == (200, content)


def _posted(app: ASGIApp, kind: str, body: Any, path: str = "/search/") -> Any:
    content = body if isinstance(body, str) else json.dumps(body)
    return ask(app, "POST", path, headers={"Content-Type": kind}, content=content)


def test_simple_search_finds_all_words_in_text_and_name(app: ASGIApp) -> None:
    found = ask(app, "POST", "/search/simple/?query=galena&contextLength=4").json()
    assert [each["filename"] for each in found] == ["Projects/plan.md", "b.md"]
    places = [(each["match"]["start"], each["match"]["end"]) for each in found[1]["matches"]]
    assert places == [(37, 43)]
    assert found[1]["matches"][0]["context"] == "].\r\ngalena and"
    # a sign outside the basic plane is two units
    start = PLAN.index("Galena") + 1
    assert found[0]["matches"][0]["match"] == {"start": start, "end": start + 6, "source": "content"}
    named = ask(app, "POST", "/search/simple/?query=plan+damp").json()
    assert [each["filename"] for each in named] == ["Projects/plan.md"]
    assert named[0]["matches"][0]["match"] == {"start": 0, "end": 4, "source": "filename"}
    assert ask(app, "POST", "/search/simple/?query=nowhere").json() == []
    assert ask(app, "POST", "/search/simple/?query=").json()["errorCode"] == 40000


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        ({"in": ["work", {"var": "tags"}]}, {"Projects/plan.md": True}),
        ({"==": [{"var": "frontmatter.status"}, "active"]}, {"Projects/plan.md": True}),
        ({"and": [{"glob": ["Proj*", {"var": "path"}]}, {"var": "path"}]}, {"Projects/plan.md": "Projects/plan.md"}),
        ({"in": ["galena", {"var": "content"}]}, {"b.md": True}),
        ({"regexp": ["(g|G)alena", {"var": "content"}]}, {"Projects/plan.md": True, "b.md": True}),
        ({"in": ["Projects/plan.md", {"var": "backlinks"}]}, {"b.md": True}),
        ({"var": "unresolvedLinks"}, {"Projects/plan.md": ["missing"]}),
        ({"==": [{"var": "stat.mtime"}, 1_700_000_000_000]}, {"b.md": True}),
        ({"in": ["an odd name", {"var": ["content"]}]}, {"odd 100%.md": True}),
        ({"in": ["left out", {"var": ["content"]}]}, {}),
        ({"in": ["of the config", {"var": "content"}]}, {}),
        ({"if": [{"in": ["galena", {"var": "content"}]}, {}]}, {}),
    ],
)
def test_a_rule_selects_notes(app: ASGIApp, rule: Any, found: dict[str, Any]) -> None:
    answer = _posted(app, JSONLOGIC, rule).json()
    assert {each["filename"]: each["result"] for each in answer} == found


def test_a_rule_on_links_follows_them_anew_only_after_a_change(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault({"a.md": "[[b]]\n", "b.md": "[[c]]\n", "Sub/d.md": "[[b]] [[c]]\n"})
    vault.build_index()
    followed: list[str] = []
    resolved = graph.resolved

    def noted(path: str, *rest: Any) -> Any:
        followed.append(path)
        return resolved(path, *rest)

    monkeypatch.setattr(graph, "resolved", noted)

    def answers() -> tuple[dict[str, Any], int]:
        followed.clear()
        rule = {"merge": [{"var": "backlinks"}, {"var": "unresolvedLinks"}]}
        found = searches.by_rule(Call(vault.session, Work()), rule)
        return {each["filename"]: each["result"] for each in found if each["result"]}, len(followed)

    before = {"b.md": ["Sub/d.md", "a.md", "c"], "Sub/d.md": ["c"]}
    assert answers() == (before, 3)
    assert answers() == (before, 0)
    (vault.path / "a.md").write_text("nothing", encoding="utf-8")
    assert answers() == ({"b.md": ["Sub/d.md", "c"], "Sub/d.md": ["c"]}, 3)
    (vault.path / "c.md").write_text("", encoding="utf-8")
    assert answers()[0] == {"b.md": ["Sub/d.md"], "c.md": ["Sub/d.md", "b.md"]}


@pytest.mark.parametrize(
    ("path", "kind", "body"),
    [
        ("/search/simple/?query=nowhere", "text/plain", ""),
        ("/search/", JSONLOGIC, {"==": [{"var": "content"}, "nowhere"]}),
    ],
)
def test_an_empty_incomplete_search_asks_the_client_to_retry(
    app: ASGIApp, monkeypatch: pytest.MonkeyPatch, path: str, kind: str, body: Any
) -> None:
    assert _posted(app, kind, body, path).json() == []
    monkeypatch.setattr(answering, "SECONDS", 0.0)
    answer = _posted(app, kind, body, path)
    assert (answer.status_code, answer.headers.get("Retry-After")) == (503, "2"), answer.text
    assert answer.json()["message"].startswith("The search is incomplete: ")


@pytest.mark.parametrize(
    ("kind", "body", "code"),
    [
        (JSONLOGIC, "{", 40070),
        (JSONLOGIC, "[" * 100_000, 40070),
        (JSONLOGIC, {"nope": 1}, 40070),
        (DATAVIEW, "LIST", 40070),
        ("text/plain", "x", 40012),
    ],
)
def test_a_bad_query_is_refused_in_one_sentence(app: ASGIApp, kind: str, body: Any, code: int) -> None:
    answer = _posted(app, kind, body)
    assert (answer.status_code, answer.json()["errorCode"]) == (400, code)
    assert "\n" not in answer.json()["message"]


def test_the_query_for_recent_changes(app: ASGIApp) -> None:
    query = "TABLE file.mtime\nWHERE file.mtime >= date(today) - dur(90 days)\nSORT file.mtime DESC\nLIMIT 3"
    found = _posted(app, DATAVIEW, query).json()
    assert len(found) == 3 and "b.md" not in [each["filename"] for each in found]
    times = [each["result"]["file.mtime"] for each in found]
    assert times == sorted(times, reverse=True)
    assert "base" in _posted(app, DATAVIEW, "LIST").json()["message"]


def test_smart_search_gives_passages(app: ASGIApp) -> None:
    asked = {"query": "damp cellars", "filter": {"folders": ["Projects"], "limit": 5}}
    # its client sends no content type
    answer = ask(app, "POST", "/search/smart", content=json.dumps(asked)).json()
    assert [(each["path"], each["breadcrumbs"]) for each in answer["results"]][:1] == [
        ("Projects/plan.md", "plan > Plan 🚀")  # a short note is one passage
    ]
    assert "# Risks\n" in answer["results"][0]["text"] and "Damp cellars" in answer["results"][0]["text"]
    asked["filter"] = {"excludeFolders": ["Projects"]}
    assert ask(app, "POST", "/search/smart", content=json.dumps(asked)).json() == {"results": []}
    assert ask(app, "POST", "/search/smart", content="[]").status_code == 400


def test_tags_commands_and_what_only_the_plugin_has(app: ASGIApp) -> None:
    counts = {each["name"]: each["count"] for each in ask(app, "GET", "/tags/").json()["tags"]}
    assert counts == {"work": 1, "work/deep": 1, "urgent": 1}
    assert ask(app, "GET", "/commands/").json() == {"commands": []}
    for path in ("/active/", "/v/notes/active/"):
        absent = ask(app, "GET", path)
        assert absent.status_code == 404 and "needs the Obsidian app" in absent.json()["message"]


def test_periodic_notes(app: ASGIApp) -> None:
    assert ask(app, "GET", "/periodic/daily/2026/11/20/").text == "# A day\n"
    absent = ask(app, "GET", "/periodic/daily/2020/1/2/")
    assert (absent.status_code, absent.json()["message"]) == (404, "There is no note 2020-01-02.md")
    assert ask(app, "GET", "/periodic/hourly/").status_code == 404
    newest = ask(app, "GET", "/periodic/daily/recent?limit=5&includeContent=true").json()
    assert [(each["path"], each["content"]) for each in newest] == [
        ("2026-11-21.md", "# Another day\n"),
        ("2026-11-20.md", "# A day\n"),
    ]
    given = ask(app, "GET", "/periodic/daily/2026/11/20/", headers={"Accept": NOTE}).json()
    assert given["path"] == "2026-11-20.md"


def test_a_body_is_bounded(app: ASGIApp) -> None:
    answer = _posted(app, JSONLOGIC, '"' + "x" * (2 << 20) + '"')
    assert (answer.status_code, answer.json()["errorCode"]) == (413, 41300)


def test_options_tell_what_is_allowed(app: ASGIApp) -> None:
    for path, allowed in [
        ("/vault/b.md", "GET, HEAD, OPTIONS"),
        ("/none", "GET, HEAD, OPTIONS"),
        ("/search/", "OPTIONS, POST"),
    ]:
        answer = ask(app, "OPTIONS", path)
        assert (answer.status_code, answer.headers["allow"]) == (204, allowed)
