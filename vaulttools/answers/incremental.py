"""Keeps an answer about all notes up to date from the notes that changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import filterfalse
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from vaulttools.core import garbage, paths
from vaulttools.core.work import INCOMPLETE, Reason, Work
from vaulttools.files.catalogue import Entry
from vaulttools.files.document import NotRead, digest
from vaulttools.files.listing import Listing
from vaulttools.index.kept_facts import Fact, KeptFacts, packed, value_of
from vaulttools.index.snapshot import Mark, Snapshot
from vaulttools.notes.contents import Contents
from vaulttools.notes.difference import Change, is_same
from vaulttools.notes.reader import NoteReader

F = TypeVar("F")
A = TypeVar("A")
S = TypeVar("S")

FEW: Final = 500
"""At the start of a process, so many notes are read again faster than the facts about all notes are written."""

_PART: Final = 20
"""The answer is saved again if more than one note in so many has changed."""

_WAIT_SECONDS: Final = 0.05
"""How often a call that waits for another one checks whether it is cancelled."""


@dataclass(frozen=True, slots=True)
class NoteProjection(Generic[F, S]):
    """A question that is put to every note."""

    kind: str
    """Names the result of `read`."""
    read: Callable[[Contents], F]
    """Returns what counts of a note. Keep it small: one is kept for each note. The same note gives the same value."""
    empty: S
    """The answer about no notes."""
    change: Callable[[S, Sequence[Change[F]]], S]
    """Returns the answer after some notes changed, each once; must not modify its argument."""
    plain: Callable[[S], object] | None = None
    """Turns the answer into plain values, which are saved for later processes. None: each process computes it."""
    of_plain: Callable[[Any], S] | None = None
    """Makes the answer from these values again."""


@dataclass(frozen=True, slots=True)
class Aggregate(Generic[A]):
    """The answer to a question, and the notes behind it."""

    answer: A
    notes: int
    """Number of notes that it is made from."""
    passed_over: Sequence[tuple[Entry, Reason]]
    """Entries that were left out, in path order."""
    files: Sequence[str] = ()
    """All files that the question is about, in path order."""
    late: Sequence[str] = ()
    """Those notes of `files` that may have changed since, and that there was no time to read again."""
    keep: Callable[[bool], None] = lambda _: None
    """Saves the answer for later processes if many notes changed, or, given true, if more was computed from it."""

    @property
    def waiting(self) -> int:
        """Notes that there was no time for."""
        return sum(reason == "time limit" for _, reason in self.passed_over)


@dataclass(slots=True)
class IncrementalAnswer(Generic[F, S]):
    """The last answer to one question about one scope."""

    projection: NoteProjection[F, S]
    is_kept: bool = False
    """Whether the answer is saved for later processes: only answers about all notes are."""
    _lock: Lock = field(default_factory=Lock)
    """Held while the answer is updated."""
    _seen: Mark | None = None
    """Of the snapshot of the last answer."""
    _listing: Listing = field(default_factory=lambda: Listing(()))
    _last: Aggregate[S] | None = None
    _answer: S | None = None
    """None: about no notes."""
    _facts: dict[str, Fact] = field(default_factory=dict)
    """By note, the value that the answer is made from."""
    _uncertain: set[str] = field(default_factory=set)
    """The notes of `_facts` whose present text the index did not know."""
    _unread: dict[str, Reason] = field(default_factory=dict)
    """Notes that could not be used, without those that the listing leaves out."""
    _unsaved: int = 0
    """Notes that changed since the answer was saved."""

    def at(self, listing: Listing, view: Snapshot | None, reader: NoteReader, work: Work) -> Aggregate[S]:
        """Returns the answer about the notes of a listing, as of `view`; without it, as the notes are now.

        If there is no time, notes that were read before still count, so that their number never falls.
        """
        while not self._lock.acquire(timeout=_WAIT_SECONDS):
            if work.remaining() <= 0:
                return self._last_answer(listing)
        try:
            with garbage.paused():  # the answer of `links` makes 10,000 objects
                if self._last is None and view is not None:
                    self._load_kept(view)
                self._last = self._updated(listing, view, reader, work)
            self._seen = self._seen if view is None else view.mark
            return self._last
        finally:
            self._lock.release()

    def _last_answer(self, listing: Listing) -> Aggregate[S]:
        """Returns the last answer, without checking whether it still holds."""
        if (last := self._last) is not None:
            return replace(last, late=last.files)
        waiting: list[tuple[Entry, Reason]] = [(Entry(path, "file"), "time limit") for path in listing.files]
        return Aggregate(self.projection.empty, 0, waiting, listing.files)

    def _load_kept(self, view: Snapshot) -> None:
        """Loads the answer that an earlier process saved."""
        if not self.is_kept or self.projection.of_plain is None:
            return
        if (kept := view.facts_of(self.projection.kind).take_answer()) is not None:
            self._facts, answer = kept
            self._answer = self.projection.of_plain(answer)

    def _keep(self, kept: KeptFacts | None, is_grown: bool) -> None:
        """Saves the answer if many notes changed, or more was computed from it; not while another call updates it."""
        plain, least = self.projection.plain, FEW if is_grown else max(FEW, len(self._facts) // _PART)
        if not self.is_kept or kept is None or plain is None or not self._lock.acquire(blocking=False):
            return
        try:
            if (len(self._facts) if is_grown else self._unsaved) > least and self._answer is not None:
                kept.keep(self._facts, plain(self._answer))
                self._unsaved = 0
        finally:
            self._lock.release()

    def _updated(self, listing: Listing, view: Snapshot | None, reader: NoteReader, work: Work) -> Aggregate[S]:
        """Returns the present answer; an error, or the end of the call, leaves this object unchanged."""
        last = self._last
        looks = self._looks(self._due(listing, view), listing, view, reader, work)
        changes: list[Change[F]] = []
        for path, after in looks.facts.items():
            before = self._facts.get(path)
            if before is None:
                changes.append(Change(path, None, value_of(after)))
            elif not is_same(before[1], after[1]):
                changes.append(Change(path, value_of(before), value_of(after)))
        changes += (Change(path, value_of(self._facts[path]), None) for path in looks.lost if path in self._facts)
        answer = self.projection.empty if self._answer is None else self._answer
        if changes:
            answer = self.projection.change(answer, changes)
        was_unread, is_same_listing = dict(self._unread), listing is self._listing
        self._facts.update(looks.facts)
        for path in looks.lost:
            self._facts.pop(path, None)
        for path in (*looks.facts, *looks.lost):
            self._unread.pop(path, None)
        self._unread.update(looks.unread)
        self._answer, self._listing, late = answer, listing, looks.late
        self._uncertain.difference_update(looks.facts, looks.lost)
        self._uncertain |= looks.uncertain | late
        self._unsaved += len(changes)
        if last is not None and is_same_listing and not changes and self._unread == was_unread:
            return last if late == set(last.late) else replace(last, late=sorted(late, key=paths.order))
        unread = [(Entry(path, "file"), reason) for path, reason in self._unread.items()]
        passed_over = [(entry, entry.left_out) for entry in listing.left_out if entry.left_out is not None]
        if unread:
            passed_over = sorted((*passed_over, *unread), key=lambda each: paths.order(each[0].path))
        in_order = sorted(late, key=paths.order)
        kept = None if view is None else view.facts_of(self.projection.kind)
        keep = partial(self._keep, kept)  # it keeps no snapshot alive
        return Aggregate(answer, len(self._facts), passed_over, listing.files, in_order, keep)

    def _due(self, listing: Listing, view: Snapshot | None) -> set[str]:
        """Returns the notes to look at: those that may have changed, were added, or were removed."""
        changed = None if view is None or self._seen is None or self._last is None else view.since(self._seen)
        if changed is None:
            return self._different(listing, view)
        unsure = (path for path, reason in self._unread.items() if reason in INCOMPLETE)
        due = set(filter(listing.places.__contains__, (*changed, *self._uncertain, *unsure)))
        if listing is not self._listing:
            due |= self._listing.places.keys() ^ listing.places.keys()
        return due

    def _different(self, listing: Listing, view: Snapshot | None) -> set[str]:
        """Returns the notes to look at when the changes are unknown: all but those whose text the answer is made
        from."""
        due = {*self._unread, *(self._facts.keys() - listing.places.keys())}
        if view is None or not self._facts:
            return due.union(listing.files)
        due.update(filter(listing.places.__contains__, view.large))
        texts, nothing = view.texts(listing.files), (None, None)
        return due.union(
            path for path in listing.files if path not in texts or texts[path] != self._facts.get(path, nothing)[0]
        )

    def _looks(
        self, due: AbstractSet[str], listing: Listing, view: Snapshot | None, reader: NoteReader, work: Work
    ) -> _Looks:
        """Looks at some notes."""
        projection, known = self.projection, self._facts
        large: AbstractSet[str] = frozenset() if view is None else view.large
        notes = sorted(filterfalse(large.__contains__, listing.of(due)), key=known.__contains__, reverse=True)
        looks = _Looks({path: "too large" for path in due if path in large and path in listing.places})
        if view is not None and notes:
            from vaulttools.notes.packing import PackedNote

            looks.facts = view.facts(
                projection.kind, notes, lambda data: projection.read(PackedNote(data)), lambda: work.remaining() <= 0
            )
        for path in notes if len(looks.facts) < len(notes) else ():
            if path in looks.facts:
                continue
            if work.remaining() > 0:
                fact = self._read(path, reader)
                if isinstance(fact, str):
                    looks.unread[path] = fact
                    continue
                looks.facts[path] = fact
                looks.uncertain.add(path)
                if view is not None:  # not read again when the index knows the text
                    view.facts_of(projection.kind).by_note[path] = fact
            elif path in known:
                looks.late.add(path)
            else:
                looks.unread[path] = "time limit"
        looks.lost = [*looks.unread, *filterfalse(listing.places.__contains__, due)]
        return looks

    def _read(self, path: str, reader: NoteReader) -> Fact | Reason:
        """Reads a note whose present state the index does not know; returns the reason if it cannot be used."""
        try:
            document = reader.document(path)
        except NotRead as error:
            return error.reason
        text, known = digest(document.text), self._facts.get(path)
        if known is None or known[0] != text:
            known = packed(text, self.projection.read(reader.note(document)))
        return known


@dataclass(slots=True)
class _Looks:
    """The results of a look at some notes."""

    unread: dict[str, Reason]
    """The notes that cannot be used."""
    facts: dict[str, Fact] = field(default_factory=dict)
    """The other notes, in no order."""
    uncertain: set[str] = field(default_factory=set)
    """Those of `facts` whose text the index did not know."""
    late: set[str] = field(default_factory=set)
    """The notes read before for which there was no time now."""
    lost: Sequence[str] = ()
    """The notes that no longer count: they cannot be used, or are gone."""
