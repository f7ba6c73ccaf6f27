from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.indexes import Indexed, found, notes, rows
from vaulttools.files.disk import Key
from vaulttools.index.content import Content
from vaulttools.index.store import IndexStore
from vaulttools.index.vocabulary import quoted
from vaulttools.notes.note import Note
from vaulttools.notes.stored import dump
from vaulttools.patterns.literals import fold

TEXT = st.text(
    st.one_of(
        st.sampled_from("aAbB \n\"'*\\éÉßſ\u212aİ\ufffd\ufffe\uffff日本\U0001f600\u0301"),
        st.characters(codec="utf-8", exclude_characters="\0"),
    ),
    max_size=12,
)


def stored(character: str) -> str:
    """FTS5 keeps the two noncharacters of the first plane as U+FFFD."""
    return "\ufffd" if character in "\ufffe\uffff" else character


def trigrams(text: str) -> set[str]:
    kept = "".join(map(stored, text))
    return {kept[start : start + 3] for start in range(len(kept) - 2)}


def content(path: str, text: str, digest: bytes = b"1") -> Content:
    return Content(path, Key(len(text), 1, 2, 3), 4, "text", digest=digest, trigrams=f"{fold(text)}\n\n")


def put(store: IndexStore, *contents: Content) -> None:
    with store.writing() as writer:
        writer.begin()
        for one in contents:
            writer.put(one)
        writer.commit()


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(TEXT, min_size=1, max_size=5), queries=st.lists(TEXT.filter(bool), min_size=1, max_size=5))
def test_the_ids_are_those_of_the_files_that_hold_the_trigram(texts: list[str], queries: list[str]) -> None:
    with TemporaryDirectory() as folder:
        store = IndexStore.open(Path(folder, "index.sqlite"))
        put(store, *(content(f"{number}.md", text) for number, text in enumerate(texts)))
        held = {row.id: trigrams(f"{fold(texts[int(row.path[:-3])])}\n\n") for row in store.rows()}
        for query in [*queries, *(text[start : start + 3] for text in texts for start in range(0, len(text), 3))]:
            token = fold(query)[:3]
            wanted = "".join(map(stored, token))
            if len(token) == 3:
                assert store.ids(quoted(token)) == sorted(id_ for id_, known in held.items() if wanted in known)
            assert store.ids(f"{quoted(token)}*") == sorted(
                id_ for id_, known in held.items() if any(one.startswith(wanted) for one in known)
            )
        store.close()


def test_nominated_are_exactly_the_files_with_the_trigrams_of_a_word(indexed: Indexed) -> None:
    files = notes(80)
    indexed.write(files)
    store = indexed.open()
    indexed.update(store)
    changed = notes(40, seed=2)
    indexed.write(changed)
    for path in list(files)[::9]:
        (indexed.vault / path).unlink()
    indexed.update(store)
    texts = {path: fold((indexed.vault / path).read_text(encoding="utf-8")) + "\n\n" for path in indexed.present()}
    rng = random.Random(0)
    for text in rng.sample(sorted(texts.values()), 20):
        start = rng.randrange(len(text) - 8)
        word = text[start : start + rng.randrange(3, 8)]
        assert found(store, word) == {path for path, whole in texts.items() if trigrams(word) <= trigrams(whole)}


def test_a_longer_token_than_a_trigram_is_refused_rather_than_not_found(indexed: Indexed) -> None:
    store = indexed.open()
    put(store, content("a.md", "abcd"))
    with pytest.raises(apsw.SQLError):
        store.ids('"abcd"')


def test_a_row_says_what_was_read(indexed: Indexed) -> None:
    indexed.write({"a.md": "# One\r\n", "b.bin": "x\0y", "c.txt": "c"})
    store = indexed.open()
    indexed.update(store)
    found = rows(store)
    assert {path: (row.key, row.state, row.flags) for path, row in found.items()} == {
        path: (key, state, flags)
        for (path, key), state, flags in zip(
            sorted(indexed.present().items()), ("text", "binary", "text"), (1, 0, 0), strict=True
        )
    }
    note = found["a.md"]
    assert store.structures([note.id, found["c.txt"].id, 999]) == [
        (note.id, note.digest, dump(Note("a.md", "# One\r\n")))
    ]
    status = store.status()
    assert (status.files, status.notes, status.binary, status.unread, status.file_bytes) == (3, 1, 1, 0, 11)


def test_a_rewritten_file_keeps_its_id_and_a_returning_one_does_not(indexed: Indexed) -> None:
    store = indexed.open()
    put(store, content("a.md", "old text"), content("b.md", "other"))
    first = rows(store)
    put(store, content("a.md", "new text", digest=b"2"))
    assert rows(store)["a.md"].id == first["a.md"].id
    assert (found(store, "old"), found(store, "new"), found(store, "text")) == (set(), {"a.md"}, {"a.md"})
    with store.writing() as writer:
        writer.begin()
        assert (writer.remove("b.md"), writer.remove("b.md")) == (True, False)
        writer.commit()
    put(store, content("b.md", "other"))
    assert rows(store)["b.md"].id > first["b.md"].id
    assert store.paths([first["a.md"].id, first["b.md"].id]) == ["a.md"]


def test_a_new_key_on_a_known_text_writes_nothing_else(indexed: Indexed) -> None:
    store = indexed.open()
    put(store, content("a.md", "text"))
    again = content("a.md", "not written, since the digest is the same")
    with store.writing() as writer:
        writer.begin()
        assert writer.put(again) is False
        writer.commit()
    assert rows(store)["a.md"].key == again.key
    assert found(store, "text") == {"a.md"}


def test_what_was_not_committed_never_happened(indexed: Indexed) -> None:
    store = indexed.open()
    put(store, content("a.md", "text"))
    before = rows(store)
    with pytest.raises(KeyError), store.writing() as writer:
        writer.begin()
        writer.put(content("b.md", "text"))
        raise KeyError
    assert (rows(store), found(store, "text")) == (before, {"a.md"})


def test_a_file_that_can_no_longer_be_read_leaves_nothing_behind(indexed: Indexed) -> None:
    indexed.write({"a.md": "# Secret"})
    store = indexed.open()
    indexed.update(store)
    row = rows(store)["a.md"]
    put(store, Content("a.md", row.key._replace(changed=row.key.changed + 1), row.checked, "unread"))
    assert (found(store, "secret"), store.structures([row.id]), rows(store)["a.md"].state) == (set(), [], "unread")
    assert store.status().unread == 1


def test_words_are_found_by_their_stems_and_ranked(indexed: Indexed) -> None:
    indexed.write({"Indexing.md": "text", "b.md": "# Indexes\n", "c.md": "---\ntags: index\n---\nnothing"})
    store = indexed.open()
    indexed.update(store)
    ids = store._read("SELECT rowid FROM words WHERE words MATCH 'indexed' ORDER BY bm25(words, 1, 9, 5, 3, 2)")
    assert store.paths([each for (each,) in ids]) == ["Indexing.md", "b.md", "c.md"]
