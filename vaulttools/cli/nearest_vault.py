"""Finds the vault around a folder: the nearest parent that holds `.obsidian`."""

from __future__ import annotations

import os


def nearest_vault(here: str) -> str | None:
    """The nearest folder, `here` or above it, that holds `.obsidian`; never the root or the home folder."""
    folder = here
    while is_unnamed(folder) or not os.path.isdir(os.path.join(folder, ".obsidian")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return None
    return folder


def is_unnamed(folder: str) -> bool:
    """Whether an absolute folder is a vault only when it is named: a search that was started in the wrong place must
    not read everything a person has."""
    return folder in (os.path.dirname(folder), os.path.realpath(os.path.expanduser("~")))
