"""A graph of Logseq: its backups are left out, and its notes are read as Logseq reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import MakeVault, write_files
from tests.passed_over import examples
from vaulttools import Vault, VaultConfig, tools
from vaulttools.matching import search
from vaulttools.notes import logseq
from vaulttools.notes import tasks as task_fields
from vaulttools.notes.difference import Change
from vaulttools.notes.links import graph
from vaulttools.notes.links.graph import Graph
from vaulttools.notes.links.resolution import LinkIndex
from vaulttools.notes.markdown.structure import parse
from vaulttools.notes.note import Note
from vaulttools.notes.properties.values import Value

GRAPH: Final = {"logseq/config.edn": "{}\n"}
OLD: Final = "---\nstatus: open\n---\n# Old\n\nneedle #old [[gone]]\n- [ ] needle\n"
BACKUPS: Final = {
    "logseq/bak/pages/A/2026-01-01.md": OLD,
    "logseq/.recycle/b.md": OLD,
    "logseq/version-files/base/a.md": OLD,
}
BACKUP_FOLDERS: Final = (".recycle", "bak", "version-files")
CALLS: Final[dict[str, Mapping[str, Any]]] = {
    "search_files": {"pattern": "needle"},
    "search": {"pattern": "needle"},
    "grep": {"pattern": "needle"},
    "find": {"paths": ["**/*.md"]},
    "query": {"query": "needle"},
    "query, obsidian": {"query": "needle", "mode": "obsidian"},
    "context": {"question": "needle"},
    "tags": {},
    "properties": {},
    "tasks": {},
    "base": {"where": 'file.ext == "md"'},
    "links": {"direction": "unresolved"},
    "survey": {"terms": ["needle"]},
    "scout": {"query": "needle"},
}
OF_ONE_FILE: Final = {"sample", "show", "read", "outline"}


@pytest.fixture(params=["scan", "index", "many files"])
def open_graph(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Opens a vault of some files: without an index, with one, without one and by ripgrep's own walk."""
    opened: list[Vault] = []
    if request.param == "many files":
        monkeypatch.setattr(search, "PROBE", 1)

    def made(files: Mapping[str, str]) -> Vault:
        folder = tmp_path / "vault"
        write_files(folder, files)
        config = VaultConfig(index_folder=tmp_path / "index")
        vault = Vault.open(folder, config=config, index="auto" if request.param == "index" else "off")
        opened.append(vault)
        if request.param == "index":
            vault.build_index()
        return vault

    yield made
    for vault in opened:
        vault.close()


def test_every_tool_is_called() -> None:
    assert {name.partition(",")[0] for name in CALLS} | OF_ONE_FILE == set(tools.NAMES)


@pytest.mark.parametrize("below", ["", "work/"])
def test_no_tool_looks_into_the_backups_of_logseq_and_each_says_so(below: str, open_graph: Any) -> None:
    files = {f"{below}{path}": text for path, text in (GRAPH | BACKUPS).items()}
    vault = open_graph(files | {"a.txt": "none\n"})
    for name, arguments in CALLS.items():
        answer = vault.answer(name.partition(",")[0], arguments)
        assert not answer.found or name == "find", name
        assert all(path not in answer.text for path in files), name
        assert "backup folders of Logseq" in answer.text, name
        assert examples(answer)["Logseq backup"] == [
            f"{below}logseq/{each}" for each in (".recycle", "bak", "version-files")
        ]


def test_a_folder_without_logseqs_settings_is_like_any_other(open_graph: Any) -> None:
    vault = open_graph({path: text for path, text in BACKUPS.items() if ".recycle" not in path})
    for name, arguments in CALLS.items():
        answer = vault.answer(name.partition(",")[0], arguments)
        assert answer.found, name
        assert "Logseq" not in answer.text, name


def test_a_backup_that_is_named_is_opened(open_graph: Any) -> None:
    vault = open_graph(GRAPH | BACKUPS)
    for path in BACKUPS:
        assert "needle" in vault.read(path).content
        assert vault.outline(path).found
    assert [match.path for match in vault.grep("needle", path="logseq/bak").matches] == [
        "logseq/bak/pages/A/2026-01-01.md"
    ] * 2


