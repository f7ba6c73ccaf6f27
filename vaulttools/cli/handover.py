"""Hands a command over to the resident process of its vault, where one listens.

They meet at a socket in a folder of mode 0700, under a name made of what both must share: the version and the place of
this package, the Python, and the vault. Whatever is odd (no process, another user's, one that is busy, of another
version or environment, or dies) means that the command runs here.

Imports next to nothing, so that a call costs the start of Python and the answer: `socket` makes enumerations and takes
4 ms, `_socket`, which it is made of, half a millisecond.
"""

from __future__ import annotations

import os
import stat
import sys
import zlib

from vaulttools import __version__
from vaulttools.cli.command_line import take_vault

TYPE_CHECKING = False  # as in `vaulttools`
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterable, Sequence
    from typing import Final

_LONGEST: Final = 103
"""Bytes of a socket's path that every system takes: macOS has room for 104 with a NUL."""

LENGTH: Final = 4
"""Bytes, the highest first, that say how long a message is."""

PATIENCE_SECONDS: Final = 1.0
"""For a resident process to take a command; the caller runs it by itself after that."""

RUN, STATUS, STOP = "run", "status", "stop"
"""The first text of a message: what is asked."""

TAKEN: Final = b"+"
"""The first byte of an answer: it follows. Any other, and the end: it does not."""


def handed_over(words: Sequence[str]) -> int | None:
    """The exit status of a command that a resident process ran, its output written; None: nobody took it."""
    vault = take_vault(list(words))
    path = None if vault is None else socket_path(vault)
    if vault is None or path is None or not os.path.exists(path) or not is_private(path):
        return None
    try:
        terminals = f"{sys.stdout.isatty():d}{sys.stderr.isatty():d}"
        answer = _asked(path, [RUN, vault, terminals, str(len(words)), *words, *_environ(), *_columns()])
    except (OSError, EOFError, ValueError):
        return None
    return None if answer is None else _written(answer)


def asked(path: str, question: str) -> list[str] | None:
    """What a resident process says to `daemon status` and `daemon stop`; None: there is none."""
    try:
        answer = _asked(path, [question, *_environ()])
    except (OSError, EOFError):
        return None
    return None if answer is None else os.fsdecode(answer).split("\0")


def _columns() -> list[str]:
    """The width of the terminal, which the other process does not see."""
    try:
        return [f"COLUMNS={os.get_terminal_size(1).columns}"] if sys.stdout.isatty() else []
    except OSError:
        return []


def _environ() -> list[str]:
    return [f"{name}={value}" for name, value in os.environ.items()]


def _asked(path: str, texts: Sequence[str]) -> bytes | None:
    """The answer to a message; None: it is not taken.

    Raises:
        OSError: nobody listens, or not in time.
        EOFError: the process has gone.
    """
    import _socket

    connection = _socket.socket(_socket.AF_UNIX)
    try:
        connection.settimeout(PATIENCE_SECONDS)
        connection.connect(path)
        if not is_of_one_user(connection):
            return None
        connection.sendall(packed(texts))
        if received(connection, 1) != TAKEN:
            return None
        connection.settimeout(None)  # as long as the command may take here
        return message(connection)
    finally:
        connection.close()


def _written(answer: bytes) -> int:
    """Write what a command wrote, in its order; its status.

    The streams here decide what a failure to write means.
    """
    status, position, is_terminal = answer[0], 1, sys.stdout.isatty()
    shown = ""
    while position < len(answer):
        is_out = answer[position] == 1
        start = position + 1 + LENGTH
        position = start + int.from_bytes(answer[position + 1 : start], "big")
        text = answer[start:position].decode()
        if is_out and is_terminal:
            shown += text
        else:
            (sys.stdout if is_out else sys.stderr).write(text)
    if shown:
        from vaulttools.cli import pager

        pager.show(shown.removesuffix("\n"), sys.stdout, os.environ)
    return status


def socket_folder() -> str | None:
    """The folder of sockets; None where the system has no such sockets."""
    if sys.platform == "win32":
        return None
    own = os.environ.get("XDG_RUNTIME_DIR")
    if own and os.path.isabs(own):
        return os.path.join(own, "vaulttools")
    return os.path.join(os.environ.get("TMPDIR") or "/tmp", f"vaulttools-{os.geteuid()}")  # noqa: S108 - it is checked


def socket_path(vault: str) -> str | None:
    """Where the process of a vault's folder listens, if there is one; None: it cannot be anywhere."""
    where = socket_folder()
    if where is None:
        return None
    shared = (__version__, os.path.dirname(__file__), sys.prefix, sys.version, os.path.realpath(vault))
    path = os.path.join(where, f"{zlib.crc32(os.fsencode(chr(0).join(shared))):08x}.sock")
    return path if len(os.fsencode(path)) <= _LONGEST else None


def is_private(path: str) -> bool:
    """Whether the folder of a socket is a real one that nobody but this user can enter or change."""
    try:
        status = os.lstat(os.path.dirname(path))
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def peer_of(connection: socket) -> int | None:
    """The user at the other end of a connection; None where the system does not tell."""
    if sys.platform == "linux":
        import _socket

        credentials = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
        return int.from_bytes(credentials[4:8], sys.byteorder)  # struct ucred: pid, uid, gid
    if sys.platform == "darwin":
        credentials = connection.getsockopt(0, 1, 76)  # LOCAL_PEERCRED: struct xucred: version, uid, groups
        return int.from_bytes(credentials[4:8], sys.byteorder)
    return None


def is_of_one_user(connection: socket) -> bool:
    """Whether the other end runs as this user. Root is nobody else's, and nobody else is root's."""
    try:
        return peer_of(connection) == os.geteuid()
    except OSError:
        return False


def packed(texts: Iterable[str]) -> bytes:
    """Texts without a NUL as one message."""
    data = b"\0".join(map(os.fsencode, texts))
    return len(data).to_bytes(LENGTH, "big") + data


def received(connection: socket, size: int) -> bytes:
    """So many bytes.

    Raises:
        EOFError: the other end has gone before.
    """
    chunks = []
    while size:
        chunk = connection.recv(min(size, 1 << 20))
        if not chunk:
            raise EOFError
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def message(connection: socket) -> bytes:
    """The next message.

    Raises:
        EOFError: the other end has gone before its end.
    """
    return received(connection, int.from_bytes(received(connection, LENGTH), "big"))
