"""Odd requests and odd vaults over REST: each gets a status of its own, and no part is taken for the whole."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.types import ASGIApp

from tests.conftest import write_files
from tests.server.asking import Serve, ask
from vaulttools.server.calls import Calls
from vaulttools.server.rest import answering, omnisearch, searches
from vaulttools.server.rest.files import MAP, NOTE
from vaulttools.server.rest.searches import DATAVIEW, JSONLOGIC
from vaulttools.server.vaults import opened
from vaulttools.tools import query

HUGE = "1" + "0" * 400


pytestmark = pytest.mark.not_on_windows("names with `*`, line ends and bytes that are no UTF-8")


@pytest.fixture(scope="module")
def app(serve: Serve) -> ASGIApp:
    files = {
        f"{folder}/{number}.md": f"findme here\n{number}\n" for folder in ("a", "a/b", "c{,}*[d]") for number in "12"
    }
    return serve(
        notes={**files, "plan.md": "---\nstate: open\n---\n# Plan\n\n## Risks :: all\n\nDamp. ^damp\n", "p.html": "p"}
    )


@pytest.mark.parametrize(
    "query", ["1e400", "-1e400", '"many"', "[]", "{}", "NaN", "Infinity", HUGE, "1.5", "null", "true"]
)
def test_a_limit_may_be_anything(app: ASGIApp, query: str) -> None:
    answer = ask(app, "POST", "/search/smart", content=f'{{"query": "findme", "filter": {{"limit": {query}}}}}')
    assert answer.status_code in (200, 400), answer.text


@pytest.mark.parametrize(
    "operator", ["/", "%", "+", "-", "*", "max", "min", "<", "substr", "cat", "==", "in", "missing_some"]
)
@pytest.mark.parametrize("value", [HUGE, f"-{HUGE}", "1e400", "-1e400", '"1e999"', "NaN", "[[]]", "{}", '"\\ud800"'])
def test_a_rule_may_hold_any_number(app: ASGIApp, operator: str, value: str) -> None:
    for rule in (f'{{"{operator}": [{value}, 3]}}', f'{{"{operator}": [3, {value}]}}', f'{{"{operator}": [{value}]}}'):
        answer = ask(app, "POST", "/search/", headers={"Content-Type": JSONLOGIC}, content=rule)
        assert answer.status_code in (200, 400), (rule, answer.text)


def test_a_rule_that_gives_a_list_without_end_is_refused(app: ASGIApp) -> None:
    rule = {"reduce": [[1] * 40, [{"var": "accumulator"}, {"var": "accumulator"}], []]}
    answer = ask(app, "POST", "/search/", headers={"Content-Type": JSONLOGIC}, content=json.dumps(rule))
    assert (answer.status_code, "elements or 200 levels" in answer.text) == (400, True)


@pytest.mark.parametrize(
    "path",
    [f"/periodic/daily/{'1' * 5_000}/1/1/", "/periodic/daily/a/b/c/", "/periodic/daily/2026/1/%D9%A3/", "/vault/a%00b"],
)
def test_a_path_may_hold_anything(app: ASGIApp, path: str) -> None:
    assert ask(app, "GET", path).status_code in (400, 404)


def _smart(app: ASGIApp, **filters: Any) -> Any:
    return ask(
        app, "POST", "/search/smart", content=json.dumps({"query": "findme", "filter": {"limit": 50, **filters}})
    )


def _found(app: ASGIApp, **filters: Any) -> list[str]:
    return sorted(each["path"] for each in _smart(app, **filters).json()["results"])


def test_overlapping_folders_give_a_passage_once(app: ASGIApp) -> None:
    assert _found(app, folders=["a", "a/b", "./a/", "a"]) == ["a/1.md", "a/2.md", "a/b/1.md", "a/b/2.md"]
    assert _found(app, folders=["a/b", "c{,}*[d]"]) == ["a/b/1.md", "a/b/2.md", "c{,}*[d]/1.md", "c{,}*[d]/2.md"]
    assert _found(app, folders=["a"], excludeFolders=["a/b/"]) == ["a/1.md", "a/2.md"]
    assert len(_found(app)) == len(_found(app, folders=["/", "a"])) == 6


def test_any_number_of_folders_is_one_search(app: ASGIApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """5,000 of them took 43 s over 40 notes."""
    runs: list[str | None] = []
    run = query.run

    def counted(call: Any, request: Any) -> Any:
        runs.append(request.glob)
        return run(call, request)

    monkeypatch.setattr(query, "run", counted)
    for folders in (["a", "a/b", "c{,}*[d]"], ["a"] * 5_000):
        runs.clear()
        assert _smart(app, folders=folders).status_code == 200 and len(runs) == 1
    refused = _smart(app, folders=[f"a/{number}" for number in range(5_000)])
    assert (refused.status_code, len(runs)) == (400, 1) and "at most 100" in refused.json()["message"]
    assert _smart(app, folders=["none"]).status_code == 400


def test_notes_that_are_left_out_leave_room_for_others(app: ASGIApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "_MOST_PASSAGES", 1)
    (first,) = _found(app, limit=1)
    (other,) = _found(app, limit=1, excludeFolders=[first.partition("/")[0]])
    assert other.partition("/")[0] != first.partition("/")[0]
    assert _found(app, excludeFolders=["a", "c{,}*[d]"], limit=1) == []


def test_a_part_is_never_taken_for_the_whole(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    days = {f"2026-11-{day}.md": "a day\n" for day in range(10, 20)}
    app = serve(notes={**days, **{f"{number}.md": f"findme #tag [[0]] {number}\n" for number in range(200)}})
    requests: list[tuple[str, str, dict[str, str], str | None]] = [
        ("GET", "/tags/", {}, None),
        ("GET", "/vault/0.md", {"Accept": NOTE}, None),
        ("GET", "/vault/", {}, None),
        ("GET", "/periodic/daily/recent", {}, None),
        ("POST", "/search/smart", {}, '{"query": "findme 7"}'),
        ("POST", "/search/simple/?query=findme", {}, None),
        ("POST", "/search/", {"Content-Type": JSONLOGIC}, '{"var": "backlinks"}'),
    ]
    seconds = answering.SECONDS
    monkeypatch.setattr(answering, "SECONDS", 0.0)
    first = [ask(app, method, path, headers=headers, content=body) for method, path, headers, body in requests]
    monkeypatch.setattr(answering, "SECONDS", seconds)
    for (method, path, headers, body), early in zip(requests, first, strict=True):
        whole = ask(app, method, path, headers=headers, content=body)
        assert whole.status_code == 200 and answering.NOTICES not in whole.headers
        if early.status_code == 503:
            assert early.headers["Retry-After"] == "2" and early.json()["errorCode"] == 50300
        else:
            assert (early.status_code, early.json()) == (200, whole.json()), path
    assert first[0].status_code == first[1].status_code == 503


@pytest.mark.parametrize(
    ("kind", "target", "answer"),
    [
        ("heading", "Plan%3A%3ARisks", 404),
        ("heading", "Plan--Risks :: all", "\nDamp. ^damp"),
        ("block", "damp", "Damp. ^damp"),
        ("frontmatter", "state", '"open"'),
        ("frontmatter", "", 400),
        ("page", "state", 400),
    ],
)
def test_older_clients_name_a_part_by_headers(app: ASGIApp, kind: str, target: str, answer: str | int) -> None:
    headers = {"Target-Type": kind, "Target": target, "Target-Delimiter": "--"}
    answered = ask(app, "GET", "/vault/plan.md", headers=headers)
    assert (answered.status_code if isinstance(answer, int) else answered.text) == answer
    assert ask(app, "GET", "/vault/plan.md/block/damp", headers=headers).status_code == 400
    assert ask(app, "GET", "/vault/plan.md", headers={**headers, "Target-Scope": "marker"}).status_code == 400


@pytest.mark.parametrize(
    ("path", "accept", "status"),
    [
        ("plan.md", "text/html", 406),
        ("plan.md", "text/html,application/xhtml+xml,*/*;q=0.8", 200),
        ("plan.md", "text/html, text/markdown", 200),
        ("plan.md", f"text/html, {MAP}", 200),
        ("p.html", "text/html", 200),
    ],
)
def test_a_note_as_html_is_refused_by_name(app: ASGIApp, path: str, accept: str, status: int) -> None:
    answer = ask(app, "GET", f"/vault/{path}", headers={"Accept": accept})
    assert answer.status_code == status
    if status == 406:
        assert answer.json()["errorCode"] == 40600 and "/ui/note/" in answer.json()["message"]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with names that are no UTF-8."""
    folder = tmp_path_factory.mktemp("odd")
    write_files(folder, {"other.md": "galena, see [[n]]\n"})
    try:
        (folder / os.fsdecode(b"f\xfe")).mkdir()
        for name in (b"n\xfe.md", b"f\xfe/x\xff.md"):
            (folder / os.fsdecode(name)).write_bytes(b"galena [[other]]\n")
    except OSError:
        pytest.skip("no such names here")
    return folder


