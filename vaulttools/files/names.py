"""Defines what an index answers about names and times of files, as the disk would."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from collections.abc import Set as AbstractSet
from typing import Protocol, TypeVar

from vaulttools.files.folder_names import FolderNames

T = TypeVar("T")


class FileNames(Protocol):
    """The names of a vault as of the beginning of one call."""

    moment: int | None
    """Counts the times at which something changed; None: not every change is noticed."""
    large: AbstractSet[str]
    """Files beyond the configured `max_file_size`."""

    def holds(self, folder: str) -> bool:
        """Whether the names in and below a vault-relative folder are known."""

    def names_in(self, folder: str) -> FolderNames:
        """The names in a folder, as `catalogue.listed` gives them."""

    def kept(self, key: Hashable, make: Callable[[], T], *, times: bool = False) -> T:
        """What `make` gave for the key; `make` runs again after a name, or the text of an ignore file, has changed.

        With `times`, it also runs again after any time of modification has changed.
        """

    def changed_since(self, moment: int) -> AbstractSet[str] | None:
        """Files that may have changed after a moment, up to now; None when that cannot be told."""

    def outside(self) -> Hashable:
        """What ignore rules rest on besides names and files of the vault."""

    def size(self, path: str) -> int:
        """Bytes of a file; 0 when it is not known."""

    def modified(self, path: str) -> int | None:
        """When a file, folder or link was modified, in nanoseconds since 1970; None when it is not known."""
