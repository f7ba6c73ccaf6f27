"""Defines what an index answers about the words of notes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

from vaulttools.core.work import Reason
from vaulttools.index.kept_facts import Fact
from vaulttools.index.passages import Passages
from vaulttools.index.word_hits import Spelling, WordHits
from vaulttools.matching.candidates import Candidates
from vaulttools.notes.reader import NoteIndex


class WordIndex(Candidates, NoteIndex, Protocol):
    """The words of a vault's notes as of the beginning of one call.

    Methods that take `read` leave these notes out, because the caller has read them. A note that changed a moment ago
    and was not read counts as it was; one that is gone does not count.
    """

    def version(self) -> Hashable:
        """A value that changes with every name and text; None while a text is not known."""

    def facts(
        self, kind: str, notes: Sequence[str], read: Callable[[bytes], object], stop: Callable[[], bool]
    ) -> Mapping[str, Fact]:
        """What `read` makes of the stored parts of notes, by path, in no order.

        Notes whose text is not known are missing, and so are all others once `stop` returns true. A fact is kept under
        `kind` for as long as a note has the text.
        """

    def unranked(self, files: Collection[str]) -> list[str]:
        """The notes and attachments whose words are not in the index, in the order given."""

    def textless(self, attachments: Sequence[str]) -> Mapping[str, Reason]:
        """Why attachments that were read as they are now have no text, or not all of it."""

    def changed(self) -> AbstractSet[str]:
        """Notes that changed since their words were stored, or may have; without those that cannot be read."""

    def words(
        self, words: Sequence[Sequence[Spelling]], most: int, among: frozenset[str], read: AbstractSet[str]
    ) -> WordHits | None:
        """How many notes hold each word in any of its spellings, and where the words are in the `most` best notes of
        `among`; with `most` 0 they are only counted. None when nothing is known."""

    def stems(self, beginning: str, shortest: int, longest: int) -> Sequence[str]:
        """Stems that begin with `beginning` and have so many characters; perhaps no note holds one any more."""

    def holding_stem(self, stem: str, read: AbstractSet[str]) -> AbstractSet[str]:
        """The notes that hold a word of this stem."""

    def holding_text(self, literal: str, read: AbstractSet[str]) -> AbstractSet[str]:
        """Indexed files that may contain `literal`, case ignored (a superset); a single ASCII letter returns none."""

    def loaded_passages(self, notes: Sequence[str]) -> Mapping[str, Passages]:
        """The passages of the notes whose text is known."""

    def copies(self, digests: Collection[int]) -> Mapping[int, AbstractSet[str]]:
        """By digest, the notes whose text is known and that hold a passage with it."""
