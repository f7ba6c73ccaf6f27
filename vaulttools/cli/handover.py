"""Hands a command over to the resident process of its vault, if one listens.

They meet at a socket in a folder of mode 0700. Its name is made of what both must share: version and place of this
package, the Python, and the vault. In every other case (no process, or one that belongs to another user, is busy, has
another version or environment, or dies) the command runs in the caller's process.

It imports almost nothing, so that a call costs only the start of Python and the answer: importing `socket` takes 4 ms
because of its enumerations, `_socket` half a millisecond.
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
"""Bytes of a socket's path on every system: macOS has room for 104 with a NUL."""

LENGTH: Final = 4
"""Bytes of a message's length, the highest byte first."""

PATIENCE_SECONDS: Final = 1.0
"""Seconds for a resident process to accept a command; after that the caller runs it itself."""

MOST_ASKED: Final = 16 << 20
"""Most bytes of a command with its environment: systems start no program with more."""

MOST_ANSWERED: Final = 256 << 20
"""Most bytes of an answer; a command that prints more runs by itself."""

RUN, STATUS, STOP = "run", "status", "stop"
"""The first text of a message: its kind."""

TAKEN: Final = b"+"
"""The first byte of an accepting answer. Any other byte, or the end, is a refusal."""


def handed_over(words: Sequence[str]) -> int | None:
    """Run a command in a resident process, write its output, return its exit status; None if none accepted it."""
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
    """Returns a resident process's answer to `daemon status` or `daemon stop`; None if there is no process."""
    try:
        answer = _asked(path, [question, *_environ()])
    except (OSError, EOFError, ValueError):
        return None
    return None if answer is None else os.fsdecode(answer).split("\0")


def _columns() -> list[str]:
    """Returns the width of the terminal as a variable: the other process cannot see the terminal."""
    try:
        return [f"COLUMNS={os.get_terminal_size(1).columns}"] if sys.stdout.isatty() else []
    except OSError:
        return []


def _environ() -> list[str]:
    return [f"{name}={value}" for name, value in os.environ.items()]


def _asked(path: str, texts: Sequence[str]) -> bytes | None:
    """Returns the answer to a message; None if it is refused.

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
        connection.settimeout(None)  # the command may take as long as it would here
        return message(connection, MOST_ANSWERED)
    finally:
        connection.close()


def _written(answer: bytes) -> int:
    """Write a command's output in its order, and return its status.

    The streams of this process decide what a failed write means.
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
    """Returns the folder of sockets; None if the system has no such sockets."""
    if sys.platform == "win32":
        return None
    own = os.environ.get("XDG_RUNTIME_DIR")
    if own and os.path.isabs(own):
        return os.path.join(own, "vaulttools")
    return os.path.join(os.environ.get("TMPDIR") or "/tmp", f"vaulttools-{os.geteuid()}")  # noqa: S108 - it is checked


def socket_path(vault: str) -> str | None:
    """Returns the socket of the process for a vault's folder, whether it exists or not; None if it cannot exist."""
    where = socket_folder()
    if where is None:
        return None
    shared = (__version__, os.path.dirname(__file__), sys.prefix, sys.version, os.path.realpath(vault))
    path = os.path.join(where, f"{zlib.crc32(os.fsencode(chr(0).join(shared))):08x}.sock")
    return path if len(os.fsencode(path)) <= _LONGEST else None


def is_private(path: str) -> bool:
    """Whether the folder of a socket is a real folder that only this user can enter or change."""
    try:
        status = os.lstat(os.path.dirname(path))
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def peer_of(connection: socket) -> int | None:
    """Returns the user id at the other end of a connection; None if the system does not report it."""
    if sys.platform == "linux":
        import _socket

        credentials = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
        return int.from_bytes(credentials[4:8], sys.byteorder)  # struct ucred: pid, uid, gid
    if sys.platform == "darwin":
        credentials = connection.getsockopt(0, 1, 76)  # LOCAL_PEERCRED: struct xucred: version, uid, groups
        return int.from_bytes(credentials[4:8], sys.byteorder)
    return None


def is_of_one_user(connection: socket) -> bool:
    """Whether the other end runs as this user; root is not accepted for another user, nor the reverse."""
    try:
        return peer_of(connection) == os.geteuid()
    except OSError:
        return False


def packed(texts: Iterable[str]) -> bytes:
    """Pack texts without a NUL into one message."""
    data = b"\0".join(map(os.fsencode, texts))
    return len(data).to_bytes(LENGTH, "big") + data


def received(connection: socket, size: int) -> bytes:
    """Receive exactly `size` bytes.

    Raises:
        EOFError: the other end closed before that.
    """
    chunks = []
    while size:
        chunk = connection.recv(min(size, 1 << 20))
        if not chunk:
            raise EOFError
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def message(connection: socket, most: int) -> bytes:
    """Receive the next message, of at most `most` bytes.

    Raises:
        EOFError: the other end closed before the message was complete.
        ValueError: it is longer.
    """
    size = int.from_bytes(received(connection, LENGTH), "big")
    if size > most:
        raise ValueError("the message is too long")
    return received(connection, size)
