"""Creates, checks and moves aside the index file on disk."""

from __future__ import annotations

import os
import time
import unicodedata
from collections.abc import Iterable
from contextlib import closing, suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final

import apsw

from vaulttools.core.windows import replace

SCHEMA: Final = 20
"""Incremented with every change of a table, a tokenizer, `folding.words` or the output of `content` (fault-I13)."""

BUSY_MILLISECONDS: Final = 5_000
"""How long a statement waits for a lock of SQLite. Our write lock separates writers, so a statement only waits for
another process's recovery or, without a write-ahead log, its commit."""

_BETWEEN_WORDS: Final = "".join(
    chr(code)
    for code in chain(range(0x0E00, 0x0F00), range(0x1000, 0x10A0), range(0x1780, 0x1800))
    if unicodedata.category(chr(code)).startswith("M")
)
"""Marks of Thai, Lao, Burmese and Khmer. They split the runs of these scripts, which have no blanks: whole runs hardly
come again, and made the index 12 % larger."""
WORDS_TOKENIZER: Final = (
    *("porter", "unicode61", "remove_diacritics", "0"),
    *("categories", "L* N* Co M*", "separators", _BETWEEN_WORDS),
)
"""Splits folded text (`core.folding.words`): letters, numbers, marks and signs are words."""

_SIGNS: Final = "".join(chr(code) for code in range(1, 128) if not (chr(code).isalnum() or chr(code) in " \t\n\r\v\f"))
_TOKENS_TOKENIZER: Final = "ascii tokenchars '{}'".format(_SIGNS.replace("'", "''").replace('"', '""'))
"""Only blanks end a token."""

_LEFTOVERS: Final = ("-wal", "-shm", "-journal")

_GATHERED_BYTES: Final = 8 * 1024 * 1024
"""Bytes of new entries that FTS5 collects for a table before it flushes them, about one transaction (FTS5's default: 1
MiB, which costs up to a third more time for the words, measured)."""

_SEGMENTS: Final = 8
"""Segments of one size that FTS5 merges into one (FTS5's default: 4; a fifth more time for the words, measured)."""

# The body is the first column of `words`: FTS5 spends two more bytes on each word of any other column (a fifth of all).
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
    content='', contentless_delete=1, tokenize="{" ".join(f"'{part}'" for part in WORDS_TOKENIZER)}"
);
"""


@cache
def checking_vfs() -> str | None:
    """Returns the name of a VFS that adds a checksum to each page and refuses damaged pages; None if apsw lacks it.

    Without it, SQLite finds only damage that breaks its format. Importing `apsw.sqlite_extra` to find the VFS would
    take 20 ms.
    """
    for file in Path(apsw.__file__).parent.glob("sqlite_extra_binaries/cksumvfs.*"):
        with suppress(apsw.Error), closing(apsw.Connection(":memory:")) as connection:
            connection.enable_load_extension(True)
            connection.load_extension(str(file))
            return _CHECKING
    return None


_CHECKING: Final = "cksmvfs"

_CHECKSUM_BYTES: Final = 8
"""Bytes of a page's checksum, as the VFS defines it."""


def is_damage(error: apsw.Error) -> bool:
    """Whether an error reports damaged data."""
    return isinstance(error, apsw.CorruptError | apsw.NotADBError) or (
        isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA
    )


def connect(path: Path) -> apsw.Connection:
    """Open a connection to an existing file.

    Raises:
        apsw.Error: the file cannot be opened.
    """
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=checking_vfs())
    try:
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        # Else the last reader to close would write the log back without the write lock (fault-I10), and delete it by
        # name.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.execute("PRAGMA synchronous = NORMAL")
        # On macOS `fsync` leaves writes in the disk's cache, in any order. Pages of the database that a power cut keeps
        # old have right checksums, and their words would be missing in silence; a whole commit that is lost is only
        # read again.
        connection.execute("PRAGMA checkpoint_fullfsync = ON")
    except apsw.Error:  # as of a damaged file: Windows moves none that is open
        connection.close()
        raise
    return connection


