"""Keeps an answer about all notes up to date by the notes that changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, Generic, NamedTuple, TypeVar

from vaulttools.core import paths
from vaulttools.core.work import INCOMPLETE, Reason, Work
from vaulttools.files.catalogue import Entry
from vaulttools.files.document import NotRead
from vaulttools.files.listing import Listing
from vaulttools.index.content import digest
from vaulttools.index.view import IndexView
from vaulttools.notes.contents import Contents
from vaulttools.notes.difference import Change, is_same
from vaulttools.notes.reader import NoteReader
from vaulttools.notes.stored import Stored

F = TypeVar("F")
A = TypeVar("A")
S = TypeVar("S")

_WAIT_SECONDS: Final = 0.05
"""How often a call that waits for another one looks whether it is cancelled."""


@dataclass(frozen=True, slots=True)
class NoteProjection(Generic[F, S]):
    """What is asked of all notes."""

    kind: str
    """Names what `read` gives."""
    read: Callable[[Contents], F]
    """What of a note counts, as small as can be: it is kept for each. The same for the same note."""
    empty: S
    """The answer about no notes."""
    change: Callable[[S, Sequence[Change[F]]], S]
    """The answer after some notes changed, each once; the one given stays as it is."""


@dataclass(frozen=True, slots=True)
class Corpus(Generic[A]):
    """The answer to a question, and what it is made from."""

    answer: A
    notes: int
    """Notes it is made from."""
    passed_over: Sequence[tuple[Entry, Reason]]
    """What it is not made from, in path order."""
    files: Sequence[str] = ()
    """All that was asked about, in path order."""

    @property
    def waiting(self) -> int:
        """Notes that there was no time for."""
        return sum(reason == "time limit" for _, reason in self.passed_over)


@dataclass(slots=True)
class Followed(Generic[F, S]):
    """The last answer to one question about one scope."""

    question: NoteProjection[F, S]
    _lock: Lock = field(default_factory=Lock)
    """Held while the answer is brought up to date."""
    _moment: int = -1
    _listing: Listing = field(default_factory=lambda: Listing(()))
    _corpus: Corpus[S] | None = None
    _facts: dict[str, F] = field(default_factory=dict)
    _digests: dict[str, bytes] = field(default_factory=dict)
    """Of the texts of notes that the index did not know as they were."""
    _unread: dict[str, Reason] = field(default_factory=dict)
    """Notes passed over, those that the listing leaves out aside."""

    def at(self, listing: Listing, view: IndexView | None, reader: NoteReader, work: Work) -> Corpus[S]:
        """The answer about the notes of a listing, as of the moment of `known` or later."""
        while not self._lock.acquire(timeout=_WAIT_SECONDS):
            if work.remaining() <= 0:
                return Followed(self.question).at(listing, None, reader, work)
        try:
            moment = None if view is None else view.moment
            if (
                self._corpus is None or moment is None or moment >= self._moment
            ):  # else made for a call that began later
                self._corpus = self._updated(listing, view, reader, work)
                self._moment = self._moment if moment is None else moment
            return self._corpus
        finally:
            self._lock.release()

    def _updated(self, listing: Listing, view: IndexView | None, reader: NoteReader, work: Work) -> Corpus[S]:
        """The answer now; nothing of this object has changed when an error, or the end of the call, comes between."""
        corpus, places = self._corpus, listing.places
        due = self._due(listing, view)
        looks = self._looks(sorted(filter(places.__contains__, due), key=places.__getitem__), view, reader, work)
        looks.update((path, _Look()) for path in due if path not in places)
        changes = [Change(path, self._facts.get(path), look.fact) for path, look in looks.items()]
        changes = [change for change in changes if not is_same(change.before, change.after)]
        answer = self.question.empty if corpus is None else corpus.answer
        if changes:
            answer = self.question.change(answer, changes)
        was_unread, is_same_listing = dict(self._unread), listing is self._listing
        for path, look in looks.items():
            _put(self._facts, path, look.fact)
            _put(self._digests, path, look.digest)
            _put(self._unread, path, look.unread)
        self._listing = listing
        if corpus is not None and is_same_listing and not changes and self._unread == was_unread:
            return corpus
        unread = [(Entry(path, "file"), reason) for path, reason in self._unread.items()]
        passed_over = [(entry, entry.left_out) for entry in listing.left_out if entry.left_out is not None]
        if unread:
            passed_over = sorted((*passed_over, *unread), key=lambda each: paths.order(each[0].path))
        return Corpus(answer, len(self._facts), passed_over, listing.files)

    def _due(self, listing: Listing, view: IndexView | None) -> set[str]:
        """The notes that are to be looked at: those that may have changed, came, or went."""
        changed = None if view is None or self._corpus is None else view.changed_since(self._moment)
        if changed is None:
            return {*self._facts, *self._unread, *listing.places}
        unsure = (path for path, reason in self._unread.items() if reason in INCOMPLETE)
        due = set(filter(listing.places.__contains__, (*changed, *self._digests, *unsure)))
        if listing is not self._listing:
            due |= self._listing.places.keys() ^ listing.places.keys()
        return due

    def _looks(
        self, notes: Sequence[str], view: IndexView | None, reader: NoteReader, work: Work
    ) -> dict[str, _Look[F]]:
        """What there is to know of some notes now."""
        question = self.question
        facts: dict[str, F] = {}
        large: AbstractSet[str] = frozenset()
        if view is not None:
            large = view.large
            facts = view.facts(
                question.kind, notes, lambda data: question.read(Stored(data)), lambda: work.remaining() <= 0
            )
        looks: dict[str, _Look[F]] = {}
        for path in notes:
            if path in large:
                looks[path] = _Look(unread="too large")
            elif path in facts:
                looks[path] = _Look(facts[path])
            elif work.remaining() <= 0:
                looks[path] = _Look(unread="time limit")
            else:
                looks[path] = self._read(path, reader)
        return looks

    def _read(self, path: str, reader: NoteReader) -> _Look[F]:
        """What a note says that the index does not know as it is."""
        try:
            document = reader.document(path)
        except NotRead as error:
            return _Look(unread=error.reason)
        found = digest(document.text)
        fact = self._facts.get(path)
        if fact is None or self._digests.get(path) != found:
            fact = self.question.read(reader.note(document))
        return _Look(fact, found)


def _put(kept: dict[str, A], path: str, value: A | None) -> None:
    if value is None:
        kept.pop(path, None)
    else:
        kept[path] = value


class _Look(NamedTuple, Generic[F]):
    """What a look at one note told."""

    fact: F | None = None
    digest: bytes | None = None
    """Of its text, where that was read."""
    unread: Reason | None = None
