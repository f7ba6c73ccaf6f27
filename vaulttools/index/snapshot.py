"""Answers one call from the index as it was when the call began."""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import apsw

from vaulttools.attachments.kinds import is_searched
from vaulttools.core import paths
from vaulttools.core.work import Reason
from vaulttools.files import ignores
from vaulttools.files.disk import Key
from vaulttools.files.document import Document, has_digest
from vaulttools.files.listing import Listing
from vaulttools.index import vocabulary
from vaulttools.index import words as table
from vaulttools.index.content import reason_of
from vaulttools.index.database import Unavailable
from vaulttools.index.kept_facts import Fact, packed
from vaulttools.index.rows import Rows
from vaulttools.index.state import IndexState
from vaulttools.index.store import Row
from vaulttools.index.words import Spelling, WordHits

if TYPE_CHECKING:
    from vaulttools.files.providers import Trait
    from vaulttools.index.passages import Passages
    from vaulttools.patterns.literals import Requirement

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

_COUNTS: Final = 4_096
"""Words whose notes are counted once: half a MiB."""

_NOWHERE: Final = -1

_MOST_STALE: Final = 0.5
"""While more than this part of the files is stale, an index is being built, and narrows nothing."""


class Snapshot:
    """The index as of the beginning of one call. The protocols that it fulfils are beside those who use them.

    Of a file that changes during the call it may tell what is new. A file is *unknown* when it is stale or unread, has
    no row, or lies in a folder that cannot be listed. A note is *wordless* while its structure alone is known: each
    search looks at it.
    """

    def __init__(self, state: IndexState) -> None:
        self._state = state
        self._store = state.store
        with state.lock:
            self._stale = state.stale()
            self._wordless = frozenset(state.wordless)
            self.moment = None if state.unlisted else state.log.moment
            self.has_facts = not (state.unlisted or any(map(paths.is_note, chain(self._stale, state.unread))))
            """Whether the structure of every note is known."""
            self._version = state.log.moment if self.has_facts and not self._wordless else None
            self.large: AbstractSet[str] = frozenset(state.tree.large)
            self._unlisted: frozenset[str] = state.below_unlisted() if state.unlisted else frozenset()
        # What the state itself answers.
        self.kept: Final = state.kept
        self.lasting: Final = state.lasting.made
        self.facts_of: Final = state.facts_of
        self.holds: Final = state.tree.holds
        self.names_in: Final = state.tree.names_in

    @property
    def _rows(self) -> Rows:
        """The rows at present."""
        return self._state.rows

    def version(self) -> Hashable:
        """A value that changes with every name and text; None while a note is unknown or wordless."""
        return self._version

    def changed_since(self, moment: int) -> AbstractSet[str] | None:
        """The files that changed after a moment and before now, or may have; None when not all are remembered."""
        state = self._state
        with state.lock:
            found = state.log.since(moment)
            return None if found is None else found | state.freshness.stale | state.unread

    # Names and times.

    def outside(self) -> Hashable:
        """The rules above the root, and of each repository in the vault."""
        folder = Path(self._state.root.folder)
        with self._state.lock:
            repositories = self._state.tree.repositories
        sources = (folder / where / ".git/info/exclude" for where in repositories)
        return ignores.rules_above(folder), tuple(map(ignores.read_ignore_file, sources))

    def size(self, path: str) -> int:
        """The bytes of a file at the last look at its status; 0 of one that is not there."""
        key = self._state.tree.key(path)
        return key.size if key is not None else 0

    def modified(self, path: str) -> int | None:
        """When a file was modified, in nanoseconds since 1970, at the last look; 0 of what cannot be stated."""
        key = self._state.tree.key(path)
        return key.modified if key is not None else None

    def keys(self, files: Sequence[str]) -> list[Key | None]:
        """The stat keys of files at the last look; None of what is no file that can be read."""
        tree = self._state.tree
        return [tree.key(path) if tree.is_here(path) else None for path in files]

    # Candidates of a search.

    def nominated(self, requirement: Requirement) -> AbstractSet[str] | None:
        """The files that may fulfil a requirement; None: nearly all may."""
        with self._doing_without():
            ids = self._narrowed(requirement)
            return None if ids is None else self._named(ids) | self._unsure(requirement)
        return None

    def nominated_in(
        self, listing: Listing, requirement: Requirement, others: AbstractSet[str]
    ) -> Sequence[str] | None:
        """The files of a listing that may fulfil a requirement, and `others`; None: nearly all may."""
        with self._doing_without():
            ids = self._narrowed(requirement)
            if ids is None:
                return None
            found, lost = [], ids
            if len(ids) > max(_FEW_NOMINATED, len(self._rows) // _MANY_ROWS):
                places = self.kept((listing, "places"), lambda: self._rows.by_id(listing.places, _NOWHERE))
                end = bisect_left(ids, len(places))
                found, lost = [*map(places.__getitem__, ids[:end])], ids[end:]
            if _NOWHERE in found:  # rows that this process learned of since, and of what is not in the listing
                lost += [id_ for id_, place in zip(ids, found, strict=False) if place == _NOWHERE]
            more = self._unsure(requirement) | others
            if lost or more:
                more |= self._named(lost)
                found = [*{*found, *listing.places_of(more)} - {_NOWHERE}]
            return listing.at(sorted(found))
        return None

    def _narrowed(self, requirement: Requirement) -> list[int] | None:
        """The ids of rows that may fulfil a requirement, ascending; None: of most files, or all."""
        if len(self._stale) + len(self._wordless) > len(self._rows) * _MOST_STALE:
            return None
        return self._store.narrowed(requirement, max(_FEW, int(len(self._rows) * _NEARLY_ALL)))

    def _unsure(self, requirement: Requirement) -> AbstractSet[str]:
        """The files that may fulfil a requirement although their rows do not say so."""
        unsure = self._stale | self._state.unread | self._wordless
        if binary := self._state.traits["nul"]:
            of_binaries = vocabulary.binary_query(requirement)
            unsure |= binary if of_binaries is None else self._binaries(of_binaries)
        return unsure

    def _binaries(self, match: str) -> AbstractSet[str]:
        """The binary files whose tokens fulfil a query."""
        binary = self._state.traits["nul"]

        def by_id() -> Mapping[int, str]:
            return {id_: path for path in [*binary] if (id_ := self._rows.id(path)) is not None}

        known = self._state.kept("binary files", by_id, version=(self._state.log.moment, self._state.puts))
        # A build writes notes first, whose rows FTS5 then passes over: 0.7 instead of 6.4 ms among 50,000 notes.
        ids = self._store.ids(match, since=min(known, default=0))
        others = [id_ for id_ in ids if id_ not in known]  # another process may have given a binary file a new row
        return {known[id_] for id_ in ids if id_ in known} | (self._named(others) & binary)

    def _named(self, ids: Sequence[int]) -> set[str]:
        """The paths of rows; of those that another process wrote, from the store."""
        found = self._rows.named(ids)
        if len(found) < len(ids):
            found.update(self._store.paths([id_ for id_ in ids if self._rows.path(id_) is None]))
        return found

    # What is known of files.

    def unknown(self, files: Sequence[str]) -> list[str]:
        """The unknown ones of some files, in their order."""
        absent = [*self._rows.absent(files)]  # before the others: a file that comes meanwhile is in either
        return [*filter(self._uncertain().union(absent).__contains__, files)]

    def _uncertain(self) -> frozenset[str]:
        """Files of whose text nothing is known, of those that stand at present."""
        with self._state.lock:
            return self._stale.union(self._state.stale(), self._state.unread, self._unlisted)

    def _lacking(self, files: Collection[str], key: Hashable) -> Sequence[str]:
        """Those of some files that have no row; `key` stands for the files, which never change."""
        return self._state.kept(("lacking", key), lambda: self._rows.lacking(files), version=self._state.puts)

    def is_known(self, listing: Listing, most: int) -> bool:
        """Whether no more than so many files of a listing are unknown."""
        if len(self._uncertain()) <= most and not self._lacking(listing.files, listing):
            return True
        return len(self.unknown(listing.files)) <= most

    def unranked(self, files: Collection[str]) -> list[str]:
        """The unknown and wordless ones of some files, without attachments of which it is known why they have no
        text."""
        if isinstance(files, frozenset) and not self._lacking(files, files):
            files = files.intersection(self._uncertain() | self._wordless)
        unknown = {
            path
            for path in self.unknown([*files])
            if path in self._stale or (known := self._rows.get(path)) is None or reason_of(known.flags) is None
        }
        return [path for path in files if path in unknown or path in self._wordless]

    def is_ranked(self, files: Sequence[str], most: int) -> bool:
        """Whether the words of all but so many files are known."""
        return self._version is not None or len(self.unranked(files)) <= most

    def textless(self, attachments: Sequence[str]) -> dict[str, Reason]:
        """Why attachments that are not stale have no text, or not all of it."""
        rows = ((path, self._rows.get(path)) for path in attachments if path not in self._stale)
        reasons = ((path, reason_of(row.flags)) for path, row in rows if row is not None)
        return {path: reason for path, reason in reasons if reason is not None}

    def holding(self, trait: Trait) -> AbstractSet[str]:
        """The files that have a trait, of those that are not stale."""
        with self._state.lock:
            return self._state.traits[trait] - self._stale - self._unlisted

    def digest(self, path: str, status: os.stat_result) -> bytes | None:
        """The digest of a file's text, if the file is not stale and has this status."""
        with self._state.lock:  # with its row stands the key of the file, which may be newer than the row
            row = None if path in self._stale or path in self._state.stale() else self._rows.get(path)
        return row.digest if row is not None and row.digest and row.key == Key.of(status) else None

    def text_digests(self, files: Collection[str]) -> dict[str, bytes]:
        """The digests of some files that are not stale."""
        rows = ((path, self._rows.get(path)) for path in files if path not in self._stale)
        return {path: row.digest for path, row in rows if row is not None}

    # The parts of notes.

    def texts(self, notes: Sequence[str]) -> dict[str, bytes]:
        """The digests of many texts, of the notes that are not unknown."""
        found = self._rows.texts(notes)
        for path in self._stale | self._unlisted:
            found.pop(path, None)
        return found

    def facts(
        self, kind: str, notes: Sequence[str], read: Callable[[bytes], object], stop: Callable[[], bool]
    ) -> dict[str, Fact]:
        """What `read` makes of the stored parts of notes that are not unknown, by path; kept under `kind`.

        Once `stop` returns true, only what is kept already is given.
        """
        held = self.facts_of(kind).held
        found: dict[str, Fact] = {}
        missing: dict[int, Row] = {}
        unknown = set(self.unknown(notes))
        for path in notes:
            row = None if path in unknown else self._rows.get(path)
            if row is None or row.state != "text":
                continue
            fact = held.get(path)
            if fact is None or fact[0] != row.digest:
                missing[row.id] = row
            else:
                found[path] = fact
        ids = iter(missing)
        while (together := list(islice(ids, _READ_TOGETHER))) and not stop():
            for id_, text, structure in self._structures(together):
                path = missing[id_].path
                if text == missing[id_].digest:  # else another process has written since
                    found[path] = held[path] = packed(text, read(structure))
        return found

    def structure(self, note: Document) -> bytes | None:
        """What `notes.stored` made of a note with exactly this text; None when that is not known."""
        return self.structures([note.path])(note)

    def structures(self, notes: Sequence[str]) -> Callable[[Document], bytes | None]:
        """What `structure` does, for these notes alone, which are read at once."""
        ids = {id_: path for path in notes if (id_ := self._rows.id(path)) is not None}
        found = {ids[id_]: (of, structure) for id_, of, structure in self._structures(ids)}

        def structure(note: Document) -> bytes | None:
            held = found.get(note.path)
            return held[1] if held is not None and has_digest(note, held[0]) else None

        return structure

    def _structures(self, ids: Iterable[int]) -> list[tuple[int, bytes, bytes]]:
        with self._doing_without():
            return self._store.structures(ids)
        return []

    # The words of notes and attachments.

    def changed(self) -> AbstractSet[str]:
        """The stale and wordless notes, without those that cannot be read."""
        with self._state.lock:
            failed = self._state.freshness.failed
            return {path for path in self._stale | self._wordless if paths.is_note(path) and path not in failed}

    def words(
        self, words: Sequence[Sequence[Spelling]], most: int, among: frozenset[str], read: AbstractSet[str]
    ) -> WordHits | None:
        """How many notes hold each word, and where the words are in the `most` best notes of `among`; of the rows at
        present, without those of `read`."""
        state = self._state
        unknown: AbstractSet[str] = self._stale
        if self._version is None:  # not of attachments alone
            unknown = {*self.unranked(among)}
        with state.lock:  # a row that is added meanwhile is above `newest`
            uncounted, newest = self._uncounted(read), self._rows.newest
            rows = [id_ for path in uncounted if _is_ranked(path) and (id_ := self._rows.id(path)) is not None]
            left_out = [id_ for path in {*unknown, *uncounted} if (id_ := self._rows.id(path)) is not None]
            wanted, of_all = self._rows_of(among)
        is_settled = not self._stale and not uncounted
        not_wanted = None if is_settled and not left_out else (json.dumps(left_out), newest)

        with self._doing_without(), self._store.database.reading() as connection:
            if is_settled:
                counts = self._counted(connection, words)
            else:
                counts = table.counts(connection, words, (json.dumps(rows), newest))
            standing = [spellings if count else () for spellings, count in zip(words, counts, strict=True)]
            best = table.best(connection, standing, most, wanted, not_wanted) if most else []
            places = {path: places for id_, places in best if (path := self._rows.path(id_)) and path in among}
            return WordHits(counts, places, of_all - len(rows))
        return None

    def _counted(self, connection: apsw.Connection, words: Sequence[Sequence[Spelling]]) -> list[int]:
        """How many notes hold each word while nothing is stale; a session asks for the same words again, and one call
        asks for most of its words twice."""
        counts: dict[tuple[Spelling, ...], int] = self._state.kept("counts", dict, version=self._state.log.moment)
        if len(counts) > _COUNTS:
            counts.clear()
        wanted = [*map(tuple, words)]
        found = {spellings: counts[spellings] for spellings in wanted if spellings in counts}
        missing = [spellings for spellings in wanted if spellings not in found]
        found.update(zip(missing, table.counts(connection, missing), strict=True))
        counts.update(found)
        return [found[spellings] for spellings in wanted]

    def _uncounted(self, read: AbstractSet[str]) -> AbstractSet[str]:
        """The files whose rows do not count: those that a caller has read, those that are gone, and those of which
        nobody can tell, since their folder cannot be listed."""
        with self._state.lock:
            gone = self._state.freshness.gone
            return gone.union(read, self._unlisted) if gone or self._unlisted else read

    def _rows_of(self, notes: frozenset[str]) -> tuple[str | None, int]:
        """The rows of notes as JSON, None when all other files with words are gone; and how many such files have rows.

        After an edit neither is made again: only what came, or went, makes a difference.
        """
        state, rows = self._state, self._rows
        with state.lock:
            ranked = state.kept("ranked", lambda: sum(map(_is_ranked, rows)), version=state.puts)
            held = len(notes) - len(self._lacking(notes, notes))
            gone = sum(_is_ranked(path) and path in rows.aside and path not in notes for path in state.freshness.gone)
            if held + gone == ranked and not self._unlisted:
                return None, ranked

            def ids() -> str:
                return json.dumps([id_ for path in notes if (id_ := rows.id(path)) is not None])

            return state.kept(("ids", notes), ids, version=state.puts), ranked

    def passages(self, notes: Sequence[str]) -> dict[str, bytes]:
        """What `index.passages` made of notes whose words are known."""
        rows = self._ranked_rows(notes)
        return {row.path: columns for row, columns in self._passages_of(rows)}

    def loaded_passages(self, notes: Sequence[str]) -> dict[str, Passages]:
        """The passages of the notes whose words are known."""
        from vaulttools.index.passages import load

        rows, kept = self._ranked_rows(notes), self._state.passages
        found = {row: held for row, held in zip(rows, kept.several(rows), strict=True) if held is not None}
        for row, columns in self._passages_of([row for row in rows if row not in found]):
            found[row] = load(columns)
            if paths.is_note(row.path):  # of an attachment the row stays the same when more of its text is extracted
                kept.put(row, found[row], len(found[row].lengths))
        return {row.path: passages for row, passages in found.items()}

    def _ranked_rows(self, notes: Sequence[str]) -> list[Row]:
        unknown = set(self.unranked(notes))
        return [row for path in notes if path not in unknown and (row := self._rows.get(path)) is not None]

    def _passages_of(self, rows: Sequence[Row]) -> list[tuple[Row, bytes]]:
        by_id = {row.id: row for row in rows}
        with self._doing_without():
            found = self._store.passages(by_id) if rows else []
            return [(by_id[id_], columns) for id_, text, columns in found if by_id[id_].digest == text]
        return []

    def copies(self, digests: Collection[int]) -> dict[int, set[str]]:
        """By digest of a passage the notes that hold it, of those whose words are known."""
        copies: dict[int, set[str]] = {digest: set() for digest in digests}
        uncounted = self._uncounted(frozenset())
        with self._doing_without():
            for digest, id_ in self._store.copies(digests):
                if (path := self._rows.path(id_)) is not None and path not in uncounted:
                    copies[digest].add(path)
        unknown = set(self.unranked(list(set().union(*copies.values()))))
        return {digest: holding - unknown for digest, holding in copies.items()}

    def stems(self, beginning: str, shortest: int, longest: int) -> Sequence[str]:
        """The stems of so many characters that begin with one, in no order, of all that the store holds.

        They are kept by first character and length: SQLite reads all that it holds of a stem to tell that the stem is
        there, 10 ms for those of one letter among 10,000 notes of prose. Here 156,000 stems take 1.4 MB.
        """
        known: dict[str, dict[int, str]] = self._state.kept("stems", dict, version=self._state.log.moment)
        if beginning not in known:
            by_length: dict[int, list[str]] = defaultdict(list)
            with self._doing_without():
                for stem in self._store.stems(beginning):
                    by_length[len(stem)].append(stem)
            # A line each: `split` takes a quarter of the time that cutting takes.
            known[beginning] = {length: "\n".join(stems) for length, stems in by_length.items()}
        found: list[str] = []
        for length, stems in known[beginning].items():
            if shortest <= length <= longest:
                found += stems.split("\n")
        return found

    def holding_stem(self, stem: str, read: AbstractSet[str]) -> AbstractSet[str]:
        """The files that hold a word of this stem, of the rows at present, without those of `read`."""
        with self._doing_without():
            return self._rows.named(self._store.holding_stem(stem)) - self._uncounted(read)
        return frozenset()

    def holding_text(self, literal: str, read: AbstractSet[str]) -> AbstractSet[str]:
        """The files that may hold a text, case ignored, of the rows at present, without those of `read`."""
        with self._doing_without():
            ids = self._store.narrowed(literal)
            return frozenset() if ids is None else self._named(ids) - self._uncounted(read)
        return frozenset()

    @contextmanager
    def _doing_without(self) -> Iterator[None]:
        """Go on behind the block when the store was removed, replaced or damaged."""
        try:
            yield
        except Unavailable as error:
            self._state.fail(error)


def _is_ranked(path: str) -> bool:
    """Whether a file has words, by its name: a note, or an attachment whose text is extracted."""
    return paths.is_note(path) or is_searched(path)
