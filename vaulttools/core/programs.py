"""Finds a program by its name, and never in the current folder."""

from __future__ import annotations

import os
import shutil


def found(name: str, path: str) -> str | None:
    """Returns the absolute path of a program: `name` is its path, or it is in a folder of `path`; None if it is not.

    The current folder may be a vault, and nothing there must be run unless a path leads to it: `shutil.which` looks
    there on Windows, whatever `path` says, and elsewhere for an empty entry.
    """
    if os.path.dirname(name):
        command = shutil.which(name)
    else:
        places = (place for place in path.split(os.pathsep) if os.path.isabs(place))
        command = next(filter(None, (shutil.which(os.path.join(place, name)) for place in places)), None)
    return None if command is None else os.path.abspath(command)
