"""The structure of many notes is written before their words: its answers are whole, and searches read each note."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import MakeVault
from tests.index.indexes import Indexed, rows
from tests.server.asking import app_of, ask
from tests.server.serving import run
from vaulttools import Vault
from vaulttools.index import background, build
from vaulttools.index.build import Updated
from vaulttools.index.content import LACKS_WORDS, ToRead, hanging, read
from vaulttools.index.publisher import Publisher
from vaulttools.index.store import IndexStore
from vaulttools.server.calls import Calls
from vaulttools.server.mcp.backend import Backend
from vaulttools.server.vaults import Vaults

EXAMPLES = int(os.environ.get("VAULTTOOLS_EXAMPLES", "25"))

LINES = st.sampled_from(
    [
        "---\ntags: [a/b]\nup: '[[2]]'\n---\n",
        "# Head\n",
        "text #t [[1|x]]\n",
        "- [ ] do\n",
        "a\r\n",
        "日本\n",
        "\0",
        "\n\n",
    ]
)
VAULTS = st.dictionaries(
    st.sampled_from([*(f"{number}.md" for number in range(6)), "f/a.md", "plain.txt"]),
    st.lists(LINES, max_size=5).map("".join),
    max_size=6,
)


def lacking(store: IndexStore) -> set[str]:
    return {path for path, row in rows(store).items() if row.flags & LACKS_WORDS}


def structures(store: IndexStore) -> dict[str, tuple[bytes, bytes]]:
    by_id = {row.id: path for path, row in rows(store).items()}
    return {by_id[id_]: (digest, structure) for id_, digest, structure in store.structures(by_id)}


def tables(store: IndexStore) -> dict[str, list[Any]]:
    """Everything that the tables hold, by path."""
    with store.database.reading() as connection:
        return {
            os.fsdecode(path): [*held]
            for path, *held in connection.execute(
                "SELECT path, state, flags, digest, structure, columns, (SELECT json_group_array(digest) FROM "
                "(SELECT digest FROM copies WHERE copies.id = files.id ORDER BY digest)), "
                "id IN (SELECT rowid FROM tokens), id IN (SELECT rowid FROM words) "
                "FROM files LEFT JOIN notes USING (id) LEFT JOIN passages USING (id)"
            )
        }


@given(files=VAULTS, later=VAULTS, commits=st.integers(1, 8), gone=st.booleans())
@settings(max_examples=EXAMPLES, deadline=None)
def test_facts_are_the_same_before_and_after_the_words_and_a_stopped_build_goes_on(
    files: dict[str, str], later: dict[str, str], commits: int, gone: bool
) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        indexed, alone = Indexed(Path(folder)), Indexed(Path(folder))
        patch.setattr(build, "BATCH_FILES", 1)
        patch.setattr(build, "FACTS_FIRST", 1)
        patch.setattr(build, "TURN_FILES", 2)
        os.mkdir(indexed.vault)
        indexed.write(files)
        store = indexed.open()
        stop = threading.Event()
        seen: list[Sequence[str]] = []

        def committed(written: Sequence[str]) -> None:
            seen.append(written)
            if len(seen) == commits:
                stop.set()

        indexed.update(store, on_commit=committed, stop=stop)
        before = structures(store)
        if gone and files:
            (indexed.vault / min(files)).unlink()
        indexed.write(later)
        indexed.update(store)
        assert lacking(store) == set()
        assert indexed.verify(store) == []
        after = structures(store)
        assert all(after[path] == held for path, held in before.items() if path in after and after[path][0] == held[0])
        patch.setattr(build, "FACTS_FIRST", 1_000)
        whole = IndexStore.open(Path(folder, "whole.sqlite"))
        alone.update(whole)
        assert tables(store) == tables(whole)
        store.close()
        whole.close()


def test_rewriting_the_structure_of_a_note_keeps_its_words(indexed: Indexed) -> None:
    store = indexed.holding({"a.md": "some words"})
    known = tables(store)
    with store.writing() as writer:
        writer.begin()
        content = read(indexed.root, ToRead("a.md", facts_alone=True))
        assert content is not None
        assert not writer.put(content)
        writer.commit()
    assert tables(store) == known
    store.close()


def test_a_note_without_words_counts_as_incomplete(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "FACTS_FIRST", 1)
    indexed.write({"a.md": "some words"})
    store, stop = indexed.open(), threading.Event()
    assert indexed.update(store, on_commit=lambda files: stop.set(), stop=stop) == Updated(facts=1, done=1)
    assert indexed.verify(store) == ["a.md: has only its structure in the index"]
    store.close()


def test_a_note_that_cannot_be_read_again_is_a_candidate_and_tried_later(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "FACTS_FIRST", 1)
    indexed.write({"a.md": "some words"})
    store, stop = indexed.open(), threading.Event()
    indexed.update(store, on_commit=lambda files: stop.set(), stop=stop)
    state = Publisher(indexed.root, store, None, 1_000)
    pending = state.pending()
    assert pending.wordless == {"a.md"} or pending.stale.keys() == {"a.md"}
    with store.writing() as writer:
        writer.begin()
        writer.put(hanging("a.md"))
        writer.commit()
    state.settle(pending._replace(wordless=frozenset({"a.md"})))
    assert state.latest.stale == {"a.md"}
    assert not state.wordless
    assert "a.md" not in state.pending().stale, "not at once"
    store.close()


FILES = {
    **{
        f"{number % 3}/n{number}.md": f"# Head {number}\n\nword{number} common #t{number % 4}\n" for number in range(40)
    },
    "0/linked.md": "---\nstatus: open\n---\n[[n1]] [[nowhere]]\n\n- [ ] do this\n",
    "text.txt": "common",
}


@pytest.fixture
def between(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, later: None) -> Iterator[Vault]:
    """A vault whose index has all facts and gets no words until it is closed."""
    update = build.update
    has_facts, ends = threading.Event(), threading.Event()

    def halting(*arguments: Any, on_commit: Callable[[Sequence[str]], None], **options: Any) -> Updated:
        if has_facts.is_set():  # this is another vault's build
            return update(*arguments, on_commit=on_commit, **options)

        def committed(files: Sequence[str]) -> None:
            on_commit(files)
            has_facts.set()
            assert ends.wait(60)

        return update(*arguments, on_commit=committed, **options)

    monkeypatch.setattr(build, "FACTS_FIRST", 1)
    monkeypatch.setattr(build, "update", halting)
    with make_vault(FILES) as vault:
        vault.tags()
        assert has_facts.wait(60)
        yield vault
        ends.set()


def test_answers_of_all_notes_are_whole_and_searches_find_all_while_words_are_missing(between: Vault) -> None:
    view = between.session.indexes.own.view(0.0)
    assert view is not None
    assert view.has_facts
    assert not view.has_words
    with Vault.open(between.path, index="off") as other:
        calls: list[tuple[str, dict[str, Any]]] = [
            ("tags", {}),
            ("properties", {}),
            ("tasks", {}),
            ("links", {"direction": "unresolved"}),
            ("search_files", {"pattern": "common"}),
            ("search_files", {"pattern": "word3"}),
            ("search_files", {"pattern": "nowhere at all"}),
            ("query", {"query": "common word7", "mode": "obsidian"}),
        ]
        for name, arguments in calls:
            assert between.call(name, arguments).text == other.call(name, arguments).text
    best = between.query("word7")
    assert [note.path for note in best.notes] == ["1/n7.md"]
    assert "Part of the answer" not in between.tags().text


def test_notes_that_another_process_writes_count_as_soon_as_they_are_written(
    between: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "MANY", 1)
    monkeypatch.setattr(background, "IDLE_SECONDS", 0.01)
    with Vault.open(between.path) as other:  # the first vault has locked the index
        assert other.tags().searched == 41
        view = other.session.indexes.own.view(0.0)
        assert view is not None
        assert view.has_facts
        assert [note.path for note in other.query("word7").notes] == ["1/n7.md"]


def test_an_edit_during_the_build_is_seen(between: Vault) -> None:
    (Path(between.path) / "0/n0.md").write_text("freshword #fresh\n", encoding="utf-8")
    assert [file.path for file in between.search_files("freshword").files] == ["0/n0.md"]
    assert [each.tag for each in between.tags(name="fresh").tags] == ["fresh"]
    assert [note.path for note in between.query("freshword").notes] == ["0/n0.md"]


def test_progress_covers_both_and_only_grows(between: Vault) -> None:
    progress = between.index_progress
    assert progress is not None
    assert (progress.facts, progress.notes, progress.indexed, progress.files) == (41, 41, 0, 42)
    assert progress.sentence == "Indexing: 41 of 41 notes are read, 33% of the work is done."
    vaults = Vaults(("v",), lambda name: nullcontext(between))
    calls = Calls()
    assert run(lambda: Backend(vaults, ["tags"], calls).progress({})) == progress.sentence
    assert ask(app_of(vaults, calls), "GET", "/tags/").headers["Vaulttools-Indexing"] == progress.sentence
    calls.close()
    (Path(between.path) / "0/n0.md").write_text("other\n", encoding="utf-8")
    between.search_files("other")
    later = between.index_progress
    assert later is not None
    assert later.share == progress.share > 0
