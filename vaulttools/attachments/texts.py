"""Provides the texts of a vault's attachments; each is extracted only once at a time."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from vaulttools.attachments.extracted import Extracted
from vaulttools.attachments.kinds import FILE_BYTES, HEAD_BYTES, Kind, is_installed, kind_of
from vaulttools.attachments.store import ExtractStore
from vaulttools.core.cached import cached_property
from vaulttools.core.recent import Recent
from vaulttools.errors import VaultToolsError
from vaulttools.files import disk
from vaulttools.files.disk import GRANULARITY
from vaulttools.files.document import Document, NotRead
from vaulttools.files.root import Root

FOLDER: Final = "attachments"
"""Name of the folder for texts beside an index."""

_CHUNK: Final = 1 << 20
_DIGEST_BYTES: Final = 16

_KEPT_CHARACTERS: Final = 8 * 1024 * 1024
"""Most characters of cached texts: enough for a page of results, which counting, reading lines and showing read."""


class Look(NamedTuple):
    """One attachment at one moment."""

    status: os.stat_result
    digest: bytes
    """BLAKE2 of the content: unlike with XXH3, nobody can make two files with the same digest."""
    extracted: Extracted | None
    """None: the content does not fit the name, so it is treated as any other file."""


class _Kept(NamedTuple):
    """The content of a file with a known status."""

    stamp: tuple[int, int, int, int]
    """Size, modification time, change time, inode."""
    digest: bytes
    is_attachment: bool
    """Whether the content fits the name."""


class _Running:
    """A running extraction."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.extracted: Extracted | None = None