ODD = ["f\\xfe/x\\xff.md", "n\\xfe.md", "other.md"]


def test_a_name_that_is_no_utf_8_does_not_break_omnisearch(odd: Path) -> None:
    with opened({"notes": str(odd)}, index="off") as vaults:
        calls = Calls()
        answer = ask(omnisearch.application(vaults, calls, []), "GET", "/search?q=galena")
        calls.close()
    assert sorted((each["path"], each["foundWords"]) for each in answer.json()) == [(path, ["galena"]) for path in ODD]


def test_every_name_in_an_answer_can_be_opened(serve: Serve, odd: Path) -> None:
    app = serve(notes=odd)
    recent = "TABLE file.mtime WHERE file.mtime >= date(today) - dur(2 days) SORT file.mtime DESC LIMIT 9"

    def posted(path: str, body: str = "", kind: str = JSONLOGIC) -> Any:
        return ask(app, "POST", path, headers={"Content-Type": kind}, content=body).json()

    inner = ask(app, "GET", "/vault/f%5Cxfe/").json()["files"]
    answers = [
        [each["filename"] for each in posted("/search/simple/?query=galena")],
        [each["filename"] for each in posted("/search/", '{"var": "path"}')],
        [each["result"] for each in posted("/search/", '{"var": "path"}')],
        [each["filename"] for each in posted("/search/", recent, DATAVIEW)],
        [each["path"] for each in posted("/search/smart", '{"query": "galena"}')["results"]],
        [*ask(app, "GET", "/vault/other.md", headers={"Accept": NOTE}).json()["backlinks"], "other.md"],
        [*ask(app, "GET", "/vault/").json()["files"][1:], f"f\\xfe/{inner[0]}"],
    ]
    assert [sorted(names) for names in answers] == [ODD] * len(answers)
    for name in ODD:
        assert ask(app, "GET", f"/vault/{quote(name)}").text.startswith("galena")
        assert ask(app, "GET", f"/vault/{quote(name)}", headers={"Accept": NOTE}).json()["path"] == name
        assert ask(app, "GET", f"/ui/note/{quote(name)}").status_code == 200
