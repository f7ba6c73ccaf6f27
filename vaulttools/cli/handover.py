"""Hands a command over to the resident process of its vault.

Imports next to nothing, so that a call costs the start of Python and the answer: `socket` makes enumerations and takes
4 ms, `_socket`, which it is made of, half a millisecond. Whatever is odd (no process, another user's, one that is busy,
of another version or environment, or dies) means that the command runs here.
"""

from __future__ import annotations

import os
import sys

from vaulttools.cli import rendezvous
from vaulttools.cli.nearest_vault import is_unnamed, nearest_vault
from vaulttools.cli.words import take_flag, take_values

TYPE_CHECKING = False  # as in `vaulttools`
if TYPE_CHECKING:
    from collections.abc import Sequence

OWN = ("daemon", "index", "init", "mcp", "serve")
"""Commands that are never handed over."""


def handed_over(words: Sequence[str]) -> int | None:
    """The exit status of a command that a resident process ran, its output written; None: nobody took it."""
    vault = vault_of(list(words))
    path = None if vault is None else rendezvous.socket_path(vault)
    if vault is None or path is None or not os.path.exists(path) or not rendezvous.is_private(path):
        return None
    try:
        answer = _asked(path, [rendezvous.RUN, vault, _terminals(), str(len(words)), *words, *_environ()])
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


def vault_of(words: list[str]) -> str | None:
    """The absolute folder of the one vault that a command means; None: it means none, or is to run here. What stands
    before any command is taken out."""
    if take_flag(words, "--no-index"):
        return None
    take_flag(words, "--json")
    try:
        vaults = take_values(words, "--vault")
        here = os.getcwd()
    except Exception:
        return None  # an option without its value, or a folder that is gone: the command says so
    if len(vaults) > 1 or "" in vaults or not words or words[0] in OWN:
        return None
    vault = next(iter(vaults), None) or os.environ.get("VAULTTOOLS_VAULT") or nearest_vault(here) or here
    if not vaults and not os.environ.get("VAULTTOOLS_VAULT") and is_unnamed(vault):
        return None
    return os.path.abspath(os.path.expanduser(vault))


def _terminals() -> str:
    """Whether stdout and stderr are terminals: `10`."""
    return f"{sys.stdout.isatty():d}{sys.stderr.isatty():d}"


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
        connection.settimeout(rendezvous.PATIENCE_SECONDS)
        connection.connect(path)
        if not rendezvous.is_of_one_user(connection):
            return None
        connection.sendall(rendezvous.packed(texts))
        if rendezvous.received(connection, 1) != rendezvous.TAKEN:
            return None
        connection.settimeout(None)  # as long as the command may take here
        return rendezvous.message(connection)
    finally:
        connection.close()


def _written(answer: bytes) -> int:
    """Write what a command wrote, in its order; its status.

    The streams here decide what a failure to write means.
    """
    status, position = answer[0], 1
    while position < len(answer):
        stream = sys.stdout if answer[position] == 1 else sys.stderr
        start = position + 1 + rendezvous.LENGTH
        position = start + int.from_bytes(answer[position + 1 : start], "big")
        stream.write(answer[start:position].decode())
    return status
