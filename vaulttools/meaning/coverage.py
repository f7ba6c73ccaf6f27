"""Tells which notes have passages without a vector, at a cost that follows what changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple, Protocol

import xxhash

from vaulttools.core import paths
from vaulttools.index import passages as stored
from vaulttools.meaning.store import Generation, VectorStore

_TOGETHER: Final = 1_000
"""Notes that are looked at together."""

_LOOKED_AT: Final = 100
"""Changed notes whose passages a call looks at. Of more, all count as lacking vectors, whatever the edit left as it
was."""


class PassageIndex(Protocol):
    """What the index tells of the passages of notes, as of one moment."""

    moment: int | None
    """Counts the changes of the vault; None while some may be missed."""

    def changed_since(self, moment: int) -> AbstractSet[str] | None:
        """The files that changed after a moment, or may have; None when not all of them are remembered."""

    def changed(self) -> AbstractSet[str]:
        """The notes that changed, or may have, since they were read; those that could not be read are left out."""

    def unranked(self, files: Collection[str]) -> Sequence[str]:
        """The notes and attachments whose words are not in the index."""

    def text_digests(self, files: Collection[str]) -> Mapping[str, bytes]:
        """A digest of the text of each note, of those that were read as they are now, or cannot be read."""

    def passages(self, notes: Sequence[str]) -> Mapping[str, bytes]:
        """What `index.passages` made of each, of those whose text is known."""


class _Look(NamedTuple):
    """What the last look found."""

    moment: int | None
    """Of the index."""
    generation: Generation | None
    """Of the store."""
    notes: AbstractSet[str]
    """All that may be embedded."""
    lacking: Mapping[str, Sequence[int]]
    """Those that lack vectors, each with the digests of its passages without one; with none while the index does not
    know it."""
    embedded: set[str]
    """Those of them that have got theirs since."""


class Coverage:
    """The notes of one vault whose passages all have vectors. One thread looks, any thread asks."""

    def __init__(self, store: Callable[[], VectorStore]) -> None:
        self._store = store
        self._texts: dict[str, bytes] = {}
        """The notes whose passages all have vectors, each with the digest of its text; without one if it has none."""
        self._last: _Look | None = None

    def look(
        self, known: PassageIndex, notes: AbstractSet[str], is_over: Callable[[], bool]
    ) -> Mapping[str, Sequence[int]]:
        """Of all notes that may be embedded those that lack vectors, as `_Look.lacking`; none when it `is_over` sooner.

        `notes` is the same object until one of them comes or goes.

        Raises:
            NoMeaning: the vectors cannot be read, or it cannot be kept which notes have all of theirs.
        """
        store, last = self._store(), self._last
        generation = store.generation()
        if last is not None and last.generation not in (None, generation):
            self._texts.clear()
            last = None
        due = sorted(notes if last is None else _due(last, known, notes))
        covered = store.covered() if last is None else frozenset()
        lacking: dict[str, Sequence[int]] = {}
        found: set[bytes] = set()
        for start in range(0, len(due), _TOGETHER):
            if is_over():
                return {}
            for path, text, digests in self._looked_at(known, due[start : start + _TOGETHER], covered):
                if text is None or digests:
                    lacking[path] = digests
                else:
                    self._texts[path] = text
                    found.add(text)
        if last is not None and notes is not last.notes:
            for path in last.notes - notes:
                self._texts.pop(path, None)
        store.cover(found - covered - {b""})
        self._last = _Look(known.moment, generation, notes, lacking, set())
        return lacking

    def _looked_at(
        self, known: PassageIndex, notes: Sequence[str], covered: AbstractSet[bytes]
    ) -> Iterator[tuple[str, bytes | None, Sequence[int]]]:
        """Of some notes those that were not found to have all vectors: the digest of the text, None where the index
        does not know it, and the digests of the passages that have no vector."""
        texts = _named(known.text_digests(notes))
        left = []
        for path in notes:
            text = texts.get(path)
            if text in covered:
                yield path, text, ()
            elif text is None or self._texts.get(path) != text:
                left.append(path)
        if not left:
            return
        held = known.passages(left)
        again = _named(known.text_digests(left))
        missing = self._missing(held)
        for path in left:
            if path not in texts or texts[path] != again.get(path):  # it was read anew meanwhile
                yield path, None, ()
            else:
                yield path, texts[path] if path in held else b"", missing.get(path, ())

    def _missing(self, held: Mapping[str, bytes]) -> dict[str, list[int]]:
        """By note the digests of its passages that have no vector, where there are any."""
        digests = {path: list(dict.fromkeys(stored.keys_of(data).keys)) for path, data in held.items()}
        missing = set(self._store().missing(each for some in digests.values() for each in some))
        lacking = ((path, [each for each in some if each in missing]) for path, some in digests.items())
        return {path: some for path, some in lacking if some}

    def texts(self) -> AbstractSet[bytes]:
        """The digests of the texts of all notes that lacked no vectors at the last look."""
        return {*self._texts.values()} - {b""}

    def embedded(self, path: str) -> None:
        """Note that a note has got the vectors that it lacked at the last look."""
        if self._last is not None:
            self._last.embedded.add(path)

    def is_lost(self) -> bool:
        """Whether the vectors that the last look saw are gone: the file was removed, or was damaged.

        Raises:
            NoMeaning: the vectors cannot be read.
        """
        before = None if self._last is None else self._last.generation
        now = None if before is None else self._store().generation()
        return before is not None and (now is None or now.file != before.file)

    def waiting(self, among: AbstractSet[str]) -> int | None:
        """How many of some notes lacked vectors at the last look and have not got them; None before the first one."""
        last = self._last
        return None if last is None else len((last.lacking.keys() & among) - last.embedded)

    def changed(self, known: PassageIndex, among: AbstractSet[str]) -> AbstractSet[str]:
        """Of some notes those that lack vectors although they lacked none at the last look, by this process or another
        one: they changed since.

        Raises:
            NoMeaning: the vectors cannot be read.
        """
        last, store = self._last, self._store()
        since = None if last is None else _since(last, known)
        due = among if since is None else among & since
        if last is not None:
            due = (due if since is not None else due & last.notes) - last.lacking.keys()
        if not due or (last is None and not store.progress()[0]):  # where none was embedded, none changed since
            return frozenset()
        unknown = set(known.unranked(due))
        if last is not None:
            others = [
                path
                for path, text in _named(known.text_digests(due - unknown)).items()
                if self._texts.get(path) != text
            ]
        else:
            done, total = store.progress()
            covered = store.covered() if done == total else frozenset()
            texts = _named(known.text_digests(due - unknown)) if covered else {}
            others = [path for path, text in texts.items() if text not in covered]
        if len(others) <= _LOOKED_AT:
            others = list(self._missing(known.passages(others)))
        return unknown.union(others)


def _named(texts: Mapping[str, bytes]) -> dict[str, bytes]:
    """Digests of texts with the names of their notes, which are embedded, too; none of a note that has no text."""
    return {
        path: xxhash.xxh3_128_digest(text + os.fsencode(paths.stem(path))) if text else b""
        for path, text in texts.items()
    }


def _since(last: _Look, known: PassageIndex) -> AbstractSet[str] | None:
    """What changed since the last look; None where that is not known."""
    return None if last.moment is None or known.moment is None else known.changed_since(last.moment)


def _due(last: _Look, known: PassageIndex, notes: AbstractSet[str]) -> AbstractSet[str]:
    """The notes that may be other ones than at the last look."""
    changed = _since(last, known)
    if changed is None:
        return notes
    due = (last.lacking.keys() | changed) & notes
    return due if notes is last.notes else due | (notes - last.notes)
