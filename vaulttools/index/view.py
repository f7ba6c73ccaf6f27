"""Answers one call from the index as it was when the call began."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from vaulttools.core.work import Reason
from vaulttools.files import ignores
from vaulttools.files.document import Document
from vaulttools.files.folder_names import FolderNames
from vaulttools.files.key import Key
from vaulttools.files.listing import Listing
from vaulttools.index import kept_file
from vaulttools.index.content import reason_of
from vaulttools.index.kept_facts import KeptFacts
from vaulttools.index.state import IndexState
from vaulttools.index.tree import NO_KEY
from vaulttools.index.word_hits import Spelling, WordHits

if TYPE_CHECKING:
    from vaulttools.files.providers import Trait
    from vaulttools.index.passages import Passages
    from vaulttools.patterns.literals import Requirement

T = TypeVar("T")


class IndexView:
    """The index as of the beginning of one call; its protocols are beside those who use them."""

    def __init__(self, state: IndexState) -> None:
        self._state = state
        with state.lock:
            self._stale = state.stale()
            self._version = state.version(self._stale)
            self.moment = None if state.unlisted else state.log.moment
        self.large: AbstractSet[str] = state.large()

    def holds(self, folder: str) -> bool:
        """As `files.providers.FileNames` has it."""
        return self._state.tree.holds(folder)

    def names_in(self, folder: str) -> FolderNames:
        """The names of a folder."""
        return self._state.tree.names_in(folder)

    def kept(self, key: Hashable, make: Callable[[], T], *, times: bool = False) -> T:
        """What was made before, or is made now."""
        return self._state.kept(key, make, times=times)

    def lasting(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made before, whatever changed since, or is made now."""
        return self._state.lasting(key, make)

    def changed_since(self, moment: int) -> AbstractSet[str] | None:
        """Up to now."""
        return self._state.changed_since(moment)

    def outside(self) -> Hashable:
        """The rules above the root, and of each repository in the vault."""
        folder = Path(self._state.root.folder)
        with self._state.lock:
            repositories = self._state.tree.repositories
        sources = (folder / where / ".git/info/exclude" for where in repositories)
        return ignores.rules_above(folder), tuple(map(ignores.read_ignore_file, sources))

    def nominated(self, requirement: Requirement) -> AbstractSet[str] | None:
        """Candidates by their trigrams."""
        return self._state.nominated(requirement, self._stale)

    def nominated_in(
        self, listing: Listing, requirement: Requirement, others: AbstractSet[str]
    ) -> Sequence[str] | None:
        """Candidates by their trigrams."""
        return self._state.nominated_in(listing, requirement, others, self._stale)

    def unknown(self, files: Sequence[str]) -> list[str]:
        """Stale, unread, not in the store, or not listed."""
        stale, row, unlisted = self._stale, self._state.row, self._state.unlisted
        if not unlisted and not self._state.lacking(files):
            return [*filter(self._state.uncertain(stale).__contains__, files)]
        return [
            path
            for path in files
            if path in stale
            or (known := row(path)) is None
            or known.state == "unread"
            or (unlisted and not self._state.is_listed(path))
        ]

    def is_known(self, listing: Listing, most: int) -> bool:
        """Whether no more than so many files of a listing are unknown."""
        files = listing.files
        if len(self._state.uncertain(self._stale)) <= most and self._state.holds_all(files):
            return True
        return len(self.unknown(files)) <= most

    def unranked(self, files: Collection[str]) -> list[str]:
        """Unknown files, without attachments whose text is known to be missing, with the reason."""
        row = self._state.row
        if isinstance(files, frozenset) and self._state.holds_all(files):
            files = files.intersection(self._state.uncertain(self._stale))
        return [
            path
            for path in self.unknown([*files])
            if path in self._stale or (known := row(path)) is None or reason_of(known.flags) is None
        ]

    def textless(self, attachments: Sequence[str]) -> dict[str, Reason]:
        """Of the files that are not stale."""
        rows = ((path, self._state.row(path)) for path in attachments if path not in self._stale)
        reasons = ((path, reason_of(row.flags)) for path, row in rows if row is not None)
        return {path: reason for path, reason in reasons if reason is not None}

    def holding(self, trait: Trait) -> AbstractSet[str]:
        """Of what is known."""
        found = self._state.holding(trait) - self._stale
        return {path for path in found if self._state.is_listed(path)} if self._state.unlisted else found

    def size(self, path: str) -> int:
        """From the last look at its status."""
        node = self._state.tree.node(path)
        return node.key.size if node is not None else 0

    def keys(self, files: Sequence[str]) -> list[Key | None]:
        """From the last look at their status."""
        nodes = map(self._state.tree.node, files)
        return [
            None if node is None or node.kind != "file" or node.dataless or node.key == NO_KEY else node.key
            for node in nodes
        ]

    def digest(self, path: str, status: os.stat_result) -> bytes | None:
        """Of a file that is not stale."""
        row = None if path in self._stale else self._state.row(path)
        return row.digest if row is not None and row.digest and row.key == Key.of(status) else None

    def modified(self, path: str) -> int | None:
        """From the last look at its status."""
        node = self._state.tree.node(path)
        return node.key.modified if node is not None else None  # of what cannot be stated: 0

    def version(self) -> Hashable:
        """As of the beginning of the call."""
        return self._version

    def texts(self, notes: Sequence[str]) -> dict[str, bytes]:
        """Of the notes that are not unknown."""
        found = self._state.texts(notes)
        for path in self._stale:
            found.pop(path, None)
        if not self._state.unlisted:
            return found
        return {path: text for path, text in found.items() if self._state.is_listed(path)}

    def facts(
        self, kind: str, notes: Sequence[str], read: Callable[[bytes], T], stop: Callable[[], bool]
    ) -> dict[str, tuple[bytes, T]]:
        """Of the notes that are not unknown."""
        unknown = set(self.unknown(notes))
        return self._state.facts(kind, (path for path in notes if path not in unknown), read, stop)

    def kept_facts(self, kind: str) -> KeptFacts:
        """Of this process and earlier ones."""
        return self._state.kept_facts(kind)

    def saved(self, name: str) -> Any:
        """Beside the store."""
        return kept_file.load(self._state.store.path, name)

    def save(self, name: str, values: object) -> None:
        """Beside the store."""
        kept_file.save(self._state.store.path, name, values)

    def structure(self, note: Document) -> bytes | None:
        """Of exactly this text."""
        return self._state.structure(note)

    def structures(self, notes: Sequence[str]) -> Callable[[Document], bytes | None]:
        """Each only for the text that the index has read."""
        return self._state.structures(notes)

    def changed(self) -> AbstractSet[str]:
        """The stale notes."""
        return self._state.changed(self._stale)

    def words(
        self, words: Sequence[Sequence[Spelling]], most: int, among: frozenset[str], read: AbstractSet[str]
    ) -> WordHits | None:
        """Of the rows at present."""
        unknown: AbstractSet[str] = self._stale
        if self._version is None:  # not of attachments alone
            unknown = {*self.unranked(among)}
        return self._state.words(words, most, among, unknown, read, all_known=not self._stale)

    def text_digests(self, files: Collection[str]) -> dict[str, bytes]:
        """Of the files that are not stale."""
        rows = ((path, self._state.row(path)) for path in files if path not in self._stale)
        return {path: row.digest for path, row in rows if row is not None}

    def passages(self, notes: Sequence[str]) -> dict[str, bytes]:
        """Of those whose words are known."""
        unknown = set(self.unranked(notes))
        return self._state.passages(path for path in notes if path not in unknown)

    def loaded_passages(self, notes: Sequence[str]) -> dict[str, Passages]:
        """Of those whose words are known."""
        unknown = set(self.unranked(notes))
        return self._state.loaded_passages(path for path in notes if path not in unknown)

    def copies(self, digests: Collection[int]) -> dict[int, set[str]]:
        """Of those whose words are known."""
        found = self._state.copies(digests)
        unknown = set(self.unranked(list(set().union(*found.values()))))
        return {digest: paths - unknown for digest, paths in found.items()}

    def stems(self, beginning: str, shortest: int, longest: int) -> Sequence[str]:
        """Of all that the store holds."""
        return self._state.stems(beginning, shortest, longest)

    def holding_stem(self, stem: str, read: AbstractSet[str]) -> AbstractSet[str]:
        """Of the rows at present."""
        return self._state.holding_stem(stem, read)

    def holding_text(self, literal: str, read: AbstractSet[str]) -> AbstractSet[str]:
        """Of the rows at present."""
        return self._state.holding_text(literal, read)
