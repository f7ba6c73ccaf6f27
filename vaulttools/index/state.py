"""Keeps the in-memory state of an index: the tree of names, stored rows, stale files.

A file is *stale* from the moment it may hold something else than the store has of it. Stale files are candidates of
every search, so that a search never waits until they are indexed again.
"""

from __future__ import annotations

import json
import logging
import math
import time
from bisect import bisect_left
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, TypeVar

from vaulttools.attachments.kinds import is_searched
from vaulttools.core import garbage, paths
from vaulttools.core.lasting import Lasting
from vaulttools.files import disk
from vaulttools.files.document import Document, has_digest
from vaulttools.files.key import is_racy
from vaulttools.files.listing import Listing
from vaulttools.files.root import Root
from vaulttools.index import listers
from vaulttools.index.changes import ChangeLog
from vaulttools.index.content import HAS_CR, HAS_FAILED, HAS_LONE_CR
from vaulttools.index.database import Unavailable
from vaulttools.index.folder import Folder
from vaulttools.index.freshness import Freshness, Pending
from vaulttools.index.kept_facts import KeptFacts
from vaulttools.index.kept_passages import KeptPassages
from vaulttools.index.rows import Rows, is_current
from vaulttools.index.stems import Stems
from vaulttools.index.store import IndexStore, Row
from vaulttools.index.tree import Changes, Tree
from vaulttools.index.watch import Lost, Watch
from vaulttools.index.word_hits import Spelling, WordHits

if TYPE_CHECKING:
    from vaulttools.files.providers import Trait
    from vaulttools.index.passages import Passages
    from vaulttools.patterns.literals import Requirement

T = TypeVar("T")

_log = logging.getLogger("vaulttools")

_KEPT: Final = 32
"""Listings and what is made of them: two or three for each way in which a session asks."""

_FEW: Final = 1_000
_NEARLY_ALL: Final = 0.97
"""A query that nominates more than so many files, and more than this part of all, narrows nothing worth its time."""

_FEW_NOMINATED: Final = 64
"""Files that are looked up by their names: of 10,000 it takes 3 ms, whenever a name has changed, to know the places of
all of them."""

_MANY_ROWS: Final = 200
"""Or fewer files than one row in so many: of a million it takes half a second."""

_READ_TOGETHER: Final = 500
"""Structures read by one query: enough to pay for it, few enough to stop in time."""

_COMPLETE: Final = 3
"""Collections of files beside the last one that are known to have rows: a session asks of two or three."""

_COUNTS: Final = 4_096
"""Words whose notes are counted once: half a MiB."""

_NOWHERE: Final = -1

_MOST_STALE: Final = 0.5
"""While more than this part of the files is stale, an index is being built, and narrows nothing."""


