"""Keeps vectors of passages in SQLite, by the digest of what was embedded.

One file an embedder: another embedder, another version or other weights have vectors of their own. What is wrong with
a file is mended by embedding again, so that a damaged one is deleted.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import apsw
import numpy as np

from vaulttools.core import forks
from vaulttools.index import filesystems
from vaulttools.index.file import SCHEMA as INDEX
from vaulttools.meaning import arrays
from vaulttools.meaning.embedder import EmbedderKey, NoMeaning
from vaulttools.meaning.vectors import Vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.meaning.embedder import Floats

_SCHEMA: Final = 4
"""Raised with every change of the tables, of the vectors or of the text that is embedded."""

_TABLES: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE vectors (id INTEGER PRIMARY KEY AUTOINCREMENT, digest INTEGER NOT NULL UNIQUE, vector BLOB);
CREATE TABLE exact (digest INTEGER PRIMARY KEY, vector BLOB NOT NULL);
"""

_COVERED: Final = f"covered_{INDEX}"
"""The table of texts whose passages all have vectors. Each version of the index divides texts in its own way."""

_FEW: Final = 2_000
"""Digests that are looked up one by one: of more it is sooner to compare all."""

_FIT: Final = "SELECT value FROM meta WHERE name = 'fit'"
_SAMPLE: Final = "SELECT value FROM meta WHERE name = 'sample'"
_FORGOTTEN: Final = "INSERT INTO meta VALUES ('forgotten', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1"

_MOST_EXACT: Final = 100_000
"""Exact vectors that are kept, 77 MB: those of 4,000 questions about different things."""

_FAULT: Final = "SELECT value FROM meta WHERE name = 'fault'"

_BUSY_MILLISECONDS: Final = 5_000

_LEFTOVERS: Final = ("", "-wal", "-shm", "-journal")


class _Seen(NamedTuple):
    """How far the vectors in memory go."""

    forgotten: int
    """How often vectors were forgotten: then all are read again."""
    last: int
    """The largest id."""


class Generation(NamedTuple):
    """What stays the same while vectors are only added."""

    file: int
    """Which file this process reads, counted by it."""
    forgotten: int
    """How often vectors were forgotten."""