def test_links_do_not_lead_into_backups(open_graph: Any) -> None:
    vault = open_graph(GRAPH | BACKUPS | {"pages/c.md": "[[2026-01-01]]\n"})
    (link,) = vault.answer("links", {"note": "pages/c.md", "direction": "out"}).links
    assert not link.resolved


NOTES: Final = GRAPH | {
    "pages/Garden.md": "- # Garden\n\t- TODO [#A] order seeds\n\t  SCHEDULED: <2026-12-01 Tue 10:00 .+1w>\n"
    "\t\t- LATER nested\n\t- DONE dig the bed\n\t- see [[tools/spade]]\n",
    "pages/tools___spade.md": "alias:: digging tool\ntags:: iron, [[wood work]]\nrating:: 5\n\n- A spade.\n",
    "pages/old%2Fname.md": "- text\n",
    "pages/Topic.md": "# Topic\n\t- see [[old/name]] and #tagged\n\t\t- TODO deep\n",
}


def test_a_graph_is_read_as_logseq_reads_it(open_graph: Any) -> None:
    vault = open_graph(NOTES)
    assert [(task.line, task.text) for task in vault.tasks().tasks if task.path == "pages/Garden.md"] == [
        (2, "order seeds"),
        (4, "LATER nested"),
    ]
    (first,) = vault.answer("tasks", {"priority": "high"}).tasks
    assert (first.scheduled, first.recurrence) == ("2026-12-01", "every week")
    assert {each.tag for each in vault.tags().tags} == {"iron", "wood-work", "tagged"}
    assert {each.name for each in vault.properties().properties} == {"aliases", "rating", "tags"}
    for note, source in (("tools___spade", "pages/Garden.md"), ("old%2Fname", "pages/Topic.md")):
        links = vault.answer("links", {"note": f"pages/{note}.md", "direction": "back"})
        assert [link.source for link in links.links] == [source]
        assert "journals and block ids are not followed" in links.text
    assert vault.read("tools/spade").path == "pages/tools___spade.md"
    assert [each.path for each in vault.answer("query", {"query": "tag:#iron rating", "mode": "obsidian"}).notes]
    (found,) = vault.answer("query", {"query": "task-todo:seeds", "mode": "obsidian"}).notes
    assert found.path == "pages/Garden.md"
    (found,) = vault.answer("query", {"query": "[rating:5]", "mode": "obsidian"}).notes
    assert found.path == "pages/tools___spade.md"


def test_the_same_notes_without_logseqs_settings_are_obsidians(open_graph: Any) -> None:
    vault = open_graph({path: text for path, text in NOTES.items() if path not in GRAPH})
    assert not vault.tasks().found
    assert not vault.properties().found
    assert not vault.answer("links", {"note": "pages/tools___spade.md", "direction": "back"}).found


def test_a_vault_that_becomes_a_graph_is_read_so_by_the_next_call(make_vault: MakeVault) -> None:
    with make_vault({"a.md": "- TODO one\n"}) as vault:
        assert not vault.tasks().found
        write_files(vault.path, GRAPH)
        assert vault.tasks().found
        (vault.path / "logseq/config.edn").unlink()
        assert not vault.tasks().found


