"""Answers calls from the vault and its index as they were at one moment."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from copy import copy
from itertools import chain, islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from vaulttools.attachments.kinds import is_searched
from vaulttools.core import paths
from vaulttools.core.work import Reason
from vaulttools.files import ignores
from vaulttools.files.disk import Key
from vaulttools.files.document import Document, has_digest
from vaulttools.files.listing import Listing
from vaulttools.index import tokenizer
from vaulttools.index import words as table
from vaulttools.index.content import reason_of
from vaulttools.index.database import Unavailable
from vaulttools.index.kept_facts import Fact, packed
from vaulttools.index.progress import Progress
from vaulttools.index.store import FileRow
from vaulttools.index.words import Spelling, WordHits

if TYPE_CHECKING:
    from vaulttools.files.providers import Trait
    from vaulttools.files.root import Root
    from vaulttools.index.caches import Caches
    from vaulttools.index.database import ReadTransaction
    from vaulttools.index.layered import Layered
    from vaulttools.index.memo import Memos
    from vaulttools.index.passages import Passages
    from vaulttools.index.rows import Records
    from vaulttools.index.store import IndexStore
    from vaulttools.index.tables import Tables
    from vaulttools.index.tree import Names
    from vaulttools.patterns.requirements import Requirement

T = TypeVar("T")

_FEW: Final = 1_000
_NEARLY_ALL: Final = 0.97
"""A query that nominates more than `_FEW` files and more than this share of all is not worth its time."""

_READ_TOGETHER: Final = 500
"""Structures per query: enough to be efficient, few enough to stop in time."""

_DRAWN: Final = 20
"""Files drawn for each note wanted: a vault may hold many more attachments than notes."""

_MOST_STALE: Final = 0.5
"""While a larger share of the files is stale, the index is being built, and narrows nothing."""


class Mark(NamedTuple):
    """A snapshot as `Snapshot.since` compares it."""

    files: Layered[str, bytes]
    """Records of the existing files, by path."""
    uncertain: frozenset[str]
    """The files whose text was not known."""
    is_listed: bool
    """Whether all folders could be listed."""


class Snapshot:
    """What is known of a vault as of one moment. Nothing in it changes but `is_lost`; its protocols are defined beside
    their users.

    A file is *unknown* if it is stale or unread, has no row, or lies in a folder that cannot be listed. A note is
    *wordless* while only its structure is known: each search looks at it.
    """

    def __init__(
        self,
        *,
        root: Root,
        store: IndexStore,
        records: Records,
        names: Names,
        stale: frozenset[str],
        failed: frozenset[str],
        gone: frozenset[str],
        unread: frozenset[str],
        wordless: frozenset[str],
        traits: Mapping[Trait, frozenset[str]],
        are_names_of_one_moment: bool,
        is_listed: bool,
        below_unlisted: frozenset[str],
        memos: Memos,
        caches: Caches,
        fail: Callable[[Exception], None],
    ) -> None:
        """The sets of files are those of `Publisher` and `Freshness`; `are_names_of_one_moment`: whether a watch
        reports all changes; `is_listed`: whether all folders could be listed, `below_unlisted`: the files with a row
        in the others; `fail` is called when the store is lost."""
        self._root = root
        self._store = store
        self._tables: Tables = store
        self._moment: ReadTransaction | None = None
        self._records = records
        self._names = names
        self.stale: Final = stale
        """Files that may differ from their rows."""
        self._failed = failed
        self._gone = gone
        self._unread = unread
        self._wordless = wordless
        self._traits = traits
        self.are_names_of_one_moment: Final = are_names_of_one_moment
        """Whether a watch reports changes, so that the names are those of one moment."""
        self._is_listed = is_listed
        self._below_unlisted = below_unlisted
        self._memos = memos
        self._caches = caches
        self._fail = fail
        self._uncertain = stale | unread | below_unlisted if unread or below_unlisted else stale
        """The existing files whose text is not known."""
        self.has_facts: Final = is_listed and not any(map(paths.is_note, chain(stale, unread)))
        """Whether the structure of every note is known."""
        self.is_lost = False
        """Whether the index was removed, replaced or damaged meanwhile, so that answers may lack what it held."""
        self.large: Final = frozenset(names.large)
        self.lasting: Final = caches.lasting.made
        self.facts_of: Final = caches.facts_of
        self.knows: Final = names.knows
        self.keys: Final = names.keys
        self.names_in: Final = names.names_in

    @property
    def mark(self) -> Mark:
        """What `since` must know of this snapshot: it keeps little alive."""
        return Mark(self._records.files, self._uncertain, self._is_listed)

    def since(self, mark: Mark) -> AbstractSet[str] | None:
        """Returns the files that differ, or may, from those of another snapshot; None: unknown."""
        if not (self._is_listed and mark.is_listed):
            return None
        found = self._records.files.differences(mark.files)
        return None if found is None else found | mark.uncertain | self._uncertain

    def progress(self, young: frozenset[str]) -> Progress:
        """Returns how much the store holds; `young`: the stale files that were read since they changed."""

        def counted() -> Progress:
            records, unread = self._records, self.stale - young
            new = records.lacking(self.stale)
            notes, files = sum(map(paths.is_note, chain(records, new))), len(records) + len(new)
            facts = notes - sum(map(paths.is_note, unread))
            return Progress(facts, notes, files - len(unread | self._wordless), files)

        return self._memos.texts.made("progress", counted)

    def moved(self, other: Snapshot) -> AbstractSet[str]:
        """Returns the files that one of two snapshots knows, and the other does not."""
        mine, others = self._records.files, other._records.files
        differing = mine.differences(others)
        every = {*mine, *others} if differing is None else differing
        return {path for path in every if (path in mine) != (path in others)}

    def pinned(self) -> Snapshot:
        """Returns a copy for one call, which must end it by `release`: the tables are as of now."""
        made = copy(self)
        made._tables, made._moment = self._store.at_one_moment()
        with made._tolerating_loss():
            made._moment.begin()
        return made

    def release(self) -> None:
        """End the call's use of the tables."""
        if self._moment is not None:
            self._moment.end()

    @property
    def was_pinned(self) -> bool:
        """Whether the tables were those of one moment, too."""
        return self._moment is not None and self._moment.is_pinned

    @property
    def has_words(self) -> bool:
        """Whether structure and words of every note are known."""
        return self.has_facts and not self._wordless

    # Names and times.

    @property
    def folders(self) -> list[str]:
        """The vault's folder (`""`) and all below it that a listing enters."""
        return self._names.folders

    def kept(self, key: Hashable, make: Callable[[], T], *, times: bool = False) -> T:
        """Returns the value of a key for all snapshots with the same names, with `times` also the same times."""
        return (self._memos.times if times else self._memos.names).made(key, make)

    def outside(self) -> Hashable:
        """Returns the ignore rules above the root and those of each repository in the vault (`info/exclude`)."""
        folder = Path(self._root.folder)
        sources = (folder / where / ".git/info/exclude" for where in self._names.repositories)
        return ignores.rules_above(folder), tuple(map(ignores.read_ignore_file, sources))

    def size(self, path: str) -> int:
        """Returns the bytes of a file at the last look; 0 if it is gone."""
        key = self._names.key(path)
        return key.size if key is not None else 0

    def modified(self, path: str) -> int | None:
        """Returns a file's modification time at the last look, nanoseconds since 1970; 0: `stat` failed; None: gone."""
        key = self._names.key(path)
        return key.modified if key is not None else None

    # Candidates of a search.

    def nominated(self, requirement: Requirement) -> AbstractSet[str] | None:
        """Returns the files that may fulfil a requirement; None: nearly all may, or the store failed."""
        rows = len(self._records)
        if len(self.stale) + len(self._wordless) > rows * _MOST_STALE:
            return None
        with self._tolerating_loss():
            ids = self._tables.narrowed(requirement, max(_FEW, int(rows * _NEARLY_ALL)))
            return None if ids is None else self._named(ids) | self._unsure(requirement)
        return None

    def _unsure(self, requirement: Requirement) -> AbstractSet[str]:
        """Returns the files that may fulfil a requirement although their rows do not show it."""
        unsure = self.stale | self._unread | self._wordless
        if binary := self._traits["nul"]:
            of_binaries = tokenizer.binary_query(requirement)
            unsure |= binary if of_binaries is None else self._binaries(of_binaries)
        return unsure

    def _binaries(self, match: str) -> AbstractSet[str]:
        """Returns the binary files whose tokens fulfil a query."""
        binary = self._traits["nul"]

        def by_id() -> Mapping[int, str]:
            return {id_: path for path in binary if (id_ := self._records.id(path)) is not None}

        known = self._memos.texts.made("binary files", by_id)
        # A build writes notes first, so FTS5 can skip their rows: 0.7 instead of 6.4 ms with 50,000 notes.
        ids = self._tables.ids(match, since=min(known, default=0))
        others = [id_ for id_ in ids if id_ not in known]  # another process may have given a binary file a new row
        return {known[id_] for id_ in ids if id_ in known} | (self._named(others) & binary)

    def _named(self, ids: Sequence[int]) -> set[str]:
        """Returns the paths of rows; for rows that another process wrote, from the store."""
        found = self._records.named(ids)
        if len(found) < len(ids):
            found.update(self._tables.paths([id_ for id_ in ids if self._records.path(id_) is None]))
        return found

    # What is known of files.

    def unknown(self, files: Sequence[str]) -> list[str]:
        """Returns the unknown files among some, in their order."""
        absent = self._records.files.absent(files)
        return [*filter(self._uncertain.union(absent).__contains__, files)]

    def _lacking(self, files: Collection[str], key: Hashable) -> Sequence[str]:
        """Returns the files without a row; `key` identifies the files, which never change."""
        return self._memos.rows.made(("lacking", key), lambda: self._records.lacking(files))

    def is_known(self, listing: Listing, most: int) -> bool:
        """Whether at most `most` files of a listing are unknown."""
        if len(self._uncertain) + len(self._lacking(listing.files, listing)) <= most:
            return True
        return len(self.unknown(listing.files)) <= most

    def lacking_words(self, files: Collection[str]) -> list[str]:
        """Returns the unknown and wordless files among some, without attachments known to have no complete text."""
        if isinstance(files, frozenset):
            files = files.intersection(self._uncertain | self._wordless).union(self._lacking(files, files))
        unknown = {
            path
            for path in self.unknown([*files])
            if path in self.stale or (known := self._records.get(path)) is None or reason_of(known.flags) is None
        }
        return [path for path in files if path in unknown or path in self._wordless]

    def has_words_of(self, listing: Listing, most: int) -> bool:
        """Whether the words of all but `most` files of a listing are known."""
        if self.has_words:
            return True
        if len(self._uncertain) + len(self._wordless) + len(self._lacking(listing.files, listing)) <= most:
            return True
        return len(self.lacking_words(listing.files)) <= most

    def textless(self, attachments: Sequence[str]) -> dict[str, Reason]:
        """Returns why attachments that are not stale lack all or part of their text."""
        return {
            path: reason
            for path in attachments
            if path not in self.stale
            and (row := self._records.get(path)) is not None
            and (reason := reason_of(row.flags)) is not None
        }

    def with_trait(self, trait: Trait) -> AbstractSet[str]:
        """Returns the files with a trait that are not stale."""
        return self._traits[trait] - self.stale - self._below_unlisted

    def digest(self, path: str, status: os.stat_result) -> bytes | None:
        """Returns the digest of a file's text, if the file is not stale and has this status; else None."""
        row = None if path in self.stale else self._records.get(path)
        return row.digest if row is not None and row.digest and row.key == Key.of(status) else None

    def text_digests(self, files: Collection[str]) -> dict[str, bytes]:
        """Returns the digests of the files that are not stale."""
        return self._records.digests(path for path in files if path not in self.stale)

    # The parts of notes.

    def texts(self, notes: Sequence[str]) -> dict[str, bytes]:
        """Returns the text digests of the notes that are not unknown."""
        found = self._records.texts(notes)
        for path in self.stale | self._below_unlisted:
            found.pop(path, None)
        return found

    def facts(
        self, kind: str, notes: Sequence[str], read: Callable[[bytes], object], stop: Callable[[], bool]
    ) -> dict[str, Fact]:
        """Returns `read(structure)` by path for the notes that are not unknown, and caches it under `kind`.

        Once `stop` returns true, only cached results are returned.
        """
        held = self.facts_of(kind).by_note
        texts = self.texts(notes)
        found = {path: fact for path, text in texts.items() if (fact := held.get(path)) is not None and fact[0] == text}
        missing = {self._records.id(path): path for path in texts if path not in found}
        ids = filter(None, missing)
        while (together := list(islice(ids, _READ_TOGETHER))) and not stop():
            for id_, text, structure in self._structures(together):
                path = missing[id_]
                if text == texts[path]:  # else another process has written it since
                    found[path] = held[path] = packed(text, read(structure))
        return found

    def structure(self, note: Document) -> bytes | None:
        """Returns the stored structure of a note with exactly this text; None if it is not known."""
        return self.structures([note.path])(note)

    def structures(self, notes: Sequence[str]) -> Callable[[Document], bytes | None]:
        """Returns a function like `structure` for these notes only, whose structures are read at once."""
        ids = {id_: path for path in notes if (id_ := self._records.id(path)) is not None}
        found = {ids[id_]: (of, structure) for id_, of, structure in self._structures(ids)}

        def structure(note: Document) -> bytes | None:
            held = found.get(note.path)
            return held[1] if held is not None and has_digest(note, held[0]) else None

        return structure

    def _structures(self, ids: Iterable[int]) -> list[tuple[int, bytes, bytes]]:
        with self._tolerating_loss():
            return self._tables.structures(ids)
        return []

    # The words of notes and attachments.

    def changed(self) -> AbstractSet[str]:
        """Returns the stale and wordless notes, without those that cannot be read."""
        changed = self.stale | self._wordless
        return {path for path in changed if paths.is_note(path) and path not in self._failed}

    def words(
        self, words: Sequence[Sequence[Spelling]], most: int, among: frozenset[str], read: AbstractSet[str]
    ) -> WordHits | None:
        """Returns how many notes hold each word, and the places of the words in the `most` best notes of `among`; from
        the current rows, without those of `read`. None: the store failed."""
        unknown: AbstractSet[str] = self.stale
        if not self.has_words:  # unless only attachments may be unknown
            unknown = {*self.lacking_words(among)}
        uncounted, newest = self._uncounted(read), self._records.newest  # other processes may have added rows
        rows = [id_ for path in uncounted if _can_have_words(path) and (id_ := self._records.id(path)) is not None]
        left_out = [id_ for path in {*unknown, *uncounted} if (id_ := self._records.id(path)) is not None]
        wanted, of_all = self._rows_of(among)
        is_settled = not self.stale and not uncounted
        not_wanted = None if is_settled and not left_out else (json.dumps(left_out), newest)

        with self._tolerating_loss(), self._tables.reading() as connection:
            counts = table.counts(connection, words, None if is_settled else (json.dumps(rows), newest))
            held = [spellings if count else () for spellings, count in zip(words, counts, strict=True)]
            best = table.best(connection, held, most, wanted, not_wanted) if most else []
            places = {path: places for id_, places in best if (path := self._records.path(id_)) and path in among}
            return WordHits(counts, places, of_all - len(rows))
        return None

    def _uncounted(self, read: AbstractSet[str]) -> AbstractSet[str]:
        """Returns the files whose rows do not count: those that a caller has read, vanished files, and those in folders
        that cannot be listed."""
        gone, below = self._gone, self._below_unlisted
        return gone.union(read, below) if gone or below else read

    def _rows_of(self, notes: frozenset[str]) -> tuple[str | None, int]:
        """Returns the row ids of notes as JSON, and the number of files with words and a row.

        The JSON is None if all other files with words are gone. Edits change neither value; only new and removed files
        do.
        """
        records, memo = self._records, self._memos.rows
        with_words = memo.made("with words", lambda: sum(map(_can_have_words, records)))
        held = len(notes) - len(self._lacking(notes, notes))
        gone = sum(_can_have_words(path) and path in records.aside and path not in notes for path in self._gone)
        if held + gone == with_words and not self._below_unlisted:
            return None, with_words

        def ids() -> str:
            return json.dumps([id_ for path in notes if (id_ := records.id(path)) is not None])

        return memo.made(("ids", notes), ids), with_words

    def passages(self, notes: Sequence[str]) -> dict[str, bytes]:
        """Returns the stored passages (bytes for `index.passages.load`) of the notes whose words are known."""
        rows = self._rows_with_words(notes)
        return {row.path: columns for row, columns in self._passages_of(rows)}

    def languages(self, notes: Collection[str]) -> Counter[str]:
        """Returns how many of the notes whose words are known are in each language, as `notes.language` names it."""
        from vaulttools.index.passages import keys_of

        return Counter(keys_of(data).language for data in self.passages(sorted(notes)).values())

    def some_notes(self, most: int) -> list[str]:
        """Returns at most `most` indexed notes by chance, excluded ones too; none while the index knows less than half
        of the files."""
        rows = self._records
        if 2 * len(rows) < len(rows.files):
            return []
        # By chance: of notes in pairs, one a translation, each second one would be in one language.
        drawn = Random(0).sample(range(1, rows.newest + 1), min(rows.newest, _DRAWN * most))  # noqa: S311 - no secret
        found = (path for id_ in drawn if (path := rows.path(id_)) is not None and paths.is_note(path))
        return [*islice(found, most)]

    def loaded_passages(self, notes: Sequence[str]) -> dict[str, Passages]:
        """Returns the passages of the notes whose words are known."""
        from vaulttools.index.passages import load

        rows, kept = self._rows_with_words(notes), self._caches.passages
        found = {row: held for row, held in zip(rows, kept.several(rows), strict=True) if held is not None}
        unread = [row for row in rows if row not in found]
        for row, columns in self._passages_of(unread) if unread else ():  # usual: all are kept
            found[row] = load(columns)
            if paths.is_note(row.path):  # the row of an attachment does not change when more of its text is extracted
                kept.put(row, found[row], len(found[row].lengths))
        return {row.path: passages for row, passages in found.items()}

    def _rows_with_words(self, notes: Sequence[str]) -> list[FileRow]:
        unknown = set(self.lacking_words(notes))
        return [row for path in notes if path not in unknown and (row := self._records.get(path)) is not None]

    def _passages_of(self, rows: Sequence[FileRow]) -> list[tuple[FileRow, bytes]]:
        by_id = {row.id: row for row in rows}
        with self._tolerating_loss():
            found = self._tables.passages(by_id)
            return [(by_id[id_], columns) for id_, text, columns in found if by_id[id_].digest == text]
        return []

    def copies(self, digests: Collection[int]) -> dict[int, set[str]]:
        """Returns, by digest of a passage, the notes that hold it and whose words are known."""
        copies: dict[int, set[str]] = {digest: set() for digest in digests}
        uncounted = self._uncounted(frozenset())
        with self._tolerating_loss():
            for digest, id_ in self._tables.copies(digests):
                if (path := self._records.path(id_)) is not None and path not in uncounted:
                    copies[digest].add(path)
        unknown = set(self.lacking_words(list(set().union(*copies.values()))))
        return {digest: holding - unknown for digest, holding in copies.items()}

    def stems(self, beginning: str, shortest: int, longest: int) -> Sequence[str]:
        """Returns the stems of `shortest` to `longest` characters that begin with one character, unordered.

        They are cached by first character and length: SQLite reads all entries of a stem just to list it, 10 ms for one
        letter in 10,000 notes of prose. The cache takes 1.4 MB for 156,000 stems.
        """
        known: dict[str, dict[int, str]] = self._memos.texts.made("stems", dict)
        if beginning not in known:
            by_length: dict[int, list[str]] = defaultdict(list)
            with self._tolerating_loss():
                for stem in self._tables.stems(beginning):
                    by_length[len(stem)].append(stem)
            # One stem per line: `split` takes a quarter of the time of slicing.
            known[beginning] = {length: "\n".join(stems) for length, stems in by_length.items()}
        found: list[str] = []
        for length, stems in known[beginning].items():
            if shortest <= length <= longest:
                found += stems.split("\n")
        return found

    def with_stem(self, stem: str, read: AbstractSet[str]) -> AbstractSet[str]:
        """Returns the files with a word of this stem, by the current rows, without those of `read`."""
        with self._tolerating_loss():
            return self._records.named(self._tables.with_stem(stem)) - self._uncounted(read)
        return frozenset()

    def known_words(self, words: AbstractSet[str]) -> AbstractSet[str]:
        """Returns those of the words, folded, that any file holds or held, by the current rows."""
        with self._tolerating_loss():
            return self._tables.known_words(words)
        return frozenset()

    def with_text(self, literal: str, read: AbstractSet[str]) -> AbstractSet[str]:
        """Returns the files that may hold `literal`, ignoring case, by the current rows, without those of `read`."""
        with self._tolerating_loss():
            ids = self._tables.narrowed(literal)
            return frozenset() if ids is None else self._named(ids) - self._uncounted(read)
        return frozenset()

    @contextmanager
    def _tolerating_loss(self) -> Iterator[None]:
        """Leave the block without an error if the store was removed, replaced or damaged, and use it no more."""
        try:
            yield
        except Unavailable as error:
            self.is_lost = True
            self._fail(error)


def _can_have_words(path: str) -> bool:
    """Whether a file has words, judged by its name: a note, or an attachment whose text is extracted."""
    return paths.is_note(path) or is_searched(path)
