"""The commands answer as the tools do, on random vaults that change; queries as mode obsidian of `query`."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.conftest import FIXTURES
from tests.obsidian_cli.asking import asked, lines, rows
from tests.tools.stories import replay, stories
from vaulttools import Vault
from vaulttools.core import paths
from vaulttools.core.folding.identity import identity
from vaulttools.notes.note import Note

MOST = 10_000

QUERIES = [
    "tag:#work [status:active]",
    *(
        "work",
        "WORK",
        "a b",
        "one OR here",
        "-work",
        '"al one"',
        "/[a-c]l/",
        "(a OR b) -here",
        "é",
        "tag:#x",
        "tag:x/y",
    ),
    *("file:a", "path:x", "path:x/y", "content:a", "line:(a b)", "block:(a one)", "section:(head)", "[status]"),
    *(
        "[status:2]",
        "[Status:active]",
        "[due:2026-01-01]",
        "[n:>1]",
        "[n:<1]",
        "[done:true]",
        "match-case:É",
    ),
    *("ignore-case:É", "task:a", "task-todo:a", "task-done:a", "tag:#work -file:a", "[aliases:B]", "[tags:work]"),
    *(
        "[m]",
        "file:.md",
        "file:png",
        "path:Old",
        "-tag:#x -[status]",
        "a -b",
        "b (a OR (here -zz))",
        "#work",
        '"[[a]]"',
    ),
]
"""For the random vaults."""

SHIPPED = [
    *QUERIES,
    *("seed", "seed library", '"seed library"', "tag:#project", "tag:#project/seed-library", "tag:#daily", "frost"),
    *("[status:active]", "[status:active] OR [status:finished]", "[priority:>1]", "[priority:<3]", "[due]", "[date]"),
    *("path:Projects", "path:Daily", "file:plan", "file:plan path:Archive", "budget", "budget -seed", "TODO", "todo"),
    *("task:frost", "task-todo:library", "task-done:library", "line:(seed swap)", "block:(bees beans)", "日本語"),
    *("漢字", "συνταγές", "لغات", "tag:#語学", "/[0-9]{4}-[0-9]{2}/", "/TODO|FIXME/", "Jörg", "jorg", "Amara OR Ines"),
    *("section:(risks)", "content:risks", "-path:Projects seed", "[helpers:Ines]", "[public:true]", "[author]", "bees"),
    *("tag:#garden/frost", "tag:#errands -tag:#errands/health", '"bees & beans"', "[budget:>400]", "swap OR market"),
    *("recipe", "tag:#recipes", "tag:#people", "path:Reading bees", "[email]", "file:Home", "file:inbox TODO", "drill"),
    *("match-case:TODO", "ignore-case:todo", "(seed OR plant) (water OR frost)", "plan file:md", "[start:2026-09-01]"),
]
"""For the shipped vault."""


def _found(vault: Vault, query: str) -> list[str]:
    answered = vault.answer("query", {"query": query, "mode": "obsidian", "limit": MOST})
    return [note.path for note in answered.notes]


@pytest.fixture(scope="module")
def shipped() -> Iterator[Vault]:
    with Vault.open(FIXTURES / "vault", index="off", today="2026-11-20") as vault:
        yield vault


def test_there_are_a_hundred_queries() -> None:
    assert len(set(SHIPPED)) > 100


@pytest.mark.parametrize("query", dict.fromkeys(SHIPPED))
def test_search_finds_what_query_finds_in_mode_obsidian(shipped: Vault, query: str) -> None:
    assert rows(shipped, "search", f"query={query}") == _found(shipped, query)
    assert [row["file"] for row in rows(shipped, "search:context", f"query={query}")] == _found(shipped, query)


@settings(max_examples=10)
@given(stories)
def test_random_vaults_get_the_answers_of_the_tools(story: list[Any]) -> None:
    replay(story, _check)


def _check(vault: Vault, notes: Mapping[str, Note]) -> None:
    for query in random.Random(len(notes)).sample(QUERIES, 8):  # all of them take ten times as long
        assert rows(vault, "search", f"query={query}") == _found(vault, query), query
    _check_links(vault, notes)
    tagged = vault.answer("tags", {"limit": MOST}).tags
    counted = rows(vault, "tags", "counts")
    assert {row["tag"]: row["count"] for row in counted} == {f"#{each.tag}": str(each.occurrences) for each in tagged}
    tasks = vault.answer("tasks", {"status": "any", "limit": MOST}).tasks
    assert sorted((row["file"], int(row["line"]), row["status"]) for row in rows(vault, "tasks")) == sorted(
        (each.path, each.line, each.status) for each in tasks
    )
    held = vault.answer("properties", {"limit": MOST}).properties
    assert {row["name"]: row["count"] for row in rows(vault, "properties")} == {each.name: each.notes for each in held}
    assert lines(vault, "aliases") == [
        alias for path in sorted(notes, key=paths.order) for alias in notes[path].aliases
    ]
    for path, note in notes.items():
        _check_note(vault, path, note)


def _check_links(vault: Vault, notes: Mapping[str, Note]) -> None:
    gone = vault.answer("links", {"direction": "unresolved", "limit": MOST}).links
    assert {row["link"] for row in rows(vault, "unresolved")} == {
        each.target.partition("#")[0].strip() or each.target for each in gone
    }
    assert sum(int(row["count"]) for row in rows(vault, "unresolved", "counts")) == len(gone)
    assert lines(vault, "orphans") == vault.answer("links", {"direction": "orphans", "limit": MOST}).orphans
    leading = {path for path in notes if vault.answer("links", {"note": path, "limit": MOST}).links}
    # A note that is no text is named as passed over.
    nowhere = [path for path in lines(vault, "deadends") if path in notes]
    assert nowhere == sorted(notes.keys() - leading, key=paths.order)


def _check_note(vault: Vault, path: str, note: Note) -> None:
    out = vault.answer("links", {"note": path, "limit": MOST}).links
    assert set(lines(vault, "links", f"path={path}")) == {
        each.target if each.resolved else f"{each.target.partition('#')[0].strip() or each.target} (unresolved)"
        for each in out
    }
    back = vault.answer("links", {"note": path, "direction": "back", "limit": MOST}).links
    counted = {row["file"]: int(row["count"]) for row in rows(vault, "backlinks", f"path={path}", "counts")}
    assert counted == Counter(each.source for each in back)
    assert asked(vault, ["read", f"path={path}"]).out == note.text.removesuffix("\n")
    headings = vault.answer("outline", {"note": path}).headings
    assert [(row["level"], row["heading"], row["line"]) for row in rows(vault, "outline", f"path={path}")] == [
        (each.level, each.text, each.start_line) for each in headings
    ]
    written = Counter(map(identity, note.written_tags))
    assert rows(vault, "tags", f"path={path}", "counts") == [
        {"tag": f"#{tag}", "count": str(written[identity(tag)])} for tag in sorted(note.tags, key=identity)
    ]
    for tag in set(note.written_tags):
        assert path in lines(vault, "tag", f"name={tag}")


BASE = """\
filters: file.ext == "md"
formulas:
  twice: n * 2
