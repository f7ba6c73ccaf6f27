"""Reads the files that it is asked for, until its standard input ends.

Run as `python -m vaulttools.index.worker`.

A message is its length in four bytes and a pickle. First comes the root with the folder in which texts of attachments
are kept, None without the extra that reads them; then lists of paths; each path is answered by one content, or None, in
the order asked.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
from queue import SimpleQueue
from typing import IO, Final

from vaulttools.core import own_python

_LENGTH: Final = 4
_MANY_OBJECTS: Final = 50_000
"""Objects made, and not yet gone, after which the collector of cycles looks at them; Python's is 700."""

_YIELDING: Final = 5
"""How much nicer than its parent: reading goes on behind, searches and the writing of the index come first."""


def send(stream: IO[bytes], message: object) -> None:
    """Write one message.

    Raises:
        OSError, ValueError: the other side is gone.
    """
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(len(data).to_bytes(_LENGTH, "big"))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> object:
    """Read one message; of a stream that is not buffered no byte behind it.

    Raises:
        EOFError: the other side is gone.
        OSError, ValueError: likewise.
    """
    data = _exactly(stream, int.from_bytes(_exactly(stream, _LENGTH), "big"))
    return pickle.loads(data)  # noqa: S301 - from the process that started this one, or from one that it started


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    while len(data) < size:  # of a pipe that is not buffered one call reads what is there
        more = stream.read(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def run() -> None:
    """Answer until there is nobody to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it too, and closes the pipe
    own_python.give_way(_YIELDING)
    requests: SimpleQueue[object] = SimpleQueue()
    threading.Thread(target=listen, args=(sys.stdin.buffer, requests), daemon=True).start()

    from vaulttools.files.root import Root
    from vaulttools.index.content import read

    begun = requests.get()
    assert isinstance(begun, tuple)
    root, folder = begun
    assert isinstance(root, Root)
    attachments = None
    if folder is not None:
        assert isinstance(folder, str)
        from vaulttools.attachments.texts import Attachments

        attachments = Attachments(root, lambda: folder)
    # Parsing makes many objects and next to no cycles; what was imported is no garbage (a twentieth of the time).
    gc.freeze()
    gc.set_threshold(_MANY_OBJECTS)
    while True:
        asked = requests.get()
        assert isinstance(asked, list)
        for path in asked:
            send(sys.stdout.buffer, read(root, path, attachments))


def listen(stream: IO[bytes], requests: SimpleQueue[object]) -> None:
    """Take messages as they come, so that the parent never waits with one; its end is the end of this process."""
    try:
        while True:
            requests.put(receive(stream))
    finally:
        os._exit(0)


if __name__ == "__main__":
    run()
