"""Receives descriptors of attachments, and extracts each in a limited fork.

Run as `python -m vaulttools.attachments.worker`.

Its standard input is a socket. A message is the name of a kind with the descriptor of an opened file; the answer is a
frame (`core.child`) with the output of `extracted.dump`, or `dump_picture` for an image. Each file gets its own
process, forked from this one, which has loaded the extractors: so a file cannot affect the next one. If a fork ends
without an answer, this process ends, too.

`python -m vaulttools.attachments.worker KIND`: standard input is the file, standard output gets the only answer. For
systems that cannot fork or send descriptors.
"""

from __future__ import annotations

import codecs
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import IO, Final

from vaulttools.attachments import image
from vaulttools.attachments.extracted import Extracted, dump, dump_picture
from vaulttools.attachments.kinds import IMAGE, KINDS, NOTHING
from vaulttools.core import child, forks

CPU_SECONDS: Final = 10
"""CPU limit of an extraction in seconds, in case no parent is left to end it."""

WALL_SECONDS: Final = 15
"""Limit of elapsed seconds in that case."""

MEMORY_BYTES: Final = 512 * 1024 * 1024
"""Address space of an extracting process, in bytes. Python and PDFium take 60 MB of it."""

IDLE_SECONDS: Final = 30.0
"""Seconds after which an idle child ends: it holds 30 MB, and a new one starts in 0.1 s."""

_CODECS: Final = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp437", "latin-1", "ascii")
"""Encodings of texts in PDF, names in ZIP, and XML."""

_EXTRACTORS: Final[dict[str, Callable[[IO[bytes]], Extracted]]] = {
    kind.name: import_module(f"{__package__}.{kind.name}").extract for kind in KINDS
}


def serve(connection: socket.socket) -> None:
    """Answer until the other side is gone, or sends no request for `IDLE_SECONDS`."""
    connection.settimeout(IDLE_SECONDS)
    while True:
        try:
            kind, descriptors, _, _ = socket.recv_fds(connection, 16, 1)
        except TimeoutError:
            return
        if not kind or not descriptors:
            return
        process = forks.fork(partial(_answer, connection, kind.decode(), descriptors[0]))
        os.close(descriptors[0])
        _, status = os.waitpid(process, 0)
        if status:
            os._exit(1)


def _answer(connection: socket.socket, kind: str, descriptor: int) -> None:
    limit(descriptor + 1)
    connection.settimeout(None)
    connection.sendall(child.framed(answer(kind, descriptor)))


def answer(kind: str, descriptor: int) -> bytes:
    """Returns the answer for an opened file; no content makes it raise."""
    try:
        with os.fdopen(descriptor, "rb") as file:
            file.seek(0)
            if kind == NOTHING:
                return b"ready"
            if kind == IMAGE:
                return dump_picture(image.extract(file))
            return dump(_EXTRACTORS[kind](file))
    except MemoryError:
        return dump(Extracted(failure="extraction too costly"))
    except Exception:
        return dump(Extracted(failure="damaged"))


def limit(descriptors: int) -> None:
    """Permanently limit this process to what an extraction needs: time, memory, and no descriptors (files, connections)
    beyond `descriptors`."""
    if sys.platform == "win32":
        return
    import resource

    bounds = {
        resource.RLIMIT_AS: MEMORY_BYTES,
        resource.RLIMIT_DATA: MEMORY_BYTES,
        resource.RLIMIT_CPU: CPU_SECONDS,
        resource.RLIMIT_NOFILE: descriptors,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for what, bound in bounds.items():
        with suppress(OSError, ValueError):  # macOS does not limit memory
            resource.setrlimit(what, (bound, bound))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(WALL_SECONDS)


def run() -> None:
    """Serve, or answer once."""
    child.begin()
    warm_up()
    if len(sys.argv) > 1:
        limit(3)
        sys.stdout.buffer.write(answer(sys.argv[1], 0))
    else:
        serve(socket.socket(fileno=0))


def warm_up() -> None:
    """Load lazily imported modules while files can still be opened."""
    for codec in _CODECS:
        codecs.lookup(codec)


if __name__ == "__main__":
    run()
