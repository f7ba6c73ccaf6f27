"""Lists a vault in a child process, while a command imports what it needs.

The child reads every name with its stat key, which takes as long as a third of the imports (45 ms for 10,000 files).
What a command finds so is the vault as it was when the command began, and no watch is needed. Folders that the child
left out, or could not list, are listed when their names are wanted.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in `vaulttools`
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from vaulttools.index.folder import Folder


class _Child:
    """The child, and the end of the pipe that it writes into."""

    def __init__(self, pid: int, answers: int, folder: str) -> None:
        self.pid = pid
        self.answers = answers
        self.folder = folder


_begun: Final[list[_Child]] = []


def begin(folder: str) -> None:
    """Start to list the vault at an absolute folder, links resolved. Only before any thread is started."""
    if sys.platform != "linux" or (os.cpu_count() or 1) < 2:
        return
    try:
        answers, writing = os.pipe()
    except OSError:
        return
    from vaulttools.core import forks

    def list_all() -> None:
        os.closerange(0, 3)  # whoever reads the output of the command does not wait for the child
        os.close(answers)
        _write(folder, writing)

    try:
        _begun.append(_Child(forks.fork(list_all), answers, folder))
    except OSError:
        os.close(answers)
    os.close(writing)


def is_begun(folder: str | None = None) -> bool:
    """Whether a child lists this folder, or any, and what it found was not taken yet."""
    return bool(_begun) and folder in (None, _begun[0].folder)


def taken() -> dict[str, Folder]:
    """What the child found, by vault-relative path, once it has come to its end."""
    import pickle

    child = _begun.pop()
    found: dict[str, Folder] = {}
    with os.fdopen(child.answers, "rb") as stream:
        try:
            while True:
                path, names = pickle.load(stream)  # noqa: S301 - from our own child
                found[path] = names
        except (EOFError, pickle.UnpicklingError):  # at its end, or killed
            pass
    _await(child)
    return found


def end() -> None:
    """Kill the child that nobody asked: it only reads."""
    while _begun:
        child = _begun.pop()
        os.close(child.answers)
        try:
            os.kill(child.pid, 9)
        except ProcessLookupError:
            continue
        _await(child)


def _await(child: _Child) -> None:
    """Wait until it has ended. Whoever ignores SIGCHLD, as the program that starts a command may, is told nothing."""
    from contextlib import suppress

    with suppress(ChildProcessError):
        os.waitpid(child.pid, 0)


def listed(folder: str) -> Iterator[tuple[str, Folder]]:
    """The names of a vault's folder and of those below it, by vault-relative path; without those whose names begin with
    a dot, most of which are protected."""
    from vaulttools.core import limits
    from vaulttools.index.folder import names_at

    waiting = [""]
    while waiting:
        here = waiting.pop()
        try:
            names = names_at(f"{folder}{os.sep}{here}" if here else folder)
        except OSError:
            continue
        yield here, names
        if here.count("/") < limits.FOLDER_DEPTH:
            start = f"{here}/" if here else ""
            below = (name for name, node in names.others.items() if node.kind == "folder" and not name.startswith("."))
            waiting += [start + name for name in below]


def _write(folder: str, writing: int) -> None:
    import fcntl
    import pickle
    from contextlib import suppress

    from vaulttools.index.folder import PIPE_BYTES

    with suppress(OSError):  # the user's pipes hold much already; it is slower then
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    # Written at last: of a vault beyond the size of a pipe it would wait until the rows of the index are read.
    found = [pickle.dumps(each, pickle.HIGHEST_PROTOCOL) for each in listed(folder)]
    with os.fdopen(writing, "wb") as stream:
        stream.writelines(found)
