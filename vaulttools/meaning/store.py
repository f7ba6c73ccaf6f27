"""Stores vectors of passages in SQLite, by the digest of the embedded text.

Each embedder has its own file; another version or other weights count as another embedder. A damaged file is deleted,
since embedding again restores it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any, Final, NamedTuple

import apsw
import numpy as np

from vaulttools.core.windows import replace
from vaulttools.index import filesystems
from vaulttools.index.file import SCHEMA as INDEX
from vaulttools.meaning import static_fit
from vaulttools.meaning.embedders import EmbedderKey, NoMeaning
from vaulttools.meaning.vectors import Vectors

UNUSED_SECONDS: Final = 30 * 86_400.0
"""How long unused vectors of a packaged model are kept. A newer version of the extra makes new vectors. The old ones
are not removed at once: two environments with different models may use one vault, and each would embed it again and
again."""

_SCHEMA: Final = 5
"""Raise it with every change of the tables, the vectors or the text that is embedded."""

_COLUMNS: Final = "(id INTEGER PRIMARY KEY AUTOINCREMENT, digest INTEGER NOT NULL UNIQUE, vector BLOB)"

_TABLES: Final = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE vectors {_COLUMNS};
CREATE TABLE own {_COLUMNS};
"""
"""A passage that the embedder does not know has no vector."""

_COVERED: Final = f"covered_{INDEX}"
"""The table of texts whose passages all have vectors. Each version of the index splits texts in its own way."""

_FORGOTTEN: Final = "INSERT INTO meta VALUES ('forgotten', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1"

_OWN: Final = "SELECT digest, vector FROM own WHERE vector IS NOT NULL"
_PUT_OWN: Final = "INSERT OR IGNORE INTO own (digest, vector) VALUES (?, ?)"

_LACKING_OWN: Final = "SELECT digest FROM vectors WHERE vector IS NOT NULL AND digest NOT IN (SELECT digest FROM own)"
_REPLACE_BY_OWN: Final = f"""
DELETE FROM own WHERE digest NOT IN (SELECT digest FROM vectors);
INSERT OR IGNORE INTO own (digest, vector) SELECT digest, NULL FROM vectors WHERE vector IS NULL;
DROP TABLE vectors;
ALTER TABLE own RENAME TO vectors;
CREATE TABLE own {_COLUMNS};
"""  # noqa: S608
_KEEP_AS_OWN: Final = f"""
DROP TABLE own;
ALTER TABLE vectors RENAME TO own;
CREATE TABLE vectors {_COLUMNS};
"""

_BUSY_MILLISECONDS: Final = 5_000

_LEFTOVERS: Final = ("", "-wal", "-shm", "-journal")


class Generation(NamedTuple):
    """Identifies a state of the store; it stays the same while vectors are only added."""

    file: int
    """Number of the file that this process reads, by its own count."""
    forgotten: int
    """How often vectors were removed."""


