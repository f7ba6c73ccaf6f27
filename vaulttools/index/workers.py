"""Reads many files at once in child processes, since parsing Markdown dominates a build.

Not `multiprocessing`: its `spawn` runs the caller's main module again, and its `fork` copies the locks of threads. The
processes run this module. Messages are those of `core.child`. First comes the root with the folder in which texts of
attachments are kept, None without the extra that reads them; then lists of files, which are answered in the order asked
by lists of contents: None stands for a file that vanished.
"""

from __future__ import annotations

import gc
import os
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event
from typing import Final, NamedTuple, TypeAlias

from vaulttools.attachments.texts import Attachments
from vaulttools.core import child
from vaulttools.core.child import Child, ChildGone
from vaulttools.files import disk
from vaulttools.files.disk import within
from vaulttools.files.root import Root
from vaulttools.index.content import Content, ToRead, hanging, read

Reading: TypeAlias = Callable[[Iterator[ToRead], Event], Iterator[Content | None]]
"""Gives the content of every file of a supply, in any order, None for one that vanished; fewer when it is stopped."""

WORTH_BYTES: Final = 2 * 1024 * 1024
"""Bytes to read for which processes are started: half a second of parsing, three times what it takes to start one."""

FILE_BYTES: Final = 2 * 1024
"""What a file counts beside its own bytes: 1,000 notes of 1 KiB are parsed in 0.8 s, as 3 MiB of larger ones are."""

MOST: Final = 4
"""Processes. The writing process keeps up with no more (measured)."""

_AT_ONCE: Final = 16
"""Files that a process is asked for at once; it is asked for the next before it has answered."""

_WAITING: Final = 4
"""Answers that wait to be written before the processes have to wait, too: of files of the usual size each has some
hundred KB, and it has one of the largest at most."""

_POLL: Final = 0.1
"""Seconds between two looks at the stop event."""

READ_SECONDS: Final = 30.0
"""Seconds after which the reading of one file is taken to hang (fault-S06). The slowest that is indexed, one of
16 MiB, takes ten."""

_MANY_OBJECTS: Final = 50_000
"""Objects made, and not yet gone, after which the collector of cycles looks at them; Python's is 700."""

_SOON: Final = 0.05
"""Seconds after which an answer is sent with what was read by then: 16 notes of 7 KiB take half of it."""

_YIELDING: Final = 5
"""How much nicer than its parent: reading goes on behind, searches and the writing of the index come first."""