class Attachments:
    """Implements `files.providers.Extracts`, for any number of threads."""

    def __init__(self, root: Root, folder: Callable[[], str | None], max_bytes: int = FILE_BYTES) -> None:
        """`folder` is called for the first text and returns the folder for texts, or None to keep them in memory."""
        self._root = root
        self._folder = folder
        self._max_bytes = min(max_bytes, FILE_BYTES)
        self._guard = threading.Lock()
        self._kept: dict[str, _Kept] = {}
        self._texts: Recent[bytes, Extracted] = Recent(_KEPT_CHARACTERS)
        """Recently extracted or used results, by content."""
        self._running: dict[tuple[int, bytes], _Running] = {}
        """By process and content: a forked child does not inherit the threads."""

    @cached_property
    def folder(self) -> str | None:
        """The folder for texts; None: only in memory."""
        return self._folder()

    @cached_property
    def _store(self) -> ExtractStore | None:
        return ExtractStore(self.folder) if self.folder is not None else None

    def is_attachment(self, path: str) -> bool:
        """Whether a file is an attachment by its name."""
        return kind_of(path) is not None

    def read(
        self, path: str, seconds: float, known: Callable[[os.stat_result], bytes | None] | None = None
    ) -> Document | None:
        """Like `Extracts.read`."""
        extracted = self.look(path, seconds, known, self._max_bytes).extracted
        if extracted is None:
            return None
        if extracted.failure is not None:
            raise NotRead(extracted.failure)
        return Document(path, extracted.text, parts=extracted.parts, is_whole=extracted.is_whole)

    def sweep(self, digests: Collection[bytes]) -> None:
        """Remove the stored texts of all other contents."""
        if self._store is not None:
            self._store.sweep(digests)

    def look(
        self,
        path: str,
        seconds: float,
        known: Callable[[os.stat_result], bytes | None] | None = None,
        max_bytes: int = FILE_BYTES,
    ) -> Look:
        """Returns the state of an attachment of at most `max_bytes`; the other arguments are those of `read`.

        Raises:
            NotRead: the file is unreadable, too large, not downloaded, kept changing, or was not extracted in time.
        """
        kind = kind_of(path)
        assert kind is not None
        for _ in range(2):
            try:
                descriptor = self._root.open(path)
            except (VaultToolsError, OSError) as error:
                raise NotRead("unreadable") from error
            try:
                look = self._look(path, kind, descriptor, seconds, known, max_bytes)
                if _stamp(disk.fstat(descriptor)) == _stamp(look.status):
                    return look
            except OSError as error:
                raise NotRead("unreadable") from error
            finally:
                disk.close(descriptor)
        raise NotRead("changed while read")

    def _look(
        self,
        path: str,
        kind: Kind,
        descriptor: int,
        seconds: float,
        known: Callable[[os.stat_result], bytes | None] | None,
        max_bytes: int,
    ) -> Look:
        status = disk.fstat(descriptor)
        if status.st_size > max_bytes:
            raise NotRead("too large")
        if disk.is_elsewhere(status):
            raise NotRead("not downloaded")
        kept = self._kept.get(path)
        if kept is not None and kept.stamp == _stamp(status):
            if not kept.is_attachment:
                return Look(status, kept.digest, None)
            digest: bytes | None = kept.digest
        else:
            digest = known(status) if known is not None else None
        extracted = self._stored(digest) if digest is not None else None
        if digest is None or extracted is None:
            head, digest = self._digested(descriptor)
            self._keep(path, _Kept(_stamp(status), digest, kind.begins(head)))
            if not kind.begins(head):
                return Look(status, digest, None)
            extracted = self._stored(digest) or self._extracted(kind, digest, descriptor, seconds)
        return Look(status, digest, extracted)

    def _digested(self, descriptor: int) -> tuple[bytes, bytes]:
        """Returns the head of an opened file and the digest of its content."""
        digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
        size = 0
        head = b""
        while chunk := disk.read(descriptor, _CHUNK):
            head = head if len(head) >= HEAD_BYTES else (head + chunk)[:HEAD_BYTES]
            digest.update(chunk)
            size += len(chunk)
            if size > FILE_BYTES:
                raise NotRead("too large")
        return head, digest.digest()

    def _stored(self, digest: bytes) -> Extracted | None:
        extracted = self._texts.get(digest)
        if extracted is None and self._store is not None:
            extracted = self._store.get(digest)
            if extracted is not None:
                self._texts.put(digest, extracted, _weight(extracted))
        return extracted

    def _extracted(self, kind: Kind, digest: bytes, descriptor: int, seconds: float) -> Extracted:
        """Waits up to `seconds` for the result, from this call's extraction or one that is already running."""
        if seconds <= 0:
            raise NotRead("not extracted yet")
        key = os.getpid(), digest
        with self._guard:
            running = self._running.get(key)
            if running is None:
                running = self._running[key] = _Running()
                arguments = (running, key, kind, os.dup(descriptor))
                threading.Thread(target=self._run, args=arguments, name="vaulttools extract", daemon=True).start()
        running.done.wait(seconds)
        if running.extracted is None:
            raise NotRead("not extracted yet")
        return running.extracted

    def _run(self, running: _Running, key: tuple[int, bytes], kind: Kind, descriptor: int) -> None:
        try:
            from vaulttools.attachments import process

            with suppress(process.CannotExtract):
                extracted = process.extract(kind.name, descriptor)
                self._texts.put(key[1], extracted, _weight(extracted))
                if self._store is not None:
                    self._store.put(key[1], extracted)
                running.extracted = extracted
        finally:
            os.close(descriptor)
            with self._guard:
                del self._running[key]
            running.done.set()

    def _keep(self, path: str, kept: _Kept) -> None:
        """Cache the digest of a file, if a later change must change its status."""
        _, modified, changed, _ = kept.stamp
        if max(modified, changed) < time.time_ns() - GRANULARITY:
            self._kept[path] = kept


def of(root: Root, folder: Callable[[], str | None], max_bytes: int = FILE_BYTES) -> Attachments | None:
    """Returns the attachments of a vault; None without the extra."""
    return Attachments(root, folder, max_bytes) if is_installed() else None


def beside(database: Path, root: Root, max_bytes: int = FILE_BYTES) -> Attachments | None:
    """Returns the attachments of a vault, with texts stored beside its index; None without the extra."""
    return of(root, lambda: str(folder_beside(database)), max_bytes)


def folder_beside(database: Path) -> Path:
    """Returns the folder for texts beside the database of an index."""
    return database.parent / FOLDER


def _stamp(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _weight(extracted: Extracted) -> int:
    """Returns the characters plus some overhead; the longest text fills the cache."""
    return min(len(extracted.text) + 1_000, _KEPT_CHARACTERS)