class IndexState:
    """One vault in one process; every method takes the lock it needs."""

    def __init__(
        self,
        root: Root,
        store: IndexStore,
        watch: Watch | None,
        max_bytes: int,
        listed: Callable[[], Mapping[str, Folder]] | None = None,
    ) -> None:
        """`listed` gives the names of folders as they were at a moment; this is then the state of that moment for good,
        and there is no watch."""
        self.lock: Final = RLock()
        self._caught_up = time.monotonic()
        self._rows: Final = Rows()
        loading = self._rows.loading(store.columns())
        self._is_for_good = listed is not None
        if listed is None:
            with listers.beside(store.newest()) as lister:
                tree = Tree(root, watch, max_bytes, lister, loading)
            deque(loading, maxlen=0)
        else:
            deque(loading, maxlen=0)
            tree = Tree(root, watch, max_bytes, listed=listed())
        self.tree: Final = tree
        self.root: Final = root
        self.store: Final = store
        self.watch: Final = watch
        self._stood = _identity(root.folder)
        self._traits: dict[Trait, set[str]] = {"nul": set(), "lone return": set(), "return": set()}
        self._unread: set[str] = set()
        self.freshness: Final = Freshness()
        self._version = 0
        """How often a name or what is known of a text changed."""
        self._is_failing = False
        """Whether the store could not be read."""
        self.unlisted = frozenset(self.tree.unlisted)
        """Folders that could not be listed: of the files below them nothing is known, though their rows stay
        (fault-I14)."""
        self._kept: OrderedDict[tuple[bool, Hashable], Any] = OrderedDict()
        self.lasting: Final = Lasting()
        """What follows the changes of this state itself."""
        self.log: Final = ChangeLog()
        self._passages: Final = KeptPassages()
        self._facts: dict[str, KeptFacts] = {}
        """By kind."""
        self._asked: tuple[frozenset[str], int, int] | None = None
        """The notes whose words were asked for last, `_puts` then, and how many of them had a row."""
        self._asked_rows: tuple[frozenset[str], int, str] | None = None
        """Likewise the rows of some that are not all, as JSON."""
        self._puts = 0
        """How often rows came or went."""
        self._ranked: int | None = None
        """How many files with words have a row, once that was asked for."""
        self._complete: tuple[Collection[str], ...] = ()
        """What `holds_all` was true of: the files of a listing are the same until a name changes, and it stays true
        until a row is dropped."""
        self._drops = 0
        """How often rows were dropped."""
        self._binary_ids: tuple[tuple[int, int], Mapping[int, str]] = ((-1, 0), {})
        """`_version` and `_puts`, and by the ids of their rows the binary files then."""
        self._counts: tuple[int, dict[tuple[Spelling, ...], int]] = (0, {})
        """A version, and by the spellings of a word how many notes held it then."""
        self._stems = Stems(store)
        stale, gone = self._rows.differences(self.tree.stamps(), time.time_ns(), self.tree.unlisted)
        self.freshness.mark_stale(stale)
        self.freshness.gone.update(gone)
        self._newest = self._rows.newest
        """The largest id of a row that is known."""
        for row in self._rows.unusual():
            self._mark(row)
        # Another process may have removed rows since they were compared with the files.
        if not self._rows.holds_just(*store.ids_in_sum()):
            ids = store.all_ids()
            gone_since = [path for path in self._rows if self._rows.id(path) not in ids]
            self.freshness.mark_stale(path for path in gone_since if self.tree.node(path) is not None)

    def catch_up(self, since: float = math.inf) -> None:
        """Take note of every change that was finished before a moment of the monotonic clock; default: this call.

        Raises:
            Lost: changes may have been missed, or the store is of no use; nor is this object any more.
            OSError: likewise.
        """
        with self.lock:
            if self._is_failing:
                raise Lost("the index could not be read")
            if self._is_for_good or (self.watch is None and self._caught_up >= since):
                return
            if _identity(self.root.folder) != self._stood:
                raise Lost("another folder stands where the vault stood")
            now = time.monotonic()
            self._take(self.tree.compare() if self.watch is None else self.tree.apply(self.watch.drain()))
            self._caught_up = now

    def close(self) -> None:
        """End the watch, which no call is using then; calls under way may go on to ask the store."""
        with self.lock:
            if self.watch is not None:
                self.watch.close()

    def pending(self) -> Pending:
        """What the store lacks now, but for files that are still too young to be sure of when they are read again, and
        for those that could not be read a while ago."""
        with self.lock:
            return self.freshness.pending()

    def is_behind(self) -> bool:
        """Whether the store lacks something that was not read yet, or was not what it should have been."""
        with self.lock:
            return self.freshness.is_behind()

    def retry(self) -> None:
        """Have what could not be read a while ago tried again now."""
        with self.lock:
            self.freshness.retry()

    def settle(self, done: Pending) -> bool:
        """Take note of what the store holds now of all that was pending; False when it is still the same.

        A file that changed meanwhile stays stale; so does one that may change again within the tick of its clock,
        where no watch would tell of it.
        """
        rows = {row.path: row for row in self.store.rows({*done.stale, *done.gone})}
        with self.lock:
            fresh = self.freshness
            before = fresh.sizes()
            self._drop([path for path in done.gone if path not in rows])
            self._add(rows.values())
            self.log.add({*done.stale, *done.gone, *rows})
            for path in rows:
                # A file that went before its first row was known here, so that nobody could say that its row is to go.
                if ((node := self.tree.node(path)) is None or node.kind != "file") and self.is_listed(path):
                    fresh.mark_gone(path)
            for path, change in done.stale.items():
                row, node = rows.get(path), self.tree.node(path)
                if fresh.change_of(path) != change or row is None or node is None:
                    continue
                if row.flags & HAS_FAILED:
                    fresh.mark_failed(path)
                    continue
                if row.checked < done.taken or row.key != node.key:
                    continue
                if self.watch is None and is_racy(row.key, row.checked):
                    fresh.mark_young(path, row.key)
                else:
                    fresh.mark_known(path)
            return before != fresh.sizes()

    def progress(self) -> tuple[int, int]:
        """How many of how many files the store holds as they are."""
        with self.lock:
            total = len(self._rows) + sum(path not in self._rows for path in self.freshness.stale)
            return total - self.freshness.unread, total

    def stale(self) -> frozenset[str]:
        """The stale files."""
        with self.lock:
            return self.freshness.stale

    def nominated(self, requirement: Requirement, stale: frozenset[str]) -> AbstractSet[str] | None:
        """As `IndexView.nominated`. `stale` was taken before, so that one of both sees what is indexed meanwhile."""
        try:
            return self._nominated(requirement, stale)
        except Unavailable as error:
            self._fail(error)
            return None

    def nominated_in(
        self, listing: Listing, requirement: Requirement, others: AbstractSet[str], stale: frozenset[str]
    ) -> Sequence[str] | None:
        """As `IndexView.nominated_in`."""
        try:
            ids = self._narrowed(requirement, stale)
            if ids is None:
                return None
            found, lost = [], ids
            if len(ids) > max(_FEW_NOMINATED, len(self._rows) // _MANY_ROWS):
                places = self.kept((listing, "places"), lambda: self._rows.by_id(listing.places, _NOWHERE), times=False)
                end = bisect_left(ids, len(places))
                found, lost = [*map(places.__getitem__, ids[:end])], ids[end:]
            if _NOWHERE in found:  # rows that this process learned of since, and of what is not in the listing
                lost += [id_ for id_, place in zip(ids, found, strict=False) if place == _NOWHERE]
            more = self._unsure(requirement, stale) | others
            if lost or more:
                more |= self._named(lost)
                found = [*{*found, *listing.places_of(more)} - {_NOWHERE}]
        except Unavailable as error:
            self._fail(error)
            return None
        return listing.at(sorted(found))

    def _nominated(self, requirement: Requirement, stale: frozenset[str]) -> AbstractSet[str] | None:
        ids = self._narrowed(requirement, stale)
        return None if ids is None else self._named(ids) | self._unsure(requirement, stale)

    def _narrowed(self, requirement: Requirement, stale: frozenset[str]) -> list[int] | None:
        """The ids of rows that may fulfil a requirement, ascending; None: of most files, or all."""
        from vaulttools.index import narrow

        match = narrow.query(requirement)
        if match is None or len(stale) > len(self._rows) * _MOST_STALE:
            return None
        most = max(_FEW, int(len(self._rows) * _NEARLY_ALL))
        return self.store.narrowed(match, requirement, most)

    def _unsure(self, requirement: Requirement, stale: frozenset[str]) -> AbstractSet[str]:
        """The files that may fulfil a requirement although their rows do not say so."""
        unsure = stale | self._unread
        if binary := self._traits["nul"]:
            from vaulttools.index import narrow

            of_binaries = narrow.binary_query(requirement)
            unsure |= binary if of_binaries is None else self._binaries(of_binaries)
        return unsure

    def _binaries(self, match: str) -> AbstractSet[str]:
        """The binary files whose trigrams fulfil a query."""
        binary, version = self._traits["nul"], (self._version, self._puts)
        held = self._binary_ids
        if held[0] != version:
            held = version, {id_: path for path in [*binary] if (id_ := self._rows.id(path)) is not None}
            self._binary_ids = held
        known = held[1]
        # A build writes notes first, whose rows FTS5 then passes over: 0.7 instead of 6.4 ms among 50,000 notes.
        ids = self.store.ids(match, since=min(known, default=0))
        others = [id_ for id_ in ids if id_ not in known]  # another process may have given a binary file a new row
        return {known[id_] for id_ in ids if id_ in known} | (self._named(others) & binary)

    def large(self) -> frozenset[str]:
        """The files beyond the bytes given."""
        with self.lock:
            return frozenset(self.tree.large)

    def row(self, path: str) -> Row | None:
        """What the store has of a file; only to be relied on for what is not stale."""
        return self._rows.get(path)

    def structure(self, note: Document) -> bytes | None:
        """As `IndexView.structure`; the text decides, so that it is right whatever happened to the file."""
        row = self._rows.get(note.path)
        if row is None or not has_digest(note, row.digest):
            return None
        try:
            return self.store.structure(row.id, row.digest)
        except Unavailable as error:
            self._fail(error)
            return None

    def texts(self, notes: Iterable[str]) -> dict[str, bytes]:
        """The digests of the texts of notes that the store has, stale ones included."""
        return self._rows.texts(notes)

    def structures(self, notes: Sequence[str]) -> Callable[[Document], bytes | None]:
        """As `IndexView.structures`."""
        ids = {id_: path for path in notes if (id_ := self._rows.id(path)) is not None}
        try:
            found = {ids[id_]: (of, structure) for id_, of, structure in self.store.structures(ids)}
        except Unavailable as error:
            self._fail(error)
            found = {}

        def structure(note: Document) -> bytes | None:
            held = found.get(note.path)
            return held[1] if held is not None and has_digest(note, held[0]) else None

        return structure

    def facts(
        self, kind: str, notes: Iterable[str], read: Callable[[bytes], T], stop: Callable[[], bool]
    ) -> dict[str, tuple[bytes, T]]:
        """As `IndexView.facts`, for notes whose parts are all known."""
        kept = self.kept_facts(kind)
        found: dict[str, tuple[bytes, T]] = {}
        missing: dict[int, Row] = {}
        for path in notes:
            row = self._rows.get(path)
            if row is None or row.state != "text":
                continue
            fact = kept.get(row.digest)
            if fact is None:
                missing[row.id] = row
            else:
                found[path] = row.digest, fact
        ids = iter(missing)
        try:
            while (together := list(islice(ids, _READ_TOGETHER))) and not stop():
                for id_, text, structure in self.store.structures(together):
                    if text == missing[id_].digest:  # else another process has written since
                        made = read(structure)
                        kept.put(text, made)
                        found[missing[id_].path] = text, made
        except Unavailable as error:
            self._fail(error)
        return found

    def kept_facts(self, kind: str) -> KeptFacts:
        """As `IndexView.kept_facts`."""
        kept = self._facts.setdefault(kind, KeptFacts(kind, self.store.path))
        if kept.is_due:
            kept.keep(self._rows.digests())
        return kept

    def version(self, stale: frozenset[str]) -> Hashable:
        """As `IndexView.version`; `stale` as of the same moment."""
        if self.unlisted or any(map(paths.is_note, stale)) or any(map(paths.is_note, self._unread)):
            return None
        return self._version

    def changed(self, stale: AbstractSet[str]) -> AbstractSet[str]:
        """As `IndexView.changed`."""
        with self.lock:
            return {path for path in stale if paths.is_note(path) and path not in self.freshness.failed}

    def words(
        self,
        words: Sequence[Sequence[Spelling]],
        most: int,
        among: frozenset[str],
        unknown: AbstractSet[str],
        read: AbstractSet[str],
        *,
        all_known: bool,
    ) -> WordHits | None:
        """As `IndexView.words`; `unknown`: files whose rows say nothing now; `all_known`: whether nothing is stale."""
        with self.lock:  # a row that is added meanwhile is above `newest`
            uncounted, newest = self._uncounted(read), self._newest
            rows = [id_ for path in uncounted if _is_ranked(path) and (id_ := self._rows.id(path)) is not None]
            left_out = [id_ for path in {*unknown, *uncounted} if (id_ := self._rows.id(path)) is not None]
            wanted, of_all = self._rows_of(among)
        is_settled = all_known and not uncounted
        not_counted = json.dumps(rows), newest
        not_wanted = None if is_settled and not left_out else (json.dumps(left_out), newest)
        try:
            counts = self._counted(words) if is_settled else self.store.word_counts(words, not_counted)
            standing = [spellings if count else () for spellings, count in zip(words, counts, strict=True)]
            found = self.store.best(standing, most, wanted, not_wanted) if most else []
        except Unavailable as error:
            self._fail(error)
            return None
        places = {path: places for id_, places in found if (path := self._rows.path(id_)) and path in among}
        return WordHits(counts, places, of_all - len(rows))

    def _counted(self, words: Sequence[Sequence[Spelling]]) -> list[int]:
        """How many notes hold each word while nothing is stale; a session asks for the same words again, and one call
        asks for most of its words twice."""
        version = self._version
        kept, counts = self._counts
        if kept != version or len(counts) > _COUNTS:
            counts = {}
        missing = [spellings for spellings in map(tuple, words) if spellings not in counts]
        counts.update(zip(missing, self.store.word_counts(missing), strict=True))
        self._counts = version, counts
        return [counts[tuple(spellings)] for spellings in words]

    def _uncounted(self, read: AbstractSet[str]) -> AbstractSet[str]:
        """The files whose rows do not count: those that a caller has read, those that are gone, and those of which
        nobody can tell, since their folder cannot be listed."""
        with self.lock:
            if not self.unlisted:
                return self.freshness.gone | read if self.freshness.gone else read
            return self.freshness.gone.union(read, (path for path in self._rows if not self.is_listed(path)))

    def _rows_of(self, notes: frozenset[str]) -> tuple[str | None, int]:
        """The rows of notes as JSON, None when all other files with words are gone; and how many such files have rows.

        After one edit neither is made again: only what came, or went, makes a difference.
        """
        with self.lock:
            if self._ranked is None:
                self._ranked = sum(map(_is_ranked, self._rows))
            if self._asked is None or self._asked[0] is not notes or self._asked[1] != self._puts:
                self._asked = notes, self._puts, len(notes) - len(self._rows.lacking(notes))
            gone = sum(_is_ranked(path) and path in self._rows and path not in notes for path in self.freshness.gone)
            if self._asked[2] + gone == self._ranked and not self.unlisted:
                return None, self._ranked
            held = self._asked_rows
            if held is None or held[0] is not notes or held[1] != self._puts:
                rows = [id_ for path in notes if (id_ := self._rows.id(path)) is not None]
                self._asked_rows = held = notes, self._puts, json.dumps(rows)
            return held[2], self._ranked

    def passages(self, notes: Iterable[str]) -> dict[str, bytes]:
        """As `IndexView.passages`."""
        rows = {row.id: row for path in notes if (row := self._rows.get(path)) is not None}
        try:
            found = self.store.passages(rows)
        except Unavailable as error:
            self._fail(error)
            return {}
        return {rows[id_].path: columns for id_, text, columns in found if rows[id_].digest == text}

    def loaded_passages(self, notes: Iterable[str]) -> dict[str, Passages]:
        """As `IndexView.loaded_passages`."""
        from vaulttools.index.passages import load

        rows = [row for path in notes if (row := self._rows.get(path)) is not None]
        kept = self._passages.of(rows)
        missing = {row.id: row for row in rows if row.path not in kept}
        try:
            found = self.store.passages(missing) if missing else []
        except Unavailable as error:
            self._fail(error)
            return kept
        read = {row: load(columns) for id_, text, columns in found if (row := missing[id_]).digest == text}
        # Of an attachment the row stays the same when more of its text is extracted.
        self._passages.keep({row: passages for row, passages in read.items() if paths.is_note(row.path)})
        return kept | {row.path: passages for row, passages in read.items()}

    def copies(self, digests: Collection[int]) -> dict[int, set[str]]:
        """As `IndexView.copies`, of all that the store holds: stale files too."""
        copies: dict[int, set[str]] = {digest: set() for digest in digests}
        uncounted = self._uncounted(frozenset())
        try:
            for digest, id_ in self.store.copies(digests):
                if (path := self._rows.path(id_)) is not None and path not in uncounted:
                    copies[digest].add(path)
        except Unavailable as error:
            self._fail(error)
        return copies

    def stems(self, beginning: str, shortest: int, longest: int) -> Sequence[str]:
        """As `IndexView.stems`."""
        try:
            return self._stems.beginning(beginning, shortest, longest, self._version)
        except Unavailable as error:
            self._fail(error)
            return ()

    def holding_stem(self, stem: str, read: AbstractSet[str]) -> AbstractSet[str]:
        """As `IndexView.holding_stem`."""
        try:
            ids = self.store.holding_stem(stem)
        except Unavailable as error:
            self._fail(error)
            return frozenset()
        return self._rows.named(ids) - self._uncounted(read)

    def holding_text(self, literal: str, read: AbstractSet[str]) -> AbstractSet[str]:
        """As `IndexView.holding_text`."""
        from vaulttools.index import narrow

        match = narrow.query(literal)
        try:
            return frozenset() if match is None else self._named(self.store.ids(match)) - self._uncounted(read)
        except Unavailable as error:
            self._fail(error)
            return frozenset()

    def _fail(self, error: Exception) -> None:
        """Do without the store: it was removed, replaced or damaged."""
        _log.info("the index cannot be read: %s", error)
        self._is_failing = True

    def holding(self, trait: Trait) -> AbstractSet[str]:
        """Files that have a trait according to the store, stale ones included."""
        with self.lock:
            return frozenset(self._traits[trait])

    def kept(self, key: Hashable, make: Callable[[], T], *, times: bool) -> T:
        """As `IndexView.kept`."""
        with self.lock:
            known = (times, key)
            if known in self._kept:
                self._kept.move_to_end(known)
                made: T = self._kept[known]
                return made
            with garbage.paused():
                made = self._kept[known] = make()
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return made

    def changed_since(self, moment: int) -> AbstractSet[str] | None:
        """As `IndexView.changed_since`."""
        with self.lock:
            found = self.log.since(moment)
            return None if found is None else found | self.freshness.stale | self._unread

    def uncertain(self, stale: AbstractSet[str]) -> AbstractSet[str]:
        """Files of whose text nothing is known, of those that have a row; `stale` as of the same moment."""
        with self.lock:
            return stale | self._unread

    def lacking(self, files: Iterable[str]) -> Sequence[str]:
        """Files that have no row."""
        return self._rows.lacking(files)

    def holds_all(self, files: Collection[str]) -> bool:
        """Whether the files of a collection that never changes are all listed, and have a row."""
        if self.unlisted:
            return False
        if any(files is known for known in self._complete):
            return True
        with self.lock:  # not while some are being dropped
            drops = self._drops
        is_complete = not self._rows.lacking(files)
        with self.lock:
            if is_complete and drops == self._drops:
                self._complete = (*self._complete[-_COMPLETE:], files)
        return is_complete

    def is_listed(self, path: str) -> bool:
        """Whether changes of a file are noticed."""
        return not any(paths.is_below(folder, path) for folder in self.unlisted)

    def _take(self, changes: Changes) -> None:
        self._version += bool(changes.files or changes.met or changes.gone or changes.names)
        self.freshness.mark_stale(changes.files)
        self.freshness.mark_stale(path for path in changes.met if not self._is_as_it_was(path))
        self.freshness.gone.difference_update(changes.files, changes.met)
        gone = changes.gone
        if changes.names:
            before, self.unlisted = self.unlisted, frozenset(self.tree.unlisted)
            listed = before - self.unlisted
            if listed:  # or gone with the folder above
                below = (path for path in self._rows if any(paths.is_below(folder, path) for folder in listed))
                gone = gone.union(path for path in below if self.tree.node(path) is None)
        if changes.files or changes.met or gone:
            self.log.add({*changes.files, *changes.met, *gone})
        for path in gone:
            self.freshness.mark_known(path)
            if path in self._rows and self.is_listed(path):
                self.freshness.mark_gone(path)
        if changes.names:
            self._kept.clear()
        elif changes.times:
            for key in [key for key in self._kept if key[0]]:
                del self._kept[key]

    def _is_as_it_was(self, path: str) -> bool:
        """Whether the store answers for a file of which only the key is known (as in `Rows.differences`)."""
        row, node = self._rows.get(path), self.tree.node(path)
        if row is None or node is None or not self.freshness.is_known(path):
            return False
        return is_current(row, node.key, time.time_ns())

    def _add(self, rows: Iterable[Row]) -> None:
        for row in rows:
            before = self._rows.id(row.path)
            self._puts += before != row.id
            if before is None and self._ranked is not None:
                self._ranked += _is_ranked(row.path)
            self._rows.put(row)
            self._newest = max(self._newest, row.id)
            self._mark(row)
        self._version += 1  # at last: what another thread makes meanwhile of some of these is made again

    def _mark(self, row: Row) -> None:
        """Note what is unusual about a file."""
        for trait, has in (
            ("nul", row.state == "binary"),
            ("lone return", row.flags & HAS_LONE_CR),
            ("return", row.flags & HAS_CR),
        ):
            (self._traits[trait].add if has else self._traits[trait].discard)(row.path)  # type: ignore[index]
        (self._unread.add if row.state == "unread" else self._unread.discard)(row.path)

    def _drop(self, gone: Collection[str]) -> None:
        for path in gone:
            if path in self._rows:
                self._drops, self._complete = self._drops + 1, ()
                self._puts += 1
                if self._ranked is not None:
                    self._ranked -= _is_ranked(path)
            self._rows.drop(path)
            for held in (*self._traits.values(), self._unread, self.freshness.gone):
                held.discard(path)

    def _named(self, ids: Sequence[int]) -> set[str]:
        """The paths of rows; of those that another process wrote, from the store."""
        found = self._rows.named(ids)
        if len(found) < len(ids):
            found.update(self.store.paths([id_ for id_ in ids if self._rows.path(id_) is None]))
        return found


def _is_ranked(path: str) -> bool:
    """Whether a file has words, by its name: a note, or an attachment whose text is extracted."""
    return paths.is_note(path) or is_searched(path)


def _identity(folder: str) -> tuple[int, int]:
    """Which folder stands at a path."""
    try:
        status = disk.stat(folder)
    except OSError as error:
        raise Lost(f"the vault's folder cannot be stated: {error.strerror}") from error
    return status.st_dev, status.st_ino
