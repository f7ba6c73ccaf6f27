from __future__ import annotations

import os

import pytest

from tests.index.indexes import Indexed, notes, rows
from vaulttools.index.content import Content, scan
from vaulttools.index.store import IndexStore
from vaulttools.index.tokenizer import tokens


def change(store: IndexStore, statement: str, *values: str | bytes | int) -> None:
    with store.database.writing(wait=True) as connection:
        connection.execute(statement, values)


@pytest.fixture
def store(indexed: Indexed) -> IndexStore:
    indexed.write({"a.md": "# A\nfirst", "b.md": "second", "c.md": "", "d.bin": "\0"})
    made = indexed.open()
    indexed.update(made)
    assert indexed.verify(made) == []
    return made


def test_every_difference_is_named_in_path_order(indexed: Indexed, store: IndexStore) -> None:
    indexed.write({"a.md": "changed", "new.md": "", "b/x.md": ""})
    (indexed.vault / "b.md").unlink()
    assert indexed.verify(store) == [
        "a.md: has changed since it was indexed",
        "b/x.md: is not in the index",
        "b.md: is in the index, and not in the vault",
        "new.md: is not in the index",
    ]


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE files SET state = 2 WHERE path = ?", "a.md: is text, and unread in the index"),
        ("UPDATE files SET state = 1 WHERE path = ?", "a.md: is text, and binary in the index"),
        ("UPDATE files SET flags = 1 WHERE path = ?", "a.md: has other line ends in the index"),
        (
            "UPDATE files SET digest = x'00' WHERE path = ?",
            "a.md: has changed since it was indexed, though its times and size are the same",
        ),
        ("DELETE FROM notes WHERE id = (SELECT id FROM files WHERE path = ?)", "a.md: has no structure in the index"),
        (
            "DELETE FROM tokens WHERE rowid = (SELECT id FROM files WHERE path = ?)",
            "a.md: is not found by its own text",
        ),
        ("UPDATE files SET inode = 0 WHERE path = ?", "a.md: has changed since it was indexed"),
    ],
)
def test_a_row_that_does_not_fit_its_file_is_named(
    indexed: Indexed, store: IndexStore, statement: str, sentence: str
) -> None:
    change(store, statement, b"a.md")
    assert indexed.verify(store) == [sentence]


def test_tokens_of_an_older_text_are_detected(indexed: Indexed, store: IndexStore) -> None:
    found = scan(indexed.root, "a.md")
    assert found is not None
    row = rows(store)["a.md"]
    with store.writing() as writer:
        writer.begin()
        writer.put(Content("a.md", row.key, row.checked, "text", 0, b"x", tokens("quite another text")))
        writer.commit()
    change(store, "UPDATE files SET digest = ? WHERE id = ?", found.digest, row.id)
    assert indexed.verify(store) == ["a.md: is not found by its own text"]


def test_a_name_is_shown_as_elsewhere(indexed: Indexed, store: IndexStore) -> None:
    if os.name != "nt":
        indexed.write({"line\nfeed.md": ""})
        assert indexed.verify(store) == ["line\\nfeed.md: is not in the index"]


def test_damage_is_named_and_nothing_else(indexed: Indexed) -> None:
    store = indexed.holding(notes(20))
    change(store, "UPDATE tokens_data SET block = zeroblob(length(block)) WHERE id > 10 AND length(block) > 900")
    found = indexed.verify(store)
    assert found
    assert all(sentence.startswith("The index is damaged: ") for sentence in found)
