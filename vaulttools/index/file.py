"""Creates, checks and moves aside the index file on disk."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

import apsw

from vaulttools.core.windows import replace

SCHEMA: Final = 15
"""Raised with every change of a table, of a tokenizer or of what `content` makes of a file (fault-I13)."""

BUSY_MILLISECONDS: Final = 5_000
"""How long a statement waits for a lock of SQLite's own. The write lock keeps writers apart, so that only another
process's recovery and, without a write-ahead log, its commit are ever waited for."""

WORDS_TOKENIZER: Final = "porter unicode61 remove_diacritics 2"

_SIGNS: Final = "".join(chr(code) for code in range(1, 128) if not (chr(code).isalnum() or chr(code) in " \t\n\r\v\f"))
_TOKENS_TOKENIZER: Final = "ascii tokenchars '{}'".format(_SIGNS.replace("'", "''").replace('"', '""'))
"""Blanks alone end a token."""

_LEFTOVERS: Final = ("-wal", "-shm", "-journal")

_GATHERED_BYTES: Final = 8 * 1024 * 1024
"""Bytes of new entries that FTS5 gathers for a table before it writes them out, about one transaction's (FTS5: 1 MiB,
and up to a third more time for the words, measured)."""

_SEGMENTS: Final = 8
"""Segments of one size that FTS5 merges into one (FTS5: 4, and a fifth more time for the words, measured)."""

# The body is the first column of the words: FTS5 spends two bytes more on every word of another one (a fifth of all).
_TABLES: Final = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path BLOB NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    checked INTEGER NOT NULL,
    state INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    digest BLOB NOT NULL
);
CREATE TABLE notes (id INTEGER PRIMARY KEY, structure BLOB NOT NULL);
CREATE TABLE passages (id INTEGER PRIMARY KEY, columns BLOB NOT NULL);
CREATE TABLE copies (digest INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (digest, id)) WITHOUT ROWID;
CREATE VIRTUAL TABLE tokens USING fts5 (
    text, content='', contentless_delete=1, detail=none, tokenize="{_TOKENS_TOKENIZER}"
);
CREATE TABLE vocabulary (id INTEGER PRIMARY KEY, words TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (
    body, title, aliases, headings, properties,
    content='', contentless_delete=1, tokenize='{WORDS_TOKENIZER}'
);
"""


@cache
def checking_vfs() -> str | None:
    """What SQLite reads and writes files through, so that each page has a checksum and is refused when it is not what
    was written; None where apsw came without: then damage is found only where it makes no sense.

    Importing `apsw.sqlite_extra` to ask for its place would take 20 ms.
    """
    for file in Path(apsw.__file__).parent.glob("sqlite_extra_binaries/cksumvfs.*"):
        connection = apsw.Connection(":memory:")
        try:
            connection.enable_load_extension(True)
            connection.load_extension(str(file))
        except apsw.Error:
            continue
        finally:
            connection.close()
        return _CHECKING
    return None


_CHECKING: Final = "cksmvfs"

_CHECKSUM_BYTES: Final = 8
"""Of each page, as the VFS has it."""


def is_damage(error: apsw.Error) -> bool:
    """Whether an error says that what is read is not what was written."""
    return isinstance(error, apsw.CorruptError | apsw.NotADBError) or (
        isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA
    )


def connect(path: Path) -> apsw.Connection:
    """A connection to a file that is there.

    Raises:
        apsw.Error: whatever is wrong with it.
    """
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=checking_vfs())
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    # The last reader to close would otherwise write the log back, without the write lock (fault-I10), and delete it by
    # name.
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def meta_of(connection: apsw.Connection) -> dict[str, object]:
    """What the database says of itself."""
    return {str(name): value for name, value in connection.execute("SELECT name, value FROM meta").fetchall()}


def examined(path: Path, options: str) -> tuple[bytes, str]:
    """The token of a usable file, or else what is wrong with the file, `""` when there is none."""
    if not os.path.lexists(path):
        return b"", ""
    if not os.path.getsize(path):
        return b"", "was damaged"
    connection = None
    try:
        connection = connect(path)
        meta = meta_of(connection)
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError):
        return b"", "was damaged"
    except apsw.IOError as error:
        if not is_damage(error):
            raise
        return b"", "was damaged"
    except apsw.CantOpenError:
        if path.is_file() and os.access(path, os.R_OK | os.W_OK):
            raise
        return b"", "could not be read"
    finally:
        if connection is not None:
            connection.close()
    if meta.get("schema") != SCHEMA:
        return b"", "was made by another version"
    if meta.get("options") != _with_pages(options):
        return b"", "was made with other options"
    token = meta.get("token")
    return (token, "") if isinstance(token, bytes) else (b"", "was damaged")


def _with_pages(options: str) -> str:
    """The options of a file, which tell whether its pages have checksums."""
    return f"{options} {checking_vfs() or ''}".rstrip()


def token_of(path: Path) -> bytes | None:
    """The token of whatever lies there; None when it cannot be read."""
    try:
        connection = connect(path)
    except apsw.Error:
        return None
    try:
        token = meta_of(connection).get("token")
    except apsw.Error:
        return None
    finally:
        connection.close()
    return token if isinstance(token, bytes) else None


def leftovers(path: Path) -> list[Path]:
    """What SQLite may keep beside a database."""
    return [path.with_name(path.name + ending) for ending in _LEFTOVERS]


def move_aside(path: Path) -> None:
    """Rename the file and what belongs to it, so that the newest unusable one can be looked at; older ones go."""
    for older in path.parent.glob(f"{path.name}.corrupt-*"):
        older.unlink(missing_ok=True)
    aside = path.with_name(f"{path.name}.corrupt-{time.time_ns()}")
    # The log first: beside a new database it would be taken for that one's.
    for ending in (*_LEFTOVERS, ""):
        with suppress(FileNotFoundError):
            replace(path.with_name(path.name + ending), aside.with_name(aside.name + ending))


def make(path: Path, options: str, *, wal: bool) -> bytes:
    """A new database under its name, whole or not at all; its token."""
    new = path.with_name(f"{path.name}.new")
    for name in (new, *leftovers(new)):
        name.unlink(missing_ok=True)
    token = os.urandom(16)
    connection = apsw.Connection(str(new), vfs=checking_vfs())
    try:
        if checking_vfs():
            connection.reserve_bytes(None, _CHECKSUM_BYTES)
        # Not `with connection`: where SQLite has rolled back by itself, as after EIO, that fails in a way of its own.
        connection.execute("BEGIN")
        connection.execute(_TABLES)
        for table in ("tokens", "words"):
            for option, value in (("hashsize", _GATHERED_BYTES), ("automerge", _SEGMENTS)):
                connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES (?, ?)", (option, value))  # noqa: S608
        connection.executemany(
            "INSERT INTO meta VALUES (?, ?)",
            [("schema", SCHEMA), ("options", _with_pages(options)), ("token", token)],
        )
        connection.execute("COMMIT")
        if wal:
            connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()
    replace(new, path)
    return token
