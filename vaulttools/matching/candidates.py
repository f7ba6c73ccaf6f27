"""Defines which files an index nominates for a search."""

from __future__ import annotations

import os
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, Protocol

from vaulttools.files.key import Key
from vaulttools.files.listing import Listing
from vaulttools.files.names import FileNames
from vaulttools.patterns.literals import Requirement

Trait = Literal["nul", "lone return", "return"]
"""What decides how a text is searched: it holds a NUL, a CR that no LF follows, or any CR."""


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
