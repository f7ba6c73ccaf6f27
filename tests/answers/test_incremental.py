"""An answer about all notes, updated by the changes alone, equals the answer made anew."""

from __future__ import annotations

import marshal
import random
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import MakeVault, write_files
from vaulttools import Vault
from vaulttools.answers import incremental, linked, obsidian_query, usages
from vaulttools.answers.incremental import NoteProjection
from vaulttools.bases.vault_files import NoteTable
from vaulttools.index import kept_facts, location
from vaulttools.index.store import IndexStore
from vaulttools.index.tables import Tables
from vaulttools.notes.difference import Change
from vaulttools.notes.links import graph
from vaulttools.notes.links.graph import Graph
from vaulttools.notes.links.resolution import LinkIndex
from vaulttools.notes.note import Note
from vaulttools.notes.tallies import PropertyCounts, TagCounts
from vaulttools.query.facts import Facts
from vaulttools.tools import base, tasks

PATHS = ["a.md", "A b.md", "x/a.md", "x/B.md", "x/y/a.md", "é.md", "z.png"]
PARTS = [
    *("---\ntags: [Work, a/b]\n---\n", "---\nstatus: 1\nStatus: true\n---\n", "---\nstatus: 1.0\nup: '[[B]]'\n---\n"),
    *("---\nstatus: [1, true, null]\n---\n", "---\nstatus:\nn: .nan\n---\n", ""),
]
LINES = [
    *("#work #Work", "#a/b/c text", "[[a]] [[x/a]] [[none]]", "[[B|b]] ![[z.png]]", "[[]] [[#h]]", "[x](../a.md)"),
    *("- [ ] open\n  - [x] nested", "- [x] done", "[[gone/a]] [[none]]", "![[é]]", "words"),
]

texts = st.builds(
    lambda part, lines: part + "\n".join(lines), st.sampled_from(PARTS), st.lists(st.sampled_from(LINES), max_size=4)
)
vaults = st.dictionaries(st.sampled_from(PATHS), texts, max_size=6)


def _tags(answer: TagCounts, _: LinkIndex) -> object:
    return answer.all


def _properties(answer: PropertyCounts, _: LinkIndex) -> object:
    return repr(answer.all)


def _facts(answer: Facts, _: LinkIndex) -> object:
    values = {
        name: sorted((repr(value), sorted(notes)) for value, notes in zip(held.values, held.notes, strict=True))
        for name, held in answer.properties.items()
    }
    tagged = {tag: sorted(answer.tagged(tag)) for tag in ("work", "a", "a/b", "a/b/c")}
    return answer.notes, answer.todo, answer.done, tagged, values


def _graph(answer: Graph, index: LinkIndex) -> object:
    back = {path: answer.to(path, index) for path in PATHS}
    out = {path: answer.targets(path, index) for path in PATHS}
    never: Callable[[], bool] = lambda: False  # noqa: E731
    gone = answer.unresolved(index, never)
    assert gone is not None
    return back, out, gone, gone.number, list(gone.edges(PATHS)), gone.of(PATHS), answer.orphans(index, never, PATHS)


def _tasks(answer: Any, _: LinkIndex) -> object:
    return [(each, list(answer.above(each))) for each in answer.listed]


def _table(answer: NoteTable, _: LinkIndex) -> object:
    tagged = {tag: sorted(answer.tagged(tag)) for tag in ("#work", "#a", "#a/b")}
    held = answer.by_value("status")
    groups = sorted((repr(value), sorted(notes)) for value, notes in held.groups)
    return repr(sorted(answer.facts.items())), tagged, groups, held.having, answer.names


QUESTIONS: list[tuple[NoteProjection[Any, Any], Callable[[Any, LinkIndex], object]]] = [
    (usages.TAGS, _tags),
    (usages.PROPERTIES, _properties),
    (obsidian_query.PROJECTION, _facts),
    (linked.PROJECTION, _graph),
    (tasks.PROJECTION, _tasks),
    (base.PROJECTION, _table),
    (base.LINKS, lambda answer, _: sorted(answer.items())),
]


