"""Defines what an index and the extraction of attachments answer about files."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, Literal, Protocol, TypeVar

from vaulttools.core.work import Work
from vaulttools.files.disk import Key
from vaulttools.files.document import Document
from vaulttools.files.folder_names import FolderNames
from vaulttools.files.listing import Listing
from vaulttools.patterns.literals import Requirement

T = TypeVar("T")

_KEPT_BACK: Final = 0.4
"""The part of a call's time that no extraction takes, so that the notes are searched and what was found is shown."""

Trait = Literal["nul", "lone return", "return"]
"""What decides how a text is searched: it holds a NUL, a CR that no LF follows, or any CR."""


class FileNames(Protocol):
    """The names of a vault as of the beginning of one call."""

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

    def outside(self) -> Hashable:
        """What ignore rules rest on besides names and files of the vault."""

    def modified(self, path: str) -> int | None:
        """When a file, folder or link was modified, in nanoseconds since 1970; None when it is not known."""


class Candidates(FileNames, Protocol):
    """The files that may match, as of the beginning of one call."""

    def nominated(self, requirement: Requirement) -> AbstractSet[str] | None:
        """Files that may hold what is required, with all that are not indexed; None: most files, or all."""

    def nominated_in(
        self, listing: Listing, requirement: Requirement, others: AbstractSet[str]
    ) -> Sequence[str] | None:
        """As `nominated`, those of a listing that this gave, and others, in path order."""

    def unknown(self, files: Sequence[str]) -> list[str]:
        """The files whose present text is not in the index."""

    def holding(self, trait: Trait) -> AbstractSet[str]:
        """The indexed files that have a trait."""

    def keys(self, files: Sequence[str]) -> list[Key | None]:
        """The stat key that each file had when it was last looked at; None where it is not known, or reading the file
        would have it downloaded."""

    def digest(self, path: str, status: os.stat_result) -> bytes | None:
        """The digest of the content of an attachment that has this status; None when it is not known."""


class Extracts(Protocol):
    """The attachments of one vault."""

    def holds(self, path: str) -> bool:
        """Whether a file is an attachment by its name."""

    def read(
        self, path: str, seconds: float, known: Callable[[os.stat_result], bytes | None] | None = None
    ) -> Document | None:
        """The text of an attachment; None when it is, by its content, a file like others.

        Args:
            path: Vault-relative, as `Root.locate` or a walk gave it.
            seconds: How long to wait for an extraction. What it gives later is there for the next call.
            known: The digest of the content of a file with some status, where that is known.

        Raises:
            NotRead: there is none; its reason says why.
        """


def timeout(work: Work) -> float:
    """Seconds that a call may still wait for extractions."""
    return max(0.0, work.remaining() - work.time_limit * _KEPT_BACK)
