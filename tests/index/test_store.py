from __future__ import annotations

import random
import re

import pytest
from hypothesis import strategies as st

from tests.index.indexes import Indexed, found, notes, rows
from vaulttools.files.disk import Key
from vaulttools.index import tokenizer
from vaulttools.index.content import Content
from vaulttools.index.store import IndexStore
from vaulttools.notes.note import Note
from vaulttools.notes.packing import dump
from vaulttools.patterns.requirements import fold

TEXT = st.text(
    st.one_of(
        st.sampled_from("aAbB \n\"'*\\éÉßſ\u212aİ\ufffd\ufffe\uffff日本\U0001f600\u0301"),
        st.characters(codec="utf-8", exclude_characters="\0"),
    ),
    max_size=12,
)


def content(path: str, text: str, digest: bytes = b"1") -> Content:
    return Content(path, Key(len(text), 1, 2, 3), 4, "text", digest=digest, tokens=tokenizer.tokens(fold(text)))


def put(store: IndexStore, *contents: Content) -> None:
    with store.writing() as writer:
        writer.begin()
        for one in contents:
            writer.put(one)
        writer.commit()


def test_exactly_the_files_with_a_word_that_holds_the_letters_are_nominated(indexed: Indexed) -> None:
    files = notes(80)
    store = indexed.holding(files)
    changed = notes(40, seed=2)
    indexed.write(changed)
    for path in list(files)[::9]:
        (indexed.vault / path).unlink()
    indexed.update(store)
    texts = {path: fold((indexed.vault / path).read_text(encoding="utf-8")) for path in indexed.present()}
    rng = random.Random(0)
    for text in rng.sample(sorted(texts.values()), 20):
        word = rng.choice(re.findall("[0-9]{4,}", text))[1:]
        assert found(store, word) == {path for path, whole in texts.items() if word in whole}


def test_a_row_describes_the_file_that_was_read(indexed: Indexed) -> None:
    store = indexed.holding({"a.md": "# One\r\n", "b.bin": "x\0y", "c.txt": "c"})
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
    store = indexed.holding({"a.md": "# Secret"})
    row = rows(store)["a.md"]
    put(store, Content("a.md", row.key._replace(changed=row.key.changed + 1), row.checked, "unread"))
    assert (found(store, "secret"), store.structures([row.id]), rows(store)["a.md"].state) == (set(), [], "unread")
    assert store.status().unread == 1