@pytest.mark.parametrize(("question", "shown"), QUESTIONS, ids=[each.kind for each, _ in QUESTIONS])
@given(story=st.lists(vaults, min_size=2, max_size=5))
def test_an_answer_updated_by_changes_equals_the_answer_made_anew(
    question: NoteProjection[Any, Any], shown: Callable[[Any, LinkIndex], object], story: list[Mapping[str, str]]
) -> None:
    answer, facts = question.empty, dict[str, Any]()
    earlier: list[tuple[Any, LinkIndex, object]] = []
    for files in story:
        index = LinkIndex(files)
        now = {path: question.read(Note(path, text)) for path, text in files.items() if path.endswith(".md")}
        changes = [Change(path, facts.get(path), now.get(path)) for path in facts.keys() | now.keys()]
        answer, facts = question.change(answer, changes), now
        anew = question.change(question.empty, [Change(path, None, fact) for path, fact in now.items()])
        assert shown(answer, index) == shown(anew, index)
        earlier.append((answer, index, shown(answer, index)))
        if question.plain is not None and question.of_plain is not None:  # as a later process loads it
            plain: Any = question.plain(answer)
            answer = question.of_plain(marshal.loads(marshal.dumps(plain)))
            assert shown(answer, index) == shown(anew, index)
    for answer, index, was in earlier:
        assert shown(answer, index) == was, "an answer that somebody has must not change"


@given(files=vaults)
def test_the_links_of_a_graph_lead_where_each_link_alone_leads(files: Mapping[str, str]) -> None:
    index = LinkIndex(files)
    found = {path: graph.written(Note(path, text)) for path, text in files.items() if path.endswith(".md")}
    edges = [edge for path, written in found.items() for edge in graph.resolved(path, written, index)]
    made = Graph().changed([Change(path, None, written) for path, written in found.items()])
    gone = made.unresolved(index, lambda: False)
    assert gone is not None
    assert Counter(gone.edges(PATHS)) == Counter(edge for edge in edges if edge.target is None)
    for path in PATHS:
        assert Counter(made.to(path, index)) == Counter(edge for edge in edges if edge.target == path)


def test_a_long_session_answers_like_a_new_one(tmp_path: Path) -> None:
    """Edits, renames and removals alternate with every question, even while the index lags behind."""
    rng = random.Random(18)
    folder = tmp_path / "vault"
    folder.mkdir()
    with Vault.open(folder) as kept:
        for step in range(25):
            for _ in range(rng.randint(1, 3)):
                _change(rng, folder)
            if step % 5 == 0:
                kept.build_index()
            with Vault.open(folder, index="off") as anew:
                assert _answers(kept) == _answers(anew), step


@pytest.mark.parametrize(("before", "after"), [("1", "true"), ("1", "1.0"), ("[true]", "[1]"), ("1e3", "1000.")])
def test_a_change_between_values_that_python_takes_for_equal_is_seen(tmp_path: Path, before: str, after: str) -> None:
    note = tmp_path / "a.md"
    note.write_text(f"---\ndone: {before}\n---\n", encoding="utf-8")
    with Vault.open(tmp_path) as kept:
        was = kept.properties().text
        note.write_text(f"---\ndone: {after}\n---\n", encoding="utf-8")
        with Vault.open(tmp_path, index="off") as anew:
            assert was != kept.properties().text == anew.properties().text


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("tags", {}),
    ("properties", {}),
    ("links", {"direction": "unresolved"}),
    ("links", {"direction": "orphans"}),
    ("links", {"note": "1.md", "direction": "back"}),
    ("query", {"query": "tag:#tag/3 OR [n:5] OR task-todo:x", "mode": "obsidian"}),
]
KINDS = ("links", "properties", "query", "tags")