class VectorStore:
    """The vectors of one vault and one embedder, for any number of threads and processes.

    Every method that reads or writes raises `NoMeaning` if the file cannot be used or was damaged. Without a file,
    reading returns the same as for an empty one.
    """

    def __init__(self, folder: Path, key: EmbedderKey) -> None:
        self.path: Final = folder / f"meaning-{key.file_name(_SCHEMA)}.sqlite"
        self.key: Final = key
        self._vectors = Vectors.none()
        self._forgotten, self._last = -1, 0
        """For `_vectors`: how often vectors had been removed when they were read, and their largest id."""
        self._files = 0
        """How often the file turned out to be another one or missing."""
        self._guard = RLock()
        self._reader: apsw.Connection | None = None
        self._file = 0, 0
        """Device and inode of the file that `_reader` reads; no other file can have them while it is open."""

    def vectors(self) -> Vectors:
        """Returns all stored vectors; reads only those added since the last call."""
        with self._reading() as connection:
            if connection is None:
                return Vectors.none()
            with connection:  # one transaction: both reads see the same state
                forgotten = _meta(connection, "forgotten", 0)
                if forgotten != self._forgotten:
                    self._vectors, self._forgotten, self._last = Vectors.none(), forgotten, 0
                rows: list[Any] = connection.execute(
                    "SELECT id, digest, vector FROM vectors WHERE id > ? AND vector IS NOT NULL ORDER BY id",
                    (self._last,),
                ).fetchall()
            if rows:
                self._vectors = self._vectors.extended(_as_vectors([row[1:] for row in rows]))
                self._last = rows[-1][0]
            return self._vectors

    def missing(self, digests: Iterable[int]) -> list[int]:
        """Returns the digests without a vector, in the order given, each once."""
        wanted = list(dict.fromkeys(digests))
        with self._reading() as connection:
            if connection is None:
                return wanted
            held = connection.execute(
                "SELECT digest FROM vectors WHERE digest IN (SELECT value FROM json_each(?))", (json.dumps(wanted),)
            )
            found = {digest for (digest,) in held}
        return [each for each in wanted if each not in found]

    def put(self, pairs: Sequence[tuple[int, bytes | None]]) -> None:
        """Store vectors, each with its passage's digest; None for a passage that the embedder does not know.

        Raises:
            NoMeaning: the disk is full, the file cannot be written, or it holds vectors of other dimensions.
        """
        with self._writing() as connection:
            dimensions = max([len(vector) for _, vector in pairs if vector is not None], default=0)
            held = _meta(connection, "dimensions", 0)
            if dimensions and not held:
                _put_meta(connection, dimensions=dimensions)
            elif dimensions and held != dimensions:
                raise NoMeaning(
                    f"The embedder gives vectors of {dimensions:,} numbers, and those that are kept have {held:,}: "
                    "`vaulttools index clear` forgets them"
                )
            connection.executemany("INSERT OR IGNORE INTO vectors (digest, vector) VALUES (?, ?)", pairs)

    def keep_only(self, digests: Collection[int]) -> None:
        """Remove the vectors of all other digests."""
        wanted = (json.dumps(list(digests)),)
        with self._writing() as connection:
            for table in ("vectors", "own"):
                others = "digest NOT IN (SELECT value FROM json_each(?))"
                connection.execute(f"DELETE FROM {table} WHERE {others}", wanted)  # noqa: S608
            _put_meta(connection, fitted=min(_meta(connection, "fitted", 0), _count(connection)))
            _forget_covered(connection)
            connection.execute(_FORGOTTEN)

    def generation(self) -> Generation | None:
        """Returns the generation, which changes when vectors are removed; None without a file."""
        with self._reading() as connection:
            return None if connection is None else Generation(self._files, _meta(connection, "forgotten", 0))

    # The encoder.
    def begin(self, fit: bytes, passages: int, own: Sequence[tuple[int, bytes | None]] = ()) -> None:
        """Store a new encoder and remove the vectors of the old one; the embedder's own vectors stay. `passages` is the
        number of the vault's passages now; `own` are the embedder's vectors of those that the encoder was fitted to."""
        with self._writing() as connection:
            connection.execute(_KEEP_AS_OWN if _meta(connection, "own", 0) else "DELETE FROM vectors")
            connection.execute("DELETE FROM meta WHERE name = 'dimensions'")
            _forget_covered(connection)
            _put_meta(connection, fit=fit, fitted=passages, own=0)
            connection.executemany(_PUT_OWN, own)
            connection.execute(_FORGOTTEN)

    def fit(self) -> bytes | None:
        """Returns the static encoder of this vault as bytes; None before there is one."""
        with self._reading() as connection:
            found: bytes | None = _meta(connection, "fit", None)
            if found is not None:
                static_fit.unpacked(found)
        return found

    def is_own(self) -> bool:
        """Whether the vectors are the embedder's own, not those of an encoder that was fitted to it."""
        with self._reading() as connection:
            return bool(_meta(connection, "own", 0))

    def own_vectors(self) -> Vectors:
        """Returns the vectors given to `begin` and `put_own`."""
        with self._reading() as connection:
            rows: Any = () if connection is None else connection.execute(_OWN).fetchall()
            return _as_vectors(rows) if rows else Vectors.none()

    def lacking_own(self) -> list[int]:
        """Returns the digests of the encoder's vectors for which the embedder's own are not stored yet."""
        with self._reading() as connection:
            if connection is None or _meta(connection, "own", 0):
                return []
            return [digest for (digest,) in connection.execute(_LACKING_OWN)]

    def put_own(self, pairs: Sequence[tuple[int, bytes | None]]) -> None:
        """Store vectors of the embedder itself, each with its passage's digest, until `replace_by_own`."""
        with self._writing() as connection:
            connection.executemany(_PUT_OWN, pairs)

    def replace_by_own(self) -> None:
        """Replace the encoder's vectors by the embedder's own; passages that have none lose their vectors. Do nothing
        if another process has replaced them, or if the encoder is gone."""
        with self._writing() as connection:
            if _meta(connection, "own", 0) or _meta(connection, "fit", None) is None:
                return
            connection.execute(_REPLACE_BY_OWN)
            connection.execute("DELETE FROM meta WHERE name = 'dimensions'")
            _forget_covered(connection)
            _put_meta(connection, own=1, fitted=_count(connection))
            connection.execute(_FORGOTTEN)

    def fitted(self) -> tuple[int, int]:
        """Returns how many passages the vault had when the encoder was fitted, and how many have vectors now."""
        with self._reading() as connection:
            if connection is None:
                return 0, 0
            return _meta(connection, "fitted", 0), _count(connection)

    def known(self) -> int:
        """Returns how many passages that the embedder knows have vectors."""
        with self._reading() as connection:
            return 0 if connection is None else _count(connection, "WHERE vector IS NOT NULL")

    # Progress.
    def covered(self) -> frozenset[bytes]:
        """Returns the digests of texts whose passages all have vectors, as given to `cover`."""
        with self._reading() as connection:
            if connection is None or not _has_covered(connection):
                return frozenset()
            return frozenset(text for (text,) in connection.execute(f"SELECT text FROM {_COVERED}"))  # noqa: S608

    def cover(self, texts: Collection[bytes], *, only: bool = False) -> None:
        """Record that all passages of the texts with these digests have vectors; `only` forgets all others."""
        if not self.path.exists() or not (texts or only):
            return
        with self._writing() as connection:
            if only:
                _forget_covered(connection)
            connection.execute(f"CREATE TABLE IF NOT EXISTS {_COVERED} (text BLOB PRIMARY KEY) WITHOUT ROWID")
            rows = [(text,) for text in texts]
            connection.executemany(f"INSERT OR IGNORE INTO {_COVERED} VALUES (?)", rows)  # noqa: S608

    def progress(self) -> tuple[int, int]:
        """Returns how many notes were embedded and how many there were at the last count; (0, 0) before the first."""
        with self._reading() as connection:
            if connection is None:
                return 0, 0
            found: dict[Any, Any] = dict(
                connection.execute("SELECT name, value FROM meta WHERE name IN ('done', 'total')")
            )
        return found.get("done", 0), found.get("total", 0)

    def put_progress(self, done: int, total: int) -> None:
        """Store how many notes are embedded and how many there are."""
        with self._writing() as connection:
            _put_meta(connection, done=done, total=total)

    def fault(self) -> str:
        """Returns why the last attempt to embed, by any process, failed; empty if it did not."""
        with self._reading() as connection:
            found: str = _meta(connection, "fault", "")
        return found

    def put_fault(self, reason: str) -> None:
        """Store why nothing can be embedded; empty if it can."""
        with self._writing() as connection:
            _put_meta(connection, fault=reason)

    # The file.
    def remove_unused(self, now: float) -> None:
        """Record that these vectors are used `now`, in seconds since 1970. If they are a packaged model's, remove those
        of other packaged models that no process has used for `UNUSED_SECONDS`. Vectors of an endpoint or of a model in
        a folder stay: they may have cost money or belong to another configuration."""
        if not self.path.exists():
            return
        if self.key.is_packaged:
            with self._writing() as connection:
                connection.execute("INSERT OR IGNORE INTO meta VALUES ('packaged', 1)")
        with suppress(OSError):
            os.utime(self.path, (now, now))
        for path in self.path.parent.glob("meaning-*.sqlite") if self.key.is_packaged else ():
            with suppress(OSError, apsw.Error):
                if path != self.path and now - path.stat().st_mtime > UNUSED_SECONDS and _is_packaged(path):
                    remove(path)
                    path.with_suffix(".lock").unlink(missing_ok=True)

    def bytes(self) -> int:
        """Returns the bytes on disk."""
        files = [self.path.with_name(self.path.name + ending) for ending in _LEFTOVERS]
        return sum(file.stat().st_size for file in files if file.exists())

    def close(self) -> None:
        """Close the reading connection; a later call opens another."""
        with self._guard:
            if self._reader is not None:
                self._reader.close()
                self._reader = None

    def _forget(self) -> None:
        """Forget all that was read: the file is gone, is another one, or cannot be read."""
        self.close()
        self._vectors, self._forgotten = Vectors.none(), -1
        self._files += 1

    @contextmanager
    def _reading(self) -> Iterator[apsw.Connection | None]:
        """Yields the reading connection; None without a file. It stays open: to open one takes as long as a
        question."""
        with self._guard, self._raising():
            try:
                status = self.path.stat()
            except FileNotFoundError:
                self._forget()
                yield None
                return
            file = status.st_dev, status.st_ino
            if self._reader is None or self._file != file:
                self._forget()
                self._reader, self._file = _connected(self.path), file
            yield self._reader

    @contextmanager
    def _writing(self) -> Iterator[apsw.Connection]:
        """Open a transaction, and first make the file if there is none; an exception rolls it back."""
        with self._raising():
            if not self.path.exists():
                _make(self.path)
            with closing(_connected(self.path)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")

    @contextmanager
    def _raising(self) -> Iterator[None]:
        """Raise errors of the file system and of SQLite as `NoMeaning`; delete a damaged file."""
        try:
            yield
        except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, ValueError) as error:
            self._forget()
            try:
                remove(self.path)
            except OSError as refused:  # on Windows, while another process has it open
                raise NoMeaning(f"The vectors of the passages are damaged: {refused.strerror}") from error
            raise NoMeaning("The vectors of the passages were damaged and are made again") from error
        except (apsw.Error, OSError) as error:
            self._forget()
            # Without the path: a server's answers show this text, and its clients must not see its folders.
            reason = error.strerror if isinstance(error, OSError) else error
            raise NoMeaning(f"The vectors of the passages cannot be used: {reason}") from error