_since: Final[dict[tuple[str, str], float]] = {}
"""Files, by root and path, that this process reads, and when it began. While a read hangs no other one of the same file
starts."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_since.clear)  # the threads that read were not inherited


@contextmanager
def readers(
    root: Root, paths: Sequence[str], count: int | None = None, attachments: Attachments | None = None
) -> Iterator[Reading]:
    """Something that reads the files: processes, `count` of them, or this one.

    Without a count there are as many processes as processors when the files are worth it.
    """
    if count is None:
        count = min(os.cpu_count() or 1, MOST) if _are_many_bytes(root, paths) else 0
    if not count or not child.can_start():
        yield lambda supply, stop: (_read(root, file, attachments) for file in supply)
        return
    workers = _Workers(root, count, attachments)
    try:
        yield workers.contents
    finally:
        workers.end()


def _read(root: Root, file: ToRead, attachments: Attachments | None) -> Content | None:
    """As `content.read`, in this process, for so long."""
    key = root.folder, file.path
    now = time.monotonic()
    if now - _since.get(key, now) >= READ_SECONDS:
        return hanging(file.path)

    def done() -> Content | None:
        try:
            return read(root, file, attachments)
        finally:
            _since.pop(key, None)

    _since[key] = now
    try:
        return within(READ_SECONDS, done)
    except TimeoutError:
        return hanging(file.path)


def _are_many_bytes(root: Root, paths: Sequence[str]) -> bool:
    size = 0
    for path in paths:
        with suppress(OSError, ValueError):
            size += disk.stat(root.absolute(path)).st_size + FILE_BYTES
        if size > WORTH_BYTES:
            return True
    return False


class _Read(NamedTuple):
    """What a thread gives."""

    contents: Sequence[Content | None] = ()
    lost: Sequence[ToRead] | None = None
    """As its last word the files that were not read."""


def _started(root: Root, attachments: Attachments | None) -> Child | None:
    """A worker that knows its root; None when none can be started."""
    process = child.started("vaulttools.index.workers")
    if process is not None:
        with suppress(ChildGone):  # one that died at once is found when it is asked
            process.send((root, None if attachments is None else attachments.folder))
    return process


class _Workers:
    """Processes, each with a thread that asks it and takes what it answers."""

    def __init__(self, root: Root, count: int, attachments: Attachments | None = None) -> None:
        self._root = root
        self._attachments = attachments
        self._count = count
        self._processes: list[Child] | None = None
        self._ended = False

    def start(self) -> list[Child]:
        """The processes; the first call starts them, if it holds the write lock."""
        if self._processes is None:
            begun = (_started(self._root, self._attachments) for _ in range(self._count))
            self._processes = [process for process in begun if process is not None]
        return self._processes

    def contents(self, supply: Iterator[ToRead], stop: Event) -> Iterator[Content | None]:
        """See `Reading`."""
        results: queue.Queue[_Read] = queue.Queue(_WAITING)
        asking = threading.Lock()

        def some() -> list[ToRead]:
            with asking:
                return [file for _, file in zip(range(_AT_ONCE), supply, strict=False)]

        threads = [
            threading.Thread(target=self._serve, args=(process, some, results), daemon=True) for process in self.start()
        ]
        for thread in threads:
            thread.start()
        lost: list[ToRead] = []
        running = len(threads)
        while running and not stop.is_set():
            try:
                result = results.get(timeout=_POLL)
            except queue.Empty:
                self._end_hanging()
                continue
            yield from result.contents
            if result.lost is not None:
                lost += result.lost
                running -= 1
        for file in [*lost, *supply]:  # of processes that died, and when none is left
            if not stop.is_set():
                yield _read(self._root, file, self._attachments)

    def _end_hanging(self) -> None:
        """Kill the processes that have been reading one file for too long."""
        for process in self._processes or ():
            process.kill_if_late(READ_SECONDS)

    def end(self) -> None:
        """Kill the processes: they only read."""
        self._ended = True
        for process in self._processes or ():
            process.end()

    def _serve(self, process: Child, some: Callable[[], list[ToRead]], results: queue.Queue[_Read]) -> None:
        """Have a process read files until there are no more, or it dies; at last, give back those it has not read."""
        asked: deque[ToRead] = deque()
        try:
            while True:
                while len(asked) <= _AT_ONCE and (files := some()):
                    asked += files
                    process.send(files)
                if not asked:
                    break
                contents = process.receive()
                assert isinstance(contents, list)
                for _ in contents:
                    asked.popleft()
                self._give(results, _Read(contents))
        except ChildGone:  # which of the files hangs is found out by those who read them again
            pass
        self._give(results, _Read(lost=[*asked]))

    def _give(self, results: queue.Queue[_Read], result: _Read) -> None:
        while not self._ended:
            with suppress(queue.Full):
                results.put(result, timeout=_POLL)
                return


def run() -> None:
    """Answer, as such a process, until there is nobody to answer."""
    child.begin(_YIELDING)
    requests = child.requests()
    begun = requests.get()
    assert isinstance(begun, tuple)
    root, folder = begun
    assert isinstance(root, Root)
    attachments = None
    if folder is not None:
        assert isinstance(folder, str)
        attachments = Attachments(root, lambda: folder)
    # Parsing makes many objects and next to no cycles; what was imported is no garbage (a twentieth of the time).
    gc.freeze()
    gc.set_threshold(_MANY_OBJECTS)
    while True:
        asked = requests.get()
        assert isinstance(asked, list)
        # Few messages, since each has three threads change places; none waits for a file that takes long.
        contents, since = [], time.monotonic()
        for file in asked:
            assert isinstance(file, ToRead)
            contents.append(read(root, file, attachments))
            if time.monotonic() - since > _SOON:
                child.send(sys.stdout.buffer, contents)
                contents, since = [], time.monotonic()
        if contents:
            child.send(sys.stdout.buffer, contents)


if __name__ == "__main__":
    run()
