"""Keeps an answer about all notes up to date by the notes that changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import Any, Final, Generic, NamedTuple, TypeVar

from vaulttools.core import garbage, paths
from vaulttools.core.work import INCOMPLETE, Reason, Work
from vaulttools.files.catalogue import Entry
from vaulttools.files.document import NotRead, digest
from vaulttools.files.listing import Listing
from vaulttools.index.content import DIGEST_BYTES
from vaulttools.index.kept_facts import FEW, KeptFacts
from vaulttools.index.view import IndexView
from vaulttools.notes.contents import Contents
from vaulttools.notes.difference import Change, is_same
from vaulttools.notes.reader import NoteReader

F = TypeVar("F")
A = TypeVar("A")
S = TypeVar("S")

_PART: Final = 20
"""An answer is kept again when more than one note in so many has changed."""

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
    plain: Callable[[S, Mapping[str, int]], object] | None = None
    """Turns the answer into plain values, which are kept for later processes. The mapping gives each note a place, a
    number that may stand for it in them. None: each process makes the answer anew."""
    of_plain: Callable[[Any, Sequence[str]], S] | None = None
    """Makes the answer of these values again, given the notes by their place."""


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
    late: Sequence[str] = ()
    """Notes of these that may have changed since, for which there was no time."""
    keep: Callable[[], None] = lambda: None
    """Has the answer kept for later processes, for when more was found out from it."""

    @property
    def waiting(self) -> int:
        """Notes that there was no time for."""
        return sum(reason == "time limit" for _, reason in self.passed_over)


@dataclass(slots=True)
class IncrementalAnswer(Generic[F, S]):
    """The last answer to one question about one scope."""

    question: NoteProjection[F, S]
    is_kept: bool = False
    """Whether the answer is kept for later processes: that about all notes is."""
    _lock: Lock = field(default_factory=Lock)
    """Held while the answer is brought up to date."""
    _moment: int = -1
    _listing: Listing = field(default_factory=lambda: Listing(()))
    _corpus: Corpus[S] | None = None
    _answer: S | None = None
    """None: about no notes."""
    _texts: dict[str, bytes] = field(default_factory=dict)
    """By note the digest of the text that the answer is made from."""
    _uncertain: set[str] = field(default_factory=set)
    """Those of them that the index did not know as they were."""
    _unread: dict[str, Reason] = field(default_factory=dict)
    """Notes passed over, those that the listing leaves out aside."""
    _own: KeptFacts | None = None
    """The facts, where there is no index."""
    _unsaved: int = 0
    """Notes that changed since the answer was kept."""

    def at(self, listing: Listing, view: IndexView | None, reader: NoteReader, work: Work) -> Corpus[S]:
        """The answer about the notes of a listing, as of the moment of `view` or later.

        When there is no time, what was read before still counts, so that the notes read never become fewer.
        """
        while not self._lock.acquire(timeout=_WAIT_SECONDS):
            if work.remaining() <= 0:
                return self._as_it_was(listing)
        try:
            moment = None if view is None else view.moment
            if (
                self._corpus is None or moment is None or moment >= self._moment
            ):  # else made for a call that began later
                known = None
                if self._corpus is None and self.is_kept and view is not None:
                    with garbage.paused():  # that of `links` makes 10,000 objects
                        known = view.texts(listing.files)
                        self._take_up(listing, view, known)
                self._corpus = self._updated(listing, view, reader, work, known)
                self._moment = self._moment if moment is None else moment
                if self._unsaved > max(FEW, len(self._texts) // _PART):
                    self._keep(view)
            return self._corpus
        finally:
            self._lock.release()

    def _as_it_was(self, listing: Listing) -> Corpus[S]:
        """The last answer, of which nobody has looked whether it still holds."""
        if (last := self._corpus) is not None:
            return replace(last, late=last.files)
        waiting: list[tuple[Entry, Reason]] = [(Entry(path, "file"), "time limit") for path in listing.files]
        return Corpus(self.question.empty, 0, waiting, listing.files)

    def _keep_now(self, view: IndexView | None) -> None:
        with self._lock:
            if len(self._texts) > FEW:
                self._keep(view)

    def _take_up(self, listing: Listing, view: IndexView, known: dict[str, bytes]) -> None:
        """Begin with the answer that an earlier process kept; `known` are the digests of the texts."""
        if self.question.of_plain is None or (kept := view.saved(self._name)) is None:
            return
        names, digests, answer = kept
        # What is held already is not held twice.
        notes = names.split("\0")
        if b"".join(known.values()) == digests and [*known] == notes:
            notes, self._texts = [*known], known
        else:
            held = {path: path for path in listing.files}
            notes = [held.get(path, path) for path in notes]
            starts = range(0, len(digests), DIGEST_BYTES)
            self._texts = dict(zip(notes, (digests[start : start + DIGEST_BYTES] for start in starts), strict=True))
        self._answer = self.question.of_plain(answer, notes)

    def _keep(self, view: IndexView | None) -> None:
        if self.is_kept and view is not None and self.question.plain is not None and self._answer is not None:
            places = {path: place for place, path in enumerate(self._texts)}
            answer = self.question.plain(self._answer, places)
            view.save(self._name, ("\0".join(self._texts), b"".join(self._texts.values()), answer))
            self._unsaved = 0

    @property
    def _name(self) -> str:
        return f"answer-{self.question.kind}"

    def _updated(
        self,
        listing: Listing,
        view: IndexView | None,
        reader: NoteReader,
        work: Work,
        known: Mapping[str, bytes] | None = None,
    ) -> Corpus[S]:
        """The answer now; nothing of this object changes when an error, or the end of the call, comes in between.

        `known` are the digests of the texts, None where nobody has asked for them.
        """
        corpus = self._corpus
        looks, late = self._looks(self._due(listing, view, known), listing, view, reader, work)
        kept = self._kept_facts(view)
        changes: list[Change[F]] = []
        for path, look in looks.items():
            before = self._texts.get(path)
            if before != look.text:
                was = None if before is None else kept.get(before)
                if before is not None and was is None:  # forgotten, after many changes: all is looked at again
                    self._forget()
                    return self._updated(listing, view, reader, work)
                if not is_same(was, look.fact):
                    changes.append(Change(path, was, look.fact))
        answer = self.question.empty if self._answer is None else self._answer
        if changes:
            answer = self.question.change(answer, changes)
        was_unread, is_same_listing = dict(self._unread), listing is self._listing
        for path, look in looks.items():
            _put(self._texts, path, look.text)
            _put(self._unread, path, look.unread)
            (self._uncertain.add if look.is_uncertain else self._uncertain.discard)(path)
        self._answer, self._listing = answer, listing
        self._uncertain |= late
        self._unsaved += len(changes)
        if corpus is not None and is_same_listing and not changes and self._unread == was_unread:
            return corpus if late == set(corpus.late) else replace(corpus, late=sorted(late, key=paths.order))
        unread = [(Entry(path, "file"), reason) for path, reason in self._unread.items()]
        passed_over = [(entry, entry.left_out) for entry in listing.left_out if entry.left_out is not None]
        if unread:
            passed_over = sorted((*passed_over, *unread), key=lambda each: paths.order(each[0].path))
        in_order = sorted(late, key=paths.order)
        return Corpus(answer, len(self._texts), passed_over, listing.files, in_order, partial(self._keep_now, view))

    def _forget(self) -> None:
        self._corpus, self._answer = None, None
        self._texts, self._uncertain, self._unread = {}, set(), {}

    def _due(self, listing: Listing, view: IndexView | None, known: Mapping[str, bytes] | None) -> set[str]:
        """The notes that are to be looked at: those that may have changed, came, or went."""
        changed = None if view is None or self._corpus is None else view.changed_since(self._moment)
        if changed is None:
            if known is None:
                known = {} if view is None else view.texts(listing.files)
            return self._different(listing, known, view)
        unsure = (path for path, reason in self._unread.items() if reason in INCOMPLETE)
        due = set(filter(listing.places.__contains__, (*changed, *self._uncertain, *unsure)))
        if listing is not self._listing:
            due |= self._listing.places.keys() ^ listing.places.keys()
        return due

    def _different(self, listing: Listing, known: Mapping[str, bytes], view: IndexView | None) -> set[str]:
        """The notes that are to be looked at when it is not remembered what changed: all but those whose texts the
        answer is made from."""
        due = {*self._unread, *(self._texts.keys() - listing.places.keys())}
        if view is not None:
            due.update(filter(listing.places.__contains__, view.large))
        if known == self._texts and len(known) == len(listing.places):
            return due
        made_from = self._texts
        return due.union(path for path in listing.places if path not in known or known[path] != made_from.get(path))

    def _looks(
        self, due: AbstractSet[str], listing: Listing, view: IndexView | None, reader: NoteReader, work: Work
    ) -> tuple[dict[str, _Look[F]], set[str]]:
        """What there is to know of some notes now; and which of those that were read before there was no time for."""
        notes = sorted(listing.of(due), key=lambda path: path not in self._texts)
        question = self.question
        facts: dict[str, tuple[bytes, F]] = {}
        large: AbstractSet[str] = frozenset()
        if view is not None and notes:
            from vaulttools.notes.stored import Stored

            large = view.large
            facts = view.facts(
                question.kind, notes, lambda data: question.read(Stored(data)), lambda: work.remaining() <= 0
            )
        looks: dict[str, _Look[F]] = {}
        late = set()
        for path in notes:
            if path in large:
                looks[path] = _Look(unread="too large")
            elif path in facts:
                looks[path] = _Look(*facts[path])
            elif work.remaining() <= 0:
                if path in self._texts:
                    late.add(path)
                else:
                    looks[path] = _Look(unread="time limit")
            else:
                looks[path] = self._read(path, view, reader)
        looks.update((path, _Look()) for path in due if path not in listing.places)
        return looks, late

    def _read(self, path: str, view: IndexView | None, reader: NoteReader) -> _Look[F]:
        """What a note says that the index does not know as it is."""
        try:
            document = reader.document(path)
        except NotRead as error:
            return _Look(unread=error.reason)
        text = digest(document.text)
        kept = self._kept_facts(view)
        fact = kept.get(text)
        if fact is None:
            fact = self.question.read(reader.note(document))
            kept.put(text, fact)
        return _Look(text, fact, is_uncertain=True)

    def _kept_facts(self, view: IndexView | None) -> KeptFacts:
        """The facts of the index; it takes over those that were read before there was one."""
        if view is None:
            self._own = self._own or KeptFacts("own")
            return self._own
        kept = view.kept_facts(self.question.kind)
        if self._own is not None:
            own, self._own = self._own, None
            for text in {*self._texts.values()}:
                if kept.get(text) is None and (fact := own.get(text)) is not None:
                    kept.put(text, fact)
        return kept


def _put(kept: dict[str, A], path: str, value: A | None) -> None:
    if value is None:
        kept.pop(path, None)
    else:
        kept[path] = value


class _Look(NamedTuple, Generic[F]):
    """What a look at one note told."""

    text: bytes | None = None
    """The digest of its text."""
    fact: F | None = None
    unread: Reason | None = None
    is_uncertain: bool = False
    """Whether the index did not know the text."""
