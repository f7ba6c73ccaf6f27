"""Selects files by modification and creation time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vaulttools.files import disk
from vaulttools.files.catalogue import Entry
from vaulttools.files.providers import FileNames
from vaulttools.files.root import Root


@dataclass(frozen=True, slots=True)
class FileTimes:
    """Bounds of the modification and creation times.

    In nanoseconds since 1970; `after` is inclusive, `before` exclusive; None: no bound.
    """

    modified_after: int | None = None
    modified_before: int | None = None
    created_after: int | None = None
    created_before: int | None = None

    def of(self, root: Root, names: FileNames | None, entries: Iterable[Entry]) -> Iterator[Entry]:
        """Yields the selected entries, and those that a rule leaves out anyway.

        A file whose times cannot be read might match: it is left out as unreadable.
        """
        for entry in entries:
            if entry.left_out is not None:
                yield entry
                continue
            try:
                if self.hold(root, names, entry.path):
                    yield entry
            except OSError:
                yield entry._replace(left_out="unreadable")

    def hold(self, root: Root, names: FileNames | None, path: str) -> bool:
        """Whether a vault-relative file is selected; False if it is gone.

        Raises:
            OSError: the times cannot be read.
        """
        modified = names.modified(path) if names is not None else None
        if modified and not _between(modified, self.modified_after, self.modified_before):
            return False
        if modified and self.created_after is None and self.created_before is None:
            return True
        status = disk.status(root.absolute(path))
        return status is not None and self.select(status)

    def select(self, status: os.stat_result) -> bool:
        """Whether a file with this status is selected."""
        return _between(status.st_mtime_ns, self.modified_after, self.modified_before) and _between(
            created(status), self.created_after, self.created_before
        )


def created(status: os.stat_result) -> int:
    """Returns the creation time of a file in nanoseconds since 1970.

    Python has none on Linux, and macOS 0 or less for disks that keep none: then it is the earlier of modification time
    and inode change time.
    """
    birth: float = getattr(status, "st_birthtime", 0)
    return int(birth * 1e9) if birth > 0 else min(status.st_mtime_ns, status.st_ctime_ns)


def _between(moment: int, after: int | None, before: int | None) -> bool:
    return (after is None or moment >= after) and (before is None or moment < before)