@pytest.fixture
def kept_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the answers of a small vault like those of a large one."""
    monkeypatch.setattr(incremental, "FEW", 3)


def _many(number: int) -> str:
    properties = f"n: {number}\nprice: [{number}.50, 0x{number}F]"
    return f"---\n{properties}\n---\n#tag/{number} [[{number + 1}]] [[gone{number}]]\n- [ ] x\n"


def _texts(folder: Path, index: Literal["auto", "off"] = "auto") -> list[str]:
    with Vault.open(folder, index=index) as vault:
        if index == "auto":
            vault.build_index()
        return [vault.call(name, arguments).text for name, arguments in CALLS]


def _kept(folder: Path) -> list[Path]:
    with Vault.open(folder) as vault:
        database = location.of(vault._opened.root).database
    return sorted(file for file in database.parent.iterdir() if "facts-" in file.name)


def test_a_process_answers_from_what_another_has_kept(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, kept_soon: None, later: None
) -> None:
    folder = make_vault({f"{number}.md": _many(number) for number in range(30)}).path
    first = _texts(folder)
    names = [file.name.partition(".sqlite.")[2] for file in _kept(folder)]
    assert names == [f"facts-{kind}" for kind in KINDS]
    with monkeypatch.context() as patch:
        for question in (usages.TAGS, usages.PROPERTIES, obsidian_query.PROJECTION, linked.PROJECTION):
            patch.setattr(type(question.empty), "changed", lambda *_: pytest.fail("an answer was made anew"))
        for look in ("resolve", "having"):
            patch.setattr(LinkIndex, look, lambda *_: pytest.fail("a link was followed"))
        for number in (5, 0, 1, 2, 3):  # not 4: to find `1.md` it resolves a link
            with Vault.open(folder) as vault:
                vault.build_index()
                if number != 5:  # text in a task is searched for in the notes
                    patch.setattr(IndexStore, "structures", lambda *_: pytest.fail("a structure was read"))
                assert vault.call(*CALLS[number]).text == first[number]
    with Vault.open(folder) as vault:
        vault.clear_index()
        assert _kept(folder) == []


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_a_call_saves_its_answer_once_and_the_same_call_not_again(
    tool: str, arguments: dict[str, Any], make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, kept_soon: None
) -> None:
    folder = make_vault({f"{number}.md": _many(number) for number in range(30)}).path
    saved: list[str] = []
    monkeypatch.setattr(kept_facts, "save", lambda _, name, __: saved.append(name))
    with Vault.open(folder) as vault:
        vault.build_index()
        saved.clear()
        vault.call(tool, arguments)
        vault.call(tool, arguments)
    assert saved == [f"facts-{tool}"]


def test_a_note_that_was_read_after_an_edit_is_not_read_again_once_it_is_indexed(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_vault({f"{number}.md": _many(number) for number in range(30)})
    with Vault.open(made.path) as vault:
        vault.build_index()
        vault.tags()
        write_files(made.path, {"3.md": "#changed"})
        expected = vault.tags().text
        vault.build_index()
        monkeypatch.setattr(Tables, "structures", lambda *_: pytest.fail("a structure was read"))
        monkeypatch.setattr(Note, "__init__", lambda *_: pytest.fail("a note was parsed"))
        assert vault.tags().text == expected


@pytest.mark.parametrize("lost", ["nothing", "facts", "damaged facts", "other code"])
def test_answers_include_changes_between_two_processes(
    lost: str, make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, kept_soon: None, later: None
) -> None:
    folder = make_vault({f"{number}.md": _many(number) for number in range(30)}).path
    before = _texts(folder)
    for file in _kept(folder):
        if lost.endswith(file.name.partition(".sqlite.")[2].partition("-")[0]):
            if lost.startswith("damaged"):
                file.write_bytes(file.read_bytes()[:-3])
            else:
                file.unlink()
    if lost == "other code":
        monkeypatch.setattr(kept_facts, "_code", lambda: "other")
    write_files(
        folder, {"3.md": "#other [[5]]\n", "new.md": "#tag/new [[none]]\n", "gone4.md": "", "sub/2.md": "[[9]]"}
    )
    (folder / "7.md").unlink()
    (folder / "8.md").rename(folder / "moved.md")
    assert _texts(folder) == _texts(folder, "off") != before
    write_files(folder, {"3.md": _many(3)})
    for _ in range(2):
        assert _texts(folder) == _texts(folder, "off")


def test_answers_stay_right_across_processes_and_calls(tmp_path: Path, kept_soon: None) -> None:
    rng = random.Random(5)
    folder = tmp_path / "vault"
    for _ in range(3):
        for _ in range(6):
            _change(rng, folder)
        with Vault.open(folder) as kept, Vault.open(folder, index="off") as anew:
            kept.build_index()
            for _ in range(2):
                assert _answers(kept) == _answers(anew)
                _change(rng, folder)


def _change(rng: random.Random, folder: Path) -> None:
    path = folder / rng.choice(PATHS)
    match rng.randrange(4):
        case 0 if path.exists():
            path.unlink()
        case 1 if path.exists():
            target = folder / rng.choice(PATHS)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
        case _:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(rng.choice(PARTS) + "\n".join(rng.choices(LINES, k=3)), encoding="utf-8")


def _answers(vault: Vault) -> list[str]:
    return [
        vault.tags(limit=200).text,
        vault.properties(limit=200).text,
        vault.properties(name="status").text,
        vault.tasks(status="any").text,
        vault.links(direction="unresolved").text,
        vault.links(direction="orphans").text,
        *(vault.links(note=path, direction="back").text for path in PATHS if (vault.path / path).exists()),
        vault.query("tag:#work OR [status:1]", mode="obsidian").text,
        vault.query("task:nested -[n]", mode="obsidian").text,
        vault.query("words, gone or a nested task").text,
        vault.query("words none", folder="x").text if (vault.path / "x").is_dir() else "",
        vault.base(where='file.hasTag("work") || status == 1').text,
        vault.base(where='file.hasLink("a")').text,
    ]
