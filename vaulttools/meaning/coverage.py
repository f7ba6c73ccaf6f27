"""Finds the notes that lack vectors of passages, at a cost proportional to the changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final, NamedTuple

import xxhash

from vaulttools.core import paths
from vaulttools.index import passages as stored
from vaulttools.meaning.store import Generation, VectorStore

if TYPE_CHECKING:
    from vaulttools.index.snapshot import Mark, Snapshot

_TOGETHER: Final = 1_000
"""Notes that are looked at together."""

_LOOKED_AT: Final = 100
"""A call looks at the passages of up to this many changed notes. If there are more, all of them count as lacking
vectors."""


class _Look(NamedTuple):
    """The result of one look."""

    mark: Mark
    """Of what was known of the vault."""
    generation: Generation | None
    """The generation of the store."""
    notes: AbstractSet[str]
    """All notes that may be embedded."""
    lacking: Mapping[str, Sequence[int]]
    """By note that lacks vectors, the digests of its passages without one; empty while the index does not know the
    note."""
    embedded: set[str]
    """The lacking notes that have got their vectors since."""


class Coverage:
    """The notes of one vault whose passages all have vectors. One thread calls `look`, any thread the other methods.

    Every method raises `NoMeaning` if the vectors cannot be read or written.
    """

    def __init__(self, store: Callable[[], VectorStore]) -> None:
        self._store = store
        self._covered: set[bytes] = set()
        """The digests of texts whose passages all have vectors."""
        self._last: _Look | None = None

    def look(self, view: Snapshot, notes: AbstractSet[str], is_over: Callable[[], bool]) -> Mapping[str, Sequence[int]]:
        """Returns the notes that lack vectors, as `_Look.lacking`; empty if `is_over` returns true before the end.

        `notes` are all notes that may be embedded; it stays the same object until one of them comes or goes.
        """
        store, last = self._store(), self._last
        generation = store.generation()
        if last is None or last.generation not in (None, generation):
            self._covered, last = set(store.covered()), None
        due = sorted(notes if last is None else _due(last, view, notes))
        lacking: dict[str, Sequence[int]] = {}
        found: set[bytes] = set()
        for start in range(0, len(due), _TOGETHER):
            if is_over():
                return {}
            for path, text, digests in self._looked_at(view, due[start : start + _TOGETHER]):
                if text is None or digests:
                    lacking[path] = digests
                else:
                    found.add(text)
        store.cover(found)
        self._covered |= found
        self._last = _Look(view.mark, generation, notes, lacking, set())
        return lacking

    def _looked_at(self, view: Snapshot, notes: Sequence[str]) -> Iterator[tuple[str, bytes | None, Sequence[int]]]:
        """Yields the notes that may lack vectors: path, digest of the text (None if the index does not know it), and
        the digests of the passages without a vector."""
        texts = text_digests(view, notes)
        left = [path for path in notes if path not in texts or (texts[path] and texts[path] not in self._covered)]
        if not left:
            return
        held = view.passages(left)
        again = text_digests(view, left)
        missing = self._missing(held)
        for path in left:
            if path not in texts or texts[path] != again.get(path):  # the index read it again meanwhile
                yield path, None, ()
            elif path in held:
                yield path, texts[path], missing.get(path, ())

    def _missing(self, held: Mapping[str, bytes]) -> dict[str, list[int]]:
        """Returns, for each note that lacks vectors, the digests of its passages without one."""
        digests = {path: list(dict.fromkeys(stored.keys_of(data).keys)) for path, data in held.items()}
        missing = set(self._store().missing(each for some in digests.values() for each in some))
        lacking = ((path, [each for each in some if each in missing]) for path, some in digests.items())
        return {path: some for path, some in lacking if some}

    def embedded(self, path: str) -> None:
        """Record that a note now has the vectors that it lacked at the last look."""
        if self._last is not None:
            self._last.embedded.add(path)

    def is_lost(self) -> bool:
        """Whether the vectors of the last look are gone: their file was removed or damaged."""
        before = None if self._last is None else self._last.generation
        now = None if before is None else self._store().generation()
        return before is not None and (now is None or now.file != before.file)

    def waiting(self, among: AbstractSet[str]) -> int | None:
        """Returns how many notes in `among` have lacked vectors since the last look; None before the first look."""
        last = self._last
        return None if last is None else len((last.lacking.keys() & among) - last.embedded)

    def changed(self, view: Snapshot, among: AbstractSet[str]) -> AbstractSet[str]:
        """Returns the notes in `among` that lack vectors and lacked none at the last look, by any process: they changed
        since."""
        last = self._last
        covered: AbstractSet[bytes] | None
        if last is None:
            done, total = self._store().progress()
            if not done:  # nothing was embedded, so nothing changed since
                return frozenset()
            due, covered = among, (self._store().covered() if done == total else None) or None
        else:
            since = view.since(last.mark)
            due = (among & last.notes if since is None else among & since) - last.lacking.keys()
            covered = self._covered
        if not due:
            return frozenset()
        unknown = set(view.lacking_words(due))
        texts = {} if covered is None else text_digests(view, due - unknown)
        others = [path for path, text in texts.items() if text and text not in (covered or ())]
        if len(others) <= _LOOKED_AT:
            others = list(self._missing(view.passages(others)))
        return unknown.union(others)


def text_digests(view: Snapshot, notes: Collection[str]) -> dict[str, bytes]:
    """Returns the digest of each note's text and name, which is embedded, too; empty for a note without text."""
    return {
        path: xxhash.xxh3_128_digest(text + os.fsencode(paths.stem(path))) if text else b""
        for path, text in view.text_digests(notes).items()
    }


def _due(last: _Look, view: Snapshot, notes: AbstractSet[str]) -> AbstractSet[str]:
    """Returns the notes that may have changed since the last look, and those that lacked vectors then."""
    changed = view.since(last.mark)
    if changed is None:
        return notes
    due = (last.lacking.keys() | changed) & notes
    return due if notes is last.notes else due | (notes - last.notes)