class VectorStore:
    """The vectors of one vault and one embedder, for any number of threads and processes."""

    def __init__(self, folder: Path, key: EmbedderKey) -> None:
        what = (str(_SCHEMA), key.name, key.version, key.digest)
        name = hashlib.sha256("\0".join(what).encode()).hexdigest()[:16]
        self.path: Final = folder / f"meaning-{name}.sqlite"
        self.key: Final = key
        self._vectors: Vectors | None = None
        self._seen = _Seen(-1, -1)
        self._forgets = 0
        """How often what was read was forgotten."""
        self._guard = RLock()
        self._reader: _Reader | None = None

    def dimensions(self) -> int | None:
        """How many numbers the embedder's vectors have; None when none was kept yet.

        Raises:
            NoMeaning: the file cannot be read.
        """
        with self._reading() as connection:
            return None if connection is None else _dimensions(connection)

    def vectors(self) -> Vectors:
        """All vectors that are kept now; what was read before is not read again.

        Raises:
            NoMeaning: the file cannot be read.
        """
        with self._reading() as connection:
            if connection is None:
                return Vectors.none()
            seen = _seen(connection)
            if self._vectors is None or seen.forgotten != self._seen.forgotten:
                self._vectors, self._seen = None, _Seen(seen.forgotten, 0)
            if seen.last > self._seen.last or self._vectors is None:
                rows: list[Any] = connection.execute(
                    "SELECT digest, vector FROM vectors WHERE id > ? AND id <= ? ORDER BY id",
                    (self._seen.last, seen.last),
                ).fetchall()
                if rows:
                    keys = np.array([key for key, _ in rows], np.int64)
                    more = Vectors(keys, _joined([vector for _, vector in rows]))
                    self._vectors = more if self._vectors is None else self._vectors.extended(more)
                self._seen = seen
            return self._vectors or Vectors.none()

    def fit(self) -> bytes | None:
        """What the static encoder of this vault is made of; None before it is made.

        Raises:
            NoMeaning: the file cannot be read.
        """
        with self._reading() as connection:
            found: list[Any] = [] if connection is None else connection.execute(_FIT).fetchall()
            if found and arrays.unpacked(found[0][0]) is None:
                raise ValueError("The encoder was damaged")
        return found[0][0] if found else None

    def begin(self, fit: bytes, passages: int, sample: Sequence[int] = ()) -> None:
        """Keep a new encoder, made when the vault had so many passages and fitted to those with the keys in `sample`,
        and forget the vectors of the one before.

        Raises:
            NoMeaning: the file cannot be written.
        """
        with self._writing() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM vectors")
            connection.execute("DELETE FROM meta WHERE name = 'dimensions'")
            if _has_covered(connection):
                connection.execute(f"DELETE FROM {_COVERED}")  # noqa: S608
            rows = [("fit", fit), ("fitted", passages), ("sample", np.array(sample, np.int64).tobytes())]
            connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)
            connection.execute(_FORGOTTEN)
            connection.execute("COMMIT")

    def sample(self) -> NDArray[np.int64]:
        """The keys of the passages that the encoder was fitted to, as `begin` had them.

        Raises:
            NoMeaning: the file cannot be read.
        """
        with self._reading() as connection:
            rows: list[Any] = [] if connection is None else connection.execute(_SAMPLE).fetchall()
        return np.frombuffer(rows[0][0] if rows else b"", np.int64)

    def fitted(self) -> tuple[int, int]:
        """How many passages the vault had when the encoder was made, and how many have vectors now.

        Raises:
            NoMeaning: the file cannot be read.
        """
        with self._reading() as connection:
            if connection is None:
                return 0, 0
            found: Any
            [found] = connection.execute(
                "SELECT ifnull((SELECT value FROM meta WHERE name = 'fitted'), 0), (SELECT count(*) FROM vectors)"
            ).fetchall()
        return found[0], found[1]

    def exact(self, keys: Collection[int]) -> dict[int, Floats]:
        """The model's own vectors of some passages, of those that were ever asked for.

        Raises:
            NoMeaning: the file cannot be read.
        """
        with self._reading() as connection:
            rows: list[Any] = (
                []
                if connection is None
                else connection.execute(
                    "SELECT digest, vector FROM exact WHERE digest IN (SELECT value FROM json_each(?))",
                    (json.dumps([*keys]),),
                ).fetchall()
            )
            if any(not vector or len(vector) % 2 or len(vector) != len(rows[0][1]) for _, vector in rows):
                raise ValueError("A vector has been cut")
        return {key: np.frombuffer(vector, np.float16).astype(np.float32) for key, vector in rows}

    def put_exact(self, vectors: Sequence[tuple[int, Floats]]) -> None:
        """Keep the model's own vectors of some passages; of very many those that were kept first go.

        Raises:
            NoMeaning: the file cannot be written.
        """
        if not vectors or not self.path.exists():
            return
        rows = [(key, vector.astype(np.float16).tobytes()) for key, vector in vectors]
        with self._writing() as connection:
            connection.execute("BEGIN IMMEDIATE")
            held: list[Any] = connection.execute("SELECT count(*) FROM exact").fetchall()
            if held[0][0] > _MOST_EXACT:
                connection.execute("DELETE FROM exact")
            connection.executemany("INSERT OR REPLACE INTO exact VALUES (?, ?)", rows)
            connection.execute("COMMIT")

    def missing(self, digests: Iterable[int]) -> list[int]:
        """Which of some digests have no vector, in the order given, each once.

        Raises:
            NoMeaning: the file cannot be read.
        """
        wanted = list(dict.fromkeys(digests))
        if len(wanted) > _FEW:
            sought = np.array(wanted, np.int64)
            return sought[~np.isin(sought, self.vectors().keys)].tolist()  # type: ignore[no-any-return]
        with self._reading() as connection:
            if connection is None:
                return wanted
            held = connection.execute(
                "SELECT digest FROM vectors WHERE digest IN (SELECT value FROM json_each(?))", (json.dumps(wanted),)
            )
            found = {digest for (digest,) in held}
        return [each for each in wanted if each not in found]

    def generation(self) -> Generation | None:
        """What changes when vectors have gone; None: there is no file.

        Raises:
            NoMeaning: the file cannot be read.
        """
        with self._reading() as connection:
            return None if connection is None else Generation(self._forgets, _seen(connection).forgotten)

    def covered(self) -> frozenset[bytes]:
        """The digests of texts whose passages all have vectors, as `cover` got them.

        Raises:
            NoMeaning: the file cannot be read.
        """
        with self._reading() as connection:
            if connection is None or not _has_covered(connection):
                return frozenset()
            return frozenset(text for (text,) in connection.execute(f"SELECT text FROM {_COVERED}"))  # noqa: S608

    def cover(self, texts: Collection[bytes]) -> None:
        """Keep that all passages of some texts, given by their digests, have vectors.

        Raises:
            NoMeaning: the file cannot be written.
        """
        if texts and self.path.exists():
            self._cover(texts)

    def cover_only(self, texts: Collection[bytes]) -> None:
        """As `cover`, and forget all other texts.

        Raises:
            NoMeaning: the file cannot be written.
        """
        if self.path.exists():
            self._cover(texts, before=f"DELETE FROM {_COVERED}")  # noqa: S608

    def _cover(self, texts: Collection[bytes], before: str = "") -> None:
        with self._writing() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"CREATE TABLE IF NOT EXISTS {_COVERED} (text BLOB PRIMARY KEY) WITHOUT ROWID")
            connection.execute(before)
            connection.executemany(
                f"INSERT OR IGNORE INTO {_COVERED} VALUES (?)",  # noqa: S608
                [(text,) for text in texts],
            )
            connection.execute("COMMIT")

    def put(self, pairs: Sequence[tuple[int, bytes]], dimensions: int) -> None:
        """Keep vectors, each with its passage's digest, of an embedder whose vectors have so many numbers.

        Raises:
            NoMeaning: the disk is full, the file cannot be written, or it holds vectors of other dimensions.
        """
        with self._writing() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT OR IGNORE INTO meta VALUES ('dimensions', ?)", (dimensions,))
            [(held,)] = connection.execute("SELECT value FROM meta WHERE name = 'dimensions'")
            if held != dimensions:
                connection.execute("ROLLBACK")
                raise NoMeaning(
                    f"The embedder gives vectors of {dimensions:,} numbers, and those that are kept have {held:,}: "
                    "`vaulttools index clear` forgets them"
                )
            connection.executemany("INSERT OR IGNORE INTO vectors (digest, vector) VALUES (?, ?)", pairs)
            connection.execute("COMMIT")

    def keep_only(self, digests: Collection[int]) -> None:
        """Forget the vectors of all other digests.

        Raises:
            NoMeaning: the file cannot be written.
        """
        kept = np.fromiter(digests, np.int64, len(digests))
        held = self.vectors().keys
        gone = held[~np.isin(held, kept)]
        with self._writing() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("DELETE FROM vectors WHERE digest = ?", [(int(each),) for each in gone])
            if _has_covered(connection):
                connection.execute(f"DELETE FROM {_COVERED}")  # noqa: S608
            connection.execute(_FORGOTTEN)
            connection.execute("COMMIT")

    def progress(self) -> tuple[int, int]:
        """How many of how many notes were embedded when a process last counted; (0, 0) before.

        Raises:
            NoMeaning: the file cannot be read.
        """
        with self._reading() as connection:
            if connection is None:
                return 0, 0
            found: list[Any] = connection.execute(
                "SELECT value FROM meta WHERE name IN ('done', 'total') ORDER BY name"
            ).fetchall()
        return (found[0][0], found[1][0]) if len(found) == 2 else (0, 0)

    def put_progress(self, done: int, total: int) -> None:
        """Keep how many of how many notes are embedded.

        Raises:
            NoMeaning: the file cannot be written.
        """
        with self._writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", [("done", done), ("total", total)])

    def fault(self) -> str:
        """Why nothing could be embedded when a process last tried; empty when it could.

        Raises:
            NoMeaning: the file cannot be read.
        """
        with self._reading() as connection:
            found: list[Any] = [] if connection is None else connection.execute(_FAULT).fetchall()
        return found[0][0] if found else ""

    def put_fault(self, reason: str) -> None:
        """Keep why nothing can be embedded, or, when it is empty, that it can.

        Raises:
            NoMeaning: the file cannot be written.
        """
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('fault', ?)", (reason,))

    def mark_packaged(self) -> None:
        """Keep that models of packages made the vectors.

        Raises:
            NoMeaning: the file cannot be written.
        """
        with self._writing() as connection:
            connection.execute("INSERT OR IGNORE INTO meta VALUES ('packaged', 1)")

    def bytes(self) -> int:
        """Bytes on disk."""
        files = [self.path.with_name(self.path.name + ending) for ending in _LEFTOVERS]
        return sum(file.stat().st_size for file in files if file.exists())

    def close(self) -> None:
        """Close the connection that reads; a later call opens another."""
        with self._guard:
            if self._reader is not None:
                self._reader.end()
                self._reader = None

    def _forget(self) -> None:
        """Forget what was read: the file is gone, or another one, or cannot be read."""
        self.close()
        self._vectors, self._seen = None, _Seen(-1, -1)
        self._forgets += 1

    @contextmanager
    def _reading(self) -> Iterator[apsw.Connection | None]:
        """The connection that reads, which is kept: opening one takes as long as a question. None: there is no file."""
        with self._guard, self._told():
            try:
                status = self.path.stat()
            except FileNotFoundError:
                self._forget()
                yield None
                return
            file = status.st_dev, status.st_ino
            if self._reader is None or self._reader.file != file:
                self._forget()
            if self._reader is None or self._reader.process != os.getpid():
                self.close()
                self._reader = _Reader(_connected(self.path), os.getpid(), file)
            yield self._reader.connection

    @contextmanager
    def _writing(self) -> Iterator[apsw.Connection]:
        """A connection to the file, which is made where there is none."""
        with self._told():
            if not self.path.exists():
                _make(self.path)
            with closing(_connected(self.path)) as connection:
                yield connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors of the file system and of SQLite as `NoMeaning`; a damaged file is deleted."""
        try:
            yield
        except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, ValueError) as error:
            self._forget()
            remove(self.path)
            raise NoMeaning("The vectors of the passages were damaged, and are made anew") from error
        except (apsw.Error, OSError) as error:
            self._forget()
            # Without the path: answers of a server tell it, and its folders are no business of its clients.
            reason = error.strerror if isinstance(error, OSError) else error
            raise NoMeaning(f"The vectors of the passages cannot be used: {reason}") from error


class _Reader(NamedTuple):
    """An open connection."""

    connection: apsw.Connection
    process: int
    """That opened it."""
    file: tuple[int, int]
    """Device and inode, which no other file has while this one is open."""

    def end(self) -> None:
        """Close it, unless a parent process opened it."""
        if self.process == os.getpid():
            self.connection.close()
        else:
            forks.keep(self.connection)


def remove(path: Path) -> None:
    """Delete a file of vectors and what SQLite keeps beside it."""
    for ending in reversed(_LEFTOVERS):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _make(path: Path) -> None:
    """An empty file under its name, whole or not at all: a reader meanwhile finds none."""
    new = path.with_name(f"{path.name}.new")
    remove(new)
    with closing(apsw.Connection(str(new))) as connection:
        connection.execute(_TABLES)
        if filesystems.holds_wal(str(path.parent)):
            connection.execute("PRAGMA journal_mode = WAL")
    new.replace(path)


def _connected(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(_BUSY_MILLISECONDS)
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def _joined(rows: Sequence[bytes]) -> NDArray[np.int8]:
    """Vectors, a row each.

    Raises:
        ValueError: one has another size.
    """
    size = len(rows[0])
    if not size or any(len(each) != size for each in rows):
        raise ValueError("A vector has been cut")
    return np.frombuffer(b"".join(rows), np.int8).reshape(len(rows), size)


def _has_covered(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (_COVERED,)).fetchall())


def _dimensions(connection: apsw.Connection) -> int | None:
    found: list[Any] = connection.execute("SELECT value FROM meta WHERE name = 'dimensions'").fetchall()
    return int(found[0][0]) if found else None


def _seen(connection: apsw.Connection) -> _Seen:
    found: Any
    [found] = connection.execute(
        "SELECT ifnull((SELECT value FROM meta WHERE name = 'forgotten'), 0), ifnull((SELECT max(id) FROM vectors), 0)"
    ).fetchall()
    return _Seen(*found)
