"""Brings an index up to date: reads and writes only files that differ.

Every commit is complete: if an update stops, committed files stay, and the next update finds the rest.
"""

from __future__ import annotations

import stat
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Final

from vaulttools.attachments import texts
from vaulttools.attachments.texts import Attachments
from vaulttools.core import paths
from vaulttools.errors import VaultToolsError
from vaulttools.files import disk
from vaulttools.files.root import Root
from vaulttools.index.content import LACKS_WORDS, Content, ToRead
from vaulttools.index.database import IndexBusy
from vaulttools.index.store import IndexStore
from vaulttools.index.workers import readers
from vaulttools.index.writer import Writer

BATCH_FILES: Final = 2_000
"""Most files of one transaction: a kill loses at most these, and a waiting writer waits for them."""

BATCH_CHARACTERS: Final = 16 * 1024 * 1024
"""Most characters of one transaction: a kill loses at most these, and the log has to hold them."""

BATCH_SECONDS: Final = 3.0
"""Longest transaction in seconds, so that indexed files soon count. FTS5 flushes at each commit: with 300 files per
transaction that is a third of the insertion time, with 2,000 a tenth."""

TURN_SECONDS: Final = 10.0
"""Seconds after which the write lock is released for a moment, so that other processes can write."""

TURN_FILES: Final = 5_000
"""Most files of one turn: their known structures are held in memory meanwhile, 8 MB. Nothing is read between turns:
with 2,000 files that is a thirtieth of the build time."""

FACTS_FIRST: Final = 500
"""With so many notes or more, structures are written first: fewer are read completely in half a second."""

_FEW: Final = 100
"""So few files fit in one or two transactions: their words lie close together without merging."""

_MUCH: Final = 8
"""An update that wrote more than one file in so many ends by merging the words (1 % of the build time)."""


@dataclass(slots=True)
class Updated:
    """What an update did."""

    facts: int = 0
    """Notes whose structure was written first, without their words."""
    written: int = 0
    """Files whose content was new."""
    touched: int = 0
    """Files with unchanged content: only their key was written."""
    removed: int = 0
    unread: int = 0
    """Written or touched files that could not be indexed: they stay candidates of every search."""
    done: int = 0
    """Processed files, vanished ones included; a note whose structure was written first counts twice."""
    finished: bool = False
    """Whether all files were processed."""
    busy: bool = False
    """Whether the update stopped because another process writes."""


def update(
    store: IndexStore,
    root: Root,
    stale: Collection[str],
    gone: Collection[str] = (),
    wordless: Collection[str] = (),
    *,
    on_commit: Callable[[Sequence[str]], None] | None = None,
    stop: Event | None = None,
    workers: int | None = None,
    wait: bool = True,
    attachments: Attachments | None = None,
) -> Updated:
    """Read and write the stale files, notes first, and forget the files that are gone.

    With many notes, all structures are written first, a third of the work: questions about all notes can then be
    answered, and only searches still have to read each note.

    Args:
        store: The index.
        root: The vault.
        stale: Paths of files to read; vanished files are skipped.
        gone: Paths to forget.
        wordless: Notes whose structure is indexed, but not their words.
        on_commit: Called after each transaction, with the files that it wrote or forgot.
        stop: When set, the update ends within a file or two; files already read are written.
        workers: Reading processes; 0: none; default: as many as pay off.
        wait: Whether to wait for another process that writes.
        attachments: Reads the text of PDF and DOCX files; default: keeps the texts beside the store.

    Raises:
        Unavailable: the index cannot be written; `Replaced` if the store can no longer be used.
    """
    stop = stop or Event()
    every = sorted(dict.fromkeys((*stale, *wordless)), key=lambda path: not paths.is_note(path))
    notes = [path for path in stale if paths.is_note(path)]
    facts = deque(notes if len(notes) >= FACTS_FIRST else ())
    whole = deque(every)
    forget = deque(gone)
    total = len(facts) + len(whole) + len(forget)
    updated = Updated()
    attachments = attachments or texts.beside(store.database.path, root)
    try:
        with readers(root, every, workers, attachments) as contents:
            while (facts or whole or forget) and not stop.is_set():
                with store.writing(wait=wait, stop=stop) as writer:
                    steps = _Steps(root, writer, updated, on_commit)
                    while forget and not stop.is_set():
                        steps.remove(forget.popleft())
                    # All facts of a turn are written before a file is read again: a row never goes back in time.
                    for content in contents(_for_a_turn(facts or whole, writer, stop, facts_alone=bool(facts)), stop):
                        steps.put(content)
                    steps.commit()
        if updated.written > _FEW and updated.written * _MUCH > store.ids_in_sum()[0]:
            _merge(store, stop, wait=wait)
    except IndexBusy:
        updated.busy = not stop.is_set()
    updated.finished = updated.done == total
    if updated.finished and attachments is not None and any(map(attachments.is_attachment, (*stale, *gone))):
        attachments.sweep({row.digest for row in store.rows() if attachments.is_attachment(row.path)})
    return updated


