"""Extracts attachments whose descriptors it is sent, each in a limited fork.

Run as `python -m vaulttools.attachments.child`.

Its standard input is a socket. A message is the name of a kind with the descriptor of an opened file; the answer is its
length in four bytes and what `extracted.dump` makes. Each file has a process of its own, forked from this one, which
has loaded the extractors: what a file does to its process, the next one does not meet. When a fork ends without an
answer, this process ends, too.

`python -m vaulttools.attachments.child KIND`: standard input is the file, standard output takes the one answer. For
systems without forks and descriptors that can be sent.
"""

from __future__ import annotations

import codecs
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Final

from vaulttools.attachments import docx, image, pdf, picture
from vaulttools.attachments.extracted import Extracted, dump
from vaulttools.attachments.limits import CPU_SECONDS, IDLE_SECONDS, LENGTH, MEMORY_BYTES, NOTHING, WALL_SECONDS

_CODECS: Final = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp437", "latin-1", "ascii")
"""What texts in PDF, names in ZIP and XML are written in."""

_EXTRACTORS: Final[dict[str, Callable[[IO[bytes]], bytes]]] = {
    "pdf": lambda file: dump(pdf.extract(file)),
    "docx": lambda file: dump(docx.extract(file)),
    NOTHING: lambda file: b"ready",
    "image": lambda file: picture.dump(image.extract(file)),
}


def serve(connection: socket.socket) -> None:
    """Answer until the other side is gone, or has not asked for a while."""
    connection.settimeout(IDLE_SECONDS)
    while True:
        try:
            kind, descriptors, _, _ = socket.recv_fds(connection, 16, 1)
        except TimeoutError:
            return
        if not kind or not descriptors:
            return
        process = os.fork()
        if process == 0:
            _answer_and_exit(connection, kind.decode(), descriptors[0])
        os.close(descriptors[0])
        _, status = os.waitpid(process, 0)
        if status:
            os._exit(1)


def _answer_and_exit(connection: socket.socket, kind: str, descriptor: int) -> None:
    """Extract one file, answer, and end the process."""
    try:
        limit(descriptor + 1)
        connection.settimeout(None)
        data = extracted(kind, descriptor)
        connection.sendall(len(data).to_bytes(LENGTH, "big") + data)
        os._exit(0)
    finally:
        os._exit(1)


def extracted(kind: str, descriptor: int) -> bytes:
    """What is answered for an opened file; never raises for what it holds."""
    try:
        with os.fdopen(descriptor, "rb") as file:
            file.seek(0)
            return _EXTRACTORS[kind](file)
    except MemoryError:
        return dump(Extracted(failure="extraction too costly"))
    except Exception:
        return dump(Extracted(failure="damaged"))


def limit(descriptors: int) -> None:
    """Take from this process, for good, what no extraction needs: time, memory, and everything that takes a descriptor
    (files, connections) beyond those that are open."""
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
    with suppress(AttributeError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it, too, and closes the socket
    warm_up()
    if len(sys.argv) > 1:
        limit(3)
        data = extracted(sys.argv[1], 0)
        sys.stdout.buffer.write(len(data).to_bytes(LENGTH, "big") + data)
        return
    serve(socket.socket(fileno=0))


def warm_up() -> None:
    """Load what is loaded late while files can still be opened."""
    for codec in _CODECS:
        codecs.lookup(codec)


if __name__ == "__main__":
    run()
