"""Reads what an index knows of its files: tokens, words, structures, passages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Set
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import apsw

from vaulttools.index import tokenizer
from vaulttools.index import words as table
from vaulttools.index.content import unsealed
from vaulttools.index.database import Database, ReadTransaction
from vaulttools.index.tokenizer import Vocabulary

if TYPE_CHECKING:
    from vaulttools.patterns.requirements import Requirement

_ALL: Final = 2**62
"""More than the rows of any table."""


class Tables:
    """The tables of one index, for any number of threads. Each method raises `Unavailable`, and `Replaced` if the index
    can no longer be used. `words` has its own queries."""

    def __init__(self, database: Database | ReadTransaction, vocabulary: Vocabulary) -> None:
        self.reading: Final = database.reading
        """Yields a connection that no other thread uses at the same time."""
        self._vocabulary = vocabulary

    def ids(self, match: str, *, since: int = 0) -> list[int]:
        """Returns the ids of files whose tokens fulfil an FTS5 query, ascending from `since`.

        Raises:
            apsw.SQLError: the query is invalid.
        """
        with self.reading() as connection:
            return _ids(connection, match, since=since)

    def narrowed(self, requirement: Requirement, most: int = _ALL) -> list[int] | None:
        """Returns the ids of text files that may fulfil a requirement, ascending, perhaps with binary ones; None if
        there are more than `most`, or the requirement excludes no file."""
        with self.reading() as connection, connection:  # the tables as of one moment
            match = tokenizer.query(requirement, partial(self._vocabulary.words_with, connection))
            ids = None if match is None else _ids(connection, match, most + 1)
        return None if ids is None or len(ids) > most else ids

    def known_words(self, words: Set[str]) -> set[str]:
        """Returns those of the words, folded, that any file holds or held."""
        with self.reading() as connection:
            return self._vocabulary.known(connection, words)

    def paths(self, ids: Iterable[int]) -> list[str]:
        """Returns the paths of files, unordered; unknown ids are skipped."""
        found = self._read("SELECT path FROM files WHERE id IN (SELECT value FROM json_each(?))", json.dumps([*ids]))
        return [os.fsdecode(path) for (path,) in found]

    def structures(self, ids: Iterable[int]) -> list[tuple[int, bytes, bytes]]:
        """Returns id, text digest and stored structure of notes, unordered; skips files that are no notes or were not
        read."""
        with self.reading() as connection:
            found: list[Any] = connection.execute(
                "SELECT id, digest, structure FROM notes JOIN files USING (id)"
                " WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps([*ids]),),
            ).fetchall()
            try:
                return [(id_, digest, unsealed(structure)) for id_, digest, structure in found]
            except ValueError as error:
                raise apsw.CorruptError("a structure is damaged") from error

    def passages(self, ids: Iterable[int]) -> list[tuple[int, bytes, bytes]]:
        """Returns id, text digest and stored passages of notes, unordered."""
        return self._read(
            "SELECT id, digest, columns FROM passages JOIN files USING (id)"
            " WHERE id IN (SELECT value FROM json_each(?))",
            json.dumps([*ids]),
        )

    def copies(self, digests: Iterable[int]) -> list[tuple[int, int]]:
        """Returns pairs of a passage digest and the id of a note that holds the passage."""
        return self._read(
            "SELECT digest, id FROM copies WHERE digest IN (SELECT value FROM json_each(?))", json.dumps([*digests])
        )

    def stems(self, beginning: str) -> list[str]:
        """Returns the stems with this beginning, in any note."""
        with self.reading() as connection:
            return table.stems(connection, beginning)

    def with_stem(self, stem: str) -> list[int]:
        """Returns the ids of files that hold a word with exactly this stem."""
        with self.reading() as connection:
            return table.with_stem(connection, stem)

    def _read(self, statement: str, *values: str | int | bytes) -> list[tuple[Any, ...]]:
        with self.reading() as connection:
            return connection.execute(statement, values).fetchall()


def _ids(connection: apsw.Connection, match: str, most: int = _ALL, *, since: int = 0) -> list[int]:
    # One value: Python reads it in half the time of the rows (measured).
    found: Any = connection.execute(
        "SELECT json_group_array(rowid) FROM (SELECT rowid FROM tokens WHERE tokens MATCH ? AND rowid >= ? LIMIT ?)",
        (match, since, most),
    ).get
    ids: list[int] = json.loads(found)
    return ids
