"""Defines the questions about files that an index and the extraction of attachments answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, Literal, Protocol, TypeVar

from vaulttools.core.work import Work
from vaulttools.files.disk import Key
from vaulttools.files.document import Document
from vaulttools.files.folder_names import FolderNames
from vaulttools.patterns.requirements import Requirement

T = TypeVar("T")

_KEPT_BACK: Final = 0.4
"""Share of a call's time that extraction must leave, for searching the notes and showing the result."""

Trait = Literal["nul", "lone return", "return"]
"""Traits that decide how a text is searched: it holds a NUL, a CR without LF after it, or any CR."""


class FileNames(Protocol):
    """The names of a vault as of the beginning of one call."""

    @property
    def large(self) -> AbstractSet[str]:
        """Files beyond the configured `max_file_size`."""

    def knows(self, folder: str) -> bool:
        """Whether the names in and below a vault-relative folder are known."""

    def names_in(self, folder: str) -> FolderNames:
        """Returns the names in a folder, like `catalogue.listed`."""

    def kept(self, key: Hashable, make: Callable[[], T], *, times: bool = False) -> T:
        """Returns the result of `make` for the key, cached until a name or the text of an ignore file changes.

        With `times`, a changed modification time also ends the caching.
        """

    def outside(self) -> Hashable:
        """Returns what ignore rules depend on besides names and files of the vault."""

    def modified(self, path: str) -> int | None:
        """Returns when a file, folder or link was modified, in nanoseconds since 1970; None if not known."""


class Candidates(FileNames, Protocol):
    """The files that may match, as of the beginning of one call."""

    def nominated(self, requirement: Requirement) -> AbstractSet[str] | None:
        """Returns the files that may fulfil a requirement, and all unindexed files; None: most files, or all."""

    def unknown(self, files: Sequence[str]) -> list[str]:
        """Returns the files whose current text is not in the index."""

    def with_trait(self, trait: Trait) -> AbstractSet[str]:
        """Returns the indexed files with a trait."""

    def keys(self, files: Sequence[str]) -> list[Key | None]:
        """Returns the last seen stat key of each file; None if it is not known, or reading would download the file."""

    def digest(self, path: str, status: os.stat_result) -> bytes | None:
        """Returns the content digest of an attachment with this status; None if not known."""


class Extracts(Protocol):
    """The attachments of one vault."""

    def is_attachment(self, path: str) -> bool:
        """Whether a file is an attachment by its name."""

    def read(
        self, path: str, seconds: float, known: Callable[[os.stat_result], bytes | None] | None = None
    ) -> Document | None:
        """Returns the text of an attachment; None if its content shows that it is no attachment.

        Args:
            path: Vault-relative, from `Root.locate` or a walk.
            seconds: Longest wait for an extraction. A later result is there for the next call.
            known: Returns the content digest of a file with a status, if known.

        Raises:
            NotRead: there is no text; `reason` says why.
        """


def timeout(work: Work) -> float:
    """Returns the seconds that a call may still wait for extractions."""
    return max(0.0, work.remaining() - work.time_limit * _KEPT_BACK)
