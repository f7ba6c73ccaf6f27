"""Reads many files in child processes, few in this one.

Parsing Markdown dominates a build. Not `multiprocessing`: its `spawn` runs the caller's main module again, and its
`fork` copies the locks of threads. The processes run this module. Messages have the format of `core.child`. The first
message holds the root and the folder for texts of attachments (None without the extra); the next ones are lists of
files. The answers are lists of contents in the same order, with None for a vanished file.
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
from dataclasses import replace
from threading import Event
from typing import Final, NamedTuple, TypeAlias

from vaulttools.attachments.texts import Attachments
from vaulttools.core import child
from vaulttools.core.child import Child, ChildGone
from vaulttools.files import disk
from vaulttools.files.disk import within
from vaulttools.files.root import Root
from vaulttools.index.content import Content, ToRead, hanging, read
from vaulttools.index.tokenizer import Tokens

Reading: TypeAlias = Callable[[Iterator[ToRead], Event], Iterator[Content | None]]
"""Yields the content of every supplied file, in any order, None for a vanished one; ends early when stopped."""

WORTH_BYTES: Final = 2 * 1024 * 1024
"""Processes are started for more bytes than this: half a second of parsing, three times the start of a process."""

FILE_BYTES: Final = 2 * 1024
"""Bytes added per file: parsing 1,000 notes of 1 KiB takes 0.8 s, like 3 MiB of larger ones."""

MOST: Final = 4
"""Most processes: the writing process cannot keep up with more (measured)."""

_AT_ONCE: Final = 16
"""Files per request; the next request is sent before the answer."""

_WAITING: Final = 4
"""Answers that may wait to be written before the processes have to wait, too: with usual files some hundred KB each."""

_POLL: Final = 0.1
"""Seconds between two checks of the stop event."""

READ_SECONDS: Final = 30.0
"""Reading one file for more seconds counts as hanging (fault-S06). The slowest indexed file, of 16 MiB, takes ten."""

_MANY_OBJECTS: Final = 50_000
"""Threshold of the garbage collector, in new objects; Python's default is 700."""

_MOST_WORDS: Final = 1_000_000
"""Words that a process remembers, in some 100 MB: 10,000 notes of an encyclopaedia have 300,000."""

_SOON: Final = 0.05
"""Seconds after which the contents read so far are sent: 16 notes of 7 KiB take half of it."""

_YIELDING: Final = 5
"""Added niceness of a child: searches and writing the index come before reading."""

_since: Final[dict[tuple[str, str], float]] = {}
"""Start times of this process's running reads, by root and path. While a read hangs, the file is not read again."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_since.clear)  # the threads that read were not inherited


@contextmanager
def readers(
    root: Root, paths: Sequence[str], count: int | None = None, attachments: Attachments | None = None
) -> Iterator[Reading]:
    """Yields a function that reads the files in `count` processes, or in this one.

    `count` defaults to the number of processors, at most `MOST`, if the files are large enough, else to 0.
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
    """Like `content.read`, in this process, but for at most `READ_SECONDS`."""
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
    """One result of a thread."""

    contents: Sequence[Content | None] = ()
    lost: Sequence[ToRead] | None = None
    """In the last result: the files that were not read."""


def _started(root: Root, attachments: Attachments | None) -> Child | None:
    """Start a worker and send it the root; None if it cannot be started."""
    process = child.started("vaulttools.index.workers")
    if process is not None:
        with suppress(ChildGone):  # the next request notices a dead worker
            process.send((root, None if attachments is None else attachments.folder))
    return process


class _Workers:
    """Processes, each with a thread that sends requests and collects the answers."""

    def __init__(self, root: Root, count: int, attachments: Attachments | None = None) -> None:
        self._root = root
        self._attachments = attachments
        self._count = count
        self._processes: list[Child] | None = None
        self._ended = False

    def start(self) -> list[Child]:
        """Returns the processes; the first call starts them."""
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
        for file in [*lost, *supply]:  # files of processes that died, and the rest if no process is left
            if not stop.is_set():
                yield _read(self._root, file, self._attachments)

    def _end_hanging(self) -> None:
        """Kill processes that have been reading one file for too long."""
        for process in self._processes or ():
            process.kill_if_late(READ_SECONDS)

    def end(self) -> None:
        """Kill the processes: they only read."""
        self._ended = True
        for process in self._processes or ():
            process.end()

    def _serve(self, process: Child, some: Callable[[], list[ToRead]], results: queue.Queue[_Read]) -> None:
        """Send files to a process until all are read or it dies; then hand back those that it has not read."""
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
        except ChildGone:  # reading the files again shows which one hangs
            pass
        self._give(results, _Read(lost=[*asked]))

    def _give(self, results: queue.Queue[_Read], result: _Read) -> None:
        while not self._ended:
            with suppress(queue.Full):
                results.put(result, timeout=_POLL)
                return


def unsent(sent: set[bytes], content: Content) -> Content:
    """Returns a content without the words that are in `sent`, and adds the others to `sent`: to look for new words took
    a quarter of the writer's time."""
    if len(sent) > _MOST_WORDS:
        sent.clear()
    new = content.tokens.words - sent
    sent |= new
    return replace(content, tokens=Tokens(content.tokens.text, new))


def run() -> None:
    """Answer requests in the child until the parent is gone."""
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
    # Parsing makes many objects and hardly any cycles; imported modules are no garbage (saves a twentieth of the time).
    gc.freeze()
    gc.set_threshold(_MANY_OBJECTS)
    sent: set[bytes] = set()
    while True:
        asked = requests.get()
        assert isinstance(asked, list)
        # Few messages, since each switches between three threads; but a slow file does not hold back the others.
        contents, since = [], time.monotonic()
        for file in asked:
            assert isinstance(file, ToRead)
            content = read(root, file, attachments)
            contents.append(None if content is None else unsent(sent, content))
            if time.monotonic() - since > _SOON:
                child.send(sys.stdout.buffer, contents)
                contents, since = [], time.monotonic()
        if contents:
            child.send(sys.stdout.buffer, contents)


if __name__ == "__main__":
    run()