def meta_of(connection: apsw.Connection) -> dict[str, object]:
    """Returns the table `meta`."""
    return {str(name): value for name, value in connection.execute("SELECT name, value FROM meta").fetchall()}


def examined(path: Path, options: str) -> tuple[bytes, str]:
    """Returns the token of a usable file and `""`; else `b""` and the fault, `""` for a missing file."""
    if not os.path.lexists(path):
        return b"", ""
    if path.is_file() and not os.path.getsize(path):  # Windows gives a folder no size
        return b"", "was damaged"
    try:
        with closing(connect(path)) as connection:
            meta = meta_of(connection)
    except apsw.CantOpenError:
        if path.is_file() and os.access(path, os.R_OK | os.W_OK):
            raise
        return b"", "could not be read"
    except apsw.Error as error:
        if not (isinstance(error, apsw.SQLError) or is_damage(error)):
            raise
        return b"", "was damaged"
    if meta.get("schema") != SCHEMA:
        return b"", "was made by another version"
    if meta.get("options") != _with_pages(options):
        return b"", "was made with other options"
    token = meta.get("token")
    return (token, "") if isinstance(token, bytes) else (b"", "was damaged")


def _with_pages(options: str) -> str:
    """Returns the options as stored in a file: with the name of the checksum VFS, if any."""
    return f"{options} {checking_vfs() or ''}".rstrip()


def token_of(path: Path) -> bytes | None:
    """Returns the token of the file at a path; None if it cannot be read."""
    with suppress(apsw.Error), closing(connect(path)) as connection:
        token = meta_of(connection).get("token")
        return token if isinstance(token, bytes) else None
    return None


def is_open_elsewhere(path: Path) -> bool:
    """Whether another connection has a database open. Its log is ended by the question, so it is asked only before the
    file is removed. False for a damaged file, and where the file system cannot hold a log."""
    try:
        with closing(connect(path)) as connection:
            connection.set_busy_timeout(0)
            connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    except (apsw.BusyError, apsw.LockedError):
        return True
    except apsw.Error:
        return False
    return False


def leftovers(path: Path) -> list[Path]:
    """Returns the files that SQLite may keep beside a database."""
    return [path.with_name(path.name + ending) for ending in _LEFTOVERS]


def move_aside(path: Path) -> None:
    """Rename the file and its leftovers, so that the newest unusable one can be examined; delete older ones.

    Raises:
        OSError: a file cannot be renamed, on Windows since it is open; then all keep their names.
    """
    older = [*path.parent.glob(f"{path.name}.corrupt-*")]
    rename_aside([path])
    for each in older:
        each.unlink(missing_ok=True)


def rename_aside(paths: Iterable[Path]) -> None:
    """Rename files and their leftovers, all or none.

    Raises:
        OSError: one cannot be renamed.
    """
    renamed: list[tuple[Path, Path]] = []
    try:
        for path in paths:
            new = f"{path.name}.corrupt-{time.time_ns()}"
            # The log first: SQLite would take it for the log of a new database.
            for ending in (*_LEFTOVERS, ""):
                names = path.with_name(path.name + ending), path.with_name(new + ending)
                with suppress(FileNotFoundError):
                    replace(*names)
                    renamed.append(names)
    except OSError:
        for old, new_name in reversed(renamed):
            replace(new_name, old)
        raise


def make(path: Path, options: str, *, wal: bool) -> bytes:
    """Create a database atomically, and return its token."""
    new = path.with_name(f"{path.name}.new")
    for name in (new, *leftovers(new)):
        name.unlink(missing_ok=True)
    token = os.urandom(16)
    with closing(apsw.Connection(str(new), vfs=checking_vfs())) as connection:
        if checking_vfs():
            connection.reserve_bytes(None, _CHECKSUM_BYTES)
        # Not `with connection`: if SQLite has rolled back by itself, as after EIO, that raises another error.
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
    replace(new, path)
    return token