views:
  - type: table
    name: All
    order: [file.name, status, tags, due, m, formula.twice, up]
    sort: [{property: file.path, direction: DESC}]
  - type: table
    name: Some
    filters: status
    limit: 2
    order: [file.path, status]
"""


@settings(max_examples=10)
@given(stories)
def test_base_query_has_the_rows_of_base(story: list[Any]) -> None:
    replay([[*story[0], ("All.base", BASE.encode())], *story[1:]], _check_base)


def _check_base(vault: Vault, notes: Mapping[str, Note]) -> None:
    for view in ("All", "Some"):
        answered = vault.answer("base", {"base": "All.base", "view": view, "limit": 2 if view == "Some" else MOST})
        found = rows(vault, "base:query", "path=All.base", f"view={view}")
        assert [row["path"] for row in found] == [row.path for row in answered.rows]
        for row, shown in zip(found, answered.rows, strict=True):
            assert [row[name] for name in row if name != "path"] == [
                _text(value)
                for column, value in zip(answered.columns, shown.values, strict=True)
                if column.name != "file.path"
            ]


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or (isinstance(value, dict) and "error" in value):
        return ""
    return str(value).replace("'", '"').replace(": ", ":") if isinstance(value, dict) else str(value)


@pytest.mark.parametrize("name", ["a#b.md", "daily.md", "[x].md", "{a,b}.md", "x:3-9.md", "a b.md", "weekly -1.md"])
@pytest.mark.not_on_windows("names with a colon")
def test_a_file_whose_name_means_something_is_meant_itself(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("#tag [[other]]\n- [ ] task\n", encoding="utf-8")
    (tmp_path / "other.md").write_text("#no [[no]]\n- [ ] no\n", encoding="utf-8")
    with Vault.open(tmp_path, index="off") as vault:
        assert lines(vault, "links", f"path={name}") == ["other.md"]
        assert lines(vault, "tasks", f"path={name}") == ["- [ ] task"]
        assert lines(vault, "tags", f"path={name}") == ["#tag"]
        assert lines(vault, "backlinks", "path=other.md") == [name]
