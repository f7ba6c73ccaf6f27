"""Ranked search as `query` asks for it: the notes of a scope that answer a question best, and what is shown of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from vaulttools.answers import corpus
from vaulttools.answers.corpus import Corpus
from vaulttools.core import paths
from vaulttools.core.work import Reason, Work
from vaulttools.files import disk
from vaulttools.files.catalogue import Entry
from vaulttools.files.document import NotRead
from vaulttools.files.known import Known
from vaulttools.files.scope import Scope
from vaulttools.notes.note import Note
from vaulttools.ranked.expressions import expression
from vaulttools.ranked.question import Term
from vaulttools.ranked.ranking import Frequencies, RankedNote, Ranking, rank
from vaulttools.ranked.showing import ALLOTTED, Budget, Folder, ShownNote, shown
from vaulttools.session import Session


@dataclass(frozen=True, slots=True)
class Best:
    """The answer of ranked search."""

    ranking: Ranking
    asked: Corpus[None]
    """What it is made from."""
    folder: Folder
    """Folds the copies among its notes."""
    work: Work
    missed: Mapping[str, Reason]
    """Notes that could not be read, so far."""
    told: set[str]
    """Those of them that the work was told of."""

    def page(self, notes: Sequence[RankedNote], start: int, count: int, characters: int) -> Page:
        """So many notes from a place on, copies not counted, with the passages for which there is room."""
        found = list(islice(self.folder.unfolded(notes), start, start + count + 1))
        stands = self.ranking.finder.stands
        first = shown(found[:count], self.folder, Budget(characters), stands)
        held = {each.note.path for each in first}
        left = [note for note in found[:count] if note.path not in held]
        others = shown(left, self.folder, Budget(sys.maxsize, passages=len(ALLOTTED)), stands)
        for path, reason in self.missed.items():
            if path in self.folder.among and path not in self.told:
                self.told.add(path)
                self.work.pass_over(path, reason)
        return Page(first, others, len(found) > count)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of an answer."""

    shown: Sequence[ShownNote]
    """The notes for which there was room."""
    others: Sequence[ShownNote]
    """Those for which there was not."""
    has_next: bool


def best(
    vault: Session,
    work: Work,
    question: str,
    most: int,
    scope: Scope,
    within: frozenset[str] | None,
    *,
    is_ready: bool = True,
) -> Best:
    """The notes of a scope that a question fits best, `most` at most; of some notes only when they are given. Without
    an index that `is_ready` the notes are chosen by ripgrep's counts of the words."""
    listing = corpus.listed(scope)
    known = scope.known if is_ready else None

    def made() -> _Notes:
        return _Notes.of(listing.entries)

    notes = made() if known is None else known.kept(("notes", listing), made)
    large = frozenset() if known is None else notes.files & known.large
    wanted = notes.files - large if large else notes.files
    wanted = wanted if within is None else wanted & within
    missed: dict[str, Reason] = {}
    read = _reader(vault, known, missed)
    counter = None if is_ready else _Ripgrep(vault, work)
    ranking = rank(question, wanted, known, read, lambda: work.remaining() <= 0, most, counter)
    if known is not None:
        missed.update(dict.fromkeys(known.holding("nul"), "binary"))
    missed.update(dict.fromkeys(large, "too large"))
    missed.update(dict.fromkeys(ranking.waiting, "time limit"))
    # Notes outside the scope only say how frequent a word is.
    of_scope = sorted(missed.keys() & (wanted | large), key=paths.order)
    passed_over = [*notes.left_out, *((Entry(path, "file"), missed[path]) for path in of_scope)]
    asked = Corpus(None, len(wanted) - len(wanted & missed.keys()), passed_over)
    for entry, reason in passed_over:
        work.pass_over(entry.path, reason, is_folder=entry.kind == "folder")
    for _, warning in scope.warnings:
        work.warn(warning)
    work.searched = asked.notes
    folder = Folder(read, _no_copies if known is None else known.copies, wanted)
    return Best(ranking, asked, folder, work, missed, set(missed))


@dataclass(frozen=True, slots=True)
class _Ripgrep:
    """Counts terms in all notes, one process a term; one that there is no time for is found nowhere."""

    vault: Session
    work: Work

    def frequencies(self, terms: Sequence[Term]) -> Sequence[Frequencies]:
        """By term the lines of each note that match it."""
        budget = Work(min(self.work.remaining(), _COUNTING_SECONDS), self.work.cancel)
        expressions = [expression(term) for term in terms]
        folder = str(self.vault.root.folder)
        counted = self.vault.ripgrep.counts_of_each(expressions, folder, ["--glob=*.[mM][dD]"], budget)
        found = [counts.matching for counts in counted]
        return [*found, *({} for _ in terms[len(found) :])]

    def size(self, path: str) -> int:
        """Bytes of a note; 0 when it cannot be stated."""
        try:
            return disk.stat(self.vault.root.absolute(path)).st_size
        except OSError:
            return 0


_COUNTING_SECONDS: Final = 2.0


def _no_copies(digests: Collection[int]) -> Mapping[int, AbstractSet[str]]:
    return dict.fromkeys(digests, frozenset())


@dataclass(frozen=True, slots=True)
class _Notes:
    """The entries of a listing by whether they are notes that may be read."""

    files: frozenset[str]
    left_out: Sequence[tuple[Entry, Reason]]

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> _Notes:
        files = frozenset(entry.path for entry in entries if entry.left_out is None and entry.kind == "file")
        return cls(files, [(entry, entry.left_out) for entry in entries if entry.left_out is not None])


def _reader(vault: Session, known: Known | None, missed: dict[str, Reason]) -> Callable[[str], Note | None]:
    """Reads notes, each once; those that cannot be read go to `missed`, with the reason."""
    read: dict[str, Note | None] = {}
    notes = vault.notes(known)

    def reader(path: str) -> Note | None:
        if path not in read:
            read[path] = None
            try:
                document = notes.document(path)
            except NotRead as error:
                missed[path] = error.reason
            else:
                read[path] = notes.note(replace(document, text=document.normalised))
        return read[path]

    return reader
