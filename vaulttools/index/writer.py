"""Writes an index's tables: files, tokens, words and the structure of notes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final, NamedTuple

import apsw

from vaulttools.files.disk import Key
from vaulttools.index import passages
from vaulttools.index.content import LACKS_WORDS, STATES, Content, ToRead
from vaulttools.index.database import shorten_log
from vaulttools.index.tokenizer import NewWords

_MERGED_PAGES: Final = 500
"""Pages that one step of `Writer.merge` writes per table: 2 MB of log, 40 ms."""

_GATHERED: Final = 256 * 1024
"""Characters of texts to gather before their words are written, table by table: FTS5's data of one table then stays in
the processor's cache (a quarter less time than text by text, measured)."""

_DELETIONS: Final = (
    "DELETE FROM tokens WHERE rowid = ?",
    "DELETE FROM words WHERE rowid = ?",
    "DELETE FROM notes WHERE id = ?",
    "DELETE FROM passages WHERE id = ?",
)


class _Known(NamedTuple):
    id: int
    state: int
    flags: int
    digest: bytes
    key: Key


class Writer:
    """Writes files in transactions. Read files only after creating the writer, so that rows never go back in time."""

    def __init__(self, connection: apsw.Connection, path: Path) -> None:
        """`path`: of the database."""
        self._connection = connection
        self._path = path
        self._new_words = NewWords(connection)
        self._words: set[bytes] = set()
        self._gathered: list[tuple[int, Content]] = []
        self._characters = 0

    def begin(self) -> None:
        """Start a transaction; IMMEDIATE, since upgrading a reading one would fail at once (fault-I08)."""
        self._connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Commit everything since `begin`."""
        self._write_gathered()
        self._connection.execute("COMMIT")
        shorten_log(self._connection, self._path)

    def put(self, content: Content) -> bool:
        """Write a file; False if its text was already known, so that at most its key was written."""
        # Also the words of a file that is not written: its process does not send them again with the next one.
        self._words |= content.tokens.words
        known = self._known(content.path)
        state, flags = STATES.index(content.state), content.flags
        has_words = not flags & LACKS_WORDS
        is_same = False
        if known is not None:
            lacks_words = known.flags & LACKS_WORDS
            if content.state == "unread" and known.state != state and known.key == content.key and not lacks_words:
                return False  # this process could not read what another has read and relies on
            is_same = (known.state, known.digest) == (state, content.digest)
            if is_same and not (has_words and lacks_words):
                self._put_row(known.id, content, state, flags & ~LACKS_WORDS | lacks_words)
                return False
            if not is_same:
                self._forget(known.id)
        id_ = self._put_row(None if known is None else known.id, content, state, flags)
        if content.structure is not None and not is_same:
            self._connection.execute("INSERT INTO notes VALUES (?, ?)", (id_, content.structure))
        if has_words and not (content.state == "unread" and content.words is None):
            self._gathered.append((id_, content))
            self._characters += content.characters
            if self._characters >= _GATHERED:
                self._write_gathered()
        return True

    def _put_row(self, id_: int | None, content: Content, state: int, flags: int) -> int:
        """Write the row of a file, over the row `id_` or as a new one; returns its id."""
        values = (*content.key, content.checked, state, flags, content.digest)
        if id_ is not None:
            self._connection.execute(
                "UPDATE files SET size = ?, modified = ?, changed = ?, inode = ?, checked = ?, state = ?, flags = ?,"
                " digest = ? WHERE id = ?",
                (*values, id_),
            )
            return id_
        self._connection.execute(
            "INSERT INTO files (size, modified, changed, inode, checked, state, flags, digest, path)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*values, os.fsencode(content.path)),
        )
        return self._connection.last_insert_rowid()

    def _write_gathered(self) -> None:
        """Write tokens, words and passages of the gathered files."""
        gathered, self._gathered, self._characters = self._gathered, [], 0
        write = self._connection.executemany
        self._new_words.add(self._words)
        self._words = set()
        write(
            "INSERT INTO tokens (rowid, text) VALUES (?, ?)",
            ((id_, content.tokens.text) for id_, content in gathered if content.tokens.text),
        )
        write(
            "INSERT INTO words (rowid, body, title, aliases, headings, properties) VALUES (?, ?, ?, ?, ?, ?)",
            ((id_, *content.words) for id_, content in gathered if content.words is not None),
        )
        split = [(id_, content.passages) for id_, content in gathered if content.passages is not None]
        write("INSERT INTO passages VALUES (?, ?)", split)
        write(
            "INSERT INTO copies VALUES (?, ?)",
            ((digest, id_) for id_, columns in split for digest in passages.digests(columns)),
        )

    def to_read(self, path: str) -> ToRead:
        """Returns a request to read a file completely, with its stored structure if it only lacks words."""
        found: list[Any] = self._connection.execute(
            "SELECT digest, structure FROM files JOIN notes USING (id) WHERE path = ? AND flags & ?",
            (os.fsencode(path), LACKS_WORDS),
        ).fetchall()
        return ToRead(path, known=found[0] if found else None)

    def remove(self, path: str) -> bool:
        """Forget a file; False if it is not known."""
        known = self._known(path)
        if known is None:
            return False
        self._connection.execute("DELETE FROM files WHERE id = ?", (known.id,))
        self._forget(known.id)
        return True

    def merge(self) -> bool:
        """Merge segments of the word tables by one step, outside a transaction; False if nothing is left to merge.

        FTS5 looks each word up in every segment; a build leaves 6 to 17 for 10,000 notes. With one segment, a query of
        ten words takes an eighth of the time (0.08 ms instead of 0.66).
        """
        before = self._connection.total_changes()
        for name in ("tokens", "words"):
            self._connection.execute(
                f"INSERT INTO {name} ({name}, rank) VALUES ('merge', ?)",  # noqa: S608
                (-_MERGED_PAGES,),
            )
        shorten_log(self._connection, self._path)
        # Each of the two statements counts as one change, whether it merged anything or not.
        return self._connection.total_changes() - before > 2

    # No upsert and no RETURNING: their savepoints make FTS5 flush its entries (measured: four times slower).

    def _known(self, path: str) -> _Known | None:
        found: list[Any] = self._connection.execute(
            "SELECT id, state, flags, digest, size, modified, changed, inode FROM files WHERE path = ?",
            (os.fsencode(path),),
        ).fetchall()
        if not found:
            return None
        id_, state, flags, digest, *stamps = found[0]
        return _Known(id_, state, flags, digest, Key(*stamps))

    def _forget(self, id_: int) -> None:
        self._write_gathered()
        columns: list[Any] = self._connection.execute("SELECT columns FROM passages WHERE id = ?", (id_,)).fetchall()
        digests = [(digest, id_) for (data,) in columns for digest in passages.digests(data)]
        self._connection.executemany("DELETE FROM copies WHERE digest = ? AND id = ?", digests)
        for deletion in _DELETIONS:
            self._connection.execute(deletion, (id_,))
