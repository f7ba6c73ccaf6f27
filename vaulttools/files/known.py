"""Defines the questions that an index answers about files, without a look at them.

Whoever asks must get the same answer as from the files themselves.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple, Protocol, TypeVar

from vaulttools.core.work import Reason
from vaulttools.files.catalogue import Listed
from vaulttools.patterns.literals import Requirement

T = TypeVar("T")

Trait = Literal["nul", "lone return", "return"]
"""What a text may hold that decides how it is searched: a NUL, a CR that no LF follows, any CR."""


class Spelling(NamedTuple):
    """What may stand for a word of a question: a word or several in a row, in any inflection, case and accents."""

    text: str
    is_beginning: bool = False
    """Whether the last word may go on."""


class Places(NamedTuple):
    """Where the words of a question stand in one note: in its body, its title, its aliases and its headings."""

    lengths: Sequence[int]
    """Words in each of the four."""
    found: Sequence[Sequence[Sequence[int]]]
    """By word of the question and by part: places, counted in words from 0."""


class WordHits(NamedTuple):
    """What is known of the words of a question."""

    counts: Sequence[int]
    """By word: the notes of the vault that hold it."""
    places: Mapping[str, Places]
    """The notes asked for that hold any of the words, the best ones by BM25, best first."""
    notes: int = 0
    """Notes of the vault whose parts are known."""


class Known(Protocol):
    """A vault as of the beginning of one call."""

    large: AbstractSet[str]
    """Files beyond the configured `max_file_size`."""

    def holds(self, folder: str) -> bool:
        """Whether the names in and below a vault-relative folder are known."""

    def names_in(self, folder: str) -> Sequence[Listed]:
        """As `catalogue.listed`."""

    def kept(self, key: Hashable, make: Callable[[], T], *, times: bool = False) -> T:
        """What `make` gave for the key since a name, or what an ignore file holds, last changed; else it anew.

        With `times`, since the time of modification of anything last changed.
        """

    def lasting(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gave for the key, unless others were asked for since; it must itself follow what changes."""

    def outside(self) -> Hashable:
        """What ignore rules rest on besides names and files of the vault."""

    def nominated(self, requirement: Requirement) -> AbstractSet[str] | None:
        """Files that may hold what is required, and all files not indexed; None for most files, or all."""

    def unknown(self, files: Sequence[str]) -> list[str]:
        """Those of the files of whose text nothing is known."""

    def unranked(self, files: Sequence[str]) -> list[str]:
        """Those of notes and attachments of whose words nothing is known."""

    def textless(self, attachments: Sequence[str]) -> Mapping[str, Reason]:
        """Why the text of attachments is not there, or not all of it, of those that were read as they are now."""

    def holding(self, trait: Trait) -> AbstractSet[str]:
        """The files, of those whose text is known, that have a trait."""

    def size(self, path: str) -> int:
        """Bytes of a file; 0 when it is not known."""

    def digest(self, path: str, status: os.stat_result) -> bytes | None:
        """The digest of the content of an attachment that has this status; None when it is not known."""

    def modified(self, path: str) -> int | None:
        """The time of modification of a file, folder or link itself, in nanoseconds; None when it is not known."""

    def version(self) -> Hashable:
        """What is another with every change of a name or of a text; None while a text is not known."""

    moment: int | None
    """Counts the changes of the vault; None while some may be missed."""

    def changed_since(self, moment: int) -> AbstractSet[str] | None:
        """The files that changed after a moment, or may have; None when not all of them are remembered."""

    def facts(
        self, kind: str, notes: Sequence[str], read: Callable[[bytes], T], stop: Callable[[], bool]
    ) -> dict[str, T]:
        """What `read` makes of what `notes.stored` made of notes, by path, in no order; those of which that is not
        known are missing, and once `stop` says so the others too.

        It is read once and kept under the kind for as long as the text of the note is the same.
        """

    def structure(self, path: str, text: str) -> bytes | None:
        """What `notes.stored` made of a note with this very text; None when that is not known."""

    def text_digests(self, files: Sequence[str]) -> Mapping[str, bytes]:
        """A digest of the text of each file, of those that were read as they are now, or that cannot be read."""

    def passages(self, notes: Sequence[str]) -> Mapping[str, bytes]:
        """What `index.passages` made of notes, of those whose text is known."""

    def copies(self, digests: Collection[int]) -> Mapping[int, AbstractSet[str]]:
        """By digest the notes that hold a passage with it, of those whose text is known."""

    # What follows counts words in all notes of the vault. A note that the caller has `read` is left out, since the
    # caller knows it better; one that is gone is left out, too. A note that changed a moment ago and was not read
    # counts as it was.

    def changed(self) -> AbstractSet[str]:
        """The notes of the vault that changed since their words were stored, or may have; those that could not be read
        are left out."""

    def words(
        self, words: Sequence[Sequence[Spelling]], most: int, among: frozenset[str], read: AbstractSet[str]
    ) -> WordHits | None:
        """How many notes hold each of some words, in any of its spellings; and of the notes `among` whose text is
        known, where the words are in the `most` best. With `most` 0 the words are only counted. None when nothing is
        known."""

    def stems(self, beginning: str, shortest: int, longest: int) -> Sequence[str]:
        """The stems of words, of so many characters, that begin with one; no note need hold them any more."""

    def holding_stem(self, stem: str, read: AbstractSet[str]) -> AbstractSet[str]:
        """The notes that hold a word of this stem."""

    def holding_text(self, literal: str, read: AbstractSet[str]) -> AbstractSet[str]:
        """The files whose folded text may hold a folded literal, and perhaps others; a single letter of ASCII finds
        none."""