def _for_a_turn(pending: deque[str], writer: Writer, stop: Event, *, facts_alone: bool) -> Iterator[ToRead]:
    """Returns the files to read until the lock is released."""
    ends = time.monotonic() + TURN_SECONDS
    some = [pending.popleft() for _ in range(min(len(pending), TURN_FILES))]
    # Looked up here, since other threads consume the files, and a connection belongs to one thread.
    files = deque([ToRead(path, facts_alone=True) if facts_alone else writer.to_read(path) for path in some])

    def each() -> Iterator[ToRead]:
        while files and not stop.is_set() and time.monotonic() < ends:
            yield files.popleft()
        pending.extendleft(file.path for file in reversed(files))

    return each()


def _merge(store: IndexStore, stop: Event, *, wait: bool) -> None:
    """Merge the segments of the word tables, which makes queries faster."""
    goes_on = True
    while goes_on and not stop.is_set():
        with store.writing(wait=wait, stop=stop) as writer:
            ends = time.monotonic() + TURN_SECONDS
            while goes_on and not stop.is_set() and time.monotonic() < ends:
                goes_on = writer.merge()


class _Steps:
    """Writes files one by one, in transactions of bounded size."""

    def __init__(
        self,
        root: Root,
        writer: Writer,
        updated: Updated,
        on_commit: Callable[[Sequence[str]], None] | None,
    ) -> None:
        self._root = root
        self._writer = writer
        self._updated = updated
        self._on_commit = on_commit
        self._files = 0
        self._paths: list[str] = []
        self._characters = 0
        self._since = 0.0

    def put(self, content: Content | None) -> None:
        """Write the content of a file; None: it vanished."""
        self._begin()
        if content is not None:
            is_new = self._writer.put(content)
            if content.flags & LACKS_WORDS:
                self._updated.facts += is_new
            else:
                self._updated.written += is_new
                self._updated.touched += not is_new
                self._updated.unread += content.state == "unread"
            self._characters += content.characters
            self._paths.append(content.path)
        self._end()

    def remove(self, path: str) -> None:
        """Forget a file."""
        self._begin()
        # It may have come back, and another process may have indexed it since.
        if not _is_file(self._root, path):
            self._updated.removed += self._writer.remove(path)
            self._paths.append(path)
        self._end()

    def commit(self) -> None:
        """Commit the transaction, if one is open."""
        if self._files:
            self._writer.commit()
            self._files = self._characters = 0
            written, self._paths = self._paths, []
            if self._on_commit is not None:
                self._on_commit(written)

    def _begin(self) -> None:
        if not self._files:
            self._writer.begin()
            self._since = time.monotonic()
        self._files += 1

    def _end(self) -> None:
        if (
            self._files >= BATCH_FILES
            or self._characters >= BATCH_CHARACTERS
            or time.monotonic() - self._since >= BATCH_SECONDS
        ):
            self.commit()
        self._updated.done += 1


def _is_file(root: Root, path: str) -> bool:
    """Whether a path leads to a regular file, without any link."""
    try:
        return stat.S_ISREG(disk.lstat(root.absolute(path)).st_mode) and root.resolved(path) == path
    except (OSError, VaultToolsError):
        return False
