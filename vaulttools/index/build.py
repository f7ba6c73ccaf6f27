"""Brings an index up to date: reads and writes only files that differ.

Every commit is a whole step: whatever stops an update, what was committed stays, and the rest is found again.
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
"""Files of one transaction: what a kill can lose, and what a writer that waits must wait for."""

BATCH_CHARACTERS: Final = 16 * 1024 * 1024
"""Characters of one transaction: what a kill loses, and what the log has to hold."""

BATCH_SECONDS: Final = 3.0
"""Seconds of one transaction, so that what was indexed soon counts. FTS5 writes out at each end of one: at 300 files a
third of the time of an insertion goes there, at 2,000 a tenth."""

TURN_SECONDS: Final = 10.0
"""Seconds after which the write lock is given up for a moment, so that other processes may write as well."""

TURN_FILES: Final = 2_000
"""Files of one turn at most: what is known of their structure is held meanwhile, 3 MB."""

FACTS_FIRST: Final = 500
"""Notes from which on their structure is written first: fewer are read whole in half a second."""

_FEW: Final = 100
"""Files that are written in one transaction or two, so that their words lie close together anyway."""

_MUCH: Final = 8
"""An update that wrote more than one file in so many ends with merging the words (1 % of the time of a build)."""


@dataclass(slots=True)
class Updated:
    """What an update did."""

    facts: int = 0
    """Notes of which the structure alone was written, before the rest."""
    written: int = 0
    """Files whose content was new."""
    touched: int = 0
    """Files whose key alone was written."""
    removed: int = 0
    unread: int = 0
    """Files, of the ones written or touched, that could not be indexed: they stay candidates of every search."""
    done: int = 0
    """Files dealt with, the ones that had vanished included; a note counts twice whose structure was written first."""
    finished: bool = False
    """Whether that is all of them."""
    busy: bool = False
    """Whether another process writes, so that (more) was not done."""


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
    """Read the stale files and write them, notes first, and forget the files that are gone.

    Of many notes the structure is written first, which is a quarter of the work: questions about all notes have their
    answer then, and only searches go on to look at each of them.

    Args:
        store: The index.
        root: The vault.
        stale: Paths of files to read; one that is not there any more is passed over.
        gone: Paths to forget.
        wordless: Notes of which the index has the structure alone.
        on_commit: Called with the files that a transaction wrote or forgot, once it has ended.
        stop: Ends the update, once set, within a file or two; what was read is written.
        workers: Processes that read; default: as many as are worth it. 0: none.
        wait: Whether to wait for another process that writes.
        attachments: What gives the text of PDF and DOCX files; default: what keeps the texts beside the store.

    Raises:
        Unavailable: the index cannot be written; `Replaced` when the store has come to its end.
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
                    # The facts are written before anything is read again: a row never goes back in time.
                    for content in contents(_for_a_turn(facts or whole, writer, stop, facts_alone=bool(facts)), stop):
                        steps.put(content)
                    steps.commit()
        if updated.written > _FEW and updated.written * _MUCH > store.ids_in_sum()[0]:
            _merge(store, stop, wait=wait)
    except IndexBusy:
        updated.busy = not stop.is_set()
    updated.finished = updated.done == total
    if updated.finished and attachments is not None and any(map(attachments.holds, (*stale, *gone))):
        attachments.sweep({row.digest for row in store.rows() if attachments.holds(row.path)})
    return updated


def _for_a_turn(pending: deque[str], writer: Writer, stop: Event, *, facts_alone: bool) -> Iterator[ToRead]:
    """What is to be read until the lock is given up."""
    ends = time.monotonic() + TURN_SECONDS
    some = [pending.popleft() for _ in range(min(len(pending), TURN_FILES))]
    # At once, since threads that read take what is to be read, and a connection is for one thread.
    files = deque([ToRead(path, facts_alone=True) if facts_alone else writer.to_read(path) for path in some])

    def each() -> Iterator[ToRead]:
        while files and not stop.is_set() and time.monotonic() < ends:
            yield files.popleft()
        pending.extendleft(file.path for file in reversed(files))

    return each()


def _merge(store: IndexStore, stop: Event, *, wait: bool) -> None:
    """Write the words of all files closer together, so that they are found in less time."""
    goes_on = True
    while goes_on and not stop.is_set():
        with store.writing(wait=wait, stop=stop) as writer:
            ends = time.monotonic() + TURN_SECONDS
            while goes_on and not stop.is_set() and time.monotonic() < ends:
                goes_on = writer.merge()


class _Steps:
    """One write after the other, in transactions of a bounded size."""

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
        """Write what was read; nothing of a file that vanished."""
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
        if not _stands(self._root, path):
            self._updated.removed += self._writer.remove(path)
            self._paths.append(path)
        self._end()

    def commit(self) -> None:
        """Commit what there is."""
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


def _stands(root: Root, path: str) -> bool:
    """Whether a regular file stands at a path, with no link on the way."""
    try:
        return stat.S_ISREG(disk.lstat(root.absolute(path)).st_mode) and root.resolved(path) == path
    except (OSError, VaultToolsError):
        return False