@pytest.mark.parametrize(
    ("text", "properties"),
    [
        ("a:: 1\nb:: x y\n\n- t\n", {"a": 1, "b": "x y"}),
        ("- a:: true\n  b::\n- t\n", {"a": True, "b": None}),
        ("\n\ntags:: #a, [[b c]], [[d, e]]\n", {"tags": ["a", "b-c", "d,-e"]}),
        ("Alias:: one, [[two, three]]\n", {"aliases": ["one", "two, three"]}),
        ("type:: [[book]]\n", {"type": "[[book]]"}),
        ("---\nx: 1\n---\ny:: 2\n", {"x": 1, "y": 2}),
        ("- text\n  a:: 1\n", {}),
        ("- a:: 1\n  text\n", {}),
        ("a:: 1\ntext\n", {}),
        ("text a:: 1\n", {}),
        ("std::vector\n", {}),
        ("", {}),
    ],
)
def test_the_first_block_holds_the_properties_of_a_page(text: str, properties: Mapping[str, Value]) -> None:
    assert Note("a.md", text, is_logseq=True).properties == properties


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("- TODO a\n", [(" ", "a")]),
        ("* NOW a\n", [(" ", "NOW a")]),
        ("- ## DOING a\n", [(" ", "DOING a")]),
        ("- CANCELLED a\n", [("-", "a")]),
        ("- TODO\n", [(" ", "")]),
        ("- [x] TODO a\n", [("x", "TODO a")]),
        ("- TODOS a\n- todo b\n- a TODO\nTODO c\n", []),
        ("- ```\n  - TODO a\n  ```\n", []),
        ("- TODO a\n  DEADLINE: <2026-12-01 Tue ++2d>\n", [(" ", "a [due:: 2026-12-01] [repeat:: every 2 days]")]),
        ("- TODO a\n  - SCHEDULED: <2026-12-01 Tue>\n", [(" ", "a")]),
    ],
)
def test_words_make_tasks(text: str, tasks: list[tuple[str, str]]) -> None:
    assert [(task.status, task.text) for task in parse(text, is_logseq=True).tasks] == tasks


@given(st.text("- \t#TODO[x]`>a\n", max_size=60))
def test_any_text_can_be_read_as_logseqs(text: str) -> None:
    note = Note("a.md", text, is_logseq=True)
    assert [task.line for task in note.structure.tasks] == sorted({task.line for task in note.structure.tasks})
    list(task_fields.tasks(note))


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("pages/a___b___c.md", "pages/a/b/c.md"),
        ("a%2Fb.md", "a/b.md"),
        ("pages/what%3F.md", "pages/what?.md"),
        ("pages/100%.md", "pages/100%.md"),
        ("pages/..___b.md", "pages/..___b.md"),
        ("pages/___b.md", "pages/___b.md"),
        ("pages/a%00b.md", "pages/a%00b.md"),
        ("a___b.png", "a___b.png"),
        ("a___b/c.md", "a___b/c.md"),
    ],
)
def test_the_name_of_a_file_tells_its_namespace(path: str, page: str) -> None:
    assert logseq.page_path(path) == page


NAMES: Final = ("a___b.md", "a/b.md", "b.md", "p/a___b.md", "p/b.md", "p/a%2Fb.md", "c___a___b.md", "q.md")
TARGETS: Final = ("a/b", "b", "c/a/b", "a___b", "a___b.md", "p/a/b", "../a/b", "q")
files_of = st.sets(st.sampled_from(NAMES), min_size=1)


@given(story=st.lists(files_of, min_size=1, max_size=4), written=st.lists(st.sampled_from(TARGETS), max_size=6))
def test_the_links_of_a_graph_with_namespaces_lead_where_each_alone_leads(
    story: list[set[str]], written: list[str]
) -> None:
    text = "".join(f"[[{target}]]\n" for target in written)
    found = graph.written(Note("q.md", text))
    made = Graph().changed([Change("q.md", None, found)])
    for files in story:
        index = LinkIndex(files, is_logseq=True)
        edges = graph.resolved("q.md", found, index)
        for path in files:
            assert Counter(made.to(path, index)) == Counter(edge for edge in edges if edge.target == path)
        gone = made.unresolved(index, lambda: False)
        assert gone is not None
        assert Counter(gone.edges(["q.md"])) == Counter(edge for edge in edges if edge.target is None)
        made = Graph.of_plain(made.plain())


def test_a_page_in_a_namespace_is_named_by_its_whole_name() -> None:
    index = LinkIndex(["p/a___b.md"], is_logseq=True)
    assert [index.resolve(target) for target in TARGETS] == [
        "p/a___b.md", None, None, "p/a___b.md", "p/a___b.md", "p/a___b.md", None, None,
    ]  # fmt: skip
