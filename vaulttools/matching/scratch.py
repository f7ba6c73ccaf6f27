"""Copies texts that ripgrep must not read in place to a private folder outside.

One process for many texts: one for each took 3 ms, so 3,000 notes with Windows line ends took the whole time limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vaulttools.files.temporary import TemporaryFolder

GROUP_FILES = 500
GROUP_BYTES = 32 * 1024 * 1024
"""What is copied at a time."""


@contextmanager
def copies(texts: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, dict[str, str]]]:
    """A folder that only this user can read, and the path of each text by the name of its copy; removed at the end."""
    folder = TemporaryFolder()
    try:
        names = {}
        for number, (path, text) in enumerate(texts):
            names[str(number)] = path
            (Path(folder.path) / str(number)).write_bytes(text)
        yield folder.path, names
    finally:
        folder.remove()


def grouped(texts: Iterable[tuple[str, bytes]]) -> Iterator[list[tuple[str, bytes]]]:
    """The texts in groups of at most 500, or of 32 MB and one more text."""
    group: list[tuple[str, bytes]] = []
    size = 0
    for path, text in texts:
        group.append((path, text))
        size += len(text)
        if len(group) >= GROUP_FILES or size >= GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group
