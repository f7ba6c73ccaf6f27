"""Lists a vault in a child process while a command imports its modules.

The child reads every name with its stat key, which takes a third of the time of the imports (45 ms for 10,000 files).
The command then sees the vault as it was at its start, and needs no watch. Folders that the child left out or could not
list are listed when they are needed.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in `vaulttools`
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from vaulttools.index.folder import Folder


_children: Final[list[tuple[int, int, str]]] = []
"""The child, if any: its process id, our end of the pipe that it writes into, and the folder that it lists."""


def begin(folder: str) -> None:
    """Start to list the vault at an absolute folder, links resolved. Call this before any thread starts."""
    if sys.platform != "linux" or (os.cpu_count() or 1) < 2:
        return
    try:
        answers, writing = os.pipe()
    except OSError:
        return
    from vaulttools.core import forks

    def list_all() -> None:
        os.closerange(0, 3)  # so that a reader of the command's output does not wait for the child
        os.close(answers)
        _write(folder, writing)

    try:
        _children.append((forks.fork(list_all), answers, folder))
    except OSError:
        os.close(answers)
    os.close(writing)


def is_begun(folder: str | None = None) -> bool:
    """Whether a child lists this folder (None: any), and nobody has taken the result yet."""
    return bool(_children) and folder in (None, _children[0][2])


def taken() -> dict[str, Folder]:
    """Waits for the child and returns the folders that it listed, by vault-relative path."""
    import pickle

    child, answers, _ = _children.pop()
    found: dict[str, Folder] = {}
    with os.fdopen(answers, "rb") as stream:
        try:
            while True:
                path, names = pickle.load(stream)  # noqa: S301 - from our own child
                found[path] = names
        except (EOFError, pickle.UnpicklingError):  # the child ended or was killed
            pass
    _await(child)
    return found


def end() -> None:
    """Kill a child whose result nobody took: it only reads."""
    while _children:
        child, answers, _ = _children.pop()
        os.close(answers)
        try:
            os.kill(child, 9)
        except ProcessLookupError:
            continue
        _await(child)


def _await(child: int) -> None:
    """Wait until the child has ended. With SIGCHLD ignored, perhaps by our parent, waiting raises an error."""
    from contextlib import suppress

    with suppress(ChildProcessError):
        os.waitpid(child, 0)


def listed(folder: str) -> Iterator[tuple[str, Folder]]:
    """Yields the vault's folder and those below it, with their names, by vault-relative path; skips folders whose names
    begin with a dot, since most are protected."""
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

    with suppress(OSError):  # the user's pipes are at their limit; writing is then slower
        # Holds names and keys of 15,000 files; Linux allows this size to all users.
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1024 * 1024)
    # Written at the end: a full pipe would block until the parent has read the rows of the index.
    found = [pickle.dumps(each, pickle.HIGHEST_PROTOCOL) for each in listed(folder)]
    with os.fdopen(writing, "wb") as stream:
        stream.writelines(found)