def remove(path: Path) -> None:
    """Delete a file of vectors and SQLite's files beside it."""
    for ending in reversed(_LEFTOVERS):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _make(path: Path) -> None:
    """Make an empty file under another name and rename it, so no reader sees it half done."""
    new = path.with_name(f"{path.name}.new")
    remove(new)
    with closing(apsw.Connection(str(new))) as connection:
        connection.execute(_TABLES)
        if filesystems.holds_wal(str(path.parent)):
            connection.execute("PRAGMA journal_mode = WAL")
    replace(new, path)


def _connected(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.set_busy_timeout(_BUSY_MILLISECONDS)
        connection.execute("PRAGMA synchronous = NORMAL")
    except apsw.Error:  # as of a damaged file: Windows removes none that is open
        connection.close()
        raise
    return connection


def _as_vectors(rows: Sequence[tuple[int, bytes]]) -> Vectors:
    """Join keys and vectors, at least one.

    Raises:
        ValueError: a vector has another size.
    """
    keys, vectors = [key for key, _ in rows], [vector for _, vector in rows]
    size = len(vectors[0])
    if not size or any(len(each) != size for each in vectors):
        raise ValueError("A vector has been cut")
    return Vectors(np.array(keys, np.int64), np.frombuffer(b"".join(vectors), np.int8).reshape(len(rows), size))


def _meta(connection: apsw.Connection | None, name: str, missing: Any) -> Any:
    """Returns a value of the table `meta`; `missing` if there is none."""
    rows = [] if connection is None else connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchall()
    return rows[0][0] if rows else missing


def _count(connection: apsw.Connection, condition: str = "") -> int:
    """Returns the number of rows of the table `vectors`."""
    rows: list[Any] = connection.execute(f"SELECT count(*) FROM vectors {condition}").fetchall()  # noqa: S608
    return int(rows[0][0])


def _put_meta(connection: apsw.Connection, **values: Any) -> None:
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))


def _is_packaged(path: Path) -> bool:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
        return bool(_meta(connection, "packaged", 0))


def _has_covered(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (_COVERED,)).fetchall())


def _forget_covered(connection: apsw.Connection) -> None:
    if _has_covered(connection):
        connection.execute(f"DELETE FROM {_COVERED}")  # noqa: S608
