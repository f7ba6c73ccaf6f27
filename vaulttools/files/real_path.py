"""Resolves the path of a folder to the one spelling that its disk lists.

On macOS, and on FAT everywhere, a folder is found in any case and Unicode form, and `os.path.realpath` keeps the
spelling that it is given. Without one spelling a vault would have an index for each, and what a person's settings
close under one would be open under another.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from vaulttools.core import windows
from vaulttools.core.folding.identity import composed, decomposed
from vaulttools.files import disk
from vaulttools.files.protection import folded


def real_path(path: str | os.PathLike[str]) -> str:
    """Returns the absolute path with all links resolved and each name spelled as its folder lists it; a name that is
    not there, or in a folder that cannot be listed, as given."""
    found = os.path.realpath(path)
    if sys.platform == "win32":  # `realpath` asks the system, which knows the spelling
        return windows.plain(found)
    folder = os.sep
    for name in found.split(os.sep):
        if name:
            folder = os.path.join(folder, _as_listed(folder, name))
    return folder


def other_spellings(path: str) -> set[str]:
    """Returns other spellings of a path: one that is found by them lies on a disk that ignores case or Unicode form."""
    return {path.swapcase(), composed(path), decomposed(path)} - {path}


def is_at(path: str, status: os.stat_result) -> bool:
    """Whether the file with this status is at a path, links not followed."""
    try:
        return os.path.samestat(disk.lstat(path), status)
    except (OSError, ValueError):
        return False


def _as_listed(folder: str, name: str) -> str:
    with suppress(OSError, ValueError):
        status = disk.lstat(os.path.join(folder, name))
        if any(is_at(os.path.join(folder, other), status) for other in other_spellings(name)):
            names = disk.listdir(folder)
            if name not in names:
                alike = (each for each in names if folded(each) == folded(name))
                return next((each for each in alike if is_at(os.path.join(folder, each), status)), name)
    return name
